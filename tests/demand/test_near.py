"""The memory and drives of one GPU node, caches with and without sharing, filling, peers, the places of sessions."""

from dataclasses import replace

import pytest

from tierplan import demand
from tierplan.demand.loads_dataset import cache_mode
from tierplan.domain.stack import Loader, LocalPins, Parallelism
from tierplan.units import duration, op_rate, size


def figure(found, name):
    return found.figures[name].number


def with_software(tiers, software, **options):
    return replace(tiers, local=replace(tiers.local, software=software, options=options))


class TestSpace:
    def test_shares_of_the_drives_add_up(self, build):
        stack = build.stack(
            build.training(checkpoint=build.checkpoint(first_landing="peer")),
            build.kv_cache(placement=("local",), sessions=2000, gpu_nodes=128),
            tiers=build.using("dataset-cache", "kv-cache", "checkpoint-first-landing", "scratch"),
        )
        found = demand.requirement(stack)
        planned = figure(found, "capacity.local_planned_bytes_per_node")
        parts = ("first_landing", "kv_cache", "dataset_cache", "scratch")
        assert planned == pytest.approx(4 * 7.68e12 * 0.98 * 0.8)
        assert sum(figure(found, f"capacity.local_{part}_bytes_per_node") for part in parts) == pytest.approx(planned)
        assert figure(found, "capacity.local_first_landing_bytes_per_node") == pytest.approx(2 * 2 * 980e9 / 128)

    def test_nothing_is_shared_where_there_are_no_drives(self, build):
        nvme = replace(build.cluster().local_nvme, drives=0)
        found = demand.requirement(build.stack(cluster=build.cluster(local_nvme=nvme)))
        assert not [name for name in found.figures if name.startswith("capacity.local_planned")]

    def test_page_cache_is_what_staging_and_loaders_leave(self, build):
        """W-19: 17.6 GB staged of a 980 GB checkpoint on 128 nodes."""
        asked = build.dataset(loader=Loader(workers=8, prefetch=2, batch=100), sample_size=size("2 MB"))
        job = build.training(dataset=asked, checkpoint=build.checkpoint(mode="async"))
        found = demand.requirement(build.stack(job))
        staged = figure(found, "pretrain-70b.checkpoint.staging_bytes_per_node")
        loaders = figure(found, "pretrain-70b.dataset.loader_bytes_per_node")
        assert staged == pytest.approx(17.61e9, rel=1e-3)
        assert figure(found, "pretrain-70b.dataset.page_cache_bytes_per_node") == pytest.approx(
            2 * 2**40 * 0.9 - staged - loaders
        )

    def test_page_cache_is_no_hit(self, build):
        """A small dataset fits the memory of every node; without a cache mode it is still read from the shared tier."""
        found = demand.requirement(build.stack(build.training(dataset=build.dataset(size=size("1 TB"), cache="none"))))
        assert figure(found, "pretrain-70b.dataset.page_cache_fraction") == 1
        assert figure(found, "pretrain-70b.dataset.hit_fraction") == 0


class TestSharing:
    def requirement(self, build, software, cache="distributed", **options):
        work = build.training(dataset=build.dataset(size=size("300 TB"), cache=cache))
        tiers = with_software(build.using("dataset-cache"), software, **options)
        return demand.requirement(build.stack(work, tiers=tiers))

    def hits(self, *args, **options):
        return figure(self.requirement(*args, **options), "pretrain-70b.dataset.hit_fraction")

    def test_software_that_shares_holds_what_all_nodes_hold(self, build):
        assert self.hits(build, "alluxio") == 1
        assert self.hits(build, "fluid") == 1

    def test_a_cache_of_one_client_counts_for_one_node(self, build):
        room = 4 * 7.68e12 * 0.98 * 0.8
        assert self.hits(build, "juicefs") == pytest.approx(room / 300e12)
        assert self.hits(build, "fluid", runtime="juicefs") == pytest.approx(room / 300e12)

    def test_a_claim_that_the_software_cannot_keep_is_mandatory(self, build):
        (claim,) = [
            one
            for one in self.requirement(build, "juicefs").advice
            if (one.policy, one.level) == ("cache-mode", "mandatory")
        ]
        assert "keeps a cache for each client" in claim.message
        assert not [one for one in self.requirement(build, "alluxio").advice if one.policy == "cache-mode"]

    def test_a_shared_cache_that_fills_while_it_is_read_is_warm_after_one_epoch(self, build):
        assert self.hits(build, "alluxio", cache="fill-on-read") == 1
        assert self.hits(build, "none", cache="fill-on-read") == pytest.approx(1 / 128)
        assert self.hits(build, "juicefs", cache="fill-on-read") == pytest.approx(1 / 128)

    def test_mode_of_every_software(self, build):
        for software, mode in (("none", "distributed"), ("lmcache", "distributed"), ("juicefs", "preload")):
            stack = build.stack(tiers=with_software(build.using("dataset-cache"), software))
            assert cache_mode(stack, build.dataset(cache="distributed")) == mode


class TestFilling:
    def test_preload_within_is_a_burst_on_the_shared_tier(self, build):
        asked = build.dataset(preload_within=duration("1 h"))
        found = demand.requirement(build.stack(build.training(dataset=asked)))
        (phase,) = [one for one in found.needs["hot"].phases if one.name == "preload"]
        assert phase.read.base == pytest.approx(128 * 10e12 / 3600 * 1.3, rel=1e-3)  # beside the archive
        (local,) = [one for one in found.needs["local"].phases if one.name == "preload"]
        assert local.write.base == pytest.approx(128 * 10e12 / 3600 * 1.3)
        assert [one.within_s for one in found.time_targets if one.policy == "cache-fill-time"] == [3600]

    def test_a_shared_cache_reads_each_copy_once(self, build):
        asked = build.dataset(cache="distributed", cache_copies=2, preload_within=duration("1 h"))
        stack = build.stack(build.training(dataset=asked), tiers=with_software(build.using("dataset-cache"), "alluxio"))
        found = demand.requirement(stack)
        assert figure(found, "pretrain-70b.dataset.fill_bytes") == pytest.approx(20e12)
        assert figure(found, "pretrain-70b.dataset.preload_read_bytes_per_s") == pytest.approx(20e12 / 3600)

    def test_without_a_time_nothing_more_is_asked(self, build):
        found = demand.requirement(build.stack())
        assert not [one for one in found.needs["hot"].phases if one.name == "preload"]

    def test_misses_that_fill_a_cache_wear_the_drives(self, build):
        work = build.training(dataset=build.dataset(cache="fill-on-read"))
        found = demand.requirement(build.stack(work, tiers=build.using("dataset-cache")))
        gross = figure(found, "pretrain-70b.dataset.read_bytes_per_s")
        daily = gross * (127 / 128) / 128 * 86400
        assert figure(found, "pretrain-70b.dataset.local_written_bytes_per_day") == pytest.approx(daily)
        assert found.needs["local"].written_per_day.base == pytest.approx(daily * 128)
        assert found.needs["local"].write.base == pytest.approx(gross * (127 / 128) * 1.3)

    def test_no_drives_are_filled_where_there_are_none(self, build):
        nvme = replace(build.cluster().local_nvme, drives=0)
        work = build.training(dataset=build.dataset(cache="fill-on-read"))
        found = demand.requirement(build.stack(work, cluster=build.cluster(local_nvme=nvme)))
        assert not found.needs["local"].write
        assert not found.needs["local"].written_per_day

    def test_a_preloaded_cache_is_not_written_again(self, build):
        found = demand.requirement(build.stack(tiers=build.using("dataset-cache")))
        assert not found.needs["local"].written_per_day


class TestLanding:
    def test_a_peer_takes_a_copy_over_the_ports(self, build):
        tiers = build.using("checkpoint-first-landing")
        job = build.training(checkpoint=build.checkpoint(first_landing="peer"))
        found = demand.requirement(build.stack(job, tiers=tiers))
        assert figure(found, "pretrain-70b.checkpoint.peer_bytes_per_s") == pytest.approx(980e9 / 128 / 54)
        alone = build.training(checkpoint=build.checkpoint(first_landing="local"))
        found = demand.requirement(build.stack(alone, tiers=tiers))
        assert "pretrain-70b.checkpoint.peer_bytes_per_s" not in found.figures
        assert found.needs["local"].irreplaceable == ("pretrain-70b.checkpoint",)

    def test_what_lands_has_a_time_to_be_drained(self, build):
        job = build.training(checkpoint=build.checkpoint(first_landing="peer"))
        found = demand.requirement(build.stack(job, tiers=build.using("checkpoint-first-landing")))
        (target,) = [one for one in found.time_targets if one.policy == "local-drain"]
        assert (target.figure, target.within_s) == ("pretrain-70b.checkpoint.drain_s", pytest.approx(1440))


class TestSessions:
    def test_only_serving_nodes_carry_sessions(self, build):
        work = build.kv_cache(placement=("local",), gpu_nodes=16, resumes=op_rate("2 ops/s"))
        found = demand.requirement(build.stack(work, tiers=build.using("kv-cache")))
        (load,) = [one for one in found.loads if one.id == "long-context.kv_cache" and one.tier == "local"]
        assert load.nodes == 16
        assert load.read.base == pytest.approx(2 * 40 * 2**30)

    def test_hit_fractions_say_what_is_assumed(self, build):
        work = build.kv_cache(sessions=1200, placement=("host-memory", "local", "hot"), prefill_tokens_per_s=28_271)
        found = demand.requirement(build.stack(work, tiers=build.using("kv-cache")))
        shares = [
            found.figures[name].number
            for place in ("host", "local", "shared")
            if (name := f"long-context.kv_cache.{place}_hit_fraction") in found.figures
        ]
        assert sum(shares) == pytest.approx(1)
        assert figure(found, "long-context.kv_cache.break_even_bytes_per_s") == pytest.approx(9.26e9, rel=1e-3)

    def test_local_pins_know_their_backend(self):
        words = {"none": "local-nvme", "juicefs": "juicefs-cache", "alluxio": "alluxio", "mooncake": "mooncake"}
        for software, backend in words.items():
            assert LocalPins(software=software).backend == backend


def test_shards_split_evenly_over_every_worker(build):
    asked = build.dataset(loader=Loader(workers=8, prefetch=2, batch=32))
    job = build.training(gpus=1024, parallelism=Parallelism(data=1024), dataset=asked)
    found = demand.requirement(build.stack(job))
    even = figure(found, "pretrain-70b.dataset.even_shards")
    assert even % (1024 * 8) == 0
    assert even - 1024 * 8 < figure(found, "pretrain-70b.dataset.shards") <= even
