"""How many jobs of a kind run at once, and on how many GPU nodes one of them runs."""

from __future__ import annotations

from tierplan.errors import InputError


def running(*, concurrent_jobs: int, cluster_gpus: int, gpus: int) -> int:
    """
    Jobs of a kind that run at the same time.

    Formula:  max(1, min(concurrent_jobs, cluster_gpus // gpus))
    Assumes:  a job has its GPUs for itself; the others wait and count for capacity only
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if a job has no GPUs

    >>> running(concurrent_jobs=4, cluster_gpus=1024, gpus=512)
    2
    """
    if gpus <= 0:
        message = f"gpus: {gpus}; a job has at least one GPU"
        raise InputError(message)
    return max(1, min(concurrent_jobs, cluster_gpus // gpus))


def nodes(*, gpus: int, gpus_per_node: int) -> int:
    """
    GPU nodes of one job.

    Formula:  ceil(gpus / gpus_per_node)
    Assumes:  nodes are filled one after another
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if a node has no GPUs

    >>> nodes(gpus=1024, gpus_per_node=8)
    128
    """
    if gpus_per_node <= 0:
        message = f"cluster.gpus_per_node: {gpus_per_node}; a GPU node has at least one"
        raise InputError(message)
    return -(-gpus // gpus_per_node)
