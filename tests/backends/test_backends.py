"""What holds for every backend of the catalogue, whatever it is asked."""

from __future__ import annotations

import importlib
import json
import math
from dataclasses import replace

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan import backends
from tierplan.backends import module_name
from tierplan.domain.need import Phase
from tierplan.domain.stack import Drive, DrivePins, LayoutPins, NodePins, Quote, StorageNode, Survive, TierPins
from tierplan.domain.tiers import NEVER, Layout
from tierplan.units import Bandwidth, OpRate, Size

WORDS = {
    "drive_cores": 6,
    "tiering": {"cue": "1 d"},
    "nonsense": (1, "x"),
    "plugin": 3,
    "stripe_unit": "4",
    "bucket": "",
}

prove = settings(deadline=None, max_examples=40)

rates = st.floats(0, 400e9).map(Bandwidth)
survivals = st.builds(Survive, nodes=st.integers(0, 2), racks=st.integers(0, 1))


@st.composite
def asks(draw):
    """Changes to a need of nothing, as a cluster of any size may ask."""
    read, write = draw(rates), draw(rates)
    degraded = draw(st.floats(0, 1))
    return {
        "read": read,
        "write": write,
        "op_rate": OpRate(draw(st.floats(0, 3e6))),
        "capacity": Size(draw(st.floats(0, 30e15))),
        "phases": (
            Phase(name="training", read=read, write=write * 0.1, op_rate=OpRate.zero()),
            Phase(name="checkpoint", read=read * 0.2, write=write, op_rate=OpRate.zero()),
        ),
        "degraded_read": read * degraded,
        "degraded_write": write * degraded,
        "max_fill": draw(st.floats(0.3, 1.0)),
        "survive": draw(survivals),
        "files": draw(st.sampled_from([0.0, 1e6, 1e9])),
    }


def phase_share(phase, healthy):
    """What a phase takes of a tier: read / Read + write / Write."""
    asked = ((phase.read, healthy.read), (phase.write, healthy.write))
    return sum(wanted / given_ for wanted, given_ in asked if wanted)


# --- form -----------------------------------------------------------------------------------------------------


def test_one_name_in_every_place(backend_id, facts_of):
    """Catalogue id, module, options schema; the module's words and the schema's are the same."""
    module = importlib.import_module(f"tierplan.backends.{module_name(backend_id)}")
    schemas = importlib.resources.files("tierplan") / "schemas" / "options"
    schema = json.loads((schemas / f"{backend_id}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    assert facts_of(backend_id).id == backend_id
    assert set(module.OPTIONS) == set(schema["properties"])
    assert schema["additionalProperties"] is False


def test_every_figure_has_a_source_and_a_date(backend_id, facts_of):
    facts = facts_of(backend_id)
    for fact in (*facts.figures.values(), *facts.node_facts.values()):
        assert fact.basis in {"measured", "vendor", "derived", "assumed"}
        assert len(fact.source) > 20, fact.name
        assert fact.checked.startswith("20"), fact.name


def test_the_careful_end_is_what_counts(backend_id, facts_of):
    """`value` lies within low and high."""
    for fact in facts_of(backend_id).figures.values():
        low = fact.value if fact.low is None else fact.low
        high = fact.value if fact.high is None else fact.high
        assert low <= fact.value <= high, fact.name


def test_every_figure_is_used(backend_id, lab):
    """A figure that no delivery reads is no fact of a plan."""
    facts = lab.facts(backend_id)
    read = set()

    class Watched(dict):
        def __getitem__(self, key):
            read.add(key)
            return super().__getitem__(key)

    watched = replace(facts, figures=Watched(facts.figures))
    need = lab.need(backend_id, {})
    for config in lab.variants(backend_id, need):
        for medium in ("nvme", "hdd"):
            again = replace(config, node=replace(config.node, medium=medium, drives=4))
            backends.load(backend_id).deliver(again, need, watched)
    assert set(facts.figures) - read <= {"reclaim_factor"}  # of the object store behind a tiered file system


# --- what holds for every need ----------------------------------------------------------------------------------


@prove
@given(ask=asks())
def test_choices_and_delivery_are_deterministic(backend_id, ask, lab):
    need = lab.need(backend_id, ask)
    first, second = lab.choose(backend_id, need), lab.choose(backend_id, need)
    assert first == second
    assert [lab.give(config, need) for config in first] == [lab.give(config, need) for config in second]


@prove
@given(ask=asks())
def test_usable_is_raw_times_the_waterfall(backend_id, ask, lab):
    need = lab.need(backend_id, ask)
    for config in lab.choose(backend_id, need):
        given_ = lab.give(config, need)
        share = math.prod(step.fraction for step in given_.waterfall)
        assert all(0 <= step.fraction <= 1 for step in given_.waterfall)
        assert given_.usable.base == pytest.approx(given_.raw.base * share, rel=1e-9)
        assert given_.usable <= given_.raw
        assert given_.planned_fill_fraction <= need.max_fill


@prove
@given(ask=asks())
def test_planned_tier_passes_its_own_checks(backend_id, ask, lab):
    """Every count is met, every rate is there (up to the clients), nothing mandatory is against it."""
    if not lab.sized(backend_id):
        return
    need = lab.need(backend_id, ask)
    for config in lab.choose(backend_id, need):
        given_, tolerance = lab.give(config, need), 1 + 1e-9
        assert max(given_.counts.values()) <= config.nodes
        assert [fault for fault in given_.illegal if not fault.policy.startswith("advice-")] == []
        assert given_.planned.base * tolerance >= need.capacity.base
        clients = "clients"
        assert given_.healthy.read.base * tolerance >= need.read.base or given_.healthy.read_limited_by == clients
        assert given_.healthy.write.base * tolerance >= need.write.base or given_.healthy.write_limited_by == clients
        assert given_.healthy.op_rate.base * tolerance >= need.op_rate.base
        if clients not in {given_.healthy.read_limited_by, given_.healthy.write_limited_by}:
            assert all(phase_share(phase, given_.healthy) <= tolerance for phase in need.phases)
        survived = next(
            (one for one in given_.degraded if (one.nodes, one.racks) == (need.survive.nodes, need.survive.racks)), None
        )
        if survived is not None and survived.read and survived.write:
            assert (
                survived.read.base * tolerance >= need.degraded_read.base or given_.healthy.read_limited_by == clients
            )
            assert (
                survived.write.base * tolerance >= need.degraded_write.base
                or given_.healthy.write_limited_by == clients
            )


@prove
@given(ask=asks())
def test_one_node_fewer_breaks_a_constraint_or_draws_advice(backend_id, ask, lab):
    """Advice counts where a vendor states a least size for a stripe, as WEKA does for large clusters."""
    if not lab.sized(backend_id):
        return
    need = lab.need(backend_id, ask)
    for config in lab.choose(backend_id, need):
        fewer = replace(config, nodes=config.nodes - 1)
        given_ = lab.give(fewer, need)
        assert max(given_.counts.values()) > fewer.nodes or given_.illegal


@prove
@given(ask=asks(), name=st.sampled_from(["read", "write", "capacity", "op_rate"]), factor=st.floats(1, 5))
def test_more_need_never_takes_fewer_nodes(backend_id, ask, name, factor, lab):
    if not lab.sized(backend_id):
        return
    more = lab.need(backend_id, {**ask, name: ask[name] * factor})
    before = [config.nodes for config in lab.choose(backend_id, lab.need(backend_id, ask))]
    after = [config.nodes for config in lab.choose(backend_id, more)]
    assert len(before) == len(after)
    assert all(few <= many for few, many in zip(before, after, strict=True))


@prove
@given(ask=asks())
def test_pinned_choice_comes_back_as_it_is(backend_id, ask, lab, pin_all):
    need = lab.need(backend_id, ask)
    for config in lab.choose(backend_id, need):
        assert lab.choose(backend_id, need, pin_all(config)) == [config]


@prove
@given(ask=asks())
def test_losses_leave_no_more_than_there_was(backend_id, ask, lab):
    need = lab.need(backend_id, ask)
    for config in lab.choose(backend_id, need):
        given_ = lab.give(config, need)
        assert (given_.degraded[0].nodes, given_.degraded[0].racks) == (1, 0)
        assert len({(state.nodes, state.racks) for state in given_.degraded}) == len(given_.degraded)
        for state in given_.degraded:
            assert state.read <= given_.healthy.read
            assert state.write <= given_.healthy.write


@st.composite
def pins(draw):
    """Pins of any part, sensible or not."""
    maybe = st.none()
    drive = st.builds(DrivePins, size=maybe | st.sampled_from([0.0, 7.68e12]).map(Size), read=maybe, write=maybe)
    node = st.builds(
        NodePins,
        drives=maybe | st.sampled_from([0, 1, 12]),
        drive=maybe | drive,
        ports=maybe | st.sampled_from([0, 1]),
        cores=maybe | st.sampled_from([0, 8, 64]),
        medium=maybe | st.sampled_from(["nvme", "hdd"]),
    )
    layout = st.builds(
        LayoutPins,
        data_units=maybe | st.sampled_from([0, 1, 4, 16, 40]),
        parity_units=maybe | st.sampled_from([0, 1, 2, 4]),
        replicas=maybe | st.sampled_from([0, 1, 3]),
        hot_spares=maybe | st.sampled_from([0, 1, 3, 50]),
        failure_domain=maybe | st.sampled_from(["node", "rack", "drive"]),
    )
    return TierPins(
        nodes=draw(maybe | st.sampled_from([0, 1, 6, 12, 1000])), node=draw(maybe | node), layout=draw(maybe | layout)
    )


@prove
@given(ask=asks(), pinned=pins())
def test_any_pins_yield_choices_that_keep_them(backend_id, ask, pinned, lab):
    """No pin is corrected, none makes the search fail or go on for ever."""
    configs = lab.choose(backend_id, lab.need(backend_id, ask), pinned)
    assert configs
    for config in configs:
        assert pinned.nodes is None or config.nodes == pinned.nodes
        assert pinned.node is None or pinned.node.drives is None or config.node.drives == pinned.node.drives
        lab.give(config, lab.need(backend_id, ask))
        if pinned.layout is None or not lab.sized(backend_id):
            continue
        assert pinned.layout.hot_spares in {None, config.layout.hot_spares}
        assert pinned.layout.failure_domain in {None, config.layout.failure_domain}
        if pinned.layout.replicas is None:
            assert pinned.layout.data_units in {None, config.layout.data_units}
            assert pinned.layout.parity_units in {None, config.layout.parity_units}


# --- total -----------------------------------------------------------------------------------------------------

counts = st.sampled_from([0, 1, 2, 3, 5, 6, 7, 40, 100, 10_000, 10**7])
layouts = st.builds(
    Layout,
    kind=st.sampled_from(["erasure-code", "replicas", "none"]),
    data_units=st.sampled_from([0, 1, 3, 16, 200]),
    parity_units=st.sampled_from([0, 1, 2, 4, 50]),
    replicas=st.sampled_from([0, 1, 2, 3, 90]),
    hot_spares=st.sampled_from([0, 1, 2, 500]),
    failure_domain=st.sampled_from(["node", "rack", "drive"]),
)
nodes_of_any_kind = st.builds(
    StorageNode,
    drives=st.sampled_from([0, 1, 12, 10_000]),
    drive=st.builds(
        Drive,
        size=st.sampled_from([0.0, 1.0, 7.68e12, 1e18]).map(Size),
        read=st.sampled_from([0.0, 1.0, 6.5e9, 1e15]).map(Bandwidth),
        write=st.sampled_from([0.0, 1.0, 3.5e9, 1e15]).map(Bandwidth),
    ),
    ports=st.sampled_from([0, 1, 64]),
    port_rate=st.sampled_from([0.0, 1.0, 25e9, 1e15]).map(Bandwidth),
    cores=st.sampled_from([0, 1, 64, 4096]),
    memory=st.sampled_from([0.0, 4e11, 1e18]).map(Size),
    medium=st.sampled_from(["nvme", "ssd", "hdd"]),
)
options = st.dictionaries(st.sampled_from(sorted(WORDS)), st.sampled_from(list(WORDS.values())), max_size=4)
quotes = st.none() | st.builds(
    Quote,
    read=st.sampled_from([0.0, 4e11]).map(Bandwidth),
    write=st.sampled_from([0.0, 4e11]).map(Bandwidth),
    usable=st.sampled_from([0.0, 1e15]).map(Size),
    source=st.just("offer"),
)


@settings(prove, max_examples=150)
@given(
    ask=asks(),
    nodes=counts,
    node=nodes_of_any_kind,
    layout=layouts,
    racks=st.sampled_from([0, 1, 5, 8, 1000]),
    words=options,
    quote=quotes,
    max_fill=st.sampled_from([0.0, 0.8, 1.0]),
)
def test_delivery_is_total(backend_id, ask, lab, max_fill, words, **config):
    """Whatever is pinned: figures and reasons, never an exception, and all of it can be written as JSON."""
    need = lab.need(backend_id, {**ask, "max_fill": max_fill})
    base = lab.choose(backend_id, need)[0]
    given_ = lab.give(replace(base, options=words, **config), need)
    assert all(isinstance(count, int) and 0 <= count <= NEVER for count in given_.counts.values())
    numbers = [
        given_.usable.base,
        given_.raw.base,
        given_.healthy.read.base,
        given_.healthy.write.base,
        given_.healthy.op_rate.base,
        *given_.parts.values(),
    ]
    assert all(math.isfinite(number) and number >= 0 for number in numbers)
    assert given_.bound_by in given_.counts or not given_.counts
    for fault in given_.illegal:
        assert fault.message
        assert fault.remedy
