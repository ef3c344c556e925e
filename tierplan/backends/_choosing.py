"""What every backend shares on the way to a configuration: facts, the product's own words, pins, the search."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import TypeAlias, TypeVar, cast

from tierplan.domain.facts import BackendFacts, Fact
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Drive, DrivePins, LayoutPins, NodePins, OptionValue, Site, StorageNode, TierPins
from tierplan.domain.tiers import NEVER, Illegal, Layout, TierConfig
from tierplan.units import Bandwidth, Quantity, Size

T = TypeVar("T")
Q = TypeVar("Q", bound=Quantity)
OptionKind: TypeAlias = "type | Mapping[str, OptionKind]"

NO_NODE = StorageNode(
    drives=0,
    drive=Drive(size=Size.zero(), read=Bandwidth.zero(), write=Bandwidth.zero()),
    ports=0,
    port_rate=Bandwidth.zero(),
    cores=0,
    memory=Size.zero(),
)


class Relied:
    """The facts of a backend; remembers which were asked for, so that the plan names what it rests on."""

    def __init__(self, facts: BackendFacts) -> None:
        self._facts = facts
        self._names: dict[str, None] = {}

    def __getitem__(self, name: str) -> float:
        self._names[name] = None
        return self._facts[name]

    def high(self, name: str) -> float:
        """The other end, where published figures disagree; else the value itself."""
        value, high = self[name], self._facts.fact(name).high
        return value if high is None else high

    def quantity(self, kind: type[Q], name: str) -> Q:
        """The fact as a quantity."""
        value, known = self[name], self._facts.fact(name).quantity
        return known if isinstance(known, kind) else kind(value)

    def quantity_high(self, kind: type[Q], name: str) -> Q:
        """The other end of the fact, as a quantity."""
        return kind(self.high(name))

    def lines(self, node: StorageNode) -> tuple[str, ...]:
        """Those that nobody measured, and the storage node where it is one of the catalogue's."""
        names = [name for name, known in self._facts.nodes.items() if known == node]
        rows = [self._facts.node_facts[name] for name in names if name in self._facts.node_facts]
        said = tuple(
            f"{self._facts.id} node {row.name} ({row.basis}: {row.source})" for row in rows if row.basis != "measured"
        )
        facts = (self._facts.fact(name) for name in self._names)
        return (*said[:1], *(_line(self._facts.id, fact) for fact in facts if fact.basis != "measured"))


@cache
def _line(backend_id: str, fact: Fact) -> str:
    """As `BackendFacts.assumptions` words it; kept, since a search delivers the same facts many times."""
    return f"{backend_id} {fact}"


def nodes_to_try(pins: NodePins | None, facts: BackendFacts) -> Iterator[StorageNode]:
    """The catalogue's nodes with the pinned fields laid over them, each once; a wholly pinned node alone."""
    known = tuple(facts.nodes.values()) or (NO_NODE,)
    seen: list[StorageNode] = []
    for node in known if pins is None else (pinned_node(node, pins) for node in known):
        if node not in seen:
            seen.append(node)
            yield node


def pinned_node(node: StorageNode, pins: NodePins) -> StorageNode:
    """A node with what the stack pins of it."""
    drive = node.drive if pins.drive is None else _laid_over(node.drive, pins.drive)
    return replace(_laid_over(node, replace(pins, drive=None)), drive=drive)


def pinned_layout(layout: Layout, pins: TierPins) -> Layout:
    """A layout with what the stack pins of it; pinned replicas turn a code into copies and the reverse."""
    if pins.layout is None:
        return layout
    pinned = pins.layout
    if pinned.replicas is not None:
        layout = Layout(kind="replicas", hot_spares=layout.hot_spares, failure_domain=layout.failure_domain)
        pinned = replace(pinned, data_units=None, parity_units=None)
    elif (pinned.data_units is not None or pinned.parity_units is not None) and layout.kind != "erasure-code":
        layout = replace(layout, kind="erasure-code", replicas=1)
    return _laid_over(layout, pinned)


def _laid_over(noun: T, pins: DrivePins | NodePins | LayoutPins) -> T:
    given = {field.name: value for field in fields(pins) if (value := getattr(pins, field.name)) is not None}
    return replace(noun, **given) if given else noun  # type: ignore[type-var]  # every noun is a dataclass


def configured(
    backend: str, need: TierNeed, pins: TierPins, site: Site, *, node: StorageNode, layout: Layout, nodes: int
) -> TierConfig:
    """A complete configuration: what is chosen here, the rest as the stack has it."""
    return TierConfig(
        tier=need.tier,
        backend=backend,
        nodes=nodes,
        node=node,
        layout=layout,
        racks=site.racks,
        quote=pins.quote,
        options=pins.options,
    )


def most(asked: Mapping[str, int]) -> int:
    """
    The nodes that all constraints together ask for: enough, where what is asked does not depend on the count.

    A constraint that no count meets is left out: the tier then says why it does not fit.

    >>> most({"capacity": 4, "read": NEVER, "minimum": 6})
    6
    """
    return max((count for count in asked.values() if count < NEVER), default=0)


def sized(asked: Callable[[int], Mapping[str, int]], *, start: int) -> int:
    """
    Smallest node count from `start` on of which no constraint asks more than itself.

    For what is asked by the count, as where the default layout widens with it; `start` must be a lower bound.

    >>> sized(lambda nodes: {"capacity": 9 if nodes < 8 else 8}, start=6)
    8
    """
    nodes = start
    while (count := most(asked(nodes))) > nodes:
        # the same answer at both ends: nothing that depends on the count lies between
        nodes = count if most(asked(count)) == count else nodes + 1
    return nodes


def option(options: Mapping[str, OptionValue], path: str, kind: type[T]) -> T | None:
    """One of the product's own words, ``tiering.cue`` for nested ones; None where it is left out or unreadable."""
    value: object = options
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    read = _option_value(value, kind)
    return cast("T | None", read)


def option_faults(config: TierConfig, words: Mapping[str, OptionKind]) -> Iterator[Illegal]:
    """Options that the product does not know or cannot read, with the nearest that it knows."""
    yield from _faults(config, config.options, words, "")


def _faults(
    config: TierConfig, options: Mapping[str, OptionValue], words: Mapping[str, OptionKind], path: str
) -> Iterator[Illegal]:
    for key, value in options.items():
        kind, name = words.get(key), f"{path}{key}"
        policy = f"{config.tier}-layout"
        if kind is None:
            near = difflib.get_close_matches(key, words, n=1)
            hint = f"did you mean {path}{near[0]}?" if near else f"allowed: {', '.join(words) or 'none'}"
            yield Illegal(policy=policy, message=f"{config.backend}: unknown option {name}", remedy=hint)
        elif isinstance(kind, Mapping):
            if isinstance(value, Mapping):
                yield from _faults(config, value, kind, f"{name}.")
            else:
                message = f"{config.backend}: option {name} is {value!r}, not a map"
                yield Illegal(policy=policy, message=message, remedy=f"write {name}: {{{', '.join(kind)}}}")
        elif _option_value(value, kind) is None:
            message = f"{config.backend}: option {name} is {value!r}, not {_kind_words(kind)}"
            yield Illegal(policy=policy, message=message, remedy=f"write {name} as {_kind_words(kind)}")


def _option_value(value: object, kind: type) -> object:
    if issubclass(kind, Quantity):
        try:
            return kind.parse(value) if isinstance(value, str) else None
        except ValueError:
            return None
    if isinstance(value, bool) and kind is not bool:
        return None
    if kind is float and isinstance(value, int):
        return float(value)
    return value if isinstance(value, kind) else None


def _kind_words(kind: type) -> str:
    if issubclass(kind, Quantity):
        return f'a {kind.KIND} such as "{kind.EXAMPLE}"'
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false", tuple: "a list"}
    return words.get(kind, kind.__name__)
