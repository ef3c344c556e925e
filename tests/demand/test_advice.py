"""What the demand side notices: each with the figures that justify it, and silent where there is nothing to say."""

from dataclasses import replace

import pytest

from tierplan import demand
from tierplan.domain.stack import Loader, LocalNvme, Model, Parallelism, TierPins
from tierplan.units import bandwidth, duration, size


@pytest.fixture
def noticed(build):
    """The advice of one policy on a stack of these workloads."""

    def of(policy, *workloads, **changes):
        found = demand.requirement(build.stack(*workloads, **changes)).advice
        return [one for one in found if one.policy == policy]

    return of


def test_async_says_from_what_to_what(build, noticed):
    (one,) = noticed("advice-async-checkpoint", build.training())
    assert one.level == "advisory"
    assert "18.1 GB/s to 681 MB/s" in one.message
    assert "17.6 GB of host memory" in one.message
    assert (one.required, one.planned) == pytest.approx((980e9 / 54, 980e9 / 1440))


def test_async_is_silent_where_it_is_used(build, noticed):
    assert not noticed("advice-async-checkpoint", build.training(checkpoint=build.checkpoint(mode="async")))


def test_stall_cost_in_gpu_hours_and_money(build, noticed):
    (one,) = noticed("advice-stall-cost", build.training())
    assert "22,118 GPU-hours" in one.message
    assert "66,355 USD" in one.message
    (bare,) = noticed("advice-stall-cost", build.training(), cluster=build.cluster(price=None))
    assert "USD" not in bare.message


def test_two_bytes_a_parameter_are_weights_only(build, noticed):
    """The scenario's 100B model of 200 GB: seven times low."""
    told = build.training(model=Model(parameters=100e9, bytes_per_parameter=2.0))
    (one,) = noticed("advice-weights-only", told)
    assert "200 GB" in one.message
    assert "1.4 TB" in one.message
    assert not noticed("advice-weights-only", build.training())


def test_packing_says_files_shards_and_opens(build, noticed):
    images = build.dataset(
        size=size("140.8 GB"), sample_size=size("110 kB"), format="files", samples_per_s_per_gpu=2500, cache="none"
    )
    job = build.training(gpus=256, parallelism=Parallelism(data=256), dataset=images)
    (one,) = noticed("advice-pack-files", job)
    assert "1,280,000 files" in one.message
    assert "550 shards" in one.message
    assert "640 kops/s to 275 ops/s" in one.message
    assert one.required == pytest.approx(640_000)


@pytest.mark.parametrize("changes", [{"format": "webdataset"}, {"format": "files", "sample_size": size("147 MB")}])
def test_packed_or_large_samples_are_left_alone(build, noticed, changes):
    assert not noticed("advice-pack-files", build.training(dataset=build.dataset(**changes)))


def test_small_shards_are_named(build, noticed):
    (one,) = noticed("advice-format", build.training())
    assert "shards of 4 MB" in one.message
    assert "64,000 samples" in one.remedy
    assert not noticed("advice-format", build.training(dataset=build.dataset(samples_per_shard=100_000)))


def test_lmdb_wants_a_local_copy(build, noticed):
    assert noticed("advice-format", build.training(dataset=build.dataset(format="lmdb", cache="none")))
    assert not noticed("advice-format", build.training(dataset=build.dataset(format="lmdb", cache="preload")))


def test_epoch_two_is_not_idle_for_every_cache(build, noticed):
    (one,) = noticed("cache-mode", build.training(dataset=build.dataset(cache="fill-on-read")))
    for word in ("0.8% after 1", "6.1% after 8", "63.4% after 128"):
        assert word in one.message
    assert one.planned == pytest.approx(1 / 128)


def test_one_node_keeps_what_it_has_read(build, noticed):
    job = build.training(
        gpus=8, parallelism=Parallelism(data=8), dataset=build.dataset(cache="fill-on-read"), checkpoint=None
    )
    assert not noticed("cache-mode", job)


def test_a_dataset_larger_than_the_cache_is_said(build, noticed):
    (one,) = noticed("cache-mode", build.training(dataset=build.dataset(size=size("100 TB"))))
    assert "24.1%" in one.message


def test_a_distributed_cache_needs_software(build, noticed):
    (one,) = noticed("cache-mode", build.training(dataset=build.dataset(cache="distributed")))
    assert "tiers.local.software is none" in one.message


def test_loader_rules_and_their_conflict(build, noticed):
    job = build.training(dataset=build.dataset(loader=Loader(workers=16, prefetch=2, batch=32)))
    (one,) = noticed("advice-loader", job)
    for word in ("128 on a node, more than its 112 cores", "= 32", "56 to 112", "disagree"):
        assert word in one.message
    assert "4 workers a process" in one.remedy
    assert not noticed("advice-loader", build.training())


def test_loaders_and_staging_share_the_host_memory(build, noticed):
    loader = Loader(workers=64, prefetch=8, batch=800)
    job = build.training(dataset=build.dataset(sample_size=size("1 MB"), loader=loader))
    (one,) = noticed("local-memory", job)
    assert one.level == "mandatory"
    assert one.required > one.planned == 2 * 2**40


@pytest.mark.parametrize(("drives", "said"), [(0, True), (3, True), (4, False)])
def test_fewer_than_four_drives(build, noticed, drives, said):
    nvme = LocalNvme(drives=drives, size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s"))
    cluster = build.cluster(local_nvme=nvme)
    assert bool(noticed("advice-local-nvme", build.training(), cluster=cluster)) is said


@pytest.mark.parametrize(("tokens_per_node", "level"), [(5000.0, "mandatory"), (2000.0, "advisory"), (500.0, None)])
def test_sessions_written_through_wear_drives_out(build, noticed, tokens_per_node, level):
    """5,000 tokens a second of a 70B model are 4.6 drive writes a day: no drive is rated for that."""
    work = build.kv_cache(new_tokens_per_s=16 * tokens_per_node)
    found = noticed("local-endurance", work, tiers=build.using("kv-cache"))
    assert [one.level for one in found] == ([level] if level else [])
    assert all(one.required == pytest.approx(4.61 * tokens_per_node / 5000, rel=0.01) for one in found)


def test_checkpoints_barely_wear_drives(build, noticed):
    job = build.training(checkpoint=build.checkpoint(first_landing="local"))
    assert not noticed("local-endurance", job, tiers=build.using("checkpoint-first-landing"))


def test_fan_out_says_what_peers_would_spare(build, noticed):
    (one,) = noticed("advice-fan-out", build.model_load())
    assert "117 GB/s" in one.message
    assert "2.33 GB/s" in one.message
    assert not noticed("advice-fan-out", build.model_load(fan_out="peer"))
    assert not noticed("advice-fan-out", build.model_load(replicas=1))


def test_loading_must_beat_computing_again(build, noticed):
    slow = build.kv_cache(reload_within=duration("30 s"), prefill_tokens_per_s=8000.0)
    (one,) = noticed("advice-kv-recompute", slow)
    assert one.required == pytest.approx(131_072 / 8000)
    assert not noticed("advice-kv-recompute", build.kv_cache(prefill_tokens_per_s=8000.0))


def test_activations_are_said_not_to_be_modelled(build, noticed):
    job = build.training(parallelism=Parallelism(tensor=8, pipeline=4, data=32))
    assert noticed("advice-activations", job, tiers=build.using("scratch"))
    assert not noticed("advice-activations", job)


def test_data_without_a_tier_is_mandatory(build, noticed):
    tiers = replace(build.using("dataset-cache"), cold=TierPins(backend="none"))
    found = [one for one in noticed("stack-requirement", build.training(), tiers=tiers) if one.level == "mandatory"]
    assert [one.required for one in found] == [pytest.approx(2598e12)]


def test_archives_of_nothing_are_said(build, noticed):
    (one,) = noticed("stack-requirement", build.general())
    assert "no workload trains" in one.message


def test_every_finding_says_what_to_change(build):
    stack = build.stack(
        build.training(dataset=build.dataset(cache="fill-on-read", format="files")),
        build.model_load(),
        build.kv_cache(),
        build.general(),
    )
    for one in demand.requirement(stack).advice:
        assert one.message
        assert one.remedy
        assert any(letter.isdigit() for letter in one.message), one
