"""The arithmetic that every backend shares, on a node of round figures: 1 GB/s read, 0.5 GB/s write, 100 ops/s."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.backends import _choosing, _rules, _sizing, _space
from tierplan.domain.need import Phase
from tierplan.domain.stack import LayoutPins, Survive, TierPins
from tierplan.domain.tiers import NEVER, Factor, Layout
from tierplan.units import Bandwidth, OpRate, Size

SPACE = _space.EvenSpace(node_raw=Size(10e12), steps=(Factor(name="half", fraction=0.5, basis="layout"),), kept_free=1)
NODE = _sizing.lowest(
    _sizing.Ceiling(limited_by="node ports", read=Bandwidth(1e9), write=Bandwidth(2e9), write_high=Bandwidth(3e9)),
    _sizing.Ceiling(limited_by="media", read=Bandwidth(4e9), write=Bandwidth(0.5e9), write_high=Bandwidth(0.6e9)),
    op_rate=OpRate(100.0),
)
MODEL = _sizing.Model(node=NODE, space=SPACE, least={"minimum": 3}, tolerated=2)


def gb_s(value):
    return Bandwidth(value * 1e9)


def asked(need, model=MODEL, racks=1):
    return _sizing.counts(model, need, racks=racks)


def test_lowest_ceiling_counts_for_each_direction():
    assert (NODE.read, NODE.read_limited_by) == (Bandwidth(1e9), "node ports")
    assert (NODE.write, NODE.write_limited_by) == (Bandwidth(0.5e9), "media")
    assert (NODE.read_high, NODE.write_high) == (Bandwidth(1e9), Bandwidth(0.6e9))


def test_each_constraint_asks_its_own_count(make_need):
    need = make_need(
        read=gb_s(7),
        write=gb_s(2),
        op_rate=OpRate(450.0),
        capacity=Size(40e12),
        max_fill=0.8,
        phases=(Phase(name="both", read=gb_s(7), write=gb_s(2), op_rate=OpRate.zero()),),
        degraded_read=gb_s(7),
        survive=Survive(nodes=2),
    )
    assert asked(need) == {
        "capacity": 11,  # 40 / 0.8 / 5 TB and one kept free
        "read": 7,
        "write": 4,
        "metadata": 5,
        "phases": 11,  # 7 / 1 + 2 / 0.5
        "degraded": 9,  # 7 that are left of 9
        "minimum": 3,
    }


def test_degraded_count_spreads_over_racks(make_need):
    need = make_need(degraded_write=gb_s(3), survive=Survive(nodes=0, racks=1))
    assert asked(need, racks=4)["degraded"] == 8  # two a rack, six left
    assert asked(need, racks=1)["degraded"] == 6  # the only rack: no count helps, the state says so


def test_nothing_asked_takes_the_minimum_only(make_need):
    assert asked(make_need()) == dict.fromkeys(("capacity", "read", "write", "metadata", "phases", "degraded"), 0) | {
        "minimum": 3
    }


def test_float_noise_buys_no_node(make_need):
    need = make_need(
        read=Bandwidth(0.1e9 * 3 * 10), phases=(Phase(name="p", read=gb_s(0.3 * 10), write=gb_s(0), op_rate=OpRate(0)),)
    )
    assert asked(need)["read"] == asked(need)["phases"] == 3


@pytest.mark.parametrize("name", ["read", "write", "op_rate", "capacity"])
def test_node_that_gives_nothing_is_never_enough(make_need, name):
    nothing = replace(
        MODEL,
        node=_sizing.lowest(
            _sizing.Ceiling(limited_by="media", read=Bandwidth.zero(), write=Bandwidth.zero()), op_rate=OpRate.zero()
        ),
        space=replace(SPACE, node_raw=Size.zero()),
    )
    kinds = {"read": Bandwidth(1.0), "write": Bandwidth(1.0), "op_rate": OpRate(1.0), "capacity": Size(1.0)}
    need = make_need(**{name: kinds[name]})
    assert NEVER in asked(need, nothing).values()


def test_metadata_servers_beside_the_nodes_count(make_need):
    beside = replace(MODEL, node=replace(NODE, op_rate_beside=OpRate(400.0)))
    assert asked(make_need(op_rate=OpRate(450.0)), beside)["metadata"] == 1
    assert _sizing.rates(beside, make_need().clients, nodes=2).op_rate == OpRate(600.0)


@given(usable=st.floats(1, 1e15), per_node=st.floats(1e10, 1e13))
def test_stepped_space_counts_like_even_space(usable, per_node):
    """The search by halving finds what the closed form says."""
    stepped = _space.SteppedSpace(
        node_raw=Size(per_node),
        steps_at=lambda nodes: (Factor(name="f", fraction=max(0, nodes - 1) / nodes / 2, basis="layout"),),
    )
    even = _space.EvenSpace(
        node_raw=Size(per_node), steps=(Factor(name="f", fraction=0.5, basis="layout"),), kept_free=1
    )
    assert stepped.count(Size(usable)) == even.count(Size(usable))
    assert stepped.count(Size.zero()) == 0


def test_space_that_never_suffices():
    assert _space.SteppedSpace(node_raw=Size.zero(), steps_at=lambda _: ()).count(Size(1.0)) == NEVER


def test_losses_are_listed_once():
    assert _sizing.losses(Survive(nodes=1), racks=1) == (Survive(nodes=1),)
    assert _sizing.losses(Survive(nodes=0), racks=4) == (Survive(nodes=1), Survive(nodes=0, racks=1))
    assert _sizing.losses(Survive(nodes=2, racks=1), racks=4)[-1] == Survive(nodes=2, racks=1)


@pytest.mark.parametrize(
    ("given_pins", "expected"),
    [
        (LayoutPins(), "4+2"),
        (LayoutPins(data_units=8), "8+2"),
        (LayoutPins(replicas=3), "3 replicas"),
        (LayoutPins(replicas=2, data_units=8), "2 replicas"),
    ],
)
def test_pinned_layout(stripe, given_pins, expected):
    assert str(_choosing.pinned_layout(stripe(4, 2), TierPins(layout=given_pins))) == expected


def test_pinned_code_turns_copies_into_a_code():
    copies = Layout(kind="replicas", replicas=3)
    pinned = _choosing.pinned_layout(copies, TierPins(layout=LayoutPins(data_units=4, parity_units=2)))
    assert (pinned.kind, str(pinned)) == ("erasure-code", "4+2")


@given(least=st.integers(1, 200), start=st.integers(1, 50))
def test_sized_is_the_smallest_that_fits(least, start):
    """Of a layout that asks less the more nodes there are."""

    def falling(nodes):
        return {"capacity": max(least, least * 2 - nodes)}

    found = _choosing.sized(falling, start=min(start, least))
    assert falling(found)["capacity"] <= found
    assert all(falling(nodes)["capacity"] > nodes for nodes in range(min(start, least), found))


@pytest.mark.parametrize(("value", "nearest"), [(1, 3), (17, 16), (9, None)])
def test_not_allowed_names_the_nearest(make_config, value, nearest, facts_of):
    config = make_config("weka", facts_of("weka").nodes["nvme-12x7.68"], nodes=6, layout=Layout(kind="none"))
    faults = list(_rules.not_allowed(config, "data_units", value, allowed=tuple(range(3, 17))))
    assert [fault.required for fault in faults] == ([] if nearest is None else [nearest])
    assert all("allowed: 3 to 16" in fault.message for fault in faults)


def test_option_reads_nested_words_and_refuses_other_kinds():
    options = {"tiering": {"share": 1}, "on": True, "cores": 2.0}
    assert _choosing.option(options, "tiering.share", float) == 1.0
    assert _choosing.option(options, "on", bool) is True
    assert _choosing.option(options, "on", int) is None  # a flag is no count
    assert _choosing.option(options, "cores", int) is None
    assert _choosing.option(options, "tiering.share.more", int) is None


def test_facts_relied_on_are_remembered(facts_of):
    used = _choosing.Relied(facts_of("weka"))
    assert used["reserve_fraction"] == 0.1
    assert used.quantity(OpRate, "create_rate").show("ops/s", 5) == "29,250 ops/s"
    assert used.quantity_high(OpRate, "create_rate").base == 407500
    assert used.high("reserve_fraction") == 0.1
    lines = used.lines(_choosing.NO_NODE)
    assert [line.split(" (")[0] for line in lines] == ["weka reserve_fraction 0.1"]  # create_rate is measured


def test_domains_of_a_configuration(make_config, facts_of, stripe):
    node = facts_of("weka").nodes["nvme-12x7.68"]
    domains = {
        domain: _space.failure_domains(
            make_config("weka", node, nodes=6, racks=8, layout=stripe(3, 2, failure_domain=domain))
        )
        for domain in ("node", "rack", "drive")
    }
    assert domains == {"node": 6, "rack": 6, "drive": 72}
