"""What a plan gives to a training job: stall, drain, goodput with its parts, restore, epochs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.demand import cache, checkpoint, dataset_read, goodput, interval, jobs, restore, writers
from tierplan.demand.job import Job, job_of
from tierplan.demand.loads_checkpoint import landing_copies, mean_time_to_interrupt
from tierplan.demand.loads_restore import reads_alone
from tierplan.demand.result import Result
from tierplan.demand.share import Given
from tierplan.demand.sheet import Sheet
from tierplan.domain.figures import Known
from tierplan.domain.need import Tier
from tierplan.domain.stack import Checkpoint, Dataset, Training
from tierplan.units import Bandwidth, Duration, Size

HOURS = 720.0  # of 30 days


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """The checkpoint of one job on its planned tiers; `copies` of it land on local drives first."""

    result: Result
    job: Job
    asked: Checkpoint
    tiers: Mapping[Tier, Given]
    shared: Given | None
    copies: int

    @property
    def behind(self) -> bool:
        """Whether a checkpoint is durable only after its drain: what an interruption falls back on is older."""
        return self.asked.mode == "async" or self.copies == 1


def trained(result: Result, work: Training, tiers: Mapping[Tier, Given], shared: Given | None) -> None:
    """All figures of one training workload that its tiers allow."""
    sheet = Sheet(stack=result.stack, ledger=result.ledger, path=result.path, name=result.name)
    job = job_of(sheet, work)
    back = _restored(result, job, shared) if shared is not None else None
    if work.checkpoint is not None:
        copies = landing_copies(job, work.checkpoint)
        _saved(Saved(result=result, job=job, asked=work.checkpoint, tiers=tiers, shared=shared, copies=copies), back)
    if work.dataset is not None and shared is not None:
        _read(result, work.dataset, shared)
        _filled(result, shared, tiers.get("local"))


def _saved(saved: Saved, back: Known[Duration] | None) -> None:
    result, mean = saved.result, mean_time_to_interrupt(saved.job)
    stall, drain = _stall(saved), _drain(saved)
    period = result.required("checkpoint.interval_s", Duration)
    if stall is None or period is None:
        return
    result.figure("checkpoint.optimal_interval_s", interval.optimal_period, stall=stall, mean_time_to_interrupt=mean)
    share = result.figure("checkpoint.overhead_fraction", goodput.overhead_fraction, stall=stall, interval=period)
    result.figure(
        "checkpoint.stall_gpu_hours_per_30d",
        goodput.stall_gpu_hours,
        gpus=saved.job.gpus,
        jobs=saved.job.running,
        overhead_fraction=share,
        hours=Known(HOURS, "constant"),
    )
    if back is not None and (drain is not None or not saved.behind):
        useful = _goodput(
            result, stall=stall, period=period, mean=mean, drain=drain if saved.behind else None, back=back
        )
        result.figure(
            "checkpoint.lost_gpu_hours_per_30d",
            goodput.lost_gpu_hours,
            gpus=saved.job.gpus,
            jobs=saved.job.running,
            goodput_fraction=useful,
            hours=Known(HOURS, "constant"),
        )


def _stall(saved: Saved) -> Known[Duration] | None:
    """The figure of the stall: given for asynchronous saves, else by the tier that it lands on."""
    result, asked = saved.result, saved.asked
    if asked.mode == "async":
        _landed(saved)
        blocking = result.given(asked.blocking, "checkpoint.blocking")
        return result.figure("checkpoint.stall_s", interval.blocked, blocking=blocking)
    tier = saved.tiers.get("local") if saved.copies else saved.shared
    if tier is None:
        return None
    available = result.write_left(tier, "checkpoint", "checkpoint", "checkpoint.available_write_bytes_per_s")
    node = result.required("checkpoint.node_bytes", Size)
    if available is None or node is None:
        return None
    if not saved.copies:
        running = result.count("jobs.running")
        one = Known(1, result.stack.origin(f"{result.path}.checkpoint.coincide"))
        return _written(saved, tier, available, "checkpoint.stall_s", at_once=running if asked.coincide else one)
    nodes = Known(max(1, tier.plan.config.nodes), "plan tiers.local.node_count")
    each = result.figure("checkpoint.available_node_write_bytes_per_s", jobs.per_node, bandwidth=available, nodes=nodes)
    return result.figure(
        "checkpoint.stall_s",
        checkpoint.local_stall,
        node_bytes=node,
        changed_fraction=result.given(asked.changed_fraction, "checkpoint.changed_fraction"),
        replicas=Known(saved.copies, result.stack.origin(f"{result.path}.checkpoint.first_landing")),
        available=each,
        client=Known(tier.plan.need.clients.network, "stack cluster.storage_network"),
    )


def _landed(saved: Saved) -> None:
    """The figure of the time that local drives take to write what lands on them while training goes on."""
    tier, node = saved.tiers.get("local"), saved.result.required("checkpoint.node_bytes", Size)
    if not saved.copies or tier is None or node is None:
        return
    result = saved.result
    available = result.write_left(tier, "", "checkpoint.drain", "checkpoint.available_write_bytes_per_s")
    if available is None:
        return
    nodes = Known(max(1, tier.plan.config.nodes), "plan tiers.local.node_count")
    result.figure(
        "checkpoint.local_write_s",
        checkpoint.local_stall,
        node_bytes=node,
        changed_fraction=result.given(saved.asked.changed_fraction, "checkpoint.changed_fraction"),
        replicas=Known(saved.copies, result.stack.origin(f"{result.path}.checkpoint.first_landing")),
        available=result.figure(
            "checkpoint.available_node_write_bytes_per_s", jobs.per_node, bandwidth=available, nodes=nodes
        ),
        client=Known(tier.plan.need.clients.network, "stack cluster.storage_network"),
    )


def _drain(saved: Saved) -> Known[Duration] | None:
    """The figure of the time until a checkpoint that training does not wait for is on the shared tier."""
    if saved.shared is None or (saved.asked.mode == "sync" and not saved.copies):
        return None
    load = "checkpoint.drain" if saved.copies else "checkpoint"
    available = saved.result.write_left(saved.shared, "", load, "checkpoint.available_drain_bytes_per_s")
    if available is None:
        return None
    running = saved.result.count("jobs.running")
    return _written(saved, saved.shared, available, "checkpoint.drain_s", at_once=running)


def _written(
    saved: Saved, tier: Given, available: Known[Bandwidth], quantity: str, *, at_once: Known[int]
) -> Known[Duration] | None:
    """The figure of the time that writing one checkpoint to a shared tier takes."""
    result = saved.result
    size = result.required("checkpoint.size_bytes", Size)
    node = result.required("checkpoint.node_bytes", Size)
    if size is None or node is None:
        return None
    return result.figure(
        quantity,
        checkpoint.stall,
        size=size,
        changed_fraction=result.given(saved.asked.changed_fraction, "checkpoint.changed_fraction"),
        at_once=at_once,
        available=available,
        node_bytes=node,
        client=tier.client(),
    )


def _goodput(
    result: Result,
    *,
    stall: Known[Duration],
    period: Known[Duration],
    mean: Known[Duration],
    drain: Known[Duration] | None,
    back: Known[Duration],
) -> Known[float]:
    """The figures of goodput and of its parts: saving is the overhead fraction, then lost work and restarts."""
    restart = result.figure(
        "checkpoint.restart_s", goodput.restart_time, restart=Known(goodput.RESTART, "constant"), restore=back
    )
    if drain is None:
        lost = result.figure("checkpoint.lost_work_s", goodput.lost_work, interval=period, stall=stall)
        useful = result.figure(
            "checkpoint.goodput_fraction",
            goodput.efficiency,
            interval=period,
            stall=stall,
            mean_time_to_interrupt=mean,
            restart=restart,
        )
    else:
        lost = result.figure(
            "checkpoint.lost_work_s", goodput.lost_work_in_background, interval=period, stall=stall, drain=drain
        )
        useful = result.figure(
            "checkpoint.goodput_fraction",
            goodput.efficiency_in_background,
            interval=period,
            stall=stall,
            drain=drain,
            mean_time_to_interrupt=mean,
            restart=restart,
        )
    for quantity, time in (("lost_work", lost), ("restart", restart)):
        result.figure(
            f"checkpoint.{quantity}_fraction", goodput.interrupt_fraction, lost=time, mean_time_to_interrupt=mean
        )
    return useful


def _restored(result: Result, job: Job, shared: Given) -> Known[Duration] | None:
    """The figure of the time to restore; without a target it is what the tier gives beside the others."""
    volume = result.required("restore.read_bytes", Size) or result.required("checkpoint.size_bytes", Size)
    if volume is None:
        return None
    quantity = "restore.available_read_bytes_per_s"
    available = result.read_left(shared, "restore", "restore", quantity) or result.read_left(
        shared, "", "restore", quantity
    )
    if available is None:
        return None
    return result.figure(
        "restore.duration_s",
        restore.duration,
        read=volume,
        bandwidth=available,
        node_read=node_read(result, job, volume),
        client=shared.client(),
    )


def node_read(result: Result, job: Job, volume: Known[Size]) -> Known[Size]:
    """The figure of what the busiest GPU node reads of a restore."""
    quantity = "restore.node_read_bytes"
    if reads_alone(job):
        return result.figure(quantity, writers.single_node_bytes, size=volume)
    return result.figure(quantity, writers.even_node_bytes, size=volume, gpus=job.gpus, gpus_per_node=job.gpus_per_node)


def _read(result: Result, asked: Dataset, shared: Given) -> None:
    """The figures of the first epoch and of those after it."""
    gross = result.required("dataset.read_bytes_per_s", Bandwidth)
    hits = result.requirement.figures.get(f"{result.name}.dataset.hit_fraction")
    if gross is None or hits is None:
        return
    available = result.read_left(shared, "", "dataset", "dataset.available_read_bytes_per_s")
    if available is None:
        return
    running, nodes = result.count("jobs.running"), result.count("jobs.nodes")
    bandwidth = result.figure(
        "dataset.job_read_bytes_per_s",
        jobs.per_job,
        bandwidth=available,
        jobs=running,
        client=shared.client(),
        nodes=nodes,
    )
    size = result.given(asked.size, "dataset.size")
    compute = result.figure("dataset.compute_s", dataset_read.compute_time, size=size, bandwidth=gross)
    rest = result.figure(
        "dataset.missed_bytes", dataset_read.missed, size=size, hit_fraction=Known(hits.number, f"figure {hits.id}")
    )
    epoch = result.figure("dataset.epoch_s", dataset_read.epoch, read=rest, bandwidth=bandwidth, compute=compute)
    preload = result.required("dataset.preload_bytes", Size)
    if preload is not None:
        result.figure(
            "dataset.first_epoch_s",
            dataset_read.first_epoch_after_preload,
            preload=preload,
            bandwidth=bandwidth,
            epoch=epoch,
        )
        return
    result.figure("dataset.first_epoch_s", dataset_read.epoch, read=size, bandwidth=bandwidth, compute=compute)


def _filled(result: Result, shared: Given, local: Given | None) -> None:
    """The figure of the time until the caches are filled: in its own moment, or beside everything else."""
    volume = result.required("dataset.preload_bytes", Size) or result.required("dataset.fill_bytes", Size)
    if volume is None or local is None:
        return
    quantity = "dataset.available_preload_bytes_per_s"
    found = result.read_left(shared, "preload", "dataset.preload", quantity)
    figure = result.ledger.figures.get(f"{result.name}.dataset.job_read_bytes_per_s")
    if found is None and figure is not None:
        found = Known(Bandwidth(figure.number), f"figure {figure.id}")
    drives, nodes = local.plan.delivered.healthy.write, result.count("jobs.nodes")
    if found is None or not found.value or not drives:
        return
    each = drives / max(1, local.plan.config.nodes)
    result.figure(
        "dataset.preload_s",
        cache.fill_time,
        volume=volume,
        bandwidth=found,
        drives=Known(each * nodes.value, "plan tiers.local.healthy.write_bytes_per_s"),
    )
