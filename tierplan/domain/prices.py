"""Prices: of one thing, in one unit, with date and source; what is not priced stays unknown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tierplan.domain.facts import Basis

HOURS_PER_MONTH = 730.0  # a year of 8,760 hours in twelve


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one unit of a thing costs: ``node.weka`` per node, ``drive.nvme`` per TB, ``licence.weka`` per TB-year."""

    item: str
    price: float
    per: str
    date: str
    source: str
    basis: Basis = "vendor"
    region: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceList:
    """Prices in one currency; capital is spread over `years`. Other currencies are never mixed in."""

    currency: str
    years: float = 5.0
    items: Mapping[str, Price] = field(default_factory=dict)
    name: str = ""

    def find(self, *items: str) -> Price | None:
        """The price of the first of these that has one."""
        return next((self.items[item] for item in items if item in self.items), None)


NO_PRICES = PriceList(currency="USD")
