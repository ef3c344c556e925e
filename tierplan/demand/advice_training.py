"""What somebody should know about a training job's checkpoints before buying storage for them."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.demand import checkpoint, goodput, model
from tierplan.demand.noticed import Seen, advisory, mandatory
from tierplan.domain.need import Advice
from tierplan.domain.stack import Checkpoint, Training
from tierplan.units import Bandwidth, Duration, Size

WEIGHTS_ONLY = 2.0
HOURS = 720.0  # of 30 days


def training_advice(seen: Seen, work: Training) -> Iterator[Advice]:
    """Everything to say about one training workload's model, checkpoints and restores."""
    yield from _weights_only(seen, work)
    yield from _restore_once(seen, work)
    if work.checkpoint is None:
        return
    yield from _waiting(seen, work, work.checkpoint)
    yield from _landing(seen, work, work.checkpoint)
    if work.checkpoint.mode == "sync":
        yield from _async(seen, work, work.checkpoint)
        yield from _stall_cost(seen, work)
    yield from _activations(seen, work)


def _async(seen: Seen, work: Training, asked: Checkpoint) -> Iterator[Advice]:
    """Asynchronous saves would need a fraction of the bandwidth."""
    write = seen.quantity(f"{work.name}.checkpoint.write_bytes_per_s", Bandwidth)
    size = seen.quantity(f"{work.name}.checkpoint.size_bytes", Size)
    node = seen.quantity(f"{work.name}.checkpoint.node_bytes", Size)
    period = seen.quantity(f"{work.name}.checkpoint.interval_s", Duration)
    if write is None or size is None or node is None or period is None:
        return
    drain = checkpoint.drain_bandwidth(
        size=size, changed_fraction=asked.changed_fraction, drain_fraction=asked.drain_fraction, interval=period
    )
    if drain >= write:
        return
    staged = checkpoint.staging(node_bytes=node, copies=asked.staging.copies, slack=asked.staging.slack)
    yield advisory(
        "advice-async-checkpoint",
        f"{work.name}: asynchronous checkpoints would cut the write bandwidth from {write.show()} to {drain.show()} "
        f"({write / drain:.0f} times less), for {staged.show()} of host memory on each node",
        "ask the training team for asynchronous saves (checkpoint.mode: async) before buying bandwidth",
        required=write.base,
        planned=drain.base,
        unit="bytes_per_s",
    )


def _stall_cost(seen: Seen, work: Training) -> Iterator[Advice]:
    """What the accepted stall costs in GPU-hours, and in money where a price is given."""
    stall = seen.quantity(f"{work.name}.checkpoint.allowed_stall_s", Duration)
    period = seen.quantity(f"{work.name}.checkpoint.interval_s", Duration)
    running = seen.number(f"{work.name}.jobs.running")
    if stall is None or period is None or running is None:
        return
    share = goodput.overhead_fraction(stall=stall, interval=period)
    hours = goodput.stall_gpu_hours(gpus=work.gpus, jobs=int(running), overhead_fraction=share, hours=HOURS)
    price = seen.stack.cluster.price
    money = ""
    if price is not None:
        cost = goodput.stall_cost(gpu_hours=hours, per_gpu_hour=price.per_gpu_hour)
        money = f", {cost:,.0f} {seen.stack.targets.budget.currency} at {price.per_gpu_hour:g} a GPU-hour"
    yield advisory(
        "advice-stall-cost",
        f"{work.name}: the accepted stall of {stall.show()} in {period.show()} ({share:.1%}) is "
        f"{hours:,.0f} GPU-hours in 30 days{money}",
        "hold it against the price of more write bandwidth, or save asynchronously",
        planned=hours,
        unit="gpu_hours",
    )


def _weights_only(seen: Seen, work: Training) -> Iterator[Advice]:
    """A checkpoint of two bytes a parameter holds no optimizer: nobody can resume from it."""
    given = work.model.bytes_per_parameter
    size = seen.quantity(f"{work.name}.checkpoint.size_bytes", Size)
    if given is None or given > WEIGHTS_ONLY or size is None or work.model.adapters is not None:
        return
    full = size * (model.DEFAULT_BYTES_PER_PARAMETER / given)
    yield advisory(
        "advice-weights-only",
        f"{work.name}: {given:g} bytes a parameter are the weights alone ({size.show()}); with the optimizer, which "
        f"resuming needs, a checkpoint has {model.DEFAULT_BYTES_PER_PARAMETER:g} bytes a parameter: {full.show()}",
        "set model.bytes_per_parameter to 14 (bf16 with fp32 master and Adam), or name the training_state",
        required=full.base,
        planned=size.base,
        unit="bytes",
    )


def _restore_once(seen: Seen, work: Training) -> Iterator[Advice]:
    """Reading the weights once and broadcasting them spares most of a restore."""
    read = seen.quantity(f"{work.name}.restore.read_bytes", Size)
    size = seen.quantity(f"{work.name}.checkpoint.size_bytes", Size)
    if read is None or size is None or read <= size:
        return
    yield advisory(
        "advice-restore-once",
        f"{work.name}: every replica reads for itself, {read.show()} in all; read once and broadcast it is "
        f"{size.show()} ({read / size:.0f} times less)",
        "let one data-parallel group read and broadcast (restore.reads: once)",
        required=read.base,
        planned=size.base,
        unit="bytes",
    )


def _waiting(seen: Seen, work: Training, asked: Checkpoint) -> Iterator[Advice]:
    """More jobs than the cluster's GPUs hold."""
    running = seen.number(f"{work.name}.jobs.running")
    if running is None or asked.concurrent_jobs <= running:
        return
    yield advisory(
        "stack-requirement",
        f"{work.name}: {asked.concurrent_jobs} jobs of {work.gpus} GPUs do not fit {seen.stack.cluster.gpus} GPUs at "
        f"once; {running:.0f} counts for bandwidth, all {asked.concurrent_jobs} for capacity",
        "nothing, if they run one after another; else lower gpus or add GPU nodes",
        required=asked.concurrent_jobs,
        planned=running,
        unit="count",
    )


def _landing(seen: Seen, work: Training, asked: Checkpoint) -> Iterator[Advice]:
    """First landing on local drives must be permitted."""
    if asked.first_landing == "hot" or "checkpoint-first-landing" in seen.stack.tiers.local.use:
        return
    yield mandatory(
        "stack-requirement",
        f"{work.name}: checkpoint.first_landing is {asked.first_landing}, but tiers.local.use does not permit "
        "checkpoint-first-landing; 1 such load, 0 are allowed; planned as if it landed on the hot tier",
        "add checkpoint-first-landing to tiers.local.use, or set first_landing: hot",
        required=0,
        planned=1,
        unit="count",
    )


def _activations(seen: Seen, work: Training) -> Iterator[Advice]:
    """Activations that spill to drives are no load that is planned."""
    if work.parallelism.pipeline <= 1 or "scratch" not in seen.stack.tiers.local.use:
        return
    yield advisory(
        "advice-activations",
        f"{work.name}: {work.parallelism.pipeline} pipeline stages and local scratch: activations that are written "
        "to storage between stages are not modelled; 0 bytes/s are planned for them",
        "keep activations in GPU or host memory (or recompute them); if they must spill, state them as a general load",
        planned=0,
        unit="bytes_per_s",
    )
