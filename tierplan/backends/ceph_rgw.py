"""Ceph object store: OSD hosts with an S3 gateway (RGW) on each, data in an erasure-coded pool."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue, _ceph, _ceph_racks
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._sizing import Ceiling, Model, NodeRates, client_ceiling, delivered, lowest
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import StorageClass
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate, Size

OPTIONS: Mapping[str, OptionKind] = {
    "bucket": str,
    "storage_class": str,
    "cold_class": str,
    "versioning": bool,
    "plugin": str,
    "stripe_unit": Size,
    "gateways_per_host": int,
    "units_per_rack": int,
}
PLUGINS = ("isa", "jerasure")
LEAVING = ("clay", "shec")  # announced as deprecated
CODES = (
    Layout(kind="erasure-code", data_units=4, parity_units=2),
    Layout(kind="erasure-code", data_units=4, parity_units=3),  # still serves with a rack and a host lost
    Layout(kind="erasure-code", data_units=8, parity_units=3),
    Layout(kind="erasure-code", data_units=8, parity_units=4),  # the same of a wide code; hardly ever loses data
)
FULL_RATIO = 0.95
COPIES_STEP = Size(4.0 * 2**10)  # bluestore_min_alloc_size
STRIPE_UNIT = Size(4.0 * 2**10)


def disk_op_rate(*, drives: int, drive_op_rate: OpRate, width: int) -> OpRate:
    """
    Small objects that the hard disks of one host take: each object moves a head on every disk of its stripe.

    Formula:  drives * drive_op_rate / width

    >>> disk_op_rate(drives=24, drive_op_rate=OpRate(100.0), width=6).show()
    '400 ops/s'
    """
    return drive_op_rate * (drives / max(1, width))


def gateways_per_host(config: TierConfig, used: Relied) -> int:
    """Gateways on each host: the stack's word, else by its OSDs; at least so many that the cluster has three."""
    word = option(config.options, "gateways_per_host", int)
    if word is not None:
        return word
    osds = used["hdds_per_gateway" if config.node.medium == "hdd" else "osds_per_gateway"]
    by_cluster = math.ceil(used["least_gateways"] / max(1, config.nodes))
    return max(1, by_cluster, math.ceil(config.node.drives / osds))


def node_rates(config: TierConfig, used: Relied) -> NodeRates:
    """What one host gives through its ports, drives and cores, with the gateways on the OSD hosts."""
    node = config.node
    factors = _ceph.network_factors(config.layout, through_gateway=True)
    cores = node.cores - used["system_cores"]
    if node.medium == "hdd":
        disk = used.quantity(OpRate, "hdd_op_rate")
        op_rate = disk_op_rate(drives=node.drives, drive_op_rate=disk, width=config.layout.width)
    else:
        as_three_copies = min(1.0, 3 / max(1, config.layout.width))  # the rate was measured with three copies
        op_rate = used.quantity(OpRate, "put_rate_per_core") * (max(0.0, cores) * as_three_copies * (node.drives > 0))
    return lowest(
        Ceiling(
            limited_by="node ports",
            read=node.network * (used["network_read_share"] / factors.read),
            write=node.network * (used["network_write_share"] / factors.write),
        ),
        _ceph.media(config, used),
        Ceiling(
            limited_by="cpu",
            read=_ceph.core_bandwidth(cores=cores, cores_per_gb_s=used["read_cores_per_gb_s"]),
            write=_ceph.core_bandwidth(cores=cores, cores_per_gb_s=used["write_cores_per_gb_s"]),
        ),
        op_rate=op_rate,
        op_rate_limited_by="media" if node.medium == "hdd" else "cpu",
    )


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """Ceph RGW's figures for one configuration."""
    layout, share, most_client = config.layout, used["client_port_share"], used.quantity(Bandwidth, "client_bandwidth")
    figures = Model(
        node=node_rates(config, used),
        space=_ceph.space(config, kept_hosts=int(used["kept_hosts"])),
        least={"minimum": max(layout.width, int(used["least_monitors"])), "failure_domain": layout.width + 1},
        full_limit=used["nearfull_fraction"],
        client=client_ceiling(
            need.clients, read_share=share, write_share=share, most_read=most_client, most_write=most_client
        ),
        tolerated=max(0, layout.tolerated),
        serving=_ceph.serving(layout),
        groups=_ceph.pool_groups(config, used),
    )
    return _ceph_racks.over_few_racks(config, figures)


def object_step(config: TierConfig) -> Size:
    """
    What an object's space is rounded up to: a whole stripe of a code, an allocation unit of copies.

    Formula:  data_units * stripe_unit
    Source:   github.com/ceph/ceph, doc/rados/operations/erasure-code.rst (2026-11-29)
    """
    if config.layout.kind != "erasure-code":
        return COPIES_STEP
    return (option(config.options, "stripe_unit", Size) or STRIPE_UNIT) * max(1, config.layout.data_units)


def max_avail(*, raw: Size, efficiency: float, full_ratio: float) -> Size:
    """
    What `ceph df` shows as MAX AVAIL of the empty data pool: bytes until the first OSD is full.

    Formula:  raw * full_ratio * efficiency
    Assumes:  OSDs alike and evenly filled; the plan ends well before, at its planned fill
    Source:   github.com/ceph/ceph, doc/rados/operations/monitoring.rst, MAX AVAIL (2026-11-29)

    >>> max_avail(raw=Size(1105.92e12), efficiency=4 / 6, full_ratio=0.95).show("TB", 4)
    '700.4 TB'
    """
    return raw * (full_ratio * efficiency)


def block_db(*, drive: Size, share: float) -> Size:
    """
    Room on flash for database, write-ahead log and bucket index of one hard-disk OSD.

    Formula:  drive * share
    Source:   IBM Storage Ceph documentation, sizing block.db for object workloads; not verified (2026-11-29)

    >>> block_db(drive=Size(20e12), share=0.04).show("GB")
    '800 GB'
    """
    return drive * share


def extra_parts(config: TierConfig, used: Relied) -> Mapping[str, float]:
    """What an object store on Ceph runs and shows beside its OSDs."""
    raw, layout = config.node.raw * config.nodes, config.layout
    efficiency = layout.efficiency if layout.width > 0 else 0.0
    found = {
        "object_step_bytes": object_step(config).bytes,
        "max_avail_bytes": max_avail(raw=raw, efficiency=efficiency, full_ratio=FULL_RATIO).bytes,
    }
    share = used["block_db_share"]
    if config.node.medium == "hdd":
        found["block_db_gib"] = math.ceil(block_db(drive=config.node.drive.size, share=share).bytes / 2**30)
    return found


def one_level(config: TierConfig) -> TierConfig:
    """The configuration as the rules of one level look at it: with several units a rack, hosts are what they count."""
    if not _ceph_racks.units_per_rack(config):
        return config
    return replace(config, layout=replace(config.layout, failure_domain="node"))


def option_rules(config: TierConfig) -> Iterator[Illegal]:
    """Ceph's own words in range."""
    plugin, gateways = option(config.options, "plugin", str), option(config.options, "gateways_per_host", int)
    if plugin in LEAVING:
        message = f"ceph-rgw: plugin {plugin} is announced as deprecated, and the code can never change"
        yield Illegal(policy="advice-narrow-layout", message=message, remedy="write plugin: isa")
    elif plugin is not None and plugin not in PLUGINS:
        message = f"ceph-rgw: plugin {plugin}; allowed: {', '.join((*PLUGINS, *LEAVING))}"
        yield Illegal(policy=f"{config.tier}-layout", message=message, remedy="write plugin: isa")
    if gateways is not None and gateways < 1:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"ceph-rgw: gateways_per_host {gateways}; each host runs one or more",
            remedy="write gateways_per_host: 1",
            required=1,
            planned=gateways,
        )


def notes(config: TierConfig, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    layout = config.layout
    factors = _ceph.network_factors(layout, through_gateway=True)
    limit, serving = used["nearfull_fraction"], _ceph.serving(layout)
    read, written = f"{factors.read:.3g}", f"{factors.write:.3g}"
    lines = [
        f"one host's worth is kept free inside usable; planned fill ends at the near-full ratio {limit:g}",
        f"gateways on the OSD hosts: a byte read crosses their network {read} times, a byte written {written} times",
        f"reads and writes pause when more than {serving} failure domains are lost, until recovery re-creates them",
    ]
    if layout.kind == "erasure-code":
        least = object_step(config).show("KiB")
        lines.append(f"objects below {least} are padded to it: pack small files before they are archived")
    units = _ceph_racks.units_per_rack(config)
    if units:
        lines.append(
            f"{units} units of a stripe in each rack: a lost rack takes {units}, and they wait for it to come back"
        )
    if config.node.medium == "hdd":
        room = block_db(drive=config.node.drive.size * config.node.drives, share=used["block_db_share"])
        lines.append(f"databases, logs and the bucket index belong on flash: {room.show()} a host (db_drives)")
    return tuple(lines)


def storage_classes(config: TierConfig) -> tuple[StorageClass, ...]:
    """The class that data lands in, and a compressed one that rules move it to; none where only one is there."""
    landing, cold = option(config.options, "storage_class", str), option(config.options, "cold_class", str)
    first = StorageClass(name=landing or "STANDARD")
    return () if cold is None else (first, StorageClass(name=cold, comes_from=(first.name,)))


class CephRgw:
    """The Ceph RGW backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """4+2, 4+3, 8+3 and 8+4 on each node, or the pinned layout, sized for the need."""
        used = Relied(facts)

        def figures(config: TierConfig) -> Model:
            return model(config, need, used)

        tried = _ceph.tried("ceph-rgw", CODES, need=need, pins=pins, site=site, facts=facts, model=figures)
        return (_ceph_racks.spread(config, need, pins, model=figures) for config in tried)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a Ceph cluster of this configuration gives through its gateways."""
        used, layout = Relied(facts), config.layout
        figures, gateways = model(config, need, used), gateways_per_host(config, used)
        illegal = (
            *_ceph.layout_faults(one_level(config), used),
            *_ceph_racks.faults(config),
            *_ceph.node_faults(config, used, extra_cores=max(0, gateways), because=f"{gateways} gateways"),
            *option_faults(config, OPTIONS),
            *option_rules(config),
        )
        code = f"k = {layout.data_units} and m = {layout.parity_units}, plugin and stripe unit of the data pool"
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(*((code,) if layout.kind == "erasure-code" else ()), "a bucket's placement target"),
            assumptions=used.lines(config.node),
            notes=notes(config, used),
            classes=storage_classes(config),
            parts={
                **_ceph.parts(config, used, need.survive),
                "gateways_per_host": gateways,
                "gateways": gateways * config.nodes,
                **extra_parts(config, used),
            },
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What the service specification and the pool commands need.

        hosts:    nodes, monitors, managers, gateways, gateways_per_host, osds, osds_per_host,
                  host_needs (what a hosts file must name for these files)
        drives:   device_class (hdd, ssd, nvme), rotational (1 or 0), osd_memory_target_gib, and the bounds that a
                  size filter takes for these drives, in its own "G": size_low_g, size_high_g; block_db_gib (0 on
                  flash), osd_weight_thousandths (of a TiB: its weight in the CRUSH map)
        profile:  kind (erasure-code, replicas), data_units, parity_units, replicas, minimum_size, plugin, technique,
                  failure_domain (host, rack, osd), stripe_unit_kib, profile_name; units_per_rack (0: a rule of one
                  level), racks_used
        pools:    data_pool, index_pool, extra_pool, placement_groups, nearfull_fraction, max_avail_text
        gateway:  realm, zonegroup, zone, storage_class, cold_class (or empty), bucket, versioning
        """
        config, layout, parts = plan.config, plan.config.layout, plan.delivered.parts
        words = {"node": "host", "rack": "rack", "drive": "osd"}
        name = f"k{layout.data_units}m{layout.parity_units}"
        counts_of = {key: int(value) for key, value in parts.items() if key != "nearfull_fraction"}
        counts_of.setdefault("block_db_gib", 0)
        return {
            **counts_of,
            "nearfull_fraction": parts["nearfull_fraction"],
            "max_avail_text": Size(parts.get("max_avail_bytes", 0.0)).show(),
            "nodes": config.nodes,
            "osds_per_host": config.node.drives,
            "host_needs": ["virtual_ips"],
            "size_low_g": math.floor(config.node.drive.size.bytes / 2**40 * 900),
            "size_high_g": math.ceil(config.node.drive.size.bytes / 1e12 * 1050),
            "osd_weight_thousandths": round(config.node.drive.size.bytes / 2**40 * 1000),
            "device_class": config.node.medium,
            "rotational": int(config.node.medium == "hdd"),
            "kind": layout.kind,
            "data_units": layout.data_units,
            "parity_units": layout.parity_units,
            "replicas": layout.replicas,
            "minimum_size": max(1, layout.width - _ceph.serving(layout)),
            "plugin": option(config.options, "plugin", str) or PLUGINS[0],
            "technique": "reed_sol_van",
            "units_per_rack": _ceph_racks.units_per_rack(config),
            "racks_used": _ceph_racks.racks_used(width=layout.width, units=_ceph_racks.units_per_rack(config)),
            "failure_domain": words[layout.failure_domain],
            "stripe_unit_kib": round((option(config.options, "stripe_unit", Size) or STRIPE_UNIT).bytes / 2**10),
            "profile_name": f"tierplan-{name}",
            "data_pool": "cold.rgw.buckets.data",
            "index_pool": "cold.rgw.buckets.index",
            "extra_pool": "cold.rgw.buckets.non-ec",
            "realm": "tierplan",
            "zonegroup": "tierplan",
            "zone": "cold",
            "storage_class": option(config.options, "storage_class", str) or "STANDARD",
            "cold_class": option(config.options, "cold_class", str) or "",
            "bucket": option(config.options, "bucket", str) or "tierplan-cold",
            "versioning": option(config.options, "versioning", bool) or False,
        }


BACKEND: Backend = CephRgw()
