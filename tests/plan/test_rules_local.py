"""The local tier's own rules: each fires where it must, says both figures, and is silent beside."""

from dataclasses import replace

import pytest

from tierplan import plan as planning
from tierplan.domain.plan import Plan
from tierplan.errors import InputError
from tierplan.load import catalogue, read_stack, stack_from_document


def document(*, local: dict, dataset: dict | None = None, checkpoint: dict | None = None, **changes: object) -> dict:
    """Sixteen nodes train on 20 TB over WEKA."""
    work = {
        "name": "t",
        "kind": "training",
        "gpus": 128,
        "model": {"parameters": 70e9, "bytes_per_parameter": 14},
        "parallelism": {"data": 128, "sharding": "fsdp"},
        "checkpoint": {"interval": "30 min", "mode": "async", "blocking": "5 s", **(checkpoint or {})},
        "dataset": {"size": "20 TB", "sample_size": "1 MB", "samples_per_s_per_gpu": 100, **(dataset or {})},
    }
    return {
        "site": {"kind": "on-prem", "racks": 4},
        "cluster": {
            "gpu_nodes": 16,
            "gpus_per_node": 8,
            "host_memory": "2 TiB",
            "local_nvme": {"drives": 4, "size": "7.68 TB"},
            "storage_network": {"ports": 1, "rate": "100 Gbit/s", "transport": "roce"},
        },
        "workloads": [work],
        "tiers": {"local": local, "hot": {"backend": "weka"}, "cold": {"backend": "ceph-rgw"}},
    } | changes


def made(**given: object) -> Plan:
    return planning.make_plan(stack_from_document(document(**given), name="x", where="x"), catalogue())


def found(plan: Plan, policy: str):
    return [finding for finding in planning.judge(plan) if finding.policy == policy]


LANDING = {"use": ["checkpoint-first-landing"]}


def test_a_landing_that_is_drained_in_time_is_silence():
    plan = made(local=LANDING, checkpoint={"first_landing": "peer"})
    assert found(plan, "local-drain") == []
    assert plan.outcome["t.checkpoint.drain_s"].number <= 1440
    assert "t.checkpoint.local_write_s" in plan.outcome


def test_a_landing_that_the_hot_tier_takes_too_slowly_is_refused():
    """The same plan on a hot tier that was pinned far too small."""
    slow = {"backend": "nfs", "nodes": 2, "node": {"ports": 1, "port_rate": "1 Gbit/s"}}
    tiers = {"local": LANDING, "hot": slow, "cold": {"backend": "ceph-rgw"}}
    plan = made(local=LANDING, checkpoint={"first_landing": "peer", "interval": "10 min"}, tiers=tiers)
    (finding,) = found(plan, "local-drain")
    assert finding.required == pytest.approx(480)
    assert finding.planned > 480


def test_only_one_copy_on_local_drives_is_refused():
    plan = made(local=LANDING, checkpoint={"first_landing": "local"})
    assert [finding.level for finding in found(plan, "local-refetchable")] == ["mandatory"]


def test_a_peer_copy_needs_ports():
    cluster = document(local=LANDING)["cluster"] | {
        "storage_network": {"ports": 1, "rate": "1 Gbit/s", "transport": "roce"}
    }
    words = {"first_landing": "peer", "mode": "sync", "overhead": 0.01}
    (finding,) = found(made(local=LANDING, checkpoint=words, cluster=cluster), "local-peer")
    assert finding.planned == pytest.approx(0.125e9)
    assert finding.required > finding.planned
    assert found(made(local=LANDING, checkpoint={"first_landing": "peer"}), "local-peer") == []


CACHED = {"use": ["dataset-cache"], "software": "alluxio"}


@pytest.mark.parametrize(
    ("local", "dataset", "words"),
    [
        ({"software": "alluxio"}, {"cache": "distributed"}, "caches datasets"),
        (CACHED, {}, "caches datasets"),
        ({"use": ["kv-cache"], "software": "lmcache"}, {}, "keeps sessions"),
        ({"use": ["dataset-cache"], "software": "fluid"}, {"cache": "distributed"}, "Kubernetes"),
    ],
)
def test_software_without_work_is_refused(local: dict, dataset: dict, words: str):
    (finding,) = found(made(local=local, dataset=dataset), "local-software")
    assert words in finding.message
    assert finding.remedy


def test_software_with_work_is_silence():
    assert found(made(local=CACHED, dataset={"cache": "distributed"}), "local-software") == []


def test_mooncake_stands_on_drives_or_on_the_shared_tier_and_not_on_both():
    stack = read_stack("mooncake")
    local = replace(stack.tiers.local, use=("kv-cache",))
    works = tuple(replace(work, placement=("host-memory", "local", "hot")) for work in stack.workloads)
    both = replace(stack, workloads=works, tiers=replace(stack.tiers, local=local))
    (finding,) = found(planning.make_plan(both, catalogue()), "local-software")
    assert "not on both" in finding.message
    assert found(planning.make_plan(stack, catalogue()), "local-software") == []


def test_filling_in_time_sizes_the_hot_tier():
    """The time is a load: the search meets it, and the outcome stays within."""
    plan = made(local={"use": ["dataset-cache"]}, dataset={"cache": "preload", "preload_within": "2 h"})
    assert found(plan, "cache-fill-time") == []
    assert plan.outcome["t.dataset.preload_s"].number <= 7200


def test_filling_too_slowly_is_refused():
    local = {"use": ["dataset-cache"]}
    slow = {"backend": "nfs", "nodes": 2, "node": {"ports": 1, "port_rate": "1 Gbit/s"}}
    tiers = {"local": local, "hot": slow, "cold": {"backend": "ceph-rgw"}}
    plan = made(local=local, dataset={"cache": "preload", "preload_within": "10 min"}, tiers=tiers)
    (finding,) = found(plan, "cache-fill-time")
    assert finding.required == 600
    assert finding.planned > 600


def test_local_drives_that_are_too_slow_are_told_not_spilled():
    cluster = document(local={})["cluster"] | {
        "local_nvme": {"drives": 1, "size": "30 TB", "read": "500 MB/s", "write": "500 MB/s"}
    }
    plan = made(local={"use": ["dataset-cache"]}, dataset={"cache": "preload"}, cluster=cluster)
    (finding,) = found(plan, "local-read-bandwidth")
    assert finding.planned == pytest.approx(16 * 0.385 * 500e6)
    assert plan.requirement.needs["hot"].read.base < finding.required


def test_write_back_is_no_place_for_the_only_copy():
    local = {"use": ["dataset-cache"], "software": "juicefs", "options": {"write_back": True}}
    (finding,) = found(made(local=local, dataset={"cache": "preload"}), "local-refetchable")
    assert "write_back" in finding.message


def test_a_session_that_comes_back_later_than_it_is_computed_is_told():
    stack = read_stack("mooncake")
    works = tuple(replace(work, prefill_tokens_per_s=200_000.0) for work in stack.workloads)
    (finding,) = found(planning.make_plan(replace(stack, workloads=works), catalogue()), "advice-kv-reload")
    assert finding.required == pytest.approx(131_072 / 200_000)
    assert finding.planned > finding.required


def test_fewer_than_four_drives_are_told():
    cluster = document(local={})["cluster"] | {"local_nvme": {"drives": 2, "size": "7.68 TB"}}
    assert len(found(made(local={}, cluster=cluster), "advice-local-nvme")) == 1
    assert found(made(local={}), "advice-local-nvme") == []


def test_without_a_hot_tier_the_local_one_takes_what_it_may():
    local = {"use": ["dataset-cache", "checkpoint-first-landing"]}
    tiers = {"local": local, "hot": {"backend": "none"}, "cold": {"backend": "ceph-rgw"}}
    plan = made(local=local, tiers=tiers, dataset={"cache": "preload"}, checkpoint={"first_landing": "peer"})
    assert set(plan.tiers) == {"local", "cold"}
    assert plan.requirement.needs["local"].write.base > 0
    assert "t.checkpoint.drain_s" in plan.outcome
    assert found(plan, "local-drain") == []


def test_an_experimental_store_is_told():
    plan = planning.make_plan(read_stack("mooncake"), catalogue())
    assert [finding.level for finding in found(plan, "advice-kv-store")] == ["advisory"]
    assert found(planning.make_plan(read_stack("lmcache"), catalogue()), "advice-kv-store") == []


REMOTE = {"drives": 4, "size": "7.68 TB", "read": "6.5 GB/s", "write": "3.5 GB/s", "targets": 2, "ports": 2}


def test_remote_drives_stand_in_for_own_ones():
    """Two targets of 2 × 100 Gbit/s feed sixteen nodes: the ports bind, not the drives."""
    cluster = document(local={})["cluster"] | {"local_nvme": {"drives": 0}}
    local = {"use": ["dataset-cache"], "remote": {**REMOTE, "port_rate": "100 Gbit/s"}}
    plan = made(local=local, dataset={"cache": "preload"}, cluster=cluster)
    rates = plan.tiers["local"].delivered.healthy
    assert (rates.read.base, rates.read_limited_by) == (pytest.approx(50e9 * 0.9), "node ports")
    assert plan.requirement.figures["t.dataset.hit_fraction"].number == 1
    assert found(plan, "advice-local-nvme") == []
    assert any("NVMe-oF" in note for note in plan.tiers["local"].delivered.notes)
    assert planning.resolve(plan.stack, catalogue()) == plan.stack


def test_remote_drives_beside_own_ones_are_refused():
    local = {"use": ["dataset-cache"], "remote": {**REMOTE, "port_rate": "100 Gbit/s"}}
    with pytest.raises(InputError, match="have 4 drives of their own"):
        made(local=local)


@pytest.mark.parametrize(("rate", "count"), [("25 Gbit/s", 0), ("1 Gbit/s", 1)])
def test_reads_of_other_nodes_share_the_ports_with_the_hot_tier(rate: str, count: int):
    """128 GPUs read 12.8 GB/s: 0.8 GB/s a node, 15/16 of it from others."""
    cluster = document(local={})["cluster"] | {"storage_network": {"ports": 1, "rate": rate, "transport": "roce"}}
    plan = made(local=CACHED, dataset={"cache": "distributed"}, cluster=cluster)
    findings = found(plan, "local-ports")
    assert len(findings) == count
    for finding in findings:
        assert finding.required == pytest.approx(0.8e9 * 15 / 16 * 1.3, rel=1e-3)
        assert finding.planned == pytest.approx(0.125e9)


def test_a_cache_of_each_node_asks_nothing_of_the_ports():
    cluster = document(local={})["cluster"] | {"storage_network": {"ports": 1, "rate": "1 Gbit/s", "transport": "roce"}}
    local = {"use": ["dataset-cache"], "software": "juicefs"}
    assert found(made(local=local, dataset={"cache": "preload"}, cluster=cluster), "local-ports") == []
