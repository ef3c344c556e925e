"""What a loss leaves of a tier, how it is made anew, how likely data is lost, and what that costs the GPUs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.domain.fabric import FabricPlan
from tierplan.domain.figures import Figure
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import Stack
from tierplan.domain.survival import Failures, Survival
from tierplan.domain.tiers import TierPlan
from tierplan.survival.room import node_room

__all__ = ["Survivals", "node_room"]


class Survivals(Mapping[Tier, Survival]):
    """
    Survival of each tier that protects data itself, worked out when it is first asked for.

    Most plans of a search or a sweep are never asked.
    """

    def __init__(
        self,
        stack: Stack,
        requirement: Requirement,
        tiers: Mapping[Tier, TierPlan],
        failures: Failures,
        *,
        outcome: Mapping[str, Figure],
        fabric: FabricPlan | None,
    ) -> None:
        self._asked = stack, requirement, tiers, failures
        self._given = outcome, fabric
        self._found: dict[Tier, Survival] | None = None

    def _all(self) -> dict[Tier, Survival]:
        if self._found is None:
            self._found = self._work_out()
        return self._found

    def _work_out(self) -> dict[Tier, Survival]:
        from tierplan.survival.tiers import survival_of_all  # noqa: PLC0415  # a plan's cold start is short

        stack, requirement, tiers, failures = self._asked
        outcome, fabric = self._given
        return survival_of_all(stack, requirement, tiers, failures, outcome=outcome, fabric=fabric)

    def __getitem__(self, tier: Tier) -> Survival:
        return self._all()[tier]

    def __iter__(self) -> Iterator[Tier]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())
