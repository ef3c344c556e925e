"""How much a benchmark must move so that no cache answers for the storage."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, Size


def run_bytes(*, rate: Bandwidth, seconds: Duration, server_memory: Size, least: Size, room: Size) -> Size:
    """
    What a write or read run moves in all.

    Formula:  min(room, max(least, rate * seconds, 2 * server_memory))
    Assumes:  clients read and write without their page cache; storage nodes hold at most their memory
    Source:   elbencho and IOR documentation: data twice as large as the caches on the way (checked 2026-11-29)

    >>> from tierplan.units import size
    >>> run_bytes(rate=Bandwidth(100e9), seconds=Duration(60), server_memory=size("1 TB"), least=size("980 GB"),
    ...           room=size("100 TB")).show()
    '6 TB'
    """
    return min(room, max(least, rate * seconds, server_memory * 2))


def mlperf_files(
    *, accelerators: int, hosts: int, host_memory: Size, batch: int, sample: Size, samples_per_file: int
) -> int:
    """
    Files of the dataset that MLPerf Storage asks for: more than the hosts' memory can hold, and steps enough.

    Formula:  max(500 * batch * accelerators, 5 * hosts * host_memory / sample) // samples_per_file
    Assumes:  the rules of v1.0 to v2.0: the tool rounds down and accepts any count from there
    Source:   github.com/mlcommons/storage, Submission_guidelines.md and mlpstorage/rules.py (checked 2026-11-29)
    Raises:   InputError if a count or the sample is zero

    >>> from tierplan.units import size
    >>> mlperf_files(accelerators=8, hosts=1, host_memory=size("512 GiB"), batch=7, sample=Size(146_600_628),
    ...              samples_per_file=1)
    28000
    """
    if min(accelerators, hosts, batch, samples_per_file) < 1 or not sample:
        message = "MLPerf Storage: accelerators, hosts, batch, samples per file and the sample must be above 0"
        raise InputError(message)
    by_steps = 500 * batch * accelerators
    by_memory = 5 * hosts * host_memory.base / sample.base
    return math.floor(max(by_steps, by_memory)) // samples_per_file
