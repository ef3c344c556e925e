"""Data loader workers, and what a file format asks for: published rules, also where they disagree."""

from __future__ import annotations

from typing import Literal, TypeAlias

from tierplan.errors import InputError
from tierplan.units import Size

Format: TypeAlias = Literal["files", "webdataset", "tfrecord", "mindrecord", "parquet", "hdf5", "npy", "lmdb"]

LEAST_FILE = Size(10e6)
GOOD_FILE = Size(100e6)
WORKER_MEMORY = Size(1e9)
"""What one worker process takes besides its batches: 0.3 to 1 GB, unverified; the careful end."""

WORDS: dict[Format, str] = {
    "files": "one sample a file: every sample is an open; fit for large samples and for what is read by name",
    "webdataset": "tar shards read from end to end (PyTorch): 256 MB to 1 GB each, at least one for each worker",
    "tfrecord": "records read from end to end (TensorFlow, JAX): ten files a reading host, 100 MB and more each",
    "mindrecord": "records with an index (MindSpore): 1 to 1,000 shards; random access by index",
    "parquet": "columns (tables, text): row groups of 512 MB to 1 GB; shuffle row groups, not rows",
    "hdf5": "arrays in chunks: read whole chunks, one file handle a worker; needs a file system, no object store",
    "npy": "one array a file: memory-mapped, fit for token arrays and large samples; small ones need packing",
    "lmdb": "one memory-mapped file with random page reads: copy it to local drives, poor over a network",
}
"""What each format is fit for. Sources: webdataset writer.py, TensorFlow data guide, parquet.apache.org
configurations, mindspore.cn FileWriter; the words on lmdb are unverified (checked 2026-11-29)."""


def workers_by_gpus(*, cpu_cores: int, gpus: int) -> int:
    """
    Loader workers of one GPU node, by the rule that counts GPUs.

    Formula:  min(cpu_cores, 4*gpus)
    Assumes:  of the whole node; divide by the GPUs for one process
    Source:   AI storage systems lesson, DataLoader section; the rules disagree (checked 2026-11-29)

    >>> workers_by_gpus(cpu_cores=112, gpus=8)
    32
    """
    return min(cpu_cores, 4 * gpus)


def workers_by_cores(*, cpu_cores: int) -> tuple[int, int]:
    """
    Loader workers of one GPU node, by the rule that counts cores: from, to.

    Formula:  cpu_cores / 2 to cpu_cores
    Assumes:  of the whole node; divide by the GPUs for one process
    Source:   AI storage systems lesson, DataLoader table; the rules disagree (checked 2026-11-29)

    >>> workers_by_cores(cpu_cores=112)
    (56, 112)
    """
    return cpu_cores // 2, cpu_cores


def even_shards(*, shards: int, gpus: int, workers: int) -> int:
    """
    Shards that every worker of every process reads equally many of.

    Formula:  ceil(shards / (gpus * workers)) * gpus * workers
    Assumes:  one process a GPU; a split that is not even leaves the last workers without work at the end of an epoch
    Source:   derived; webdataset documentation, splitting by node and worker (checked 2026-11-29)
    Raises:   InputError if there are no GPUs

    >>> even_shards(shards=9_766, gpus=1024, workers=8)
    16384
    """
    if gpus <= 0:
        message = f"gpus: {gpus}; a job has at least one GPU"
        raise InputError(message)
    readers = gpus * max(1, workers)
    return -(-shards // readers) * readers


def shard_size(*, sample_size: Size, samples_per_shard: int) -> Size:
    """
    Size of one shard.

    Formula:  sample_size * samples_per_shard
    Assumes:  samples of one mean size
    Source:   definition (checked 2026-11-29)

    >>> shard_size(sample_size=Size(110e3), samples_per_shard=1281).show()
    '141 MB'
    """
    return sample_size * samples_per_shard
