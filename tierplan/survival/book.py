"""One tier as survival looks at it: its plan, its protection, the facts of failure, and where figures are written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from tierplan.domain.fabric import LeafGroup
from tierplan.domain.figures import Known, Ledger, Value
from tierplan.domain.stack import StorageNode
from tierplan.domain.survival import DriveFailures, Failures
from tierplan.domain.tiers import Protection, TierConfig, TierPlan
from tierplan.layout import placement
from tierplan.units import Bandwidth

R = TypeVar("R", bound=Value)


@dataclass(frozen=True, kw_only=True)
class Book:
    """A protected tier, with everything that its figures are worked out from."""

    plan: TierPlan
    kept: Protection
    failures: Failures
    ledger: Ledger
    leafs: LeafGroup | None = None
    """The leaf switches that its nodes hang on, where they are planned."""

    @property
    def config(self) -> TierConfig:
        """The choices."""
        return self.plan.config

    @property
    def node(self) -> StorageNode:
        """One storage node."""
        return self.plan.config.node

    @property
    def tier(self) -> str:
        """The name of the tier."""
        return self.plan.need.tier

    @cached_property
    def medium(self) -> str:
        """The kind of drive, as the table of failures calls it."""
        return self.node.medium if self.node.medium in self.failures.media else "nvme"

    @cached_property
    def drive(self) -> DriveFailures:
        """How the drives fail."""
        return self.failures.media[self.medium]

    @cached_property
    def drives(self) -> int:
        """Drives of the whole tier."""
        return self.config.nodes * self.node.drives

    @cached_property
    def racks(self) -> int:
        """Racks that the nodes stand in."""
        return max(1, min(self.config.racks, self.config.nodes))

    @cached_property
    def nodes_in_a_rack(self) -> int:
        """Nodes of the fullest rack."""
        return placement.nodes_per_rack(nodes=self.config.nodes, racks=self.racks)

    @cached_property
    def nodes_tolerated(self) -> int:
        """Nodes that may be lost at once without losing data."""
        if self.config.layout.failure_domain == "drive" and not self.kept.keeps_on_loss:
            return self.kept.tolerated // max(1, self.node.drives)
        return self.kept.tolerated

    @property
    def works(self) -> bool:
        """Whether the nodes can read and write at all: else nothing is rebuilt."""
        node, zero = self.node, Bandwidth.zero()
        return min(node.drive.read, node.drive.write, node.network) > zero

    def figure(self, quantity: str, formula: Callable[..., R], /, **inputs: Known[Value]) -> Known[R]:
        """Work out one figure of this tier and write it down."""
        return self.ledger.figure(f"{self.tier}.survival.{quantity}", formula, **inputs)

    def chosen(self, value: R, path: str) -> Known[R]:
        """A value of the tier's own choices."""
        return Known(value, f"plan tiers.{self.tier}.{path}")

    def fact(self, value: R, row: str) -> Known[R]:
        """A value of the table of failures."""
        return Known(value, f"catalogue failures/{row}")
