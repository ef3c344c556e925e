"""CephFS: NVMe hosts with one OSD a drive, files in an erasure-coded or copied pool, metadata servers beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue, _ceph
from tierplan.backends import _rules as rules
from tierplan.backends._cephfs import MetadataServers, metadata_servers, padding, padding_step, stripe_unit
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._sizing import Ceiling, Model, NodeRates, client_ceiling, delivered, lowest
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import NEVER, Delivered, Illegal, Layout, TierConfig, TierPlan
from tierplan.layout import placement
from tierplan.units import Bandwidth, OpRate, Size

OPTIONS: Mapping[str, OptionKind] = {
    "plugin": str,
    "stripe_unit": Size,
    "optimized_code": bool,
    "active_mds": int,
    "standby_mds": int,
    "pinning": str,
    "secure_messenger": bool,
}
PLUGINS = ("isa", "jerasure")
LEAVING = ("clay", "shec")  # announced as deprecated
PINNING = ("distributed", "random", "none")
LAYOUTS = (
    Layout(kind="replicas", replicas=3),
    Layout(kind="erasure-code", data_units=4, parity_units=2),
    Layout(kind="erasure-code", data_units=8, parity_units=3),
)
METADATA_COPIES = 3


def node_rates(config: TierConfig, servers: MetadataServers, used: Relied) -> NodeRates:
    """What one host gives through its ports, drives and cores, and its share of the metadata servers."""
    node = config.node
    factors = _ceph.network_factors(config.layout, through_gateway=False)
    cores = node.cores - used["system_cores"] - used["mds_cores"]
    share = used["secure_messenger_share"]
    clear = share if option(config.options, "secure_messenger", bool) else 1.0
    at_work = max(0, min(servers.active, config.nodes - servers.standby))
    each = at_work / config.nodes if config.nodes > 0 else 0.0
    return lowest(
        Ceiling(
            limited_by="node ports",
            read=node.network * (used["network_read_share"] / factors.read * clear),
            write=node.network * (used["network_write_share"] / factors.write * clear),
        ),
        _ceph.media(config, used),
        Ceiling(
            limited_by="cpu",
            read=_ceph.core_bandwidth(cores=cores, cores_per_gb_s=used["read_cores_per_gb_s"]) * clear,
            write=_ceph.core_bandwidth(cores=cores, cores_per_gb_s=used["write_cores_per_gb_s"]) * clear,
        ),
        op_rate=used.quantity(OpRate, "mds_op_rate") * each,
        op_rate_high=used.quantity_high(OpRate, "mds_op_rate") * each,
    )


def metadata_hosts(servers: MetadataServers, need: TierNeed, per_mds: OpRate) -> int:
    """Hosts that the metadata servers take, one on each; NEVER where the pinned actives carry too little."""
    carried = (per_mds * servers.active).base * (1 + 1e-9)
    return servers.active + servers.standby if carried >= need.op_rate.base else NEVER


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """CephFS's figures for one configuration."""
    layout, share, most_client = config.layout, used["client_port_share"], used.quantity(Bandwidth, "client_bandwidth")
    servers = metadata_servers(config, need, used)
    space = _ceph.space(config, kept_hosts=int(used["kept_hosts"]))
    return Model(
        node=node_rates(config, servers, used),
        space=replace(space, steps=(*space.steps, *padding(config, need))),
        least={
            "metadata": metadata_hosts(servers, need, used.quantity(OpRate, "mds_op_rate")),
            "minimum": max(layout.width, METADATA_COPIES, int(used["least_monitors"])),
            "failure_domain": layout.width + 1,
        },
        full_limit=used["nearfull_fraction"],
        client=client_ceiling(
            need.clients, read_share=share, write_share=share, most_read=most_client, most_write=most_client
        ),
        tolerated=max(0, layout.tolerated),
        serving=_ceph.serving(layout),
        groups=_ceph.pool_groups(config, used),
    )


def node_faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """What a host must have: a core for each OSD, cores and memory of a metadata server, drives and ports."""
    node, servers = config.node, metadata_servers(config, need, used)
    osds = _ceph.host_memory(
        osds=node.drives, osd_memory=used.quantity(Size, "osd_memory"), margin=used["memory_margin"]
    )
    cores = math.ceil(node.drives * used["cores_per_osd"] + used["mds_cores"] + used["system_cores"])
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, cores, because=f"{node.drives} OSDs, a metadata server and the system")
    yield from rules.too_little_memory(
        config, osds + servers.memory, because=f"{node.drives} OSDs and a metadata server"
    )
    if node.medium == "hdd":
        yield rules.advice(
            "cephfs: drives are hdd; a checkpoint waits for their heads",
            remedy="use NVMe drives, or put hard disks behind the cold tier",
            required=None,
            planned=None,
            policy="advice-node",
        )


def option_rules(config: TierConfig, servers: MetadataServers, used: Relied) -> Iterator[Illegal]:
    """Ceph's own words in range."""
    rule, plugin = f"{config.tier}-layout", option(config.options, "plugin", str)
    pinning, optimized = option(config.options, "pinning", str), option(config.options, "optimized_code", bool)
    if plugin in LEAVING:
        message = f"cephfs: plugin {plugin} is announced as deprecated, and the code can never change"
        yield Illegal(policy="advice-narrow-layout", message=message, remedy="write plugin: isa")
    elif plugin is not None and plugin not in PLUGINS:
        message = f"cephfs: plugin {plugin}; allowed: {', '.join((*PLUGINS, *LEAVING))}"
        yield Illegal(policy=rule, message=message, remedy="write plugin: isa")
    if optimized and plugin in LEAVING:
        message = f"cephfs: optimized_code with plugin {plugin}; it takes {' or '.join(PLUGINS)}"
        yield Illegal(policy=rule, message=message, remedy="write plugin: isa")
    if pinning is not None and pinning not in PINNING:
        message = f"cephfs: pinning {pinning}; allowed: {', '.join(PINNING)}"
        yield Illegal(policy=rule, message=message, remedy="write pinning: distributed")
    for name, least in (("active_mds", 1), ("standby_mds", 1)):
        count = option(config.options, name, int)
        if count is not None and count < least:
            message = f"cephfs: {name} {count}; a file system has {least} or more"
            yield Illegal(policy=rule, message=message, remedy=f"write {name}: {least}", required=least, planned=count)
    seen = int(used["most_active_mds"])
    if servers.active > seen:
        yield rules.advice(
            f"cephfs: {servers.active} active metadata servers; more than {seen} were never seen to scale",
            remedy="pack small files into shards, or ask for fewer operations",
            required=seen,
            planned=servers.active,
            policy="advice-node",
        )


def layout_advice(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What Ceph advises for files beyond what holds for every pool."""
    layout, most_parity = config.layout, int(used["most_parity_units"])
    if layout.kind == "erasure-code" and layout.parity_units > most_parity:
        yield rules.advice(
            f"cephfs: {layout.parity_units} parity units; more than {most_parity} are discouraged for files",
            remedy=f"write parity_units: {most_parity}",
            required=most_parity,
            planned=layout.parity_units,
        )


def notes(config: TierConfig, servers: MetadataServers, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    layout, factors = config.layout, _ceph.network_factors(config.layout, through_gateway=False)
    client = used.quantity(Bandwidth, "client_bandwidth").show()
    limit = used["nearfull_fraction"]
    lines = [
        f"one host's worth is kept free inside usable; planned fill ends at the near-full ratio {limit:g}",
        f"a byte read crosses the hosts' network {factors.read:.3g} times, a byte written {factors.write:.3g} times",
        f"reads and writes pause when more than {_ceph.serving(layout)} failure domains are lost, until recovery",
        f"clients speak TCP only, neither RDMA nor GPUDirect Storage; one GPU node is planned at {client} (assumed)",
        f"{servers.active} active metadata servers carry the op rate only if directories are spread over them by pins",
    ]
    if layout.kind == "erasure-code":
        pad = padding_step(config).show("KiB")
        lines.append(f"a write smaller than a stripe reads and writes parity again; files are padded to {pad}")
    return tuple(lines)


def unchangeable(config: TierConfig) -> tuple[str, ...]:
    """What the pools fix for ever."""
    layout = config.layout
    lines = ["the file system's first data pool: it holds the way back to each file and cannot be taken out"]
    if layout.kind == "erasure-code":
        lines.append(f"k = {layout.data_units} and m = {layout.parity_units}, plugin and stripe unit of the data pool")
    if option(config.options, "optimized_code", bool):
        lines.append("optimized_code: once switched on for a pool it cannot be switched off")
    return tuple(lines)


class CephFs:
    """The CephFS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Three copies, 4+2 and 8+3 on each node, or the pinned layout, sized for the need."""
        used = Relied(facts)
        return _ceph.tried(
            "cephfs",
            LAYOUTS,
            need=need,
            pins=pins,
            site=site,
            facts=facts,
            model=lambda config: model(config, need, used),
        )

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a Ceph cluster of this configuration gives through CephFS."""
        used = Relied(facts)
        figures, servers = model(config, need, used), metadata_servers(config, need, used)
        illegal = (
            *_ceph.layout_faults(config, used),
            *layout_advice(config, used),
            *node_faults(config, need, used),
            *option_faults(config, OPTIONS),
            *option_rules(config, servers, used),
        )
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=unchangeable(config),
            assumptions=used.lines(config.node),
            notes=notes(config, servers, used),
            parts={
                **_ceph.parts(config, used, need.survive),
                "active_mds": servers.active,
                "standby_mds": servers.standby,
                "mds_cache_gib": math.ceil(servers.cache.bytes / 2**30),
                "mds_memory_gib": math.ceil(servers.memory.bytes / 2**30),
                "mds_operations_per_s": int(used["mds_op_rate"]),
            },
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What the service specifications, the pool commands and the Kubernetes objects need.

        hosts:    nodes, monitors, managers, osds, osds_per_host, active_mds, standby_mds, mds_hosts
        drives:   device_class, rotational, osd_memory_target_gib, size_low_g, size_high_g (bounds of a size filter,
                  in the filter's own "G"), osd_weight_thousandths (of a TiB: its weight in the CRUSH map)
        profile:  kind (erasure-code, replicas), data_units, parity_units, replicas, minimum_size, plugin, technique,
                  failure_domain (host, rack, osd), stripe_unit_kib, profile_name, optimized_code
        pools:    metadata_pool, default_pool, data_pool (the default pool where copies lie), placement_groups,
                  metadata_groups, metadata_copies, nearfull_fraction
        mds:      filesystem, mds_cache_gib, mds_memory_gib, mds_operations_per_s (of one, as planned), pinning
        client:   secure_messenger, mount_point
        """
        config, layout, parts = plan.config, plan.config.layout, plan.delivered.parts
        erasure = layout.kind == "erasure-code"
        return {
            **{key: int(value) for key, value in parts.items() if key != "nearfull_fraction"},
            **_drives(config),
            "nearfull_fraction": parts["nearfull_fraction"],
            "nodes": config.nodes,
            "mds_hosts": min(config.nodes, int(parts["active_mds"] + parts["standby_mds"])),
            "kind": layout.kind,
            "data_units": layout.data_units,
            "parity_units": layout.parity_units,
            "replicas": layout.replicas,
            "minimum_size": max(1, layout.width - _ceph.serving(layout)),
            "plugin": option(config.options, "plugin", str) or PLUGINS[0],
            "technique": "reed_sol_van",
            "failure_domain": {"node": "host", "rack": "rack", "drive": "osd"}[layout.failure_domain],
            "stripe_unit_kib": round(stripe_unit(config).bytes / 2**10),
            "optimized_code": option(config.options, "optimized_code", bool) or False,
            "profile_name": f"tierplan-k{layout.data_units}m{layout.parity_units}",
            "filesystem": "hot",
            "metadata_pool": "cephfs.hot.meta",
            "default_pool": "cephfs.hot.data",
            "data_pool": "cephfs.hot.bulk" if erasure else "cephfs.hot.data",
            "metadata_copies": METADATA_COPIES,
            "metadata_groups": _metadata_groups(config),
            "pinning": option(config.options, "pinning", str) or PINNING[0],
            "secure_messenger": option(config.options, "secure_messenger", bool) or False,
            "mount_point": "/mnt/hot",
        }


def _drives(config: TierConfig) -> Mapping[str, TemplateValue]:
    size = config.node.drive.size.bytes
    return {
        "osds_per_host": config.node.drives,
        "device_class": config.node.medium,
        "rotational": int(config.node.medium == "hdd"),
        "size_low_g": math.floor(size / 2**40 * 900),
        "size_high_g": math.ceil(size / 1e12 * 1050),
        "osd_weight_thousandths": round(size / 2**40 * 1000),
    }


def _metadata_groups(config: TierConfig) -> int:
    """Placement groups of the pools that hold little: a hundredth of the data (assumed), at least 16."""
    osds = config.nodes * config.node.drives
    return max(16, placement.placement_groups(osds=osds, size=METADATA_COPIES, target=100, share=0.01))


BACKEND: Backend = CephFs()
