"""A bill with prices: what is known a month, and what stays unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tierplan.domain.need import Tier
from tierplan.domain.plan import CostLine
from tierplan.domain.prices import HOURS_PER_MONTH, PriceList
from tierplan.domain.tiers import BillItem
from tierplan.errors import InputError

MONTHS = {"month": 1.0, "year": 1 / 12, "hour": HOURS_PER_MONTH, "day": HOURS_PER_MONTH / 24}


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """The lines with a price, and the things without one."""

    lines: tuple[CostLine, ...]
    unknown: tuple[str, ...]

    @property
    def monthly(self) -> float:
        """What the known lines come to."""
        return sum(line.monthly for line in self.lines)


def per_month(*, price: float, quantity: float, per: str, years: float) -> float:
    """
    What so many units come to in a month; what is bought is spread over the years of the price list.

    Formula:  price * quantity * months; months = 1 / (12 * years) where `per` names no time
    Assumes:  a month of 730 hours; no interest, no residual value
    Source:   definition (checked 2026-11-29)

    >>> round(per_month(price=60000, quantity=10, per="node", years=5))
    10000
    >>> round(per_month(price=0.145, quantity=100_000, per="GB-month", years=5))
    14500
    """
    time = per.rpartition("-")[2]
    return price * quantity * MONTHS.get(time, 1 / (12 * years))


def priced(bill: Iterable[BillItem], prices: PriceList, *, tier: Tier | None = None) -> Priced:
    """
    Each thing of a bill at its price.

    Raises:   InputError if a price is for another unit than is counted
    """
    lines, unknown = list[CostLine](), list[str]()
    for item in bill:
        if not item.quantity:
            continue
        found = prices.find(*item.items)
        if found is None:
            unknown.append(f"{item.items[0]} per {item.per}")
            continue
        if found.per != item.per:
            message = f"prices: {found.item}: per {found.per}; it is counted per {item.per}"
            raise InputError(message)
        monthly = per_month(price=found.price, quantity=item.quantity, per=item.per, years=prices.years)
        lines.append(
            CostLine(
                tier=tier,
                item=found.item,
                quantity=item.quantity,
                per=item.per,
                price=found.price,
                monthly=monthly,
                date=found.date,
                source=found.source,
                basis=found.basis,
            )
        )
    return Priced(lines=tuple(lines), unknown=tuple(dict.fromkeys(unknown)))
