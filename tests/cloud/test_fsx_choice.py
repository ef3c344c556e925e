"""The size is the smallest legal one that does, of the cheapest class; what is pinned stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan.domain.need import Phase
from tierplan.domain.tiers import NEVER
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size


def test_the_oracles_are_chosen(chosen_case, lab):
    need = lab("need")()
    config = lab("choose")(chosen_case["inputs"], need)
    found, expected = lab("give")(config, need), chosen_case["expected"]
    assert found.cloud.size == expected["size"]
    assert found.healthy.write.bytes_per_s / 1e6 == pytest.approx(expected["mb_per_s"], rel=chosen_case["tolerance"])
    assert found.bound_by == expected["bound_by"]
    assert len(found.cloud.beyond_quota) == expected["beyond_quota"]
    assert found.cloud.legal
    assert lab("mandatory")(config, need) == set()


def test_addresses_of_the_subnet(addresses_case, lab):
    found = lab("give")(lab("config_of")(addresses_case["inputs"]), lab("nothing")())
    assert found.parts["subnet_addresses"] == addresses_case["expected"]


def test_what_intelligent_tiering_may_store(stored_tib_case, lab):
    found = lab("give")(lab("config_of")(stored_tib_case["inputs"]), lab("nothing")())
    assert found.usable.bytes / 2**40 == stored_tib_case["expected"]


def test_the_cheapest_class_wins_and_says_so(lab):
    need = lab("need")()
    config = lab("choose")({}, need)
    assert config.options["per_unit_throughput"] == 125
    reason = next(note for note in lab("give")(config, need).notes if "USD a month" in note)
    assert "PERSISTENT_2 SSD 125, 148,800 GiB, costs 21,576 USD" in reason
    assert "250: 103,200 GiB, 21,672 USD" in reason
    half = lab("choose")({}, replace(need, capacity=size("50 TiB")))
    prices = {125: 148800 * 0.145, 250: 74400 * 0.21, 500: 52800 * 0.34, 1000: 52800 * 0.60}
    assert half.options["per_unit_throughput"] == min(prices, key=prices.get)


def test_a_pinned_size_takes_the_cheapest_class_that_has_it_and_does(lab):
    need = replace(lab("need")(), clients=replace(lab("TCP"), transport="roce"))
    for pinned, rate in (("153600 GiB", 125), ("134400 GiB", 250), ("110400 GiB", 1000), ("105600 GiB", 500)):
        config = lab("choose")({"size": pinned}, need)
        assert (config.options["size"], config.options["per_unit_throughput"]) == (pinned, rate)
        assert lab("mandatory")(config, need) == set()


def test_a_pinned_size_that_is_too_small_takes_the_class_that_misses_least(lab):
    config = lab("choose")({"size": "4800 GiB"}, replace(lab("need")(), capacity=size("1 TiB")))
    assert config.options["per_unit_throughput"] == 1000


def test_a_class_whose_servers_are_too_few_for_one_client_is_not_taken(lab):
    """Over TCP one client gets 0.625 GB/s of each file server; the slower class has more of them."""
    need = lab("nothing")(capacity=size("1 TiB"))
    fast = replace(need, clients=replace(need.clients, node_read=bandwidth("2 GB/s")))
    few, many = (lab("give")(lab("choose")({}, one), one) for one in (need, fast))
    assert few.healthy.client < bandwidth("2 GB/s")
    assert many.healthy.client == few.healthy.client  # no class of this size has more servers: hot-client says so


def test_few_gpu_nodes_take_less_than_the_file_system_gives(lab):
    """12.5 GB/s of one client over TCP, by the file servers that there are; 87.5 GB/s with EFA (unverified)."""
    need = replace(lab("need")(), clients=replace(lab("TCP"), gpu_nodes=1))
    healthy = lab("give")(lab("choose")({"per_unit_throughput": 250}, need), need).healthy
    assert (healthy.write.show("GB/s"), healthy.write_limited_by) == ("12.5 GB/s", "clients")
    assert "hot-write-bandwidth" in lab("mandatory")(lab("choose")({}, need), need)
    words = {"per_unit_throughput": 250, "efa": True}
    with_efa = lab("give")(lab("choose")(words, need), need).healthy
    assert with_efa.write_limited_by == "class"
    assert with_efa.client.show("GB/s") == "87.5 GB/s"


@pytest.mark.parametrize(
    ("words", "region", "settled"),
    [
        ({}, "us-east-1", ("PERSISTENT_2", "SSD")),
        ({}, "eu-west-3", ("PERSISTENT_1", "SSD")),
        ({"per_unit_throughput": 200}, "us-east-1", ("PERSISTENT_1", "SSD")),
        ({"per_unit_throughput": 12}, "us-east-1", ("PERSISTENT_1", "HDD")),
        ({"throughput_capacity": 8000}, "us-east-1", ("PERSISTENT_2", "INTELLIGENT_TIERING")),
        ({"drive_cache_type": "READ"}, "us-east-1", ("PERSISTENT_1", "HDD")),
        ({"deployment_type": "SCRATCH_2"}, "us-east-1", ("SCRATCH_2", "SSD")),
    ],
)
def test_what_a_pin_implies(words, region, settled, lab):
    config = lab("choose")(words, lab("nothing")(), region=region)
    assert (config.options["deployment_type"], config.options["storage_type"]) == settled
    assert {key: config.options[key] for key in words} == words
    assert lab("mandatory")(config, lab("nothing")(survive=replace(lab("nothing")().survive, nodes=0))) == set()


def test_regions_with_slow_classes_get_no_fast_one(lab):
    need = replace(lab("need")(), clients=replace(lab("TCP"), transport="roce"))
    config = lab("choose")({}, need, region="ca-west-1")
    assert config.options["per_unit_throughput"] in (125, 250)
    assert config.options["efa"] is False
    assert "cloud-class" not in lab("mandatory")(config, need)


def test_efa_is_set_where_it_is_wanted(lab):
    need = lab("need")()
    assert lab("choose")({}, need).options["efa"] is False
    roce = replace(need, clients=replace(need.clients, transport="roce"))
    fast = replace(need, clients=replace(need.clients, node_read=bandwidth("13 GB/s")))
    for one in (roce, fast):
        config = lab("choose")({}, one)
        assert config.options["efa"] is True
        assert lab("mandatory")(config, one) == set()
        off = lab("choose")({"efa": False}, one)
        assert "cloud-efa" in lab("mandatory")(off, one)


@pytest.mark.parametrize(
    ("rate", "mode", "iops"),
    [
        ("40000 ops/s", "AUTOMATIC", None),
        ("80000 ops/s", "USER_PROVISIONED", 84000),
        ("1 Mops/s", "USER_PROVISIONED", 192000),
    ],
)
def test_metadata_rate_is_bought_where_the_size_does_not_bring_it(rate, mode, iops, lab):
    need = replace(lab("need")(), op_rate=op_rate(rate))
    config = lab("choose")({"per_unit_throughput": 250}, need)
    assert (config.options["metadata_mode"], config.options.get("metadata_iops")) == (mode, iops)
    refused = {"hot-op-rate", "cloud-growth"} if rate == "1 Mops/s" else set()
    assert lab("mandatory")(config, need) == refused


rates = st.floats(0, 400e9).map(Bandwidth)


@st.composite
def asks(draw):
    """Changes to a need of nothing."""
    read, write = draw(rates), draw(rates)
    return {
        "read": read,
        "write": write,
        "op_rate": OpRate(draw(st.floats(0, 150_000))),
        "capacity": Size(draw(st.floats(0, 30e15))),
        "max_fill": draw(st.floats(0.3, 1)),
        "phases": (Phase(name="training", read=read, write=write * 0.1, op_rate=OpRate.zero()),),
    }


CHOSEN = ({}, {"per_unit_throughput": 250}, {"storage_type": "INTELLIGENT_TIERING"}, {"storage_type": "HDD"})


@settings(deadline=None, max_examples=60)
@given(ask=asks(), transport=st.sampled_from(["tcp", "roce"]), words=st.sampled_from(CHOSEN))
def test_what_is_chosen_is_legal_enough_and_no_larger_than_it_must_be(ask, transport, words, lab):
    clients = replace(lab("TCP"), transport=transport, gpu_nodes=100_000)
    need = lab("nothing")(clients=clients, **ask)
    config = lab("choose")(words, need)
    found = lab("give")(config, need)
    assert found.cloud.legal
    faults = {one.policy for one in found.illegal if not one.policy.startswith("advice-")}
    assert faults <= {"cloud-efa", "cloud-growth"}
    assert max(count for count in found.counts.values() if count < NEVER) == found.cloud.size
    if NEVER not in found.counts.values():
        assert found.planned.base * (1 + 1e-9) >= need.capacity.base
        healthy = found.healthy
        for asked, had, by in (
            (need.read, healthy.read, healthy.read_limited_by),
            (need.write, healthy.write, healthy.write_limited_by),
        ):
            assert had.base * (1 + 1e-9) >= asked.base or by == "clients"
    assert lab("choose")(config.options, need).options == config.options


@settings(deadline=None, max_examples=40)
@given(stored=st.floats(0, 5e15), write=st.floats(0, 200e9), factor=st.floats(1, 4))
def test_more_need_never_takes_a_smaller_size_of_a_class(stored, write, factor, lab):
    def bought(times):
        need = lab("nothing")(capacity=Size(stored * times), write=Bandwidth(write * times))
        return lab("give")(lab("choose")({"per_unit_throughput": 250}, need), need).cloud.size

    assert bought(1) <= bought(factor)
