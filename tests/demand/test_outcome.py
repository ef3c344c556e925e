"""What a plan gives, on tiers of hand-made rates."""

import math

import pytest

from tierplan import demand
from tierplan.demand import goodput, interval
from tierplan.domain.stack import Parallelism, Restore
from tierplan.units import Duration, op_rate


@pytest.fixture
def outcome(build):
    """The outcome of a stack on tiers of these rates: {tier: (read, write)}."""

    def of(stack, **rates):
        requirement = demand.requirement(stack)
        tiers = {
            tier: build.plan(
                requirement, tier, read=read, write=write, nodes=stack.cluster.gpu_nodes if tier == "local" else 12
            )
            for tier, (read, write) in rates.items()
        }
        return demand.outcome(stack, requirement, tiers)

    return of


def quiet(build, **changes):
    """One job, nothing beside it: no archive, no reads."""
    checkpoint = build.checkpoint(**{"concurrent_jobs": 1, "archive_every": None} | changes)
    return build.training(checkpoint=checkpoint, dataset=None)


class TestCheckpoint:
    def test_stall_is_size_over_what_the_tier_writes(self, build, outcome):
        found = outcome(build.stack(quiet(build)), hot=("100 GB/s", "49 GB/s"))
        assert found["pretrain-70b.checkpoint.stall_s"].number == pytest.approx(20)
        assert found["pretrain-70b.checkpoint.overhead_fraction"].number == pytest.approx(20 / 1800)

    def test_other_work_takes_its_share_of_the_envelope(self, build, outcome):
        """Users read a tenth of the tier and write a tenth: eight tenths are left."""
        users = build.general(read=build.general().read * 5, write=build.general().write * 4.9)
        found = outcome(build.stack(quiet(build), users), hot=("100 GB/s", "49 GB/s"))
        assert found["pretrain-70b.checkpoint.stall_s"].number == pytest.approx(25)

    def test_an_overloaded_tier_is_shared_and_never_divides_by_zero(self, build, outcome):
        users = build.general(write=build.general().write * 490)
        found = outcome(build.stack(quiet(build), users), hot=("100 GB/s", "49 GB/s"))
        assert 20 < found["pretrain-70b.checkpoint.stall_s"].number < math.inf

    def test_coinciding_jobs_share(self, build, outcome):
        job = build.training(
            gpus=512,
            parallelism=Parallelism(tensor=8, data=64),
            checkpoint=build.checkpoint(concurrent_jobs=2, coincide=True, archive_every=None),
            dataset=None,
        )
        found = outcome(build.stack(job), hot=("100 GB/s", "49 GB/s"))
        assert found["pretrain-70b.checkpoint.stall_s"].number == pytest.approx(40)

    def test_one_slow_node_decides(self, build, outcome):
        """Rank 0 writes everything through the ports of its one node: 50 GB/s, however fast the tier is."""
        job = build.training(
            parallelism=Parallelism(data=1024, sharding="ddp"), checkpoint=build.checkpoint(concurrent_jobs=1)
        )
        found = outcome(build.stack(job), hot=("10 TB/s", "10 TB/s"))
        assert found["pretrain-70b.checkpoint.stall_s"].number == pytest.approx(980e9 / 50e9)

    def test_goodput_is_dalys_efficiency_with_this_plans_times(self, build, outcome):
        found = outcome(build.stack(quiet(build)), hot=("98 GB/s", "49 GB/s"))
        mean = Duration(50_000 * 3600 / 1024)
        assert found["pretrain-70b.checkpoint.mean_time_to_interrupt_s"].number == pytest.approx(mean.s)
        assert found["pretrain-70b.checkpoint.restart_s"].number == pytest.approx(310)
        assert found["pretrain-70b.checkpoint.lost_work_s"].number == pytest.approx(890)
        assert found["pretrain-70b.checkpoint.goodput_fraction"].number == pytest.approx(
            goodput.efficiency(
                interval=Duration(1800), stall=Duration(20), mean_time_to_interrupt=mean, restart=Duration(310)
            )
        )
        assert found["pretrain-70b.checkpoint.optimal_interval_s"].number == pytest.approx(
            interval.daly(stall=Duration(20), mean_time_to_interrupt=mean).s + 20
        )

    def test_goodput_and_its_parts_nearly_make_one(self, build, outcome):
        found = outcome(build.stack(quiet(build)), hot=("98 GB/s", "49 GB/s"))
        parts = ("goodput_fraction", "overhead_fraction", "lost_work_fraction", "restart_fraction")
        total = sum(found[f"pretrain-70b.checkpoint.{part}"].number for part in parts)
        assert total == pytest.approx(1, abs=5e-4)

    def test_stall_in_gpu_hours(self, build, outcome):
        found = outcome(build.stack(quiet(build)), hot=("100 GB/s", f"{980 / 54} GB/s"))
        assert found["pretrain-70b.checkpoint.stall_gpu_hours_per_30d"].number == pytest.approx(22_118, abs=1)

    def test_asynchronous_saves_stall_for_the_copy_and_fall_back_further(self, build, outcome):
        found = outcome(build.stack(quiet(build, mode="async")), hot=("98 GB/s", "2 GB/s"))
        assert found["pretrain-70b.checkpoint.stall_s"].number == 5
        assert found["pretrain-70b.checkpoint.drain_s"].number == pytest.approx(490)
        assert found["pretrain-70b.checkpoint.lost_work_s"].number == pytest.approx(897.5 + 490)

    def test_first_landing_stalls_for_the_local_drives(self, build, outcome):
        job = quiet(build, first_landing="local")
        stack = build.stack(job, tiers=build.using("checkpoint-first-landing"))
        found = outcome(stack, hot=("100 GB/s", "49 GB/s"), local=("1.28 TB/s", "640 GB/s"))
        drain = 980e9 / 1440 / 128
        left = 5e9 * (1 - drain / 10e9)
        assert found["pretrain-70b.checkpoint.stall_s"].number == pytest.approx(7.65625e9 / left)
        assert found["pretrain-70b.checkpoint.drain_s"].number == pytest.approx(20)
        assert found["pretrain-70b.checkpoint.lost_work_s"].number > 900

    def test_a_peer_copy_is_durable_at_once(self, build, outcome):
        job = quiet(build, first_landing="peer")
        stack = build.stack(job, tiers=build.using("checkpoint-first-landing"))
        found = outcome(stack, hot=("100 GB/s", "49 GB/s"), local=("1.28 TB/s", "640 GB/s"))
        assert found["pretrain-70b.checkpoint.lost_work_s"].number < 900
        assert found["pretrain-70b.checkpoint.stall_s"].number > 2 * 7.65625e9 / 5e9


class TestRestoreAndEpochs:
    def test_restore_takes_what_the_tier_gives(self, build, outcome):
        found = outcome(build.stack(quiet(build)), hot=("98 GB/s", "49 GB/s"))
        assert found["pretrain-70b.restore.duration_s"].number == pytest.approx(10)

    def test_restore_is_shown_without_a_target(self, build, outcome):
        job = build.training(restore=Restore(), checkpoint=build.checkpoint(archive_every=None), dataset=None)
        found = outcome(build.stack(job), hot=("98 GB/s", "49 GB/s"))
        assert found["pretrain-70b.restore.duration_s"].number == pytest.approx(10)

    def test_an_epoch_is_as_slow_as_reads_or_gpus(self, build, outcome):
        slow = build.training(dataset=build.dataset(cache="none"), checkpoint=None, restore=None)
        bound = outcome(build.stack(slow), hot=("0.1024 GB/s", "49 GB/s"))
        assert bound["pretrain-70b.dataset.epoch_s"].number == pytest.approx(10e12 / 0.1024e9)
        free = outcome(build.stack(slow), hot=("100 GB/s", "49 GB/s"))
        assert free["pretrain-70b.dataset.epoch_s"].number == pytest.approx(10e12 / 204.8e6)

    def test_a_preload_comes_before_the_first_epoch(self, build, outcome):
        job = build.training(checkpoint=None, restore=None)
        found = outcome(build.stack(job), hot=("128 GB/s", "49 GB/s"))
        epoch = found["pretrain-70b.dataset.epoch_s"].number
        assert found["pretrain-70b.dataset.first_epoch_s"].number == pytest.approx(epoch + 10_000)


class TestServing:
    def test_model_load_is_limited_by_tier_or_node(self, build, outcome):
        stack = build.stack(build.model_load())
        assert outcome(stack, hot=("140 GB/s", "49 GB/s"))["chat.model_load.duration_s"].number == pytest.approx(50)
        peer = build.stack(build.model_load(fan_out="peer"))
        assert outcome(peer, hot=("1 TB/s", "49 GB/s"))["chat.model_load.duration_s"].number == pytest.approx(2.8)

    def test_a_session_comes_back_as_fast_as_sharing_allows(self, build, outcome):
        work = build.kv_cache(placement=("hot",), resumes=op_rate("2 ops/s"), new_tokens_per_s=0.0)
        exact = 2 * 40 * 2**30 / 1e9
        found = outcome(build.stack(work), hot=(f"{exact} GB/s", "49 GB/s"))
        assert found["long-context.kv_cache.reload_s"].number == pytest.approx(2)

    def test_computing_a_session_again(self, build, outcome):
        work = build.kv_cache(placement=("hot",), prefill_tokens_per_s=8000.0)
        found = outcome(build.stack(work), hot=("1 TB/s", "49 GB/s"))
        assert found["long-context.kv_cache.prefill_s"].number == pytest.approx(131_072 / 8000)

    def test_sessions_on_local_drives_are_read_from_one_node(self, build, outcome):
        work = build.kv_cache(placement=("local",), resumes=op_rate("0.1 ops/s"), new_tokens_per_s=0.0)
        stack = build.stack(work, tiers=build.using("kv-cache"))
        found = outcome(stack, hot=("1 TB/s", "1 TB/s"), local=("1.28 TB/s", "640 GB/s"))
        assert found["long-context.kv_cache.reload_s"].number == pytest.approx(0.001 + 40 * 2**30 / 10e9)


class TestFull:
    def test_years_until_the_tier_is_full(self, build, outcome):
        stack = build.stack(capacity=build.capacity(growth_per_year=0.4, years=3))
        found = outcome(stack, hot=("100 GB/s", "49 GB/s"))
        years = math.log((400e12 - 43.12e12) / 60e12) / math.log(1.4)
        assert found["capacity.full_in_years"].number == pytest.approx(years)

    def test_nothing_grows_nothing_fills(self, build, outcome):
        assert "capacity.full_in_years" not in outcome(build.stack(), hot=("100 GB/s", "49 GB/s"))


class TestAbsent:
    def test_no_tier_no_figures_of_it(self, build, outcome):
        found = outcome(build.stack(build.training(), build.model_load(), build.kv_cache()))
        assert list(found) == ["pretrain-70b.checkpoint.mean_time_to_interrupt_s"]

    def test_a_tier_that_gives_nothing_gives_no_times(self, build, outcome):
        found = outcome(build.stack(), hot=("0 GB/s", "0 GB/s"))
        assert not [name for name in found if name.endswith(("stall_s", "duration_s", "epoch_s"))]


def test_inputs_name_the_plan(build, outcome):
    found = outcome(build.stack(quiet(build)), hot=("100 GB/s", "49 GB/s"))
    (healthy,) = [
        one for one in found["pretrain-70b.checkpoint.available_write_bytes_per_s"].inputs if one.name == "healthy"
    ]
    assert healthy.origin == "plan tiers.hot.healthy.write_bytes_per_s"
    assert found["pretrain-70b.checkpoint.stall_s"].source


def test_a_plan_that_gives_what_is_required_keeps_the_allowed_stall(build, outcome):
    """Requirement and outcome are inverse to one another, also with reads going on."""
    stack = build.stack(quiet(build))
    required = demand.requirement(stack).figures["pretrain-70b.checkpoint.write_bytes_per_s"].number
    found = outcome(stack, hot=("100 GB/s", f"{required / 1e9!r} GB/s"))
    assert found["pretrain-70b.checkpoint.stall_s"].number == pytest.approx(54)
