"""The lines of a comparison that a reviewer reads first: for each tier, each job and the money."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tierplan.domain.figures import Figure
from tierplan.domain.need import TIERS, Tier, TierNeed
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import Degraded, Layout, TierPlan
from tierplan.units import Quantity

Sense: TypeAlias = Literal["better", "worse", ""]
Cell: TypeAlias = float | str | None
Wording: TypeAlias = tuple[str, str, int]
"""What a figure is called here, its unit, and which way is good."""
Outcomes: TypeAlias = tuple[Mapping[str, Figure], Mapping[str, Figure]]

HIGHER, LOWER = 1, -1
NOUNS = ("node", "rack")
JOB_FIGURES: Mapping[str, Wording] = {
    "checkpoint.goodput_fraction": ("goodput", "fraction", HIGHER),
    "checkpoint.stall_s": ("checkpoint stall", "s", LOWER),
    "restore.duration_s": ("restore", "s", LOWER),
    "dataset.epoch_s": ("epoch", "s", LOWER),
    "model_load.duration_s": ("model load", "s", LOWER),
    "kv_cache.reload_s": ("session reload", "s", LOWER),
}
TIER_FIGURES: Mapping[str, Wording] = {
    "survival.annual_loss_probability": ("data loss in a year", "probability", LOWER),
    "survival.drive_exposed_s": ("drive rebuilt after", "s", LOWER),
    "survival.node_exposed_s": ("node rebuilt after", "s", LOWER),
}
KNOWN = "known_monthly"
MONEY = {
    KNOWN: "storage a month, as far as known",
    "stall_cost_per_30d": "stall per 30 days",
    "lost_cost_per_30d": "lost GPU hours per 30 days",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """
    One line: what is required and what is planned, before and after.

    Numbers are in the base unit that `unit` names (``bytes_per_s``); texts have none.
    """

    of: str  # the tier, the job, or cost
    name: str
    unit: str = ""
    required_before: Cell = None
    required_after: Cell = None
    before: Cell = None
    after: Cell = None
    sense: Sense = ""
    money: bool = False


def rows(old: Plan | None, new: Plan | None) -> Iterator[Row]:
    """The lines that differ; of one plan alone every line."""
    for row in _every(old, new):
        if old is None or new is None or row.before != row.after or row.required_before != row.required_after:
            yield row


def _every(old: Plan | None, new: Plan | None) -> Iterator[Row]:
    for tier in TIERS:
        before, after = (plan.tiers.get(tier) if plan else None for plan in (old, new))
        if before is not None or after is not None:
            yield from _tier(tier, before, after, _needs(tier, old, new))
            yield from _figures(tier, TIER_FIGURES, _outcomes(old, new))
    yield from _jobs(old, new)
    yield from _money(old, new)


def _needs(tier: Tier, old: Plan | None, new: Plan | None) -> tuple[TierNeed | None, TierNeed | None]:
    before, after = (plan.requirement.needs.get(tier) if plan else None for plan in (old, new))
    return before, after


def _tier(
    tier: Tier, before: TierPlan | None, after: TierPlan | None, needs: tuple[TierNeed | None, TierNeed | None]
) -> Iterator[Row]:
    sides = (before, after)
    yield _text(tier, "product", *(_product(side) for side in sides))
    yield _size(tier, before, after)
    yield _text(tier, "layout", *(_layout(side) for side in sides))
    if tier != "local":
        yield _survived(tier, before, after)
    for name in ("read", "write", "op_rate"):
        one, other = (_base(getattr(side.delivered.healthy, name)) if side else None for side in sides)
        yield _rate(tier, name, needs, (one, other))
    planned = tuple(_base(side.delivered.planned) if side else None for side in sides)
    yield _rate(tier, "capacity", needs, (planned[0], planned[1]))
    if tier != "local":
        yield from _after_losses(tier, before, after)


def _layout(side: TierPlan | None) -> str | None:
    """How data is protected; a managed service sees to that itself."""
    return str(side.config.layout) if side and side.delivered.cloud is None else None


def _product(side: TierPlan | None) -> str | None:
    """The product with those of its own choices that are words or numbers."""
    if side is None:
        return None
    words = (f"{name} {value}" for name, value in side.config.options.items() if isinstance(value, str))
    return ", ".join((side.config.backend, *words))


def _size(tier: Tier, before: TierPlan | None, after: TierPlan | None) -> Row:
    """Whole nodes, or the size that a managed service is asked for."""
    for side in (after, before):
        if side is not None and side.delivered.cloud is not None:
            return _text(tier, "size", *(_service_size(one) for one in (before, after)))
    one, other = (float(side.config.nodes) if side else None for side in (before, after))
    return Row(of=tier, name="nodes", unit="count", before=one, after=other)


def _service_size(side: TierPlan | None) -> str | None:
    if side is None or side.delivered.cloud is None:
        return None
    cloud = side.delivered.cloud
    return f"{cloud.size:g} {cloud.unit}{f', {cloud.class_name}' if cloud.class_name else ''}"


def _survived(tier: Tier, before: TierPlan | None, after: TierPlan | None) -> Row:
    """How many failure domains may be lost at once; domains of two kinds cannot be compared."""
    one, other = (
        side.config.layout if side and side.config.layout.kind != "none" else None for side in (before, after)
    )
    sense: Sense = ""
    if one and other and one.failure_domain == other.failure_domain:
        sense = _sense(one.tolerated, other.tolerated, HIGHER)
    return Row(of=tier, name="failures survived", before=_losses(one), after=_losses(other), sense=sense)


def _losses(layout: Layout | None) -> str | None:
    if layout is None:
        return None
    return f"{layout.tolerated} {layout.failure_domain}{'' if layout.tolerated == 1 else 's'}"


def _after_losses(tier: Tier, before: TierPlan | None, after: TierPlan | None) -> Iterator[Row]:
    """Each loss that either plan speaks of: what is left, and whether data goes with it."""
    one, other = (_states(side) for side in (before, after))
    for loss in dict.fromkeys((*one, *other)):
        left, right = one.get(loss), other.get(loss)
        words = " and ".join(
            f"{count} {word}{'s' * (count > 1)}" for count, word in zip(loss, NOUNS, strict=True) if count
        )
        if not words:
            continue
        for name in ("read", "write"):
            rates = tuple(_base(getattr(state, name)) if state else None for state in (left, right))
            yield _number(tier, f"{name}, {words} lost", "bytes_per_s", (rates[0], rates[1]), HIGHER)
        kept = tuple(None if state is None else "lost" if state.data_lost else "kept" for state in (left, right))
        sense: Sense = ""
        if None not in kept and kept[0] != kept[1]:
            sense = "worse" if kept[1] == "lost" else "better"
        yield Row(of=tier, name=f"data, {words} lost", before=kept[0], after=kept[1], sense=sense)


def _states(side: TierPlan | None) -> dict[tuple[int, int], Degraded]:
    return {(state.nodes, state.racks): state for state in side.delivered.degraded} if side else {}


def _rate(
    tier: Tier, name: str, needs: tuple[TierNeed | None, TierNeed | None], planned: tuple[float | None, float | None]
) -> Row:
    units = {"op_rate": "ops_per_s", "capacity": "bytes"}
    required = tuple(_base(getattr(need, name)) if need else None for need in needs)
    return Row(
        of=tier,
        name=name.replace("_", " "),
        unit=units.get(name, "bytes_per_s"),
        required_before=required[0],
        required_after=required[1],
        before=planned[0],
        after=planned[1],
        sense=_sense(planned[0], planned[1], HIGHER),
    )


def _figures(of: str, known: Mapping[str, Wording], outcomes: Outcomes) -> Iterator[Row]:
    """The figures of one job or tier that a reviewer asks for."""
    for figure, (words, unit, good) in known.items():
        name = f"{of}.{figure}"
        values = tuple(_number_of(outcome.get(name)) for outcome in outcomes)
        if any(value is not None for value in values):
            yield _number(of, words, unit, (values[0], values[1]), good)


def _outcomes(old: Plan | None, new: Plan | None) -> Outcomes:
    before, after = (plan.outcome if plan else {} for plan in (old, new))
    return before, after


def _jobs(old: Plan | None, new: Plan | None) -> Iterator[Row]:
    names = (work.name for plan in (old, new) if plan for work in plan.stack.workloads)
    for name in dict.fromkeys(names):
        yield from _figures(name, JOB_FIGURES, _outcomes(old, new))


def _money(old: Plan | None, new: Plan | None) -> Iterator[Row]:
    """Sums of what is known compare only where the same is unknown on both sides."""
    costs = tuple(plan.cost if plan else None for plan in (old, new))
    alike = len({frozenset(cost.unknown) for cost in costs if cost}) == 1
    for name, words in MONEY.items():
        values = tuple(getattr(cost, name) if cost else None for cost in costs)
        if any(values):
            currency = next(cost.currency for cost in reversed(costs) if cost)
            sense = _sense(values[0], values[1], LOWER) if alike or name != KNOWN else ""
            yield Row(of="cost", name=words, unit=currency, before=values[0], after=values[1], sense=sense, money=True)


def _text(of: str, name: str, before: str | None, after: str | None) -> Row:
    return Row(of=of, name=name, before=before, after=after)


def _number(of: str, name: str, unit: str, values: tuple[float | None, float | None], good: int) -> Row:
    return Row(of=of, name=name, unit=unit, before=values[0], after=values[1], sense=_sense(*values, good))


def _sense(before: float | None, after: float | None, good: int) -> Sense:
    if before is None or after is None or before == after:
        return ""
    return "better" if (after - before) * good > 0 else "worse"


def _base(quantity: Quantity) -> float:
    return quantity.base


def _number_of(figure: Figure | None) -> float | None:
    return None if figure is None else figure.number
