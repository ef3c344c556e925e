"""The restore of a training workload as a burst on the shared tier, with its time target."""

from __future__ import annotations

from tierplan.demand import restore
from tierplan.demand.job import Job, checkpoint_files, checkpoint_size, weights_size
from tierplan.demand.sheet import Asked
from tierplan.domain.figures import Known
from tierplan.domain.need import Load, TimeTarget
from tierplan.units import Size

COLD_PHASE, COLD_LOAD = "cold_restore", "restore.cold"


def restores(job: Job) -> Asked:
    """What coming back asks of the shared tier; without `within` it is only shown, not required."""
    asked, sheet, name = job.work.restore, job.sheet, job.work.name
    if asked is None:
        return Asked()
    volume = _volume(job)
    archived = _from_cold(job, volume.value)
    if asked.within is None:
        return archived
    within = sheet.given(asked.within, "restore.within")
    read = sheet.figure("restore.read_bytes_per_s", restore.read_bandwidth, read=volume, within=within)
    ops = sheet.figure(
        "restore.metadata_ops_per_s", restore.open_rate, files=checkpoint_files(job), ranks=job.gpus, within=within
    )
    load = Load(
        id=f"{name}.restore",
        tier=sheet.shared,
        when="burst",
        phase="restore",
        read=read.value,
        op_rate=ops.value,
        node_read=node_volume(job, volume.value) / asked.within,
        pauses=(f"{name}.dataset", f"{name}.checkpoint", f"{name}.checkpoint.drain"),
        pauses_share=1 / job.running.value,
        because=f"{name}.restore: {volume.value.show()} within {asked.within.show()}",
    )
    target = TimeTarget(
        policy=f"{sheet.shared}-restore-time",
        figure=f"{name}.restore.duration_s",
        within_s=asked.within.s,
        volume=volume.value,
        tier=sheet.shared,
    )
    return Asked(loads=(load, *archived.loads), targets=(target, *archived.targets))


def _from_cold(job: Job, volume: Size) -> Asked:
    """What coming back from an archived checkpoint asks of the cold tier; where it is the shared tier, nothing more."""
    asked, name = job.work.restore, job.work.name
    if asked is None or asked.cold_within is None or job.sheet.shared == "cold":
        return Asked()
    load = Load(
        id=f"{name}.{COLD_LOAD}",
        tier="cold",
        when="burst",
        phase=COLD_PHASE,
        read=volume / asked.cold_within,
        node_read=node_volume(job, volume) / asked.cold_within,
        because=f"{name}.restore from the archive: {volume.show()} within {asked.cold_within.show()}",
    )
    target = TimeTarget(
        policy="cold-restore-time",
        figure=f"{name}.restore.cold_duration_s",
        within_s=asked.cold_within.s,
        volume=volume,
        tier="cold",
    )
    return Asked(loads=(load,), targets=(target,))


def reads_alone(job: Job) -> bool:
    """Whether one rank reads everything and broadcasts it."""
    asked = job.work.restore
    return job.work.parallelism.sharding == "ddp" and (asked is None or asked.reads == "once")


def node_volume(job: Job, volume: Size) -> Size:
    """What the busiest GPU node reads of a restore: its share, or everything where one rank reads for all."""
    return volume if reads_alone(job) else volume * (job.node_gpus.value / job.gpus.value)


def _volume(job: Job) -> Known[Size]:
    """The figure of what one restore reads, by who reads."""
    sheet, size = job.sheet, checkpoint_size(job)
    if job.work.restore is None or job.work.restore.reads == "once":
        return sheet.figure("restore.read_bytes", restore.read_once, size=size)
    if job.work.parallelism.sharding == "ddp":
        return sheet.figure("restore.read_bytes", restore.read_by_all, size=size, data=job.data)
    return sheet.figure(
        "restore.read_bytes", restore.read_per_replica, size=size, weights=weights_size(job), data=job.data
    )
