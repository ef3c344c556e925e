"""The run by events: against the closed form, against itself, and what it adds."""

from __future__ import annotations

import builtins
from itertools import pairwise

import pytest

from tierplan.demand.goodput import efficiency
from tierplan.demand.interval import daly
from tierplan.errors import EngineError
from tierplan.timeline import Job, Part, Scenario, run
from tierplan.units import Duration

SEEDS = (1, 2, 3, 4, 5)
# Checkpoint size, hours to an interruption, bandwidth: the worked examples of 70B on 1,024, 405B on 16,384 and 1T on
# 100,000 GPUs at 50,677 h for each GPU.
EXAMPLES = [
    (980e9, 49.489, 10e9),
    (980e9, 49.489, 50e9),
    (980e9, 49.489, 200e9),
    (5.67e12, 3.0931, 100e9),
    (5.67e12, 3.0931, 500e9),
    (5.67e12, 3.0931, 2000e9),
    (14e12, 0.5068, 1000e9),
]
# What Daly's interval gives by the exact formula: without restarts, and with 300 s and a restore as long as the save.
PUBLISHED = [
    (0.9672, 0.9650),
    (0.9852, 0.9835),
    (0.9926, 0.9909),
    (0.9024, 0.8740),
    (0.9555, 0.9292),
    (0.9776, 0.9514),
    (0.8812, 0.7418),
]
PRECISION = 0.005


def known(size, hours, bandwidth, *, restart):
    """The job, and its goodput in closed form."""
    mean, save = Duration(hours * 3600), Duration(size / bandwidth)
    compute = daly(stall=save, mean_time_to_interrupt=mean)
    back = Duration(restart) + (save if restart else Duration.zero())
    job = Job(
        name="one",
        gpus=1,
        compute=compute.s,
        checkpoint=size,
        write=bandwidth,
        restart=restart,
        restore=size if restart else 0.0,
        read=bandwidth,
        mean_time_to_interrupt=mean.s,
    )
    return job, efficiency(interval=compute + save, stall=save, mean_time_to_interrupt=mean, restart=back)


def alone(job):
    return Scenario(jobs=(job,), read=job.read, write=job.write)


@pytest.mark.parametrize("restart", [0.0, 300.0])
@pytest.mark.parametrize("index", range(len(EXAMPLES)))
def test_interval_contains_the_closed_form(index, restart):
    """Five seeds, each long enough for ± 0.5 %: every 99.9 % interval holds the published goodput."""
    job, closed = known(*EXAMPLES[index], restart=restart)
    assert closed == pytest.approx(PUBLISHED[index][restart > 0], abs=1e-4)
    interruptions = max(400, int((4.5 * (1 - closed) / PRECISION) ** 2))
    days = interruptions * job.mean_time_to_interrupt / 86400
    for seed in SEEDS:
        (seen,) = run(alone(job), days=days, seed=seed).jobs
        assert seen.goodput is not None
        assert seen.goodput.holds(closed)
        assert seen.goodput.high - seen.goodput.low <= 2 * PRECISION * closed


def test_leaps_and_single_steps_are_the_same_run(make_job):
    """With a picture every save is an event; without, one interruption leaps to the next: the same dice, the same."""
    scenario = alone(make_job())
    leapt = run(scenario, days=60, seed=9)
    stepped = run(scenario, days=60, seed=9, most_stretches=10**9)
    (fast,), (slow,) = leapt.jobs, stepped.jobs
    assert fast.interrupts == slow.interrupts > 100
    assert fast.goodput.value == pytest.approx(slow.goodput.value, rel=1e-9)
    assert fast.goodput.low == pytest.approx(slow.goodput.low, rel=1e-9)
    for doing in ("stall", "restart"):
        total = slow.shares[doing] + (slow.shares.get("restore", 0.0) if doing == "restart" else 0.0)
        assert fast.shares[doing] == pytest.approx(total, rel=0.05)


def test_a_seed_is_a_run(make_job):
    scenario = Scenario(jobs=(make_job("a"), make_job("b")), read=10e9, write=10e9)
    assert run(scenario, days=20, seed=3) == run(scenario, days=20, seed=3)
    assert run(scenario, days=20, seed=3) != run(scenario, days=20, seed=4)


def test_stretches_of_a_row_neither_overlap_nor_leave_gaps(make_job):
    seen = run(alone(make_job()), days=5, seed=2, most_stretches=10**6)
    row = [one for one in seen.stretches if one.row == "one"]
    assert len(row) > 500
    for before, after in pairwise(row):
        assert after.begin == pytest.approx(before.end, abs=1e-6)


def test_two_jobs_that_collide_wait_for_each_other(make_job):
    """Each alone writes 10 s; on one tier of 10 GB/s some writes meet, and the longest stall doubles."""
    calm = {"mean_time_to_interrupt": 1e12}
    one = run(alone(make_job(**calm)), days=10, seed=1)
    jobs = (make_job("a", **calm), make_job("b", compute=1003.0, **calm))
    both = run(Scenario(jobs=jobs, read=10e9, write=10e9), days=10, seed=1)
    assert one.jobs[0].longest_stall <= 10.0 + 1e-3
    assert max(job.longest_stall for job in both.jobs) == pytest.approx(20.0, rel=0.2)
    assert both.collided_fraction > 0
    assert all(job.useful_fraction < 1000 / 1010 for job in both.jobs if job.name == "a")


def test_a_tier_wide_enough_for_both_lets_neither_wait(make_job):
    calm = {"mean_time_to_interrupt": 1e12}
    jobs = (make_job("a", **calm), make_job("b", **calm))
    seen = run(Scenario(jobs=jobs, read=20e9, write=20e9), days=5, seed=1)
    assert max(job.longest_stall for job in seen.jobs) <= 10.0 + 1e-3


def test_a_degraded_tier_writes_slower_and_a_down_one_not_at_all(make_job):
    calm = make_job(mean_time_to_interrupt=1e12)
    part = Part(name="node", count=1, per_s=1 / 40_000, lasts=20_000.0, read_share=0.5, write_share=0.5, bears=1)
    slow = run(Scenario(jobs=(calm,), read=10e9, write=10e9, parts=(part,)), days=100, seed=5)
    assert slow.degraded_fraction > 0.2
    assert slow.jobs[0].mean_stall > 12
    dead = Part(name="node", count=1, per_s=1 / 40_000, lasts=20_000.0, read_share=0.5, write_share=0.5, bears=0)
    down = run(Scenario(jobs=(calm,), read=10e9, write=10e9, parts=(dead,)), days=100, seed=5)
    assert down.down_fraction > 0.2
    assert down.jobs[0].longest_stall > 10_000
    assert down.jobs[0].useful_fraction < slow.jobs[0].useful_fraction


def test_training_that_reads_more_than_a_degraded_tier_gives_slows_down(make_job):
    hungry = make_job(mean_time_to_interrupt=1e12, feed=10e9)
    part = Part(name="node", count=1, per_s=1 / 40_000, lasts=20_000.0, read_share=0.5, write_share=1.0, bears=1)
    fed = run(
        Scenario(jobs=(make_job(mean_time_to_interrupt=1e12),), read=10e9, write=10e9, parts=(part,)), days=50, seed=5
    )
    starved = run(Scenario(jobs=(hungry,), read=10e9, write=10e9, parts=(part,)), days=50, seed=5)
    assert starved.jobs[0].useful_fraction < fed.jobs[0].useful_fraction - 0.05


def test_saving_in_the_background_stalls_less_and_falls_back_further(make_job):
    """The drain takes 500 of 1,000 s: the stall is the copy to memory, and an interruption costs the drain too."""
    sync = run(alone(make_job(write=0.2e9, read=10e9)), days=400, seed=6)
    later = make_job(write=0.2e9, asynchronous=True, blocking=5.0)
    background = run(Scenario(jobs=(later,), read=10e9, write=0.2e9), days=400, seed=6)
    assert background.jobs[0].mean_stall == pytest.approx(5.0, rel=1e-3)
    assert background.jobs[0].goodput.value > sync.jobs[0].goodput.value
    instant = make_job(write=1e15, asynchronous=True, blocking=5.0)
    quick = run(Scenario(jobs=(instant,), read=10e9, write=1e15), days=400, seed=6)
    assert quick.jobs[0].goodput.value > background.jobs[0].goodput.value


def test_a_drain_longer_than_the_period_holds_the_next_save_up(make_job):
    slow = make_job(write=0.05e9, asynchronous=True, blocking=5.0, mean_time_to_interrupt=1e12)
    seen = run(Scenario(jobs=(slow,), read=10e9, write=0.05e9), days=20, seed=1)
    assert seen.jobs[0].mean_stall > 900  # 2,000 s of drain against 1,005 s of period


def test_too_few_interruptions_give_no_interval(make_job):
    seen = run(alone(make_job(mean_time_to_interrupt=1e9)), days=5, seed=1)
    assert seen.jobs[0].goodput is None
    assert seen.jobs[0].useful_fraction >= 0


def test_progress_is_told(make_job):
    told = []
    run(alone(make_job()), days=5, seed=1, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_without_simpy_one_clear_line(monkeypatch, make_job):
    real = builtins.__import__

    def missing(name, *args, **extra):
        if name == "simpy":
            raise ImportError(name)
        return real(name, *args, **extra)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(EngineError, match="pip install"):
        run(alone(make_job()), days=1, seed=1)
