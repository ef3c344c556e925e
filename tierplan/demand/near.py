"""The memory and the drives of one GPU node: what the page cache is left with, and who holds how much of the drives."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.demand import cache, capacity, dataset_read, loader
from tierplan.demand.job import Job
from tierplan.demand.sheet import Asked
from tierplan.domain.figures import Known, Ledger
from tierplan.domain.stack import Dataset, Stack
from tierplan.units import Size

KEPT_SHARE = 0.1
"""Of the host memory: system, drivers, pinned buffers of the GPUs. Assumed."""
USES: Mapping[str, str] = {
    "checkpoint": "first_landing",
    "model_load": "model_cache",
    "kv_cache": "kv_cache",
    "dataset": "dataset_cache",
}
"""Load -> the use of local drives that its bytes count for."""


def page_cache(*, host_memory: Size, kept_share: float, staged: Size, loaders: Size) -> Size:
    """
    Host memory of a GPU node that the page cache can take.

    Formula:  max(0, host_memory * (1 - kept_share) - staged - loaders)
    Assumes:  staged checkpoints and the loaders' batches stay in memory; nothing else runs on the node
    Source:   derived (checked 2026-11-29)

    >>> page_cache(host_memory=Size(2 * 2**40), kept_share=0.1, staged=Size(17.6e9), loaders=Size(57.6e9)).show()
    '1.9 TB'
    """
    return Size(max(0.0, host_memory.bytes * (1 - kept_share) - staged.bytes - loaders.bytes))


def page_cache_fraction(*, page_cache: Size, node_bytes: Size) -> float:
    """
    Share of what a GPU node reads of a dataset that its page cache holds.

    Formula:  min(1, page_cache / node_bytes)
    Assumes:  not counted in the hit fraction: other reads push it out, and FUSE mounts may not use it
    Source:   derived (checked 2026-11-29)

    >>> page_cache_fraction(page_cache=Size(1.9e12), node_bytes=Size(10e12))
    0.19
    """
    return min(1.0, page_cache / node_bytes) if node_bytes else 1.0


def free_of(*, planned: Size, placed: Size) -> Size:
    """
    What nobody has claimed of a GPU node's drives: scratch, where that is permitted.

    Formula:  max(0, planned - placed)
    Assumes:  planned is after formatting and planned fill
    Source:   definition (checked 2026-11-29)

    >>> free_of(planned=Size(24.1e12), placed=Size(10e12)).show()
    '14.1 TB'
    """
    return Size(max(0.0, planned.bytes - placed.bytes))


def page_caches(job: Job, asked: Dataset, held: Known[Size] | None, size: Known[Size]) -> None:
    """The figures of the page cache of the job's nodes, and of what it holds of the part that a node reads."""
    sheet = job.sheet
    staging = sheet.ledger.figures.get(f"{sheet.name}.checkpoint.staging_bytes_per_node{sheet.suffix}")
    staged = Known(Size(staging.number), f"figure {staging.id}") if staging else Known(Size.zero(), "constant")
    cached = sheet.figure(
        "dataset.page_cache_bytes_per_node",
        page_cache,
        host_memory=sheet.of_stack(sheet.stack.cluster.host_memory, "cluster.host_memory"),
        kept_share=Known(KEPT_SHARE, "constant"),
        staged=staged,
        loaders=_loaders(job, asked),
    )
    part = held if held is not None and held.value else size
    sheet.figure("dataset.page_cache_fraction", page_cache_fraction, page_cache=cached, node_bytes=part)


def _loaders(job: Job, asked: Dataset) -> Known[Size]:
    """The figure of what the loaders of a node take of its memory."""
    if asked.loader is None or asked.sample_size is None:
        return Known(Size.zero(), "constant")
    sheet, given = job.sheet, asked.loader
    return sheet.figure(
        "dataset.loader_bytes_per_node",
        dataset_read.worker_memory,
        processes=job.node_gpus,
        workers=sheet.given(given.workers, "dataset.loader.workers"),
        prefetch=sheet.given(given.prefetch, "dataset.loader.prefetch"),
        batch_size=Known(asked.sample_size * given.batch, sheet.stack.origin(f"{sheet.path}.dataset.loader.batch")),
        worker_overhead=Known(loader.WORKER_MEMORY, "constant"),
        pinned=sheet.given(given.prefetch, "dataset.loader.prefetch"),
    )


def shares(stack: Stack, ledger: Ledger, asked: Asked) -> None:
    """The figures of how the drives of the busiest GPU node are shared among their uses."""
    placed = {
        use: ledger.figure(f"capacity.local_{use}_bytes_per_node", capacity.total, **sizes)
        for use, sizes in _by_use(asked).items()
    }
    nvme = stack.local_drives
    whole = ledger.figure(
        "capacity.local_planned_bytes_per_node",
        cache.node_cache,
        drives=Known(nvme.drives, stack.origin(f"{stack.local_path}.drives")),
        drive_size=Known(nvme.size, stack.origin(f"{stack.local_path}.size")),
        formatted=Known(cache.FORMATTED, "constant"),
        max_fill=Known(stack.targets.max_fill, stack.origin("targets.max_fill")),
        taken=Known(Size.zero(), "constant"),
    )
    taken = ledger.figure("capacity.local_placed_bytes_per_node", capacity.total, **placed)
    word = "scratch" if "scratch" in stack.tiers.local.use else "free"
    ledger.figure(f"capacity.local_{word}_bytes_per_node", free_of, planned=whole, placed=taken)


def share_words(asked: Asked) -> str:
    """How the drives of the busiest GPU node are shared, in a few words; nothing where nothing lies on them."""
    held = {use: sum(size.value.bytes for size in sizes.values()) for use, sizes in _by_use(asked).items()}
    return ", ".join(f"{use.replace('_', ' ')} {Size(size).show()}" for use, size in held.items() if size)


def _by_use(asked: Asked) -> Mapping[str, Mapping[str, Known[Size]]]:
    """What lies on the drives of the busiest GPU node, by use and load."""
    found: dict[str, dict[str, Known[Size]]] = {}
    for load_id, size in asked.on_node.items():
        use = USES.get(load_id.partition(".")[2].partition(".")[0], "other")
        found.setdefault(use, {})[load_id] = size
    return found
