"""Facts of the catalogue: a value, how it is known, from where and since when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from tierplan.domain.stack import StorageNode
from tierplan.domain.survival import Failures
from tierplan.errors import CatalogueError
from tierplan.units import Quantity

Basis: TypeAlias = Literal["measured", "vendor", "derived", "assumed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One figure with its source; `low` and `high` where sources disagree (planning uses the careful end)."""

    name: str
    value: float
    basis: Basis
    source: str
    checked: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    quantity: Quantity | None = None  # where the row has a unit of ours
    note: str = ""

    def __str__(self) -> str:
        shown = self.quantity.show() if self.quantity is not None else f"{self.value:g}"
        return f"{self.name} {shown} ({self.basis}: {self.source})"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendFacts:
    """The catalogue file of one backend."""

    id: str
    name: str
    fills: tuple[str, ...]
    summary: str
    sites: tuple[str, ...] = ("on-prem",)
    """Kinds of site where it is planned."""
    suits: Mapping[str, object] = field(default_factory=dict)
    figures: Mapping[str, Fact]
    nodes: Mapping[str, StorageNode]
    """Storage nodes to try where the stack pins none: name -> node."""
    node_facts: Mapping[str, Fact]
    """Where each of those nodes comes from."""

    def fact(self, name: str) -> Fact:
        """
        The fact of this name.

        Raises:   CatalogueError if the file has none: a figure is never invented
        """
        try:
            return self.figures[name]
        except KeyError:
            message = f"catalogue/backends/{self.id}.yaml: no figure {name!r}"
            raise CatalogueError(message) from None

    def __getitem__(self, name: str) -> float:
        return self.fact(name).value

    def assumptions(self, *names: str) -> tuple[str, ...]:
        """The facts of these names that nobody measured, as lines for the plan."""
        return tuple(f"{self.id} {fact}" for name in names if (fact := self.fact(name)).basis != "measured")


class Catalogue(Protocol):
    """Where facts are looked up; `load.catalogue()` is the one that reads the package's files."""

    def backend(self, backend_id: str) -> BackendFacts:
        """The facts of one backend; CatalogueError if there are none."""

    def failures(self) -> Failures:
        """How often things break, and how long repair takes."""

    def ids(self, tier: str, site: str = "on-prem") -> tuple[str, ...]:
        """The backends that can fill this tier at this kind of site and that this release plans."""

    def figures(self, table: str) -> Mapping[str, Fact]:
        """The figures of a file that belongs to no product: ``fabric``; CatalogueError if there is none."""
