"""Storage Scale: NVMe servers in recovery groups (ECE), and the same file system on ready appliances or SAN volumes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue, _scale_rules
from tierplan.backends import _scale as scale
from tierplan.backends._choosing import (
    Relied,
    configured,
    nodes_to_try,
    option,
    option_faults,
    pinned_layout,
    sized,
)
from tierplan.backends._pairs import raid_protection
from tierplan.backends._rules import advice, nothing_in_it
from tierplan.backends._scale_context import context
from tierplan.backends._scale_space import GroupedSpace, scale_name
from tierplan.backends._scale_words import APPLIANCES, OPTIONS, SAN, SERVERS, settings, word_faults
from tierplan.backends._sizing import Ceiling, Model, NodeRates, client_ceiling, delivered, lowest, needed, spread
from tierplan.backends._space import EvenSpace, code_step, nodes_for, smallest
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import NEVER, Delivered, Factor, Illegal, Layout, Protection, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate, Size

TRIED = ("4+3p", "4+2p", "8+3p", "8+2p")  # IBM's list; the wide codes and whole copies where they are pinned


def node_rates(config: TierConfig, used: Relied) -> NodeRates:
    """What one server gives: its ports by the code's traffic, its drives, what a server was seen to carry."""
    node, chosen = config.node, settings(config)
    data, parity = scale.strips(config.layout)
    share, drive_share = used["network_share"], used["drive_share"]
    shares_drives = chosen.appliance is not None  # no strip crosses the network between the servers
    known = APPLIANCES.get(chosen.appliance or "", "ess_3500")
    cores = 1.0 if shares_drives else min(1.0, node.cores / used["measured_cores"])
    write_factor = 1.0 if shares_drives else scale.write_factor(data=data, parity=parity)
    code_share = 1.0 if chosen.appliance == SAN else code_step(config.layout).fraction
    ceilings = [
        Ceiling(
            limited_by="node ports",
            read=scale.network_bandwidth(node.network, factor=1.0 if shares_drives else 2.0, share=share),
            write=scale.network_bandwidth(node.network, factor=write_factor, share=share),
        ),
        Ceiling(
            limited_by="media",
            read=node.drive.read * (node.drives * drive_share),
            write=node.drive.write * (node.drives * drive_share * code_share),
        ),
        Ceiling(
            limited_by="cpu",
            read=used.quantity(Bandwidth, f"{known}_read") * (cores / SERVERS),
            write=used.quantity(Bandwidth, f"{known}_write") * (cores / SERVERS),
        ),
    ]
    scaled = cores * (node.drives > 0)
    return lowest(
        *ceilings,
        op_rate=used.quantity(OpRate, "create_rate") * scaled,
        op_rate_high=used.quantity_high(OpRate, "create_rate") * scaled,
        op_rate_limited_by="cpu",
    )


def grouped_space(config: TierConfig, need: TierNeed, used: Relied) -> GroupedSpace:
    """The space of recovery groups; an appliance is a group of its own."""
    chosen = settings(config)
    data, parity = scale.strips(config.layout)
    return GroupedSpace(
        drives=config.node.drives,
        drive=config.node.drive.size,
        layout=config.layout,
        block=chosen.block,
        flash=config.node.medium != "hdd",
        largest=chosen.largest_group,
        spare_drives=option(config.options, "spare_drives", int),
        metadata=used.quantity(Size, "metadata_per_file") * need.files,
        metadata_copies=4.0 if chosen.own_metadata else (data + parity) / max(1, data),
        metadata_percent=used["metadata_percent"],
        quick_fraction=used["quick_fraction"],
    )


def space(config: TierConfig, need: TierNeed, used: Relied) -> GroupedSpace | EvenSpace:
    """From raw to usable bytes; volumes of a SAN are protected by their array."""
    if settings(config).appliance != SAN:
        return grouped_space(config, need, used)
    share = 1 - used["metadata_percent"] / 100
    volumes = Factor(name="volumes, protected by their array", fraction=1.0, basis="vendor")
    return EvenSpace(
        node_raw=config.node.raw, steps=(volumes, Factor(name="metadata", fraction=share, basis="assumed"))
    )


def least(config: TierConfig, need: TierNeed, within: GroupedSpace | EvenSpace) -> dict[str, int]:
    """What product and layout ask for whatever the need, by the recovery groups that so many servers make."""
    if not isinstance(within, GroupedSpace) or within.largest == SERVERS:
        return {"minimum": SERVERS}
    data, parity = scale.strips(config.layout)
    groups = max(1, -(-config.nodes // scale.LARGEST_GROUP))
    racks = need.survive.racks if config.layout.failure_domain == "rack" else 0
    domains = scale.fewest_domains(data=data, parity=parity, survived=need.survive.nodes + racks)

    def holds(nodes: int) -> bool:
        asked = scale.fewest_drives(data=data, parity=parity, spares=within.spares(nodes))
        return nodes * config.node.drives >= asked

    def of_all_groups(servers: int) -> int:
        """Never, where no group is large enough: further groups would not help."""
        return groups * servers if servers <= scale.LARGEST_GROUP else NEVER

    return {
        "minimum": scale.FEWEST_SERVERS,
        "failure_domain": of_all_groups(domains),
        "hot_spare": of_all_groups(smallest(holds)),
    }


def tolerated(config: TierConfig) -> int:
    """Failure domains that may be lost at once, all of them in one recovery group at the worst."""
    if settings(config).appliance is not None:
        return 1  # its other server takes over
    if config.layout.failure_domain == "drive":
        return 0
    data, parity = scale.strips(config.layout)
    return scale.tolerance(_scale_rules.fewest_in_a_group(config), data=data, parity=parity)[0]


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """Storage Scale's figures for one configuration."""
    within = space(config, need, used)
    figures = Model(
        node=node_rates(config, used),
        space=within,
        least=least(config, need, within),
        client=client_ceiling(
            need.clients,
            read_share=used["network_share"],
            write_share=used["network_share"],
            most_read=used.quantity(Bandwidth, "client_read"),
            most_write=used.quantity(Bandwidth, "client_write"),
        ),
        tolerated=tolerated(config),
    )
    return replace(figures, protection=protection(config, figures, within))


def protection(config: TierConfig, figures: Model, within: GroupedSpace | EvenSpace) -> Protection | None:
    """How data is kept: strips over the servers of a recovery group, or over the drives that an appliance shares."""
    if settings(config).appliance is not None:
        return raid_protection(config, paired=True, pooled=True)
    kept = spread(figures, config)
    if kept is None or not isinstance(within, GroupedSpace):
        return kept
    servers = _scale_rules.smallest_group(config)
    spares = within.spares(servers) if servers else 0.0
    drives = max(1, config.node.drives)
    return replace(kept, pool=max(1, servers) * drives, spare=spares / drives, spare_drives=spares)


def layouts_to_try(need: TierNeed, pins: TierPins, *, racks: int) -> Iterator[Layout]:
    """The code of the stack's options, else IBM's list, each with the pins laid over it, each once."""
    word, appliance = option(pins.options, "code", str), option(pins.options, "appliance", str)
    if appliance == SAN:
        yield pinned_layout(Layout(kind="none"), pins)
        return
    tried = (word,) if word in scale.CODES else ("8+2p",) if appliance in APPLIANCES else TRIED
    seen: list[Layout] = []
    for name in tried:
        code = scale.CODES[str(name)]
        lost = need.survive.nodes + need.survive.racks
        by_rack = need.survive.racks > 0 and appliance not in APPLIANCES
        by_rack = by_rack and racks >= scale.fewest_domains(data=code.data, parity=code.parity, survived=lost)
        layout = pinned_layout(replace(code.layout, failure_domain="rack" if by_rack else "node"), pins)
        if layout not in seen:
            seen.append(layout)
            yield layout


def own_nodes(pins: TierPins, facts: BackendFacts) -> BackendFacts:
    """The facts with the node rows of what is asked for: servers, or the one appliance."""
    word = option(pins.options, "appliance", str)
    blocks = (*APPLIANCES, SAN)
    names = [name for name in facts.nodes if (name == word if word in blocks else name not in blocks)]
    return replace(facts, nodes={name: facts.nodes[name] for name in names})


def size(config: TierConfig, need: TierNeed, used: Relied) -> TierConfig:
    """The smallest node count of which no constraint asks more; appliances come in pairs of servers."""
    figures = model(config, need, used)
    fixed = needed(figures, need, racks=config.racks)

    def asked(nodes: int) -> Mapping[str, int]:
        return {**fixed, **least(replace(config, nodes=nodes), need, figures.space)}  # type: ignore[arg-type]

    nodes = sized(asked, start=SERVERS)
    if settings(config).appliance in APPLIANCES:
        nodes += nodes % SERVERS
    return replace(config, nodes=nodes)


def appliance_faults(config: TierConfig) -> Iterator[Illegal]:
    """What is asked of appliances and SAN volumes."""
    appliance = settings(config).appliance
    yield from nothing_in_it(config)
    if appliance == SAN:
        if config.quote is None:
            message = "storage-scale: what a SAN gives is its vendor's word: needs quote"
            yield Illegal(
                policy=f"{config.tier}-node", message=message, remedy="write quote: {read, write, usable, source}"
            )
        return
    if config.nodes % SERVERS or config.nodes < SERVERS:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: {config.nodes} servers of {appliance}; an appliance has two",
            remedy=f"use {max(SERVERS, config.nodes + config.nodes % SERVERS)} servers",
            required=max(SERVERS, config.nodes + config.nodes % SERVERS),
            planned=config.nodes,
        )
    code = scale.code_of(config.layout)
    if code is None or code.data == 1 or config.layout.failure_domain != "node":
        message = f"storage-scale: {scale_name(config.layout)} on {appliance}; allowed: 4+2p, 4+3p, 8+2p, 8+3p"
        yield Illegal(policy=f"{config.tier}-layout", message=message, remedy="write data_units: 8, parity_units: 2")
    if config.quote is None and appliance == "sss-6000":
        message = "storage-scale: the figures of sss-6000 are its vendor's, and the size of the system is not stated"
        yield advice(
            message, remedy="ask for an offer and write quote", required=None, planned=None, policy="advice-node"
        )


def notes(config: TierConfig, need: TierNeed, facts: BackendFacts) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    lines = [
        "storage-scale: GUI, AFM gateways and backup clients need nodes outside the recovery groups: plan two more"
    ]
    if settings(config).appliance is None:
        read, write = facts.fact("ess_3500_read"), facts.fact("ess_3500_write")
        blocks = max(1, nodes_for(need.read, Bandwidth(read.value)), nodes_for(need.write, Bandwidth(write.value)))
        newest = max(
            1,
            nodes_for(need.read, Bandwidth(facts["sss_6000_read"])),
            nodes_for(need.write, Bandwidth(facts["sss_6000_write"])),
        )
        lines.append(
            f"storage-scale: to compare, {blocks} ESS 3500 (measured {Bandwidth(read.value).show()} read, "
            f"{Bandwidth(write.value).show()} write each) or, by its vendor, {newest} System 6000 carry as much; "
            "plan them with options.appliance"
        )
    if config.layout.kind == "erasure-code":
        lines.append("storage-scale: capacity is by IBM's estimator v1.3, by its own word within 1 %")
    elif config.layout.kind == "replicas":
        lines.append("storage-scale: IBM's estimator knows no copies; capacity is by the fitted quick form")
    if config.layout.failure_domain == "rack":
        lines.append("storage-scale: racks as failure domains exist from ECE 6.0.1 on")
    if need.clients.transport == "tcp":
        lines.append("storage-scale: no figures for clients without RDMA are published; measure one before you buy")
    return tuple(lines)


def parts(config: TierConfig, within: GroupedSpace | EvenSpace) -> Mapping[str, float]:
    """Recovery groups, quorum, what is set aside."""
    known: dict[str, float] = {"quorum_nodes": scale.quorum_nodes(config.nodes)}
    if not isinstance(within, GroupedSpace):
        return known
    sizes = scale.group_sizes(config.nodes, largest=within.largest)
    largest = sizes[0][0] if sizes else 0
    return {
        **known,
        "recovery_groups": sum(number for _, number in sizes),
        "servers_in_a_group": largest,
        "spare_drives_in_a_group": math.floor(within.spares(largest)) if largest else 0,
        "vdisks_in_a_group": max(0, scale.vdisks(largest, sets=_scale_rules.vdisk_sets(config))),
        "block_kib": within.block // scale.KIB,
        "metadata_percent": within.metadata_share(config.nodes),
    }


class StorageScale:
    """The Storage Scale backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Each server with each code, or the one appliance, sized for the need."""
        used = Relied(facts)
        for node in nodes_to_try(pins.node, own_nodes(pins, facts)):
            for layout in layouts_to_try(need, pins, racks=site.racks):
                config = configured("storage-scale", need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
                yield size(config, need, used) if pins.nodes is None else config

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a Storage Scale cluster of this configuration gives."""
        used = Relied(facts)
        figures, chosen = model(config, need, used), settings(config)
        of_kind = (
            (
                *_scale_rules.layout_faults(config, grouped_space(config, need, used), used),
                *_scale_rules.node_faults(config, used),
            )
            if chosen.appliance is None
            else tuple(appliance_faults(config))
        )
        words = (*option_faults(config, OPTIONS), *word_faults(config))
        given = delivered(
            config,
            need,
            figures,
            illegal=(*of_kind, *words),
            cannot_change_later=(
                f"code {scale_name(config.layout)}, {chosen.block / scale.MIB:g} MiB blocks: set with the vdisk sets",
                "the drives of a declustered array: one type, size and format",
                "block size, inode size and the most replicas of the file system: set by mmcrfs",
            ),
            assumptions=used.lines(config.node),
            notes=notes(config, need, facts),
            parts=parts(config, figures.space),  # type: ignore[arg-type]
        )
        return given if chosen.appliance not in APPLIANCES else out_of_reach_with_its_rack(given)

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """
        What the set-up commands need.

        cluster:  nodes, quorum_nodes, groups: list of {name, node_class, vdisk_sets, members (places in crew.hosts)}
        array:    code, block, meta_block ("4M"), data_percent, metadata_percent, own_metadata, spare_pdisks (0: the
                  default), flash, recovery_groups, san
        fs:       filesystem_name, data_pool, mount_point, max_block, planned_gib
        tuning:   rdma, roce, max_mb_per_s, pagepool_gib, client_pagepool_gib, port_names
        """
        return context(plan, hosts)


def out_of_reach_with_its_rack(given: Delivered) -> Delivered:
    """Both servers of an appliance stand in one rack, whatever the count of racks."""
    nothing = Bandwidth.zero()
    states = (
        replace(state, read=nothing, write=nothing, data_lost=True) if state.racks > 0 else state
        for state in given.degraded
    )
    return replace(given, degraded=tuple(states))


def downward(config: TierConfig) -> Downward:  # noqa: ARG001  # every configuration has it
    """AFM to object storage for the archive fileset, emptied by an ILM list of what nobody reads."""
    return Downward(
        mechanism="AFM to object storage, evicted by an ILM policy",
        by_itself=True,
        transparent=True,
        source="IBM Storage Scale documentation, AFM to cloud object storage; information lifecycle management",
    )


BACKEND: Backend = StorageScale()
