"""The rules over the resources of anybody's program, gathered from their rooms."""

from __future__ import annotations

from tierplan.plan import (
    rules_bucket,
    rules_budget,
    rules_cloud,
    rules_cold,
    rules_fabric,
    rules_local,
    rules_survive,
    rules_transitions,
)
from tierplan.plan.rule import ProgramRule

ROOMS = (
    rules_local,
    rules_cold,
    rules_fabric,
    rules_survive,
    rules_cloud,
    rules_bucket,
    rules_transitions,
    rules_budget,
)

PROGRAM_RULES: tuple[ProgramRule, ...] = tuple(
    rule for room in ROOMS for rule in getattr(room, "PROGRAM_RULES", ()) if isinstance(rule, ProgramRule)
)
