"""The rules of money."""

from __future__ import annotations

from tierplan.plan.rule import StackRule

STACK_RULES: tuple[StackRule, ...] = ()
