"""The rules of managed services, and of the raw resources of a cloud in anybody's program."""

from __future__ import annotations

from tierplan.plan.rule import ProgramRule, Rule, StackRule

RULES: tuple[Rule, ...] = ()
STACK_RULES: tuple[StackRule, ...] = ()
PROGRAM_RULES: tuple[ProgramRule, ...] = ()
