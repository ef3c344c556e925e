"""Opens, stats and shards: what files cost before a byte is read."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Bandwidth, OpRate, Size, count_for

SHARD = Size(256e6)
"""Target size of a shard, the lower end of the usual 256 MB to 1 GB: the careful one, with the most opens."""
SHARDS_PER_READER = 10


def file_rate(*, gpus: int, samples_per_s_per_gpu: float, file_operations_per_sample: float) -> OpRate:
    """
    Metadata operations of one job that reads each sample from a file of its own.

    Formula:  gpus * samples_per_s_per_gpu * file_operations_per_sample
    Assumes:  nothing is held open between two samples
    Source:   definition (checked 2026-11-29)

    >>> file_rate(gpus=256, samples_per_s_per_gpu=2500, file_operations_per_sample=1).show("ops/s", digits=6)
    '640,000 ops/s'
    """
    return OpRate(gpus * samples_per_s_per_gpu * file_operations_per_sample)


def shard_rate(
    *, gpus: int, samples_per_s_per_gpu: float, file_operations_per_sample: float, samples_per_shard: int
) -> OpRate:
    """
    Metadata operations of one job that reads packed shards from end to end.

    Formula:  gpus * samples_per_s_per_gpu * file_operations_per_sample / samples_per_shard
    Assumes:  a shard is opened once and read sequentially
    Source:   webdataset: src/webdataset/writer.py, TensorFlow data guide (checked 2026-11-29)
    Raises:   InputError if a shard holds nothing

    >>> shard_rate(gpus=256, samples_per_s_per_gpu=2500, file_operations_per_sample=1, samples_per_shard=1281).show()
    '500 ops/s'
    """
    if samples_per_shard <= 0:
        message = f"dataset.samples_per_shard: {samples_per_shard}; a shard holds at least one sample"
        raise InputError(message)
    return OpRate(gpus * samples_per_s_per_gpu * file_operations_per_sample / samples_per_shard)


def stream_rate(*, bandwidth: Bandwidth, shard: Size) -> OpRate:
    """
    Opens of one job that streams tokens from large files.

    Formula:  bandwidth / shard
    Assumes:  files of 256 MB, opened once and read sequentially
    Source:   TensorFlow data guide (shards of 100 MB and more); 256 MB assumed (checked 2026-11-29)
    Raises:   InputError if a file has no size

    >>> stream_rate(bandwidth=Bandwidth(59.2e6), shard=Size(256e6)).show()
    '0.231 ops/s'
    """
    if not shard:
        message = "dataset: a shard of 0 B is opened without end"
        raise InputError(message)
    return OpRate(bandwidth.bytes_per_s / shard.bytes)


def shards(*, samples: int, samples_per_shard: int) -> int:
    """
    Shards of a packed dataset.

    Formula:  ceil(samples / samples_per_shard)
    Assumes:  full shards but the last
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if a shard holds nothing

    >>> shards(samples=1_281_167, samples_per_shard=1281)
    1001
    """
    if samples_per_shard <= 0:
        message = f"dataset.samples_per_shard: {samples_per_shard}; a shard holds at least one sample"
        raise InputError(message)
    return -(-samples // samples_per_shard)


def samples_per_shard(*, sample_size: Size, shard: Size) -> int:
    """
    Samples that fill one shard of the usual size.

    Formula:  max(1, floor(shard / sample_size))
    Assumes:  shards of 256 MB where the stack gives none
    Source:   TensorFlow data guide (100 MB and more); webdataset FAQ (1 GB); 256 MB assumed (checked 2026-11-29)
    Raises:   InputError if a sample has no size

    >>> samples_per_shard(sample_size=Size(110e3), shard=Size(256e6))
    2327
    """
    if not sample_size:
        message = "dataset.sample_size: 0 B; a sample has a size"
        raise InputError(message)
    return max(1, math.floor(shard / sample_size))


def good_shards(*, size: Size, readers: int, shard: Size) -> int:
    """
    Shards that a dataset should be packed into.

    Formula:  max(ceil(size / shard), 10*readers)
    Assumes:  shards of 256 MB to 1 GB, and ten for each reading host
    Source:   TensorFlow data guide: ten times as many files as hosts (checked 2026-11-29)
    Raises:   InputError if a shard has no size

    >>> good_shards(size=Size(146.88e9), readers=32, shard=Size(256e6))
    574
    """
    if not shard:
        message = "dataset: shards of 0 B hold nothing"
        raise InputError(message)
    return max(count_for(size, shard), SHARDS_PER_READER * readers)


def missed_rate(*, rate: OpRate, hit_fraction: float) -> OpRate:
    """
    Metadata operations that reach the shared tier.

    Formula:  rate * (1 - hit_fraction)
    Assumes:  what the cache holds is opened there
    Source:   definition (checked 2026-11-29)

    >>> missed_rate(rate=OpRate(1000), hit_fraction=0.75).show()
    '250 ops/s'
    """
    return rate * (1 - hit_fraction)
