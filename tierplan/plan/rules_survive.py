"""The rules of what a loss leaves: data, bandwidth, rebuild, quorum, durability."""

from __future__ import annotations

from tierplan.plan.rule import Rule, StackRule

RULES: tuple[Rule, ...] = ()
STACK_RULES: tuple[StackRule, ...] = ()
