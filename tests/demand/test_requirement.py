"""Whole stacks become the requirement of each tier."""

from dataclasses import replace

import pytest

from tierplan import demand
from tierplan.domain.stack import Adapters, Growth, Interrupts, Model, Parallelism, Restore, Retain, Shape, Tokens
from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, Size, duration, op_rate, size


def value(requirement, figure_id):
    return requirement.figures[figure_id].number


def phases(requirement, tier="hot"):
    return {phase.name: phase for phase in requirement.needs[tier].phases}


@pytest.fixture(scope="module")
def demo(build):
    return demand.requirement(build.stack())


class TestDemo:
    """The 70B job on 1,024 GPUs, every half hour within 3 percent: the selection lesson's own case."""

    @pytest.mark.parametrize(
        ("quantity", "expected"),
        [
            ("size_bytes", 980e9),
            ("allowed_stall_s", 54),
            ("write_bytes_per_s", 980e9 / 54),
            ("node_bytes", 7.65625e9),
            ("node_write_bytes_per_s", 7.65625e9 / 54),
            ("interval_s", 1800),
            ("files", 2048),
            ("metadata_ops_per_s", (4 * 2048 + 1) / 54),
            ("written_bytes_per_day", 47.04e12),
        ],
    )
    def test_checkpoint_figures(self, demo, quantity, expected):
        assert value(demo, f"pretrain-70b.checkpoint.{quantity}") == pytest.approx(expected)

    def test_dataset_figures(self, demo):
        assert value(demo, "pretrain-70b.dataset.read_bytes_per_s") == pytest.approx(1024 * 50 * 4000)
        assert value(demo, "pretrain-70b.dataset.metadata_ops_per_s") == pytest.approx(51.2)
        assert value(demo, "pretrain-70b.dataset.shards") == 2_500_000
        assert value(demo, "pretrain-70b.dataset.hit_fraction") == 1
        assert value(demo, "pretrain-70b.dataset.shared_read_bytes_per_s") == 0

    def test_restore_figures(self, demo):
        assert value(demo, "pretrain-70b.restore.read_bytes") == pytest.approx(980e9)
        assert value(demo, "pretrain-70b.restore.read_bytes_per_s") == pytest.approx(980e9 / 300)

    def test_capacity_of_hot_and_cold(self, demo):
        assert value(demo, "capacity.hot_bytes") == pytest.approx(103.12e12)
        assert value(demo, "capacity.cold_bytes") == pytest.approx(2598e12)
        assert demo.needs["hot"].capacity.bytes == pytest.approx(103.12e12)
        assert demo.needs["cold"].capacity.bytes == pytest.approx(2598e12)

    def test_headroom_is_on_rates_and_not_on_bytes(self, demo):
        assert demo.needs["hot"].write.base == pytest.approx(980e9 / 54 * 1.3)
        assert demo.needs["hot"].degraded_write.base == pytest.approx(980e9 / 54 * 0.8)

    def test_phases_of_each_tier(self, demo):
        assert list(phases(demo)) == ["training", "checkpoint", "restore"]
        assert list(phases(demo, "cold")) == ["archive"]

    def test_nothing_irreplaceable_is_local(self, demo):
        assert demo.needs["local"].irreplaceable == ()

    def test_local_drives_hold_and_feed_the_dataset(self, demo):
        local = demo.needs["local"]
        assert local.capacity.bytes == pytest.approx(128 * 10e12)
        assert local.read.base == pytest.approx(1024 * 50 * 4000 * 1.3)

    def test_because_names_load_phase_and_figures(self, demo):
        because = " ".join(demo.needs["hot"].because)
        for word in ("checkpoint", "980 GB within 54 s", "headroom 1.3", "1 of 4 jobs"):
            assert word in because

    def test_time_target_of_the_restore(self, demo):
        (target,) = demo.time_targets
        assert (target.policy, target.within_s, target.tier) == ("hot-restore-time", 300, "hot")
        assert target.figure == "pretrain-70b.restore.duration_s"

    def test_clients_need_the_busiest_node(self, demo):
        assert demo.needs["hot"].clients.node_write.base == pytest.approx(7.65625e9 / 54 * 1.3)

    def test_archive_is_written_to_the_cold_tier(self, demo):
        assert demo.needs["cold"].write.base == pytest.approx(980e9 / 86400 * 1.3)


class TestJobs:
    """Several jobs of a kind at once."""

    def two(self, build, **changes):
        job = build.training(
            gpus=512,
            parallelism=Parallelism(tensor=8, data=64, sharding="zero-3"),
            checkpoint=build.checkpoint(**{"concurrent_jobs": 2, "archive_every": None} | changes),
            dataset=build.dataset(cache="none"),
        )
        return demand.requirement(build.stack(job))

    def test_reads_multiply(self, build):
        assert phases(self.two(build))["training"].read.base == pytest.approx(2 * 512 * 50 * 4000 * 1.3)

    def test_a_synchronous_burst_counts_once_and_pauses_one_job(self, build):
        burst = phases(self.two(build))["checkpoint"]
        assert burst.write.base == pytest.approx(980e9 / 54 * 1.3)
        assert burst.read.base == pytest.approx(512 * 50 * 4000 * 1.3)

    def test_coinciding_bursts_add_and_pause_all(self, build):
        burst = phases(self.two(build, coincide=True))["checkpoint"]
        assert burst.write.base == pytest.approx(2 * 980e9 / 54 * 1.3)
        assert burst.read.base == 0

    def test_a_background_drain_multiplies_and_pauses_nothing(self, build):
        found = phases(self.two(build, mode="async"))
        assert "checkpoint" not in found
        assert found["training"].write.base == pytest.approx(2 * 980e9 / 1440 * 1.3)

    def test_capacity_counts_all_jobs_and_the_one_being_written(self, build):
        assert value(self.two(build), "pretrain-70b.checkpoint.kept_bytes") == pytest.approx(2 * 11 * 980e9)

    def test_a_retention_rule_counts_instead_of_keep(self, build):
        kept = self.two(build, retain=Retain(last=5, best=1, weekly=4))
        assert value(kept, "pretrain-70b.checkpoint.kept") == 11

    def test_jobs_beyond_the_cluster_count_for_capacity_only(self, build):
        three = self.two(build, concurrent_jobs=3)
        assert value(three, "pretrain-70b.jobs.running") == 2
        assert value(three, "pretrain-70b.checkpoint.kept_bytes") == pytest.approx(3 * 11 * 980e9)
        assert any(one.policy == "stack-requirement" and one.level == "advisory" for one in three.advice)


class TestBursts:
    """Of the bursts the largest counts, unless they coincide."""

    def workloads(self, build, **changes):
        return [
            build.training(name=name, gpus=256, checkpoint=build.checkpoint(concurrent_jobs=1, **changes), dataset=None)
            for name in ("one", "two")
        ]

    def test_the_workload_is_named_only_where_it_must_be(self, build):
        found = phases(demand.requirement(build.stack(*self.workloads(build))))
        assert {"checkpoint:one", "checkpoint:two", "restore:one", "restore:two"} < set(found)

    def test_the_larger_of_two_counts(self, build):
        one, two = self.workloads(build)
        two = replace(two, model=Model(parameters=13e9, bytes_per_parameter=14.0))
        need = demand.requirement(build.stack(one, two)).needs["hot"]
        assert need.write.base == pytest.approx(980e9 / 54 * 1.3)

    def test_coinciding_bursts_of_two_workloads_add(self, build):
        found = phases(demand.requirement(build.stack(*self.workloads(build, coincide=True))))
        assert found["checkpoint"].write.base == pytest.approx(2 * 980e9 / 54 * 1.3)

    def test_other_workloads_go_on_during_a_burst(self, build):
        found = phases(demand.requirement(build.stack(build.training(), build.general())))
        assert found["checkpoint"].read.base == pytest.approx((2e9 + 980e9 / 86400) * 1.3)
        assert found["checkpoint"].write.base == pytest.approx((1e9 + 980e9 / 54) * 1.3)


class TestFirstLanding:
    """Checkpoints that land on local drives drain to the hot tier; what exists only there is named."""

    def landing(self, build, where, uses=("dataset-cache", "checkpoint-first-landing"), **changes):
        job = build.training(
            checkpoint=build.checkpoint(first_landing=where, concurrent_jobs=1, archive_every=None, **changes)
        )
        return demand.requirement(build.stack(job, tiers=build.using(*uses)))

    def test_the_burst_lands_locally_and_drains(self, build):
        found = self.landing(build, "local")
        assert "checkpoint" not in phases(found)
        assert found.needs["hot"].write.base == pytest.approx(980e9 / 1440 * 1.3)
        assert phases(found, "local")["checkpoint"].write.base == pytest.approx(980e9 / 54 * 1.3)
        assert found.needs["local"].irreplaceable == ("pretrain-70b.checkpoint",)

    def test_a_peer_copy_doubles_what_is_written_and_survives(self, build):
        found = self.landing(build, "peer")
        assert phases(found, "local")["checkpoint"].write.base == pytest.approx(2 * 980e9 / 54 * 1.3)
        assert found.needs["local"].irreplaceable == ()
        assert value(found, "pretrain-70b.checkpoint.local_bytes_per_node") == pytest.approx(4 * 7.65625e9)

    def test_it_takes_room_from_the_dataset_cache(self, build):
        found = self.landing(build, "local")
        room = 4 * 7.68e12 * 0.98 * 0.8 - 2 * 7.65625e9
        assert value(found, "pretrain-70b.dataset.node_cache_bytes") == pytest.approx(room)

    def test_without_permission_it_is_a_mandatory_finding_and_planned_on_the_hot_tier(self, build):
        found = self.landing(build, "local", uses=("dataset-cache",))
        assert phases(found)["checkpoint"].write.base == pytest.approx(980e9 / 54 * 1.3)
        (finding,) = [one for one in found.advice if one.level == "mandatory"]
        assert finding.policy == "stack-requirement"
        assert "checkpoint-first-landing" in finding.remedy

    def test_a_small_job_asks_as_much_of_its_own_nodes(self, build):
        """No node can borrow another's drives: the local tier counts as if all were as busy."""
        small = build.training(
            gpus=128,
            parallelism=Parallelism(tensor=8, data=16, sharding="zero-3"),
            checkpoint=build.checkpoint(first_landing="local", concurrent_jobs=1),
        )
        found = demand.requirement(build.stack(small, tiers=build.using("checkpoint-first-landing")))
        per_node = 980e9 / 16 / 54
        assert found.needs["local"].write.base == pytest.approx(per_node * 128 * 1.3)


class TestAsynchronous:
    def test_it_ignores_overhead_and_stages_in_host_memory(self, build):
        for overhead in (0.0, 0.03):
            checkpoint = build.checkpoint(mode="async", overhead=overhead)
            found = demand.requirement(build.stack(build.training(checkpoint=checkpoint)))
            assert value(found, "pretrain-70b.checkpoint.drain_bytes_per_s") == pytest.approx(980e9 / 1440)
            assert value(found, "pretrain-70b.checkpoint.allowed_stall_s") == 5
            assert value(found, "pretrain-70b.checkpoint.staging_bytes_per_node") == pytest.approx(17.609e9, rel=1e-4)
            assert "pretrain-70b.checkpoint.write_bytes_per_s" not in found.figures

    def test_an_incremental_saver_writes_its_share(self, build):
        checkpoint = build.checkpoint(mode="async", changed_fraction=0.25)
        found = demand.requirement(build.stack(build.training(checkpoint=checkpoint)))
        assert value(found, "pretrain-70b.checkpoint.drain_bytes_per_s") == pytest.approx(980e9 / 4 / 1440)

    def test_host_memory_that_is_too_small_is_mandatory(self, build):
        job = build.training(checkpoint=build.checkpoint(mode="async"))
        stack = build.stack(job, cluster=build.cluster(host_memory=size("16 GB")))
        (finding,) = [one for one in demand.requirement(stack).advice if one.level == "mandatory"]
        assert (finding.policy, finding.planned) == ("local-memory", 16e9)


class TestAutoInterval:
    def auto(self, build, **changes):
        return build.stack(build.training(checkpoint=build.checkpoint(interval="auto", **changes)))

    def test_the_overhead_is_a_budget_for_saving_and_lost_work(self, build):
        found = demand.requirement(self.auto(build))
        mean = 50_000 * 3600 / 1024
        assert value(found, "pretrain-70b.checkpoint.write_bytes_per_s") == pytest.approx(2 * 980e9 / (0.03**2 * mean))
        assert value(found, "pretrain-70b.checkpoint.interval_s") == pytest.approx(0.03 * mean + 0.03**2 * mean / 2)

    @pytest.mark.parametrize("mode", ["sync", "async"])
    def test_the_settled_stack_asks_for_the_same(self, build, mode):
        stack = self.auto(build, mode=mode)
        found = demand.requirement(stack)
        settled = demand.settled(stack, found)
        again = demand.requirement(settled)
        assert settled.workloads[0].checkpoint.interval != "auto"
        assert demand.settled(settled, again) == settled
        assert again.needs["hot"].write.base == pytest.approx(found.needs["hot"].write.base)

    def test_failures_by_node_count_too(self, build):
        interrupts = Interrupts(per_gpu=duration("50000 h"), per_node_day=6.5e-3)
        stack = replace(self.auto(build), cluster=build.cluster(interrupts=interrupts))
        found = demand.requirement(stack)
        assert value(found, "pretrain-70b.checkpoint.mean_time_to_interrupt_s") == pytest.approx(28.85 * 3600, rel=1e-3)

    def test_no_budget_is_refused_by_name(self, build):
        with pytest.raises(InputError, match="allowed stall is 0 s"):
            demand.requirement(self.auto(build, overhead=0.0))


class TestWriters:
    @pytest.mark.parametrize(
        ("sharding", "files", "node_bytes"),
        [
            ("ddp", 1, 980e9),
            ("fsdp", 1025, 980e9 / 128),
            ("torch-dist", 1025, 980e9 / 128),
            ("zero-3", 2048, 980e9 / 128),
            ("zero-1", 8 + 1024, 140e9 + 840e9 / 128),
        ],
    )
    def test_who_writes_decides_files_and_the_busiest_node(self, build, sharding, files, node_bytes):
        job = build.training(parallelism=Parallelism(tensor=8, data=128, sharding=sharding))
        found = demand.requirement(build.stack(job))
        assert value(found, "pretrain-70b.checkpoint.files") == files
        assert value(found, "pretrain-70b.checkpoint.node_bytes") == pytest.approx(node_bytes)
        assert value(found, "pretrain-70b.checkpoint.size_bytes") == pytest.approx(980e9)

    def test_replicas_that_read_for_themselves(self, build):
        job = build.training(restore=Restore(within=duration("5 min"), reads="per-replica"))
        found = demand.requirement(build.stack(job))
        assert value(found, "pretrain-70b.restore.read_bytes") == pytest.approx(18.76e12)
        assert any(one.policy == "advice-restore-once" for one in found.advice)

    def test_a_restore_without_a_time_is_shown_only(self, build):
        found = demand.requirement(build.stack(build.training(restore=Restore())))
        assert value(found, "pretrain-70b.restore.read_bytes") == pytest.approx(980e9)
        assert "restore" not in phases(found)
        assert found.time_targets == ()


class TestModels:
    SHAPE = Shape(layers=80, hidden=8192, ffn=28672, heads=64, kv_heads=8, vocabulary=128_256)

    def test_parameters_from_the_shape(self, build):
        job = build.training(model=Model(shape=self.SHAPE, bytes_per_parameter=14.0))
        found = demand.requirement(build.stack(job))
        assert value(found, "pretrain-70b.model.parameters") == pytest.approx(70.55e9, rel=1e-3)

    def test_adapters_alone_are_saved(self, build):
        model = Model(parameters=70e9, bytes_per_parameter=14.0, shape=self.SHAPE, adapters=Adapters(rank=16))
        found = demand.requirement(build.stack(build.training(model=model)))
        assert value(found, "pretrain-70b.checkpoint.size_bytes") == pytest.approx(207_093_760 * 14)

    def test_a_model_of_unknown_size_is_refused_by_path(self, build):
        with pytest.raises(InputError, match=r"workloads\[0\]\.model: nothing says how many parameters"):
            demand.requirement(build.stack(build.training(model=Model())))


class TestDatasets:
    def reading(self, build, uses=("dataset-cache",), **changes):
        job = build.training(dataset=build.dataset(**changes))
        return demand.requirement(build.stack(job, tiers=build.using(*uses)))

    def hits(self, build, **changes):
        return value(self.reading(build, **changes), "pretrain-70b.dataset.hit_fraction")

    def test_hit_fractions_of_the_five_modes(self, build):
        room = 4 * 7.68e12 * 0.98 * 0.8
        assert self.hits(build, size=size("100 TB")) == pytest.approx(room / 100e12)
        assert self.hits(build, size=size("6 PB"), cache="distributed") == pytest.approx(128 * room / 6e15)
        assert self.hits(build, size=size("6 PB"), cache="sticky") == pytest.approx(128 * room / 6e15)
        assert self.hits(build, cache="fill-on-read") == pytest.approx(1 / 128)
        assert self.hits(build, cache="none") == 0

    def test_without_permission_nothing_is_cached_and_that_is_said(self, build):
        found = self.reading(build, uses=())
        assert value(found, "pretrain-70b.dataset.hit_fraction") == 0
        assert any(one.policy == "cache-mode" and "dataset-cache" in one.remedy for one in found.advice)

    def test_local_drives_never_hold_more_than_planned_fill(self, build):
        local = self.reading(build, size=size("100 TB")).needs["local"]
        assert local.capacity.bytes <= 128 * 4 * 7.68e12 * 0.98 * 0.8 * (1 + 1e-12)

    def test_tokens_are_a_rate_too(self, build):
        tokens = Tokens(per_s_per_gpu=1602, bytes_per_token=4)
        found = self.reading(build, tokens=tokens, sample_size=None, samples_per_s_per_gpu=None)
        assert value(found, "pretrain-70b.dataset.read_bytes_per_s") == pytest.approx(1024 * 1602 * 4)

    def test_small_files_are_opened_one_by_one(self, build):
        found = self.reading(build, format="files", samples_per_shard=None, cache="none")
        assert value(found, "pretrain-70b.dataset.metadata_ops_per_s") == pytest.approx(51_200)
        assert "pretrain-70b.dataset.shards" not in found.figures
        assert found.needs["hot"].files == pytest.approx(2.5e9 + 2048 * 11 * 4)

    def test_without_a_rate_it_counts_for_capacity_only(self, build):
        found = self.reading(build, samples_per_s_per_gpu=None, sample_size=None, samples_per_shard=None)
        assert "pretrain-70b.dataset.read_bytes_per_s" not in found.figures
        assert value(found, "capacity.hot_bytes") == pytest.approx(103.12e12)
        assert any("counts for capacity only" in line for line in found.needs["hot"].because)


class TestServing:
    def test_model_load(self, build):
        found = demand.requirement(build.stack(build.model_load()))
        assert value(found, "chat.model_load.total_bytes") == pytest.approx(7e12)
        assert value(found, "chat.model_load.read_bytes_per_s") == pytest.approx(7e12 / 60)
        assert phases(found)["model_load"].read.base == pytest.approx(7e12 / 60 * 1.3)
        assert found.needs["hot"].capacity.bytes == pytest.approx(50e12 + 140e9)

    @pytest.mark.parametrize(("fan_out", "volume"), [("peer", 140e9), ("node", 13 * 140e9)])
    def test_fan_out_reads_less(self, build, fan_out, volume):
        found = demand.requirement(build.stack(build.model_load(fan_out=fan_out, replicas_per_node=4)))
        assert phases(found)["model_load"].read.base == pytest.approx(volume / 60 * 1.3)
        assert value(found, "chat.model_load.read_bytes_per_s_with_fan_out") == pytest.approx(volume / 60)

    def test_sessions_fill_the_highest_place_first(self, build):
        tiers = build.using("kv-cache")
        found = demand.requirement(build.stack(build.kv_cache(), tiers=tiers))
        host = 16 * 2 * 2**40 * 0.5
        total = 500 * 40 * 2**30
        assert value(found, "long-context.kv_cache.working_set_bytes") == total
        assert value(found, "long-context.kv_cache.host_bytes") == pytest.approx(host)
        assert value(found, "long-context.kv_cache.local_bytes") == pytest.approx(total - host)
        assert value(found, "long-context.kv_cache.read_bytes_per_s") == 0
        assert found.time_targets[0].tier == "local"
        assert found.needs["local"].written_per_day.bytes == pytest.approx(20_000 * 327_680 * 86_400 / 16 * 128)

    def test_what_fits_nowhere_else_is_read_from_the_hot_tier(self, build):
        found = demand.requirement(build.stack(build.kv_cache(placement=("hot",), resumes=op_rate("2 ops/s"))))
        assert value(found, "long-context.kv_cache.read_bytes_per_s") == pytest.approx(2 * 40 * 2**30)
        assert value(found, "long-context.kv_cache.write_bytes_per_s") == pytest.approx(20_000 * 327_680)
        assert phases(found)["serving"].read.base == pytest.approx(2 * 40 * 2**30 * 1.3)
        assert found.needs["hot"].capacity.bytes == pytest.approx(50e12 + 500 * 40 * 2**30)

    def test_one_session_must_come_back_in_time_however_rarely(self, build):
        rare = build.kv_cache(placement=("hot",), resumes=op_rate("0.01 ops/s"))
        found = phases(demand.requirement(build.stack(rare)))
        assert found["kv_reload"].read.base == pytest.approx(40 * 2**30 / (2 - 0.01) * 1.3)

    def test_sessions_without_a_place_are_mandatory(self, build):
        found = demand.requirement(build.stack(build.kv_cache(placement=("host-memory",))))
        (finding,) = [one for one in found.advice if one.level == "mandatory"]
        assert finding.policy == "kv-capacity"
        assert finding.planned == pytest.approx(16 * 2**40)

    def test_local_must_be_permitted(self, build):
        found = demand.requirement(build.stack(build.kv_cache()))
        assert [one.policy for one in found.advice if one.level == "mandatory"] == ["stack-requirement"]
        assert value(found, "long-context.kv_cache.shared_bytes") > 0

    def test_stated_loads_are_taken_as_they_are(self, build):
        need = demand.requirement(build.stack(build.general())).needs["hot"]
        assert (need.read.base, need.write.base, need.op_rate.base) == pytest.approx((2.6e9, 1.3e9, 26_000))


class TestGrowth:
    def test_a_grown_cluster_carries_bandwidth_along(self, build):
        cluster = build.cluster(growth=(Growth(year=2, gpu_nodes=1024),))
        job = build.training(dataset=build.dataset(cache="none"))
        found = demand.requirement(build.stack(job, build.general(), cluster=cluster))
        assert value(found, "pretrain-70b.growth.gpus.year_2") == 8192
        read = value(found, "pretrain-70b.dataset.read_bytes_per_s")
        assert value(found, "pretrain-70b.dataset.read_bytes_per_s.year_2") == pytest.approx(8 * read)
        assert value(found, "users.general.read_bytes_per_s.year_2") == pytest.approx(16e9)
        assert phases(found)["training"].read.base == pytest.approx((8 * (read + 2e9) + 980e9 / 86400) * 1.3)
        assert any("year 2" in line for line in found.needs["hot"].because)
        assert found.needs["hot"].clients.gpu_nodes == 1024

    def test_checkpoint_and_model_stay(self, build):
        cluster = build.cluster(growth=(Growth(year=1, gpu_nodes=256),))
        found = demand.requirement(build.stack(cluster=cluster))
        for quantity in ("size_bytes", "write_bytes_per_s"):
            today = value(found, f"pretrain-70b.checkpoint.{quantity}")
            assert value(found, f"pretrain-70b.checkpoint.{quantity}.year_1") == pytest.approx(today)

    def test_the_local_tier_is_judged_on_todays_nodes(self, build):
        cluster = build.cluster(growth=(Growth(year=1, gpu_nodes=256),))
        assert demand.requirement(build.stack(cluster=cluster)).needs["local"].capacity.bytes == pytest.approx(1.28e15)

    def test_serving_grows_with_the_cluster(self, build):
        cluster = build.cluster(growth=(Growth(year=1, gpu_nodes=192),))
        stack = build.stack(build.model_load(), build.kv_cache(placement=("hot",)), cluster=cluster)
        found = demand.requirement(stack)
        assert value(found, "chat.growth.replicas.year_1") == 75
        assert value(found, "long-context.growth.sessions.year_1") == 750
        assert value(found, "long-context.growth.resumes_ops_per_s.year_1") == pytest.approx(30)

    def test_capacity_of_each_year(self, build):
        capacity = build.capacity(growth_per_year=0.4, years=3)
        found = demand.requirement(build.stack(capacity=capacity))
        for year in range(4):
            expected = 60e12 * 1.4**year + 43.12e12
            assert value(found, f"capacity.hot_bytes.year_{year}") == pytest.approx(expected)
            assert value(found, f"capacity.cold_bytes.year_{year}") == pytest.approx(2.5e15 * 1.4**year + 98e12)
        assert value(found, "capacity.hot_bytes") == value(found, "capacity.hot_bytes.year_3")
        assert found.needs["hot"].capacity == found.needs["hot"].capacity_by_year[-1]

    def test_a_dataset_that_outgrows_the_caches_is_read_again(self, build):
        capacity = build.capacity(growth_per_year=0.5, years=3)
        found = demand.requirement(build.stack(capacity=capacity))
        assert value(found, "pretrain-70b.dataset.hit_fraction") == 1
        assert value(found, "pretrain-70b.dataset.hit_fraction.year_3") == pytest.approx(24.084e12 / 33.75e12, rel=1e-3)

    def test_the_horizon_reaches_to_the_last_growth(self, build):
        cluster = build.cluster(growth=(Growth(year=4, gpu_nodes=256),))
        assert "capacity.hot_bytes.year_4" in demand.requirement(build.stack(cluster=cluster)).figures


class TestNoHotTier:
    """Its loads go to the local tier where that is permitted, else to the cold tier."""

    def test_everything_stored_lies_on_the_cold_tier(self, build):
        found = demand.requirement(build.stack(tiers=build.using("dataset-cache", hot="none")))
        assert found.needs["hot"].capacity == Size(0)
        assert found.needs["hot"].write == Bandwidth(0)
        assert found.needs["cold"].capacity.bytes == pytest.approx(103.12e12 + 2598e12)
        assert found.needs["cold"].write.base == pytest.approx((980e9 / 54 + 980e9 / 86400) * 1.3)
        assert any("no hot tier" in line for line in found.needs["cold"].because)
        assert {target.tier for target in found.time_targets} == {"cold"}

    def test_checkpoints_land_on_local_drives_where_they_may(self, build):
        tiers = build.using("dataset-cache", "checkpoint-first-landing", hot="none")
        found = demand.requirement(build.stack(tiers=tiers))
        assert phases(found, "local")["checkpoint"].write.base == pytest.approx(980e9 / 54 * 1.3)
        assert found.needs["local"].irreplaceable == ("pretrain-70b.checkpoint",)
        assert found.needs["cold"].write.base == pytest.approx((980e9 / 1440 + 980e9 / 86400) * 1.3)

    def test_users_go_to_scratch_or_to_the_cold_tier(self, build):
        for uses, tier in ((("scratch",), "local"), ((), "cold")):
            found = demand.requirement(build.stack(build.general(), tiers=build.using(*uses, hot="none")))
            assert found.needs[tier].read.base == pytest.approx(2.6e9)


def test_archived_weights_are_the_largest_models(build):
    capacity = build.capacity(archived_checkpoints=0, archived_weights=10)
    found = demand.requirement(build.stack(capacity=capacity))
    assert value(found, "capacity.archived_weights_bytes") == pytest.approx(10 * 140e9)


def test_zero_stall_is_refused_in_words(build):
    with pytest.raises(InputError, match="allowed stall is 0 s"):
        demand.requirement(build.stack(build.training(checkpoint=build.checkpoint(overhead=0.0))))


def test_bandwidth_and_time_are_quantities(build):
    found = demand.requirement(build.stack())
    assert found.figures["pretrain-70b.checkpoint.write_bytes_per_s"].value == Bandwidth(980e9) / 54
    assert found.figures["pretrain-70b.checkpoint.allowed_stall_s"].value == Duration(54)
