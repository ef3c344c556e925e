"""The dataset of a training workload as reads of the shared tier and of the local drives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tierplan.demand import cache, dataset_read, loader, metadata, near
from tierplan.demand.job import Job
from tierplan.demand.sheet import Asked, Sheet, Stored
from tierplan.domain.figures import Known
from tierplan.domain.need import Load, Tier, TimeTarget
from tierplan.domain.stack import Dataset, Stack
from tierplan.units import Bandwidth, OpRate, Size

PACKED = ("webdataset", "tfrecord", "mindrecord", "parquet", "hdf5", "lmdb")
"""Formats that hold many samples in one file; `files` and (unless it says otherwise) `npy` hold one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one job reads, before and after the cache."""

    gross: Known[Bandwidth]
    ops: Known[OpRate]
    hits: Known[float]
    shared: Known[Bandwidth]


def datasets(job: Job, *, taken: Known[Size]) -> Asked:
    """What reading asks of the tiers; `taken` is what other uses hold of a GPU node's drives."""
    asked = job.work.dataset
    if asked is None:
        return Asked()
    size = job.sheet.given(asked.size, "dataset.size")
    files = _files(job, asked, size)
    gross = _gross(job, asked)
    held, hits = _cached(job, asked, size, taken)
    near.page_caches(job, asked, held, size)
    stored = Stored(kind="dataset", tier=job.sheet.shared, workload=job.work.name, size=size, files=files)
    name = f"{job.work.name}.dataset"
    on_node = {name: held} if held is not None else {}
    if gross is None:
        line = f"{name}: no rate is given, so it counts for capacity only"
        return Asked(stored=(stored,), on_node=on_node, because={job.sheet.shared: (line,)})
    reading = Reading(
        gross=gross,
        ops=_ops(job, asked, gross),
        hits=hits,
        shared=job.sheet.figure(
            "dataset.shared_read_bytes_per_s", cache.shared_bandwidth, bandwidth=gross, hit_fraction=hits
        ),
    )
    _prefetch(job, asked)
    filled = _filled(job, asked)
    filling = asked.cache == "fill-on-read" and held is not None and bool(held.value) and hits.value < 1
    return Asked(
        loads=(*_loads(job, asked, reading, fills=filling), *filled.loads),
        stored=(stored,),
        on_node=on_node,
        targets=filled.targets,
        written=_written(job, reading) if filling else {},
    )


def shares_cache(stack: Stack) -> bool | None:
    """Whether the local tier's software lets nodes read from one another; None where it caches no datasets at all."""
    local = stack.tiers.local
    if local.software == "fluid":
        return local.options.get("runtime", "alluxio") != "juicefs"
    return {"alluxio": True, "juicefs": False}.get(local.software)


def cache_mode(stack: Stack, asked: Dataset) -> str:
    """
    How the cache behaves with the software that is named, whatever the stack calls it.

    Software without sharing keeps a cache for each node; one that shares keeps what any node has read.
    """
    shared = shares_cache(stack)
    if asked.cache == "distributed" and shared is False:
        return "preload"
    if asked.cache == "fill-on-read" and shared:
        return "shared-fill"
    return asked.cache


def packed(asked: Dataset) -> bool:
    """Whether a file of this dataset holds many samples."""
    return asked.format in PACKED or (asked.format == "npy" and (asked.samples_per_shard or 1) > 1)


def _loads(job: Job, asked: Dataset, reading: Reading, *, fills: bool) -> tuple[Load, ...]:
    """Reads of the shared tier and of local drives; `fills`: what is missed is written to them."""
    name, running = f"{job.work.name}.dataset", job.running.value
    share = job.node_gpus.value / job.gpus.value
    hits = reading.hits.value
    words = f"{name}: {reading.gross.value.show()} a job" + (f", {running} jobs" if running > 1 else "")
    words += f", cache {asked.cache} holds {hits:.1%}" if asked.cache != "none" else ""
    shared = Load(
        id=name,
        tier=job.sheet.shared,
        when="continuous",
        read=reading.shared.value * running,
        op_rate=metadata.missed_rate(rate=reading.ops.value, hit_fraction=hits) * running,
        node_read=reading.shared.value * share,
        because=words,
    )
    if not hits and not fills:
        return (shared,)
    local = Load(
        id=name,
        tier="local",
        when="continuous",
        node_read=reading.gross.value * (hits * share),
        node_write=shared.node_read if fills else Bandwidth.zero(),
        nodes=job.nodes.value * running,
        because=words + (f", misses are written: {shared.node_read.show()} on a node" if fills else ""),
    )
    return (shared, local)


def _written(job: Job, reading: Reading) -> dict[Tier, Size]:
    """The figure of what a cache that fills while it is read writes to the drives of a node in a day."""
    share = job.node_gpus.value / job.gpus.value
    daily = job.sheet.figure(
        "dataset.local_written_bytes_per_day",
        cache.evicted_per_day,
        bandwidth=reading.gross,
        hit_fraction=reading.hits,
        share=Known(share, "figure " + f"{job.sheet.name}.jobs.node_gpus{job.sheet.suffix}"),
    )
    return {"local": daily.value}


def _filled(job: Job, asked: Dataset) -> Asked:
    """Filling the caches before training as a burst on the shared tier, where the stack gives it a time."""
    sheet, name = job.sheet, f"{job.work.name}.dataset"
    volume = _volume_of(sheet)
    if asked.preload_within is None or volume is None:
        return Asked()
    rate = sheet.figure(
        "dataset.preload_read_bytes_per_s",
        cache.fill_bandwidth,
        volume=volume,
        within=sheet.given(asked.preload_within, "dataset.preload_within"),
    )
    words = f"{name}.preload: {volume.value.show()} into the caches within {asked.preload_within.show()}"
    target = TimeTarget(
        policy="cache-fill-time",
        figure=f"{name}.preload_s",
        within_s=asked.preload_within.s,
        volume=volume.value,
        tier=sheet.shared,
    )
    return Asked(loads=_filling(job, name, rate.value, words), targets=(target,))


def _filling(job: Job, name: str, rate: Bandwidth, words: str) -> tuple[Load, Load]:
    """The burst as the shared tier reads it, and as the local drives write it."""
    each = rate / job.nodes.value
    shared = Load(
        id=f"{name}.preload",
        tier=job.sheet.shared,
        when="burst",
        phase="preload",
        read=rate,
        node_read=each,
        pauses=(name,),
        pauses_share=1 / job.running.value,
        because=words,
    )
    local = replace(
        shared,
        tier="local",
        read=Bandwidth.zero(),
        node_read=Bandwidth.zero(),
        node_write=each,
        pauses_share=1.0,
        nodes=job.nodes.value,
    )
    return shared, local


def _volume_of(sheet: Sheet) -> Known[Size] | None:
    """What filling the caches reads: of a preload on each node, or of a cache that nodes share."""
    for quantity in ("dataset.preload_bytes", "dataset.fill_bytes"):
        figure = sheet.ledger.figures.get(f"{sheet.name}.{quantity}{sheet.suffix}")
        if figure is not None:
            return Known(Size(figure.number), f"figure {figure.id}")
    return None


def _gross(job: Job, asked: Dataset) -> Known[Bandwidth] | None:
    """The figure of what one job reads before any cache; None where no rate is given."""
    sheet = job.sheet
    if asked.tokens is not None:
        return sheet.figure(
            "dataset.read_bytes_per_s",
            dataset_read.token_bandwidth,
            gpus=job.gpus,
            tokens_per_s_per_gpu=sheet.given(asked.tokens.per_s_per_gpu, "dataset.tokens.per_s_per_gpu"),
            bytes_per_token=sheet.given(asked.tokens.bytes_per_token, "dataset.tokens.bytes_per_token"),
        )
    if asked.samples_per_s_per_gpu is None or asked.sample_size is None:
        return None
    return sheet.figure(
        "dataset.read_bytes_per_s",
        dataset_read.sample_bandwidth,
        gpus=job.gpus,
        samples_per_s_per_gpu=sheet.given(asked.samples_per_s_per_gpu, "dataset.samples_per_s_per_gpu"),
        sample_size=sheet.given(asked.sample_size, "dataset.sample_size"),
    )


def _samples_per_shard(job: Job, asked: Dataset) -> Known[int]:
    """Given, or what fills a shard of the usual size."""
    if asked.samples_per_shard is not None:
        return job.sheet.given(asked.samples_per_shard, "dataset.samples_per_shard")
    return job.sheet.figure(
        "dataset.samples_per_shard",
        metadata.samples_per_shard,
        sample_size=job.sheet.given(asked.sample_size or metadata.SHARD, "dataset.sample_size"),
        shard=Known(metadata.SHARD, "constant"),
    )


def _files(job: Job, asked: Dataset, size: Known[Size]) -> Known[int] | None:
    """The figures of samples and shards; what of them are files."""
    if asked.sample_size is None:
        return None
    samples = job.sheet.figure(
        "dataset.samples",
        dataset_read.samples,
        size=size,
        sample_size=job.sheet.given(asked.sample_size, "dataset.sample_size"),
    )
    if not packed(asked):
        return samples
    shards = job.sheet.figure(
        "dataset.shards", metadata.shards, samples=samples, samples_per_shard=_samples_per_shard(job, asked)
    )
    if asked.loader is not None:
        workers = job.sheet.given(asked.loader.workers, "dataset.loader.workers")
        job.sheet.figure("dataset.even_shards", loader.even_shards, shards=shards, gpus=job.gpus, workers=workers)
    return shards


def _ops(job: Job, asked: Dataset, gross: Known[Bandwidth]) -> Known[OpRate]:
    """The figure of what one job opens, before any cache."""
    sheet, quantity = job.sheet, "dataset.metadata_ops_per_s"
    if asked.tokens is not None or asked.samples_per_s_per_gpu is None:
        shard = Known(metadata.SHARD, "constant")
        return sheet.figure(quantity, metadata.stream_rate, bandwidth=gross, shard=shard)
    rate = sheet.given(asked.samples_per_s_per_gpu, "dataset.samples_per_s_per_gpu")
    each = sheet.given(asked.file_operations_per_sample, "dataset.file_operations_per_sample")
    if not packed(asked):
        return sheet.figure(
            quantity,
            metadata.file_rate,
            gpus=job.gpus,
            samples_per_s_per_gpu=rate,
            file_operations_per_sample=each,
        )
    return sheet.figure(
        quantity,
        metadata.shard_rate,
        gpus=job.gpus,
        samples_per_s_per_gpu=rate,
        file_operations_per_sample=each,
        samples_per_shard=_samples_per_shard(job, asked),
    )


def _cached(job: Job, asked: Dataset, size: Known[Size], taken: Known[Size]) -> tuple[Known[Size] | None, Known[float]]:
    """The figures of what a GPU node holds and of the hit fraction, by the rule of the cache mode."""
    sheet = job.sheet
    if asked.cache == "none" or not sheet.permits("dataset-cache"):
        return None, sheet.figure("dataset.hit_fraction", cache.no_hits)
    nvme, path = sheet.stack.local_drives, sheet.stack.local_path
    room = sheet.figure(
        "dataset.node_cache_bytes",
        cache.node_cache,
        drives=sheet.of_stack(nvme.drives, f"{path}.drives"),
        drive_size=sheet.of_stack(nvme.size, f"{path}.size"),
        formatted=Known(cache.FORMATTED, "constant"),
        max_fill=sheet.of_stack(sheet.stack.targets.max_fill, "targets.max_fill"),
        taken=taken,
    )
    mode = cache_mode(sheet.stack, asked)
    whole = mode in ("preload", "fill-on-read")
    held = sheet.figure(
        "dataset.cached_bytes_per_node",
        cache.cached_on_node,
        size=size,
        node_cache=room,
        nodes=job.nodes,
        copies=job.nodes if whole else sheet.given(asked.cache_copies, "dataset.cache_copies"),
    )
    return held, _hits(job, asked, size, room)


def _hits(job: Job, asked: Dataset, size: Known[Size], room: Known[Size]) -> Known[float]:
    sheet, quantity = job.sheet, "dataset.hit_fraction"
    copies = sheet.given(asked.cache_copies, "dataset.cache_copies")
    match cache_mode(sheet.stack, asked):
        case "preload":
            _volume(job, size, room)
            return sheet.figure(quantity, cache.preload_hits, size=size, node_cache=room)
        case "distributed":
            _shared_volume(job, size, room, copies)
            return sheet.figure(
                quantity, cache.distributed_hits, size=size, node_cache=room, nodes=job.nodes, copies=copies
            )
        case "sticky":
            _shared_volume(job, size, room, Known(1, "constant"))
            return sheet.figure(quantity, cache.sticky_hits, size=size, node_cache=room, nodes=job.nodes)
        case "shared-fill":
            return sheet.figure(quantity, cache.shared_fill_hits, size=size, node_cache=room, nodes=job.nodes)
        case _:
            return sheet.figure(
                quantity,
                cache.fill_on_read_hits,
                nodes=job.nodes,
                epochs=Known(1, "constant"),
                size=size,
                node_cache=room,
            )


def _volume(job: Job, size: Known[Size], room: Known[Size]) -> None:
    """The figure of what filling the caches reads once; there is no time target for it, so it is no load."""
    job.sheet.figure("dataset.preload_bytes", cache.preload_volume, size=size, node_cache=room, nodes=job.nodes)


def _shared_volume(job: Job, size: Known[Size], room: Known[Size], copies: Known[int]) -> None:
    """The figure of what filling a cache that nodes share, or share out, reads once."""
    job.sheet.figure(
        "dataset.fill_bytes", cache.fill_volume, size=size, copies=copies, node_cache=room, nodes=job.nodes
    )


def _prefetch(job: Job, asked: Dataset) -> None:
    """The figure of the host memory that ready batches take on a GPU node."""
    if asked.loader is None or asked.sample_size is None:
        return
    sheet = job.sheet
    sheet.figure(
        "dataset.prefetch_bytes_per_node",
        dataset_read.prefetch,
        processes=job.node_gpus,
        workers=sheet.given(asked.loader.workers, "dataset.loader.workers"),
        prefetch=sheet.given(asked.loader.prefetch, "dataset.loader.prefetch"),
        batch=sheet.given(asked.loader.batch, "dataset.loader.batch"),
        sample_size=sheet.given(asked.sample_size, "dataset.sample_size"),
    )
