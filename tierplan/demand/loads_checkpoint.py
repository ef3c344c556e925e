"""The checkpoint of a training workload as loads on the tiers, where it lands, and where it drains to."""

from __future__ import annotations

from dataclasses import dataclass

from tierplan.demand import capacity, checkpoint, interval
from tierplan.demand.job import Job, checkpoint_files, checkpoint_node_bytes, checkpoint_size
from tierplan.demand.sheet import Asked, Stored, together
from tierplan.domain.figures import Known
from tierplan.domain.need import Load, TimeTarget
from tierplan.domain.stack import Checkpoint
from tierplan.units import Bandwidth, Duration, Size

NODE_WRITE = "checkpoint.node_write_bytes_per_s"
NODE_DRAIN = "checkpoint.node_drain_bytes_per_s"


@dataclass(frozen=True, slots=True, kw_only=True)
class Saving:
    """One checkpoint of a job, worked out as far as every way of saving needs it."""

    job: Job
    asked: Checkpoint
    size: Known[Size]
    node_bytes: Known[Size]
    files: Known[int]
    changed: Known[float]
    interval: Known[Duration]
    stall: Known[Duration]
    replicas: int
    """Copies that land on local drives: 0 where it lands on the shared tier, 2 with a peer."""

    @property
    def id(self) -> str:
        """The load's id."""
        return f"{self.job.work.name}.checkpoint"


def checkpoints(job: Job) -> Asked:
    """What saving asks of the tiers; nothing where the workload has no checkpoint."""
    asked = job.work.checkpoint
    if asked is None:
        return Asked()
    saving = _saving(job, asked)
    at_once = _async(saving) if asked.mode == "async" else _sync(saving)
    return together(at_once, _kept(saving), _archive(saving), _landed(saving))


def mean_time_to_interrupt(job: Job) -> Known[Duration]:
    """The figure of the job's mean time to interrupt, by GPU or by node, whichever the stack gives."""
    sheet, interrupts = job.sheet, job.sheet.stack.cluster.interrupts
    factor = sheet.of_stack(interrupts.large_job_factor, "cluster.interrupts.large_job_factor")
    if interrupts.per_node_day is not None:
        return sheet.figure(
            "checkpoint.mean_time_to_interrupt_s",
            interval.mean_time_to_interrupt_by_node,
            per_node_day=sheet.of_stack(interrupts.per_node_day, "cluster.interrupts.per_node_day"),
            nodes=job.nodes,
            large_job_factor=factor,
        )
    return sheet.figure(
        "checkpoint.mean_time_to_interrupt_s",
        interval.mean_time_to_interrupt,
        per_gpu=sheet.of_stack(interrupts.per_gpu, "cluster.interrupts.per_gpu"),
        gpus=job.gpus,
        large_job_factor=factor,
    )


def landing_copies(job: Job, asked: Checkpoint) -> int:
    """Copies that land on local drives first: none, one, or two with a peer; only where the stack permits it."""
    wanted = asked.first_landing
    if wanted == "hot" and job.sheet.local_instead:
        wanted = "local"
    if wanted == "hot" or not job.sheet.permits("checkpoint-first-landing"):
        return 0
    return 2 if wanted == "peer" else 1


def _saving(job: Job, asked: Checkpoint) -> Saving:
    size = checkpoint_size(job)
    period, stall = _timing(job, asked)
    return Saving(
        job=job,
        asked=asked,
        size=size,
        node_bytes=checkpoint_node_bytes(job, size),
        files=checkpoint_files(job),
        changed=job.sheet.given(asked.changed_fraction, "checkpoint.changed_fraction"),
        interval=period,
        stall=stall,
        replicas=landing_copies(job, asked),
    )


def _timing(job: Job, asked: Checkpoint) -> tuple[Known[Duration], Known[Duration]]:
    """The figures of the interval and of the stall: stated, or the best that the overhead allows."""
    sheet = job.sheet
    blocking = sheet.given(asked.blocking, "checkpoint.blocking")
    overhead = sheet.given(asked.overhead, "checkpoint.overhead")
    if asked.interval != "auto":
        given = sheet.given(asked.interval, "checkpoint.interval")
        period = sheet.figure("checkpoint.interval_s", interval.stated, interval=given)
        if asked.mode == "async":
            return period, sheet.figure("checkpoint.allowed_stall_s", interval.blocked, blocking=blocking)
        stall = sheet.figure("checkpoint.allowed_stall_s", interval.allowed_stall, interval=given, overhead=overhead)
        return period, stall
    mean = mean_time_to_interrupt(job)
    if asked.mode == "async":
        period = sheet.figure(
            "checkpoint.interval_s",
            interval.background_period,
            blocking=blocking,
            mean_time_to_interrupt=mean,
            drain_fraction=sheet.given(asked.drain_fraction, "checkpoint.drain_fraction"),
        )
        return period, sheet.figure("checkpoint.allowed_stall_s", interval.blocked, blocking=blocking)
    period = sheet.figure(
        "checkpoint.interval_s", interval.budget_period, overhead=overhead, mean_time_to_interrupt=mean
    )
    stall = sheet.figure(
        "checkpoint.allowed_stall_s", interval.budget_stall, overhead=overhead, mean_time_to_interrupt=mean
    )
    return period, stall


def _sync(saving: Saving) -> Asked:
    """Training waits: a burst that pauses the reads of its own job, and a drain where it lands locally."""
    job, sheet, asked = saving.job, saving.job.sheet, saving.asked
    write = sheet.figure(
        "checkpoint.write_bytes_per_s",
        checkpoint.write_bandwidth,
        size=saving.size,
        changed_fraction=saving.changed,
        allowed_stall=saving.stall,
    )
    node = _node_write(saving, saving.stall, NODE_WRITE)
    ops = sheet.figure(
        "checkpoint.metadata_ops_per_s", checkpoint.metadata_rate, files=saving.files, window=saving.stall
    )
    together_now = job.running.value if asked.coincide else 1
    _peer(saving, saving.stall)
    burst = Load(
        id=saving.id,
        tier="local" if saving.replicas else sheet.shared,
        when="burst",
        phase="checkpoint",
        write=write.value * together_now,
        op_rate=ops.value * together_now,
        node_write=node.value * max(1, saving.replicas),
        pauses=(f"{job.work.name}.dataset",),
        pauses_share=together_now / job.running.value,
        coincides=asked.coincide,
        nodes=_nodes(saving) if saving.replicas else None,
        because=f"{saving.id}: {saving.size.value.show()} within {saving.stall.value.show()}"
        + (f", {together_now} jobs at once" if together_now > 1 else ""),
    )
    if not saving.replicas:
        return Asked(loads=(burst,))
    return Asked(loads=(burst, *_drain(saving, lands=False)))


def _async(saving: Saving) -> Asked:
    """Training goes on: a continuous drain from host memory, by way of the local drives where it lands there."""
    sheet = saving.job.sheet
    sheet.figure(
        "checkpoint.staging_bytes_per_node",
        checkpoint.staging,
        node_bytes=saving.node_bytes,
        copies=sheet.given(saving.asked.staging.copies, "checkpoint.staging.copies"),
        slack=sheet.given(saving.asked.staging.slack, "checkpoint.staging.slack"),
    )
    window = checkpoint.drain_window(interval=saving.interval.value, drain_fraction=saving.asked.drain_fraction)
    _peer(saving, Known(window, sheet.stack.origin(f"{sheet.path}.checkpoint.drain_fraction")))
    return Asked(loads=_drain(saving, lands=True))


def _peer(saving: Saving, window: Known[Duration]) -> None:
    """The figure of what a GPU node sends to its peer, so that a lost node does not take the newest checkpoint."""
    if saving.replicas > 1:
        saving.job.sheet.figure(
            "checkpoint.peer_bytes_per_s",
            checkpoint.peer_bandwidth,
            node_bytes=saving.node_bytes,
            changed_fraction=saving.changed,
            copies=Known(saving.replicas - 1, saving.job.sheet.stack.origin(f"{saving.job.sheet.path}.checkpoint")),
            window=window,
        )


def _drain(saving: Saving, *, lands: bool) -> tuple[Load, ...]:
    """The continuous write to the shared tier, and what the local drives do for it; `lands`: they take it in too."""
    job, sheet = saving.job, saving.job.sheet
    fraction = sheet.given(saving.asked.drain_fraction, "checkpoint.drain_fraction")
    rate = sheet.figure(
        "checkpoint.drain_bytes_per_s",
        checkpoint.drain_bandwidth,
        size=saving.size,
        changed_fraction=saving.changed,
        drain_fraction=fraction,
        interval=saving.interval,
    )
    window = sheet.figure(
        "checkpoint.drain_window_s", checkpoint.drain_window, interval=saving.interval, drain_fraction=fraction
    )
    node = _node_write(saving, window, NODE_WRITE if lands else NODE_DRAIN)
    ops = sheet.figure(
        "checkpoint.metadata_ops_per_s" if lands else "checkpoint.drain_ops_per_s",
        checkpoint.metadata_rate,
        files=saving.files,
        window=window,
    )
    shared = Load(
        id=f"{saving.id}.drain" if saving.replicas else saving.id,
        tier=sheet.shared,
        when="continuous",
        write=rate.value * job.running.value,
        op_rate=ops.value * job.running.value,
        node_write=node.value,
        because=f"{saving.id}: {saving.size.value.show()} drained within {window.value.show()}, "
        f"{job.running.value} jobs",
    )
    if not saving.replicas:
        return (shared,)
    return (shared, _by_local(saving, node.value, window.value, lands=lands))


def _by_local(saving: Saving, node: Bandwidth, window: Duration, *, lands: bool) -> Load:
    """The drain as the local drives see it: read back, and taken in first where training does not wait."""
    return Load(
        id=f"{saving.id}.drain",
        tier="local",
        when="continuous",
        node_read=node,
        node_write=node * saving.replicas if lands else Bandwidth.zero(),
        nodes=_nodes(saving),
        because=f"{saving.id}: read back from the local drives within {window.show()}",
    )


def _nodes(saving: Saving) -> int:
    """GPU nodes on which checkpoints of this kind land: all jobs that run."""
    return saving.job.nodes.value * saving.job.running.value


def _node_write(saving: Saving, window: Known[Duration], quantity: str) -> Known[Bandwidth]:
    return saving.job.sheet.figure(
        quantity,
        checkpoint.node_write_bandwidth,
        node_bytes=saving.node_bytes,
        changed_fraction=saving.changed,
        window=window,
    )


def _kept(saving: Saving) -> Asked:
    """What stays on the shared tier, and what is written there in a day."""
    job, sheet, asked = saving.job, saving.job.sheet, saving.asked
    if asked.retain is not None:
        kept = sheet.figure(
            "checkpoint.kept",
            capacity.retained,
            last=sheet.given(asked.retain.last, "checkpoint.retain.last"),
            best=sheet.given(asked.retain.best, "checkpoint.retain.best"),
            weekly=sheet.given(asked.retain.weekly, "checkpoint.retain.weekly"),
        )
    else:
        kept = sheet.figure("checkpoint.kept", capacity.kept, keep=sheet.given(asked.keep, "checkpoint.keep"))
    size = sheet.figure(
        "checkpoint.kept_bytes",
        capacity.checkpoints,
        size=saving.size,
        kept=kept,
        concurrent_jobs=sheet.given(asked.concurrent_jobs, "checkpoint.concurrent_jobs"),
    )
    daily = sheet.figure(
        "checkpoint.written_bytes_per_day",
        checkpoint.written_per_day,
        size=saving.size,
        changed_fraction=saving.changed,
        interval=saving.interval,
    )
    files = sheet.figure(
        "checkpoint.kept_files",
        capacity.kept_files,
        files=saving.files,
        kept=kept,
        concurrent_jobs=sheet.given(asked.concurrent_jobs, "checkpoint.concurrent_jobs"),
    )
    stored = Stored(kind="checkpoint", tier=sheet.shared, workload=job.work.name, size=size, files=files)
    return Asked(stored=(stored,), written={sheet.shared: daily.value * job.running.value})


def _archive(saving: Saving) -> Asked:
    """One copy after another to the cold tier, read from the hot one."""
    every = saving.asked.archive_every
    if every is None:
        return Asked()
    job, sheet = saving.job, saving.job.sheet
    rate = sheet.figure(
        "checkpoint.archive_bytes_per_s",
        checkpoint.archive_bandwidth,
        size=saving.size,
        archive_every=sheet.given(every, "checkpoint.archive_every"),
    )
    both = rate.value * job.running.value
    because = f"{job.work.name}.archive: one checkpoint of {saving.size.value.show()} every {every.show()}"
    name = f"{job.work.name}.archive"
    cold = Load(id=name, tier="cold", when="continuous", write=both, because=because)
    source = Load(id=name, tier=sheet.shared, when="continuous", read=both, because=because)
    return Asked(loads=(cold, source), written={"cold": both * checkpoint.DAY})


def _landed(saving: Saving) -> Asked:
    """What first landing keeps on the drives of a GPU node, and whether it stands only there."""
    if not saving.replicas:
        return Asked()
    job, sheet = saving.job, saving.job.sheet
    held = sheet.figure(
        "checkpoint.local_bytes_per_node",
        checkpoint.local_copies,
        node_bytes=saving.node_bytes,
        replicas=Known(saving.replicas, sheet.stack.origin(f"{sheet.path}.checkpoint.first_landing")),
    )
    daily = checkpoint.written_per_day(
        size=saving.node_bytes.value * saving.replicas,
        changed_fraction=saving.changed.value,
        interval=saving.interval.value,
    )
    window = checkpoint.drain_window(interval=saving.interval.value, drain_fraction=saving.asked.drain_fraction)
    target = TimeTarget(
        policy="local-drain",
        figure=f"{saving.id}.drain_s",
        within_s=window.s,
        volume=saving.size.value,
        tier=sheet.shared,
    )
    return Asked(
        on_node={saving.id: held},
        targets=(target,),
        irreplaceable=(saving.id,) if saving.replicas == 1 else (),
        written={"local": daily},
        because={"local": (f"{saving.id}: lands on the drives of its {job.nodes.value} GPU nodes first",)},
    )
