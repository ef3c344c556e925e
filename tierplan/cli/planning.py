"""From what a user names to a judged plan: the reading that every verb begins with."""

from __future__ import annotations

from tierplan import load
from tierplan.domain.plan import Finding, Plan
from tierplan.plan import judge, make_plan


def planned(name: str) -> tuple[Plan, tuple[Finding, ...]]:
    """
    The plan of a stack name, a path or ``-``, with the prices that hold for it, and what is found against it.

    Raises:   InputError with one line for each fault
    """
    wanted = load.read_stack(name)
    made = make_plan(wanted, load.catalogue(), load.read_prices(wanted, name))
    return made, judge(made)
