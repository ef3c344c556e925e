"""From `Stack` to `Plan` for 16,384 GPUs in a warm process: with one hot backend pinned, and with all searched."""

from __future__ import annotations

import sys

from clusters import planned, stretched
from pairs import Bar, interleaved, ratio, report

GPUS = 16_384


def main(rounds: int = 200) -> int:
    """Measure and print."""
    pinned = stretched(gpus=GPUS, hot={"backend": "weka"})
    searched = stretched(gpus=GPUS, hot={"backend": "auto"})
    seconds = interleaved(
        {
            "pinned": lambda: planned(pinned),
            "searched": lambda: planned(searched),
        },
        rounds=rounds,
    )
    return report(
        "warm_plan",
        seconds,
        Bar(text="one backend pinned: 2 ms", met=min(seconds["pinned"]) <= 0.002),
        Bar(text="every backend and layout searched: 50 ms", met=min(seconds["searched"]) <= 0.050),
        ratio=ratio(seconds, "searched", "pinned"),
    )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
