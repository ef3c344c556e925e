"""Space: usable bytes as a function of the node count, and whole counts that never fail."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from tierplan.domain.tiers import NEVER, Factor, Layout, TierConfig
from tierplan.units import Quantity, Size, count_for

Q = TypeVar("Q", bound=Quantity)


def nodes_for(required: Q, per_node: Q) -> int:
    """
    As `units.count_for`, total: NEVER where one node gives nothing of what is required.

    >>> nodes_for(Size(1.0), Size(0.0)) == NEVER
    True
    """
    if required.base <= 0:
        return 0
    if per_node.base <= 0 or required.base > per_node.base * NEVER:
        return NEVER
    return count_for(required, per_node)


def smallest(fits: Callable[[int], bool]) -> int:
    """
    Smallest count that fits, if more never fits worse; NEVER if none does.

    >>> smallest(lambda count: count * count >= 50)
    8
    """
    high = 1
    while not fits(high):
        high *= 2
        if high > NEVER:
            return NEVER
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return high


class Space(Protocol):
    """Usable bytes as a function of the node count, and the steps that lead there."""

    def usable(self, nodes: int) -> Size:
        """Usable bytes of so many nodes, before planned fill."""

    def count(self, required: Size) -> int:
        """Smallest node count with so many usable bytes."""

    def waterfall(self, nodes: int) -> tuple[Factor, ...]:
        """Named steps; raw times all fractions is usable."""

    def limited(self, step: Factor) -> Space:
        """The same space with one more step at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvenSpace:
    """
    Each node brings the same; the worth of `kept_free` whole nodes is spare or kept for recovery.

    Formula:  usable = node_raw * (nodes - kept_free) * product of the steps
    Assumes:  identical nodes; a spare is subtracted here and in no step
    """

    node_raw: Size
    steps: tuple[Factor, ...]
    kept_free: int = 0
    kept_name: str = "hot spare"
    kept_basis: str = "layout"

    @property
    def node_usable(self) -> Size:
        """What one node beyond the kept ones adds."""
        return self.node_raw * math.prod(step.fraction for step in self.steps)

    def usable(self, nodes: int) -> Size:
        """Usable bytes of so many nodes, before planned fill."""
        return self.node_usable * max(0, nodes - self.kept_free)

    def count(self, required: Size) -> int:
        """Smallest node count with so many usable bytes."""
        return min(NEVER, nodes_for(required, self.node_usable) + (self.kept_free if required.base > 0 else 0))

    def waterfall(self, nodes: int) -> tuple[Factor, ...]:
        """The spare nodes first, then the steps."""
        if not self.kept_free:
            return self.steps
        fraction = max(0, nodes - self.kept_free) / nodes if nodes > 0 else 0.0
        name = f"{self.kept_name} ({self.kept_free} of {nodes} nodes)"
        return (Factor(name=name, fraction=fraction, basis=self.kept_basis), *self.steps)

    def limited(self, step: Factor) -> EvenSpace:
        """The same space with one more step at the end."""
        return replace(self, steps=(*self.steps, step))


@dataclass(frozen=True, slots=True, kw_only=True)
class SteppedSpace:
    """Space that a product's own function of the node count tells, which must not fall with more nodes."""

    node_raw: Size
    steps_at: Callable[[int], tuple[Factor, ...]]
    step: Factor | None = None

    def usable(self, nodes: int) -> Size:
        """Usable bytes of so many nodes, before planned fill."""
        return self.node_raw * nodes * math.prod(step.fraction for step in self.waterfall(nodes))

    def count(self, required: Size) -> int:
        """Smallest node count with so many usable bytes, by doubling and halving."""
        enough = required.base * (1 - 1e-9)  # as units.count_for: float noise buys nothing
        return smallest(lambda nodes: self.usable(nodes).base >= enough) if required.base > 0 else 0

    def waterfall(self, nodes: int) -> tuple[Factor, ...]:
        """The product's own steps."""
        return (*self.steps_at(nodes), *((self.step,) if self.step else ()))

    def limited(self, step: Factor) -> SteppedSpace:
        """The same space with one more step at the end."""
        return replace(self, step=step)


def code_step(layout: Layout) -> Factor:
    """The share of raw bytes that the layout leaves to data; nothing where the layout is none at all."""
    fraction = layout.efficiency if layout.width > 0 else 0.0
    return Factor(
        name=f"code {layout}" if layout.kind == "erasure-code" else str(layout),
        fraction=min(1.0, max(0.0, fraction)),
        basis="layout",
    )


def failure_domains(config: TierConfig) -> int:
    """Failure domains that the nodes make: themselves, their racks or their drives."""
    match config.layout.failure_domain:
        case "rack":
            return min(config.racks, config.nodes)
        case "drive":
            return config.nodes * config.node.drives
        case _:
            return config.nodes
