"""The catalogue: facts about products, GPU nodes, models, profiles and failures, read as asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar, cast

from tierplan.codec import decode
from tierplan.domain.facts import BackendFacts, Basis, Fact
from tierplan.domain.stack import StorageNode
from tierplan.domain.survival import DriveFailures, Failures, Outages, RepairTimes
from tierplan.errors import CatalogueError, InputError
from tierplan.load.document import UnreadableError, read_document
from tierplan.units import QUANTITIES, Quantity

_FOLDER = Path(__file__).parent.parent / "catalogue"
_ABOUT = ("basis", "source", "checked", "note")
_NODE_KEYS = ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")

Table: TypeAlias = Literal["nodes", "models", "profiles", "training_states", "references", "failures"]
TABLES: tuple[Table, ...] = ("nodes", "models", "profiles", "training_states", "references", "failures")
_Map = Mapping[str, object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of a table: values as the stack form spells them, and each value as a fact with its own source."""

    id: str
    title: str
    values: Mapping[str, object]
    facts: Mapping[str, Fact]


class FileCatalogue:
    """The `Catalogue` of the package's YAML files; each is read once, when it is first asked for."""

    def __init__(self, folder: Path = _FOLDER) -> None:
        self._folder = folder
        self._backends: dict[str, BackendFacts] = {}
        self._heads: dict[str, str] = {}
        self._known: tuple[str, ...] = ()
        self._ids: dict[tuple[str, str], tuple[str, ...]] = {}
        self._tables: dict[str, Mapping[str, Row]] = {}
        self._failures: Failures | None = None
        self._figures: dict[str, Mapping[str, Fact]] = {}

    def known(self) -> tuple[str, ...]:
        """Every backend that this release plans, whatever tier it fills."""
        if not self._known:
            self._known = tuple(sorted(path.stem for path in (self._folder / "backends").glob("*.yaml")))
        return self._known

    def ids(self, tier: str, site: str = "on-prem") -> tuple[str, ...]:
        """The backends that can fill this tier at this kind of site and that this release plans."""
        if (tier, site) not in self._ids:
            self._ids[tier, site] = tuple(
                one
                for one in self.known()
                if tier in self._listed(one, "fills", ()) and site in self._listed(one, "sites", ("on-prem",))
            )
        return self._ids[tier, site]

    def backend(self, backend_id: str) -> BackendFacts:
        """
        The facts of one backend.

        Raises:   CatalogueError if there is no file for it, or the file cannot be understood
        """
        if backend_id not in self._backends:
            path = self._folder / "backends" / f"{backend_id}.yaml"
            if not re.fullmatch(r"[a-z0-9-]+", backend_id) or not path.is_file():
                message = f"catalogue/backends: no backend {backend_id!r}; there are {', '.join(self.known())}"
                raise CatalogueError(message)
            self._backends[backend_id] = _backend(backend_id, _read(path))
        return self._backends[backend_id]

    def rows(self, table: Table) -> Mapping[str, Row]:
        """All rows of a table."""
        if table not in self._tables:
            content = _read(self._folder / f"{table}.yaml")
            self._tables[table] = {key: _row(key, cast("_Map", value)) for key, value in content.items()}
        return self._tables[table]

    def failures(self) -> Failures:
        """How often things break, and how long repair takes."""
        if self._failures is None:
            self._failures = failures_of(self.rows("failures"))
        return self._failures

    def row(self, table: Table, row_id: str) -> Row | None:
        """One row, or None."""
        return self.rows(table).get(row_id)

    def figures(self, table: str) -> Mapping[str, Fact]:
        """
        The figures of a file that belongs to no product: ``fabric``.

        Raises:   CatalogueError if there is no such file, or it cannot be understood
        """
        if table not in self._figures:
            path = self._folder / f"{table}.yaml"
            try:
                rows = cast("Mapping[str, _Map]", _read(path)["figures"])
                self._figures[table] = {name: _fact(name, row) for name, row in rows.items()}
            except (KeyError, TypeError, AttributeError) as fault:
                message = f"catalogue/{table}.yaml: not a list of figures ({fault})"
                raise CatalogueError(message) from None
        return self._figures[table]

    def fact(self, origin: str) -> Fact | None:
        """
        The fact behind an origin's row and a key: ``catalogue nodes/dgx-h100`` + ``host_memory``.

        Asked as ``nodes/dgx-h100/host_memory``; None if there is no such fact.
        """
        table, _, rest = origin.removeprefix("catalogue ").partition("/")
        row_id, _, name = rest.partition("/")
        row = self.row(table, row_id) if table in TABLES else None
        return row.facts.get(name) if row else None

    def _listed(self, backend_id: str, key: str, otherwise: tuple[str, ...]) -> tuple[str, ...]:
        """A list at the head of a backend's file, without parsing the whole of it."""
        if backend_id not in self._heads:
            self._heads[backend_id] = (self._folder / "backends" / f"{backend_id}.yaml").read_text(encoding="utf-8")
        match = re.search(rf"^{key}:\s*\[([^\]]*)\]", self._heads[backend_id], re.MULTILINE)
        return tuple(word.strip() for word in match[1].split(",")) if match else otherwise


def failures_of(rows: Mapping[str, Row]) -> Failures:
    """The table of failures as nouns; what nobody measured becomes a line of assumptions, by row."""

    def noun(kind: type[T], row: str) -> T:
        return decode(kind, rows[row].values, "form", f"failures/{row}")

    try:
        media = {name: noun(DriveFailures, name) for name in ("nvme", "ssd", "hdd")}
        return Failures(
            media=media,
            node=noun(Outages, "node"),
            rack=noun(Outages, "rack"),
            repair=noun(RepairTimes, "repair"),
            assumptions={
                name: tuple(f"failures {name} {fact}" for fact in row.facts.values() if fact.basis != "measured")
                for name, row in rows.items()
            },
        )
    except (KeyError, InputError) as fault:
        message = f"catalogue/failures.yaml: not of the form of failures ({fault})"
        raise CatalogueError(message) from None


@cache
def catalogue() -> FileCatalogue:
    """The package's own catalogue."""
    return FileCatalogue()


def quantity(text: str) -> Quantity:
    """
    A quantity of whatever kind its unit says.

    Raises:   CatalogueError if no kind has this unit
    """
    unit = text.rpartition(" ")[2]
    for kind in QUANTITIES:
        if unit in kind.UNITS:
            try:
                return kind.parse(text)
            except ValueError as fault:
                raise CatalogueError(str(fault)) from None
    message = f"catalogue: {text!r} has no unit of ours"
    raise CatalogueError(message)


def _read(path: Path) -> _Map:
    where = f"catalogue/{path.name}" if path.parent == _FOLDER else f"catalogue/backends/{path.name}"
    try:
        document = read_document(path.read_text(encoding="utf-8"))
    except (OSError, UnreadableError) as fault:
        message = f"{where}: {fault}"
        raise CatalogueError(message) from None
    if document.faults or not isinstance(document.value, dict):
        message = f"{where}: {document.faults[0].path if document.faults else 'no map'}: read twice or not at all"
        raise CatalogueError(message)
    return document.value


def _backend(backend_id: str, content: _Map) -> BackendFacts:
    try:
        nodes = cast("Mapping[str, _Map]", content.get("nodes") or {})
        return BackendFacts(
            id=backend_id,
            name=str(content["name"]),
            fills=tuple(cast("list[str]", content["fills"])),
            summary=str(content["summary"]),
            sites=tuple(cast("list[str]", content.get("sites") or ["on-prem"])),
            suits=cast("_Map", content.get("suits") or {}),
            figures={name: _fact(name, cast("_Map", row)) for name, row in cast("_Map", content["figures"]).items()},
            nodes={name: _storage_node(row) for name, row in nodes.items()},
            node_facts={name: _fact(name, {"value": row["drives"], **_about(row)}) for name, row in nodes.items()},
        )
    except (KeyError, TypeError, AttributeError, InputError) as fault:
        message = f"catalogue/backends/{backend_id}.yaml: not of the form of a backend ({fault})"
        raise CatalogueError(message) from None


def _storage_node(row: _Map) -> StorageNode:
    return decode(StorageNode, {key: row[key] for key in _NODE_KEYS if key in row}, "form")


def _about(row: _Map) -> dict[str, object]:
    return {key: row[key] for key in _ABOUT if key in row}


def _fact(name: str, row: _Map) -> Fact:
    value, known = row["value"], row
    measured = quantity(value) if isinstance(value, str) and re.match(r"\s*[-+.\d]", value) else None
    word = str(value) if measured is None and isinstance(value, str | bool) else ""  # a word: told, not counted with
    return Fact(
        name=name,
        value=measured.base if measured else 0.0 if word else float(cast("float", value)),
        basis=cast("Basis", known["basis"]),
        source=str(known["source"]),
        checked=str(known["checked"])[:10],
        unit=str(known.get("unit", measured.KIND if measured else "")),
        low=_bound(known.get("low")),
        high=_bound(known.get("high")),
        quantity=measured,
        note="; ".join(part for part in (word, str(known.get("note", ""))) if part),
    )


def _bound(value: object) -> float | None:
    if value is None:
        return None
    return quantity(value).base if isinstance(value, str) else float(cast("float", value))


def _row(row_id: str, content: _Map) -> Row:
    values = cast("_Map", content["values"])
    exceptions = cast("Mapping[str, _Map]", content.get("except") or {})
    facts = {}
    for path, value in _leaves(values, ""):
        about = {**_about(content), **exceptions.get(path.partition(".")[0], {}), **exceptions.get(path, {})}
        facts[path] = _fact(path, {"value": value, **about})
    return Row(id=row_id, title=str(content["title"]), values=values, facts=facts)


def _leaves(values: _Map, path: str) -> Iterator[tuple[str, object]]:
    for key, value in values.items():
        below = f"{path}.{key}" if path else key
        if isinstance(value, Mapping):
            yield from _leaves(cast("_Map", value), below)
        else:
            yield below, value
