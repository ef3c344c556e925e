"""JuiceFS over an object store of its own: Ceph hosts beneath, metadata on some of them, FUSE clients above."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue, _ceph, _juicefs_cloud
from tierplan.backends import _rules as rules
from tierplan.backends._cephfs import padding
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._juicefs import (
    ENGINES,
    Engine,
    block_size,
    block_size_ok,
    chosen_engine,
    client,
    engine,
    nearest_block,
    request_rate,
)
from tierplan.backends._sizing import (
    Ceiling,
    Model,
    NodeRates,
    delivered,
    lowest,
)
from tierplan.backends._space import nodes_for
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import NEVER, Delivered, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate, Size

OPTIONS: Mapping[str, OptionKind] = {
    "metadata_engine": str,
    "object_store": str,
    "bucket": str,
    "block_size": Size,
    "cache_size": Size,
    "write_back": bool,
    "metadata_service": str,
    "metadata_class": str,
    "region": str,
    "quota_raised": Bandwidth,
}
ONLY_IN_CLOUDS = ("metadata_service", "metadata_class", "region", "quota_raised")
STORES = ("ceph-rgw", "rados")
LAYOUTS = (
    Layout(kind="replicas", replicas=3),
    Layout(kind="erasure-code", data_units=4, parity_units=2),
    Layout(kind="erasure-code", data_units=8, parity_units=3),
)
CACHE_SIZE = Size(1.0 * 2**40)
BUFFER_MIB = 4096


def through_gateway(config: TierConfig) -> bool:
    """Whether objects go through gateways (S3), as where the stack says nothing, or straight to the OSDs."""
    return option(config.options, "object_store", str) != "rados"


def gateways_per_host(config: TierConfig, used: Relied) -> int:
    """Gateways on each host, by its OSDs; none where clients reach the OSDs themselves."""
    per_gateway = used["hdds_per_gateway" if config.node.medium == "hdd" else "osds_per_gateway"]
    return max(1, math.ceil(config.node.drives / per_gateway)) if through_gateway(config) else 0


def node_rates(config: TierConfig, meta: Engine, used: Relied) -> NodeRates:
    """What one host gives through its ports, drives and cores; of op rates what engine and objects both carry."""
    node, gateway = config.node, through_gateway(config)
    factors = _ceph.network_factors(config.layout, through_gateway=gateway)
    reading = {True: used["gateway_read_cores_per_gb_s"], False: used["rados_read_cores_per_gb_s"]}[gateway]
    writing = {True: used["gateway_write_cores_per_gb_s"], False: used["rados_write_cores_per_gb_s"]}[gateway]
    cores = node.cores - used["system_cores"] - used["metadata_cores"]
    objects = object_rate(config, used) * config.nodes
    carried = engine_at_work(config, meta)
    each = min(objects, carried * meta.op_rate) / config.nodes if config.nodes > 0 else OpRate.zero()
    high = min(objects, carried * meta.op_rate_high) / config.nodes if config.nodes > 0 else OpRate.zero()
    return lowest(
        Ceiling(
            limited_by="node ports",
            read=node.network * (used["network_read_share"] / factors.read),
            write=node.network * (used["network_write_share"] / factors.write),
        ),
        _ceph.media(config, used),
        Ceiling(
            limited_by="cpu",
            read=_ceph.core_bandwidth(cores=cores, cores_per_gb_s=reading),
            write=_ceph.core_bandwidth(cores=cores, cores_per_gb_s=writing),
        ),
        op_rate=each,
        op_rate_high=high,
    )


def engine_at_work(config: TierConfig, meta: Engine) -> float:
    """Share of the engine's servers that find a host; a whole engine or whole groups of TiKV."""
    found = min(config.nodes, meta.servers)
    return (found // 3 * 3) / meta.servers if meta.name == "tikv" else float(found >= meta.servers)


def object_rate(config: TierConfig, used: Relied) -> OpRate:
    """
    Small objects that one host takes: hard disks move a head on each disk of a stripe, flash waits for cores.

    Formula:  drives * op rate of a disk / width, or cores * op rate of a core * 3 / width
    Assumes:  each file operation is an object operation; what clients cache comes on top
    """
    node, width = config.node, max(1, config.layout.width)
    if node.medium == "hdd":
        return used.quantity(OpRate, "hdd_op_rate") * (node.drives / width)
    cores = node.cores - used["system_cores"] - used["metadata_cores"]
    return used.quantity(OpRate, "put_rate_per_core") * (max(0.0, cores) * min(1.0, 3 / width) * (node.drives > 0))


def metadata_count(config: TierConfig, need: TierNeed, meta: Engine, used: Relied) -> int:
    """Hosts for the objects' op rate and for the engine's servers; NEVER where the pinned engine is too slow."""
    if need.op_rate.base > meta.op_rate.base * (1 + 1e-9):
        return NEVER
    return max(nodes_for(need.op_rate, object_rate(config, used)), meta.servers)


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """JuiceFS's figures for one configuration."""
    layout, meta = config.layout, engine(config, need, used)
    space = _ceph.space(config, kept_hosts=int(used["kept_hosts"]))
    return Model(
        node=node_rates(config, meta, used),
        space=replace(space, steps=(*space.steps, *padding(config, need))),
        least={
            "metadata": metadata_count(config, need, meta, used),
            "minimum": max(layout.width, int(used["least_monitors"])),
            "failure_domain": layout.width + 1,
        },
        full_limit=used["nearfull_fraction"],
        client=client(config, need, used),
        tolerated=max(0, layout.tolerated),
        serving=_ceph.serving(layout),
        groups=_ceph.pool_groups(config, used),
    )


def node_faults(config: TierConfig, meta: Engine, used: Relied) -> Iterator[Illegal]:
    """What a host must have: its OSDs, its gateways and a server of the metadata engine."""
    node, gateways = config.node, gateways_per_host(config, used)
    osds = _ceph.host_memory(
        osds=node.drives, osd_memory=used.quantity(Size, "osd_memory"), margin=used["memory_margin"]
    )
    cores = math.ceil(node.drives * used["cores_per_osd"] + gateways + used["metadata_cores"] + used["system_cores"])
    what = f"{node.drives} OSDs, {gateways} gateways, {meta.name}"
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, cores, because=f"{what} and the system")
    yield from rules.too_little_memory(config, osds + meta.memory, because=what)


def option_rules(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """JuiceFS's own words in range."""
    rule, block = f"{config.tier}-layout", block_size(config)
    store, word = option(config.options, "object_store", str), option(config.options, "metadata_engine", str)
    if store is not None and store not in STORES:
        message = f"juicefs: object_store {store}; planned beneath it so far: {', '.join(STORES)}"
        yield Illegal(policy=rule, message=message, remedy="write object_store: ceph-rgw")
    if word is not None and word not in ENGINES:
        message = f"juicefs: metadata_engine {word}; allowed: {', '.join(ENGINES)}"
        yield Illegal(policy=rule, message=message, remedy=f"write metadata_engine: {ENGINES[0]}")
    if not block_size_ok(block):
        yield Illegal(
            policy=rule,
            message=f"juicefs: block_size {block.text()}; a power of two from 64 KiB to 16 MiB",
            remedy=f'write block_size: "{nearest_block(block).text()}"',
            required=nearest_block(block).bytes,
            planned=block.bytes,
            unit="bytes",
        )
    for key in ONLY_IN_CLOUDS:
        if key in config.options:
            message = f"juicefs: {key} belongs to a site of a cloud; hosts of one's own carry the metadata here"
            yield Illegal(policy=rule, message=message, remedy=f"leave {key} out")
    yield from _engine_rules(config, need, used)
    if option(config.options, "write_back", bool):
        lost = f", also {', '.join(need.irreplaceable)}" if need.irreplaceable else ""
        yield Illegal(
            policy=rule if lost else "advice-node",
            message=f"juicefs: write_back keeps what is written on one client's drive first{lost}",
            remedy="write write_back: false; a lost drive then loses nothing",
        )


def _engine_rules(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    name = chosen_engine(config, need, used)
    largest = int(used[f"{name}_most_files"])
    if need.files > largest:
        bigger = next((one for one in ENGINES if used[f"{one}_most_files"] >= need.files), None)
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"juicefs: {need.files:.3g} files in {name}; planned up to {largest:.3g}",
            remedy=f"write metadata_engine: {bigger}" if bigger else "pack small files into shards",
            required=largest,
            planned=need.files,
        )
    if name == "redis" and need.irreplaceable:
        yield rules.advice(
            f"juicefs: redis may lose the last second when a replica takes over, and with it {need.irreplaceable[0]}",
            remedy="write metadata_engine: postgresql",
            required=None,
            planned=None,
            policy="advice-node",
        )


def notes(config: TierConfig, need: TierNeed, meta: Engine, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    block, one = block_size(config), client(config, need, used)
    puts, gets = request_rate(moved=need.write, block=block), request_rate(moved=need.read, block=block)
    lines = [
        f"metadata in {meta.name} on {meta.servers} of the hosts, {meta.data.show()} in all",
        f"on each of those {meta.memory.show()} of memory and {meta.disk.show()} of disk beside the OSDs",
        f"what is asked becomes {puts.show()} written and {gets.show()} read objects of {block.show('MiB')}",
        f"one client is planned at {one.read.show()} read, {one.write.show()} written; above 10 GB/s measure first",
        "the cache of the community edition belongs to one client: each node reads its own copy of a dataset once",
        "no GPUDirect Storage through FUSE",
        "deleted files are gone at once (trash-days 0): a day of trash would hold a day of checkpoints",
        f"one host's worth is kept free inside usable; planned fill ends at {used['nearfull_fraction']:g} (near-full)",
    ]
    if not through_gateway(config):
        lines.append("object_store rados needs JuiceFS built with Ceph's library (juicefs.ceph)")
    return tuple(lines)


class JuiceFs:
    """The JuiceFS backend, on hosts of one's own."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Three copies, 4+2 and 8+3 beneath on each node, or the pinned layout; in a cloud its store and services."""
        if site.kind in _juicefs_cloud.STORES:
            return _juicefs_cloud.choices(need, pins, site, facts)
        used = Relied(facts)
        return _ceph.tried(
            "juicefs",
            LAYOUTS,
            need=need,
            pins=pins,
            site=site,
            facts=facts,
            model=lambda config: model(config, need, used),
        )

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What JuiceFS over a store of this configuration gives."""
        if _juicefs_cloud.in_cloud(config):
            return _juicefs_cloud.deliver(config, need, facts, OPTIONS)
        used, layout = Relied(facts), config.layout
        figures, meta, gateways = model(config, need, used), engine(config, need, used), gateways_per_host(config, used)
        illegal = (
            *_ceph.layout_faults(config, used),
            *node_faults(config, meta, used),
            *option_faults(config, OPTIONS),
            *option_rules(config, need, used),
        )
        code = f"k = {layout.data_units} and m = {layout.parity_units} of the pool beneath"
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(
                "block size, compression, encryption and key prefixes of the volume: fixed by format",
                *((code,) if layout.kind == "erasure-code" else ()),
            ),
            assumptions=used.lines(config.node),
            notes=notes(config, need, meta, used),
            parts={
                **_ceph.parts(config, used, need.survive),
                "gateways_per_host": gateways,
                "gateways": gateways * config.nodes,
                f"{meta.name}_servers": meta.servers,
                "metadata_memory_gib": math.ceil(meta.memory.bytes / 2**30),
                "metadata_disk_gib": math.ceil(meta.disk.bytes / 2**30),
                "max_uploads": int(used["max_uploads"]),
                "max_downloads": int(used["max_downloads"]),
                "client_cores": int(used["client_cores"]),
            },
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What the commands of store, metadata engine and clients need.

        store:    nodes, osds, osds_per_host, monitors, managers, placement_groups, device_class, rotational,
                  size_low_g, size_high_g, osd_memory_target_gib, nearfull_fraction, object_store, gateways_per_host,
                  kind, data_units, parity_units, replicas, minimum_size, failure_domain, profile_name, data_pool
        metadata: engine, metadata_servers, metadata_memory_gib, metadata_disk_gib
        volume:   volume, bucket, block_size_kib, capacity_gib
        client:   cache_size_mib, buffer_mib, write_back, max_uploads, max_downloads, client_cores, mount_point
        """
        if _juicefs_cloud.in_cloud(plan.config):
            return _juicefs_cloud.template_context(plan)
        config, layout, parts = plan.config, plan.config.layout, plan.delivered.parts
        drive = config.node.drive.size.bytes
        engine_name = next(name for name in ENGINES if f"{name}_servers" in parts)
        return {
            **{key: int(value) for key, value in parts.items() if key != "nearfull_fraction"},
            "nearfull_fraction": parts["nearfull_fraction"],
            "nodes": config.nodes,
            "osds_per_host": config.node.drives,
            "device_class": config.node.medium,
            "rotational": int(config.node.medium == "hdd"),
            "size_low_g": math.floor(drive / 2**40 * 900),
            "size_high_g": math.ceil(drive / 1e12 * 1050),
            "object_store": "ceph-rgw" if through_gateway(config) else "rados",
            "kind": layout.kind,
            "data_units": layout.data_units,
            "parity_units": layout.parity_units,
            "replicas": layout.replicas,
            "minimum_size": max(1, layout.width - _ceph.serving(layout)),
            "failure_domain": {"node": "host", "rack": "rack", "drive": "osd"}[layout.failure_domain],
            "profile_name": f"tierplan-k{layout.data_units}m{layout.parity_units}",
            "data_pool": "juicefs.data",
            "engine": engine_name,
            "metadata_servers": int(parts[f"{engine_name}_servers"]),
            "volume": "hot",
            "bucket": option(config.options, "bucket", str) or "juicefs-hot",
            "block_size_kib": round(block_size(config).bytes / 2**10),
            "capacity_gib": math.floor(plan.delivered.planned.bytes / 2**30),
            "cache_size_mib": math.floor((option(config.options, "cache_size", Size) or CACHE_SIZE).bytes / 2**20),
            "buffer_mib": BUFFER_MIB,
            "write_back": option(config.options, "write_back", bool) or False,
            "mount_point": "/mnt/hot",
        }


def downward(config: TierConfig) -> Downward:  # noqa: ARG001  # every configuration has it
    """Blocks lie in an object store anyhow: a directory's storage class is set, no rule of the bucket may do it."""
    return Downward(
        mechanism="juicefs tier: storage class of a directory",
        by_itself=False,
        transparent=True,
        source="juicedata/juicefs v1.4: cmd/tier.go",
    )


def needed_ids(config: TierConfig) -> tuple[str, ...]:
    """Keys of `site.network` of what must exist before a volume's bucket and engine are made in a cloud."""
    return _juicefs_cloud.needed_ids(config)


BACKEND: Backend = JuiceFs()
