"""JuiceFS in a cloud: objects in the cloud's own store, metadata in a managed engine, caches on the GPU nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends import TemplateValue
from tierplan.backends._choosing import NO_NODE, OptionKind, Relied, option, option_faults, pinned_layout, pinned_node
from tierplan.backends._juicefs import (
    BLOCK_SIZE,
    ENGINES,
    Engine,
    block_size,
    client,
    engine,
    request_rate,
)
from tierplan.backends._juicefs_classes import classes_of, database_disk, metadata_gib
from tierplan.backends._juicefs_cloud_rules import NO_LAYOUT, faults
from tierplan.backends._juicefs_sites import CLOUDS, OF_STORE, SERVICES, Cloud, default_service, quota_group
from tierplan.backends._sizing import losses
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site, TierPins
from tierplan.domain.tiers import (
    NEVER,
    BillItem,
    CloudSize,
    Degraded,
    Delivered,
    LimitedBy,
    Rates,
    TierConfig,
    TierPlan,
)
from tierplan.units import Bandwidth, OpRate, Size, count_for

STORES = {kind: cloud.store for kind, cloud in CLOUDS.items()}
"""Kind of site -> the object store that lies beneath there."""
GIB = 2.0**30
CACHE_SIZE = Size(1.0 * 2**40)
BUFFER_MIB = 4096
MANAGED = 2  # one that writes, one in another zone that takes over
PORTS = {"redis": 6379, "postgresql": 5432, "tikv": 2379}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceilings:
    """What the store and all clients together carry."""

    store_read: Bandwidth
    store_write: Bandwidth
    store_by: LimitedBy
    clients_read: Bandwidth
    clients_write: Bandwidth


def in_cloud(config: TierConfig) -> bool:
    """Whether a configuration lies on the object store of a cloud."""
    return option(config.options, "object_store", str) in STORES.values()


def cloud_of(config: TierConfig) -> Cloud:
    """The cloud that a configuration lies in."""
    return OF_STORE[option(config.options, "object_store", str) or ""]


def chosen_engine(pins: Mapping[str, OptionValue], need: TierNeed, used: Relied) -> str:
    """
    The stack's word, else by count of files, op rate and whether writes must outlive a takeover.

    A replica of Redis lags behind: where checkpoints are written PostgreSQL with a synchronous standby keeps what it
    has acknowledged.  Where that is too slow or too small Redis is taken with a durable log (MemoryDB), then TiKV.
    """
    word = option(pins, "metadata_engine", str)
    if word in ENGINES:
        return str(word)
    carries = {
        name: need.files <= used[f"{name}_most_files"] and need.op_rate <= used.quantity(OpRate, f"{name}_op_rate")
        for name in ENGINES
    }
    if carries["redis"] and not need.write:
        return "redis"
    return next((name for name in ("postgresql", "redis") if carries[name]), "tikv")


def settled(pins: TierPins, need: TierNeed, site: Site, used: Relied) -> Mapping[str, OptionValue]:
    """The pins with everything that is left open."""
    name = chosen_engine(pins.options, need, used)
    cloud = CLOUDS[site.kind]
    service = option(pins.options, "metadata_service", str) or default_service(cloud, name, durable=bool(need.write))
    options: dict[str, OptionValue] = {"object_store": cloud.store, "metadata_engine": name}
    if site.region is not None:
        options["region"] = site.region
    options |= {"metadata_service": service, "block_size": BLOCK_SIZE.text(), "write_back": False}
    options |= pins.options
    config = _config(pins, need, options)
    needed = metadata_gib(engine(config, need, used))
    fitting = [one for one in classes_of(service, used) if one.gib >= needed]
    known = classes_of(service, used)
    if "metadata_class" not in options and known:
        options["metadata_class"] = (fitting or list(known[-1:]))[0].name
    return options


def _config(pins: TierPins, need: TierNeed, options: Mapping[str, OptionValue]) -> TierConfig:
    return TierConfig(
        tier=need.tier,
        backend="juicefs",
        nodes=1 if pins.nodes is None else pins.nodes,
        node=NO_NODE if pins.node is None else pinned_node(NO_NODE, pins.node),
        layout=pinned_layout(NO_LAYOUT, pins),
        quote=pins.quote,
        options=options,
    )


def choices(need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
    """The one configuration that the pins leave: engine, service and the smallest class that holds the metadata."""
    yield _config(pins, need, settled(pins, need, site, Relied(facts)))


def ceilings(config: TierConfig, need: TierNeed, used: Relied) -> Ceilings:
    """
    What the store's requests carry, and what all clients take.

    Formula:  min(rate of requests * partitions * block, quota of the account); what one client moves * clients
    """
    block, cloud = block_size(config), cloud_of(config)
    partitions = used[f"{cloud.key}_partitions"] if cloud.per_prefix else 1.0
    one = client(config, need, used)
    read = store_bandwidth(rate=used.quantity(OpRate, f"{cloud.key}_get_rate"), partitions=partitions, block=block)
    write = store_bandwidth(rate=used.quantity(OpRate, f"{cloud.key}_put_rate"), partitions=partitions, block=block)
    quotas = account_quotas(config, used)
    return Ceilings(
        store_read=min(read, quotas[0]) if quotas else read,
        store_write=min(write, quotas[1]) if quotas else write,
        store_by="protocol" if cloud.per_prefix else "quota",
        clients_read=one.read * need.clients.gpu_nodes,
        clients_write=one.write * need.clients.gpu_nodes,
    )


def account_quotas(config: TierConfig, used: Relied) -> tuple[Bandwidth, Bandwidth] | None:
    """What one account may read and write in its region, as raised where the stack says so; None: nothing caps it."""
    cloud, raised = cloud_of(config), option(config.options, "quota_raised", Bandwidth)
    if not cloud.quotas:
        return None
    group = quota_group(cloud, option(config.options, "region", str))
    read = used.quantity(Bandwidth, f"{cloud.key}_read_quota{group}")
    write = used.quantity(Bandwidth, f"{cloud.key}_write_quota{group}")
    return (read, write) if raised is None else (raised, raised)


def store_bandwidth(*, rate: OpRate, partitions: float, block: Size) -> Bandwidth:
    """
    What the object store moves in requests of one block.

    Formula:  rate * partitions * block
    Assumes:  keys spread evenly over so many partitions
    Source:   Amazon S3 User Guide, best practices design patterns: optimizing performance (2026-11-29)

    >>> store_bandwidth(rate=OpRate(3500.0), partitions=1, block=Size(4194304.0)).show("GB/s")
    '14.7 GB/s'
    """
    return Bandwidth(rate.ops_per_s * partitions * block.bytes)


def rates(config: TierConfig, need: TierNeed, meta: Engine, used: Relied) -> Rates:
    """The least of store and clients for reads and writes, and the engine's rate for files."""
    most, one = ceilings(config, need, used), client(config, need, used)

    def least(store: Bandwidth, clients: Bandwidth) -> tuple[Bandwidth, LimitedBy]:
        return (clients, "clients") if clients < store else (store, most.store_by)

    read, read_by = least(most.store_read, most.clients_read)
    write, write_by = least(most.store_write, most.clients_write)
    return Rates(
        read=read,
        write=write,
        op_rate=meta.op_rate,
        op_rate_high=meta.op_rate_high,
        read_limited_by=read_by,
        write_limited_by=write_by,
        client=min(one.read, one.write),
    )


def counts(need: TierNeed, given: Rates, meta: Engine) -> dict[str, int]:
    """GiB of memory that the metadata asks for; for what no class changes 0 where it is met, else NEVER."""
    phases = [
        sum(asked / had if had else math.inf for asked, had in ((p.read, given.read), (p.write, given.write)) if asked)
        for p in need.phases
    ]
    unmet = {
        "metadata": need.op_rate.base > given.op_rate.base * (1 + 1e-9),
        "read": need.read.base > given.read.base * (1 + 1e-9),
        "write": need.write.base > given.write.base * (1 + 1e-9),
        "phases": max(phases, default=0.0) > 1 + 1e-9,
    }
    return {"metadata_memory": metadata_gib(meta), **{name: NEVER if short else 0 for name, short in unmet.items()}}


def partitions_needed(config: TierConfig, need: TierNeed, used: Relied) -> int:
    """Key prefixes that the store has to set apart before the volume reads and writes as planned."""
    block, key = block_size(config), cloud_of(config).key
    puts, gets = request_rate(moved=need.write, block=block), request_rate(moved=need.read, block=block)
    return max(
        1,
        count_for(puts, used.quantity(OpRate, f"{key}_put_rate")),
        count_for(gets, used.quantity(OpRate, f"{key}_get_rate")),
    )


def deliver(config: TierConfig, need: TierNeed, facts: BackendFacts, words: Mapping[str, OptionKind]) -> Delivered:
    """What JuiceFS on the cloud's store gives, and what is illegal about it."""
    used = Relied(facts)
    meta = engine(config, need, used)
    given = rates(config, need, meta, used)
    fill = min(1.0, max(0.0, need.max_fill))
    stored = need.capacity / fill if fill else Size.zero()
    return Delivered(
        counts=counts(need, given, meta),
        raw=stored,
        usable=stored,
        planned_fill_fraction=fill,
        waterfall=(),
        healthy=given,
        degraded=tuple(
            Degraded(nodes=loss.nodes, racks=loss.racks, read=given.read, write=given.write, data_lost=False)
            for loss in losses(need.survive, racks=1)
        ),
        illegal=(*option_faults(config, words), *faults(config, need, meta, used)),
        cannot_change_later=(
            "block size, compression, encryption and key prefixes of the volume: fixed by format",
            "bucket and region",
        ),
        assumptions=used.lines(NO_NODE),
        notes=tuple(notes(config, need, meta, used)),
        parts={
            # of a managed engine the service keeps the quorum; TiKV's is one's own
            **({"tikv_servers": meta.servers} if meta.name == "tikv" else {"metadata_instances": MANAGED}),
            "metadata_memory_gib": metadata_gib(meta),
            "metadata_disk_gib": math.ceil(database_disk(meta, used).bytes / GIB),
            "max_uploads": int(used["max_uploads"]),
            "max_downloads": int(used["max_downloads"]),
            "client_cores": int(used["client_cores"]),
        },
        cloud=cloud_size(config, need, used),
        bill=tuple(bill(config, need, meta)),
    )


def cloud_size(config: TierConfig, need: TierNeed, used: Relied) -> CloudSize:
    """The class of the metadata engine, by its memory: of the store there is no size."""
    service = option(config.options, "metadata_service", str) or ""
    name = option(config.options, "metadata_class", str) or ""
    known = classes_of(service, used)
    found = next((one for one in known if one.name == name), None)
    size = found.gib if found is not None else 0.0
    return CloudSize(
        service=f"JuiceFS on {cloud_of(config).title}, metadata in {_title(service)}",
        unit="GiB",
        size=size,
        class_name=name,
        legal=found is not None,
        next_legal=next((one.gib for one in known if one.gib > size), None),
        previous_legal=next((one.gib for one in reversed(known) if one.gib < size), None),
        growth_ceiling=known[-1].gib if known else None,
        changes_in_place=("metadata class, with a takeover of some seconds", "cache size", "quota of the volume"),
        replaces_on_change=("metadata_engine", "bucket", "block_size"),
        beyond_quota=tuple(beyond_quota(config, need, used)),
    )


def _title(service: str) -> str:
    known = SERVICES.get(service)
    return service if known is None else known.title


def beyond_quota(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[str]:
    """What is asked beyond what one account may move by default; the store's own figures say by how much."""
    quotas, cloud = account_quotas(config, used), cloud_of(config)
    for word, asked, most in zip(("read", "written"), (need.read, need.write), quotas or (), strict=False):
        if asked > most:
            yield f"{cloud.title} of one account and region: {asked.show()} {word} of {most.show()}"


def notes(config: TierConfig, need: TierNeed, meta: Engine, used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures."""
    block, one = block_size(config), client(config, need, used)
    puts, gets = request_rate(moved=need.write, block=block), request_rate(moved=need.read, block=block)
    service = option(config.options, "metadata_service", str) or ""
    yield f"metadata: {need.files:,.0f} files are {meta.data.show()} in {meta.name}; {_why(meta, need)}"
    yield f"what is asked becomes {puts.show()} written and {gets.show()} read objects of {block.show('MiB')}"
    yield from _store_notes(config, need, used)
    yield f"one client is planned at {one.read.show()} read, {one.write.show()} written; above 10 GB/s measure first"
    yield (
        f"{cloud_of(config).title} has no size to fill: usable is what is stored divided by max_fill; juicefs itself "
        "enforces the quota"
    )
    yield "the cache of the community edition belongs to one client: each node reads its own copy of a dataset once"
    yield "the instances' own NVMe is lost when they stop: it holds caches only"
    known = SERVICES.get(service)
    if known is not None and known.engine == "redis" and not known.durable:
        yield f"a replica of {known.title} lags behind: a takeover may lose the changes of the last second"
    if meta.name == "tikv":
        yield f"TiKV on {meta.servers} instances with volumes of their own: its servers are not made by the program"


def _store_notes(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[str]:
    """What the store has to be prepared for, or does not allow."""
    cloud, quotas = cloud_of(config), account_quotas(config, used)
    if cloud.per_prefix:
        partitions = partitions_needed(config, need, used)
        yield (
            f"{cloud.title} has to set {partitions} key prefixes apart for it, which takes 30 to 60 minutes of load "
            "(503 meanwhile); write before the first checkpoint counts"
            if partitions > 1
            else f"less than one key prefix of {cloud.title} carries it"
        )
    if quotas:
        yield (
            f"one account may read {quotas[0].show()} and write {quotas[1].show()} of {cloud.title} in a region; more "
            "by a ticket (options.quota_raised says that it was granted)"
        )
    if cloud.per_prefix:
        return
    gets, puts = (used.quantity(OpRate, f"{cloud.key}_{word}_rate") for word in ("get", "put"))
    yield f"requests are counted for the account or the bucket: {gets.show()} read, {puts.show()} written at most"


def _why(meta: Engine, need: TierNeed) -> str:
    words = {
        "redis": "all of them in the memory of one node",
        "postgresql": "a synchronous standby keeps what it has acknowledged, as checkpoints ask",
        "tikv": "more than one server of the others holds or carries",
    }
    return words[meta.name] if need.files or meta.name != "tikv" else "as pinned"


def bill(config: TierConfig, need: TierNeed, meta: Engine) -> Iterator[BillItem]:
    """What a month is paid for."""
    service = option(config.options, "metadata_service", str) or "metadata"
    name = option(config.options, "metadata_class", str) or "class"
    servers = meta.servers if meta.name == "tikv" else MANAGED
    yield BillItem(items=(cloud_of(config).item,), quantity=need.capacity.bytes / 1e9, per="GB-month")
    puts = need.written_per_day * 30 / block_size(config) / 1000 if block_size(config) else 0.0
    yield BillItem(items=(f"{cloud_of(config).store}.put",), quantity=puts, per="1000-requests-month")
    yield BillItem(items=(f"{service}.{name}",), quantity=float(servers), per="node-hour")


def template_context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    """
    What the commands of volume and clients need.

    templates:  the folder of this way to run JuiceFS; store: the catalogue's id of what lies beneath
    metadata:   engine, service, metadata_class, metadata_disk_gib, port
    volume:     volume, bucket (empty: the one that the program makes), region, block_size_kib, capacity_gib
    client:     cache_size_mib, buffer_mib, write_back, max_uploads, max_downloads, client_cores, mount_point
    """
    config, parts = plan.config, plan.delivered.parts
    cache = option(config.options, "cache_size", Size) or CACHE_SIZE
    name = option(config.options, "metadata_engine", str) or ENGINES[0]
    return {
        "templates": cloud_of(config).templates,
        "store": cloud_of(config).store,
        "engine": name,
        "service": option(config.options, "metadata_service", str) or "",
        "metadata_class": option(config.options, "metadata_class", str) or "",
        "metadata_servers": int(parts.get("tikv_servers", MANAGED)),
        "metadata_disk_gib": int(parts["metadata_disk_gib"]),
        "port": PORTS.get(name, 0),
        "volume": "hot",
        "bucket": option(config.options, "bucket", str) or "",
        "region": option(config.options, "region", str) or "",
        "block_size_kib": round(block_size(config).bytes / 2**10),
        "capacity_gib": math.floor(plan.delivered.planned.bytes / GIB),
        "cache_size_mib": math.floor(cache.bytes / 2**20),
        "buffer_mib": BUFFER_MIB,
        "write_back": option(config.options, "write_back", bool) or False,
        **{key: int(parts[key]) for key in ("max_uploads", "max_downloads", "client_cores")},
        "mount_point": "/mnt/hot",
    }


def needed_ids(config: TierConfig) -> tuple[str, ...]:
    """Keys of `site.network` of what must exist before bucket and engine are made."""
    return cloud_of(config).network if in_cloud(config) else ()
