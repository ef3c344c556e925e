"""
BeeGFS: storage servers with RAID beneath, files mirrored over two servers (buddy groups), metadata servers beside.

`nodes` counts storage servers.  Metadata servers come beside them, sized from files and op rate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue
from tierplan.backends import _beegfs as own
from tierplan.backends import _rules as rules
from tierplan.backends._beside import named_faults
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
from tierplan.backends._pairs import in_pairs, odd_count, pair_counts, raid_protection
from tierplan.backends._raid import (
    data_drives,
    default_layout,
    groups,
    raid_bandwidth,
    raid_faults,
    raid_parts,
    raid_steps,
    stripe_count,
)
from tierplan.backends._sizing import Ceiling, Model, NodeRates, client_ceiling, counts, delivered, lowest
from tierplan.backends._space import EvenSpace
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate, Size

OPTIONS: Mapping[str, OptionKind] = {
    "version": int,
    "mirror": bool,
    "chunk_size": Size,
    "stripe_targets": int,
    "quota": bool,
    "meta": {"nodes": int, "drives": int, "drive_size": Size, "hosts": tuple, "addresses": tuple, "drive_paths": tuple},
}
VERSIONS = (8, 7)


def mirrored(config: TierConfig) -> bool:
    """Files and metadata stand on two servers each, unless the stack says otherwise."""
    return option(config.options, "mirror", bool) is not False


def targets_per_node(config: TierConfig) -> int:
    """One target for each RAID group."""
    layout = config.layout
    return groups(drives=config.node.drives, hot_spares=layout.hot_spares, width=layout.width)


def space(config: TierConfig) -> EvenSpace:
    """
    From raw to usable bytes.

    Formula:  usable = raw * drives in groups / drives * D / (D + P) * 1/2 where mirrored
    Source:   BeeGFS documentation, system design (2026-11-29)
    """
    mirror = Factor(name="buddy mirror 1/2", fraction=0.5, basis="layout")
    return EvenSpace(node_raw=config.node.raw, steps=(*raid_steps(config), *((mirror,) if mirrored(config) else ())))


def rates_of(config: TierConfig, used: Relied, meta: own.Metadata) -> tuple[NodeRates, NodeRates]:
    """One storage server as it is, and with its partner's reads on it."""
    node, net = config.node, used["network_share"]
    disks = data_drives(config)
    server = used.quantity(Bandwidth, "server_read"), used.quantity(Bandwidth, "server_write")
    own_limits = (
        Ceiling(limited_by="node ports", read=node.network * net, write=node.network * net),
        Ceiling(
            limited_by="media",
            read=raid_bandwidth(node.drive.read, data_drives=disks, eta=used["raid_read_share"]),
            write=raid_bandwidth(node.drive.write, data_drives=disks, eta=used["raid_write_share"]),
        ),
        Ceiling(limited_by="cpu", read=server[0], write=server[1]),
    )
    share, primaries = used["mirror_media_read"], own.primary_share(targets_per_node(config))

    def of(server_read: float) -> NodeRates:
        halved = own.mirrored_ceilings(own_limits, media_read=share, server_read=server_read)
        limits = halved if mirrored(config) else own_limits
        return lowest(*limits, op_rate=OpRate.zero(), op_rate_beside=meta.rate)

    return of(primaries), of(0.5)


def model(config: TierConfig, need: TierNeed, used: Relied) -> tuple[Model, NodeRates, own.Metadata]:
    """BeeGFS's figures for one configuration, what one server of a pair gives alone, and the metadata servers."""
    both = mirrored(config)
    meta = own.metadata(config, need, used, mirrored=both)
    healthy, alone = rates_of(config, used, meta)
    share, socket = used["client_port_share"], used.quantity(Bandwidth, "tcp_client")
    most_client = socket if need.clients.transport == "tcp" else None
    figures = Model(
        node=healthy,
        space=space(config),
        least={"minimum": 2 if both else 1},
        full_limit=used["full_limit"],
        client=client_ceiling(
            need.clients, read_share=share, write_share=share, most_read=most_client, most_write=most_client
        ),
        protection=raid_protection(config, paired=False, mirrored=both),
    )
    if both:
        extra = pair_counts(figures, need, alone, racks=config.racks)
        figures = replace(figures, least={**figures.least, **extra})
    return figures, alone, meta


def faults(config: TierConfig, meta: own.Metadata, used: Relied) -> Iterator[Illegal]:
    """What BeeGFS forbids about counts, layout, servers and its own words."""
    both = mirrored(config)
    yield from rules.too_few_nodes(config, 2 if both else 1)
    if both:
        yield from odd_count(config, remedy="write mirror: false (a lost server then takes its files)")
    yield from raid_faults(config, parities=(1, 2))
    yield from own.metadata_faults(config, meta, mirrored=both)
    yield from named_faults(config, "meta", servers=meta.servers, drives=meta.drives)
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, int(used["least_cores"]), because="the server's workers")
    yield from option_faults(config, OPTIONS)
    yield from word_faults(config)


def word_faults(config: TierConfig) -> Iterator[Illegal]:
    """BeeGFS's own words in range."""
    policy, options = f"{config.tier}-layout", config.options
    version, chunk = option(options, "version", int), option(options, "chunk_size", Size)
    stripes = option(options, "stripe_targets", int)
    if version is not None and version not in VERSIONS:
        message = f"beegfs: version {version}; allowed: 7, 8"
        yield Illegal(policy=policy, message=message, remedy="write version: 8", required=8, planned=version)
    if chunk is not None and (chunk < own.LEAST_CHUNK or int(chunk.bytes) & (int(chunk.bytes) - 1)):
        message = f"beegfs: chunk_size {chunk.show('KiB', 6)}; allowed: powers of two from 64 KiB on"
        yield Illegal(policy=policy, message=message, remedy='write chunk_size: "1 MiB"')
    if stripes is not None and stripes < 1:
        message = f"beegfs: stripe_targets {stripes}; a file lies on one or more"
        yield Illegal(policy=policy, message=message, remedy="write stripe_targets: 4", required=1, planned=stripes)
    if version == VERSIONS[1]:
        yield rules.advice(
            "beegfs: version 7 is the old line; 8 came with another management service and command",
            remedy="write version: 8",
            required=VERSIONS[0],
            planned=VERSIONS[1],
            policy="advice-node",
        )


def notes(config: TierConfig, need: TierNeed, meta: own.Metadata) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    held = f"{meta.drives} × {meta.drive.show()} in RAID 10 each for {meta.needed.show()} of metadata"
    lines = [
        f"{meta.servers} metadata servers stand beside the {config.nodes} storage servers, in no count: {held}",
        "no bandwidth of a server is published in what was read: ports, drives and an assumed 15 GB/s are counted",
        "the fullest target counts: files with a chunk on a full one fail while others have room",
    ]
    if mirrored(config):
        if targets_per_node(config) % 2:
            lines.append(
                "an odd number of targets a server leaves one server of a pair fewer reads: two or four are better"
            )
        lines.append("mirroring, storage pools and quotas need a licence of the vendor; the rest is source-available")
        lines.append(
            "the two servers of a buddy group stand in different racks: a lost rack takes one of each group, no more"
        )
    else:
        lines.append("without mirroring a lost server takes its files out of reach until it is back")
    if need.files <= 0:
        lines.append("the number of files is not known: metadata is taken as a share of the capacity")
    return tuple(lines)


def parts(config: TierConfig, need: TierNeed, meta: own.Metadata, *, target: Bandwidth) -> Mapping[str, float]:
    """Servers, targets, stripes and buffers."""
    count = targets_per_node(config) * config.nodes
    buddies = count // 2 if mirrored(config) else count
    chunk = option(config.options, "chunk_size", Size) or own.CHUNK
    file = max(need.clients.node_read, need.clients.node_write)
    wanted = max(own.STRIPE_TARGETS, stripe_count(file=file, target=target, targets=max(1, buddies)))
    stripes = option(config.options, "stripe_targets", int) or wanted
    return {
        "targets_per_node": targets_per_node(config),
        "targets": count,
        "meta_servers": meta.servers,
        "meta_drives": meta.drives,
        "stripe_targets": max(1, min(stripes, buddies)),
        "shared_targets": max(1, buddies),
        "file_chunk_kib": int(chunk.bytes / 2**10),
        "rdma_buffers": own.rdma_buffers(chunk),
        **raid_parts(config, rpc_kib=4096),
    }


class BeeGfs:
    """The BeeGFS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Each server of the catalogue with RAID 6 in it, sized for the need."""
        used = Relied(facts)
        for node in nodes_to_try(pins.node, facts):
            layout = pinned_layout(default_layout(node, pins), pins)
            config = configured("beegfs", need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
            if pins.nodes is None:
                figures, _, _ = model(config, need, used)
                config = replace(config, nodes=most(counts(figures, need, racks=site.racks)))
            yield config

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a BeeGFS of this configuration gives."""
        used = Relied(facts)
        figures, alone, meta = model(config, need, used)
        target = figures.node.write / max(1, targets_per_node(config))
        illegal = tuple(faults(config, meta, used))
        given = delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(
                f"RAID geometry {config.layout} of each target, node and target numbers",
                "chunk size and number of targets of a file: a new pattern holds for new files only",
            ),
            assumptions=used.lines(config.node),
            notes=notes(config, need, meta),
            parts=parts(config, need, meta, target=target),
        )
        return in_pairs(given, config, need, figures, lost=alone, paired=mirrored(config), apart=True)

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """What the set-up commands need; see `_beegfs.context`."""
        version = option(plan.config.options, "version", int)
        return own.context(plan, hosts, version=version or VERSIONS[0], mirrored=mirrored(plan.config))


BACKEND: Backend = BeeGfs()
