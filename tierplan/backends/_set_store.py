"""A store of erasure sets (MinIO and RustFS): configurations to try, figures, what is illegal about them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from tierplan.backends import _rules as rules
from tierplan.backends import _sets
from tierplan.backends._choosing import OptionKind, Relied, configured, most, nodes_to_try, option, pinned_layout
from tierplan.backends._sizing import Fate, Model, counts, needed
from tierplan.backends._space import EvenSpace, code_step
from tierplan.backends._stores import Costs, gpu_node, node_rates, spread_advice
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import LayoutPins, Site, StorageNode, Survive, TierPins
from tierplan.domain.tiers import Illegal, Layout, Protection, TierConfig

OPTIONS: Mapping[str, OptionKind] = {
    "bucket": str,
    "versioning": bool,
    "pools": int,
    "set_drive_count": int,
}
FALLBACK = 16  # a set that is shown where the store would not even start
FILE_BLOCK = 4096  # a shard is a file, at least one block of the file system beneath


def pools(config: TierConfig) -> int:
    """Pools of equal servers that the nodes are divided into."""
    return option(config.options, "pools", int) or 1


def pool(config: TierConfig) -> _sets.Pool:
    """One of the pools, with the set that the layout says."""
    layout = config.layout
    code = layout.kind == "erasure-code"
    return _sets.Pool(
        servers=max(0, config.nodes // max(1, pools(config))),
        drives=max(0, config.node.drives),
        size=max(1, layout.width if code else layout.replicas),
        parity=max(0, layout.parity_units if code else 0),
    )


def costs(config: TierConfig) -> Costs:
    """
    What a client's byte costs: the server that is asked exchanges shards with the other servers of the set.

    Formula:  network read = 1 + (1 - 1/w), write = 1 + s / (s - m) * (1 - 1/w), w servers a set of s drives, m parity
    Source:   counted from github.com/minio/minio, docs/distributed/DESIGN.md; not measured (2026-11-29)
    """
    one, layout = pool(config), config.layout
    others = 1 - 1 / one.servers_per_set
    amplification = 1 / layout.efficiency if layout.width > 0 and layout.efficiency > 0 else 1.0
    return Costs(
        network_read=1 + others,
        network_write=1 + amplification * others,
        drive_write=amplification,
        accesses=float(one.size),
    )


def fate(config: TierConfig) -> Callable[[Survive], Fate]:
    """What a loss means: the worst set keeps its write quorum, or its read quorum, or neither."""
    one, racks = pool(config), config.racks

    def of(loss: Survive) -> Fate:
        gone = one.drives_lost(servers=loss.nodes, racks_lost=loss.racks, racks=racks)
        if config.layout.kind != "erasure-code" or gone > one.parity:
            return "lost" if gone > 0 else "serves"
        return "serves" if one.size - gone >= one.write_quorum else "waits"

    return of


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The figures of one configuration."""
    found = figures(config, need, used)
    asked = max(most(needed(found, need, racks=config.racks)), found.least["minimum"])
    return replace(found, least={**found.least, "symmetry": _symmetric_count(config, asked)})


def figures(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """As `model`, without the count that even sets ask for."""
    one = pool(config)
    return Model(
        node=node_rates(config, costs(config), used),
        space=EvenSpace(node_raw=config.node.raw, steps=(code_step(config.layout),)),
        least={"minimum": int(used["least_servers"]) * max(1, pools(config))},
        full_limit=used["fill_limit"],
        client=gpu_node(need, used),
        tolerated=one.servers_to_read,
        serving=one.servers_to_write,
        fate=fate(config),
        protection=protection(config),
    )


def protection(config: TierConfig) -> Protection | None:
    """What survival is computed from: each set is a world of its own, and waits for replaced drives."""
    one = pool(config)
    if config.layout.kind != "erasure-code" or one.sets < 1:
        return None
    return Protection(
        tolerated=one.servers_to_read,
        serving=one.servers_to_write,
        drives_tolerated=one.parity,
        domains=one.servers,
        domains_needed=one.servers_per_set,
        width=one.size,
        pool=one.size,
        read_units=max(1, one.size - one.parity),
        repair="replacement",
    )


def _symmetric_count(config: TierConfig, asked: int) -> int:
    """The smallest count from `asked` on that makes sets of this layout; 0 where none is near."""
    count = max(1, pools(config))
    override = option(config.options, "set_drive_count", int) is not None
    start = -(-asked // count)
    found = _sets.server_counts(size=config.layout.width, drives=config.node.drives, start=start, override=override)
    return next(found, 0) * count


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What every configuration of one search has in common."""

    backend: str
    need: TierNeed
    pins: TierPins
    site: Site
    used: Relied

    def config(self, node: StorageNode, layout: Layout, nodes: int) -> TierConfig:
        """A configuration with these choices and the stack's pins."""
        layout = pinned_layout(layout, self.pins)
        return configured(self.backend, self.need, self.pins, self.site, node=node, layout=layout, nodes=nodes)

    def asked(self, config: TierConfig, found: Model) -> int:
        """Nodes that the need and the product ask for, evenness aside."""
        return max(most(needed(found, self.need, racks=config.racks)), found.least["minimum"])


def choices(backend: str, *, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
    """For each node the fewest servers, of whatever set they make, that meet the need; or what is pinned."""
    asking = Asking(backend=backend, need=need, pins=pins, site=site, used=Relied(facts))
    seen: list[StorageNode] = []
    for node in nodes_to_try(pins.node, facts):
        if node not in seen:
            seen.append(node)
            yield _pinned(asking, node) if pins.nodes is not None else _sized(asking, node)


def _pinned(asking: Asking, node: StorageNode) -> TierConfig:
    """The pinned count with the set that the store makes of it."""
    count = asking.pins.nodes or 0
    words = option(asking.pins.options, "pools", int) or 1
    override = option(asking.pins.options, "set_drive_count", int)
    size = override or _sets.set_size(servers=count // max(1, words), drives=node.drives) or FALLBACK
    return asking.config(node, _code(size, asking.pins.layout), count)


def _sized(asking: Asking, node: StorageNode) -> TierConfig:
    """The fewest servers of any set that survive what must be survived, else the fewest; of equals the widest set."""
    safe: TierConfig | None = None
    rest: TierConfig | None = None
    for size in reversed(_sizes(asking.pins)):
        for config, survives in _enough(asking, node, size, below=safe.nodes if safe else None):
            if survives:
                safe = config
            elif rest is None or config.nodes < rest.nodes:
                rest = config
    if safe is not None or rest is not None:
        return safe or rest  # type: ignore[return-value]  # one of them is there
    open_ended = asking.config(node, _code(FALLBACK, asking.pins.layout), 0)  # nothing fits: the count alone
    asked = most(counts(model(open_ended, asking.need, asking.used), asking.need, racks=asking.site.racks))
    return replace(open_ended, nodes=asked)


def _enough(asking: Asking, node: StorageNode, size: int, *, below: int | None) -> Iterator[tuple[TierConfig, bool]]:
    """
    Configurations with sets of this size that meet the need, fewer than `below` nodes, up to one that also survives.

    With each: whether it survives what must be survived.
    """
    words = max(1, option(asking.pins.options, "pools", int) or 1)
    override = option(asking.pins.options, "set_drive_count", int) is not None
    layout, start = _code(size, asking.pins.layout), int(asking.used["least_servers"])
    counted = _sets.server_counts(size=size, drives=node.drives, start=start, override=override)
    servers = next(counted, None)
    while servers is not None and (below is None or servers * words < below):
        config = asking.config(node, layout, servers * words)
        found = figures(config, asking.need, asking.used)
        asked = asking.asked(config, found)
        if asked > config.nodes:
            least = max(servers + 1, asked // words) if servers >= size else servers + 1
            counted = _sets.server_counts(size=size, drives=node.drives, start=least, override=override)
        else:
            survives = fate(config)(asking.need.survive) != "lost"
            yield config, survives
            if survives or servers >= size:  # with more servers a set loses as much
                return
        servers = next(counted, None)


def _sizes(pins: TierPins) -> tuple[int, ...]:
    """Set sizes that the pins leave open."""
    word, layout = option(pins.options, "set_drive_count", int), pins.layout
    sizes = _sets.SIZES if word is None else tuple(size for size in _sets.SIZES if size == word)
    if layout is None:
        return sizes
    if layout.replicas is not None:
        return ()
    if layout.data_units is None and layout.parity_units is None:
        return sizes
    return tuple(size for size in sizes if _keeps(_code(size, layout), layout, size))


def _keeps(layout: Layout, pins: LayoutPins, size: int) -> bool:
    parity = layout.parity_units if pins.parity_units is None else pins.parity_units
    data = layout.data_units if pins.data_units is None else pins.data_units
    return data + parity == size and 0 <= 2 * parity <= size


def _code(size: int, pins: LayoutPins | None) -> Layout:
    """A set as a code, with the default parity or the pinned one."""
    asked = None if pins is None else pins.parity_units
    parity = _sets.default_parity(size) if asked is None else asked
    return Layout(kind="erasure-code", data_units=max(0, size - parity), parity_units=parity)


def faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What the store forbids or its makers advise against, whatever its name."""
    layout, name, rule = config.layout, config.backend, f"{config.tier}-layout"
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(
        config, math.ceil(used["least_cores"] + used["system_cores"]), because="the server and the system"
    )
    yield from rules.too_little_memory(
        config, _sets.memory_advised(config.node.raw), because=f"{config.node.raw.show()} of drives"
    )
    yield from spread_advice(config, domain="node")
    if layout.kind != "erasure-code":
        yield Illegal(
            policy=rule,
            message=f"{name}: {layout}; objects lie in erasure sets of 2 to 16 drives, never in copies",
            remedy="leave out layout: the number of servers and drives decides the set",
        )
        return
    yield from tuple(_pool_faults(config, used)) or _set_faults(config)


def _pool_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    name, rule, count = config.backend, f"{config.tier}-layout", pools(config)
    least = int(used["least_servers"])
    if count < 1 or config.nodes % count:
        yield Illegal(
            policy=rule,
            message=f"{name}: {config.nodes} nodes in {count} pools; the pools of a plan are alike",
            remedy="write pools: a number that divides the nodes",
            required=count,
            planned=config.nodes,
        )
    elif config.nodes // count < least:
        yield from rules.too_few_nodes(config, least * count)


def _set_faults(config: TierConfig) -> Iterator[Illegal]:
    layout, one = config.layout, pool(config)
    word = option(config.options, "set_drive_count", int)
    made = _sets.set_size(servers=one.servers, drives=one.drives) if word is None else word
    total = one.servers * one.drives
    if made is None or (word is not None and (word not in _sets.SIZES or total % word)):
        yield _no_set(config, one, word)
    elif made != layout.width:
        remedy = f"leave out layout, or write options: {{set_drive_count: {layout.width}}}"
        yield _illegal(
            config,
            f"{one.servers} servers × {one.drives} drives make sets of {made}, and {layout} needs {layout.width}",
            remedy if layout.width in _sets.SIZES and total % layout.width == 0 else "leave out layout",
            required=layout.width,
            planned=made,
        )
    elif not 0 <= 2 * layout.parity_units <= layout.width:
        half = layout.width // 2
        yield _illegal(
            config,
            f"{layout.parity_units} parity drives in a set of {layout.width}; at most half of them",
            f"write parity_units: {min(half, _sets.default_parity(layout.width))}",
            required=half,
            planned=layout.parity_units,
        )
    elif layout.parity_units < 2:
        yield rules.advice(
            f"{config.backend}: EC:{layout.parity_units} bears the loss of {layout.parity_units} drives of a set",
            remedy=f"write parity_units: {_sets.default_parity(layout.width)}",
            required=2,
            planned=layout.parity_units,
        )


def _no_set(config: TierConfig, one: _sets.Pool, word: int | None) -> Illegal:
    if word is not None:
        message = (
            f"set_drive_count {word} does not divide {one.servers} servers × {one.drives} drives, or is not 2 to 16"
        )
        return _illegal(config, message, "leave out set_drive_count", required=None, planned=word)
    below, above = _sets.legal_near(servers=one.servers, drives=one.drives)
    near = " or ".join(str(count * pools(config)) for count in (below, above) if count)
    return _illegal(
        config,
        f"{one.servers} servers × {one.drives} drives make no even sets of 2 to 16 drives; it does not start",
        f"use {near} nodes" if near else "use another number of drives",
        required=None,
        planned=config.nodes,
    )


def _illegal(
    config: TierConfig, message: str, remedy: str, *, required: float | None, planned: float | None
) -> Illegal:
    return Illegal(
        policy=f"{config.tier}-layout",
        message=f"{config.backend}: {message}",
        remedy=remedy,
        required=required,
        planned=planned,
    )


def notes(config: TierConfig) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    one, factors = pool(config), costs(config)
    least, written = 2 * one.parity, f"{factors.network_write:.3g}"
    return (
        f"{one.sets * pools(config)} sets of {one.size} drives over {one.servers_per_set} servers, EC:{one.parity}",
        f"a lost server takes {one.drives_on_server} drives of each of its sets",
        f"readable with {one.servers_to_read} servers of a set lost, writable with {one.servers_to_write}",
        "it knows no racks: racks are survived only if the servers are named in turn over them, as rendered",
        f"it grows by whole pools: any new one needs {least} drives or more a set, and a pool out of quorum stops all",
        f"a byte read crosses the servers' network {factors.network_read:.3g} times, one written {written} (counted)",
        f"each object lies in {one.size} files, one a drive: pack small files before they are archived",
    )


def parts(config: TierConfig) -> Mapping[str, float]:
    """Sets, quorums and pools, in the product's words."""
    one = pool(config)
    return {
        "pools": pools(config),
        "sets": one.sets * max(0, pools(config)),
        "drives_per_set": one.size,
        "servers_per_set": one.servers_per_set,
        "parity_drives": one.parity,
        "read_quorum_drives": max(0, one.size - one.parity),
        "write_quorum_drives": max(0, one.write_quorum),
        "servers_lost_readable": max(0, one.servers_to_read),
        "servers_lost_writable": max(0, one.servers_to_write),
        "object_step_bytes": FILE_BLOCK * max(1, one.size - one.parity),
        "requests_per_server": _sets.requests_held(memory=config.node.memory, drives=config.node.drives),
    }


def unchangeable(config: TierConfig) -> tuple[str, ...]:
    """What is fixed when the pool is first started."""
    one = pool(config)
    return (
        f"a pool's {one.servers} servers and {one.drives} drives each, and its sets of {one.size} drives",
        "drive order and host names of a pool: they are part of each drive's format",
    )
