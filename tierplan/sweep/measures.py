"""What a point is measured by, and which of it is better less or more."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tierplan.domain.need import Tier
from tierplan.domain.plan import Plan
from tierplan.errors import InputError

Measure = Callable[[Plan], float]
GOODPUT = ".checkpoint.goodput_fraction"


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """A measure with the direction that is better."""

    name: str
    more: bool = False


def machines(plan: Plan) -> float:
    """Storage nodes of all tiers but the local one, and the machines beside them."""
    return float(sum(one.config.nodes + one.delivered.beside for name, one in plan.tiers.items() if name != "local"))


def goodput(plan: Plan) -> float:
    """The worst job's share of useful time; 1 where nothing trains."""
    return min((one.number for name, one in plan.outcome.items() if name.endswith(GOODPUT)), default=1.0)


def monthly(plan: Plan) -> float:
    """What the storage costs a month; not a number where a price is missing."""
    return math.nan if plan.cost.monthly is None else plan.cost.monthly


def total_monthly(plan: Plan) -> float:
    """Storage and lost GPU hours together; not a number where a price is missing."""
    lost = plan.cost.lost_cost_per_30d
    return math.nan if lost is None else monthly(plan) + lost


def _of(tier: Tier, read: Callable[[Plan], float]) -> Measure:
    return lambda plan: read(plan) if tier in plan.tiers else math.nan


MEASURES: Mapping[str, Measure] = {
    "machines": machines,
    "hot_nodes": _of("hot", lambda plan: float(plan.tiers["hot"].config.nodes)),
    "hot_raw_bytes": _of("hot", lambda plan: plan.tiers["hot"].delivered.raw.base),
    "hot_read_bytes_per_s": _of("hot", lambda plan: plan.tiers["hot"].delivered.healthy.read.base),
    "hot_write_bytes_per_s": _of("hot", lambda plan: plan.tiers["hot"].delivered.healthy.write.base),
    "goodput": goodput,
    "lost_gpu_hours": lambda plan: plan.cost.lost_gpu_hours_per_30d,
    "monthly": monthly,
    "total_monthly": total_monthly,
}
MORE = ("goodput", "hot_read_bytes_per_s", "hot_write_bytes_per_s")


def objective(text: str) -> Objective:
    """
    An objective as it is typed: a measure or a figure's id, ``min:`` or ``max:`` before it.

    >>> objective("goodput"), objective("min:pretrain-70b.restore.duration_s").more
    (Objective(name='goodput', more=True), False)
    """
    word, colon, name = text.partition(":")
    if colon and word in ("min", "max"):
        return Objective(name=name, more=word == "max")
    return Objective(name=text, more=text in MORE)


def measured(plan: Plan, names: Iterator[str] | tuple[str, ...]) -> dict[str, float]:
    """
    The measures of these names; a name that is none of ours is a figure of the plan.

    Raises:   InputError if the plan has no such figure either
    """
    return {name: _measured(plan, name) for name in names}


def _measured(plan: Plan, name: str) -> float:
    if name in MEASURES:
        return MEASURES[name](plan)
    figure = plan.outcome.get(name) or plan.requirement.figures.get(name)
    if figure is None:
        message = f"{name}: neither a measure nor a figure of the plan; measures: {', '.join(MEASURES)}"
        raise InputError(message)
    return figure.number
