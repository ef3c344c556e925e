"""Max-flow against brute force; classes against the whole graph; the closed form against both."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from tierplan.fabric import graph
from tierplan.fabric.graph import Edge, Network
from tierplan.fabric.topology import Member, Topology, max_flow
from tierplan.units import Bandwidth


def least_cut(network: Network) -> float:
    """Every way to part the source from the sink, and the least that crosses."""
    nodes = {end for edge in network.edges for end in (edge.tail, edge.head)} - {network.source, network.sink}
    inner = sorted(nodes)
    least = float("inf")
    for count in range(len(inner) + 1):
        for chosen in combinations(inner, count):
            near = {network.source, *chosen}
            crossing = sum(e.capacity.base for e in network.edges if e.tail in near and e.head not in near)
            least = min(least, crossing)
    return least


def random_graph(seed: int) -> Network:
    draw = random.Random(seed)  # noqa: S311  # the same graphs in every run
    nodes = ["source", *(f"n{index}" for index in range(draw.randint(1, 6))), "sink"]
    edges = [
        Edge(tail=tail, head=head, capacity=Bandwidth(float(draw.randint(0, 50))), segment="any")
        for tail in nodes[:-1]
        for head in nodes[1:]
        if tail != head and draw.random() < 0.5
    ]
    return Network(edges=tuple(edges), source="source", sink="sink")


def test_flow_equals_brute_force_on_200_random_small_graphs():
    for seed in range(200):
        network = random_graph(seed)
        flow, cut = graph.maximum(network)
        assert flow.base == least_cut(network), seed
        assert sum(edge.capacity.base for edge in cut) == flow.base, seed


@pytest.mark.parametrize("direction", ["read", "write"])
def test_classes_the_whole_graph_and_the_closed_form_agree_on_200_fabrics(fabrics, direction):
    for index, topology in enumerate(fabrics):
        for tier in (member.name for member in topology.storage.members if member.name != "gpu"):
            whole, _ = graph.maximum(graph.whole(topology, tier, direction))
            classes, _ = graph.maximum(graph.by_class(topology, tier, direction))
            closed = max_flow(topology, tier, direction)
            assert classes.base == pytest.approx(whole.base, abs=20), index  # the graphs count whole bytes
            assert closed.base == pytest.approx(whole.base, abs=20), index


@pytest.mark.parametrize("direction", ["read", "write"])
def test_the_closed_form_equals_brute_force_over_classes(fabrics, direction):
    for index, topology in enumerate(fabrics):
        network = graph.by_class(topology, "hot", direction)
        assert max_flow(topology, "hot", direction).base == pytest.approx(least_cut(network), abs=20), index


def test_a_hundred_thousand_gpus_have_as_many_classes_as_few(fabrics):
    def stretched(topology: Topology, nodes: int) -> int:
        gpu = topology.gpu.members[-1]
        many = Member(name="gpu", nodes=nodes, ports=gpu.ports, port_rate=gpu.port_rate, port=gpu.port)
        group = type(topology.gpu)(
            serves="gpu",
            members=(many,),
            sets=nodes // 2,
            rails=1,
            uplinks=2,
            uplink_rate=topology.gpu.uplink_rate,
            uplink=Bandwidth(5.0),
        )
        made = Topology(storage=topology.storage, gpu=group, leaf_ports=64, spine_ports=64, spines=2)
        return len(graph.by_class(made, "hot", "read").edges)

    two_layers = next(topology for topology in fabrics if topology.spines)
    assert stretched(two_layers, 12_501) == stretched(two_layers, 5) <= 20


def test_a_tier_without_ports_has_no_graph(fabrics):
    assert graph.whole(fabrics[0], "local", "read") is None
    assert graph.by_class(fabrics[0], "local", "read") is None
    assert max_flow(fabrics[0], "local", "read") == Bandwidth.zero()


def test_writes_flow_the_other_way(fabrics):
    network = graph.whole(fabrics[0], "hot", "write")
    assert (network.source, network.sink) == ("client processes", "drives")
    assert {edge.tail for edge in network.edges if edge.segment == "client processes"} == {"client processes"}
