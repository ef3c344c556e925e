"""Reading the dataset: bandwidth, epoch time and loader memory, from samples or from tokens."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, Size

SAMPLES_RULE = 500  # steps, and five times the host memory: MLPerf Storage's size rule
MEMORY_RULE = 5


def sample_bandwidth(*, gpus: int, samples_per_s_per_gpu: float, sample_size: Size) -> Bandwidth:
    """
    Read bandwidth of one job, before any cache.

    Formula:  gpus * samples_per_s_per_gpu * sample_size
    Assumes:  every GPU reads its own samples, each once an epoch
    Source:   definition; measure the rate with the real model (checked 2026-11-29)

    >>> sample_bandwidth(gpus=8, samples_per_s_per_gpu=19.505, sample_size=Size(146_600_628)).show()
    '22.9 GB/s'
    """
    return Bandwidth(gpus * samples_per_s_per_gpu * sample_size.bytes)


def token_bandwidth(*, gpus: int, tokens_per_s_per_gpu: float, bytes_per_token: float) -> Bandwidth:
    """
    Read bandwidth of one language-model job, before any cache.

    Formula:  gpus * tokens_per_s_per_gpu * bytes_per_token
    Assumes:  tokens are stored as integers: 2 bytes up to a vocabulary of 65,536, else 4
    Source:   definition; NVIDIA-NeMo/Megatron-Bridge: docs/performance-summary.md for rates (checked 2026-11-29)

    >>> token_bandwidth(gpus=1024, tokens_per_s_per_gpu=14_451, bytes_per_token=4).show()
    '59.2 MB/s'
    """
    return Bandwidth(gpus * tokens_per_s_per_gpu * bytes_per_token)


def accelerator_rate(*, batch: float, compute_time: Duration, utilisation: float) -> float:
    """
    Samples per second of one accelerator, from a benchmark's configuration.

    Formula:  batch / compute_time * utilisation
    Assumes:  utilisation is compute time over total time, the first step left out
    Source:   mlcommons/storage: configs/dlio/workload (checked 2026-11-29)
    Raises:   InputError if the compute time is zero

    >>> round(8 * accelerator_rate(batch=7, compute_time=Duration(0.323), utilisation=0.9), 2)
    156.04
    """
    if compute_time.s <= 0:
        message = "dataset.profile: a step of 0 s; no accelerator is that fast"
        raise InputError(message)
    return batch / compute_time.s * utilisation


def token_rate(*, utilisation: float, peak_flops: float, active_parameters: float) -> float:
    """
    Tokens per second that one GPU trains on.

    Formula:  utilisation * peak_flops / (6 * active_parameters)
    Assumes:  6 operations a parameter and token; of a mixture of experts the active parameters
    Source:   arXiv 2001.08361, section 2.1 (checked 2026-11-29)
    Raises:   InputError if there are no parameters

    >>> round(token_rate(utilisation=0.4, peak_flops=989.5e12, active_parameters=70e9))
    942
    """
    if active_parameters <= 0:
        message = f"model: {active_parameters:g} active parameters; there must be some"
        raise InputError(message)
    return utilisation * peak_flops / (6 * active_parameters)


def accelerators_fed(*, bandwidth: Bandwidth, samples_per_s_per_gpu: float, sample_size: Size) -> int:
    """
    Accelerators that a read bandwidth feeds.

    Formula:  floor(bandwidth / (samples_per_s_per_gpu * sample_size))
    Assumes:  at the benchmark's least utilisation
    Source:   mlcommons/storage: rules (checked 2026-11-29)
    Raises:   InputError if one accelerator reads nothing

    >>> accelerators_fed(bandwidth=Bandwidth(100e9), samples_per_s_per_gpu=19.505, sample_size=Size(146_600_628))
    34
    """
    each = samples_per_s_per_gpu * sample_size.bytes
    if each <= 0:
        message = "dataset: one accelerator reads 0 B/s; any number is fed"
        raise InputError(message)
    return math.floor(bandwidth.bytes_per_s / each)


def samples(*, size: Size, sample_size: Size) -> int:
    """
    Samples of a dataset.

    Formula:  ceil(size / sample_size)
    Assumes:  samples of one mean size
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if a sample has no size

    >>> samples(size=Size(146.88e9), sample_size=Size(114_660.07))
    1281004
    """
    if not sample_size:
        message = "dataset.sample_size: 0 B; a sample has a size"
        raise InputError(message)
    return math.ceil(size / sample_size * (1 - 1e-14))  # float noise is no sample


def grown_size(*, size: Size, growth_per_year: float, year: int) -> Size:
    """
    A dataset after some years.

    Formula:  size * (1 + growth_per_year)**year
    Assumes:  the same growth every year; year 0 is today
    Source:   definition (checked 2026-11-29)

    >>> grown_size(size=Size(10e12), growth_per_year=0.4, year=2).show()
    '19.6 TB'
    """
    return size * (1 + growth_per_year) ** year


def prefetch(*, processes: int, workers: int, prefetch: int, batch: int, sample_size: Size) -> Size:
    """
    Host memory of one GPU node that the loaders' ready batches take.

    Formula:  processes * workers * prefetch * batch * sample_size
    Assumes:  one loader process a GPU; the workers' own memory comes on top
    Source:   torch 2.14.1: torch.utils.data.DataLoader, prefetch_factor (checked 2026-11-29)

    >>> prefetch(processes=8, workers=8, prefetch=2, batch=400, sample_size=Size(114_660)).show()
    '5.87 GB'
    """
    return sample_size * (processes * workers * prefetch * batch)


def worker_memory(
    *, processes: int, workers: int, prefetch: int, batch_size: Size, worker_overhead: Size, pinned: int
) -> Size:
    """
    Host memory of one GPU node that the data loaders take in all.

    Formula:  processes * (workers * (prefetch*batch_size + worker_overhead) + pinned*batch_size)
    Assumes:  0.3 to 1 GB a worker process, unverified; pinned batches wait for the copy to the GPU
    Source:   torch 2.14.1: torch.utils.data.DataLoader; worker overhead assumed (checked 2026-11-29)

    >>> worker_memory(processes=8, workers=8, prefetch=2, batch_size=Size(200e6), worker_overhead=Size(0.5e9),
    ...               pinned=0).show()
    '57.6 GB'
    """
    worker = batch_size * prefetch + worker_overhead
    return (worker * workers + batch_size * pinned) * processes


def worker_bandwidth(*, sample_size: Size, latency: Duration, stream: Bandwidth) -> Bandwidth:
    """
    What one loader worker reads, one sample after another.

    Formula:  sample_size / (latency + sample_size / stream)
    Assumes:  one read in flight a worker: small files are bound by latency
    Source:   derived from DataLoader's one sample at a time (checked 2026-11-29)
    Raises:   InputError if a read takes no time

    >>> worker_bandwidth(sample_size=Size(110e3), latency=Duration(0.005), stream=Bandwidth(1e9)).show()
    '21.5 MB/s'
    """
    time = latency + sample_size / stream
    if time.s <= 0:
        message = "dataset.sample_size: 0 B read in no time"
        raise InputError(message)
    return sample_size / time


def epoch(*, read: Size, bandwidth: Bandwidth, compute: Duration) -> Duration:
    """
    Time of one epoch: the slower of reading and computing.

    Formula:  max(read / bandwidth, compute)
    Assumes:  reading and computing overlap; what the cache holds is not read again
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing can be read

    >>> epoch(read=Size(10e12), bandwidth=Bandwidth(50e9), compute=Duration(0)).show("s")
    '200 s'
    """
    if not read:
        return compute
    if not bandwidth:
        message = "dataset: the tier reads at 0 B/s; an epoch never ends"
        raise InputError(message)
    return max(read / bandwidth, compute)


def first_epoch_after_preload(*, preload: Size, bandwidth: Bandwidth, epoch: Duration) -> Duration:
    """
    Time of the first epoch where the cache is filled before it begins.

    Formula:  preload / bandwidth + epoch
    Assumes:  the pre-load reads alone, at what other work leaves of the tier
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing can be read

    >>> first_epoch_after_preload(preload=Size(1.28e15), bandwidth=Bandwidth(100e9), epoch=Duration(3600)).show("h")
    '4.56 h'
    """
    if not bandwidth:
        message = "dataset: the tier reads at 0 B/s; the cache is never filled"
        raise InputError(message)
    return preload / bandwidth + epoch


def compute_time(*, size: Size, bandwidth: Bandwidth) -> Duration:
    """
    Time that the GPUs need for one epoch when no data is missing.

    Formula:  size / bandwidth
    Assumes:  bandwidth is what the job reads at the stated rate of its GPUs
    Source:   definition; samples / (gpus * samples per second), in bytes (checked 2026-11-29)
    Raises:   InputError if nothing is read

    >>> compute_time(size=Size(146.88e9), bandwidth=Bandwidth(70.4e9)).show()
    '2.09 s'
    """
    if not bandwidth:
        message = "dataset: the GPUs read 0 B/s; an epoch never ends"
        raise InputError(message)
    return size / bandwidth


def missed(*, size: Size, hit_fraction: float) -> Size:
    """
    What one epoch reads from the shared tier when the cache is warm.

    Formula:  size * (1 - hit_fraction)
    Assumes:  every sample once an epoch
    Source:   definition (checked 2026-11-29)

    >>> missed(size=Size(10e12), hit_fraction=0.75).show()
    '2.5 TB'
    """
    return size * (1 - hit_fraction)


def benchmark_samples(*, batch: int, accelerators: int, hosts: int, host_memory: Size, sample_size: Size) -> int:
    """
    Least samples of a benchmark dataset, so that caching cannot distort it.

    Formula:  max(500*batch*accelerators, 5*hosts*host_memory/sample_size), rounded down
    Assumes:  five times the memory of all hosts
    Source:   mlcommons/storage: mlpstorage/rules.py (checked 2026-11-29)

    >>> benchmark_samples(batch=7, accelerators=8, hosts=1, host_memory=Size(512 * 2**30),
    ...                   sample_size=Size(146_600_628))
    28000
    """
    by_memory = MEMORY_RULE * hosts * (host_memory / sample_size)
    return max(SAMPLES_RULE * batch * accelerators, math.floor(by_memory))
