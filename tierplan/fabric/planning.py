"""From a plan's tiers and GPU nodes to the fabric between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypedDict, Unpack

from tierplan.domain.fabric import FabricPath, FabricPhase, FabricPlan, LeafGroup, Segment
from tierplan.domain.facts import Fact
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import FabricPins, Stack
from tierplan.domain.tiers import TierPlan
from tierplan.fabric import phases as loads
from tierplan.fabric import traffic
from tierplan.fabric.links import Links, links
from tierplan.fabric.paths import CLIENTS, PORTS, link_bandwidth, narrowest, storage_segments, tier_path
from tierplan.fabric.sizing import Switches, Wanted, leafs_and_spines, single_leaf
from tierplan.fabric.topology import NOTHING, Group, Member, Topology
from tierplan.units import Bandwidth

SERVED: tuple[Tier, ...] = ("hot", "cold")
PCIE = "PCIe of storage nodes and GPU nodes: every port is counted as fed in full"
DUPLEX = "links are full duplex: each direction is counted for itself, with reads, writes, drain and rebuild together"
CLOUD = "the cloud's own switches: its published ceilings of file system and clients stand for them"
THREE = "a third layer of switches is counted without an oversubscription of its own"
ONE_LEAF = "every port is on one leaf: its loss takes all storage away"


class Rest(TypedDict, total=False):
    """What only a fabric of switches has."""

    busy_client: Bandwidth
    levels: int
    leaf_ports: int
    spine_ports: int
    rail_optimised: bool
    leafs: tuple[LeafGroup, ...]
    spines: int
    cores: int
    node_ports: int
    cables: int
    paths: tuple[FabricPath, ...]
    phases: tuple[FabricPhase, ...]
    faults: tuple[str, ...]
    unknown: tuple[str, ...]
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """All that a fabric is planned from."""

    stack: Stack
    requirement: Requirement
    served: Mapping[Tier, TierPlan]
    links: Links
    pins: FabricPins
    demand: loads.Demand
    gpu_nodes: int

    @property
    def storage_share(self) -> float:
        """Of each GPU node's ports, what storage is planned to get."""
        if self.pins.storage_share is not None:
            return self.pins.storage_share
        return self.links.shared if self.stack.cluster.storage_network.shared_with_compute else 1.0


def fabric_plan(
    stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan], figures: Mapping[str, Fact]
) -> FabricPlan | None:
    """The fabric that these tiers and GPU nodes need, what it carries and where it is cut; None without a tier."""
    setting = _setting(stack, requirement, tiers, figures)
    if setting is None:
        return None
    if stack.site.kind != "on-prem":
        return _cloud(setting)
    built = _built(setting)
    if isinstance(built, str):
        return _unbuilt(setting, known=True, faults=(built,), unknown=tuple(_unknown(setting)))
    return _planned(setting, built)


def topology_of(
    stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan], figures: Mapping[str, Fact]
) -> Topology | None:
    """The fabric as groups of leafs and the machines on them; None where there is none, or none can be built."""
    setting = _setting(stack, requirement, tiers, figures)
    built = _built(setting) if setting is not None and stack.site.kind == "on-prem" else ""
    return None if isinstance(built, str) else built


def _setting(
    stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan], figures: Mapping[str, Fact]
) -> Setting | None:
    served = {tier: tiers[tier] for tier in SERVED if tier in tiers}
    if not served:
        return None
    clients = [chosen.need.clients for chosen in served.values()]
    return Setting(
        stack=stack,
        requirement=requirement,
        served=served,
        links=links(figures, stack.cluster.storage_network.transport),
        pins=stack.fabric or FabricPins(),
        demand=loads.Demand(
            node_read=sum((one.node_read for one in clients), NOTHING),
            node_write=sum((one.node_write for one in clients), NOTHING),
            between=traffic.between_gpu_nodes(stack, requirement),
        ),
        gpu_nodes=max(1, *(one.gpu_nodes for one in clients)),
    )


def _members(setting: Setting, gpu: Member) -> Iterator[Member]:
    """The machines of each tier that have ports, and those beside them."""
    for tier, chosen in setting.served.items():
        config, node, rates = chosen.config, chosen.config.node, chosen.delivered.healthy
        if not config.nodes or not node.ports:
            continue
        port = link_bandwidth(node.port_rate, link=setting.links.link)
        ports = port * (config.nodes * node.ports)
        client_read, client_write = _clients(chosen, gpu)
        yield Member(
            name=tier,
            nodes=config.nodes,
            ports=node.ports,
            port_rate=node.port_rate,
            port=port,
            read=rates.read,
            write=rates.write,
            client_read=client_read,
            client_write=client_write,
            inner_read=traffic.fitting(traffic.inner(chosen, "read"), ports=ports, planned=rates.read),
            inner_write=traffic.fitting(traffic.inner(chosen, "write"), ports=ports, planned=rates.write),
            rebuild=traffic.rebuild_of(chosen, within=setting.links.rebuild_within),
            lost=traffic.lost_nodes(chosen),
        )
        if chosen.delivered.beside:
            beside = chosen.delivered.beside
            yield Member(name=f"{tier} beside", nodes=beside, ports=node.ports, port_rate=node.port_rate, port=port)


def _clients(chosen: TierPlan, gpu: Member) -> tuple[Bandwidth, Bandwidth]:
    """
    What client processes take: where they limit a tier, its rate; else all of them at their ceiling.

    Where that is not known, or is of the other direction, as much as their ports.
    """
    rates, ports = chosen.delivered.healthy, gpu.port * (gpu.nodes * gpu.ports)
    every = ports if rates.client is None else rates.client * gpu.nodes

    def taken(rate: Bandwidth, limited_by: str) -> Bandwidth:
        return rate if limited_by == "clients" else every if every >= rate else ports

    return taken(rates.read, rates.read_limited_by), taken(rates.write, rates.write_limited_by)


def _gpu(setting: Setting) -> Member:
    network = setting.stack.cluster.storage_network
    port = network.rate * (setting.links.link * setting.storage_share)
    return Member(name="gpu", nodes=setting.gpu_nodes, ports=network.ports, port_rate=network.rate, port=port)


def _built(setting: Setting) -> Topology | str:
    """The topology with the smallest switches that do, or why there is none."""
    gpu = _gpu(setting)
    storage = tuple(_members(setting, gpu))
    if not storage or not gpu.ports:
        return "no ports of storage nodes and GPU nodes are known"
    wanted = _storage_wanted, _gpu_wanted(setting, storage)
    tried = _switches(setting, (*storage, gpu))
    for switches in tried:
        found = single_leaf((*storage, gpu), switches) or leafs_and_spines(storage, (gpu,), switches, wanted)
        if found is not None:
            return found
    last = tried[-1]
    ratio = f"oversubscription {last.oversubscription:g}" if last.oversubscription else "what tiers and phases ask"
    return (
        f"leafs of {last.leaf_ports} ports and spines of {last.spine_ports} cannot join "
        f"{sum(one.nodes * one.ports for one in (*storage, gpu)):,} ports of machines at {ratio} in three layers"
    )


def _switches(setting: Setting, members: tuple[Member, ...]) -> tuple[Switches, ...]:
    """The pinned switches; or those of the catalogue, smallest first."""
    pins, rails = setting.pins, min(member.ports for member in members) > 1
    known = setting.links.switches(max(member.port_rate for member in members))
    sizes = [pins.leaf_ports] if pins.leaf_ports else [int(fact.value) for fact in known]
    return tuple(
        Switches(
            leaf_ports=ports,
            spine_ports=pins.spine_ports or ports,
            rail_optimised=rails if pins.rail_optimised is None else pins.rail_optimised,
            uplink_share=setting.links.uplink,
            most_oversubscription=setting.links.most_oversubscription,
            oversubscription=pins.oversubscription,
        )
        for ports in sizes
    )


def _storage_wanted(group: Group) -> Bandwidth:
    return Bandwidth(loads.storage_leaf(group))


def _gpu_wanted(setting: Setting, storage: tuple[Member, ...]) -> Wanted:
    read = sum(min(member.read, member.client_read).base for member in storage)
    write = sum(min(member.write, member.client_write).base for member in storage)

    def wanted(group: Group) -> Bandwidth:
        return Bandwidth(max(loads.gpu_leaf(group, group.members[0], setting.demand, read=read, write=write)))

    return wanted


def _unbuilt(setting: Setting, *, known: bool, **rest: Unpack[Rest]) -> FabricPlan:
    """What is so whatever the topology."""
    network = setting.stack.cluster.storage_network
    return FabricPlan(
        known=known,
        transport=network.transport,
        shared_with_compute=network.shared_with_compute,
        storage_share=setting.storage_share,
        gpu_nodes=setting.gpu_nodes,
        client=network.rate * (network.ports * setting.links.link * setting.storage_share) if known else None,
        **rest,
    )


def _unknown(setting: Setting) -> Iterator[str]:
    yield PCIE
    if setting.demand.between:
        yield "which network carries what GPU nodes send one another: counted on the storage ports"
    if setting.stack.cluster.storage_network.shared_with_compute and setting.pins.storage_share is None:
        yield f"what compute leaves of shared ports: {setting.storage_share:.0%} is counted for storage"


def _used(setting: Setting, topology: Topology) -> Iterator[Fact]:
    """The facts that the plan rests on."""
    yield from setting.links.facts
    figures, pins = setting.links.figures, setting.pins
    if pins.oversubscription is None:
        yield figures["most_oversubscription"]
    if setting.stack.cluster.storage_network.shared_with_compute and pins.storage_share is None:
        yield figures["storage_share_of_shared_ports"]
    if pins.leaf_ports is None:
        rate = max(member.port_rate for group in topology.groups for member in group.members)
        yield next(fact for fact in setting.links.switches(rate) if fact.value == topology.leaf_ports)
    yield figures["rebuild_within"]


def _planned(setting: Setting, topology: Topology) -> FabricPlan:
    trunks, machines = topology.trunk_cables, topology.node_cables
    return _unbuilt(
        setting,
        known=True,
        busy_client=_busy_client(topology),
        levels=topology.levels,
        leaf_ports=topology.leaf_ports,
        spine_ports=topology.spine_ports,
        rail_optimised=max(group.rails for group in topology.groups) > 1,
        leafs=tuple(_leaf_group(group) for group in topology.groups),
        spines=topology.spines,
        cores=topology.cores,
        node_ports=machines,
        cables=machines + trunks,
        paths=tuple(tier_path(topology, chosen) for chosen in setting.served.values()),
        phases=tuple(_phases(setting, topology)),
        unknown=tuple(_unknown(setting)),
        assumptions=tuple(f"fabric {fact}" for fact in _used(setting, topology) if fact.basis != "measured"),
        notes=tuple(_notes(setting, topology)),
    )


def _busy_client(topology: Topology) -> Bandwidth:
    """What one GPU node gets of its ports and of its leafs' uplinks, while all others on them are as busy."""
    group, gpu = topology.gpu, topology.gpu.member("gpu")
    if gpu is None:
        return NOTHING
    ports = gpu.port * gpu.ports
    if topology.levels == 1:
        return ports
    return min(ports, group.uplink * (group.uplinks * group.rails / -(-gpu.nodes // group.sets)))


def _notes(setting: Setting, topology: Topology) -> Iterator[str]:
    yield DUPLEX
    if topology.levels == 1:
        yield ONE_LEAF
    if topology.cores:
        yield THREE
    if setting.gpu_nodes > setting.stack.cluster.gpu_nodes:
        yield f"sized for the {setting.gpu_nodes:,} GPU nodes that the cluster grows to"


def _leaf_group(group: Group) -> LeafGroup:
    down = sum(group.fullest(member) * member.port_rate.base for member in group.members)
    up = group.uplinks * group.uplink_rate.base
    return LeafGroup(
        serves=group.serves,
        nodes=sum(member.nodes for member in group.members),
        leafs=group.leafs,
        rails=group.rails,
        node_ports=group.node_ports,
        uplinks=group.uplinks,
        rate=group.uplink_rate,
        oversubscription=down / up if up else 0.0,
    )


def _phases(setting: Setting, topology: Topology) -> Iterator[FabricPhase]:
    """Each phase, and the fullest of them while lost nodes of a tier are rebuilt."""
    fullest: tuple[float, str, dict[Tier, loads.Flow]] | None = None
    for name, flows in loads.together(setting.served):
        phase = loads.busiest(topology, flows, setting.demand, name)
        if fullest is None or phase.load_fraction > fullest[0]:
            fullest = (phase.load_fraction, name, flows)
        yield phase
    if fullest is None:
        return
    _, name, flows = fullest
    for tier, flow in flows.items():
        member = topology.storage.member(tier)
        if member is not None and member.rebuild:
            now = {**flows, tier: loads.rebuilding(setting.served[tier], flow, member)}
            yield loads.busiest(topology, now, setting.demand, f"{name} while {tier} rebuilds", tier)


def _cloud(setting: Setting) -> FabricPlan:
    """A managed service: what it publishes of itself and of its clients; nothing of what is between."""
    paths = tuple(_cloud_path(setting, chosen) for chosen in setting.served.values())
    return _unbuilt(setting, known=False, paths=paths, unknown=(CLOUD,))


def _cloud_path(setting: Setting, chosen: TierPlan) -> FabricPath:
    rates, gpu_nodes, network = chosen.delivered.healthy, setting.gpu_nodes, setting.stack.cluster.storage_network
    gpu = Member(name="gpu", nodes=gpu_nodes, ports=network.ports, port_rate=network.rate, port=network.rate)
    read, write = _clients(chosen, gpu)
    clients = Segment(name=CLIENTS, unit="GPU node", units=gpu_nodes, read=read, write=write)
    found = (*storage_segments(chosen), *_own_ports(setting, chosen), clients)
    return FabricPath(
        tier=chosen.need.tier,
        segments=found,
        read=narrowest(chosen.need.tier, "read", found, limited_by=rates.read_limited_by),
        write=narrowest(chosen.need.tier, "write", found, limited_by=rates.write_limited_by),
    )


def _own_ports(setting: Setting, chosen: TierPlan) -> Iterator[Segment]:
    """The ports of storage nodes that are the user's own, at a cloud too."""
    node = chosen.config.node
    if node.ports:
        ports = node.network * (chosen.config.nodes * setting.links.link)
        yield Segment(name=PORTS, unit="port on each storage node", units=node.ports, read=ports, write=ports)
