"""The rules of the fabric between drives and GPUs."""

from __future__ import annotations

from tierplan.plan.rule import StackRule

STACK_RULES: tuple[StackRule, ...] = ()
