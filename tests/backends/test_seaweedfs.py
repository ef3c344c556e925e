"""SeaweedFS: sealed and fresh volumes, what a loss takes of them, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from tierplan.backends import seaweedfs
from tierplan.domain.stack import LayoutPins, Site, Survive, TierPins
from tierplan.domain.tiers import Layout, TierPlan
from tierplan.units import Size, size

SITE = Site(kind="on-prem", racks=8)
CODE = Layout(kind="erasure-code", data_units=10, parity_units=4)


@pytest.fixture
def hdd(facts_of):
    return facts_of("seaweedfs").nodes["hdd-24x20"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return seaweedfs.BACKEND.deliver(config, need or make_need("cold"), facts_of("seaweedfs"))

    return run


@pytest.fixture
def cluster(hdd, make_config):
    def make(nodes, *, layout=CODE, node=hdd, **changes):
        return make_config("seaweedfs", node, nodes=nodes, layout=layout, **{"tier": "cold", "racks": 8, **changes})

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


def choices(need, facts_of, **pins):
    return list(seaweedfs.BACKEND.choices(need, TierPins(**pins), SITE, facts_of("seaweedfs")))


def test_usable_is_ten_fourteenths_of_what_fresh_volumes_leave(cluster, deliver):
    given = deliver(cluster(10))
    assert [(step.name, step.fraction) for step in given.waterfall] == [
        ("fresh volumes in copies, room to seal", 0.9),
        ("code 10+4", 10 / 14),
    ]
    assert given.usable.bytes == pytest.approx(10 * 480e12 * 0.9 * 10 / 14)


def test_a_byte_is_written_in_copies_read_again_and_dealt_out(cluster, deliver):
    """2 copies + 1 read for sealing + 1.4 in shards: 4.4 bytes of drive for each byte taken in."""
    write = deliver(cluster(10)).healthy.write
    assert write.base == pytest.approx(10 * 24 * 100e6 / 4.4)
    copies = deliver(cluster(10, layout=Layout(kind="replicas", replicas=2))).healthy.write
    assert copies.base == pytest.approx(10 * 24 * 100e6 / 2)


@pytest.mark.parametrize("racks", [1, 2, 4, 8])
@pytest.mark.parametrize("nodes", range(3, 13))
def test_losses_by_brute_force(nodes, racks, cluster, deliver, make_need):
    """Shards dealt out one by one over the racks and the nodes in them: never silent about a loss."""
    rack_of = {node: node % racks for node in range(nodes)}
    ends, turn = [], dict.fromkeys(range(racks), 0)
    members = {rack: [node for node in range(nodes) if rack_of[node] == rack] for rack in range(racks)}
    filled = [rack for rack in range(racks) if members[rack]]
    for shard in range(14):
        rack = filled[shard % len(filled)]
        ends.append(members[rack][turn[rack] % len(members[rack])])
        turn[rack] += 1
    for loss in (Survive(nodes=1), Survive(nodes=2), Survive(nodes=0, racks=1)):
        given = deliver(cluster(nodes, racks=racks), make_need("cold", survive=loss))
        states = [one for one in given.degraded if (one.nodes, one.racks) == (loss.nodes, loss.racks)]
        for state in states:
            worst = max(
                sum(end in gone or rack_of[end] in down for end in ends)
                for gone in combinations(range(nodes), loss.nodes)
                for down in combinations(range(racks), loss.racks)
            )
            assert state.data_lost or worst <= 4, (loss, worst)


def test_copies_follow_what_must_be_survived(cluster, deliver, make_need):
    assert deliver(cluster(12)).parts["fresh_copies"] == 2
    need = make_need("cold", survive=Survive(nodes=1, racks=1))
    assert deliver(cluster(12), need).parts["fresh_copies"] == 3
    assert deliver(cluster(12, options={"copies": 2}), need).degraded[-1].data_lost


@pytest.mark.parametrize(
    ("nodes", "layout", "expected"),
    [
        (4, CODE, []),
        (3, CODE, ["cold-layout"]),
        (12, replace(CODE, data_units=8), ["cold-layout"]),
        (12, Layout(kind="replicas", replicas=2), []),
        (12, Layout(kind="replicas", replicas=4), ["cold-layout"]),
        (12, Layout(kind="none"), ["cold-layout"]),
        (12, replace(CODE, hot_spares=1, failure_domain="drive"), ["advice-narrow-layout"] * 2),
    ],
)
def test_layouts_at_their_boundaries(cluster, deliver, nodes, layout, expected):
    assert policies(deliver(cluster(nodes, layout=layout))) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"copies": 0}, ["cold-layout"]),
        ({"copies": 1}, ["advice-narrow-layout"]),
        ({"copies": 3, "volume_size": "10 GB", "bucket": "b"}, []),
        ({"copy": 3}, ["cold-layout"]),
    ],
)
def test_options(cluster, deliver, options, expected):
    assert policies(deliver(cluster(12, options=options))) == expected


@pytest.mark.parametrize(
    ("change", "required"), [({"cores": 9}, 10), ({"memory": size("31 GiB")}, 32 * 2.0**30)], ids=["cores", "memory"]
)
def test_node_without_what_it_takes(cluster, deliver, hdd, change, required):
    fault = deliver(cluster(12, node=replace(hdd, **change))).illegal[0]
    assert (fault.policy, fault.required) == ("cold-node", required)


def test_search_counts_shards_and_masters(make_need, facts_of):
    assert [config.nodes for config in choices(make_need("cold"), facts_of)] == [4]
    two = make_need("cold", survive=Survive(nodes=2))
    assert [config.nodes for config in choices(two, facts_of)] == [7]
    copies = choices(make_need("cold", capacity=Size(1e15)), facts_of, layout=LayoutPins(replicas=3))
    assert [str(config.layout) for config in copies] == ["3 replicas"]


def test_template_context_has_its_words(cluster, deliver, make_need):
    config = cluster(12, options={"volume_size": "10 GB"})
    plan = TierPlan(need=make_need("cold"), config=config, delivered=deliver(config))
    context = seaweedfs.BACKEND.template_context(plan, {})
    assert (context["replication"], context["volume_size_mb"], context["masters"]) == ("010", 10000, 3)
    one_rack = replace(plan, config=replace(config, racks=1))
    assert seaweedfs.BACKEND.template_context(one_rack, {})["replication"] == "001"
