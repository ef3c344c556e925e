"""What a cache near the GPU takes off the shared tier, and under which rule that is true."""

from __future__ import annotations

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, Size

FORMATTED = 0.98
"""Share of a drive that its file system leaves: assumed, as the local tier's backend does."""


def node_cache(*, drives: int, drive_size: Size, formatted: float, max_fill: float, taken: Size) -> Size:
    """
    What the drives of one GPU node can hold of a dataset, or of sessions.

    Formula:  max(0, drives * drive_size * formatted * max_fill - taken)
    Assumes:  what has the first claim (first landing, models, then sessions) is taken; the page cache is not counted
    Source:   definition; 2 % for the file system assumed (checked 2026-11-29)

    >>> node_cache(drives=4, drive_size=Size(7.68e12), formatted=0.98, max_fill=0.8, taken=Size(0)).show()
    '24.1 TB'
    """
    return Size(max(0.0, drives * drive_size.bytes * formatted * max_fill - taken.bytes))


def no_hits() -> float:
    """
    Hit fraction without a cache.

    Formula:  0
    Assumes:  cache: none, or the local tier may not be used as a dataset cache
    Source:   stack

    >>> no_hits()
    0.0
    """
    return 0.0


def preload_hits(*, size: Size, node_cache: Size) -> float:
    """
    Hit fraction where every node pre-loads the dataset, or what of it fits.

    Formula:  min(1, node_cache / size)
    Assumes:  samples are shuffled over the whole dataset
    Source:   derived (checked 2026-11-29)
    Raises:   InputError if the dataset has no size

    >>> preload_hits(size=Size(100e12), node_cache=Size(25e12))
    0.25
    """
    if not size:
        message = "dataset.size: 0 B; there must be something to read"
        raise InputError(message)
    return min(1.0, node_cache / size)


def distributed_hits(*, size: Size, node_cache: Size, nodes: int, copies: int) -> float:
    """
    Hit fraction where the job's nodes share one cache.

    Formula:  min(1, nodes * node_cache / (copies * size))
    Assumes:  nodes read from one another, over the storage or compute network
    Source:   derived (checked 2026-11-29)
    Raises:   InputError if the dataset has no size or there are no copies

    >>> distributed_hits(size=Size(1e15), node_cache=Size(4e12), nodes=125, copies=1)
    0.5
    """
    if not size or copies <= 0:
        message = f"dataset: {size.show()} in {copies} copies; both must be above 0"
        raise InputError(message)
    return min(1.0, nodes * (node_cache / size) / copies)


def sticky_hits(*, size: Size, node_cache: Size, nodes: int) -> float:
    """
    Hit fraction from the second epoch on where a node always reads the same part.

    Formula:  min(1, node_cache * nodes / size)
    Assumes:  partitions of equal size, shuffled only within themselves
    Source:   derived (checked 2026-11-29)
    Raises:   InputError if the dataset has no size

    >>> sticky_hits(size=Size(1e15), node_cache=Size(4e12), nodes=128)
    0.512
    """
    if not size:
        message = "dataset.size: 0 B; there must be something to read"
        raise InputError(message)
    return min(1.0, nodes * (node_cache / size))


def fill_on_read_hits(*, nodes: int, epochs: int, size: Size, node_cache: Size) -> float:
    """
    Hit fraction of a node's own cache that fills while it reads, with a global shuffle every epoch.

    Formula:  min(1 - (1 - 1/nodes)**epochs, node_cache / size)
    Assumes:  in each epoch a node meets a new random part; counted after one epoch, since later ones come late
    Source:   derived; 6.1 % after 8 epochs on 128 nodes (checked 2026-11-29)
    Raises:   InputError if the dataset has no size or there are no nodes

    >>> round(fill_on_read_hits(nodes=128, epochs=8, size=Size(10e12), node_cache=Size(25e12)), 5)
    0.06082
    """
    if not size or nodes <= 0:
        message = f"dataset: {size.show()} read by {nodes} nodes; both must be above 0"
        raise InputError(message)
    return min(1 - (1 - 1 / nodes) ** epochs, node_cache / size)


def shared_fill_hits(*, size: Size, node_cache: Size, nodes: int) -> float:
    """
    Hit fraction from the second epoch on of one cache over all nodes that fills while it is read.

    Formula:  min(1, nodes * node_cache / size)
    Assumes:  software that lets nodes read from one another; each block is kept once
    Source:   derived (checked 2026-11-29)
    Raises:   InputError if the dataset has no size

    >>> shared_fill_hits(size=Size(1e15), node_cache=Size(4e12), nodes=128)
    0.512
    """
    return sticky_hits(size=size, node_cache=node_cache, nodes=nodes)


def fill_volume(*, size: Size, copies: int, node_cache: Size, nodes: int) -> Size:
    """
    What filling a cache that nodes share, or share out, reads from the shared tier.

    Formula:  min(size * copies, nodes * node_cache)
    Assumes:  each copy is read once, by the node that keeps it
    Source:   derived (checked 2026-11-29)

    >>> fill_volume(size=Size(300e12), copies=1, node_cache=Size(24.1e12), nodes=16).show()
    '300 TB'
    """
    return min(size * copies, node_cache * nodes)


def fill_bandwidth(*, volume: Size, within: Duration) -> Bandwidth:
    """
    Read bandwidth that fills the caches of one job in time.

    Formula:  volume / within
    Assumes:  all nodes fill at once
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the time is zero

    >>> fill_bandwidth(volume=Size(10e12), within=Duration(3600)).show()
    '2.78 GB/s'
    """
    if within.s <= 0:
        message = "dataset.preload_within: 0 s; filling a cache takes time"
        raise InputError(message)
    return volume / within


def fill_time(*, volume: Size, bandwidth: Bandwidth, drives: Bandwidth) -> Duration:
    """
    Time until the caches of one job are filled.

    Formula:  max(volume / bandwidth, volume / drives)
    Assumes:  bandwidth is what the shared tier has left, drives what all its nodes' drives write
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing can be read or written

    >>> fill_time(volume=Size(10e12), bandwidth=Bandwidth(100e9), drives=Bandwidth(640e9)).show()
    '1.67 min'
    """
    if not bandwidth or not drives:
        message = "dataset: the caches fill at 0 B/s; the fill never ends"
        raise InputError(message)
    return max(volume / bandwidth, volume / drives)


def evicted_per_day(*, bandwidth: Bandwidth, hit_fraction: float, share: float) -> Size:
    """
    What a cache that fills while it is read writes to the drives of one GPU node in a day.

    Formula:  bandwidth * (1 - hit_fraction) * share * 86400
    Assumes:  every miss is written; share is the node's part of the job
    Source:   derived (checked 2026-11-29)

    >>> evicted_per_day(bandwidth=Bandwidth(12.8e9), hit_fraction=0.0, share=1 / 128).show()
    '8.64 TB'
    """
    return bandwidth * ((1 - hit_fraction) * share) * Duration(86400.0)


def shared_bandwidth(*, bandwidth: Bandwidth, hit_fraction: float) -> Bandwidth:
    """
    Read bandwidth that reaches the shared tier.

    Formula:  bandwidth * (1 - hit_fraction)
    Assumes:  after the cache is warm; the first epoch reads more
    Source:   definition (checked 2026-11-29)

    >>> shared_bandwidth(bandwidth=Bandwidth(70.4e9), hit_fraction=0.75).show()
    '17.6 GB/s'
    """
    return bandwidth * (1 - hit_fraction)


def preload_volume(*, size: Size, node_cache: Size, nodes: int) -> Size:
    """
    What filling every node's cache reads from the shared tier.

    Formula:  nodes * min(size, node_cache)
    Assumes:  each node reads for itself; a distributed cache reads each copy once
    Source:   derived (checked 2026-11-29)

    >>> preload_volume(size=Size(10e12), node_cache=Size(24.6e12), nodes=128).show()
    '1.28 PB'
    """
    return min(size, node_cache) * nodes


def cached_on_node(*, size: Size, node_cache: Size, nodes: int, copies: int) -> Size:
    """
    What one GPU node holds of the dataset.

    Formula:  min(size * copies / nodes, size, node_cache)
    Assumes:  where every node holds all of it, copies = nodes
    Source:   derived (checked 2026-11-29)
    Raises:   InputError if there are no nodes

    >>> cached_on_node(size=Size(10e12), node_cache=Size(24.6e12), nodes=128, copies=128).show()
    '10 TB'
    """
    if nodes <= 0:
        message = f"dataset: cached on {nodes} nodes; there must be some"
        raise InputError(message)
    return min(size * (copies / nodes), size, node_cache)
