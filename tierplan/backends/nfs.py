"""
NFS: servers or controllers with flash drives in RAID groups, each a file system of its own, mounted by every GPU node.

Failure domain ``node``: pairs of servers that reach the same drives, so that one takes over from the other.
Failure domain ``drive``: servers that stand alone.  With an offer (`quote`) it is an all-flash NAS: the lesser of the
offer and of what ports and drives allow; without one, no more than was measured on one such server.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue
from tierplan.backends import _rules as rules
from tierplan.backends._choosing import (
    OptionKind,
    Relied,
    configured,
    most,
    nodes_to_try,
    option,
    option_faults,
    pinned_layout,
)
from tierplan.backends._nfs import PATH, Mount, mount, port_share, word_faults, word_of
from tierplan.backends._pairs import raid_protection
from tierplan.backends._sizing import Ceiling, Model, NodeRates, client_ceiling, counts, delivered, lowest
from tierplan.backends._space import EvenSpace, code_step
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import LayoutPins, Site, StorageNode, TierPins
from tierplan.domain.tiers import Degraded, Delivered, Factor, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate

OPTIONS: Mapping[str, OptionKind] = {"version": str, "nconnect": int, "export": str, "threads": int}
VERSIONS = ("3", "4.1", "4.2")


def raid_groups(*, drives: int, hot_spares: int, width: int) -> int:
    """
    RAID groups of one server; drives that fill no group stay unused.

    Formula:  (drives - hot_spares) // width

    >>> raid_groups(drives=24, hot_spares=1, width=11)
    2
    """
    return max(0, drives - hot_spares) // width if width > 0 else 0


def default_data_units(*, drives: int, hot_spares: int, parity_units: int, widest: int) -> int:
    """
    Data drives of a RAID group: as few groups as the widest allows, all alike.

    Formula:  (drives - hot_spares) // groups - parity_units, with groups = ceil((drives - hot_spares) / widest)

    >>> default_data_units(drives=12, hot_spares=1, parity_units=2, widest=28)
    9
    """
    left = max(1, drives - hot_spares)
    return max(1, left // -(-left // widest) - parity_units)


def server_threads(cores: int, *, threads_per_core: float, least: float) -> int:
    """
    Threads of the kernel's NFS server.

    Formula:  max(least, cores * threads_per_core)

    >>> server_threads(32, threads_per_core=4, least=64)
    128
    """
    return math.ceil(max(least, cores * threads_per_core))


def layout_groups(config: TierConfig) -> int:
    """RAID groups of one server under its layout."""
    layout = config.layout
    return raid_groups(drives=config.node.drives, hot_spares=layout.hot_spares, width=layout.width)


def node_rates(config: TierConfig, need: TierNeed, used: Relied) -> NodeRates:
    """What one server gives: its ports, the drives of its RAID groups, and, without an offer, what was measured."""
    node, share = config.node, port_share(need.clients.transport, used)
    drives = layout_groups(config) * config.layout.width
    measured = Ceiling(
        limited_by="protocol",
        read=used.quantity(Bandwidth, "server_read"),
        write=used.quantity(Bandwidth, "server_write"),
        read_high=used.quantity_high(Bandwidth, "server_read"),
        write_high=used.quantity_high(Bandwidth, "server_write"),
    )
    return lowest(
        *(() if config.quote else (measured,)),
        Ceiling(limited_by="node ports", read=node.network * share, write=node.network * share),
        Ceiling(
            limited_by="media",
            read=node.drive.read * drives,
            write=node.drive.write * drives * code_step(config.layout).fraction,
        ),
        op_rate=used.quantity(OpRate, "op_rate") * bool(drives),
        op_rate_high=used.quantity_high(OpRate, "op_rate") * bool(drives),
        op_rate_limited_by="cpu",
    )


def space(config: TierConfig, used: Relied) -> EvenSpace:
    """
    From raw to usable bytes.

    Formula:  usable = raw * (drives - spares) / drives * grouped / (drives - spares) * k / (k + m) * (1 - reserve)
    Assumes:  hot spares stand in every server; drives that fill no RAID group stay unused
    """
    drives, layout = config.node.drives, config.layout
    left = max(0, drives - layout.hot_spares)
    grouped = layout_groups(config) * layout.width
    steps = (
        Factor(
            name=f"hot spare ({layout.hot_spares} of {drives} drives)",
            fraction=left / drives if drives > 0 else 0.0,
            basis="layout",
        ),
        Factor(
            name=f"whole RAID groups ({grouped} of {left} drives)",
            fraction=grouped / left if left > 0 else 0.0,
            basis="layout",
        ),
        code_step(layout),
        Factor(name="file system", fraction=1 - used["file_system_reserve"], basis="assumed"),
    )
    return EvenSpace(node_raw=config.node.raw, steps=steps)


def client_mount(config: TierConfig, need: TierNeed, used: Relied) -> Mount:
    """The mount of a GPU node: one address of one server, so one of its ports."""
    ports = min(1, need.clients.ports)
    pinned = option(config.options, "nconnect", int)
    return mount(need.clients, used, ports=ports, most=used["kernel_connections"], pinned=pinned)


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """NFS's figures for one configuration."""
    mounted, node = client_mount(config, need, used).bandwidth, node_rates(config, need, used)
    pairs = config.layout.failure_domain == "node"
    least = {"minimum": 2 if pairs else 1}
    made = Model(
        node=node,
        space=space(config, used),
        least=least,
        full_limit=used["full_limit"],
        client=client_ceiling(
            need.clients,
            read_share=1,
            write_share=1,
            most_read=min(mounted, node.read),  # one mount is served by one server
            most_write=min(mounted, node.write),
        ),
        tolerated=1,
        loses_its_part=not pairs,
        protection=raid_protection(config, paired=pairs),
    )
    if not pairs:
        return made
    asked = most(counts(made, need, racks=config.racks))
    return replace(made, least={**least, "pair": asked + asked % 2})


def default_layout(node: StorageNode, need: TierNeed, pins: TierPins, used: Relied) -> Layout:
    """RAID groups over the drives of a server where the stack leaves it open; pairs where a loss must be survived."""
    pinned = pins.layout or LayoutPins()
    pairs = need.survive.nodes > 0 or need.survive.racks > 0
    domain = pinned.failure_domain or ("node" if pairs else "drive")
    parity = int(used["parity_drives"]) if pinned.parity_units is None else pinned.parity_units
    spares = min(1, node.drives // 4) if pinned.hot_spares is None else pinned.hot_spares
    widest = int(used["widest_group"])
    data = default_data_units(drives=node.drives, hot_spares=spares, parity_units=parity, widest=widest)
    layout = Layout(kind="erasure-code", data_units=data, parity_units=parity, hot_spares=spares, failure_domain=domain)
    return pinned_layout(layout, pins)


def layout_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What RAID groups and pairs forbid, and what is advised."""
    layout, policy, drives = config.layout, f"{config.tier}-layout", config.node.drives
    pairs = layout.failure_domain == "node"
    if layout.kind != "erasure-code" or layout.failure_domain == "rack":
        yield Illegal(
            policy=policy,
            message=f"nfs: {layout} over {layout.failure_domain}s; RAID groups lie in one server or one pair of them",
            remedy="write data_units, parity_units: 2 and failure_domain: node (pairs) or drive (servers alone)",
        )
        return
    yield from rules.too_few_nodes(config, 2 if pairs else 1)
    if pairs and config.nodes % 2:
        message = f"nfs: {config.nodes} servers; each takes over from a partner, so their number is even"
        yield Illegal(
            policy=policy,
            message=message,
            remedy=f"use {config.nodes + 1} servers, or failure_domain: drive",
            required=config.nodes + 1,
            planned=config.nodes,
        )
    if min(layout.data_units, layout.parity_units) < 1:
        message = f"nfs: RAID group {layout}; at least one data and one parity drive"
        yield Illegal(policy=policy, message=message, remedy="write parity_units: 2")
    if layout.width + layout.hot_spares > drives:
        yield Illegal(
            policy=policy,
            message=f"nfs: {drives} drives a server cannot hold a {layout} group and {layout.hot_spares} hot spares",
            remedy=f"use {layout.width + layout.hot_spares} drives a server, or a narrower group",
            required=layout.width + layout.hot_spares,
            planned=drives,
        )
    yield from _layout_advice(config, used)


def _layout_advice(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    layout, widest, parity = config.layout, int(used["widest_group"]), int(used["parity_drives"])
    if layout.width > widest:
        yield rules.advice(
            f"nfs: RAID groups of {layout.width} drives; up to {widest} are advised",
            remedy=f"write data_units: {widest - layout.parity_units}",
            required=widest,
            planned=layout.width,
        )
    if 0 < layout.parity_units < parity:
        yield rules.advice(
            f"nfs: {layout.parity_units} parity drive; a second failure during the rebuild loses the file system",
            remedy=f"write parity_units: {parity}",
            required=parity,
            planned=layout.parity_units,
        )
    if layout.hot_spares < 1:
        yield rules.advice("nfs: no hot spare", remedy="write hot_spares: 1", required=1, planned=layout.hot_spares)
    largest = int(used["most_servers"])
    if config.nodes > largest:
        yield rules.advice(
            f"nfs: {config.nodes} servers are {config.nodes} file systems; one namespace of NAS ends at {largest}",
            remedy="use a parallel file system",
            required=largest,
            planned=config.nodes,
        )


def option_rules(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """The words of mounts and server in range."""
    policy, options, limit = f"{config.tier}-layout", config.options, int(used["kernel_connections"])
    version, nconnect = option(options, "version", str), option(options, "nconnect", int)
    threads = option(options, "threads", int)
    yield from word_faults(config, "export", PATH, example="/srv/hot")
    if version is not None and version not in VERSIONS:
        message = f"nfs: version {version}; allowed: {', '.join(VERSIONS)}"
        yield Illegal(policy=policy, message=message, remedy='write version: "4.2"')
    if nconnect is not None and not 1 <= nconnect <= limit:
        yield Illegal(
            policy=policy,
            message=f"nfs: nconnect {nconnect}; allowed: 1 to {limit}",
            remedy=f"write nconnect: {min(limit, max(1, nconnect))}",
            required=limit,
            planned=nconnect,
        )
    if threads is not None and threads < 1:
        yield Illegal(policy=policy, message=f"nfs: {threads} server threads", remedy="leave out threads")


def node_faults(config: TierConfig) -> Iterator[Illegal]:
    """What a server must have."""
    yield from rules.nothing_in_it(config)
    if config.node.medium == "hdd":
        message = "nfs: drives are hdd; figures are those of all-flash servers"
        yield Illegal(policy=f"{config.tier}-node", message=message, remedy="use NVMe or SSD drives")


def notes(config: TierConfig, mounted: Mount) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    lines = [f"one mount: nconnect={mounted.connections} over one port carries {mounted.bandwidth.show()}"]
    if config.nodes > 1 and config.quote is None:
        lines.append(
            f"{config.nodes} servers are {config.nodes} file systems: the rates need every job spread over all of them"
        )
    if config.layout.failure_domain == "node":
        lines.append("a pair stands in one rack with its drives: the loss of the rack takes its file systems away")
    else:
        lines.append("a server stands alone: its file system is gone while it is down")
    return tuple(lines)


def beyond_racks(given: Delivered) -> Delivered:
    """Pairs share their drives in one rack: no rack may be lost, whatever stands in the others."""
    states = tuple(
        Degraded(nodes=one.nodes, racks=one.racks, read=Bandwidth.zero(), write=Bandwidth.zero(), data_lost=True)
        if one.racks
        else one
        for one in given.degraded
    )
    return replace(given, degraded=states)


class Nfs:
    """The NFS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Each server of the catalogue with RAID groups over its drives, sized for the need."""
        used = Relied(facts)
        for node in nodes_to_try(pins.node, facts):
            layout = default_layout(node, need, pins, used)
            config = configured("nfs", need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
            if pins.nodes is None:
                config = replace(config, nodes=most(counts(model(config, need, used), need, racks=site.racks)))
            yield config

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What these servers give together, spread evenly."""
        used, layout = Relied(facts), config.layout
        figures, mounted = model(config, need, used), client_mount(config, need, used)
        illegal = (
            *layout_faults(config, used),
            *node_faults(config),
            *option_faults(config, OPTIONS),
            *option_rules(config, used),
        )
        threads = option(config.options, "threads", int)
        by_cores = server_threads(
            config.node.cores, threads_per_core=used["threads_per_core"], least=used["least_threads"]
        )
        given = delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(
                f"RAID groups of {layout.data_units} data and {layout.parity_units} parity drives: set when made",
                "a file system on XFS grows and never shrinks",
            ),
            assumptions=used.lines(config.node),
            notes=notes(config, mounted),
            parts={
                "raid_groups": layout_groups(config),
                "threads": by_cores if threads is None else max(0, threads),
                "nconnect": mounted.connections,
            },
        )
        return beyond_racks(given) if layout.failure_domain == "node" else given

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """
        What servers and clients need.

        servers: nodes, pairs (whether they take over), appliance (an offer: the vendor's own tools set it up),
                 drives_per_node, data_units, parity_units, hot_spares, raid_groups, threads
        export:  export (path), version, server_gib (planned bytes of one server)
        client:  transport (tcp, rdma), nconnect
        host_needs: what a hosts file must name for these files
        hosts:   as the stack's hosts file names them
        """
        config, layout, parts = plan.config, plan.config.layout, plan.delivered.parts
        pairs, version = layout.failure_domain == "node", option(config.options, "version", str)
        return {
            "nodes": config.nodes,
            "pairs": pairs,
            "appliance": config.quote is not None,
            "drives_per_node": config.node.drives,
            "data_units": layout.data_units,
            "parity_units": layout.parity_units,
            "hot_spares": layout.hot_spares,
            **{name: int(count) for name, count in parts.items()},
            "export": word_of(config, "export", PATH, default="/srv/hot"),
            "version": version if version in VERSIONS else VERSIONS[-1],
            "server_gib": math.floor(plan.delivered.planned.bytes / max(1, config.nodes) / 2**30),
            "transport": "tcp" if plan.need.clients.transport == "tcp" else "rdma",
            "host_needs": ["ports", "drives", "virtual_ips"],
            "hosts": hosts,
        }


BACKEND: Backend = Nfs()
