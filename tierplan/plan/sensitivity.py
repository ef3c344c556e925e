"""What the next unit buys: one storage node more, or the next size that a service sells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tierplan.cost import priced, tier_bill
from tierplan.domain.facts import Catalogue
from tierplan.domain.need import Tier
from tierplan.domain.plan import Plan
from tierplan.domain.prices import PriceList
from tierplan.domain.tiers import TierPlan
from tierplan.plan.search import deliver
from tierplan.units import Bandwidth, OpRate, Size


@dataclass(frozen=True, slots=True, kw_only=True)
class NextUnit:
    """What one more of it adds; `monthly` where every price of the tier is known."""

    tier: Tier
    unit: str
    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate
    capacity: Size
    monthly: float | None

    def __str__(self) -> str:
        gains = [
            f"{name} {value.show()}"
            for name, value in (
                ("read", self.read),
                ("write", self.write),
                ("op rate", self.op_rate),
                ("capacity at planned fill", self.capacity),
            )
            if value.base > 0
        ]
        price = "" if self.monthly is None else f" for {self.monthly:,.0f} a month"
        return f"{self.unit} adds {', '.join(gains) or 'nothing'}{price}"


def next_units(plan: Plan, catalogue: Catalogue, prices: PriceList | None = None) -> tuple[NextUnit, ...]:
    """For each tier of storage nodes what the next node adds; the local tier grows with the GPU nodes."""
    return tuple(_units(plan, catalogue, prices))


def _units(plan: Plan, catalogue: Catalogue, prices: PriceList | None) -> Iterator[NextUnit]:
    for tier, now in plan.tiers.items():
        if tier == "local" or now.delivered.cloud is not None:
            continue
        then = deliver(replace(now.config, nodes=now.config.nodes + 1), now.need, catalogue)
        before, after = now.delivered.healthy, then.delivered.healthy
        yield NextUnit(
            tier=tier,
            unit=f"one more {now.config.backend} node",
            read=Bandwidth(max(0.0, after.read.base - before.read.base)),
            write=Bandwidth(max(0.0, after.write.base - before.write.base)),
            op_rate=OpRate(max(0.0, after.op_rate.base - before.op_rate.base)),
            capacity=Size(max(0.0, then.delivered.planned.base - now.delivered.planned.base)),
            monthly=_dearer(now, then, prices),
        )


def _dearer(now: TierPlan, then: TierPlan, prices: PriceList | None) -> float | None:
    if prices is None or not prices.items:
        return None
    before, after = (priced(tier_bill(one.config, one.delivered), prices) for one in (now, then))
    return None if before.unknown or after.unknown else after.monthly - before.monthly
