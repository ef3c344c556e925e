"""One checkpoint: how large it is, how fast it must go, what it costs memory, metadata and drives."""

from __future__ import annotations

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, OpRate, Size

OPS_PER_FILE = 4  # create, fsync, rename into place, delete of the rotated-out one
DAY = Duration(86400.0)


def size(*, parameters: float, bytes_per_parameter: float) -> Size:
    """
    Size of one full checkpoint; independent of the number of GPUs.

    Formula:  parameters * bytes_per_parameter
    Assumes:  all parameters (of a mixture of experts: the total); random state and loader state are megabytes
    Source:   bigscience-workshop/bigscience: train/tr11-176B-ml/README.md (checked 2026-11-29)

    >>> size(parameters=70e9, bytes_per_parameter=14).show()
    '980 GB'
    """
    return Size(parameters * bytes_per_parameter)


def benchmark_size(*, parameters: int, layers: int, hidden: int, tensor: int, ranks: int) -> Size:
    """
    What the MLPerf Storage checkpoint workload writes for a model of this shape.

    Formula:  2*parameters + 12*(parameters // ranks)*ranks + 2*(tensor - 1)*(2*layers + 1)*hidden + 60*hidden*ranks
    Assumes:  fp16 norm weights are written by every tensor-parallel rank; each rank adds 3 * 5*hidden floats
    Source:   argonne-lcf/dlio_benchmark: dlio_benchmark/checkpointing/base_checkpointing.py (checked 2026-11-29)

    >>> benchmark_size(parameters=8_030_261_248, layers=32, hidden=4096, tensor=1, ranks=8).show("GiB", digits=9)
    '104.704521 GiB'
    """
    norms = (tensor - 1) * (2 * layers + 1) * hidden
    optimizer = parameters // ranks * ranks
    return Size(2.0 * (parameters + norms) + 12.0 * optimizer + 60.0 * hidden * ranks)


def write_bandwidth(*, size: Size, changed_fraction: float, allowed_stall: Duration) -> Bandwidth:
    """
    Aggregate bandwidth that writes one synchronous checkpoint within the stall.

    Formula:  size * changed_fraction / allowed_stall
    Assumes:  every rank writes its own shard at once, fsync included; training stands still meanwhile
    Source:   definition; meta.com Llama 3, N-to-N checkpoints, arXiv 2407.21783 (checked 2026-11-29)
    Raises:   InputError if the stall is zero

    >>> write_bandwidth(size=Size(980e9), changed_fraction=1.0, allowed_stall=Duration(54)).show()
    '18.1 GB/s'
    """
    if allowed_stall.s <= 0:
        message = "checkpoint: the allowed stall is 0 s, no bandwidth is enough; raise overhead, or save asynchronously"
        raise InputError(message)
    return size * changed_fraction / allowed_stall


def drain_window(*, interval: Duration, drain_fraction: float) -> Duration:
    """
    Time in which a checkpoint that training does not wait for must be on the shared tier.

    Formula:  interval * drain_fraction
    Assumes:  it must end before the next one begins, with time to spare
    Source:   torch 2.14.1 dcp.async_save: the background write must end within the interval (checked 2026-11-29)

    >>> drain_window(interval=Duration(1800), drain_fraction=0.8).show()
    '24 min'
    """
    return interval * drain_fraction


def drain_bandwidth(*, size: Size, changed_fraction: float, drain_fraction: float, interval: Duration) -> Bandwidth:
    """
    Bandwidth that brings a checkpoint to the shared tier in the background.

    Formula:  size * changed_fraction / (drain_fraction * interval)
    Assumes:  the write is spread evenly over its share of the interval
    Source:   definition; torch 2.14.1 dcp.async_save (checked 2026-11-29)
    Raises:   InputError if the interval or the fraction is zero

    >>> drain_bandwidth(size=Size(980e9), changed_fraction=1.0, drain_fraction=0.8, interval=Duration(1800)).show()
    '681 MB/s'
    """
    window = interval * drain_fraction
    if window.s <= 0:
        message = "checkpoint: the time to drain is 0 s; raise interval or drain_fraction"
        raise InputError(message)
    return size * changed_fraction / window


def node_write_bandwidth(*, node_bytes: Size, changed_fraction: float, window: Duration) -> Bandwidth:
    """
    Bandwidth that the busiest GPU node needs for its part of a checkpoint.

    Formula:  node_bytes * changed_fraction / window
    Assumes:  the busiest node decides: a checkpoint is complete with its slowest writer
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the window is zero

    >>> node_write_bandwidth(node_bytes=Size(7.65625e9), changed_fraction=1.0, window=Duration(54)).show()
    '142 MB/s'
    """
    if window.s <= 0:
        message = "checkpoint: the time to write is 0 s; raise overhead, interval or drain_fraction"
        raise InputError(message)
    return node_bytes * changed_fraction / window


def staging(*, node_bytes: Size, copies: int, slack: float) -> Size:
    """
    Host memory of one GPU node that asynchronous checkpoints take.

    Formula:  node_bytes * copies * (1 + slack)
    Assumes:  a second copy is begun while the first is still being written
    Source:   AI-Hypercomputer/maxtext: docs/guides/checkpointing_solutions/multi_tier_checkpointing.md, ramdisk rule
              (checked 2026-11-29)

    >>> staging(node_bytes=Size(7.65625e9), copies=2, slack=0.15).show()
    '17.6 GB'
    """
    return node_bytes * (copies * (1 + slack))


def device_copy_time(*, size: Size, gpus: int, copy_rate: Bandwidth) -> Duration:
    """
    Time that an asynchronous checkpoint blocks training: the copy from GPU to host memory.

    Formula:  size / gpus / copy_rate
    Assumes:  every GPU copies its shard over its own PCIe lanes; the barrier comes on top
    Source:   intelligent-machine-learning/dlrover: docs/blogs/flash_checkpoint.md (checked 2026-11-29)
    Raises:   InputError if there are no GPUs or nothing is copied per second

    >>> device_copy_time(size=Size(980e9), gpus=1024, copy_rate=Bandwidth(32e9)).show()
    '29.9 ms'
    """
    if gpus <= 0 or not copy_rate:
        message = f"checkpoint: {gpus} GPUs at {copy_rate.show()} copy nothing"
        raise InputError(message)
    return size / gpus / copy_rate


def stall(
    *,
    size: Size,
    changed_fraction: float,
    at_once: int,
    available: Bandwidth,
    node_bytes: Size,
    client: Bandwidth,
) -> Duration:
    """
    Time that a synchronous checkpoint stops training on this plan.

    Formula:  max(size * changed_fraction * at_once / available, node_bytes * changed_fraction / client)
    Assumes:  jobs whose bursts coincide share the tier; the busiest GPU node may be what is slow
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing can be written

    >>> stall(size=Size(980e9), changed_fraction=1.0, at_once=1, available=Bandwidth(49e9), node_bytes=Size(7.7e9),
    ...       client=Bandwidth(40e9)).show()
    '20 s'
    """
    if not available or not client:
        message = "checkpoint: the tier writes at 0 B/s; the stall never ends"
        raise InputError(message)
    return max(size * (changed_fraction * at_once) / available, node_bytes * changed_fraction / client)


def local_stall(
    *, node_bytes: Size, changed_fraction: float, replicas: int, available: Bandwidth, client: Bandwidth
) -> Duration:
    """
    Time that a checkpoint stops training where it lands on the GPU node's own drives.

    Formula:  max(node_bytes*changed_fraction*replicas / available, node_bytes*changed_fraction*(replicas - 1) / client)
    Assumes:  with a peer each node writes its own part and a peer's, which comes over the network
    Source:   NVIDIA/Megatron-LM: --replication-factor 2 writes twice the shard into local storage
              (checked 2026-11-29)
    Raises:   InputError if nothing can be written

    >>> local_stall(node_bytes=Size(7.65625e9), changed_fraction=1.0, replicas=2, available=Bandwidth(5e9),
    ...             client=Bandwidth(50e9)).show()
    '3.06 s'
    """
    if not available or not client:
        message = "checkpoint: the local drives write at 0 B/s; the stall never ends"
        raise InputError(message)
    own = node_bytes * changed_fraction
    return max(own * replicas / available, own * (replicas - 1) / client)


def metadata_rate(*, files: int, window: Duration) -> OpRate:
    """
    Metadata operations that one checkpoint asks for.

    Formula:  (4*files + 1) / window
    Assumes:  each file is created, synced, renamed into place and one old file deleted; one directory is made
    Source:   torch 2.14.1: torch/distributed/checkpoint, sync_files, temporary name and rename (checked 2026-11-29)
    Raises:   InputError if the window is zero

    >>> metadata_rate(files=1025, window=Duration(54)).show()
    '75.9 ops/s'
    """
    if window.s <= 0:
        message = "checkpoint: the time to write is 0 s; raise overhead, interval or drain_fraction"
        raise InputError(message)
    return OpRate((OPS_PER_FILE * files + 1) / window.s)


def written_per_day(*, size: Size, changed_fraction: float, interval: Duration) -> Size:
    """
    Bytes that the checkpoints of one job write in a day.

    Formula:  size * changed_fraction * 86400 / interval
    Assumes:  the job runs all day
    Source:   definition; what drive endurance (DWPD) is held against (checked 2026-11-29)
    Raises:   InputError if the interval is zero

    >>> written_per_day(size=Size(980e9), changed_fraction=1.0, interval=Duration(1800)).show(digits=4)
    '47.04 TB'
    """
    if interval.s <= 0:
        message = "checkpoint.interval: 0 s; there must be time between two checkpoints"
        raise InputError(message)
    return size * (changed_fraction * (DAY / interval))


def local_copies(*, node_bytes: Size, replicas: int) -> Size:
    """
    What first landing keeps on the drives of one GPU node.

    Formula:  2 * node_bytes * replicas
    Assumes:  the newest complete checkpoint and the one being written; with a peer copy each node holds two of each
    Source:   NVIDIA/Megatron-LM: --replication-factor 2 writes twice the shard into local storage
              (checked 2026-11-29)

    >>> local_copies(node_bytes=Size(7.65625e9), replicas=2).show()
    '30.6 GB'
    """
    return node_bytes * (2 * replicas)


def peer_bandwidth(*, node_bytes: Size, changed_fraction: float, copies: int, window: Duration) -> Bandwidth:
    """
    What one GPU node sends to its peers, and takes in from them, while a checkpoint lands.

    Formula:  node_bytes * changed_fraction * copies / window
    Assumes:  copies on peers, as many as beside a node's own; sent while they are written, over the ports to storage
    Source:   NVIDIA/Megatron-LM: replication of local checkpoints moves each shard once a copy (checked 2026-11-29)
    Raises:   InputError if there is no time

    >>> peer_bandwidth(node_bytes=Size(7.66e9), changed_fraction=1.0, copies=1, window=Duration(54)).show("MB/s")
    '142 MB/s'
    """
    if window.s <= 0:
        message = "checkpoint: 0 s to copy it to a peer; give it time (overhead, blocking or drain_fraction)"
        raise InputError(message)
    return node_bytes * (changed_fraction * copies) / window


def endurance(*, written_per_day: Size, drives: int, drive_size: Size) -> float:
    """
    Drive writes per day (DWPD) that one GPU node's drives must stand.

    Formula:  written_per_day / (drives * drive_size)
    Assumes:  writes are spread evenly over the drives; no amplification inside the drive
    Source:   definition of DWPD in drive data sheets (checked 2026-11-29)
    Raises:   InputError if there are no drives

    >>> round(endurance(written_per_day=Size(8.82e12), drives=4, drive_size=Size(7.68e12)), 2)
    0.29
    """
    if drives <= 0 or not drive_size:
        message = f"local_nvme: {drives} drives of {drive_size.show()}; nothing can be written there"
        raise InputError(message)
    return written_per_day / (drive_size * drives)


def archive_bandwidth(*, size: Size, archive_every: Duration) -> Bandwidth:
    """
    Bandwidth of the copies that go to the cold tier.

    Formula:  size / archive_every
    Assumes:  full checkpoints, copied evenly over the time until the next one is due
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the time is zero

    >>> archive_bandwidth(size=Size(980e9), archive_every=Duration(86400)).show()
    '11.3 MB/s'
    """
    if archive_every.s <= 0:
        message = "checkpoint.archive_every: 0 s; there must be time between two copies"
        raise InputError(message)
    return size / archive_every
