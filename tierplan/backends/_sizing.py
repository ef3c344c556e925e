"""
What every backend shares: from what one storage node gives to what the whole tier delivers.

A backend describes a configuration as a `Model`: the rates of one node, the space of one node, what a
GPU node can take, what may be lost, the least counts of the product.  `delivered` makes the rest of it:
counts for each constraint, waterfall, healthy and degraded rates, in one way for every product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from tierplan.backends._space import EvenSpace, Space, failure_domains, nodes_for
from tierplan.domain.lifecycle import StorageClass
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.stack import Quote, Survive
from tierplan.domain.tiers import (
    NEVER,
    Degraded,
    Delivered,
    Factor,
    Illegal,
    LimitedBy,
    Protection,
    Rates,
    TierConfig,
)
from tierplan.layout import placement
from tierplan.units import Bandwidth, OpRate, Size

Fate: TypeAlias = Literal["serves", "waits", "lost"]
"""Of data after a loss: read and written on, out of reach until it is repaired, gone."""

THROTTLED = "{} after a loss the nodes left give their full rate (assumed: rebuild throttled below what clients ask)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """The most that one node gives through one of its parts; `..._high` where published figures disagree."""

    limited_by: LimitedBy
    read: Bandwidth
    write: Bandwidth
    read_high: Bandwidth | None = None
    write_high: Bandwidth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRates:
    """What one node gives, and which part of it gives the least."""

    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate
    read_limited_by: LimitedBy
    write_limited_by: LimitedBy
    op_rate_limited_by: LimitedBy = "metadata"
    read_high: Bandwidth
    write_high: Bandwidth
    op_rate_high: OpRate | None = None
    op_rate_beside: OpRate = field(default_factory=OpRate.zero)  # of servers that are no storage nodes


def lowest(
    *ceilings: Ceiling,
    op_rate: OpRate,
    op_rate_high: OpRate | None = None,
    op_rate_limited_by: LimitedBy = "metadata",
    op_rate_beside: OpRate | None = None,
) -> NodeRates:
    """What one node gives: of its ceilings the lowest, for reads and writes apart; of equals the first."""
    read = min(ceilings, key=lambda ceiling: ceiling.read)
    write = min(ceilings, key=lambda ceiling: ceiling.write)
    return NodeRates(
        read=read.read,
        write=write.write,
        op_rate=op_rate,
        read_limited_by=read.limited_by,
        write_limited_by=write.limited_by,
        op_rate_limited_by=op_rate_limited_by,
        read_high=min(one.read if one.read_high is None else one.read_high for one in ceilings),
        write_high=min(one.write if one.write_high is None else one.write_high for one in ceilings),
        op_rate_high=op_rate_high,
        op_rate_beside=op_rate_beside or OpRate.zero(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCeiling:
    """What one GPU node takes at most through its own ports and the product's client."""

    read: Bandwidth
    write: Bandwidth


def client_ceiling(
    clients: Clients,
    *,
    read_share: float,
    write_share: float,
    most_read: Bandwidth | None = None,
    most_write: Bandwidth | None = None,
) -> ClientCeiling:
    """
    What one GPU node takes: a share of its ports, at most what one client was seen to take.

    Formula:  min(clients.network * read_share, most_read), likewise for writes
    """
    read, write = clients.network * read_share, clients.network * write_share
    return ClientCeiling(
        read=read if most_read is None else min(read, most_read),
        write=write if most_write is None else min(write, most_write),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """All that a product says of one configuration in figures."""

    node: NodeRates
    space: Space
    least: Mapping[str, int]
    """Counts that the product or the layout asks for whatever the need: minimum, failure_domain, …"""
    full_limit: float = 1.0
    """Share of usable at which the product itself slows down or stops."""
    client: ClientCeiling | None = None
    tolerated: int = 0
    """Failure domains that may be lost at once without losing data."""
    serving: int | None = None
    """Failure domains that may be lost while reads and writes go on; None: as many as `tolerated`."""
    loses_its_part: bool = False
    """Each node holds data of its own: a loss takes that part and leaves the rest at work."""
    fate: Callable[[Survive], Fate] | None = None
    """What a loss means by the product's own placement; None: by failure domains against `tolerated` and `serving`."""
    groups: int | None = None
    """Sets of drives that share stripes, where they are counted: placement groups, chains."""
    protection: Protection | None = None
    """How data is kept, where it is not spread evenly over all failure domains."""


def needed(model: Model, need: TierNeed, *, racks: int) -> dict[str, int]:
    """Constraint -> nodes that the need asks for, in the order in which equals bind."""
    node, fill = model.node, planned_fill(model, need)
    remaining = max(nodes_for(need.degraded_read, node.read), nodes_for(need.degraded_write, node.write))
    return {
        "capacity": model.space.count(need.capacity / fill) if fill > 0 else nodes_for(need.capacity, Size.zero()),
        "read": nodes_for(need.read, node.read),
        "write": nodes_for(need.write, node.write),
        "metadata": nodes_for(need.op_rate - node.op_rate_beside, node.op_rate),
        "phases": max((_phase_count(phase.read, phase.write, node) for phase in need.phases), default=0),
        "degraded": _degraded_count(remaining, need.survive, racks=racks),
    }


def counts(model: Model, need: TierNeed, *, racks: int) -> dict[str, int]:
    """What the need asks for, then what the product asks for whatever the need."""
    return {**needed(model, need, racks=racks), **model.least}


def _phase_count(read: Bandwidth, write: Bandwidth, node: NodeRates) -> int:
    """
    Nodes that carry reads and writes at once.

    Formula:  smallest n with read / (n * node.read) + write / (n * node.write) <= 1
    """
    if (read and not node.read) or (write and not node.write):
        return NEVER
    if not read:
        return nodes_for(write, node.write)
    as_read = write * (node.read / node.write) if write else write
    return nodes_for(read + as_read, node.read)


def _degraded_count(remaining: int, survive: Survive, *, racks: int) -> int:
    """Where every rack is lost no count helps: the state itself says that nothing is left."""
    if remaining >= NEVER:
        return NEVER
    kept = placement.nodes_to_keep(remaining=remaining, racks=racks, lost_nodes=survive.nodes, lost_racks=survive.racks)
    return remaining if kept is None else kept


def planned_fill(model: Model, need: TierNeed) -> float:
    """The lesser of the stack's `max_fill` and the product's own full limit, never both."""
    return min(need.max_fill, model.full_limit)


def rates(model: Model, clients: Clients, *, nodes: int) -> Rates:
    """What so many nodes give together, and no more than all GPU nodes can take."""
    node = model.node
    read, write = node.read * nodes, node.write * nodes
    read_high, write_high = node.read_high * nodes, node.write_high * nodes
    read_by, write_by = node.read_limited_by, node.write_limited_by
    if model.client is not None:
        taken_read, taken_write = model.client.read * clients.gpu_nodes, model.client.write * clients.gpu_nodes
        read_by = "clients" if taken_read < read else read_by
        write_by = "clients" if taken_write < write else write_by
        read, read_high = min(read, taken_read), min(read_high, taken_read)
        write, write_high = min(write, taken_write), min(write_high, taken_write)
    return Rates(
        read=read,
        write=write,
        op_rate=node.op_rate * nodes + node.op_rate_beside,
        read_limited_by=read_by,
        write_limited_by=write_by,
        op_rate_limited_by=node.op_rate_limited_by,
        read_high=read_high if read_high > read else None,
        write_high=write_high if write_high > write else None,
        op_rate_high=None if node.op_rate_high is None else node.op_rate_high * nodes + node.op_rate_beside,
        client=None if model.client is None else min(model.client.read, model.client.write),
    )


def losses(survive: Survive, *, racks: int) -> tuple[Survive, ...]:
    """The losses that every plan is asked about: one node, one of several racks, what must be survived."""
    asked = [Survive(nodes=1)]
    if racks > 1:
        asked.append(Survive(nodes=0, racks=1))
    if survive not in asked and (survive.nodes or survive.racks):
        asked.append(survive)
    return tuple(asked)


def domains_lost(config: TierConfig, loss: Survive) -> int:
    """
    Failure domains of the layout that a loss takes, at the worst.

    A rack domain is lost with the first node of it; a node takes all its drives.
    """
    nodes = _nodes_lost(config, loss)
    if config.layout.failure_domain == "rack":
        return min(loss.racks + loss.nodes, nodes)
    return nodes * config.node.drives if config.layout.failure_domain == "drive" else nodes


def _nodes_lost(config: TierConfig, loss: Survive) -> int:
    return placement.nodes_lost(nodes=config.nodes, racks=config.racks, lost_nodes=loss.nodes, lost_racks=loss.racks)


def degraded(model: Model, config: TierConfig, need: TierNeed) -> Iterator[Degraded]:
    """
    What is left in each state: the nodes that stand give their full rate, or nothing where data is out of reach.

    Assumes:  rebuild is throttled below the rates that clients ask for (`THROTTLED` says so in the plan)
    """
    serving = model.tolerated if model.serving is None else model.serving
    for loss in losses(need.survive, racks=config.racks):
        gone, domains = _nodes_lost(config, loss), domains_lost(config, loss)
        serves = model.loses_its_part or domains <= serving
        lost = gone > 0 if model.loses_its_part else domains > model.tolerated
        if model.fate is not None:
            fate = model.fate(loss)
            serves, lost = fate == "serves", fate == "lost"
        left = rates(model, need.clients, nodes=config.nodes - gone if serves else 0)
        yield Degraded(
            nodes=loss.nodes,
            racks=loss.racks,
            read=left.read,
            write=left.write,
            op_rate=left.op_rate,
            data_lost=lost,
        )


MOST_COUNTED = 8  # lost nodes that a product's own placement is asked about


def spread(model: Model, config: TierConfig) -> Protection | None:
    """How a product keeps data that spreads stripes over all failure domains; None where nothing is protected."""
    layout, drives = config.layout, config.nodes * config.node.drives
    if layout.kind == "none" or drives < 1 or layout.width < 1:
        return None
    tolerated, serving = _borne(model, config)
    by_rack = layout.hot_spares if layout.failure_domain == "rack" else 0
    kept = model.space.kept_free if isinstance(model.space, EvenSpace) else 0
    return Protection(
        tolerated=tolerated,
        serving=serving,
        drives_tolerated=max(0, layout.tolerated),
        domains=failure_domains(config),
        domains_needed=layout.width,
        width=layout.width,
        pool=drives,
        groups=model.groups,
        read_units=layout.data_units if layout.kind == "erasure-code" else 1,
        spare=kept or by_rack * placement.nodes_per_rack(nodes=config.nodes, racks=config.racks),
    )


def _borne(model: Model, config: TierConfig) -> tuple[int, int]:
    """Failure domains that may be lost, and that may be lost while clients are served."""
    if model.loses_its_part:
        return 0, 0
    if model.fate is None:
        return model.tolerated, model.tolerated if model.serving is None else model.serving
    fates = [model.fate(Survive(nodes=count)) for count in range(1, min(MOST_COUNTED, config.nodes) + 1)]
    kept = next((count for count, fate in enumerate(fates) if fate == "lost"), len(fates))
    return kept, next((count for count, fate in enumerate(fates) if fate != "serves"), len(fates))


def quoted(model: Model, quote: Quote | None, *, nodes: int) -> Model:
    """The model under a vendor's offer for the whole system: the lesser of published and offered counts."""
    if quote is None or nodes <= 0:
        return model
    node, usable = model.node, model.space.usable(nodes)
    read, write = quote.read / nodes, quote.write / nodes
    node = replace(
        node,
        read=min(node.read, read),
        write=min(node.write, write),
        read_high=min(node.read_high, read),
        write_high=min(node.write_high, write),
        read_limited_by="quote" if read < node.read else node.read_limited_by,
        write_limited_by="quote" if write < node.write else node.write_limited_by,
    )
    if quote.usable >= usable:
        return replace(model, node=node)
    step = Factor(name=f"offer {quote.source}", fraction=quote.usable / usable, basis="vendor")
    return replace(model, node=node, space=model.space.limited(step))


def delivered(
    config: TierConfig,
    need: TierNeed,
    model: Model,
    *,
    illegal: Iterator[Illegal] | tuple[Illegal, ...] = (),
    cannot_change_later: tuple[str, ...] = (),
    assumptions: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    parts: Mapping[str, float] | None = None,
    classes: tuple[StorageClass, ...] = (),
) -> Delivered:
    """Everything that a configuration gives, from what its product says of it."""
    model = quoted(model, config.quote, nodes=config.nodes)
    asked = counts(model, need, racks=config.racks)
    never = ", ".join(name for name, count in asked.items() if count >= NEVER)
    return Delivered(
        counts=asked,
        raw=config.node.raw * config.nodes,
        usable=model.space.usable(config.nodes),
        planned_fill_fraction=planned_fill(model, need),
        waterfall=model.space.waterfall(config.nodes),
        healthy=rates(model, need.clients, nodes=config.nodes),
        degraded=tuple(degraded(model, config, need)),
        illegal=tuple(illegal),
        cannot_change_later=cannot_change_later,
        assumptions=assumptions if model.loses_its_part else (*assumptions, THROTTLED.format(config.backend)),
        notes=(*notes, f"no number of these nodes meets: {never}") if never else notes,
        parts=parts or {},
        protection=model.protection or spread(model, config),
        classes=classes,
    )
