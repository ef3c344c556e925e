"""10,000 plans of one stack in two processes, against the same points one by one from the whole form."""

from __future__ import annotations

import itertools
import sys
import time

import tierplan
from pairs import Bar, report
from tierplan import load, sweep

AXES = ("targets.headroom=1.1..1.5/100", "workloads[0].checkpoint.interval=10..60/100 min")
NAMES = ("machines", "goodput")
SAMPLE = 200


def main(processes: int = 2) -> int:
    """Measure and print."""
    form = load.read_form("demo")
    axes = [sweep.axis(text) for text in AXES]
    started = time.perf_counter()
    points = sweep.run(form, axes, NAMES, processes=processes)
    taken = time.perf_counter() - started
    alone = []
    for settings in itertools.islice(sweep.grid(axes), SAMPLE):
        began = time.perf_counter()
        tierplan.make_plan(form.stack(settings), tierplan.catalogue())
        alone.append(time.perf_counter() - began)
    started = time.perf_counter()
    sweep.pareto(points, [sweep.objective(name) for name in NAMES])
    front = time.perf_counter() - started
    return report(
        "sweep",
        {"points": [taken], "one_by_one": alone, "front": [front]},
        Bar(text=f"{len(points):,} points in {processes} processes: 10 s", met=taken <= 10.0),
        Bar(text="their front: 0.5 s", met=front <= 0.5),
        ratio=taken / len(points) / min(alone),
    )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
