"""
Flow networks of a fabric: whole, with every machine and switch, or with one node for each class of equals.

Capacities are in bytes of clients: a link that carries more than one byte for each of them counts so much less.
The network of classes has the same max-flow as the whole one and does not grow with the cluster.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.domain.fabric import Direction
from tierplan.fabric.paths import CLIENTS, GPU_LEAFS, GPU_PORTS, LEAFS, NODES, PORTS
from tierplan.fabric.topology import Group, Member, Topology, rail_ports, set_sizes
from tierplan.units import Bandwidth

DRIVES, PROCESSES = "drives", "client processes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """What can flow from one node to another, and the stretch of the path that it belongs to."""

    tail: str
    head: str
    capacity: Bandwidth
    segment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """Edges between a source and a sink."""

    edges: tuple[Edge, ...]
    source: str
    sink: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The machines of one side of the spines, and what their links carry in bytes of clients."""

    name: str
    group: Group
    member: Member
    each: Bandwidth
    port: Bandwidth
    trunk: Bandwidth
    segments: tuple[str, str, str]
    """Of the machine itself, its ports, the uplinks of its leafs."""


def sides(topology: Topology, tier: str, direction: Direction) -> tuple[Side, Side] | None:
    """The storage side and the GPU side of a tier's path; None where the tier has no ports."""
    member, gpu = topology.storage.member(tier), topology.gpu.member("gpu")
    if member is None or gpu is None:
        return None
    inner = member.inner(direction)
    storage = Side(
        name=tier,
        group=topology.storage,
        member=member,
        each=member.serves(direction) / member.nodes,
        port=member.port / (1 + inner),
        trunk=topology.storage.uplink * topology.storage.uplinks / (1 + inner * topology.storage.away),
        segments=(NODES, PORTS, LEAFS),
    )
    clients = Side(
        name="gpu",
        group=topology.gpu,
        member=gpu,
        each=member.taken(direction) / gpu.nodes,
        port=gpu.port,
        trunk=topology.gpu.uplink * topology.gpu.uplinks,
        segments=(CLIENTS, GPU_PORTS, GPU_LEAFS),
    )
    return storage, clients


def whole(topology: Topology, tier: str, direction: Direction) -> Network | None:
    """Every machine, leaf and spine: what small fabrics are checked with."""
    found = sides(topology, tier, direction)
    if found is None:
        return None
    storage, clients = found
    inward = [*_machines(storage, topology.spines)]
    outward = [_turned(edge) for edge in _machines(clients, topology.spines)]
    return _network((*inward, *outward), direction)


def _machines(side: Side, spines: int) -> Iterator[Edge]:
    """From the end (drives or client processes) over machines and leafs to spines; on one leaf, to that leaf."""
    group, of_one, of_ports, of_leaf = side.group, *side.segments
    end = DRIVES if of_one == NODES else PROCESSES
    for index in range(side.member.nodes):
        machine, at = f"{side.name} {index}", index % group.sets
        yield Edge(tail=end, head=machine, capacity=side.each, segment=of_one)
        for rail, ports in enumerate(rail_ports(side.member, group.rails)):
            yield Edge(tail=machine, head=_leaf(side, at, rail), capacity=side.port * ports, segment=of_ports)
    for leaf in {
        _leaf(side, index % group.sets, rail) for index in range(side.member.nodes) for rail in range(group.rails)
    }:
        for spine in range(spines):
            yield Edge(tail=leaf, head=f"spine {spine}", capacity=side.trunk / spines, segment=of_leaf)


def _leaf(side: Side, at: int, rail: int) -> str:
    return f"{side.group.serves} leaf {at}.{rail}"


def by_class(topology: Topology, tier: str, direction: Direction) -> Network | None:
    """One node for each class of equal machines and leafs: some ten edges whatever the size of the cluster."""
    found = sides(topology, tier, direction)
    if found is None:
        return None
    storage, clients = found
    inward = [*_classes(storage, single=not topology.spines)]
    outward = [_turned(edge) for edge in _classes(clients, single=not topology.spines)]
    return _network((*inward, *outward), direction)


def _classes(side: Side, *, single: bool) -> Iterator[Edge]:
    group, of_one, of_ports, of_leaf = side.group, *side.segments
    end = DRIVES if of_one == NODES else PROCESSES
    rails = rail_ports(side.member, group.rails)
    for size, count in set_sizes(side.member.nodes, group.sets):
        machines = f"{side.name} in sets of {size}"
        yield Edge(tail=end, head=machines, capacity=side.each * (size * count), segment=of_one)
        for ports in sorted(set(rails)):
            alike = rails.count(ports) * count
            leafs = "leaf" if single else f"{group.serves} leafs with {size} × {ports} ports"
            yield Edge(tail=machines, head=leafs, capacity=side.port * (size * ports * alike), segment=of_ports)
            if not single:
                yield Edge(tail=leafs, head="spines", capacity=side.trunk * alike, segment=of_leaf)


def _turned(edge: Edge) -> Edge:
    return Edge(tail=edge.head, head=edge.tail, capacity=edge.capacity, segment=edge.segment)


def _network(edges: tuple[Edge, ...], direction: Direction) -> Network:
    """As data flows: from the drives when clients read, to the drives when they write."""
    if direction == "read":
        return Network(edges=edges, source=DRIVES, sink=PROCESSES)
    return Network(edges=tuple(_turned(edge) for edge in edges), source=PROCESSES, sink=DRIVES)


def maximum(network: Network) -> tuple[Bandwidth, tuple[Edge, ...]]:
    """The max-flow of a network and the edges of one min cut; in whole bytes per second, so that it is exact."""
    import networkx as nx  # noqa: PLC0415  # not on the path of a plan: the closed form is
    from networkx.algorithms.flow import edmonds_karp  # noqa: PLC0415

    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_nodes_from((network.source, network.sink))
    for edge in network.edges:
        before = graph.edges[edge.tail, edge.head]["capacity"] if graph.has_edge(edge.tail, edge.head) else 0
        graph.add_edge(edge.tail, edge.head, capacity=before + round(edge.capacity.base))
    value, (near, _) = nx.minimum_cut(graph, network.source, network.sink, flow_func=edmonds_karp)
    cut = tuple(edge for edge in network.edges if edge.tail in near and edge.head not in near)
    return Bandwidth(float(value)), cut
