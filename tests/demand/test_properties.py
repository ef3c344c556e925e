"""What must hold for every workload, not only for the examples."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan import demand
from tierplan.demand import cache, checkpoint, goodput, interval, kv_cache, metadata, model, restore, writers
from tierplan.domain.stack import Model, Parallelism
from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, OpRate, Size

parameters = st.floats(1e6, 1e13)
nodes = st.integers(1, 2000)
fractions = st.floats(0.001, 0.5)
minutes = st.floats(1, 600)
more = st.floats(1, 10)
shardings = st.sampled_from(["ddp", "zero-1", "zero-3", "fsdp", "torch-dist"])
caches = st.sampled_from(["none", "preload", "distributed", "sticky", "fill-on-read"])
landings = st.sampled_from(["hot", "local", "peer"])
NOISE = 1 + 1e-9


@st.composite
def jobs(draw, build_class):
    """A training job on a cluster that it fits."""
    count = draw(nodes)
    gpus = 8 * draw(st.integers(1, count))
    job = build_class.training(
        gpus=gpus,
        model=Model(parameters=draw(parameters), bytes_per_parameter=draw(st.sampled_from([6.0, 10.0, 14.0, 16.0]))),
        parallelism=Parallelism(tensor=8, data=gpus // 8, sharding=draw(shardings)),
        checkpoint=build_class.checkpoint(
            interval=Duration(60 * draw(minutes)),
            mode=draw(st.sampled_from(["sync", "async"])),
            overhead=draw(fractions),
            concurrent_jobs=draw(st.integers(1, 5)),
            coincide=draw(st.booleans()),
            first_landing=draw(landings),
        ),
        dataset=build_class.dataset(
            size=Size(draw(st.floats(1e9, 1e16))),
            sample_size=Size(draw(st.floats(1e3, 1e9))),
            samples_per_s_per_gpu=draw(st.floats(0.01, 1e4)),
            cache=draw(caches),
            format=draw(st.sampled_from(["files", "webdataset", "npy"])),
        ),
    )
    uses = draw(st.sampled_from([(), ("dataset-cache",), ("dataset-cache", "checkpoint-first-landing")]))
    return build_class.stack(job, cluster=build_class.cluster(gpu_nodes=count), tiers=build_class.using(*uses))


def job_of(stack, **changes):
    """The same stack with its one job changed."""
    return replace(stack, workloads=(replace(stack.workloads[0], **changes),))


def asked(stack):
    """All rates and bytes that the hot tier must carry."""
    need = demand.requirement(stack).needs["hot"]
    return (need.read.base, need.write.base, need.capacity.base)


def never_less(larger, smaller):
    return all(one * NOISE >= other for one, other in zip(larger, smaller, strict=True))


@given(data=st.data())
def test_requirement_is_whole_for_any_job(build, data):
    stack = data.draw(jobs(build))
    found = demand.requirement(stack)
    headroom = stack.targets.headroom
    for need in found.needs.values():
        assert need.phases
        assert need.read == max(phase.read for phase in need.phases)
        assert need.write == max(phase.write for phase in need.phases)
        assert need.degraded_read.base <= need.read.base / headroom * NOISE
        assert need.capacity == max(need.capacity_by_year)
    hits = found.figures["pretrain-70b.dataset.hit_fraction"].number
    assert 0 <= hits <= 1
    room = found.figures.get("pretrain-70b.dataset.node_cache_bytes")
    held = found.figures.get("pretrain-70b.dataset.cached_bytes_per_node")
    assert room is None or held.number <= room.number * NOISE


@given(data=st.data(), factor=st.integers(2, 4))
def test_monotone_in_gpus(build, data, factor):
    """More GPUs of the same job read more and never ask for less."""
    stack = data.draw(jobs(build))
    grown = job_of(
        replace(stack, cluster=replace(stack.cluster, gpu_nodes=stack.cluster.gpu_nodes * factor)),
        gpus=stack.workloads[0].gpus * factor,
        parallelism=replace(stack.workloads[0].parallelism, data=stack.workloads[0].parallelism.data * factor),
        dataset=replace(stack.workloads[0].dataset, cache="none"),
    )
    plain = job_of(stack, dataset=replace(stack.workloads[0].dataset, cache="none"))
    assert never_less(asked(grown), asked(plain))


@given(data=st.data(), factor=more)
def test_monotone_in_the_model(build, data, factor):
    stack = data.draw(jobs(build))
    old = stack.workloads[0].model
    grown = job_of(stack, model=replace(old, parameters=old.parameters * factor))
    assert never_less(asked(grown), asked(stack))


@given(data=st.data(), factor=more)
def test_monotone_in_the_dataset(build, data, factor):
    stack = data.draw(jobs(build))
    old = stack.workloads[0].dataset
    assert never_less(asked(job_of(stack, dataset=replace(old, size=old.size * factor))), asked(stack))
    faster = replace(old, samples_per_s_per_gpu=old.samples_per_s_per_gpu * factor)
    assert never_less(asked(job_of(stack, dataset=faster)), asked(stack))


@given(data=st.data(), factor=more)
def test_monotone_in_how_often_it_saves(build, data, factor):
    stack = data.draw(jobs(build))
    old = stack.workloads[0].checkpoint
    rarer = replace(old, interval=Duration(old.interval.s * factor))
    assert never_less(asked(stack), asked(job_of(stack, checkpoint=rarer)))


@given(data=st.data())
def test_background_saves_never_ask_for_more_than_waiting(build, data):
    stack = data.draw(jobs(build))
    old = replace(stack.workloads[0].checkpoint, first_landing="hot", concurrent_jobs=1)
    sync = demand.requirement(job_of(stack, checkpoint=replace(old, mode="sync"))).needs["hot"].write
    background = demand.requirement(job_of(stack, checkpoint=replace(old, mode="async"))).needs["hot"].write
    assert sync.base * NOISE >= background.base


@given(data=st.data(), share=st.floats(0.002, 0.5))
def test_half_the_overhead_is_twice_the_bandwidth(build, data, share):
    stack = data.draw(jobs(build))
    old = replace(stack.workloads[0].checkpoint, mode="sync")
    figure = "pretrain-70b.checkpoint.write_bytes_per_s"
    whole = demand.requirement(job_of(stack, checkpoint=replace(old, overhead=share))).figures[figure].number
    half = demand.requirement(job_of(stack, checkpoint=replace(old, overhead=share / 2))).figures[figure].number
    assert half == pytest.approx(2 * whole)


@given(data=st.data(), headroom=st.floats(1, 3))
def test_headroom_multiplies_rates_once_and_nothing_else(build, data, headroom):
    stack = data.draw(jobs(build))
    plain = replace(stack, targets=replace(stack.targets, headroom=1.0))
    roomy = replace(stack, targets=replace(stack.targets, headroom=headroom))
    before, after = demand.requirement(plain), demand.requirement(roomy)
    for tier, need in after.needs.items():
        assert need.write.base == pytest.approx(before.needs[tier].write.base * headroom)
        assert need.read.base == pytest.approx(before.needs[tier].read.base * headroom)
        assert need.op_rate.base == pytest.approx(before.needs[tier].op_rate.base * headroom)
        assert need.capacity == before.needs[tier].capacity
        assert need.degraded_write == before.needs[tier].degraded_write
    assert {name: figure.value for name, figure in before.figures.items()} == {
        name: figure.value for name, figure in after.figures.items()
    }
    assert before.time_targets == after.time_targets


@given(data=st.data())
def test_size_depends_on_neither_gpus_nor_sharding(build, data):
    stack = data.draw(jobs(build))
    job = stack.workloads[0]
    size = demand.requirement(stack).figures["pretrain-70b.checkpoint.size_bytes"].number
    assert size == pytest.approx(job.model.parameters * job.model.bytes_per_parameter)


@given(data=st.data())
def test_the_busiest_node_never_writes_less_than_its_share_nor_more_than_all(build, data):
    stack = data.draw(jobs(build))
    found = demand.requirement(stack).figures
    size = found["pretrain-70b.checkpoint.size_bytes"].number
    node = found["pretrain-70b.checkpoint.node_bytes"].number
    share = size * 8 / stack.workloads[0].gpus
    assert share <= node * NOISE
    assert node <= size * NOISE


rates = st.just(0.0) | st.floats(1, 1e13)


@given(data=st.data(), hot=st.tuples(rates, rates), local=st.tuples(rates, rates))
def test_an_outcome_is_finite_on_any_tier(build, data, hot, local):
    """Also where a tier is overloaded many times over, or gives nothing in one direction."""
    stack = data.draw(jobs(build))
    requirement = demand.requirement(stack)
    tiers = {
        tier: build.plan(requirement, tier, read=f"{read} B/s", write=f"{write} B/s", nodes=stack.cluster.gpu_nodes)
        for tier, (read, write) in {"hot": hot, "local": local}.items()
    }
    found = demand.outcome(stack, requirement, tiers)
    for figure in found.values():
        assert math.isfinite(figure.number), figure.id
        assert figure.number >= 0, figure.id
        if figure.id.endswith("_fraction"):
            assert figure.number <= 1, figure.id


@given(data=st.data(), read=st.floats(1e9, 1e13), write=st.floats(1e9, 1e13), factor=more)
def test_a_faster_tier_never_makes_anything_slower(build, data, read, write, factor):
    stack = data.draw(jobs(build))
    requirement = demand.requirement(stack)
    slow, fast = (
        demand.outcome(
            stack,
            requirement,
            {"hot": build.plan(requirement, "hot", read=f"{read * by} B/s", write=f"{write * by} B/s")},
        )
        for by in (1, factor)
    )
    for name in slow:
        if name.endswith(("stall_s", "drain_s", "duration_s", "epoch_s")):
            assert fast[name].number <= slow[name].number * NOISE, name
        if name.endswith("goodput_fraction"):
            assert fast[name].number * NOISE >= slow[name].number, name


@given(
    sessions=st.integers(1, 100_000),
    context=st.integers(1, 1_000_000),
    resumes=st.floats(0.001, 1000),
    tokens=st.floats(0, 1e6),
    places=st.lists(st.sampled_from(["host-memory", "local", "hot"]), min_size=1, unique=True),
    within=st.floats(0.01, 60),
)
def test_sessions_lie_somewhere_or_are_missed(build, *, sessions, context, resumes, tokens, places, within):
    work = build.kv_cache(
        sessions=sessions,
        context=context,
        resumes=OpRate(resumes),
        new_tokens_per_s=tokens,
        placement=tuple(places),
        reload_within=Duration(within),
    )
    stack = build.stack(work, tiers=build.using("kv-cache"))
    found = demand.requirement(stack)
    figures = {name.rpartition(".")[2]: figure.number for name, figure in found.figures.items()}
    held = sum(figures.get(key, 0.0) for key in ("host_bytes", "local_bytes", "shared_bytes"))
    assert held == pytest.approx(figures["working_set_bytes"])
    nowhere = figures["shared_bytes"] > 0 and "hot" not in places
    assert nowhere == any(one.policy == "kv-capacity" for one in found.advice)
    stored = found.needs["hot"].capacity.bytes - 50e12
    assert stored == pytest.approx(figures["shared_bytes"] if "hot" in places else 0, abs=1e3)
    if "hot" in places and figures["shared_bytes"]:
        assert found.needs["hot"].read.base * NOISE >= figures["one_session_bytes_per_s"] * 1.3 / 16


@given(stall=st.floats(0.01, 1e5), mean=st.floats(10, 1e7))
def test_daly_is_near_the_exact_optimum_and_young_above_it(stall, mean):
    delta, m = Duration(stall), Duration(mean)
    best = interval.exact_optimum(stall=delta, mean_time_to_interrupt=m)
    assert 0 < best.s <= m.s
    if stall < mean / 10:
        assert interval.daly(stall=delta, mean_time_to_interrupt=m).s == pytest.approx(best.s, rel=2e-3)
        assert interval.young(stall=delta, mean_time_to_interrupt=m).s >= best.s * (1 - 1e-9)


@given(stall=st.floats(0.01, 1e4), mean=st.floats(1e3, 1e7), restart=st.floats(0, 1e4), off=st.floats(0.2, 5))
def test_no_other_interval_beats_the_exact_optimum(stall, mean, restart, off):
    delta, m, r = Duration(stall), Duration(mean), Duration(restart)

    def share(compute):
        return goodput.efficiency(interval=Duration(compute + stall), stall=delta, mean_time_to_interrupt=m, restart=r)

    best = interval.exact_optimum(stall=delta, mean_time_to_interrupt=m).s
    assert share(best * off) <= share(best) * (1 + 1e-9)
    assert 0 <= share(best) <= 1


@given(overhead=st.floats(0.001, 0.3), mean=st.floats(1e3, 1e7), size=st.floats(1e9, 1e15))
def test_the_inverse_undoes_young(overhead, mean, size):
    """At the bandwidth for a budget, the best interval wastes exactly the budget."""
    m = Duration(mean)
    rate = interval.budget_bandwidth(size=Size(size), overhead=overhead, mean_time_to_interrupt=m)
    stall = Size(size) / rate
    assert goodput.least_waste(stall=stall, mean_time_to_interrupt=m) == pytest.approx(overhead)
    assert interval.young(stall=stall, mean_time_to_interrupt=m).s == pytest.approx(overhead * mean)


@given(n=st.integers(1, 5000), epochs=st.integers(0, 200))
def test_a_cache_that_fills_never_loses(n, epochs):
    def hits(k):
        return cache.fill_on_read_hits(nodes=n, epochs=k, size=Size(1e12), node_cache=Size(1e12))

    assert 0 <= hits(epochs) <= hits(epochs + 1) <= 1


ZERO_SIZE, ZERO_TIME, ZERO_RATE = Size.zero(), Duration.zero(), Bandwidth.zero()
ONE_SIZE, ONE_TIME = Size(1), Duration(1)


@pytest.mark.parametrize(
    ("formula", "inputs", "named"),
    [
        (checkpoint.write_bandwidth, {"size": ONE_SIZE, "changed_fraction": 1, "allowed_stall": ZERO_TIME}, "stall"),
        (
            checkpoint.drain_bandwidth,
            {"size": ONE_SIZE, "changed_fraction": 1, "drain_fraction": 0.0, "interval": ONE_TIME},
            "drain_fraction",
        ),
        (checkpoint.metadata_rate, {"files": 1, "window": ZERO_TIME}, "interval"),
        (checkpoint.written_per_day, {"size": ONE_SIZE, "changed_fraction": 1, "interval": ZERO_TIME}, "interval"),
        (checkpoint.archive_bandwidth, {"size": ONE_SIZE, "archive_every": ZERO_TIME}, "archive_every"),
        (checkpoint.endurance, {"written_per_day": ONE_SIZE, "drives": 0, "drive_size": ONE_SIZE}, "drives"),
        (writers.even_node_bytes, {"size": ONE_SIZE, "gpus": 0, "gpus_per_node": 8}, "gpus"),
        (
            interval.mean_time_to_interrupt,
            {"per_gpu": ONE_TIME, "gpus": 0, "large_job_factor": 1},
            "GPUs",
        ),
        (
            interval.mean_time_to_interrupt_by_node,
            {"per_node_day": 0.0, "nodes": 1, "large_job_factor": 1},
            "per_node_day",
        ),
        (interval.daly, {"stall": ONE_TIME, "mean_time_to_interrupt": ZERO_TIME}, "interrupt"),
        (
            interval.budget_bandwidth,
            {"size": ONE_SIZE, "overhead": 0.0, "mean_time_to_interrupt": ONE_TIME},
            "overhead",
        ),
        (restore.read_bandwidth, {"read": ONE_SIZE, "within": ZERO_TIME}, "within"),
        (
            restore.duration,
            {"read": ONE_SIZE, "bandwidth": ZERO_RATE, "node_read": ONE_SIZE, "client": ZERO_RATE},
            "0 B/s",
        ),
        (cache.preload_hits, {"size": ZERO_SIZE, "node_cache": ONE_SIZE}, "size"),
        (metadata.samples_per_shard, {"sample_size": ZERO_SIZE, "shard": ONE_SIZE}, "sample_size"),
        (metadata.shards, {"samples": 1, "samples_per_shard": 0}, "samples_per_shard"),
        (
            model.parameters,
            {"layers": 1, "hidden": 1, "ffn": 1, "heads": 0, "kv_heads": 0, "vocabulary": 1},
            "heads",
        ),
        (kv_cache.one_session_bandwidth, {"session_bytes": ONE_SIZE, "reload_within": ZERO_TIME}, "reload_within"),
        (
            kv_cache.read_bandwidth,
            {"resumes": OpRate(1), "session_bytes": ONE_SIZE, "held": ONE_SIZE, "working_set": ZERO_SIZE},
            "sessions",
        ),
        (kv_cache.prefill_time, {"context": 1, "prefill_tokens_per_s": 0.0}, "prefill_tokens_per_s"),
    ],
)
def test_the_impossible_is_refused_by_name(formula, inputs, named):
    with pytest.raises(InputError, match=named):
        formula(**inputs)
