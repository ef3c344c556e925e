"""The rules of the local tier, its caches and the KV cache."""

from __future__ import annotations

from tierplan.plan.rule import Rule, StackRule

RULES: tuple[Rule, ...] = ()
STACK_RULES: tuple[StackRule, ...] = ()
