"""WEKA: NVMe servers, D data and P parity blocks over failure domains, hot spares, its own cores on each server."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue
from tierplan.backends import _rules as rules
from tierplan.backends._choosing import (
    OptionKind,
    Relied,
    configured,
    most,
    nodes_to_try,
    option,
    option_faults,
    pinned_layout,
    sized,
)
from tierplan.backends._sizing import Ceiling, Model, NodeRates, client_ceiling, counts, delivered, lowest, needed
from tierplan.backends._space import EvenSpace, code_step, failure_domains
from tierplan.backends._weka import (
    Cores,
    advised_data_units,
    containers,
    default_data_units,
    drive_cores,
    metadata_units,
    minimum_healthy,
    object_capacity,
    server_memory,
    tiering_times,
)
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import LayoutPins, Site, StorageNode, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, Duration, OpRate, Size, bandwidth

OPTIONS: Mapping[str, OptionKind] = {
    "drive_cores": int,
    "compute_cores": int,
    "frontend_cores": int,
    "tiering": {"ssd_share": float, "cue": Duration, "retention": Duration},
}
WIDEST_FROM = 19  # failure domains that hold 16+2 and one spare: the layout widens no further


def core_plan(config: TierConfig, used: Relied) -> Cores:
    """The cores of one server: the stack's words, else the vendor's planning rule."""
    available = min(used["most_weka_cores"], config.node.cores - used["system_cores"])
    frontend = option(config.options, "frontend_cores", int)
    frontend = int(used["frontend_cores"]) if frontend is None else frontend
    ratio = used["compute_per_drive_core"]
    drive = option(config.options, "drive_cores", int)
    if drive is None:
        drive = drive_cores(
            drives=config.node.drives, available=int(available), compute_per_drive=ratio, frontend=frontend
        )
    compute = option(config.options, "compute_cores", int)
    return Cores(drive=drive, compute=math.ceil(drive * ratio) if compute is None else compute, frontend=frontend)


def node_rates(config: TierConfig, used: Relied) -> NodeRates:
    """What one server gives: a share of its ports, its drives, its WEKA cores."""
    node, weka_cores = config.node, max(0, core_plan(config, used).total)
    data_share = code_step(config.layout).fraction
    create = used.quantity(OpRate, "create_rate")
    scale = min(1.0, weka_cores / used["measured_cores"])  # more cores than measured promise nothing
    return lowest(
        Ceiling(
            limited_by="node ports",
            read=node.network * used["read_port_share"],
            write=node.network * used["write_port_share"],
            read_high=node.network * used.high("read_port_share"),
            write_high=node.network * used.high("write_port_share"),
        ),
        Ceiling(
            limited_by="media",
            read=node.drive.read * node.drives,
            write=node.drive.write * node.drives * data_share,
        ),
        Ceiling(
            limited_by="cpu",
            read=used.quantity(Bandwidth, "read_per_core") * weka_cores,
            write=used.quantity(Bandwidth, "write_per_core") * weka_cores,
        ),
        op_rate=create * scale,
        op_rate_high=used.quantity_high(OpRate, "create_rate") * scale,
    )


def space(config: TierConfig, *, reserve_fraction: float) -> EvenSpace:
    """
    From raw to usable bytes.

    Formula:  usable = raw * (failure_domains - hot_spares) / failure_domains * D / (D + P) * (1 - reserve_fraction)
    Source:   WEKA documentation 4.4, SSD capacity management (2026-11-29)
    """
    layout = config.layout
    reserve = Factor(name="reserve", fraction=1 - reserve_fraction, basis="vendor")
    steps = (code_step(layout), reserve)
    if layout.failure_domain == "node":
        return EvenSpace(node_raw=config.node.raw, steps=steps, kept_free=layout.hot_spares)
    domains = failure_domains(config)
    fraction = max(0, domains - layout.hot_spares) / domains if domains > 0 else 0.0
    spare = Factor(name=f"hot spare ({layout.hot_spares} of {domains} racks)", fraction=fraction, basis="layout")
    return EvenSpace(node_raw=config.node.raw, steps=(spare, *steps))


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """WEKA's figures for one configuration."""
    layout = config.layout
    tolerated = min(layout.tolerated, int(used["tolerated_servers"]))
    healthy = minimum_healthy(data_units=layout.data_units, parity_units=layout.parity_units)
    return Model(
        node=node_rates(config, used),
        space=space(config, reserve_fraction=used["reserve_fraction"]),
        least={
            "minimum": int(used["minimum_servers"]),
            "failure_domain": layout.width,
            "hot_spare": layout.width + layout.hot_spares,
        },
        full_limit=used["full_limit"],
        client=client_ceiling(
            need.clients,
            read_share=used["client_read_share"],
            write_share=used["client_write_share"],
            most_read=used.quantity(Bandwidth, "client_read"),
            most_write=used.quantity(Bandwidth, "client_write"),
        ),
        tolerated=max(0, tolerated),
        serving=max(0, min(tolerated, failure_domains(config) - healthy)),
    )


def default_layout(nodes: int, need: TierNeed, pins: TierPins, *, racks: int) -> Layout:
    """The layout that so many nodes get where the stack leaves it open; a pinned part is kept and fitted to."""
    pinned = pins.layout or LayoutPins()
    parity, data = pinned.parity_units, pinned.data_units
    narrowest = (3 if data is None else data) + (2 if parity is None else parity) + 1  # with one spare
    by_rack = need.survive.racks > 0 and racks >= narrowest
    domain = pinned.failure_domain or ("rack" if by_rack else "node")
    domains = min(racks, nodes) if domain == "rack" else nodes
    parity = (4 if domains >= 100 else 2) if parity is None else parity
    further_spares = max(0, (pinned.hot_spares or 1) - 1)  # the vendor's rule leaves room for one
    data = advised_data_units(domains - further_spares, parity_units=parity) if data is None else data
    spares = max(1, min(2, domains - data - parity))
    layout = Layout(kind="erasure-code", data_units=data, parity_units=parity, hot_spares=spares, failure_domain=domain)
    return pinned_layout(layout, pins)


def layout_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What WEKA forbids about counts and layout, and what its vendor advises."""
    layout, domains = config.layout, failure_domains(config)
    least, widest = int(used["least_data_units"]), int(used["most_data_units"])
    yield from rules.too_few_nodes(config, int(used["minimum_servers"]))
    if layout.kind != "erasure-code" or layout.failure_domain == "drive":
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"weka: {layout} over {layout.failure_domain}s; data lies in D+P stripes over nodes or racks",
            remedy=f"write data_units: {default_data_units(domains, parity_units=2)}, parity_units: 2",
        )
        return
    yield from rules.not_allowed(config, "data_units", layout.data_units, allowed=tuple(range(least, widest + 1)))
    yield from rules.not_allowed(config, "parity_units", layout.parity_units, allowed=(2, 4))
    fitting = default_data_units(domains, parity_units=2)
    too_wide = tuple(rules.stripe_too_wide(config, narrower=f"{fitting}+2" if fitting + 2 <= domains else ""))
    yield from too_wide or _layout_advice(config, domains)


def _layout_advice(config: TierConfig, domains: int) -> Iterator[Illegal]:
    layout, kind = config.layout, config.layout.failure_domain
    wanted = layout.width + max(1, layout.hot_spares)
    if wanted > domains:
        yield rules.advice(
            f"weka: {domains} failure domains hold a {layout} stripe, but no {max(1, layout.hot_spares)} hot spare",
            remedy=f"add {wanted - domains} {kind}{'s' if wanted - domains > 1 else ''} or narrow the stripe",
            required=wanted,
            planned=domains,
        )
    if layout.hot_spares < 1:
        yield rules.advice("weka: no hot spare", remedy="write hot_spares: 1", required=1, planned=layout.hot_spares)
    if domains >= 40 and layout.width > domains / 4:
        advised = advised_data_units(domains, parity_units=layout.parity_units)
        yield rules.advice(
            f"weka: a {layout} stripe takes more than a quarter of {domains} failure domains",
            remedy=f"narrow the stripe to {advised}+{layout.parity_units}",
            required=domains // 4,
            planned=layout.width,
        )
    if domains >= 100 and layout.parity_units == 2:
        yield rules.advice(
            f"weka: 2 parity units over {domains} failure domains; 4 are advised from 100 on",
            remedy="write parity_units: 4",
            required=4,
            planned=2,
        )


def memory_needed(config: TierConfig, need: TierNeed, used: Relied) -> Size:
    """`server_memory` of one server of this cluster, with the metadata of its share of the files."""
    file = need.capacity / need.files if need.files > 0 else Size.zero()
    return server_memory(
        cores=core_plan(config, used),
        ssd=config.node.raw,
        memory=config.node.memory,
        metadata_units_per_server=need.files * metadata_units(file) / max(1, config.nodes),
        rdma=need.clients.transport != "tcp",
    )


def node_faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """What a server must have for WEKA."""
    cores, system, largest = core_plan(config, used), int(used["system_cores"]), used.quantity(Size, "largest_drive")
    memory, known = memory_needed(config, need, used), used.quantity(Size, "vendor_memory")
    rule = f"{config.tier}-node"
    words = f"{cores.drive} drive + {cores.compute} compute + {cores.frontend} frontend + {system} system cores"
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, cores.total + system, because=words)
    yield from rules.too_little_memory(config, memory, because=f"{cores.total} cores and {config.node.raw.show()} SSD")
    if min(cores.drive, cores.compute, cores.frontend) < 1 and config.node.drives > 0:
        message = f"weka: {words}; each kind needs one core or more"
        yield Illegal(policy=rule, message=message, remedy="leave out drive_cores, compute_cores, frontend_cores")
    if cores.total > used["most_weka_cores"]:
        allowed = int(used["most_weka_cores"])
        yield Illegal(
            policy=rule,
            message=f"weka: {cores.total} WEKA cores a server; at most {allowed}",
            remedy="lower drive_cores or compute_cores",
            required=allowed,
            planned=cores.total,
        )
    if config.node.drive.size > largest:
        yield Illegal(
            policy=rule,
            message=f"weka: drives of {config.node.drive.size.show()}; at most {largest.show()}",
            remedy="use drives of 15.36 TB",
            required=largest.bytes,
            planned=config.node.drive.size.bytes,
            unit="bytes",
        )
    if config.node.medium != "nvme":
        yield Illegal(policy=rule, message=f"weka: drives are {config.node.medium}", remedy="use NVMe drives")
    if memory > known:
        yield Illegal(
            policy="advice-node",
            message=f"weka: {memory.show()} of memory a server by the formula; above {known.show()} ask the vendor",
            remedy="use fewer or smaller drives a server",
            required=known.bytes,
            planned=memory.bytes,
            unit="bytes",
        )


def tiering_faults(config: TierConfig) -> Iterator[Illegal]:
    """Tiering cue at most a third of the SSD retention; the SSD share a fraction."""
    cue, retention = tiering_times(config.options)
    share, rule = option(config.options, "tiering.ssd_share", float), f"{config.tier}-layout"
    if cue.s > retention.s / 3 * (1 + 1e-9):
        yield Illegal(
            policy=rule,
            message=f"weka: tiering.cue {cue.show()} is over a third of tiering.retention {retention.show()}",
            remedy=f'write cue: "{Duration(retention.s // 3).text()}" or a longer retention',
            required=retention.s / 3,
            planned=cue.s,
            unit="s",
        )
    if share is not None and not 0 < share <= 1:
        message = f"weka: tiering.ssd_share {share:g}; a fraction above 0, at most 1"
        yield Illegal(policy=rule, message=message, remedy="write e.g. ssd_share: 0.2", required=1, planned=share)


def notes(config: TierConfig, need: TierNeed, *, usable: Size, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    healthy = minimum_healthy(data_units=config.layout.data_units, parity_units=config.layout.parity_units)
    lines = [f"weka serves while {healthy} failure domains are up; an encrypted file system uses neither RDMA nor GDS"]
    if need.clients.transport != "infiniband":
        lines.append("weka documents GPUDirect Storage on InfiniBand only (4.4)")
    share = option(config.options, "tiering.ssd_share", float)
    if share is not None and 0 < share <= 1:
        objects = object_capacity(usable / share, reclaim_factor=used["reclaim_factor"])
        lines.append(f"the object store behind the file system holds up to {objects.show()}, waste included")
    return tuple(lines)


def parts(config: TierConfig, need: TierNeed, used: Relied) -> Mapping[str, float]:
    """What runs on one server, and how many servers must be up."""
    cores, layout = core_plan(config, used), config.layout
    return {
        "drive_cores": cores.drive,
        "compute_cores": cores.compute,
        "frontend_cores": cores.frontend,
        "cores_per_container": int(used["cores_per_container"]),
        "memory_gib": math.ceil(memory_needed(config, need, used).bytes / 2**30),
        "minimum_healthy_nodes": minimum_healthy(data_units=layout.data_units, parity_units=layout.parity_units),
    }


class Weka:
    """The WEKA backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Each node with the vendor's default stripe for its count, sized for the need."""
        for node in nodes_to_try(pins.node, facts):
            used = Relied(facts)

            def config_of(nodes: int, node: StorageNode = node) -> TierConfig:
                layout = default_layout(nodes, need, pins, racks=site.racks)
                return configured("weka", need, pins, site, node=node, layout=layout, nodes=nodes)

            yield config_of(_node_count(config_of, need, used) if pins.nodes is None else pins.nodes)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a WEKA cluster of this configuration gives."""
        used = Relied(facts)
        figures = model(config, need, used)
        illegal = (
            *layout_faults(config, used),
            *node_faults(config, need, used),
            *option_faults(config, OPTIONS),
            *tiering_faults(config),
        )
        layout = config.layout
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(
                f"data units {layout.data_units} and parity units {layout.parity_units}: set before start-io",
                f"failure domain {layout.failure_domain}: set when the containers are made",
            ),
            assumptions=used.lines(config.node),
            notes=notes(config, need, usable=figures.space.usable(config.nodes), used=used),
            parts=parts(config, need, used),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """
        What the set-up commands need.

        cluster:    nodes, data_units, parity_units, hot_spares, failure_domain, minimum_healthy_nodes
        server:     drives_per_node, ports_per_node, drive_cores, compute_cores, frontend_cores,
                    cores_per_container, memory_gib (what WEKA takes by its formula)
        containers: list of {name, role, cores, resources_file}, none above `cores_per_container`
        fs:         group_name, filesystem_name, filesystem_capacity_gib, ssd_capacity_gib, tiered,
                    retention_s, demote_s; capacities are whole GiB at planned fill
        client:     client_cores
        host_needs: what a hosts file must name for these files
        hosts:      as the stack's hosts file names them
        """
        config, layout, parts = plan.config, plan.config.layout, plan.delivered.parts
        cue, retention = tiering_times(config.options)
        share = option(config.options, "tiering.ssd_share", float)
        planned = plan.delivered.planned
        return {
            "nodes": config.nodes,
            "data_units": layout.data_units,
            "parity_units": layout.parity_units,
            "hot_spares": layout.hot_spares,
            "failure_domain": layout.failure_domain,
            "drives_per_node": config.node.drives,
            "ports_per_node": config.node.ports,
            **{name: int(count) for name, count in parts.items()},
            "containers": containers(parts),
            "group_name": "tierplan",
            "filesystem_name": "hot",
            "ssd_capacity_gib": math.floor(planned.bytes / 2**30),
            "filesystem_capacity_gib": math.floor(planned.bytes / (share or 1) / 2**30),
            "tiered": share is not None,
            "retention_s": round(retention.s),
            "demote_s": math.floor(cue.s),
            "hosts": hosts,
            "client_cores": 2 if plan.need.clients.port_rate >= bandwidth("100 Gbit/s") else 1,
            "host_needs": ["ports", "drives"],
        }


def _node_count(config_of: Callable[[int], TierConfig], need: TierNeed, used: Relied) -> int:
    """Smallest count; sought from what the widest stripe with one spare asks, which no other undercuts."""

    def asked(nodes: int) -> Mapping[str, int]:
        config = config_of(nodes)
        return counts(model(config, need, used), need, racks=config.racks)

    widest = config_of(WIDEST_FROM + max(0, config_of(1).layout.hot_spares - 1))
    widest = replace(widest, layout=replace(widest.layout, hot_spares=min(1, widest.layout.hot_spares)))
    bound = most(needed(model(widest, need, used), need, racks=widest.racks))
    return sized(asked, start=max(int(used["minimum_servers"]), bound))


def downward(config: TierConfig) -> Downward:
    """Tiering to an object store: SSDs keep what is younger than the retention period."""
    share = option(config.options, "tiering.ssd_share", float)
    return Downward(
        mechanism="WEKA tiering to an object store",
        by_itself=True,
        transparent=True,
        at=tiering_times(config.options)[1],
        missing="" if share is not None else "weka is not tiered, so it hands nothing over",
        remedy="write tiers.hot.options.tiering.ssd_share"
        if share is None
        else "write tiers.hot.options.tiering.retention and tiers.lifecycle.warm_after alike",
        source="WEKA documentation 4.4, data lifecycle and tiering policies",
    )


BACKEND: Backend = Weka()
