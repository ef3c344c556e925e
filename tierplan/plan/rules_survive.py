"""The rules of what a loss leaves: quorum, room and time to rebuild, and the chance that data is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tierplan.domain.need import Tier, TierNeed
from tierplan.domain.plan import Finding
from tierplan.domain.survival import Rebuild, Risk
from tierplan.domain.tiers import TierPlan
from tierplan.plan.rule import SERVED, TOLERANCE, PlanCase, Rule, StackRule, TierCase, stack_rule, tier_rule
from tierplan.survival import node_room
from tierplan.survival.services import services, too_many

MOST_FURTHER = 0.1  # further drive failures that may be expected while one node is rebuilt: tierplan's own choice
REMEDIES = {
    "drives": "another parity unit or copy, or faster rebuilds (more drives or ports)",
    "unreadable": "another parity unit or copy, or drives with fewer unreadable sectors",
    "nodes": "a layout that bears more nodes, and room to rebuild a lost one",
    "racks": "more racks, or failure_domain: rack, so that no rack holds more than the layout bears",
}


def quorum(case: TierCase) -> Iterator[Finding]:
    """Every service keeps its quorum through the losses that the stack wants survived."""
    wanted, lost = case.need.survive, case.delivered.degraded
    if any(one.data_lost for one in lost if (one.nodes, one.racks) == (wanted.nodes, wanted.racks)):
        return  # that is said already, and worse
    for service in services(case.config, case.delivered):
        if too_many(service, nodes=wanted.nodes, racks=wanted.racks):
            taken = min(service.members, wanted.nodes + wanted.racks * service.in_a_rack)
            yield Finding(
                policy="survive-quorum",
                level="mandatory",
                tier=case.need.tier,
                required=taken,
                planned=service.tolerated,
                unit="count",
                message=f"{case.need.tier}: the losses to be survived take {taken} of {service.members} "
                f"{service.name}; {service.tolerated} may be lost",
                remedy=f"more {service.name}, spread over more racks",
            )


def rebuild(case: PlanCase) -> Iterator[Finding]:
    """A lost node can be made anew in what is left, and soon enough."""
    timed = case.stack.targets.annual_loss_probability is not None
    for tier, plan in case.tiers.items():
        if tier not in SERVED:
            continue
        room, reason = node_room(plan)
        if not room:
            yield _no_room(plan, reason)
        elif timed and tier in case.survival:
            yield from _too_slow(plan, case.survival[tier].rebuild("node"), case.survival[tier].risk)


def _no_room(plan: TierPlan, reason: str) -> Finding:
    tier, kept = plan.need.tier, plan.delivered.protection
    return Finding(
        policy="survive-rebuild",
        level="advisory",
        tier=tier,
        required=None if kept is None else kept.domains_needed + 1,
        planned=None if kept is None else kept.domains,
        unit="count",
        message=f"{tier}: with one node lost, {reason}; redundancy stays reduced until the node is replaced",
        remedy="one more node or hot spare, a narrower stripe, or a spare node on the shelf",
    )


def _too_slow(plan: TierPlan, made: Rebuild | None, risk: Risk) -> Iterator[Finding]:
    """While a node is rebuilt, hardly another drive should fail."""
    if made is None or risk.failures_per_s <= 0:
        return
    further = risk.failures_per_s * made.exposed.s
    if further > MOST_FURTHER:
        yield Finding(
            policy="survive-rebuild",
            level="advisory",
            tier=plan.need.tier,
            required=MOST_FURTHER,
            planned=further,
            unit="count",
            message=f"{plan.need.tier}: a lost node is made anew in {made.exposed.show()}; {further:.2g} further drive "
            "failures are expected meanwhile",
            remedy="more or faster drives and ports, smaller nodes, or a larger share for rebuilds",
        )


def durability_of(tier: Tier) -> Callable[[PlanCase], Iterator[Finding]]:
    """The rule that the chance of losing data of a tier within a year is at most what the stack allows."""

    def check(case: PlanCase) -> Iterator[Finding]:
        plan = case.tiers.get(tier)
        if case.stack.targets.annual_loss_probability is not None and plan is not None and tier in case.survival:
            yield from lost_too_likely(plan.need, case.survival[tier].risk)

    return check


def lost_too_likely(need: TierNeed, risk: Risk) -> Iterator[Finding]:
    """The finding against a tier whose chance of loss is above the target that its need states."""
    allowed = need.annual_loss_probability
    if allowed is None or risk.total <= allowed * (1 + TOLERANCE):
        return
    from tierplan.layout.loss import shown_bound  # noqa: PLC0415  # only where there is something to say

    cause, words = risk.largest
    yield Finding(
        policy="cold-durability" if need.tier == "cold" else "survive-durability",
        level="mandatory",
        tier=need.tier,
        required=allowed,
        planned=risk.total,
        unit="fraction",
        message=f"{need.tier}: the chance of losing data within a year is bounded by {shown_bound(risk.total)[2:]}, "
        f"{allowed:.1g} is allowed; most of it by {words}",
        remedy=REMEDIES[cause],
    )


RULES: tuple[Rule, ...] = (
    tier_rule("survive-quorum", "high", "Every service keeps its quorum through the losses.", SERVED, quorum),
)
STACK_RULES: tuple[StackRule, ...] = (
    stack_rule("survive-rebuild", "advisory", "medium", "A lost node can be made anew, and soon enough.", rebuild),
    stack_rule(
        "survive-durability",
        "mandatory",
        "high",
        "Data of the hot tier is hardly lost within a year: as the target says.",
        durability_of("hot"),
    ),
)
