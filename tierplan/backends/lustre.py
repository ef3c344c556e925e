"""
Lustre: object storage servers in pairs over shared enclosures, RAID beneath, metadata servers of their own.

`nodes` counts object storage servers (OSS).  Metadata servers come beside them, sized from files and op rate; no
count, bandwidth or byte of theirs is in the figures of the storage nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tierplan.backends import Backend, TemplateValue
from tierplan.backends import _lustre as own
from tierplan.backends import _rules as rules
from tierplan.backends._beside import named_faults
from tierplan.backends._choosing import (
    OptionKind,
    Relied,
    configured,
    most,
    option,
    option_faults,
    pinned_layout,
    pinned_node,
)
from tierplan.backends._lustre_files import context
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
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site, StorageNode, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate, Size

OPTIONS: Mapping[str, OptionKind] = {
    "ha": str,
    "backfs": str,
    "appliance": str,
    "fsname": str,
    "stripe_size": Size,
    "dom": Size,
    "hsm": bool,
    "mds": {"nodes": int, "drives": int, "drive_size": Size, "hosts": tuple, "addresses": tuple, "drive_paths": tuple},
}
HA, BACKFS = ("pair", "none"), ("ldiskfs", "zfs")
APPLIANCES = ("ai400x2",)
ROW = "exascaler-"  # catalogue nodes of this name are controllers of an appliance
STRIPE_SIZE = Size(4.0 * 2**20)
LARGEST_STRIPE = Size(4.0 * 2**30)
LARGEST_DOM = Size(2.0**30)
FSNAME = re.compile(r"[-_A-Za-z0-9]{1,8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What one OSS gives with both servers of a pair up, and with its partner's targets on it."""

    healthy: NodeRates
    carrying: NodeRates


def paired(config: TierConfig) -> bool:
    """Two servers share an enclosure, so that one can carry the targets of both."""
    return option(config.options, "ha", str) != "none"


def backfs(config: TierConfig) -> str:
    """The file system of the targets: ``ldiskfs`` or ``zfs``."""
    return option(config.options, "backfs", str) or BACKFS[0]


def appliance(config: TierConfig) -> str | None:
    """The appliance that the nodes are controllers of, or None."""
    word = option(config.options, "appliance", str)
    return word if word in APPLIANCES else None


def declustered(config: TierConfig) -> bool:
    """Spares lie over all drives: dRAID, or an appliance's own pools."""
    return backfs(config) == "zfs" or appliance(config) is not None


def osts_per_oss(config: TierConfig) -> int:
    """OSTs of one OSS: one for each RAID group, one where the drives are declustered."""
    layout = config.layout
    if declustered(config):
        return int(config.node.drives > layout.hot_spares and layout.width > 0)
    return groups(drives=config.node.drives, hot_spares=layout.hot_spares, width=layout.width)


def space(config: TierConfig, used: Relied) -> EvenSpace:
    """
    From raw to usable bytes.

    Formula:  usable = raw * drives in groups / drives * D / (D + P) * (1 - reserve) * (1 - inode tables)
    Source:   Lustre operations manual, configuring storage (2019-07, checked 2026-11-29)
    """
    steps = raid_steps(config, declustered=declustered(config))
    share = used["appliance_usable_share"]
    ldiskfs, zfs = used["ldiskfs_reserve"], used["zfs_reserve"]
    left = steps[0].fraction * steps[1].fraction
    if appliance(config) is not None:
        kept = min(1.0, share / left) if left > 0 else 0.0
        last = [Factor(name=f"appliance's own reserve ({share:g} of raw in all)", fraction=kept, basis="derived")]
    elif backfs(config) == "zfs":
        last = [Factor(name="zfs reserve", fraction=1 - zfs, basis="vendor")]
    else:
        targets = osts_per_oss(config)
        ost = config.node.raw * (left / targets) if targets > 0 else Size.zero()
        tables = own.ost_inode_share(ost, inode_bytes=used["ost_inode_bytes"])
        last = [
            Factor(name="ldiskfs reserve", fraction=1 - ldiskfs, basis="vendor"),
            Factor(name="inode tables", fraction=tables, basis="vendor"),
        ]
    return EvenSpace(node_raw=config.node.raw, steps=(*steps, *last))


def _ceilings(config: TierConfig, used: Relied, *, share: float) -> tuple[Ceiling, ...]:
    """Ports and server by the share that its own targets get of them; drives whole."""
    node, net, kind = config.node, used["network_share"], appliance(config)
    disks = data_drives(config, declustered=declustered(config))
    eta_read, eta_write = used["raid_read_share"], used["raid_write_share"]
    if kind is not None:
        eta_read = eta_write = 1.0  # the measured figure holds the losses of its own RAID
    read, write = ("oss_read", "oss_write") if kind is None else (f"{kind}_read", f"{kind}_write")
    return (
        Ceiling(limited_by="node ports", read=node.network * (net * share), write=node.network * (net * share)),
        Ceiling(
            limited_by="media",
            read=raid_bandwidth(node.drive.read, data_drives=disks, eta=eta_read),
            write=raid_bandwidth(node.drive.write, data_drives=disks, eta=eta_write),
        ),
        Ceiling(
            limited_by="cpu",
            read=used.quantity(Bandwidth, read) * share,
            write=used.quantity(Bandwidth, write) * share,
            read_high=used.quantity_high(Bandwidth, read) * share,
            write_high=used.quantity_high(Bandwidth, write) * share,
        ),
    )


def server(config: TierConfig, used: Relied, meta: own.Metadata) -> Server:
    """One OSS; metadata operations are those of the metadata servers."""
    beside = meta.rate * meta.servers

    def of(share: float) -> NodeRates:
        return lowest(*_ceilings(config, used, share=share), op_rate=OpRate.zero(), op_rate_beside=beside)

    return Server(healthy=of(1.0), carrying=of(0.5))


def model(config: TierConfig, need: TierNeed, used: Relied) -> tuple[Model, Server, own.Metadata]:
    """Lustre's figures for one configuration."""
    meta = own.metadata(config, need, used, paired=paired(config))
    one, share = server(config, used, meta), used["client_port_share"]
    socket = used.quantity(Bandwidth, "tcp_client")
    most_client = socket if need.clients.transport == "tcp" else None
    figures = Model(
        node=one.healthy,
        space=space(config, used),
        least={"minimum": 2 if paired(config) else 1},
        full_limit=used["full_limit"],
        client=client_ceiling(
            need.clients, read_share=share, write_share=share, most_read=most_client, most_write=most_client
        ),
        tolerated=config.node.drives if paired(config) else max(0, config.layout.tolerated),
        protection=raid_protection(config, paired=paired(config), pooled=declustered(config)),
    )
    if paired(config):
        extra = pair_counts(figures, need, one.carrying, racks=config.racks)
        figures = replace(figures, least={**figures.least, **extra})
    return figures, one, meta


def layout_faults(config: TierConfig, meta: own.Metadata) -> Iterator[Illegal]:
    """What Lustre forbids about counts, targets and sizes."""
    policy, targets = f"{config.tier}-layout", osts_per_oss(config)
    yield from rules.too_few_nodes(config, 2 if paired(config) else 1)
    if paired(config):
        yield from odd_count(config, remedy="write ha: none (a lost server then takes its files out of reach)")
    parities = (1, 2, 3) if backfs(config) == "zfs" else (1, 2)
    yield from raid_faults(config, parities=parities, spare=appliance(config) is None)
    yield from own.metadata_faults(config, meta, paired=paired(config))
    yield from named_faults(config, "mds", servers=meta.servers, drives=meta.drives)
    if targets * config.nodes > own.MOST_OSTS:
        yield Illegal(
            policy=policy,
            message=f"lustre: {targets * config.nodes} OSTs; a file system has at most {own.MOST_OSTS}",
            remedy="use larger RAID groups, or backfs: zfs (one OST a node)",
            required=own.MOST_OSTS,
            planned=targets * config.nodes,
        )
    if backfs(config) == "zfs" and config.node.drives > own.DRAID_DRIVES:
        yield Illegal(
            policy=policy,
            message=f"lustre: a dRAID of {config.node.drives} drives; at most {own.DRAID_DRIVES}",
            remedy="use fewer drives a node, or backfs: ldiskfs",
            required=own.DRAID_DRIVES,
            planned=config.node.drives,
        )
    yield from _ost_too_large(config, targets)


def _ost_too_large(config: TierConfig, targets: int) -> Iterator[Illegal]:
    left = raid_steps(config, declustered=declustered(config))
    ost = config.node.raw * (left[0].fraction * left[1].fraction / targets) if targets else Size.zero()
    if ost > own.OST_SIZE and appliance(config) is None:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"lustre: OSTs of {ost.show('TiB')}; at most {own.OST_SIZE.show()}",
            remedy="use smaller RAID groups or fewer drives a node",
            required=own.OST_SIZE.bytes,
            planned=ost.bytes,
            unit="bytes",
        )


def word_faults(config: TierConfig) -> Iterator[Illegal]:
    """Lustre's own words in range."""
    policy, options = f"{config.tier}-layout", config.options
    for name, allowed in (("ha", HA), ("backfs", BACKFS), ("appliance", APPLIANCES)):
        word = option(options, name, str)
        if word is not None and word not in allowed:
            message = f"lustre: {name} {word}; allowed: {', '.join(allowed)}"
            yield Illegal(policy=policy, message=message, remedy=f"write {name}: {allowed[0]}")
    fsname = option(options, "fsname", str)
    if fsname is not None and not FSNAME.fullmatch(fsname):
        message = f"lustre: fsname {fsname!r}; allowed: 1 to 8 letters, digits, - and _"
        yield Illegal(policy=policy, message=message, remedy="write fsname: hot")
    for name, most_size in (("stripe_size", LARGEST_STRIPE - own.UNIT), ("dom", LARGEST_DOM)):
        word_size = option(options, name, Size)
        if word_size is None or (name == "dom" and not word_size):
            continue
        if word_size.bytes % own.UNIT.bytes or not own.UNIT <= word_size <= most_size:
            message = (
                f"lustre: {name} {word_size.show()}; allowed: multiples of 64 KiB up to {most_size.show('MiB', 6)}"
            )
            yield Illegal(policy=policy, message=message, remedy=f'write {name}: "64 KiB"')


def node_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What an OSS must have."""
    targets = osts_per_oss(config)
    memory = own.server_memory(
        targets=targets, base=used.quantity(Size, "oss_memory"), each=used.quantity(Size, "ost_memory")
    )
    own_drives = int(used["appliance_drives"])
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, int(used["least_cores"]), because="the server's threads")
    yield from rules.too_little_memory(config, memory, because=f"{targets} OSTs and the partner's")
    if appliance(config) is not None and config.node.drives != own_drives:
        yield Illegal(
            policy=f"{config.tier}-node",
            message=f"lustre: {config.node.drives} drives a node; a controller of {appliance(config)} has {own_drives}",
            remedy=f"write drives: {own_drives}, or leave out appliance",
            required=own_drives,
            planned=config.node.drives,
        )


def notes(config: TierConfig, need: TierNeed, meta: own.Metadata, *, ost: Bandwidth, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    held = f"{meta.drives} × {meta.drive.show()} in RAID 10"
    files = f"{meta.needed.show()} of MDT for {meta.inodes:.3g} files with growth"
    lines = [
        f"{meta.servers} metadata servers stand beside the {config.nodes} OSS, in no count: {held} each; {files}",
        f"one file on one OST writes at {ost.show()} at most: stripe large files, spread many files over all OSTs",
        "the fullest OST counts: writes to a full one fail while others have room",
        "write-heavy small records in one shared file reach a fraction of these rates (9 % was measured)",
    ]
    if paired(config):
        lines.append("both servers of a pair see all drives of their enclosure; fencing is required before failover")
    if appliance(config) is not None:
        lines.append("appliance of a vendor: two nodes are one appliance; ask for an offer and write it as quote")
    if need.files <= 0:
        lines.append(f"the number of files is not known: {used.quantity(Size, 'mean_file').show()} a file is assumed")
    if option(config.options, "hsm", bool):
        lines.append("hsm: the only open S3 copytool is dormant since 2019; plan the POSIX copytool or a vendor's")
    return tuple(lines)


class Lustre:
    """The Lustre backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Each server of the catalogue with RAID 6 in it, and each appliance, sized for the need."""
        used = Relied(facts)
        for node, options in _to_try(pins, facts):
            layout = default_layout(node, pins)
            layout = pinned_layout(replace(layout, hot_spares=0) if "appliance" in options else layout, pins)
            config = configured("lustre", need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
            config = replace(config, options=options)
            if pins.nodes is None:
                figures, _, _ = model(config, need, used)
                config = replace(config, nodes=most(counts(figures, need, racks=site.racks)))
            yield config

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a Lustre file system of this configuration gives."""
        used = Relied(facts)
        figures, one, meta = model(config, need, used)
        targets = osts_per_oss(config)
        ost = one.healthy.write / max(1, targets)
        illegal = (
            *layout_faults(config, meta),
            *node_faults(config, used),
            *option_faults(config, OPTIONS),
            *word_faults(config),
        )
        given = delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(
                f"backing file system {backfs(config)} and RAID geometry {config.layout} of each target",
                "inodes of each ldiskfs MDT and OST, file system name, index of each target: set by mkfs.lustre",
            ),
            assumptions=used.lines(config.node),
            notes=notes(config, need, meta, ost=ost, used=used),
            parts=_parts(config, need, meta, ost=ost, dom=own.dom_size(config, need, used)),
        )
        return in_pairs(given, config, need, figures, lost=one.carrying, paired=paired(config))

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """What the set-up commands need; see `_lustre_files.context`."""
        config = plan.config
        return context(plan, hosts, backfs=backfs(config), paired=paired(config), appliance=appliance(config))


def _to_try(pins: TierPins, facts: BackendFacts) -> Iterator[tuple[StorageNode, Mapping[str, OptionValue]]]:
    """Servers and controllers of the catalogue with the pins laid over them, each once."""
    word = option(pins.options, "appliance", str)
    own_words = "appliance" in pins.options or pins.node is not None or "backfs" in pins.options
    seen: list[StorageNode] = []  # a controller differs from the servers in its ports
    for name, known in facts.nodes.items():
        is_appliance = name.startswith(ROW)
        kind = name.removeprefix(ROW)
        if (word in APPLIANCES and kind != word) or (is_appliance and kind != word and own_words):
            continue
        node = known if pins.node is None else pinned_node(known, pins.node)
        if node not in seen:
            seen.append(node)
            yield node, {**pins.options, "appliance": kind} if is_appliance else pins.options


def _parts(config: TierConfig, need: TierNeed, meta: own.Metadata, *, ost: Bandwidth, dom: Size) -> Mapping[str, float]:
    """Servers, targets and geometry."""
    targets, clients = osts_per_oss(config), need.clients
    file = max(clients.node_read, clients.node_write)
    stripes = stripe_count(file=file, target=ost, targets=max(1, targets * config.nodes))
    return {
        "osts_per_oss": targets,
        "osts": targets * config.nodes,
        "mds_servers": meta.servers,
        "mdts": meta.servers,
        "mds_drives": meta.drives,
        "mdt_gib": int(meta.mdt.bytes / 2**30),
        "stripe_count": stripes,
        "dom_kib": int(dom.bytes / 2**10),
        **raid_parts(config, rpc_kib=4096),
    }


def downward(config: TierConfig) -> Downward:
    """HSM: a copytool archives what a policy run lists, and the space is released."""
    on = option(config.options, "hsm", bool) is True
    return Downward(
        mechanism="Lustre HSM with a copytool",
        by_itself=False,
        transparent=True,
        missing="" if on else "lustre runs without HSM, so it hands nothing over",
        remedy="write tiers.hot.options.hsm: true",
        source="Lustre operations manual, Hierarchical Storage Management",
    )


BACKEND: Backend = Lustre()
