"""
Every choice of a registered tier, changed one at a time, and what the gate must say of it.

Each `Mutation` says by hand whether its change worsens, improves or leaves alone what the tier gives, which rules
must then fire (`must`), and which may fire besides because the same thing feeds them too (`may`).  What is expected
is worked out from what is *required* of the tier, never from what a backend says it gives; the node count alone is
held against the counts that the plan names.  `tests/policies/test_mutations.py` runs them over every shipped stack.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from recording import Properties, Registered

Effect = Literal["worsens", "improves", "neutral"]
Rules = frozenset[str]
SERVED, LOCAL, ALL = ("hot", "cold"), ("local",), ("local", "hot", "cold")
LITTLE = 1.0  # byte, or byte/s: next to nothing
NONE: Rules = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A registered tier before the change, and what its stack asks of it."""

    stack: str
    tier: str
    one: Registered
    times: Rules
    """The rules of time targets that are read from this tier."""
    before: Rules
    """What already fires before the change: a stack that is shipped to be refused."""
    managed: bool
    """A service of a cloud, which has no nodes of its own."""

    @property
    def backend(self) -> str:
        """The product."""
        return str(self.one.inputs["backend"])

    def given(self, path: str) -> Any:
        """A value of the inputs: ``node.drive.sizeBytes``; None where there is none."""
        return at(self.one.inputs, path)

    def given_out(self, path: str) -> Any:
        """A figure of what the tier was registered to give."""
        return at(self.one.outputs, path)

    def number(self, path: str, *, of: Literal["need", "outputs"] = "need") -> float:
        """A figure of the need, or of what the tier was registered to give."""
        found = at(self.one.inputs if of == "need" else self.one.outputs, f"need.{path}" if of == "need" else path)
        return float(found or 0.0)

    def asks(self, way: str) -> Rules:
        """The rules that a tier misses which next to nothing can be read from, or written to."""
        rules = set[str]()
        if self.number(f"{way}BytesPerS"):
            rules.add("cold-ingest" if (self.tier, way) == ("cold", "write") else f"{self.tier}-{way}-bandwidth")
        if any(phase[f"{way}BytesPerS"] for phase in cast("list[dict[str, float]]", self.given("need.phases"))):
            rules.add(f"{self.tier}-phases")
        if self.number(f"degraded{way.capitalize()}BytesPerS") and "survive-nodes" not in self.before:
            rules.add("survive-bandwidth")  # of what is lost, no bandwidth is asked
        return frozenset(rules)

    def holds(self) -> Rules:
        """The rule of capacity, where something is to be stored."""
        return frozenset({f"{self.tier}-capacity"} if self.number("capacityBytes") else ())

    def room(self) -> float:
        """How much of the capacity is asked for: 1 is all of it."""
        planned = self.number("plannedBytes", of="outputs")
        return self.number("capacityBytes") / planned if planned else 0.0

    def rule(self, quantity: str) -> Rules:
        """The rule of this tier over a quantity: ``hot-layout``."""
        return frozenset({f"{self.tier}-{quantity}"})


Change = Callable[[Case, Any], Any]
Expect = Callable[[Case], Rules]


def nothing(_case: Case) -> Rules:
    """No rule."""
    return NONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One change of one choice: a new value out of the old one, `None` where it does not apply."""

    path: str
    words: str
    effect: Effect
    change: Change
    must: Expect = nothing
    may: Expect = nothing
    tiers: tuple[str, ...] = ALL

    def of(self, case: Case) -> Registered | None:
        """The resource with this one change, or None where there is nothing to change."""
        old = case.given(self.path)
        if case.tier not in self.tiers or old is None:
            return None
        new = self.change(case, old)
        return None if new is None or new == old else changed(case.one, self.path, new)


def at(properties: object, path: str) -> Any:
    """The value at a path, None where there is none."""
    for key in path.split("."):
        properties = properties.get(key) if isinstance(properties, Mapping) else None
    return properties


def changed(one: Registered, path: str, value: object) -> Registered:
    """The resource with another choice, in its inputs, and in its outputs where they repeat it."""

    def put(properties: Properties) -> Properties:
        found: Any = copy.deepcopy(properties)
        *parents, last = path.split(".")
        place = found
        for key in parents:
            place = place[key]
        place[last] = value
        return cast("Properties", found)

    repeats = at(one.outputs, path) is not None
    return replace(one, inputs=put(one.inputs), outputs=put(one.outputs) if repeats else one.outputs)


def leaves(properties: object, path: str = "") -> Iterator[str]:
    """The path of every choice; a list counts as one."""
    if isinstance(properties, Mapping):
        for key, value in properties.items():
            yield from leaves(value, f"{path}.{key}" if path else str(key))
    else:
        yield path
