"""The rules of the cold tier and of moving data between tiers."""

from __future__ import annotations

from tierplan.plan.rule import Rule, StackRule

RULES: tuple[Rule, ...] = ()
STACK_RULES: tuple[StackRule, ...] = ()
