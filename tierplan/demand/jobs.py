"""How many jobs of a kind run at once, and on how many GPU nodes one of them runs."""

from __future__ import annotations

from tierplan.errors import InputError
from tierplan.units import Bandwidth


def running(*, concurrent_jobs: int, gpu_nodes: int, gpus_per_node: int, gpus: int) -> int:
    """
    Jobs of a kind that run at the same time.

    Formula:  max(1, min(concurrent_jobs, gpu_nodes * gpus_per_node // gpus))
    Assumes:  a job has its GPUs for itself; the others wait and count for capacity only
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if a job has no GPUs

    >>> running(concurrent_jobs=4, gpu_nodes=128, gpus_per_node=8, gpus=512)
    2
    """
    if gpus <= 0:
        message = f"gpus: {gpus}; a job has at least one GPU"
        raise InputError(message)
    return max(1, min(concurrent_jobs, gpu_nodes * gpus_per_node // gpus))


def node_gpus(*, gpus_per_node: int, gpus: int) -> int:
    """
    GPUs of one job on its busiest node.

    Formula:  min(gpus_per_node, gpus)
    Assumes:  nodes are filled one after another
    Source:   definition (checked 2026-11-29)

    >>> node_gpus(gpus_per_node=8, gpus=4)
    4
    """
    return min(gpus_per_node, gpus)


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


def per_node(*, bandwidth: Bandwidth, nodes: int) -> Bandwidth:
    """
    What one GPU node has of a tier that consists of the nodes' own drives.

    Formula:  bandwidth / nodes
    Assumes:  equal nodes
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if there are no nodes

    >>> per_node(bandwidth=Bandwidth(1280e9), nodes=128).show()
    '10 GB/s'
    """
    if nodes <= 0:
        message = f"nodes: {nodes}; there is at least one"
        raise InputError(message)
    return bandwidth / nodes


def per_job(*, bandwidth: Bandwidth, jobs: int, client: Bandwidth, nodes: int) -> Bandwidth:
    """
    What one of several equal jobs reads of a shared tier.

    Formula:  min(bandwidth / jobs, client * nodes)
    Assumes:  the jobs share evenly; a GPU node takes no more than its client and ports carry
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if there are no jobs

    >>> per_job(bandwidth=Bandwidth(400e9), jobs=2, client=Bandwidth(50e9), nodes=2).show()
    '100 GB/s'
    """
    if jobs <= 0:
        message = f"jobs: {jobs}; there is at least one"
        raise InputError(message)
    return min(bandwidth / jobs, client * nodes)
