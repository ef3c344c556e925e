"""
What each phase puts on each kind of link, in each direction, and which link it fills most.

Links are full duplex: what leaves a node and what enters it are counted apart, and each holds reads, writes, what
storage nodes send one another and rebuild together.  Traffic is spread evenly over the nodes of a tier; GPU nodes are
as busy as the busiest, since a job may have its nodes on one leaf.  Up is towards the spines.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan.domain.fabric import FabricPhase
from tierplan.domain.need import Phase, Tier
from tierplan.domain.tiers import TierPlan
from tierplan.fabric.topology import Group, Member, Topology
from tierplan.units import Bandwidth


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """
    What GPU nodes do, all headroom included.

    `node_read` and `node_write` are the busiest node's; `between` is what all GPU nodes send one another.
    """

    node_read: Bandwidth
    node_write: Bandwidth
    between: Bandwidth


@dataclass(frozen=True, slots=True)
class Flow:
    """What one tier carries at one time, in bytes/s; `inner` is rebuild, `lost` the nodes that are gone."""

    read: float
    write: float
    inner: float = 0.0
    lost: int = 0


Flows = Mapping[Tier, Flow]
Load = tuple[str, float, float]
"""Link, what it must carry, what it carries."""


def busiest(topology: Topology, flows: Flows, demand: Demand, name: str, rebuilds: Tier | None = None) -> FabricPhase:
    """The link that a phase fills most."""
    link, required, carried = max(loads(topology, flows, demand), key=_share)
    return FabricPhase(
        name=name, rebuilds=rebuilds, link=link, required=Bandwidth(required), carried=Bandwidth(carried)
    )


def _share(load: Load) -> float:
    _, required, carried = load
    return required / carried if carried else float("inf") if required else 0.0


def loads(topology: Topology, flows: Flows, demand: Demand) -> Iterator[Load]:
    """Every kind of link with its load."""
    pairs = [(member, flow) for tier, flow in flows.items() if (member := topology.storage.member(tier)) is not None]
    for member, flow in pairs:
        yield from _node_ports(member, flow)
    if topology.levels > 1:
        yield from _storage_uplinks(topology.storage, pairs)
    read = sum(flow.read for _, flow in pairs)
    write = sum(flow.write for _, flow in pairs)
    gpu = topology.gpu.member("gpu")
    if gpu is not None:
        yield from _gpu_links(topology, gpu, demand, read=read, write=write)


def _node_ports(member: Member, flow: Flow) -> Iterator[Load]:
    nodes = member.nodes - flow.lost
    if nodes < 1:
        return
    carried, name = member.ports * member.port.base, f"ports of a {member.name} node"
    sent = flow.read * (1 + member.inner_read) + flow.write * member.inner_write + flow.inner
    taken = flow.write * (1 + member.inner_write) + flow.read * member.inner_read + flow.inner
    yield f"{name}, out", sent / nodes, carried
    yield f"{name}, in", taken / nodes, carried


def _storage_uplinks(group: Group, pairs: list[tuple[Member, Flow]]) -> Iterator[Load]:
    up = down = 0.0
    for member, flow in pairs:
        share = group.share(member) * member.nodes / max(1, member.nodes - flow.lost)
        inner = group.away * (flow.read * member.inner_read + flow.write * member.inner_write + flow.inner)
        up += share * (flow.read + inner)
        down += share * (flow.write + inner)
    carried = group.uplinks * group.uplink.base
    yield "uplinks of a storage leaf, up", up, carried
    yield "uplinks of a storage leaf, down", down, carried


def _gpu_links(topology: Topology, gpu: Member, demand: Demand, *, read: float, write: float) -> Iterator[Load]:
    group = topology.gpu
    if topology.levels > 1:
        carried = group.uplinks * group.uplink.base
        down, up = gpu_leaf(group, gpu, demand, read=read, write=write)
        yield "uplinks of a GPU leaf, down", down, carried
        yield "uplinks of a GPU leaf, up", up, carried
    between = demand.between.base / gpu.nodes
    carried = gpu.ports * gpu.port.base
    yield "ports of a GPU node, in", read / gpu.nodes + between, carried
    yield "ports of a GPU node, out", write / gpu.nodes + between, carried


def gpu_leaf(group: Group, gpu: Member, demand: Demand, *, read: float, write: float) -> tuple[float, float]:
    """
    What the uplinks of a GPU leaf carry, from the spines and to them.

    Formula:  max(read * share, min(read, nodes * node_read) * ports) + between, likewise for writes
    Where:    share of all GPU ports, nodes and share of their ports on the fullest leaf
    Assumes:  a job may have all its nodes on one leaf
    """
    nodes = -(-gpu.nodes // group.sets)
    ports = -(-gpu.ports // group.rails) / gpu.ports
    share = group.share(gpu)
    between = demand.between.base * share
    down = max(read * share, min(read, nodes * demand.node_read.base) * ports)
    up = max(write * share, min(write, nodes * demand.node_write.base) * ports)
    return down + between, up + between


def storage_leaf(group: Group) -> float:
    """What a storage leaf's uplinks carry at most in one direction: every tier gives all that it can, and rebuilds."""
    up = down = 0.0
    for member in group.members:
        share = group.share(member) * member.nodes / max(1, member.nodes - member.lost)
        away, read, write = group.away, member.read.base, member.write.base
        up += share * max(read * (1 + member.inner_read * away), write * member.inner_write * away)
        down += share * max(write * (1 + member.inner_write * away), read * member.inner_read * away)
        up, down = up + share * away * member.rebuild.base, down + share * away * member.rebuild.base
    return max(up, down)


def within_tier(chosen: TierPlan, phase: Phase) -> Flow:
    """A phase, but no more of it than the tier itself carries: what drives cannot give loads no cable."""
    rates = chosen.delivered.healthy
    share = 0.0
    for asked, given in ((phase.read, rates.read), (phase.write, rates.write)):
        if asked:
            share += asked / given if given else float("inf")
    scale = 1 / share if share > 1 else 1.0
    return Flow(phase.read.base * scale, phase.write.base * scale)


def together(served: Mapping[Tier, TierPlan]) -> Iterator[tuple[str, dict[Tier, Flow]]]:
    """
    Each phase of the hot tier with the most that the cold tier has at any time, reads and writes alike.

    Without a hot tier, each phase of the cold one.
    """
    hot, cold = served.get("hot"), served.get("cold")
    if hot is None:
        for phase in cold.need.phases if cold else ():
            if cold:
                yield phase.name, {"cold": within_tier(cold, phase)}
        return
    beside: dict[Tier, Flow] = {}
    if cold is not None:
        flows = [within_tier(cold, phase) for phase in cold.need.phases]
        beside["cold"] = Flow(
            max((flow.read for flow in flows), default=0.0), max((flow.write for flow in flows), default=0.0)
        )
    for phase in hot.need.phases:
        yield phase.name, {"hot": within_tier(hot, phase), **beside}


def rebuilding(chosen: TierPlan, flow: Flow, member: Member) -> Flow:
    """
    A phase while lost nodes are rebuilt: the share of it that must still be there, and the rebuild.

    Formula:  read * degraded_read / need.read, write * degraded_write / need.write
    """
    need = chosen.need
    read = flow.read * (need.degraded_read / need.read) if need.read else 0.0
    write = flow.write * (need.degraded_write / need.write) if need.write else 0.0
    return Flow(read, write, inner=member.rebuild.base, lost=member.lost)
