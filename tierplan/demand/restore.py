"""A job comes back: what it reads, how fast, and the storm of opens when all ranks start at once."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, OpRate, Size


def read_once(*, size: Size) -> Size:
    """
    What a restore reads where each shard is read once.

    Formula:  size
    Assumes:  all state is sharded, or one replica reads and broadcasts to the others
    Source:   MegaScale, arXiv 2402.15627: one reader a data-parallel group plus broadcast (checked 2026-11-29)

    >>> read_once(size=Size(980e9)).show()
    '980 GB'
    """
    return size


def read_per_replica(*, size: Size, weights: Size, data: int) -> Size:
    """
    What a restore reads where every data-parallel replica reads the weights itself.

    Formula:  size - weights + weights * data
    Assumes:  the optimizer state is sharded over all ranks and read once
    Source:   derived from the sharded optimizer's layout (checked 2026-11-29)

    >>> read_per_replica(size=Size(980e9), weights=Size(140e9), data=128).show(digits=4)
    '18.76 TB'
    """
    return size - weights + weights * data


def read_by_all(*, size: Size, data: int) -> Size:
    """
    What a restore reads where nothing is sharded and every replica reads everything.

    Formula:  size * data
    Assumes:  plain data parallelism, each replica opens the same file
    Source:   definition (checked 2026-11-29)

    >>> read_by_all(size=Size(14e9), data=8).show()
    '112 GB'
    """
    return size * data


def read_bandwidth(*, read: Size, within: Duration) -> Bandwidth:
    """
    Bandwidth that brings a job back in time.

    Formula:  read / within
    Assumes:  all ranks read at once; detecting the fault and rescheduling are not part of the time
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the time is zero

    >>> read_bandwidth(read=Size(980e9), within=Duration(300)).show()
    '3.27 GB/s'
    """
    if within.s <= 0:
        message = "restore.within: 0 s; a restore takes time"
        raise InputError(message)
    return read / within


def open_rate(*, files: int, ranks: int, within: Duration) -> OpRate:
    """
    Metadata operations of a restore: the storm when all ranks start at once.

    Formula:  (ranks + 2*files) / within
    Assumes:  every rank lists the folder once; each file is looked up and opened
    Source:   torch 2.14.1: torch/distributed/checkpoint FileSystemReader (checked 2026-11-29)
    Raises:   InputError if the time is zero

    >>> open_rate(files=1025, ranks=1024, within=Duration(300)).show()
    '10.2 ops/s'
    """
    if within.s <= 0:
        message = "restore.within: 0 s; a restore takes time"
        raise InputError(message)
    return OpRate((ranks + 2 * files) / within.s)


def listing_time(*, objects: int, page: int, request: Duration) -> Duration:
    """
    Time to list the objects of a checkpoint, one page after another.

    Formula:  ceil(objects / page) * request
    Assumes:  pages are asked one by one; an index object makes the listing unnecessary
    Source:   docs.aws.amazon.com/AmazonS3: ListObjectsV2, 1,000 keys a page (checked 2026-11-29)
    Raises:   InputError if a page holds nothing

    >>> listing_time(objects=100_000, page=1000, request=Duration(0.1)).show()
    '10 s'
    """
    if page <= 0:
        message = f"listing: a page of {page} objects; a page holds at least one"
        raise InputError(message)
    return request * math.ceil(objects / page)


def duration(*, read: Size, bandwidth: Bandwidth, node_read: Size, client: Bandwidth) -> Duration:
    """
    Time that a restore takes.

    Formula:  max(read / bandwidth, node_read / client)
    Assumes:  the tier's share that other work leaves; the busiest GPU node may be what is slow
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing can be read

    >>> duration(read=Size(980e9), bandwidth=Bandwidth(50e9), node_read=Size(7.7e9), client=Bandwidth(40e9)).show()
    '19.6 s'
    """
    if not bandwidth or not client:
        message = "restore: the tier reads at 0 B/s; it never ends"
        raise InputError(message)
    return max(read / bandwidth, node_read / client)


def waited(*, retrieval: Duration, transfer: Duration) -> Duration:
    """
    Time that a restore takes out of a storage class that has to be restored itself before it is read.

    Formula:  retrieval + transfer
    Assumes:  all objects are asked for at once, by the store's standard retrieval; then the reads begin
    Source:   Amazon S3 User Guide, archive retrieval options (checked 2026-11-29)

    >>> waited(retrieval=Duration(18000.0), transfer=Duration(60.0)).show()
    '5.02 h'
    """
    return retrieval + transfer
