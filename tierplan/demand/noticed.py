"""What advice is made from: the stack, today's figures, and what the workloads ask."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from tierplan.demand.sheet import Asked
from tierplan.domain.figures import Figure
from tierplan.domain.need import Advice
from tierplan.domain.stack import Stack
from tierplan.units import Quantity

Q = TypeVar("Q", bound=Quantity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The stack with its requirement, as far as advice looks at it."""

    stack: Stack
    figures: Mapping[str, Figure]
    asked: Asked

    def quantity(self, figure_id: str, kind: type[Q]) -> Q | None:
        """A figure as the quantity it is; None where there is none."""
        figure = self.figures.get(figure_id)
        return kind(figure.number) if figure else None

    def number(self, figure_id: str) -> float | None:
        """A figure as a number; None where there is none."""
        figure = self.figures.get(figure_id)
        return figure.number if figure else None


def advisory(
    policy: str,
    message: str,
    remedy: str,
    *,
    required: float | None = None,
    planned: float | None = None,
    unit: str = "",
) -> Advice:
    """Something worth knowing."""
    return Advice(
        policy=policy, level="advisory", message=message, remedy=remedy, required=required, planned=planned, unit=unit
    )


def mandatory(policy: str, message: str, remedy: str, *, required: float, planned: float, unit: str) -> Advice:
    """A target that is missed whatever is planned."""
    return Advice(
        policy=policy, level="mandatory", message=message, remedy=remedy, required=required, planned=planned, unit=unit
    )
