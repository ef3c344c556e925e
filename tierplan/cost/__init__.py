"""Prices, stall, comparison: what a plan costs as far as prices are known; what is unknown stays unknown."""

from tierplan.cost.bill import tier_bill
from tierplan.cost.priced import Priced, per_month, priced
from tierplan.cost.total import plan_cost

__all__ = ["Priced", "per_month", "plan_cost", "priced", "tier_bill"]
