"""
Compare things in one run: turn and turn about, so that a busy moment of the machine hits both.

The least time of each counts: it is the one that the rest of the machine disturbed least.  Times of two machines are
never compared; ratios within a run are.
"""

from __future__ import annotations

import json
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Work = Callable[[], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """What must be met: seconds, a ratio, or either of them."""

    text: str
    met: bool


def timed(work: Work) -> float:
    """Seconds that one call takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def interleaved(works: Mapping[str, Work], *, rounds: int) -> dict[str, list[float]]:
    """Seconds of each, `rounds` times, in turn; one round before that warms up and is not counted."""
    for work in works.values():
        work()
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            seconds[name].append(timed(work))
    return seconds


def ratio(seconds: Mapping[str, list[float]], over: str, under: str) -> float:
    """How many times as long the one takes as the other, by their least times."""
    return min(seconds[over]) / min(seconds[under])


def report(name: str, seconds: Mapping[str, list[float]], *bars: Bar, **more: float) -> int:
    """Print one line of JSON; 1 where a bar is missed."""
    line = {
        "benchmark": name,
        "least_s": {work: round(min(times), 5) for work, times in seconds.items()},
        "median_s": {work: round(statistics.median(times), 5) for work, times in seconds.items()},
        **{key: round(value, 3) for key, value in more.items()},
        "bars": [{"bar": bar.text, "met": bar.met} for bar in bars],
    }
    print(json.dumps(line), flush=True)
    return 0 if all(bar.met for bar in bars) else 1
