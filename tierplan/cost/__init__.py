"""Prices, stall, comparison: what a plan costs as far as prices are known; what is unknown stays unknown."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.domain.figures import Figure
from tierplan.domain.plan import Cost
from tierplan.domain.stack import Stack

STALL = ".checkpoint.stall_gpu_hours_per_30d"
UNPRICED = ("storage nodes", "drives", "switches", "licences", "power", "staff")


def stall_cost(stack: Stack, outcome: Mapping[str, Figure]) -> Cost:
    """
    GPU-hours that the checkpoints of every job stall in 30 days, and their price where one is given.

    No price of hardware or licence is known without a price list, so `monthly` stays empty and `complete` false.
    """
    hours = sum(figure.number for name, figure in outcome.items() if name.endswith(STALL))
    price = stack.cluster.price
    return Cost(
        complete=False,
        unknown=UNPRICED if price else (*UNPRICED, "GPU hours"),
        currency=stack.targets.budget.currency,
        monthly=None,
        stall_gpu_hours_per_30d=hours,
        stall_cost_per_30d=hours * price.per_gpu_hour if price else None,
    )
