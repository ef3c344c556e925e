"""Google Cloud Managed Lustre: steps that change at a threshold, a ceiling of growth, numbers as text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import managedlab
from tierplan.backends import google_lustre
from tierplan.domain.need import Phase
from tierplan.domain.tiers import NEVER
from tierplan.errors import InputError
from tierplan.units import Bandwidth, OpRate, Size, op_rate, size

LAB = managedlab.Lab("google-lustre", "google")


def words_of(tier, gib):
    """A tier and a size as a stack writes them."""
    words = {"dynamic_tier": True} if tier == "dynamic" else {"per_unit_throughput": tier}
    return {**words, "size": f"{gib} GiB"}


@pytest.mark.parametrize("case", managedlab.golden("google", "chosen"), ids=lambda case: str(case["inputs"]))
def test_the_oracles_are_chosen(case):
    need = managedlab.need()
    config = LAB.choose(case["inputs"], need)
    found, expected = LAB.give(config, need), case["expected"]
    assert found.cloud.size == expected["size"]
    assert found.healthy.write.bytes_per_s / 1e6 == pytest.approx(expected["mb_per_s"], rel=case["tolerance"])
    assert found.bound_by == expected["bound_by"]
    assert found.cloud.legal
    assert LAB.mandatory(config, need) == set()


@pytest.mark.parametrize("case", managedlab.golden("google", "size"), ids=lambda case: str(case["inputs"]))
def test_every_row_of_the_table_of_sizes(case):
    words = words_of(*case["inputs"])
    cloud = LAB.give(LAB.choose(words, managedlab.nothing()), managedlab.nothing()).cloud
    assert [cloud.legal, cloud.previous_legal, cloud.next_legal, cloud.growth_ceiling] == case["expected"]
    faults = [one for one in LAB.illegal(words) if one.policy == "cloud-size"]
    assert bool(faults) is not case["expected"][0]
    if faults:
        assert f'"{case["expected"][2] or case["expected"][1]} GiB"' in faults[0].remedy


def test_the_other_tiers_are_told_beside_the_choice():
    need = managedlab.need()
    (note,) = [one for one in LAB.give(LAB.choose({}, need), need).notes if one.startswith("other tiers")]
    assert "125 MB/s/TiB: 216000 GiB, 26.4 GB/s" in note
    assert "dynamic" not in note


ILLEGAL = {
    "no such tier": ({"per_unit_throughput": 200}, "cloud-class", "125, 250, 500, 1000", "250"),
    "dynamic with a tier": (
        {"dynamic_tier": True, "per_unit_throughput": 125},
        "cloud-class",
        "has none of its own",
        "dynamic_tier: false",
    ),
    "500 with 9000": (words_of(500, 9000), "cloud-size", "legal: 18,000 GiB above", '"18000 GiB"'),
    "between the bands": (
        words_of(1000, 1539000),
        "cloud-size",
        "1,530,000 GiB below and 1,584,000 GiB above",
        "1584000",
    ),
    "a long name": ({"filesystem": "checkpoints"}, "cloud-class", "one to eight", "lustre"),
    "a name with a hyphen": ({"filesystem": "hot-1"}, "cloud-class", "letters and digits", "lustre"),
    "an instance in capitals": ({"instance_id": "Hot"}, "cloud-class", "small letters", "hot-lustre"),
    "no number": ({"per_unit_throughput": "fast"}, "hot-layout", "per_unit_throughput is 'fast'", "whole number"),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_the_service_forbids(name):
    words, policy, message, remedy = ILLEGAL[name]
    found = [one for one in LAB.illegal(words) if one.policy == policy and message in one.message]
    assert found, LAB.illegal(words)
    assert remedy in found[0].remedy


@pytest.mark.parametrize(
    "words", [{}, {"dynamic_tier": True}, {"kms_key": "k"}, {"bucket": "b/x"}, {"filesystem": "h0t"}]
)
def test_what_the_service_allows(words):
    assert LAB.illegal(words) == []


def test_an_instance_below_the_threshold_never_grows_past_it():
    """1,530,000 GiB of the fast tier is legal, and a dead end for who needs more in the last year."""
    need = managedlab.nothing(capacity=Size(1_600_000 * 2.0**30))
    small = LAB.choose(words_of(1000, 1_530_000), need)
    (fault,) = [one for one in LAB.give(small, need).illegal if one.policy == "cloud-growth"]
    assert "1,530,000 GiB is the most that an instance of this size can ever grow to" in fault.message
    assert '"1584000 GiB"' in fault.remedy
    large = LAB.choose({"per_unit_throughput": 1000}, need)
    found = LAB.give(large, need)
    assert (found.cloud.size, found.cloud.growth_ceiling) == (1_656_000, 10_008_000)
    assert not [one for one in found.illegal if one.policy == "cloud-growth"]


def test_below_its_ceiling_a_size_can_grow_and_says_how_far():
    found = LAB.give(LAB.choose(words_of(1000, 9000), managedlab.nothing()), managedlab.nothing())
    assert found.cloud.changes_in_place[0] == "size, upwards to 1,530,000 GiB"
    assert any("never past it" in note for note in found.notes)
    assert {"per_unit_throughput", "filesystem", "a smaller size"} <= set(found.cloud.replaces_on_change)


def test_the_dynamic_tier_is_never_taken_by_itself():
    for stored in ("1 TiB", "5000 TiB"):
        assert not LAB.choose({}, managedlab.nothing(capacity=size(stored))).options["dynamic_tier"]


def test_where_pages_disagree_on_the_largest_it_is_told():
    found = LAB.give(LAB.choose(words_of(1000, 963_000), managedlab.nothing()), managedlab.nothing()).illegal
    assert [one.policy for one in found] == ["advice-cloud"]
    assert "954,000 GiB" in found[0].message


def test_the_other_port_of_gke_is_told():
    found = LAB.give(LAB.choose({"gke_support": True}, managedlab.nothing()), managedlab.nothing()).illegal
    assert [one.policy for one in found] == ["advice-cloud"]
    assert "6988" in found[0].message


def test_more_operations_than_are_planned_are_refused():
    need = managedlab.need(op_rate=op_rate("20000 ops/s"))
    assert LAB.mandatory(LAB.choose({}, need), need) == {"hot-op-rate"}


rates = st.floats(0, 400e9).map(Bandwidth)


@settings(deadline=None, max_examples=50)
@given(
    read=rates, write=rates, stored=st.floats(0, 8e15), fill=st.floats(0.3, 1), tier=st.sampled_from([None, 125, 1000])
)
def test_what_is_chosen_is_legal_enough_and_no_larger_than_it_must_be(read, write, stored, fill, tier):
    phases = (Phase(name="training", read=read, write=write * 0.1, op_rate=OpRate.zero()),)
    clients = managedlab.CLIENTS.__class__(
        gpu_nodes=100_000, ports=4, port_rate=managedlab.CLIENTS.port_rate, transport="tcp", cpu_cores=96
    )
    need = managedlab.nothing(
        read=read, write=write, capacity=Size(stored), max_fill=fill, phases=phases, clients=clients
    )
    config = LAB.choose({} if tier is None else {"per_unit_throughput": tier}, need)
    found = LAB.give(config, need)
    assert found.cloud.legal
    if NEVER not in found.counts.values():
        assert LAB.mandatory(config, need) == set()
    assert max(count for count in found.counts.values() if count < NEVER) == found.cloud.size
    assert LAB.choose(config.options, need).options == config.options


# --- somebody's own resource --------------------------------------------------------------------------------------

INPUTS = {
    "capacityGib": "9000",
    "perUnitStorageThroughput": "500",
    "filesystem": "lustre",
    "instanceId": "mine",
    "location": "us-central1-a",
    "network": "n",
}


def test_a_resource_of_anybody_is_judged_by_the_same_table():
    config = google_lustre.from_inputs(google_lustre.TOKENS[0], INPUTS)
    assert config.options["size"] == "9000 GiB"
    (fault,) = LAB.give(config, managedlab.nothing()).illegal
    assert (fault.policy, fault.required) == ("cloud-size", 18000)


def test_the_dynamic_tier_has_zero_for_its_throughput():
    inputs = {**INPUTS, "perUnitStorageThroughput": "0", "dynamicTierOptions": {"mode": "DEFAULT_CACHE"}}
    config = google_lustre.from_inputs(google_lustre.TOKENS[0], {**inputs, "capacityGib": "472000"})
    assert LAB.give(config, managedlab.nothing()).illegal == ()


def test_inputs_that_cannot_be_read_are_said():
    with pytest.raises(InputError) as caught:
        google_lustre.from_inputs(google_lustre.TOKENS[0], {**INPUTS, "capacityGib": "9 TiB", "filesystem": 5})
    assert "capacityGib: '9 TiB' is no number" in str(caught.value)
    assert "filesystem: 5 is not text" in str(caught.value)
