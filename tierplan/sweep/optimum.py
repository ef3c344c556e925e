"""
Checkpoint interval, mode, first landing and hot write bandwidth chosen together.

Every stall that a bandwidth could give has a period that wastes least (Daly); with it the hot tier is planned anew.
So each point is a whole plan with its own best period, and the curve shows what the next bandwidth buys.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from tierplan.demand.interval import background_period, optimal_period
from tierplan.domain.plan import Plan
from tierplan.domain.stack import Stack, Training
from tierplan.errors import InputError
from tierplan.load import Form, Variants, catalogue
from tierplan.plan import make_plan
from tierplan.sweep.points import Point, plan_point
from tierplan.units import Duration

STEPS = 16
LONGEST_SHARE = 0.25  # of the mean time to interrupt: a longer stall than that is no plan
SHORTEST = 2.0  # seconds: below this the bandwidth is beyond what anybody builds
LANDING = "checkpoint-first-landing"
NAMES = ("goodput", "machines", "hot_write_bytes_per_s", "lost_gpu_hours", "monthly", "total_monthly")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One way to save: mode, first landing, period, and for a synchronous one the share of time it may take."""

    mode: Literal["sync", "async"]
    first_landing: str
    interval: Duration
    overhead: float | None = None

    def settings(self, work: str, use: tuple[str, ...]) -> Mapping[str, object]:
        """The key paths that make a stack save this way."""
        path = f"workloads.{work}.checkpoint"
        found: dict[str, object] = {
            f"{path}.mode": self.mode,
            f"{path}.first_landing": self.first_landing,
            f"{path}.interval": f"{self.interval.s:.6g} s",
        }
        if self.overhead is not None:
            found[f"{path}.overhead"] = float(f"{self.overhead:.6g}")
        if self.first_landing == "local" and LANDING not in use:
            found["tiers.local.use"] = [*use, LANDING]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimum:
    """Every choice with its plan, and the best of those that pass; `by_money` says what was compared."""

    work: str
    by_money: bool
    points: tuple[tuple[Choice, Point], ...]
    best: int | None
    gpu_nodes: int

    def value(self, point: Point) -> float:
        """What is least at the optimum: money a month, or minus the useful share of all machines."""
        if self.by_money:
            return point.measures["total_monthly"]
        return -point.measures["goodput"] * self.gpu_nodes / (self.gpu_nodes + point.measures["machines"])


def optimum(form: Form, work: str | None = None) -> Optimum:
    """
    The plans along every way to save the checkpoints of a training job, and the best one.

    With every price known the least of storage and lost GPU hours together; else the most useful work for each
    machine, GPU nodes and storage nodes counted alike.

    Raises:   InputError if the stack has no training job with checkpoints, or none of this name
    """
    variants = Variants(form)
    stack = form.stack({})
    job = _job(stack, work)
    plan = make_plan(stack, catalogue())
    choices = list(_choices(job, plan, stack))
    points = [
        plan_point(variants, index, one.settings(job.name, stack.tiers.local.use), NAMES)
        for index, one in enumerate(choices)
    ]
    by_money = all(not math.isnan(point.measures["total_monthly"]) for point in points if point.passes)
    found = Optimum(
        work=job.name,
        by_money=by_money,
        points=tuple(zip(choices, points, strict=True)),
        best=None,
        gpu_nodes=stack.cluster.gpu_nodes,
    )
    passing = [point for point in points if point.passes]
    best = min(passing, key=lambda point: (found.value(point), point.index), default=None)
    return Optimum(
        work=found.work,
        by_money=by_money,
        points=found.points,
        best=None if best is None else best.index,
        gpu_nodes=found.gpu_nodes,
    )


def best_of_mode(found: Optimum, mode: str) -> tuple[Choice, Point] | None:
    """The best point that passes and saves this way."""
    passing = [(choice, point) for choice, point in found.points if choice.mode == mode and point.passes]
    return min(passing, key=lambda pair: found.value(pair[1]), default=None)


def _job(stack: Stack, name: str | None) -> Training:
    jobs = [work for work in stack.workloads if isinstance(work, Training) and work.checkpoint is not None]
    for job in jobs:
        if name in (None, job.name):
            return job
    names = ", ".join(job.name for job in jobs) or "none"
    wanted = "" if name is None else f" of the name {name}"
    message = f"{stack.name}: no training job with checkpoints{wanted}; there are: {names}"
    raise InputError(message)


def _choices(job: Training, plan: Plan, stack: Stack) -> Iterator[Choice]:
    checkpoint = job.checkpoint
    mean = plan.outcome.get(f"{job.name}.checkpoint.mean_time_to_interrupt_s")
    if checkpoint is None or mean is None:
        return
    between = Duration(mean.number)
    landings = ("hot", "local") if stack.cluster.local_nvme.drives else ("hot",)
    for stall in _stalls(between):
        period = optimal_period(stall=stall, mean_time_to_interrupt=between)
        yield Choice(mode="sync", first_landing="hot", interval=period, overhead=stall / period)
    shortest = background_period(
        blocking=checkpoint.blocking, mean_time_to_interrupt=between, drain_fraction=checkpoint.drain_fraction
    )
    for landing in landings:
        for factor in (1.0, 1.5, 2.0, 3.0):
            yield Choice(mode="async", first_landing=landing, interval=shortest * factor)


def _stalls(between: Duration) -> Sequence[Duration]:
    """Stalls in even ratios from the shortest to a share of the time to interrupt."""
    longest = max(SHORTEST * 2, min(between.s * LONGEST_SHARE, 1800.0))
    ratio = (longest / SHORTEST) ** (1 / (STEPS - 1))
    return [Duration(SHORTEST * ratio**step) for step in range(STEPS)]
