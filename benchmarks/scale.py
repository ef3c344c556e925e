"""A plan for 100,000 GPUs on 1,000 storage nodes beside one for 8 GPUs: time, and the whole process's peak memory."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import tierplan
from clusters import planned, stretched
from pairs import Bar, interleaved, ratio, report

SMALL, LARGE = 8, 100_000
NODES = {SMALL: 12, LARGE: 1000}
"""Twelve hold the demo's dataset and archive; the bar names a thousand."""
MIB = 1024 * (1024 if sys.platform == "darwin" else 1)


def main(rounds: int = 100) -> int:
    """Measure and print."""
    stacks = {gpus: stretched(gpus=gpus, hot={"backend": "weka", "nodes": NODES[gpus]}) for gpus in (SMALL, LARGE)}
    seconds = interleaved(
        {
            "small": lambda: planned(stacks[SMALL]),
            "large": lambda: planned(stacks[LARGE]),
        },
        rounds=rounds,
    )
    times = ratio(seconds, "large", "small")
    peak = peak_mib(LARGE)
    return report(
        "scale",
        seconds,
        Bar(text="the large one within 2 x the small one", met=times <= 2),
        Bar(text="peak memory 150 MiB", met=peak <= 150),
        ratio=times,
        peak_mib=peak,
        peak_mib_small=peak_mib(SMALL),
    )


def peak_mib(gpus: int) -> float:
    """Peak memory of a process of its own that makes one such plan."""
    said = subprocess.run([sys.executable, Path(__file__), "peak", str(gpus)], capture_output=True, check=True).stdout
    return float(said)


def peak(gpus: int) -> int:
    """Plan once, and print what this process has used at most."""
    tierplan.make_plan(stretched(gpus=gpus, hot={"backend": "weka", "nodes": NODES[gpus]}), tierplan.catalogue())
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB)
    return 0


if __name__ == "__main__":
    sys.exit(peak(int(sys.argv[2])) if sys.argv[1:2] == ["peak"] else main(*map(int, sys.argv[1:])))
