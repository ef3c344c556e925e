"""The rules of the cold tier and of moving data between tiers."""

from __future__ import annotations

from tierplan.plan import rules_archive
from tierplan.plan.rule import Rule, StackRule

RULES: tuple[Rule, ...] = rules_archive.RULES
STACK_RULES: tuple[StackRule, ...] = rules_archive.STACK_RULES
