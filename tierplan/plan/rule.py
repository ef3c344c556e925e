"""
What a rule is, and what it looks at: one tier, a whole plan, or the resources of a program.

Each room of rules (`rules_cloud`, `rules_fabric`, …) makes its rules of these; `rules` and `stack_rules` gather them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tierplan.domain.fabric import FabricPlan
from tierplan.domain.figures import Figure
from tierplan.domain.lifecycle import LifecyclePlan
from tierplan.domain.need import Requirement, Tier, TierNeed
from tierplan.domain.plan import Cost, Finding, Level
from tierplan.domain.stack import Stack
from tierplan.domain.survival import Survival
from tierplan.domain.tiers import Delivered, Rejection, TierConfig, TierPlan
from tierplan.units import Quantity

Severity: TypeAlias = Literal["low", "medium", "high", "critical"]
TOLERANCE = 1e-9  # float noise is no shortfall

LOCAL: tuple[Tier, ...] = ("local",)
HOT: tuple[Tier, ...] = ("hot",)
COLD: tuple[Tier, ...] = ("cold",)
SERVED: tuple[Tier, ...] = ("hot", "cold")
ANY: tuple[Tier, ...] = ("local", "hot", "cold")


@dataclass(frozen=True, slots=True, kw_only=True)
class TierCase:
    """One tier to judge; `factor` multiplies the requirement (policy configuration)."""

    need: TierNeed
    config: TierConfig
    delivered: Delivered
    factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its name is ``<scope>-<quantity>``; `tiers` says which tiers it judges."""

    name: str
    level: Level
    severity: Severity
    title: str
    tiers: tuple[Tier, ...]
    check: Callable[[TierCase], Iterator[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCase:
    """A whole plan to judge, or as much of it as is known."""

    stack: Stack
    requirement: Requirement
    tiers: Mapping[Tier, TierPlan]
    outcome: Mapping[str, Figure]
    rejections: tuple[Rejection, ...] = ()
    fabric: FabricPlan | None = None
    lifecycle: LifecyclePlan | None = None
    survival: Mapping[Tier, Survival] = field(default_factory=dict)
    cost: Cost | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StackRule:
    """One rule over a whole plan."""

    name: str
    level: Level
    severity: Severity
    title: str
    check: Callable[[PlanCase], Iterator[Finding]]
    from_requirement: bool = False  # the requirement alone answers it: no tier is looked at


class Unknown:
    """A property whose value is known only after the run."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "unknown"


UNKNOWN = Unknown()


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """A resource of a program as a policy sees it: wire names, `UNKNOWN` where a value is not known at preview."""

    token: str
    name: str
    urn: str
    inputs: Mapping[str, object]
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Property -> the URNs of the resources that its value comes from."""
    parent: str | None = None
    protected: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Spotted:
    """A finding against one resource of a program."""

    finding: Finding
    urn: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramRule:
    """
    One rule over all resources of a program, ours or not; applies where one of `tokens` is registered.

    With `alone` each resource of those tokens answers for itself, by its own inputs: then the rule is asked with that
    one resource (without links) before it is made, so that `pulumi up` stops in time.
    """

    name: str
    level: Level
    severity: Severity
    title: str
    tokens: tuple[str, ...]
    check: Callable[[tuple[Registered, ...]], Iterator[Spotted]]
    alone: bool = False


def level_of(name: str) -> Level:
    """``advisory`` for advice, by name; everything else is mandatory unless it says so."""
    return "advisory" if name.startswith("advice-") else "mandatory"


def tier_rule(
    name: str, severity: Severity, title: str, tiers: tuple[Tier, ...], check: Callable[[TierCase], Iterator[Finding]]
) -> Rule:
    """A rule over one tier."""
    return Rule(name=name, level=level_of(name), severity=severity, title=title, tiers=tiers, check=check)


def stack_rule(
    name: str,
    level: Level,
    severity: Severity,
    title: str,
    check: Callable[[PlanCase], Iterator[Finding]] | None = None,
) -> StackRule:
    """A rule over a whole plan; without a check it passes on what the demand side noticed under its name."""
    return StackRule(
        name=name,
        level=level,
        severity=severity,
        title=title,
        check=check or noticed(name),
        from_requirement=check is None,
    )


def illegal(policy: str) -> Callable[[TierCase], Iterator[Finding]]:
    """The rule that reports what a product forbids, under this policy's name."""

    def check(case: TierCase) -> Iterator[Finding]:
        for fault in case.delivered.illegal:
            if fault.policy == policy:
                yield Finding(
                    policy=policy,
                    level=level_of(policy),
                    tier=case.need.tier,
                    required=fault.required,
                    planned=fault.planned,
                    unit=fault.unit,
                    message=fault.message,
                    remedy=fault.remedy,
                )

    return check


def noticed(policy: str) -> Callable[[PlanCase], Iterator[Finding]]:
    """The rule that passes on what the demand side noticed under this name."""

    def check(case: PlanCase) -> Iterator[Finding]:
        for advice in case.requirement.advice:
            if advice.policy == policy:
                yield Finding(
                    policy=policy,
                    level=advice.level,
                    message=advice.message,
                    remedy=advice.remedy,
                    required=advice.required,
                    planned=advice.planned,
                    unit=advice.unit,
                )

    return check


def short(required: Quantity, planned: Quantity) -> bool:
    """Whether less is planned than required, float noise aside."""
    return planned.base < required.base * (1 - TOLERANCE)
