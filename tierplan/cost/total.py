"""What a whole plan costs: storage by the month, and GPU hours that checkpoints and interruptions take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.cost.bill import tier_bill
from tierplan.cost.priced import priced
from tierplan.domain.figures import Figure
from tierplan.domain.need import Tier
from tierplan.domain.plan import Cost
from tierplan.domain.prices import PriceList
from tierplan.domain.stack import Stack
from tierplan.domain.tiers import BillItem, TierPlan

STALL = ".checkpoint.stall_gpu_hours_per_30d"
LOST = ".checkpoint.lost_gpu_hours_per_30d"


def plan_cost(stack: Stack, outcome: Mapping[str, Figure], tiers: Mapping[Tier, TierPlan], prices: PriceList) -> Cost:
    """
    Each tier's bill at the list's prices, the people who run it, and the GPU hours lost.

    Without a price of every thing `monthly` stays empty and `complete` false: what is known is no total.
    """
    parts = [priced(tier_bill(one.config, one.delivered), prices, tier=tier) for tier, one in tiers.items()]
    parts.append(priced(_people(stack), prices))
    unknown = tuple(dict.fromkeys(word for part in parts for word in part.unknown))
    known = sum(part.monthly for part in parts)
    gpu_hour = gpu_hour_price(stack, prices)
    hours = sum(figure.number for name, figure in outcome.items() if name.endswith(STALL))
    lost = sum(_lost(outcome))
    return Cost(
        complete=not unknown and gpu_hour is not None,
        unknown=unknown if gpu_hour is not None else (*unknown, "GPU hours"),
        currency=prices.currency,
        monthly=None if unknown else known,
        known_monthly=known,
        lines=tuple(line for part in parts for line in part.lines),
        years=prices.years,
        stall_gpu_hours_per_30d=hours,
        stall_cost_per_30d=None if gpu_hour is None else hours * gpu_hour,
        lost_gpu_hours_per_30d=lost,
        lost_cost_per_30d=None if gpu_hour is None else lost * gpu_hour,
    )


def gpu_hour_price(stack: Stack, prices: PriceList) -> float | None:
    """What one GPU costs an hour: as the stack says, else as the list knows it."""
    if stack.cluster.price is not None:
        return stack.cluster.price.per_gpu_hour
    found = prices.find(f"gpu.{stack.cluster.node}", "gpu.hour")
    return None if found is None else found.price


def _people(stack: Stack) -> Iterator[BillItem]:
    people = stack.operations.storage_engineers
    if people:
        yield BillItem(items=("staff.storage-engineer",), quantity=people, per="person-year")


def _lost(outcome: Mapping[str, Figure]) -> Iterator[float]:
    """GPU hours that each job loses; where only its stall is known, those."""
    for name, figure in outcome.items():
        if name.endswith(LOST) or (name.endswith(STALL) and name.removesuffix(STALL) + LOST not in outcome):
            yield figure.number
