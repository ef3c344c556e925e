"""What somebody should know about the GPU nodes, serving, and data that has no place."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.demand import checkpoint, dataset_read, kv_cache, loader
from tierplan.demand.noticed import Seen, advisory, mandatory
from tierplan.domain.need import Advice
from tierplan.domain.stack import KvCache, ModelLoad, Training
from tierplan.units import Bandwidth, Size

GOOD_DRIVES = 4
SAFE_WEAR = 0.8
"""Of the rated drive writes per day; the rest is for what nobody planned."""
READ_INTENSIVE = 1.0
"""Drive writes per day of the usual data-centre drive: assumed, since a stack does not say its own."""
WRITE_INTENSIVE = 3.0
"""Drive writes per day of the most durable class in data sheets."""


def cluster_advice(seen: Seen) -> Iterator[Advice]:
    """Everything to say about the GPU nodes and the tiers as a whole."""
    yield from _drives(seen)
    yield from _memory(seen)
    yield from _wear(seen)
    yield from _no_place(seen)


def load_advice(seen: Seen, work: ModelLoad) -> Iterator[Advice]:
    """Peers or the node's own cache carry most of a model load."""
    total = seen.quantity(f"{work.name}.model_load.total_bytes", Size)
    rate = seen.quantity(f"{work.name}.model_load.read_bytes_per_s", Bandwidth)
    weights = seen.quantity(f"{work.name}.model_load.weights_bytes", Size)
    if work.fan_out != "none" or work.replicas < 2 or total is None or rate is None or weights is None:
        return
    seeded = weights / work.within
    yield advisory(
        "advice-fan-out",
        f"{work.name}: {work.replicas} replicas read {total.show()} of the same weights, {rate.show()}; one seed that "
        f"passes them on reads {weights.show()}, {seeded.show()}",
        "let replicas load from peers (fan_out: peer), or once a node (fan_out: node)",
        required=rate.base,
        planned=seeded.base,
        unit="bytes_per_s",
    )


def session_advice(seen: Seen, work: KvCache) -> Iterator[Advice]:
    """Sessions that fit nowhere, places that are not permitted, reloads that are slower than computing again."""
    if "local" in work.placement and "kv-cache" not in seen.stack.tiers.local.use:
        yield mandatory(
            "stack-requirement",
            f"{work.name}: placement names local, but tiers.local.use does not permit kv-cache; 1 such load, "
            "0 are allowed; planned without local drives",
            "add kv-cache to tiers.local.use, or take local out of the placement",
            required=0,
            planned=1,
            unit="count",
        )
    total = seen.quantity(f"{work.name}.kv_cache.working_set_bytes", Size)
    rest = seen.quantity(f"{work.name}.kv_cache.shared_bytes", Size)
    if total is not None and rest and "hot" not in work.placement:
        yield mandatory(
            "kv-capacity",
            f"{work.name}: {work.sessions} sessions take {total.show()}; {', '.join(work.placement)} hold "
            f"{(total - rest).show()}, {rest.show()} have no place",
            "add hot to the placement, keep fewer sessions, or give the serving nodes more memory or drives",
            required=total.base,
            planned=(total - rest).base,
            unit="bytes",
        )
    yield from _recompute(seen, work)


def _recompute(seen: Seen, work: KvCache) -> Iterator[Advice]:
    token = seen.quantity(f"{work.name}.kv_cache.bytes_per_token", Size)
    if work.prefill_tokens_per_s is None or token is None:
        return
    again = kv_cache.prefill_time(context=work.context, prefill_tokens_per_s=work.prefill_tokens_per_s)
    even = kv_cache.break_even(bytes_per_token=token, prefill_tokens_per_s=work.prefill_tokens_per_s)
    if work.reload_within < again:
        return
    yield advisory(
        "advice-kv-recompute",
        f"{work.name}: a session may take {work.reload_within.show()} to load, but computing it again takes "
        f"{again.show()}; loading pays above {even.show()} a session",
        "lower reload_within, or drop the sessions instead of keeping them",
        required=again.s,
        planned=work.reload_within.s,
        unit="s",
    )


def _drives(seen: Seen) -> Iterator[Advice]:
    drives = seen.stack.local_drives.drives
    if drives < GOOD_DRIVES:
        yield advisory(
            "advice-local-nvme",
            f"each GPU node has {drives} local data drives; {GOOD_DRIVES} or more are the cheapest bandwidth there is "
            "(dataset cache, first landing, KV cache)",
            f"order the GPU nodes with {GOOD_DRIVES} or more NVMe drives",
            required=GOOD_DRIVES,
            planned=drives,
            unit="count",
        )


def _memory(seen: Seen) -> Iterator[Advice]:
    """Staged checkpoints and loaders must fit the host memory."""
    memory = seen.stack.cluster.host_memory
    for work in seen.stack.workloads:
        if not isinstance(work, Training):
            continue
        staged = seen.quantity(f"{work.name}.checkpoint.staging_bytes_per_node", Size) or Size.zero()
        loaders = _loader_memory(seen, work)
        if (staged + loaders).base <= memory.base:
            continue
        yield mandatory(
            "local-memory",
            f"{work.name}: staged checkpoints take {staged.show()} and loaders {loaders.show()} on a node, "
            f"its host memory is {memory.show()}",
            "fewer staging copies, more GPU nodes for the job, more host memory, or synchronous checkpoints",
            required=(staged + loaders).base,
            planned=memory.base,
            unit="bytes",
        )


def _loader_memory(seen: Seen, work: Training) -> Size:
    asked = work.dataset
    if asked is None or asked.loader is None or asked.sample_size is None:
        return Size.zero()
    return dataset_read.worker_memory(
        processes=min(seen.stack.cluster.gpus_per_node, work.gpus),
        workers=asked.loader.workers,
        prefetch=asked.loader.prefetch,
        batch_size=asked.sample_size * asked.loader.batch,
        worker_overhead=loader.WORKER_MEMORY,
        pinned=asked.loader.prefetch,
    )


def _wear(seen: Seen) -> Iterator[Advice]:
    """What is written to local drives, against what they are usually rated for."""
    nvme = seen.stack.local_drives
    written = seen.asked.written.get("local", Size.zero())
    if not written or nvme.drives < 1:
        return
    wear = checkpoint.endurance(written_per_day=written, drives=nvme.drives, drive_size=nvme.size)
    if wear <= SAFE_WEAR * READ_INTENSIVE:
        return
    hopeless = wear > SAFE_WEAR * WRITE_INTENSIVE
    rating = WRITE_INTENSIVE if hopeless else READ_INTENSIVE
    yield Advice(
        policy="local-endurance",
        level="mandatory" if hopeless else "advisory",
        message=f"{written.show()} a day on the {nvme.drives} × {nvme.size.show()} of the busiest GPU node are "
        f"{wear:.2f} drive writes a day; {SAFE_WEAR:g} of {rating:g} is safe, "
        + ("the highest rating there is" if hopeless else "the usual rating (assumed)"),
        remedy="write less to local drives (sessions in host memory, fewer copies), or give the nodes more or larger "
        + ("drives" if hopeless else "drives, or drives rated for 3 writes a day"),
        required=wear,
        planned=SAFE_WEAR * rating,
        unit="drive_writes_per_day",
    )


def _no_place(seen: Seen) -> Iterator[Advice]:
    """Data for which no tier is left, and archives of nothing."""
    asked, tiers = seen.stack.capacity, seen.stack.tiers
    cold = seen.number("capacity.cold_bytes") or 0.0
    if tiers.cold.backend == "none" and cold:
        yield mandatory(
            "stack-requirement",
            f"tiers.cold.backend is none, but {Size(cold).show()} must be stored there",
            "choose a cold backend, or set raw_data, processed_data and the archives to nothing",
            required=cold,
            planned=0,
            unit="bytes",
        )
    saves = any(isinstance(work, Training) for work in seen.stack.workloads)
    if asked.archived_checkpoints and not saves:
        yield advisory(
            "stack-requirement",
            f"capacity.archived_checkpoints is {asked.archived_checkpoints}, but no workload trains; 0 bytes count",
            "state the archive as raw_data or processed_data",
            required=asked.archived_checkpoints,
            planned=0,
            unit="count",
        )
