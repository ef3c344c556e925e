"""The rules of moving data between tiers: legal days, classes in order, nothing archived that must be back soon."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan import lifecycle
from tierplan.domain.lifecycle import LifecyclePlan
from tierplan.domain.plan import Finding
from tierplan.lifecycle.rules import landing_class
from tierplan.plan.rule import COLD, PlanCase, Rule, StackRule, illegal, stack_rule, tier_rule


def order(case: PlanCase) -> Iterator[Finding]:
    """The life cycle, or the class that data lands in where no life cycle is stated, against the store's own table."""
    cold = case.tiers.get("cold")
    if cold is None:
        return
    plan = case.lifecycle or LifecyclePlan(store=cold.config.backend)
    classes = cold.delivered.classes
    landing = landing_class(cold.config.options, classes)
    for fault in lifecycle.faults(plan, case.stack, cold.need, classes, landing):
        yield Finding(
            policy="lifecycle-order",
            level="mandatory",
            tier="cold",
            required=fault.required,
            planned=fault.planned,
            unit=fault.unit,
            message=fault.message,
            remedy=fault.remedy,
        )


RULES: tuple[Rule, ...] = (
    tier_rule(
        "cold-quota", "high", "The account may move what is asked of the object store.", COLD, illegal("cold-quota")
    ),
)
STACK_RULES: tuple[StackRule, ...] = (
    stack_rule(
        "lifecycle-order",
        "mandatory",
        "critical",
        "Data moves in an order and at an age that the store allows, and nothing is archived that must be back soon.",
        order,
    ),
)
