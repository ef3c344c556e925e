"""What a plan gives to a training job out of its cold tier: a restore of an archived checkpoint, and a first epoch."""

from __future__ import annotations

from tierplan.demand import dataset_read, jobs, restore
from tierplan.demand.job import job_of
from tierplan.demand.loads_restore import COLD_LOAD, COLD_PHASE
from tierplan.demand.outcome_training import node_read
from tierplan.demand.result import Result
from tierplan.demand.share import Given
from tierplan.demand.sheet import Sheet
from tierplan.domain.figures import Known
from tierplan.domain.stack import Dataset, Training
from tierplan.lifecycle.rules import longest_retrieval
from tierplan.units import Bandwidth, Size


def out_of_cold(result: Result, work: Training, cold: Given) -> None:
    """The figures of a job that reads the cold tier directly, beside what else is asked of it."""
    kept = result.stack.capacity.archived_checkpoints or (work.checkpoint and work.checkpoint.archive_every)
    if kept or (work.restore is not None and work.restore.cold_within is not None):
        _restored(result, work, cold)
    if work.dataset is not None:
        _first_epoch(result, work.dataset, cold)


def _restored(result: Result, work: Training, cold: Given) -> None:
    volume = result.required("restore.read_bytes", Size) or result.required("checkpoint.size_bytes", Size)
    quantity = "restore.cold_available_read_bytes_per_s"
    available = result.read_left(cold, COLD_PHASE, COLD_LOAD, quantity) or result.read_left(
        cold, "", COLD_LOAD, quantity
    )
    if volume is None or available is None:
        return
    sheet = Sheet(stack=result.stack, ledger=result.ledger, path=result.path, name=result.name)
    slowest = longest_retrieval(result.stack, cold.plan.config.options, cold.plan.delivered.classes)
    waits = slowest is not None and bool(slowest.readable_within)
    transfer = result.figure(
        "restore.cold_transfer_s" if waits else "restore.cold_duration_s",
        restore.duration,
        read=volume,
        bandwidth=available,
        node_read=node_read(result, job_of(sheet, work), volume),
        client=cold.client(),
    )
    if slowest is not None and waits:
        retrieval = Known(slowest.readable_within, f"plan tiers.cold.classes.{slowest.name}.readable_within_s")
        result.figure("restore.cold_duration_s", restore.waited, retrieval=retrieval, transfer=transfer)


def _first_epoch(result: Result, asked: Dataset, cold: Given) -> None:
    gross = result.required("dataset.read_bytes_per_s", Bandwidth)
    available = result.read_left(cold, "", "dataset.cold", "dataset.cold_available_read_bytes_per_s")
    if gross is None or available is None:
        return
    size = result.given(asked.size, "dataset.size")
    bandwidth = result.figure(
        "dataset.cold_job_read_bytes_per_s",
        jobs.per_job,
        bandwidth=available,
        jobs=result.count("jobs.running"),
        client=cold.client(),
        nodes=result.count("jobs.nodes"),
    )
    compute = result.figure("dataset.compute_s", dataset_read.compute_time, size=size, bandwidth=gross)
    result.figure("dataset.cold_first_epoch_s", dataset_read.epoch, read=size, bandwidth=bandwidth, compute=compute)
