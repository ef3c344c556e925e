"""What is left after each loss: the golden of six nodes, racks by product, and what must always hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.domain.fabric import LeafGroup
from tierplan.domain.stack import Survive
from tierplan.layout import chains, tolerance
from tierplan.survival import node_room
from tierplan.survival.tiers import of_tier
from tierplan.units import bandwidth

STATES = ["drive", "port", "leaf", "node", "rack"]


def state(survival, lost):
    return next(one for one in survival.states if one.lost == lost)


@pytest.mark.parametrize("backend", ["cephfs", "weka", "storage-scale"])
def test_four_plus_two_on_six_nodes_keeps_five_sixths_and_has_no_room(backend, tier, survive):
    """One lost of six: at most 5/6 of the bandwidth; five nodes cannot hold a stripe of six anew."""
    plan, found = tier(backend), survive(backend)
    lost = state(found, "node")
    assert lost.read.base <= plan.delivered.healthy.read.base * 5 / 6 * (1 + 1e-12)
    assert lost.write.base <= plan.delivered.healthy.write.base * 5 / 6 * (1 + 1e-12)
    assert not lost.data_lost
    room, reason = node_room(plan)
    assert not room
    assert "no room to rebuild" in reason
    rebuild = found.rebuild("node")
    assert rebuild is not None
    assert not rebuild.room
    assert "no room to rebuild" in rebuild.reason


@pytest.mark.parametrize("backend", ["cephfs", "weka"])
def test_a_seventh_node_makes_room(backend, tier):
    assert node_room(tier(backend, nodes=7, spares=1 if backend == "weka" else 0)) == (True, "")


def test_room_ends_where_what_is_stored_does_not_fit_the_rest(tier):
    """Seven nodes hold the stripe anew, but not the bytes."""
    usable = tier(nodes=7).delivered.usable
    assert node_room(tier(nodes=7, stored=f"{usable.bytes * 0.9 / 1e12} TB"))[0]
    room, reason = node_room(tier(nodes=7, stored=f"{usable.bytes * 0.96 / 1e12} TB"))
    assert not room
    assert "fit what is left" in reason


def test_losses_come_smallest_first_and_keep_no_more_than_all(survive, tier):
    for backend in ("cephfs", "weka", "beegfs", "lustre", "nfs", "storage-scale"):
        domain = "drive" if backend in {"beegfs", "lustre"} else "node"
        plan, found = tier(backend, nodes=8, domain=domain), survive(backend, nodes=8, domain=domain)
        assert [one.lost for one in found.states][:5] == STATES
        for one in found.states:
            assert one.read.base <= plan.delivered.healthy.read.base * (1 + 1e-12)
            assert one.write.base <= plan.delivered.healthy.write.base * (1 + 1e-12)
            assert one.op_rate.base <= plan.delivered.healthy.op_rate.base * (1 + 1e-12)
            assert one.capacity.base <= plan.delivered.usable.base * (1 + 1e-12)
            assert one.serves == bool(one.read or one.write)


def test_a_rack_of_mirrored_servers_takes_one_of_each_pair(survive, tier):
    """BeeGFS: each server of a buddy group has drives of its own and stands in another rack."""
    plan = tier("beegfs", nodes=8, domain="drive", racks=4, survive=Survive(nodes=0, racks=1))
    lost = state(survive("beegfs", nodes=8, domain="drive", racks=4, survive=Survive(nodes=0, racks=1)), "rack")
    assert not lost.data_lost
    assert lost.serves
    assert lost.read == next(one.read for one in plan.delivered.degraded if one.nodes == 1)


@pytest.mark.parametrize("backend", ["lustre", "nfs"])
@pytest.mark.parametrize("racks", [2, 8])
def test_a_rack_with_a_shared_enclosure_takes_its_files_and_says_why(backend, racks, survive):
    domain = "drive" if backend == "lustre" else "node"
    found = survive(backend, nodes=8, domain=domain, racks=racks)
    assert state(found, "rack").data_lost
    assert "one rack" in found.rack_bound


@pytest.mark.parametrize("loss", [Survive(nodes=0, racks=2), Survive(nodes=1, racks=1), Survive(nodes=2)])
def test_two_losses_may_be_both_of_a_pair(loss, tier):
    plan = tier("beegfs", nodes=8, domain="drive", racks=4, survive=loss)
    lost = next(one for one in plan.delivered.degraded if (one.nodes, one.racks) == (loss.nodes, loss.racks))
    assert lost.data_lost


def test_a_leaf_loses_no_data_and_takes_the_nodes_behind_it(tier, failures):
    def leafs(rails, node_ports):
        return LeafGroup(
            serves="storage",
            nodes=12,
            leafs=4,
            rails=rails,
            node_ports=node_ports,
            uplinks=4,
            rate=bandwidth("200 Gbit/s"),
            oversubscription=1.0,
        )

    plan = tier("weka", nodes=12, code=(5, 2), spares=1)
    spread = state(of_tier(plan, failures, leafs=leafs(2, 6)), "leaf")
    alone = state(of_tier(plan, failures, leafs=leafs(1, 4)), "leaf")
    many = state(of_tier(plan, failures, leafs=leafs(1, 8)), "leaf")
    assert spread.read.base == pytest.approx(plan.delivered.healthy.read.base / 2)
    assert alone.read.base == pytest.approx(plan.delivered.healthy.read.base * 10 / 12)  # two nodes behind it
    assert not many.serves  # four nodes are more than 5+2 bears
    assert not any(one.data_lost for one in (spread, alone, many))


def test_a_single_port_takes_its_node(survive):
    found = survive("weka", nodes=8, code=(5, 2), spares=1, node={"ports": 1})
    assert state(found, "port").read == state(found, "node").read
    assert not state(found, "port").data_lost


@given(counts=st.tuples(st.integers(0, 40), st.integers(0, 9), st.integers(0, 6), st.integers(0, 30)))
def test_any_configuration_has_an_answer(counts, tier, failures):
    """Illegal ones too: total, finite, between 0 and 1."""
    nodes, racks, parity, drives = counts
    for backend in ("cephfs", "weka", "lustre", "beegfs", "3fs", "vast", "storage-scale"):
        plan = tier(backend, nodes=nodes, racks=racks, code=(4, parity), node={"drives": drives})
        found = of_tier(plan, failures)
        if found is not None:
            assert 0 <= found.risk.total <= 1
            assert 0 <= found.degraded_fraction <= 1
            assert 0 <= found.down_fraction <= 1


@pytest.mark.parametrize(("nodes", "expected"), [(4, 1 / 3), (8, 1 / 7), (202, 1 / 201)])
def test_two_lost_of_pairs_are_fatal_where_they_are_a_pair(nodes, expected, survive):
    """Tried one by one for few, by symmetry for many: of the others, one is the partner."""
    assert survive("beegfs", nodes=nodes, domain="drive").fatal_beyond == pytest.approx(expected)


def test_one_more_than_the_code_bears_is_fatal_where_stripes_lie_anywhere(survive):
    assert survive("weka", nodes=12, code=(5, 2), spares=1).fatal_beyond == 1.0


def test_chains_lose_data_as_often_as_trying_every_loss_says(tier, survive):
    """3FS: three of ten nodes lost, against every three of them and the chains as they are designed."""
    plan = tier("3fs", nodes=10, replicas=3)
    groups = chains.design(nodes=10, replicas=3, targets=int(plan.delivered.parts["targets_per_disk"]))
    exact = tolerance.fatal_share(groups, members=10, tolerated=2, lost=3)
    assert 0 < exact < 1
    assert survive("3fs", nodes=10, replicas=3).fatal_beyond == pytest.approx(exact, rel=0.15)
