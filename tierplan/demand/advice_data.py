"""What somebody should know about a dataset: packing, formats, caches, loaders."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.demand import cache, dataset_read, loader, metadata
from tierplan.demand.loads_dataset import cache_mode, packed, shares_cache
from tierplan.demand.noticed import Seen, advisory, mandatory
from tierplan.demand.sheet import shared_tier
from tierplan.domain.need import Advice
from tierplan.domain.stack import Dataset, Loader, Training
from tierplan.units import OpRate, Size


def dataset_advice(seen: Seen, work: Training) -> Iterator[Advice]:
    """Everything to say about one training workload's dataset."""
    asked = work.dataset
    if asked is None:
        return
    yield from _pack(seen, work, asked)
    yield from _format(seen, work, asked)
    yield from _cache(seen, work, asked)
    if asked.loader is not None:
        yield from _loader(seen, work, asked, asked.loader)


def _pack(seen: Seen, work: Training, asked: Dataset) -> Iterator[Advice]:
    """Many small files belong into few shards."""
    rate = seen.quantity(f"{work.name}.dataset.metadata_ops_per_s", OpRate)
    samples = seen.number(f"{work.name}.dataset.samples")
    if packed(asked) or asked.sample_size is None or samples is None or asked.sample_size >= loader.LEAST_FILE:
        return
    each = metadata.samples_per_shard(sample_size=asked.sample_size, shard=metadata.SHARD)
    nodes = int(seen.number(f"{work.name}.jobs.nodes") or 1)
    shards = metadata.good_shards(size=asked.size, readers=nodes, shard=metadata.SHARD)
    opens = f" and opens from {rate.show()} to {(rate * (1 / each)).show()}" if rate is not None else ""
    yield advisory(
        "advice-pack-files",
        f"{work.name}: packing {samples:,.0f} files of {asked.sample_size.show()} into {shards:,} shards cuts files "
        f"{samples / shards:,.0f} times{opens}",
        "pack the samples (webdataset, tfrecord, mindrecord); small files are packed, not bought",
        required=rate.base if rate is not None else samples,
        planned=rate.base / each if rate is not None else shards,
        unit="ops_per_s" if rate is not None else "count",
    )


def _format(seen: Seen, work: Training, asked: Dataset) -> Iterator[Advice]:
    """A format that does not suit how it is read here, or shards that are too small."""
    words = loader.WORDS[asked.format]
    if asked.format == "lmdb" and asked.cache != "preload":
        yield advisory(
            "advice-format",
            f"{work.name}: lmdb with cache {asked.cache}: {words}",
            "set dataset.cache: preload, or pack the samples as webdataset or tfrecord",
        )
    if asked.format == "hdf5" and shared_tier(seen.stack) == "cold":
        yield advisory(
            "advice-format",
            f"{work.name}: hdf5 straight from the object store: {words}",
            "plan a hot tier, or pack the samples as webdataset or parquet",
        )
    if asked.sample_size is None or not packed(asked) or asked.samples_per_shard is None:
        return
    size = loader.shard_size(sample_size=asked.sample_size, samples_per_shard=asked.samples_per_shard)
    if size >= loader.LEAST_FILE or asked.format in ("hdf5", "lmdb"):
        return
    each = metadata.samples_per_shard(sample_size=asked.sample_size, shard=metadata.SHARD)
    yield advisory(
        "advice-format",
        f"{work.name}: {asked.format} shards of {size.show()} are small (10 MB at least, {metadata.SHARD.show()} to "
        f"1 GB is usual); {words}",
        f"put about {each:,} samples into a shard (dataset.samples_per_shard)",
        required=loader.LEAST_FILE.base,
        planned=size.base,
        unit="bytes",
    )


def _cache(seen: Seen, work: Training, asked: Dataset) -> Iterator[Advice]:
    """A cache mode that does not take off what one may think."""
    if asked.cache == "none":
        return
    if "dataset-cache" not in seen.stack.tiers.local.use:
        yield advisory(
            "cache-mode",
            f"{work.name}: dataset.cache is {asked.cache}, but tiers.local.use does not permit dataset-cache; "
            "the hit fraction is 0 and the shared tier is planned for every read",
            "add dataset-cache to tiers.local.use, or set cache: none",
            required=1,
            planned=0,
            unit="fraction",
        )
        return
    hits = seen.number(f"{work.name}.dataset.hit_fraction") or 0.0
    room = seen.quantity(f"{work.name}.dataset.node_cache_bytes", Size) or Size.zero()
    nodes = int(seen.number(f"{work.name}.jobs.nodes") or 1)
    mode = cache_mode(seen.stack, asked)
    if mode == "fill-on-read" and nodes > 1:
        yield _epoch_two(work, asked, room, nodes, hits)
    elif hits < 1:
        yield advisory(
            "cache-mode",
            f"{work.name}: {room.show()} of cache on a node, {nodes} nodes and a dataset of {asked.size.show()} "
            f"with cache {asked.cache}: {hits:.1%} of the reads are hits, not all",
            "add local drives, shard the dataset over the nodes (distributed or sticky), or plan for the misses",
            required=1,
            planned=hits,
            unit="fraction",
        )
    if asked.cache == "distributed":
        yield from _shared(seen, work, nodes=nodes, hits=hits)


def _shared(seen: Seen, work: Training, *, nodes: int, hits: float) -> Iterator[Advice]:
    """A cache that is claimed to be one over all nodes, with software that makes none of it."""
    shares = shares_cache(seen.stack)
    if shares is False:
        yield mandatory(
            "cache-mode",
            f"{work.name}: cache distributed claims one cache over {nodes} nodes; {_software(seen)} keeps a cache for "
            f"each client, of which {hits:.1%} are hits",
            "write cache: preload where a node's drives hold the dataset, or software: alluxio",
            required=1,
            planned=0,
            unit="count",
        )
    elif shares is None:
        yield advisory(
            "cache-mode",
            f"{work.name}: a distributed cache needs software that lets nodes read from one another; "
            f"tiers.local.software is {_software(seen)}, the hit fraction of {hits:.1%} rests on the loader doing it",
            "name the cache software, or let each node keep its own part (cache: sticky)",
            required=1,
            planned=0,
            unit="count",
        )


def _software(seen: Seen) -> str:
    """The cache software in words."""
    local = seen.stack.tiers.local
    return "fluid with juicefs" if local.software == "fluid" else local.software


def _epoch_two(work: Training, asked: Dataset, room: Size, nodes: int, hits: float) -> Advice:
    """The trap that from the second epoch on the shared tier is idle."""
    later = [
        f"{cache.fill_on_read_hits(nodes=nodes, epochs=epochs, size=asked.size, node_cache=room):.1%} after {epochs}"
        for epochs in (1, 8, nodes)
    ]
    return advisory(
        "cache-mode",
        f"{work.name}: a cache that fills while reading helps little on {nodes} nodes with a global shuffle: "
        f"{', '.join(later)} epochs; {hits:.1%} is planned with",
        "preload the dataset, share the cache between nodes, or let each node read the same part (cache: sticky)",
        required=1,
        planned=hits,
        unit="fraction",
    )


def _loader(seen: Seen, work: Training, asked: Dataset, given: Loader) -> Iterator[Advice]:
    """Workers, prefetch and pinned memory of one node; the published worker rules disagree."""
    cluster = seen.stack.cluster
    processes = min(cluster.gpus_per_node, work.gpus)
    workers = processes * given.workers
    by_gpus = loader.workers_by_gpus(cpu_cores=cluster.cpu_cores, gpus=processes)
    least, most = loader.workers_by_cores(cpu_cores=cluster.cpu_cores)
    memory = ""
    if asked.sample_size is not None:
        taken = dataset_read.worker_memory(
            processes=processes,
            workers=given.workers,
            prefetch=given.prefetch,
            batch_size=asked.sample_size * given.batch,
            worker_overhead=loader.WORKER_MEMORY,
            pinned=given.prefetch,
        )
        memory = f"; they and their pinned batches take up to {taken.show()} of {cluster.host_memory.show()}"
    over = f", more than its {cluster.cpu_cores} cores" if workers > cluster.cpu_cores else ""
    yield advisory(
        "advice-loader",
        f"{work.name}: {given.workers} workers a process are {workers} on a node{over}. Published rules disagree: "
        f"min(cores, 4 × GPUs) = {by_gpus}, cores/2 to cores = {least} to {most}, both for the whole node{memory}",
        f"start with {max(1, by_gpus // processes)} workers a process, prefetch 2, pinned memory, persistent workers; "
        "raise them until the GPUs stop waiting",
        required=by_gpus,
        planned=workers,
        unit="count",
    )
