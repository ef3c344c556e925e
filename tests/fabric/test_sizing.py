"""Leafs and spines: every port has its place, pins are kept, one leaf fewer would not do."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan.fabric.sizing import Switches, leaf_group, leafs_and_spines, single_leaf, whole_number
from tierplan.fabric.topology import Member
from tierplan.units import Bandwidth, bandwidth

RATE = bandwidth("200 Gbit/s")


def machines(name: str, nodes: int, ports: int = 2) -> Member:
    return Member(name=name, nodes=nodes, ports=ports, port_rate=RATE, port=RATE)


def switches(**given_: object) -> Switches:
    base = {
        "leaf_ports": 40,
        "spine_ports": 40,
        "rail_optimised": True,
        "uplink_share": 0.8,
        "most_oversubscription": 3.0,
    }
    return Switches(**(base | given_))


def asks(rate: str):
    return lambda _: bandwidth(rate)


def test_uplinks_are_the_published_ones(golden):
    for row in golden["uplinks"]:
        assert whole_number(row["node_ports"] / row["oversubscription"]) == row["uplinks"]


@settings(deadline=None, max_examples=150)
@given(
    storage=st.integers(1, 80),
    gpu=st.integers(1, 3000),
    ports=st.integers(1, 4),
    gpu_ports=st.integers(1, 8),
    leaf_ports=st.sampled_from([16, 32, 40, 64, 128]),
    ratio=st.none() | st.floats(1, 8),
    rails=st.booleans(),
)
def test_every_port_has_its_place(storage, gpu, ports, gpu_ports, leaf_ports, ratio, rails):  # noqa: PLR0917  # drawn
    given_ = switches(leaf_ports=leaf_ports, spine_ports=leaf_ports, oversubscription=ratio, rail_optimised=rails)
    members = (machines("hot", storage, ports),), (machines("gpu", gpu, gpu_ports),)
    found = leafs_and_spines(*members, given_, (asks("100 GB/s"), asks("200 GB/s")))
    if found is None:
        return
    for group in found.groups:
        (member,) = group.members
        assert group.node_ports + group.uplinks <= leaf_ports
        assert group.sets * -(-member.nodes // group.sets) >= member.nodes
        assert group.leafs * group.node_ports >= member.nodes * member.ports
        down = group.node_ports * RATE.base
        assert down / (group.uplinks * RATE.base) <= (ratio or 3.0) * (1 + 1e-9)
        if ratio is None:
            wanted = 100e9 if group.serves == "storage" else 200e9
            assert group.uplinks * group.uplink.base >= wanted * (1 - 1e-9)
    trunks = sum(group.leafs * group.uplinks for group in found.groups)
    if found.levels == 2:
        assert trunks <= found.spines * leaf_ports
        assert all(group.uplinks % found.spines == 0 for group in found.groups)  # as many to one spine as to another
    else:
        assert found.spines * (leaf_ports // 2) >= trunks
        assert found.cores * leaf_ports >= trunks
        assert sum(group.leafs for group in found.groups) <= leaf_ports**2 // 2


@pytest.mark.parametrize("nodes", [3, 40, 128, 700])
def test_one_set_of_leafs_fewer_would_not_do(nodes):
    given_ = switches()
    found = leaf_group("gpu", (machines("gpu", nodes),), given_, asks("10 GB/s"), 2)
    fewer = found.sets - 1
    if fewer:
        down = -(-nodes // fewer)
        uplinks = -(-max(whole_number(down / 3), 1) // 2) * 2
        assert down + uplinks > 40


def test_ports_that_fit_on_one_leaf_need_no_spine():
    few = (machines("hot", 6), machines("gpu", 14))
    assert single_leaf(few, switches()).levels == 1
    assert single_leaf((machines("hot", 6), machines("gpu", 15)), switches()) is None


def test_rails_spread_the_ports_of_a_node():
    spread = leaf_group("gpu", (machines("gpu", 30),), switches(), asks("1 GB/s"), 2)
    packed = leaf_group("gpu", (machines("gpu", 30),), switches(rail_optimised=False), asks("1 GB/s"), 2)
    assert (spread.rails, packed.rails) == (2, 1)
    assert spread.share(spread.members[0]) == pytest.approx(1 / spread.leafs, rel=0.2)


def test_more_traffic_asks_for_more_uplinks():
    few = leaf_group("storage", (machines("hot", 12),), switches(), asks("50 GB/s"), 2)
    more = leaf_group("storage", (machines("hot", 12),), switches(), asks("300 GB/s"), 2)
    assert few.uplinks < more.uplinks
    assert more.uplinks * more.uplink.base >= 300e9


def test_a_leaf_that_holds_no_node_with_an_uplink_builds_nothing():
    tiny = switches(leaf_ports=2, spine_ports=2)
    assert (
        leafs_and_spines((machines("hot", 4),), (machines("gpu", 4),), tiny, (asks("1 GB/s"), asks("1 GB/s"))) is None
    )


def test_what_one_layer_of_spines_cannot_hold_gets_a_third():
    found = leafs_and_spines(
        (machines("hot", 20),), (machines("gpu", 2048),), switches(), (asks("1 GB/s"), asks("1 GB/s"))
    )
    assert found.levels == 3
    assert found.trunk_cables == 2 * sum(group.leafs * group.uplinks for group in found.groups)


def test_bandwidth_of_machines_of_several_rates_counts_by_rate():
    slow = Member(name="cold", nodes=8, ports=2, port_rate=RATE / 2, port=RATE / 2)
    mixed = leaf_group("storage", (machines("hot", 8), slow), switches(oversubscription=1.0), asks("1 GB/s"), 1)
    assert mixed.uplinks == 12 // mixed.sets
    assert isinstance(mixed.uplink, Bandwidth)
