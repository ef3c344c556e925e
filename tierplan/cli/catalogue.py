"""What is known, with source and date: the catalogue for people."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from tierplan import load
from tierplan.cli.texts import table, wrapped
from tierplan.domain.facts import BackendFacts, Fact
from tierplan.errors import InputError

TABLES: Mapping[str, load.Table] = {
    "nodes": "nodes",
    "models": "models",
    "profiles": "profiles",
    "states": "training_states",
    "references": "references",
    "failures": "failures",
}
KINDS = ("backends", "clouds", "drives", *TABLES)
HERE = "on-prem"


def catalogue_lines(kind: str | None, row: str | None) -> list[str]:
    """
    The kinds; the rows of a kind; one row with every figure, its basis, source and date.

    Raises:   InputError with the nearest rows if there is no such row
    """
    if kind is None:
        return table([("tierplan catalogue", "rows"), *_counts()], indent=0)
    rows = _rows(kind)
    if row is None:
        return table([(name, title) for name, title in rows.items()], indent=0)
    if row not in rows:
        near = difflib.get_close_matches(row, rows, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"tierplan catalogue {kind} lists them"
        message = f"{row}: not among the {kind}; {hint}"
        raise InputError(message)
    if kind == "drives":
        return list(_drives()[row])
    return list(_backend(load.catalogue().backend(row)) if kind in ("backends", "clouds") else _row(kind, row))


def _counts() -> Iterator[tuple[str, str]]:
    """Each kind that has rows, and how many."""
    for name in KINDS:
        if rows := _rows(name):
            yield name, str(len(rows))


def _rows(kind: str) -> Mapping[str, str]:
    """Row id -> its title."""
    known = load.catalogue()
    if kind == "drives":
        return {name: lines[0].partition(": ")[2] for name, lines in _drives().items()}
    if kind == "clouds":
        away = {name: known.backend(name) for name in known.known()}
        return {
            name: f"{facts.name} ({', '.join(facts.fills)}; {', '.join(sites)})"
            for name, facts in away.items()
            if (sites := [site for site in facts.sites if site != HERE]) and facts.fills != ("local",)
        }
    if kind == "backends":
        found = {backend_id: known.backend(backend_id) for backend_id in known.known()}
        return {name: f"{facts.name} ({', '.join(facts.fills)}): {facts.summary}" for name, facts in found.items()}
    return {name: row.title for name, row in known.rows(_table(kind)).items()}


def _drives() -> dict[str, list[str]]:
    """Drive of a GPU node or of a storage node that is tried -> what it is, its figures and their sources."""
    known, found = load.catalogue(), dict[str, list[str]]()
    for name, row in known.rows("nodes").items():
        drive = {key.rpartition(".")[2]: fact for key, fact in row.facts.items() if key.startswith("local_nvme.")}
        if drive.keys() >= {"size", "read", "write"}:
            words = ", ".join(f"{key} {_shown(drive[key])}" for key in ("size", "read", "write"))
            lines = [f"{name}: nvme, {words}; in the GPU node {row.title}"]
            found[name] = [*lines, *(line for fact in drive.values() for line in _fact(fact))]
    for backend in known.known():
        facts = known.backend(backend)
        for name, node in facts.nodes.items():
            rates = f"read {node.drive.read.show()}, write {node.drive.write.show()}"
            lines = [
                f"{backend}.{name}: {node.medium}, size {node.drive.size.show()}, {rates}; in a node for {facts.name}"
            ]
            about = _about(facts.node_facts[name]) if name in facts.node_facts else ()
            found[f"{backend}.{name}"] = [*lines, *about]
    return found


def _shown(fact: Fact) -> str:
    return fact.quantity.show() if fact.quantity is not None else f"{fact.value:,g}"


def _backend(facts: BackendFacts) -> Iterator[str]:
    yield from wrapped(f"{facts.id}: {facts.name}, fills {', '.join(facts.fills)}. {facts.summary}", indent=2)
    for name, node in facts.nodes.items():
        words = (
            f"node {name}: {node.drives} × {node.drive.size.show()} {node.medium} (read {node.drive.read.show()}, "
            f"write {node.drive.write.show()}), {node.ports} × {node.port_rate.show('Gbit/s')}, {node.cores} cores, "
            f"{node.memory.show('GiB')}"
        )
        yield from wrapped(words, indent=4)
        if name in facts.node_facts:
            yield from _about(facts.node_facts[name])
    for fact in facts.figures.values():
        yield from _fact(fact)


def _row(kind: str, row_id: str) -> Iterator[str]:
    row = load.catalogue().row(_table(kind), row_id)
    if row is not None:
        yield f"{row.id}: {row.title}"
        for fact in row.facts.values():
            yield from _fact(fact)


def _fact(fact: Fact) -> Iterator[str]:
    value = _shown(fact)
    span = "" if fact.low is None and fact.high is None else f" (low {fact.low}, high {fact.high})"
    note = f"; {fact.note}" if fact.note else ""
    yield from wrapped(f"{fact.name} = {value}{span}{note}", indent=4)
    yield from _about(fact)


def _about(fact: Fact) -> Iterator[str]:
    yield from wrapped(f"    {fact.basis}; source: {fact.source} (checked {fact.checked})", indent=6)


def _table(kind: str) -> load.Table:
    return TABLES[kind]
