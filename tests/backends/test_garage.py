"""Garage: copies over zones, what unequal zones leave unused, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.backends import garage
from tierplan.domain.stack import LayoutPins, Site, Survive, TierPins
from tierplan.domain.tiers import Layout, TierPlan
from tierplan.units import Size, size


@pytest.fixture
def hdd(facts_of):
    return facts_of("garage").nodes["hdd-24x20"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return garage.BACKEND.deliver(config, need or make_need("cold"), facts_of("garage"))

    return run


@pytest.fixture
def cluster(hdd, make_config):
    def make(nodes, copies=3, *, domain="rack", node=hdd, **changes):
        layout = Layout(kind="replicas", replicas=copies, failure_domain=domain)
        return make_config("garage", node, nodes=nodes, layout=layout, **{"tier": "cold", "racks": 8, **changes})

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


def choices(need, facts_of, racks=8, **pins):
    return list(garage.BACKEND.choices(need, TierPins(**pins), Site(kind="on-prem", racks=racks), facts_of("garage")))


@given(nodes=st.integers(1, 60), zones=st.integers(1, 12), copies=st.sampled_from([1, 2, 3, 5, 7]))
def test_zone_share_is_the_largest_that_fits(nodes, zones, copies):
    """By halving: the most of everything of which each zone holds at most one copy."""
    sizes = [nodes // zones + (index < nodes % zones) for index in range(zones)]
    low, high = 0.0, float(nodes)
    for _ in range(70):
        middle = (low + high) / 2
        fits = sum(min(one, middle) for one in sizes) >= copies * middle
        low, high = (middle, high) if fits else (low, middle)
    expected = copies * low / nodes if nodes >= copies and zones >= copies else 0.0
    assert garage.zone_share(nodes=nodes, zones=zones, copies=copies) == pytest.approx(expected, abs=1e-6)


def test_the_book_s_example_of_four_nodes_in_three_zones(cluster, deliver):
    """Garage book, cluster layout management: a fourth equal node adds nothing, 75 % of the drives is used."""
    four, three = deliver(cluster(4, racks=3)), deliver(cluster(3, racks=3))
    assert four.usable == three.usable
    assert four.usable.bytes == pytest.approx(480e12)


@pytest.mark.parametrize("quorum", [(2, 0, 1), (3, 1, 2), (5, 2, 4), (7, 3, 6)])
def test_quorums(cluster, deliver, make_need, quorum):
    """Garage book, replication_factor: 3 copies read and write with one zone lost, 2 copies write with none lost."""
    copies, serving, kept = quorum
    for lost in range(1, copies + 1):
        state = deliver(cluster(16, copies), make_need("cold", survive=Survive(nodes=0, racks=lost))).degraded[-1]
        assert bool(state.read) == (lost <= serving)
        assert state.data_lost == (lost > kept)


@pytest.mark.parametrize(
    ("nodes", "copies", "expected"),
    [
        (4, 3, []),
        (3, 3, []),
        (2, 3, ["cold-layout"] * 2),
        (6, 2, ["advice-narrow-layout"]),
        (6, 4, ["cold-layout"]),
        (6, 1, ["advice-narrow-layout"]),
    ],
)
def test_copies_at_their_boundaries(cluster, deliver, nodes, copies, expected):
    assert policies(deliver(cluster(nodes, copies))) == expected


def test_codes_are_refused_with_the_reason(cluster, deliver, stripe):
    fault = deliver(replace(cluster(8), layout=stripe(4, 2))).illegal[0]
    assert (fault.policy, "stated non-goal" in fault.message) == ("cold-layout", True)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"versioning": True}, ["cold-layout"]),
        ({"versioning": False, "block_size": "1 MB", "metadata_engine": "sqlite"}, []),
        ({"metadata_engine": "sled"}, ["cold-layout"]),
        ({"storage_class": "COLD"}, ["cold-layout"]),
    ],
)
def test_options(cluster, deliver, options, expected):
    assert policies(deliver(cluster(8, options=options))) == expected


@pytest.mark.parametrize(
    ("change", "required"), [({"cores": 9}, 10), ({"memory": size("31 GiB")}, 32 * 2.0**30)], ids=["cores", "memory"]
)
def test_node_without_what_it_takes(cluster, deliver, hdd, change, required):
    fault = deliver(cluster(8, node=replace(hdd, **change))).illegal[0]
    assert (fault.policy, fault.required) == ("cold-node", required)


def test_choices_spread_over_racks_where_there_are_enough(make_need, facts_of):
    need = make_need("cold", capacity=Size(1e15))
    found = {racks: choices(need, facts_of, racks=racks)[0].layout.failure_domain for racks in (1, 2, 3, 8)}
    assert found == {1: "node", 2: "node", 3: "rack", 8: "rack"}
    (five,) = choices(need, facts_of, layout=LayoutPins(replicas=5))
    assert five.layout.replicas == 5


def test_template_context_has_its_words(cluster, deliver, make_need):
    config = cluster(8)
    plan = TierPlan(need=make_need("cold"), config=config, delivered=deliver(config))
    context = garage.BACKEND.template_context(plan, {})
    assert (context["copies"], context["zone_of"], context["block_size_bytes"]) == (3, "rack", 10_000_000)
