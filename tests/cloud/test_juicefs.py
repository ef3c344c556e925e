"""JuiceFS on S3: engine and class of its metadata by files and consistency, and what requests and clients carry."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan.backends._juicefs_cloud import store_bandwidth
from tierplan.domain.need import Phase
from tierplan.domain.tiers import NEVER
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

BLOCK = Size(4 * 2.0**20)


def chosen(lab, words, need, region=None):
    return lab("choose")(words, need, backend="juicefs", region=region)


def test_requests_of_a_prefix_carry_blocks(store_gb_per_s_case):
    inputs = store_gb_per_s_case["inputs"]
    found = store_bandwidth(rate=OpRate(inputs["rate"]), partitions=inputs["partitions"], block=BLOCK)
    expected = store_gb_per_s_case["expected"]
    assert found.bytes_per_s / 1e9 == pytest.approx(expected, rel=store_gb_per_s_case["tolerance"])


@pytest.mark.parametrize(
    ("files", "write", "rate", "settled"),
    [
        (1e6, "0 B/s", "100 ops/s", ("redis", "elasticache")),
        (1e6, "1 GB/s", "100 ops/s", ("postgresql", "rds")),  # checkpoints: a takeover must lose nothing
        (1e6, "1 GB/s", "5000 ops/s", ("redis", "memorydb")),  # faster than one database, with a durable log
        (5e8, "0 B/s", "100 ops/s", ("postgresql", "rds")),  # beyond the memory of one Redis
        (5e9, "1 GB/s", "100 ops/s", ("tikv", "ec2")),
        (1e6, "1 GB/s", "20000 ops/s", ("tikv", "ec2")),
    ],
)
def test_the_engine_follows_files_consistency_and_rate(files, write, rate, settled, lab):
    need = lab("nothing")(files=files, write=bandwidth(write), op_rate=op_rate(rate))
    config = chosen(lab, {}, need)
    assert (config.options["metadata_engine"], config.options["metadata_service"]) == settled
    assert lab("mandatory")(config, need) == set()


@pytest.mark.parametrize(
    ("files", "name", "gib"),
    [(1e6, "cache.r7g.xlarge", 26.32), (60e6, "cache.r7g.2xlarge", 52.82), (100e6, "cache.r7g.4xlarge", 105.81)],
)
def test_the_class_is_the_smallest_whose_memory_holds_the_metadata(files, name, gib, lab):
    """Twice 300 bytes a file over 0.7; least 16 GB."""
    need = lab("nothing")(files=files)
    config = chosen(lab, {"metadata_engine": "redis", "metadata_service": "elasticache"}, need)
    found = lab("give")(config, need)
    assert (config.options["metadata_class"], found.cloud.size) == (name, gib)
    assert found.counts["metadata_memory"] <= gib
    assert found.bound_by == "metadata_memory"


def test_a_class_that_is_too_small_is_refused_with_the_next_that_is_not(lab):
    need = lab("nothing")(files=60e6)
    words = {"metadata_engine": "redis", "metadata_service": "elasticache", "metadata_class": "cache.r7g.large"}
    config = chosen(lab, words, need)
    (fault,) = [one for one in lab("give")(config, need).illegal if one.policy == "cloud-size"]
    assert "takes 48 GiB of memory, cache.r7g.large has 13.07 GiB" in fault.message
    assert fault.remedy == "write metadata_class: cache.r7g.2xlarge"
    assert lab("mandatory")(config, need) == {"cloud-size"}


ILLEGAL = {
    "another engine's service": (
        {"metadata_engine": "redis", "metadata_service": "rds"},
        "cloud-class",
        "elasticache, memorydb",
    ),
    "no such service": (
        {"metadata_engine": "redis", "metadata_service": "dynamodb"},
        "cloud-class",
        "allowed: elasticache",
    ),
    "no such class": (
        {"metadata_engine": "redis", "metadata_service": "elasticache", "metadata_class": "x"},
        "cloud-class",
        "planned:",
    ),
    "no such engine": ({"metadata_engine": "etcd"}, "cloud-class", "redis, postgresql, tikv"),
    "block size": ({"block_size": "3 MiB"}, "cloud-class", "power of two"),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_does_not_go_together_is_refused(name, lab):
    words, policy, message = ILLEGAL[name]
    need = lab("nothing")(files=1e6)
    config = chosen(lab, words, need)
    found = [one for one in lab("give")(config, need).illegal if one.policy == policy]
    assert found
    assert message in "; ".join(one.message for one in found)
    assert policy in lab("mandatory")(config, need)


def test_write_back_may_not_hold_the_only_copy(lab):
    for need, refused in ((lab("nothing")(), set()), (lab("nothing")(write=bandwidth("1 GB/s")), {"cloud-class"})):
        assert lab("mandatory")(chosen(lab, {"write_back": True}, need), need) == refused


def test_files_beyond_an_engine_are_a_choice_that_cannot_reach_the_forecast(lab):
    need = lab("nothing")(files=2e9)
    config = chosen(lab, {"metadata_engine": "postgresql"}, need)
    assert "cloud-growth" in lab("mandatory")(config, need)
    (fault,) = [one for one in lab("give")(config, need).illegal if "files" in one.message]
    assert fault.remedy == "write metadata_engine: tikv"


def test_clients_or_requests_limit(lab):
    few = lab("nothing")(write=bandwidth("40 GB/s"), clients=replace(lab("TCP"), gpu_nodes=4))
    given_ = lab("give")(chosen(lab, {}, few), few)
    assert given_.healthy.write_limited_by == "clients"
    assert given_.counts["write"] == NEVER
    assert "hot-write-bandwidth" in lab("mandatory")(chosen(lab, {}, few), few)
    many = replace(few, clients=replace(lab("TCP"), gpu_nodes=10_000))
    healthy = lab("give")(chosen(lab, {}, many), many).healthy
    assert healthy.write_limited_by == "protocol"
    assert healthy.write.show("GB/s") == "235 GB/s"  # 16 prefixes of 14.7
    larger = lab("give")(chosen(lab, {"block_size": "16 MiB"}, many), many).healthy
    assert larger.write.base == pytest.approx(4 * healthy.write.base)


def test_prefixes_that_s3_sets_apart_are_told(lab):
    phase = Phase(name="checkpoint", read=Bandwidth.zero(), write=bandwidth("40 GB/s"), op_rate=OpRate.zero())
    need = lab("nothing")(write=bandwidth("40 GB/s"), phases=(phase,))
    notes = "; ".join(lab("give")(chosen(lab, {}, need), need).notes)
    assert "9.54 kops/s written" in notes
    assert "set 3 key prefixes apart" in notes


def test_words_of_a_cloud_are_refused_on_hosts_of_ones_own(lab):
    from tierplan.backends import load  # noqa: PLC0415
    from tierplan.domain.stack import Site, TierPins  # noqa: PLC0415
    from tierplan.load import catalogue  # noqa: PLC0415

    facts, need = catalogue().backend("juicefs"), lab("nothing")(capacity=size("10 TB"))
    pins = TierPins(backend="juicefs", options={"metadata_service": "rds"})
    config = next(iter(load("juicefs").choices(need, pins, Site(kind="on-prem"), facts)))
    assert "hot-layout" in {one.policy for one in load("juicefs").deliver(config, need, facts).illegal}


@settings(deadline=None, max_examples=60)
@given(
    files=st.floats(0, 9e9),
    write=st.floats(0, 200e9).map(Bandwidth),
    rate=st.floats(0, 50_000).map(OpRate),
    stored=st.floats(0, 1e17).map(Size),
)
def test_what_is_chosen_passes_or_says_what_no_class_gives(files, write, rate, stored, lab):
    need = lab("nothing")(files=files, write=write, op_rate=rate, capacity=stored)
    config = chosen(lab, {}, need)
    found = lab("give")(config, need)
    assert chosen(lab, config.options, need).options == config.options
    faults = {one.policy for one in found.illegal if not one.policy.startswith("advice-")}
    assert faults <= {"cloud-size", "cloud-growth"}
    assert ("cloud-size" in faults) == (found.counts["metadata_memory"] > found.cloud.size)
    assert found.planned.base == pytest.approx(need.capacity.base)
    assert (found.counts["write"] == NEVER) == (write.base > found.healthy.write.base * (1 + 1e-9))
