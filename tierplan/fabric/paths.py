"""The path of one tier, stretch by stretch, where it is cut, and what one more unit of the cut would bring."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.domain.fabric import Cut, Direction, FabricPath, Segment
from tierplan.domain.tiers import TierPlan
from tierplan.fabric.topology import Group, Member, Topology
from tierplan.fabric.traffic import written_factor
from tierplan.units import Bandwidth

DRIVES, NODES, PORTS, LEAFS = "drives", "storage nodes", "storage ports", "storage uplinks"
GPU_LEAFS, GPU_PORTS, CLIENTS = "GPU uplinks", "GPU ports", "client processes"
SERVICE = "service"
GROW_WITH: Mapping[str, tuple[str, ...]] = {NODES: (DRIVES, PORTS), CLIENTS: (GPU_PORTS,)}
"""One more node brings its drives and ports."""
SAME = 1e-9


def link_bandwidth(rate: Bandwidth, *, link: float) -> Bandwidth:
    """
    What one port carries in one direction.

    Formula:  rate * link
    Assumes:  PCIe behind it feeds it in full
    """
    return rate * link


def trunk_bandwidth(rate: Bandwidth, *, link: float, path: float) -> Bandwidth:
    """
    What one link between switches carries in one direction.

    Formula:  rate * link * path
    Assumes:  flows collide on it as on published fabrics of this transport
    """
    return rate * (link * path)


def port_bandwidth(port: Bandwidth, *, nodes: int, ports: int, inner: float) -> Bandwidth:
    """
    What clients get through the ports of all nodes.

    Formula:  port * nodes * ports / (1 + inner)
    Assumes:  every node serves or takes as much as another
    """
    return port * (nodes * ports / (1 + inner))


def uplink_bandwidth(uplink: Bandwidth, *, uplinks: int, share: float, inner: float, away: float) -> Bandwidth:
    """
    What clients get through a group's uplinks when traffic is spread evenly over the nodes.

    Formula:  uplink * uplinks / share / (1 + inner * away)
    Assumes:  every node serves or takes as much as another, so that the fullest leaf, with its share, is full first
    """
    return uplink * (uplinks / share / (1 + inner * away)) if share else Bandwidth.zero()


def path_bandwidth(**stretches: Bandwidth) -> Bandwidth:
    """
    What clients get of a tier.

    Formula:  min(stretches), from the drives to the client processes
    Assumes:  traffic is spread evenly
    Source:   max-flow min-cut theorem on a chain
    """
    return min(stretches.values())


def tier_path(topology: Topology, chosen: TierPlan) -> FabricPath:
    """Every stretch between a tier's drives and the client processes, and both cuts."""
    segments = tuple(_segments(topology, chosen))
    limits = chosen.delivered.healthy
    read = narrowest(chosen.need.tier, "read", segments, limited_by=limits.read_limited_by)
    write = narrowest(chosen.need.tier, "write", segments, limited_by=limits.write_limited_by)
    return FabricPath(tier=chosen.need.tier, segments=segments, read=read, write=write)


def _segments(topology: Topology, chosen: TierPlan) -> list[Segment]:
    tier, config, node = chosen.need.tier, chosen.config, chosen.config.node
    member, gpu = topology.storage.member(tier), topology.gpu.member("gpu")
    found = storage_segments(chosen)
    if member is None or gpu is None:
        return found
    read, write = (
        port_bandwidth(member.port, nodes=config.nodes, ports=node.ports, inner=inner)
        for inner in (member.inner_read, member.inner_write)
    )
    found.append(Segment(name=PORTS, unit="port on each storage node", units=node.ports, read=read, write=write))
    if topology.levels > 1:
        found += [
            _uplinks(LEAFS, "uplink on each storage leaf", topology.storage, member, of=member),
            _uplinks(GPU_LEAFS, "uplink on each GPU leaf", topology.gpu, gpu, of=None),
        ]
    taken = port_bandwidth(gpu.port, nodes=gpu.nodes, ports=gpu.ports, inner=0.0)
    found.append(Segment(name=GPU_PORTS, unit="port on each GPU node", units=gpu.ports, read=taken, write=taken))
    read, write = member.client_read, member.client_write
    found.append(Segment(name=CLIENTS, unit="GPU node", units=gpu.nodes, read=read, write=write))
    return found


def _uplinks(name: str, unit: str, group: Group, member: Member, *, of: Member | None) -> Segment:
    share = group.share(member)
    read, write = (
        uplink_bandwidth(group.uplink, uplinks=group.uplinks, share=share, inner=inner, away=group.away)
        for inner in ((of.inner_read, of.inner_write) if of else (0.0, 0.0))
    )
    return Segment(name=name, unit=unit, units=group.uplinks, read=read, write=write)


def storage_segments(chosen: TierPlan) -> list[Segment]:
    """The drives, and what the product serves from them; of drives that nobody counts only the latter."""
    config, node, rates = chosen.config, chosen.config.node, chosen.delivered.healthy
    found = []
    if node.drives and config.nodes:
        drives = node.drives * config.nodes
        written = node.drive.write * (drives / written_factor(config.layout))
        unit = "drive in each storage node"
        found.append(Segment(name=DRIVES, unit=unit, units=node.drives, read=node.drive.read * drives, write=written))
    unit, units = ("storage node", config.nodes) if node.ports else (SERVICE, 0)  # of a service no nodes are known
    found.append(Segment(name=NODES, unit=unit, units=units, read=rates.read, write=rates.write))
    return found


def narrowest(tier: str, direction: Direction, segments: tuple[Segment, ...], *, limited_by: str) -> Cut:
    """The first of the narrowest stretches, in words."""
    # Where clients limit a tier, what its nodes alone would give is not known: its rate is that of the clients.
    known = [segment for segment in segments if segment.name != NODES or limited_by != "clients"] or list(segments)
    carried = [_of(segment, direction) for segment in known]
    narrow = min(carried)
    cut, least = next(pair for pair in zip(known, carried, strict=True) if pair[1] <= narrow * (1 + SAME))
    grown = [rate * _growth(segment, cut) for segment, rate in zip(known, carried, strict=True)]
    gains = max(0.0, min(grown) - least)
    name = f"{cut.name} ({limited_by})" if cut.name == NODES else cut.name
    if cut.unit == SERVICE:
        name, brings = f"{cut.unit} ({limited_by})", "what a larger one brings, its next size or class says"
    elif gains > SAME * least:
        brings = f"one more {cut.unit} brings up to {Bandwidth(gains).show()}"
    else:
        gains = 0.0
        brings = f"one more {cut.unit} brings nothing: {known[grown.index(min(grown))].name} carry no more"
    return Cut(
        direction=direction,
        segment=cut.name,
        carries=Bandwidth(least),
        one_more=cut.unit,
        gains=Bandwidth(gains),
        words=f"{tier} {direction}: cut at the {name}, {Bandwidth(least).show()}; {brings}",
    )


def _of(segment: Segment, direction: Direction) -> float:
    return segment.read.base if direction == "read" else segment.write.base


def _growth(segment: Segment, cut: Segment) -> float:
    """By what a stretch grows with one more unit of the cut."""
    grows = segment is cut or segment.name in GROW_WITH.get(cut.name, ())
    return (cut.units + 1) / cut.units if grows and cut.units else 1.0
