"""The titles of the rules, which the catalogues translate: what a rule asks, in one sentence."""

from __future__ import annotations

from functools import cache

from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES


@cache
def titles() -> dict[str, str]:
    """Rule -> its title."""
    return {rule.name: rule.title for rule in RULES} | {rule.name: rule.title for rule in STACK_RULES}


def title_of(rule: str) -> str:
    """The title of a rule; empty where there is no such rule."""
    return titles().get(rule, "")
