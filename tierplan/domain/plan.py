"""The plan: requirement, three tiers, outcome, findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tierplan.domain.fabric import FabricPlan
from tierplan.domain.figures import Figure
from tierplan.domain.lifecycle import LifecyclePlan
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import Stack
from tierplan.domain.survival import Survival
from tierplan.domain.tiers import Candidate, Rejection, TierPlan

Level: TypeAlias = Literal["mandatory", "advisory"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A target that is missed (mandatory), or something worth knowing (advisory), with both figures."""

    policy: str
    level: Level
    message: str
    remedy: str = ""
    required: float | None = None
    planned: float | None = None
    unit: str = ""
    tier: Tier | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One thing that is paid for: so many of it, at this price, in a month."""

    tier: Tier | None
    item: str
    quantity: float
    per: str
    price: float
    monthly: float
    date: str
    source: str
    basis: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """
    What it costs as far as prices are known.

    `monthly` is the storage's: capital spread over the list's years, and what is paid each month.  It is None as long
    as anything is unknown; `known_monthly` adds up what is known and is no total.  GPU hours are lost to stall, to
    lost work and restarts; they are no part of `monthly`.
    """

    complete: bool
    unknown: tuple[str, ...]
    currency: str
    monthly: float | None
    stall_gpu_hours_per_30d: float
    stall_cost_per_30d: float | None = None
    known_monthly: float = 0.0
    lines: tuple[CostLine, ...] = ()
    years: float = 0.0
    lost_gpu_hours_per_30d: float = 0.0
    lost_cost_per_30d: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Where arithmetic and decision path part: what is planned, what the path names, and the figures that say why."""

    chosen: str
    named: tuple[str, ...]
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.chosen} is planned, the path names {', '.join(self.named)}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What `evaluate` makes of a resolved stack. A tier that could not be planned is absent from `tiers`."""

    stack: Stack
    requirement: Requirement
    tiers: Mapping[Tier, TierPlan]
    outcome: Mapping[str, Figure]
    candidates: tuple[Candidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()
    path_choice: str = ""
    path_disagreement: Disagreement | None = None
    assumptions: tuple[str, ...] = ()
    cost: Cost
    fabric: FabricPlan | None = None
    lifecycle: LifecyclePlan | None = None
    survival: Mapping[Tier, Survival] = field(default_factory=dict)
    notes: tuple[str, ...] = field(default_factory=tuple)

    @property
    def given(self) -> Mapping[str, Figure]:
        """Every figure of what the plan gives: the outcome, and what a loss leaves of the tiers."""
        lost = {name: figure for one in self.survival.values() for name, figure in one.figures.items()}
        return {**self.outcome, **lost}
