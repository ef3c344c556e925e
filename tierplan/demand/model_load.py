"""Replicas of a served model start: the same weights, read by many at once."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, Size


def stated_weights(*, weights: Size) -> Size:
    """
    Weights as the stack gives them.

    Formula:  weights
    Assumes:  what one replica reads
    Source:   stack

    >>> stated_weights(weights=Size(140e9)).show()
    '140 GB'
    """
    return weights


def total(*, weights: Size, replicas: int) -> Size:
    """
    What all replicas read when each reads for itself.

    Formula:  weights * replicas
    Assumes:  no cache and no peers
    Source:   definition (checked 2026-11-29)

    >>> total(weights=Size(140e9), replicas=50).show()
    '7 TB'
    """
    return weights * replicas


def reading_nodes(*, replicas: int, replicas_per_node: int, gpu_nodes: int) -> int:
    """
    GPU nodes on which replicas start.

    Formula:  min(gpu_nodes, ceil(replicas / replicas_per_node))
    Assumes:  nodes are filled one after another
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if no replica fits a node

    >>> reading_nodes(replicas=50, replicas_per_node=4, gpu_nodes=128)
    13
    """
    if replicas_per_node <= 0:
        message = f"replicas_per_node: {replicas_per_node}; a node holds at least one replica"
        raise InputError(message)
    return min(gpu_nodes, math.ceil(replicas / replicas_per_node))


def total_by_node(*, weights: Size, nodes: int) -> Size:
    """
    What is read from storage when one replica of each node reads for all of that node.

    Formula:  weights * nodes
    Assumes:  the node's page cache or drives serve the other replicas
    Source:   definition (checked 2026-11-29)

    >>> total_by_node(weights=Size(140e9), nodes=13).show()
    '1.82 TB'
    """
    return weights * nodes


def total_by_seeds(*, weights: Size, seeds: int) -> Size:
    """
    What is read from storage when seeds read and peers pass it on.

    Formula:  weights * seeds
    Assumes:  one seed; chunks are passed on while they arrive
    Source:   definition (checked 2026-11-29)

    >>> total_by_seeds(weights=Size(140e9), seeds=1).show()
    '140 GB'
    """
    return weights * seeds


def fan_out_rounds(*, replicas: int) -> int:
    """
    Rounds until every replica has the weights from a peer, whole copies at a time.

    Formula:  ceil(log2(replicas))
    Assumes:  everybody who has it passes it on; in chunks it is one transfer and a little more
    Source:   derived (checked 2026-11-29)
    Raises:   InputError if there are no replicas

    >>> fan_out_rounds(replicas=50)
    6
    """
    if replicas <= 0:
        message = f"replicas: {replicas}; there is at least one"
        raise InputError(message)
    return math.ceil(math.log2(replicas))


def read_bandwidth(*, total: Size, within: Duration) -> Bandwidth:
    """
    Read bandwidth that has every replica ready in time.

    Formula:  total / within
    Assumes:  reading takes all of the time: what follows (copy to the GPU, warm-up) must be left out of it
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the time is zero

    >>> read_bandwidth(total=Size(7e12), within=Duration(60)).show()
    '117 GB/s'
    """
    if within.s <= 0:
        message = "within: 0 s; loading a model takes time"
        raise InputError(message)
    return total / within


def duration(*, read: Size, bandwidth: Bandwidth, node_read: Size, client: Bandwidth) -> Duration:
    """
    Time until the weights are read.

    Formula:  max(read / bandwidth, node_read / client)
    Assumes:  the tier's share that other work leaves; one GPU node may be what is slow
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing can be read

    >>> duration(read=Size(140e9), bandwidth=Bandwidth(50e9), node_read=Size(140e9), client=Bandwidth(35e9)).show()
    '4 s'
    """
    if not bandwidth or not client:
        message = "model load: the tier reads at 0 B/s; it never ends"
        raise InputError(message)
    return max(read / bandwidth, node_read / client)
