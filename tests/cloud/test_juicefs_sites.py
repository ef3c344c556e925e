"""JuiceFS on the stores of Oracle, Alibaba, Tencent and Huawei Cloud: quotas by region, services, classes by memory."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan import backends
from tierplan.backends._juicefs_sites import CLOUDS, OF_STORE, SERVICES, default_service, quota_group
from tierplan.domain.stack import Site, TierPins
from tierplan.load import catalogue
from tierplan.units import bandwidth, op_rate

FACTS = catalogue().backend("juicefs")
OURS = ("oci", "alibaba", "tencent", "huawei")


def choose(kind, words, need, region=None):
    pins, site = TierPins(backend="juicefs", options=dict(words)), Site(kind=kind, region=region)
    (config,) = backends.load("juicefs").choices(need, pins, site, FACTS)
    return config


def test_every_cloud_has_a_service_for_each_engine_and_no_name_twice():
    for kind, cloud in CLOUDS.items():
        assert {one.engine for one in cloud.services.values()} == {"redis", "postgresql", "tikv"}, kind
    assert len(OF_STORE) == len(CLOUDS)
    assert len(SERVICES) == sum(len(cloud.services) for cloud in CLOUDS.values())


@pytest.mark.parametrize("service", sorted(SERVICES))
def test_classes_grow_and_have_a_sourced_memory(service):
    known = SERVICES[service]
    memory = [FACTS[f"{known.key}{size}"] for size in known.sizes]
    assert memory == sorted(memory)
    assert memory[0] > 0


@pytest.mark.parametrize(
    ("kind", "region", "read", "write", "by"),
    [
        ("oci", None, 20.9715, 4.1943, "quota"),  # 5,000 and 1,000 requests of 4 MiB
        ("alibaba", "cn-hangzhou", 12.5, 2.5, "quota"),  # 100 and 20 Gbit/s
        ("alibaba", "cn-zhangjiakou", 2.5, 2.5, "quota"),
        ("alibaba", "cn-qingdao", 1.25, 1.25, "quota"),
        ("alibaba", "us-west-1", 0.625, 0.625, "quota"),
        ("tencent", "ap-shanghai", 1.875, 1.875, "quota"),  # 15 Gbit/s each way
        ("tencent", "na-siliconvalley", 1.25, 1.25, "quota"),
        ("huawei", "cn-north-4", 2.0, 2.0, "quota"),  # 16 Gbit/s in all
    ],
)
def test_an_account_moves_what_its_quota_allows(kind, region, read, write, by, lab):  # noqa: PLR0917  # a table
    config = choose(kind, {}, lab("nothing")(), region)
    given = lab("give")(config, lab("nothing")()).healthy
    assert (given.read.base / 1e9, given.write.base / 1e9) == pytest.approx((read, write), rel=1e-3)
    assert (given.read_limited_by, given.write_limited_by) == (by, by)


def test_a_raised_quota_counts_and_requests_still_bind(lab):
    need = lab("nothing")()
    raised = choose("tencent", {"quota_raised": "10 GB/s"}, need, "ap-shanghai")
    assert lab("give")(raised, need).healthy.read == bandwidth("10 GB/s")
    more = choose("tencent", {"quota_raised": "100 GB/s"}, need, "ap-shanghai")
    assert lab("give")(more, need).healthy.read.base / 1e9 == pytest.approx(12.58, rel=1e-3)  # 3,000 requests of 4 MiB


def test_what_is_asked_beyond_the_quota_is_listed(lab):
    need = lab("nothing")(read=bandwidth("18.1 GB/s"))
    found = lab("give")(choose("huawei", {}, need), need)
    assert found.cloud.beyond_quota == ("OBS of one account and region: 18.1 GB/s read of 2 GB/s",)
    assert any("by a ticket" in note for note in found.notes)


@pytest.mark.parametrize("kind", OURS)
@pytest.mark.parametrize(
    ("files", "write", "rate", "engine"),
    [
        (1e6, "0 B/s", "100 ops/s", "redis"),
        (1e6, "0.1 GB/s", "100 ops/s", "postgresql"),  # checkpoints: a takeover must lose nothing
        (1e6, "0.1 GB/s", "20000 ops/s", "tikv"),
    ],
)
def test_the_engine_follows_files_consistency_and_rate(kind, files, write, rate, engine, lab):  # noqa: PLR0917  # a table
    need = lab("nothing")(files=files, write=bandwidth(write), op_rate=op_rate(rate))
    config = choose(kind, {}, need)
    service = str(config.options["metadata_service"])
    assert config.options["metadata_engine"] == engine == CLOUDS[kind].services[service].engine
    assert lab("mandatory")(config, need) == set()
    assert choose(kind, config.options, need) == config


@pytest.mark.parametrize("kind", OURS)
def test_another_clouds_service_is_refused_with_ones_own(kind, lab):
    config = choose(kind, {"metadata_engine": "redis", "metadata_service": "elasticache"}, lab("nothing")())
    found = [one.message for one in lab("give")(config, lab("nothing")()).illegal if one.policy == "cloud-class"]
    own = [name for name, one in CLOUDS[kind].services.items() if one.engine == "redis"]
    assert any(f"allowed: {', '.join(own)}" in message for message in found)


def test_a_class_that_is_too_small_names_the_next_that_is_not(lab):
    need = lab("nothing")(files=30e6)
    config = choose("huawei", {"metadata_engine": "redis", "metadata_class": "8GB"}, need)
    (fault,) = [one for one in lab("give")(config, need).illegal if one.policy == "cloud-size"]
    assert fault.remedy == "write metadata_class: 32GB"


def test_groups_of_regions_and_durable_services():
    assert quota_group(CLOUDS["alibaba"], "cn-beijing") == "_large"
    assert quota_group(CLOUDS["alibaba"], None) == ""
    assert default_service(CLOUDS["aws"], "redis", durable=True) == "memorydb"
    assert default_service(CLOUDS["aws"], "redis", durable=False) == "elasticache"
    assert default_service(CLOUDS["oci"], "redis", durable=True) == "oci-cache"
    assert default_service(replace(CLOUDS["oci"], services={"x": SERVICES["ecs"]}), "redis", durable=False) == "x"
