"""What is archived on premises: durability, restore out of the archive, small objects, upstreams without anybody."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan import plan as planning
from tierplan.domain.plan import Plan
from tierplan.domain.stack import LayoutPins, TierPins
from tierplan.load import catalogue, read_stack
from tierplan.plan.packing import packed, padded_size, request_time
from tierplan.plan.rules_archive import RULES, STACK_RULES
from tierplan.units import OpRate, Size, duration, size


def made(
    *, cold: TierPins | None = None, loss: float | None = None, raw_data: str | None = None, **training: object
) -> Plan:
    """The shipped CephFS stack with changes: of its cold tier, its targets and its training job."""
    stack = read_stack("cephfs")
    (work,) = stack.workloads
    targets = replace(stack.targets, annual_loss_probability=loss)
    capacity = replace(stack.capacity, raw_data=size(raw_data)) if raw_data else stack.capacity
    stack = replace(
        stack,
        targets=targets,
        capacity=capacity,
        workloads=(replace(work, **training),),
        tiers=replace(stack.tiers, cold=cold or stack.tiers.cold),
    )
    return planning.make_plan(stack, catalogue())


def found(plan: Plan, policy: str):
    return [finding for finding in planning.judge(plan) if finding.policy == policy]


def restore(plan_work, within):
    return replace(plan_work.restore, cold_within=duration(within))


@pytest.fixture(scope="module")
def work():
    return read_stack("cephfs").workloads[0]


# --- durability -----------------------------------------------------------------------------------------------------


def test_without_a_target_durability_is_shown_and_not_judged():
    plan = made()
    assert found(plan, "cold-durability") == []
    assert 0 < plan.survival["cold"].risk.total < 1


def test_code_is_chosen_by_durability():
    """4+2 on hard disks loses data within a year at most 7e-5: the fewest hosts that meet a tenth of it have m = 3."""
    loose, tight = made(loss=1e-4), made(loss=5e-6)
    assert loose.tiers["cold"].config.layout.parity_units == 2
    assert tight.tiers["cold"].config.layout.parity_units >= 3
    assert tight.survival["cold"].risk.total <= 5e-6
    assert found(tight, "cold-durability") == []


def test_a_pinned_code_that_loses_too_often_is_refused_under_the_archive_s_own_name():
    plan = made(cold=TierPins(backend="ceph-rgw", layout=LayoutPins(data_units=4, parity_units=2)), loss=5e-6)
    (finding,) = found(plan, "cold-durability")
    assert (finding.level, finding.required) == ("mandatory", 5e-6)
    assert finding.planned == pytest.approx(plan.survival["cold"].risk.total)
    assert [one for one in found(plan, "survive-durability") if one.tier == "cold"] == []


# --- restore --------------------------------------------------------------------------------------------------------


def test_restore_out_of_the_archive_is_a_figure_and_a_target(work):
    plan = made()
    seconds = plan.outcome["pretrain-70b.restore.cold_duration_s"].number
    cold = plan.tiers["cold"].delivered.healthy
    assert seconds >= 980e9 / cold.read.base
    assert found(plan, "cold-restore-time") == []
    asked = made(restore=restore(work, "30 s"))
    assert asked.requirement.needs["cold"].read.base == pytest.approx(980e9 / 30 * 1.3, rel=0.1)
    assert asked.tiers["cold"].delivered.healthy.read >= asked.requirement.needs["cold"].read
    assert found(asked, "cold-restore-time") == []


def test_a_pinned_archive_that_is_too_slow_is_refused_with_both_times(work):
    few = made(cold=TierPins(backend="ceph-rgw", nodes=12), restore=restore(work, "30 s"))
    (finding,) = found(few, "cold-restore-time")
    assert (finding.level, finding.tier, finding.required) == ("mandatory", "cold", 30.0)
    assert finding.planned == pytest.approx(few.outcome["pretrain-70b.restore.cold_duration_s"].number)
    assert finding.planned > 30


def test_first_epoch_out_of_the_archive_takes_longer_than_from_the_hot_tier():
    outcome = made().outcome
    cold, hot = (outcome[f"pretrain-70b.dataset.{name}"].number for name in ("cold_first_epoch_s", "first_epoch_s"))
    assert cold >= outcome["pretrain-70b.dataset.compute_s"].number
    assert math.isfinite(hot)
    assert outcome["pretrain-70b.dataset.cold_first_epoch_s"].formula


# --- small objects --------------------------------------------------------------------------------------------------


@given(bytes_=st.floats(1, 1e9), step=st.sampled_from([0.0, 4096.0, 16384.0]))
def test_padding_is_less_than_a_step(bytes_, step):
    padded = padded_size(size=Size(bytes_), step=Size(step))
    assert bytes_ <= padded.bytes * (1 + 1e-12)
    assert padded.bytes - bytes_ <= step


def test_request_time_of_a_store_that_answers_nothing_is_endless():
    assert request_time(objects=1, op_rate=OpRate.zero()).s == math.inf


def test_small_files_are_told_what_packing_saves(work):
    """10 TB of 4 kB samples: 2.5 billion objects, each padded to a 16 KiB stripe."""
    files = made(dataset=replace(work.dataset, format="files"))
    (finding,) = found(files, "advice-small-objects")
    assert finding.level == "advisory"
    assert (finding.planned, finding.required) == (2.5e9, 2.5e6)  # shards of 1,000
    saved = packed(files.tiers["cold"], size=size("10 TB"), sample=size("4 kB"), samples_per_shard=1000)
    assert saved.padding.bytes == pytest.approx(2.5e9 * (16384 - 4000))
    assert found(made(), "advice-small-objects") == []  # webdataset: packed already


def test_large_files_and_stores_that_pack_themselves_are_silence(work):
    large = replace(work.dataset, format="files", sample_size=size("100 MB"), samples_per_s_per_gpu=0.01)
    assert found(made(dataset=large), "advice-small-objects") == []
    small = replace(work.dataset, format="files")
    assert found(made(cold=TierPins(backend="seaweedfs"), dataset=small), "advice-small-objects") == []


# --- which product --------------------------------------------------------------------------------------------------


def test_auto_compares_every_store_and_takes_what_is_proven():
    """MinIO and SeaweedFS need fewer machines here; the one that is proven and maintained is taken all the same."""
    plan = made(cold=TierPins(backend="auto"))
    ranked = [one.backend for one in plan.candidates if one.tier == "cold"]
    assert ranked[0] == plan.tiers["cold"].config.backend == "ceph-rgw"
    assert set(ranked) == {"ceph-rgw", "minio", "seaweedfs", "garage"}
    assert ranked[-1] == "minio"
    (rejected,) = [one for one in plan.rejections if one.tier == "cold"]
    assert (rejected.backend, "release candidate" in rejected.reason) == ("rustfs", True)
    assert found(plan, "advice-unmaintained") == []


def test_unmaintained_product_that_is_pinned_is_told():
    (finding,) = found(made(cold=TierPins(backend="minio")), "advice-unmaintained")
    assert (finding.level, finding.tier) == ("advisory", "cold")
    assert "Ceph" in finding.remedy or "ceph-rgw" in finding.remedy


def test_where_ceph_does_not_fit_a_maintained_store_is_taken():
    """Four hosts hold no 4+2: SeaweedFS keeps 10+4 on them."""
    plan = made(cold=TierPins(backend="auto", nodes=4), raw_data="100 TB")
    assert plan.tiers["cold"].config.backend == "seaweedfs"
    assert [one.backend for one in plan.candidates if one.tier == "cold"] == ["seaweedfs", "minio"]


def test_names_are_those_of_the_scope():
    names = [rule.name for rule in (*RULES, *STACK_RULES)]
    assert names == ["advice-unmaintained", "cold-durability", "advice-small-objects"]


def test_what_an_unproven_store_lacks_is_said():
    candidates = {one.backend: one for one in made(cold=TierPins(backend="auto")).candidates if one.tier == "cold"}
    assert "published figures" in candidates["seaweedfs"].wins_if
    assert candidates["seaweedfs"].nodes < candidates["ceph-rgw"].nodes
