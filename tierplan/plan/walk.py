"""
``resolve`` settles what the stack leaves open, ``evaluate`` says what the settled stack gives, ``judge`` finds what
is missed.  All three are pure; resolving twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tierplan import backends, demand
from tierplan.cost import plan_cost
from tierplan.domain.facts import Catalogue
from tierplan.domain.need import TIERS, Requirement, Tier
from tierplan.domain.plan import Finding, Plan
from tierplan.domain.prices import PriceList
from tierplan.domain.stack import Stack
from tierplan.domain.tiers import TierPlan
from tierplan.fabric import fabric_plan, limited_tiers
from tierplan.lifecycle import lifecycle_plan
from tierplan.plan.path import path_choice
from tierplan.plan.rule import PlanCase, TierCase
from tierplan.plan.rules import judge_tier
from tierplan.plan.search import ALWAYS_REJECTED, TierSearch, configs, deliver, pins_of, search_tier, tier_pins
from tierplan.plan.stack_rules import judge_stack
from tierplan.survival import Survivals


def resolve(stack: Stack, catalogue: Catalogue, prices: PriceList | None = None) -> Stack:
    """The same stack with every `auto` and every missing choice settled; what cannot be settled stays open."""
    requirement = demand.requirement(stack)
    return _settled(stack, requirement, _search(stack, requirement, catalogue, prices))


def evaluate(stack: Stack, catalogue: Catalogue, prices: PriceList | None = None) -> Plan:
    """What a resolved stack gives: requirement, tiers, outcome. A tier that is left open is absent."""
    requirement = demand.requirement(stack)
    tiers = {tier: plan for tier in TIERS if (plan := _pinned_tier(tier, stack, requirement, catalogue)) is not None}
    return whole_plan(stack, requirement, tiers, prices, catalogue)


def make_plan(stack: Stack, catalogue: Catalogue, prices: PriceList | None = None) -> Plan:
    """Resolve and evaluate in one, with everything that the search saw."""
    requirement = demand.requirement(stack)
    searches = _search(stack, requirement, catalogue, prices)
    settled = _settled(stack, requirement, searches)
    if settled.workloads != stack.workloads:
        requirement = demand.requirement(settled)
    tiers = {
        tier: found.chosen
        if found.chosen.need == requirement.needs[tier]
        else deliver(found.chosen.config, requirement.needs[tier], catalogue)
        for tier, found in searches.items()
        if found.chosen is not None
    }
    plan = whole_plan(settled, requirement, tiers, prices, catalogue)
    candidates = tuple(candidate for found in searches.values() for candidate in found.candidates)
    rejections = tuple(rejection for found in searches.values() for rejection in found.rejections)
    choice, disagreement = path_choice(stack, plan, candidates=candidates, rejections=rejections)
    return replace(
        plan,
        candidates=candidates,
        rejections=rejections,
        path_choice=choice,
        path_disagreement=disagreement,
    )


def judge(plan: Plan) -> tuple[Finding, ...]:
    """Every target that the plan misses (mandatory) and everything worth knowing (advisory)."""
    findings = [
        finding
        for tier in TIERS
        if (chosen := plan.tiers.get(tier)) is not None
        for finding in judge_tier(TierCase(need=chosen.need, config=chosen.config, delivered=chosen.delivered))
    ]
    findings.extend(judge_stack(case_of(plan)))
    return tuple(sorted(findings, key=lambda finding: finding.level != "mandatory"))


def case_of(plan: Plan) -> PlanCase:
    """The plan as the rules over a whole plan look at it."""
    return PlanCase(
        stack=plan.stack,
        requirement=plan.requirement,
        tiers=plan.tiers,
        outcome=plan.outcome,
        rejections=plan.rejections,
        fabric=plan.fabric,
        lifecycle=plan.lifecycle,
        survival=plan.survival,
        cost=plan.cost,
    )


def verdict(findings: tuple[Finding, ...]) -> str:
    """``refused`` if any finding is mandatory, else ``pass``."""
    return "refused" if any(finding.level == "mandatory" for finding in findings) else "pass"


def _search(
    stack: Stack, requirement: Requirement, catalogue: Catalogue, prices: PriceList | None
) -> Mapping[Tier, TierSearch]:
    return {
        tier: search_tier(tier, stack=stack, need=requirement.needs[tier], catalogue=catalogue, prices=prices)
        for tier in TIERS
        if tier in requirement.needs
    }


def _settled(stack: Stack, requirement: Requirement, searches: Mapping[Tier, TierSearch]) -> Stack:
    """The stack with the choices of the search as pins and each `auto` interval as a duration."""
    tiers = stack.tiers
    hot = searches["hot"].chosen if "hot" in searches else None
    cold = searches["cold"].chosen if "cold" in searches else None
    local = searches["local"].chosen if "local" in searches else None
    settled = replace(
        tiers,
        local=replace(tiers.local, measured=local.config.measured) if local else tiers.local,
        hot=pins_of(hot.config) if hot else tiers.hot,
        cold=pins_of(cold.config) if cold else tiers.cold,
    )
    known = replace(demand.settled(stack, requirement), tiers=settled)
    if all(found.chosen is not None for found in searches.values()):  # what was measured now stands with the choices
        return replace(known, calibration=None, calibrated=())
    return known


def _pinned_tier(tier: Tier, stack: Stack, requirement: Requirement, catalogue: Catalogue) -> TierPlan | None:
    pins = tier_pins(stack, tier)
    need = requirement.needs.get(tier)
    if need is None or pins.backend in ("none", "auto", *ALWAYS_REJECTED):
        return None
    config = next(configs(pins, stack=stack, need=need, catalogue=catalogue), None)
    return deliver(config, need, catalogue) if config else None


def whole_plan(
    stack: Stack,
    requirement: Requirement,
    tiers: Mapping[Tier, TierPlan],
    prices: PriceList | None = None,
    catalogue: Catalogue | None = None,
) -> Plan:
    """
    Everything that follows from the tiers as chosen: what they give together, and what that costs.

    Without a catalogue there is no fabric and no survival: what it carries and how often it breaks is not known.
    """
    fabric = None if catalogue is None else fabric_plan(stack, requirement, tiers, catalogue.figures("fabric"))
    outcome = demand.outcome(stack, requirement, limited_tiers(tiers, fabric))
    assumptions = dict.fromkeys(line for tier in tiers.values() for line in tier.delivered.assumptions)
    assumptions |= dict.fromkeys(fabric.assumptions if fabric else ())
    hot = tiers.get("hot")
    facts = None if catalogue is None else catalogue.failures()
    kept = [tier.config.node.medium for tier in tiers.values() if tier.delivered.protection is not None]
    assumptions |= dict.fromkeys(facts.relied_on(kept) if facts and kept else ())
    survival = Survivals(stack, requirement, tiers, facts, outcome=outcome, fabric=fabric) if facts else {}
    return Plan(
        stack=stack,
        requirement=requirement,
        tiers=tiers,
        lifecycle=lifecycle_plan(stack, requirement, tiers, backends.downward(hot.config) if hot else None),
        outcome=outcome,
        assumptions=(*_defaults(stack), *assumptions),
        cost=plan_cost(stack, outcome, tiers, prices or PriceList(currency=stack.targets.budget.currency)),
        fabric=fabric,
        survival=survival,
    )


def _defaults(stack: Stack) -> tuple[str, ...]:
    """The defaults that the stack relies on, as lines."""
    return tuple(f"default {path}" for path, origin in sorted(stack.origins.items()) if origin.startswith("default"))
