"""All workloads of a stack in one year, put together: who takes the local drives first, what the others have left."""

from __future__ import annotations

from tierplan.demand import cache, capacity, near
from tierplan.demand.job import Job, job_of
from tierplan.demand.loads_checkpoint import checkpoints
from tierplan.demand.loads_dataset import datasets
from tierplan.demand.loads_kv import kv_caches
from tierplan.demand.loads_lifecycle import handed_over
from tierplan.demand.loads_restore import restores
from tierplan.demand.loads_serving import general_loads, model_loads
from tierplan.demand.sheet import Asked, Sheet, shared_tier, together
from tierplan.domain.figures import Known, Ledger
from tierplan.domain.stack import General, KvCache, ModelLoad, Stack, Training
from tierplan.units import Size


def asked_by(stack: Stack, ledger: Ledger, suffix: str = "") -> Asked:
    """
    What all workloads ask for, as the stack stands.

    First landing and models have the first claim on local drives, then sessions; datasets have what is left.
    """
    sheets = [
        Sheet(stack=stack, ledger=ledger, path=f"workloads[{index}]", name=work.name, suffix=suffix)
        for index, work in enumerate(stack.workloads)
    ]
    pairs = list(zip(sheets, stack.workloads, strict=True))
    jobs = [job_of(sheet, work) for sheet, work in pairs if isinstance(work, Training)]
    first = together(
        *(part(job) for job in jobs for part in (checkpoints, restores, _waiting)),
        *(model_loads(sheet, work) for sheet, work in pairs if isinstance(work, ModelLoad)),
        *(general_loads(sheet, work) for sheet, work in pairs if isinstance(work, General)),
    )
    sessions = [(sheet, work) for sheet, work in pairs if isinstance(work, KvCache)]
    if sessions:
        staged = _staged(ledger, suffix, jobs)
        for sheet, work in sessions:
            first = together(first, kv_caches(sheet, work, room=_room(sheet, first), staged=staged))
    taken = _taken(ledger, first, f"capacity.taken_bytes_per_node{suffix}")
    found = together(
        first, *(datasets(job, taken=taken) for job in jobs), handed_over(stack, ledger, suffix, others=first.loads)
    )
    if not suffix and stack.local_drives.drives:
        near.shares(stack, ledger, found)
    return found


def _taken(ledger: Ledger, asked: Asked, figure_id: str) -> Known[Size]:
    """What has been placed on a GPU node's drives so far."""
    if not asked.on_node:
        return Known(Size.zero(), "constant")
    return ledger.figure(figure_id, capacity.total, **asked.on_node)


def _room(sheet: Sheet, asked: Asked) -> Known[Size]:
    """What is left of a GPU node's drives for sessions."""
    nvme, path = sheet.stack.local_drives, sheet.stack.local_path
    return sheet.figure(
        "kv_cache.node_room_bytes",
        cache.node_cache,
        drives=sheet.of_stack(nvme.drives, f"{path}.drives"),
        drive_size=sheet.of_stack(nvme.size, f"{path}.size"),
        formatted=Known(cache.FORMATTED, "constant"),
        max_fill=sheet.of_stack(sheet.stack.targets.max_fill, "targets.max_fill"),
        taken=_taken(sheet.ledger, asked, f"{sheet.name}.kv_cache.taken_bytes_per_node{sheet.suffix}"),
    )


def _staged(ledger: Ledger, suffix: str, jobs: list[Job]) -> Known[Size]:
    """The most host memory that checkpoints of any job take on a GPU node: serving may share the nodes."""
    found = [
        Known(Size(figure.number), f"figure {figure.id}")
        for job in jobs
        if (figure := ledger.figures.get(f"{job.work.name}.checkpoint.staging_bytes_per_node{suffix}"))
    ]
    return max(found, key=lambda known: known.value, default=Known(Size.zero(), "constant"))


def _waiting(job: Job) -> Asked:
    """The sentence on jobs that the cluster cannot run at once."""
    asked = job.work.checkpoint.concurrent_jobs if job.work.checkpoint else 1
    running = job.running.value
    if asked <= running:
        return Asked()
    line = (
        f"{job.work.name}: {running} of {asked} jobs run at once on {job.sheet.stack.cluster.gpus} GPUs; "
        "the others count for capacity only"
    )
    return Asked(because={shared_tier(job.sheet.stack): (line,)})
