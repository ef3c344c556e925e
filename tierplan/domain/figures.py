"""
Figures with their trail: every number of a plan can be walked back to the stack, a fact or a default.

A formula is a plain function with a docstring (``Formula:``, ``Source:``).  `Ledger.figure` calls it
with `Known` inputs and writes down what was put in, so that arithmetic and trail cannot disagree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Generic, TypeAlias, TypeVar

from tierplan.units import Quantity

Value: TypeAlias = Quantity | float | int | str | bool
T = TypeVar("T", bound=Value, covariant=True)
R = TypeVar("R", bound=Value)


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    """
    A value and where it comes from.

    `origin` is one of ``stack <key path>``, ``default <key path>``, ``catalogue <row>``,
    ``figure <id>``, ``plan <path>`` (a figure of the plan's own tiers) or ``constant``.
    """

    value: T
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """One input of a formula, by the name that the formula gives it."""

    name: str
    value: Value
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One computed number: its id names workload, load and quantity with base unit."""

    id: str
    value: Quantity | float | int
    computed_by: Callable[..., object]
    given: Mapping[str, Known[Value]]

    @property
    def formula(self) -> str:
        """The formula, in the names of its inputs."""
        return formula_words(self.computed_by)["Formula"]

    @property
    def source(self) -> str:
        """Where the formula comes from."""
        return formula_words(self.computed_by)["Source"]

    @property
    def assumes(self) -> str:
        """What must hold for the formula to be right."""
        return formula_words(self.computed_by)["Assumes"]

    @property
    def inputs(self) -> tuple[Input, ...]:
        """What was put in, and where each input comes from."""
        return tuple(Input(name=name, value=known.value, origin=known.origin) for name, known in self.given.items())

    @property
    def number(self) -> float:
        """The value in its base unit."""
        return base_number(self.value)


@dataclass(slots=True)
class Ledger:
    """Where figures are written down while they are computed."""

    figures: dict[str, Figure] = field(default_factory=dict)

    def figure(self, figure_id: str, formula: Callable[..., R], /, **inputs: Known[Value]) -> Known[R]:
        """
        Call `formula` with the values of `inputs` and keep the result with its trail.

        A `Known` result can be the input of the next formula: its origin is ``figure <id>``.
        """
        value = formula(**{name: known.value for name, known in inputs.items()})
        if isinstance(value, str):
            message = f"{figure_id}: a figure is a number, not {value!r}"
            raise TypeError(message)
        self.figures[figure_id] = Figure(id=figure_id, value=value, computed_by=formula, given=inputs)
        return Known(value, f"figure {figure_id}")

    def __iter__(self) -> Iterator[Figure]:
        return iter(self.figures.values())


@cache
def formula_words(formula: Callable[..., object]) -> Mapping[str, str]:
    """The ``Formula:``, ``Assumes:`` and ``Source:`` lines of a docstring, with their indented continuation."""
    found = {"Formula": "", "Assumes": "", "Source": ""}
    current = ""
    for line in (formula.__doc__ or "").splitlines():
        match = re.match(r"\s*(Formula|Assumes|Source|Raises|Where):\s*(.*)", line)
        if match:
            current = match[1]
            if current in found:
                found[current] = match[2].strip()
        elif not line.strip():
            current = ""
        elif current in found:
            found[current] += " " + line.strip()
    return found


def base_number(value: Value) -> float:
    """A quantity in its base unit; a number as it is."""
    if isinstance(value, Quantity):
        return value.base
    if isinstance(value, str):
        message = f"{value!r} is no number"
        raise TypeError(message)
    return value
