"""The load of the fullest link, against every byte sent over every port of a small fabric one by one."""

from __future__ import annotations

from collections import defaultdict

import pytest

from tierplan.fabric.phases import Demand, Flow, busiest, gpu_leaf, loads
from tierplan.fabric.topology import Group, Member, Topology, rail_ports
from tierplan.units import Bandwidth

NOTHING = Bandwidth.zero()
QUIET = Demand(node_read=NOTHING, node_write=NOTHING, between=NOTHING)


def ports_of(group: Group, member: Member) -> list[tuple[int, tuple[int, int]]]:
    """(node, leaf) of each port: nodes in turn over the sets, ports in turn over the rails."""
    return [
        (node, (node % group.sets, rail))
        for node in range(member.nodes)
        for rail, ports in enumerate(rail_ports(member, group.rails))
        for _ in range(ports)
    ]


def sent(topology: Topology, flow: Flow) -> dict[tuple[str, object, str], float]:
    """(kind, which, direction) -> bytes/s, by sending each byte from port to port, evenly over ports."""
    member, gpu = topology.storage.member("hot"), topology.gpu.member("gpu")
    store, take = ports_of(topology.storage, member), ports_of(topology.gpu, gpu)
    found: dict[tuple[str, object, str], float] = defaultdict(float)
    for node, leaf in store:
        for gpu_node, gpu_at in take:
            for amount, way in ((flow.read, 1), (flow.write, -1)):
                part = amount / len(store) / len(take)
                out, back = ("out", "in") if way > 0 else ("in", "out")
                found["node", node, out] += part
                found["leaf", leaf, out] += part
                found["gpu node", gpu_node, back] += part
                found["gpu leaf", gpu_at, back] += part
    inner = flow.read * member.inner_read + flow.write * member.inner_write + flow.inner
    leafs = topology.storage.leafs
    for node, leaf in store:
        part = inner / len(store)
        for way in ("out", "in"):
            found["node", node, way] += part
            found["leaf", leaf, way] += part * (leafs - 1) / leafs  # peers' ports are on any leaf alike
    return found


LINKS = {
    "ports of a hot node, out": ("node", "out"),
    "ports of a hot node, in": ("node", "in"),
    "uplinks of a storage leaf, up": ("leaf", "out"),
    "uplinks of a storage leaf, down": ("leaf", "in"),
    "uplinks of a GPU leaf, down": ("gpu leaf", "in"),
    "uplinks of a GPU leaf, up": ("gpu leaf", "out"),
    "ports of a GPU node, in": ("gpu node", "in"),
    "ports of a GPU node, out": ("gpu node", "out"),
}


@pytest.mark.parametrize(
    "flow", [Flow(9e5, 0.0), Flow(0.0, 7e5), Flow(3e5, 4e5, inner=2e5)], ids=["read", "write", "all"]
)
def test_no_link_carries_more_than_is_counted(fabrics, flow):
    """Equal where nodes and ports divide evenly; never less than the fullest link really has."""
    exact = 0
    for topology in fabrics:
        if topology.levels != 2:
            continue
        counted = {name: required for name, required, _ in loads(topology, {"hot": flow}, QUIET)}
        real = sent(topology, flow)
        for name, (kind, way) in LINKS.items():
            most = max((rate for (of, _, to), rate in real.items() if (of, to) == (kind, way)), default=0.0)
            assert counted[name] >= most * (1 - 1e-9), name
            exact += counted[name] == pytest.approx(most)
    assert exact > 600


def test_a_job_on_one_leaf_fills_its_uplinks(fabrics):
    topology = next(one for one in fabrics if one.levels == 2 and one.gpu.sets > 1)
    gpu = topology.gpu.members[0]
    spread = gpu_leaf(topology.gpu, gpu, QUIET, read=1e6, write=0.0)[0]
    on_one = Demand(node_read=Bandwidth(1e6), node_write=NOTHING, between=NOTHING)
    assert gpu_leaf(topology.gpu, gpu, on_one, read=1e6, write=0.0)[0] > spread


def test_what_gpu_nodes_send_one_another_counts_both_ways(fabrics):
    topology = next(one for one in fabrics if one.levels == 2)
    between = Demand(node_read=NOTHING, node_write=NOTHING, between=Bandwidth(5e6))
    before = {name: required for name, required, _ in loads(topology, {"hot": Flow(1e5, 1e5)}, QUIET)}
    after = {name: required for name, required, _ in loads(topology, {"hot": Flow(1e5, 1e5)}, between)}
    grown = {name for name in before if after[name] > before[name]}
    assert grown == {name for name in before if "GPU" in name}


def test_directions_of_a_link_are_apart(fabrics):
    """Full duplex: as many writes beside the reads leave the outgoing load where nothing is sent between nodes."""
    plain = [one for one in fabrics if not one.storage.members[0].inner_write and not one.storage.members[0].inner_read]
    for topology in plain:
        alone = {name: required for name, required, _ in loads(topology, {"hot": Flow(1e5, 0.0)}, QUIET)}
        both = {name: required for name, required, _ in loads(topology, {"hot": Flow(1e5, 9e4)}, QUIET)}
        name = "ports of a hot node, out"
        assert alone[name] == both[name]


def test_lost_nodes_leave_their_load_to_the_others(fabrics):
    topology = next(one for one in fabrics if one.storage.members[0].nodes > 2)
    whole = busiest(topology, {"hot": Flow(1e6, 1e6)}, QUIET, "x").load_fraction
    less = busiest(topology, {"hot": Flow(1e6, 1e6, lost=1)}, QUIET, "x").load_fraction
    assert less >= whole
