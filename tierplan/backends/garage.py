"""Garage: copies over zones, for small stores in several places; no erasure code by decision of its makers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends import Backend, TemplateValue
from tierplan.backends import _rules as rules
from tierplan.backends._choosing import (
    OptionKind,
    Relied,
    configured,
    nodes_to_try,
    option,
    option_faults,
    pinned_layout,
    sized,
)
from tierplan.backends._sizing import Model, counts, delivered
from tierplan.backends._space import SteppedSpace, code_step, failure_domains
from tierplan.backends._stores import Costs, gpu_node, node_rates, spread_advice
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Size

OPTIONS: Mapping[str, OptionKind] = {"bucket": str, "versioning": bool, "block_size": Size, "metadata_engine": str}
ENGINES = ("lmdb", "sqlite")
COPIES = (1, 2, 3, 5, 7)
BLOCK = Size(10e6)  # Garage book: 10M where files are large and the network is fast


def write_quorum(copies: int) -> int:
    """
    Copies that must be written before a write is answered, in the consistent mode.

    Formula:  copies // 2 + 1; all of 2
    Source:   Garage book, reference manual, configuration, replication_factor (2026-11-29)

    >>> [write_quorum(copies) for copies in (1, 2, 3, 5)]
    [1, 2, 2, 3]
    """
    return copies // 2 + 1 if copies > 0 else 0


def zone_share(*, nodes: int, zones: int, copies: int) -> float:
    """
    Share of the drives that can be filled where each copy lies in another zone and nodes are dealt over the zones.

    Formula:  copies * t / nodes, t the largest with sum(min(nodes of a zone, t)) >= copies * t
    Source:   Garage book, operations, cluster layout management: the smallest zones limit (2026-11-29)

    >>> zone_share(nodes=4, zones=3, copies=3), zone_share(nodes=12, zones=8, copies=3)
    (0.75, 1.0)
    """
    if nodes < copies or zones < copies or copies < 1:
        return 0.0
    small, larger = divmod(nodes, zones)
    stored = 0.0
    for full in range(copies):  # zones that are too large to be filled hold one copy of everything
        in_full = full * small + min(full, larger)
        stored = (nodes - in_full) / (copies - full)
        if small + (full < larger) <= stored:
            break
    return min(1.0, copies * stored / nodes)


def zones(config: TierConfig) -> int:
    """Zones of the layout: the racks where each copy finds one of its own, else one zone for each node."""
    return max(1, config.racks) if config.layout.failure_domain == "rack" else max(1, config.nodes)


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """Garage's figures for one configuration."""
    layout, copies = config.layout, max(1, config.layout.replicas)

    def steps(nodes: int) -> tuple[Factor, ...]:
        by_rack = max(1, config.racks) if layout.failure_domain == "rack" else max(1, nodes)
        share = zone_share(nodes=nodes, zones=by_rack, copies=copies)
        return (Factor(name="zones of unequal size", fraction=share, basis="layout"), code_step(layout))

    costs = Costs(
        network_read=2.0,
        network_write=1.0 + copies,
        drive_write=float(copies),
        accesses=float(copies),
    )
    return Model(
        node=node_rates(config, costs, used),
        space=SteppedSpace(node_raw=config.node.raw, steps_at=steps),
        least={"minimum": int(used["least_nodes"]), "failure_domain": copies + 1},
        client=gpu_node(need, used),
        tolerated=copies - 1,
        serving=copies - write_quorum(copies),
    )


def faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What Garage cannot do, and what it needs."""
    layout, rule = config.layout, f"{config.tier}-layout"
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_nodes(config, int(used["least_nodes"]))
    least = math.ceil(used["least_cores"] + used["system_cores"])
    yield from rules.too_few_cores(config, least, because="the daemon and the system")
    yield from rules.too_little_memory(
        config, used.quantity(Size, "least_memory"), because="metadata in the page cache"
    )
    yield from spread_advice(config, domain="rack")
    if layout.kind != "replicas":
        yield Illegal(
            policy=rule,
            message=f"garage: {layout}; it keeps copies only, erasure codes are a stated non-goal",
            remedy="write replicas: 3, or plan ceph-rgw for a code",
        )
        return
    yield from rules.not_allowed(config, "replicas", layout.replicas, allowed=COPIES)
    yield from rules.stripe_too_wide(config)
    if layout.replicas in (1, 2):
        yield rules.advice(
            f"garage: {layout.replicas} copies; with one node lost nothing is written, or data is lost",
            remedy="write replicas: 3",
            required=3,
            planned=layout.replicas,
        )


def option_rules(config: TierConfig) -> Iterator[Illegal]:
    """Garage's own words in range, and one that it lacks."""
    rule, engine = f"{config.tier}-layout", option(config.options, "metadata_engine", str)
    if option(config.options, "versioning", bool):
        yield Illegal(
            policy=rule,
            message="garage: versioning true; it keeps no old versions (PutBucketVersioning is missing)",
            remedy="leave out versioning, or plan ceph-rgw",
        )
    if engine is not None and engine not in ENGINES:
        yield Illegal(
            policy=rule,
            message=f"garage: metadata_engine {engine}; allowed: {', '.join(ENGINES)}",
            remedy=f"write metadata_engine: {ENGINES[0]}",
        )


def notes(config: TierConfig) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    copies, kinds = max(1, config.layout.replicas), "racks" if config.layout.failure_domain == "rack" else "nodes"
    lost = max(0, copies - write_quorum(copies))
    return (
        f"each of 256 partitions lies in {copies} {kinds}; it serves with {lost} of them lost",
        f"{copies} copies: {copies} bytes of drive for a byte stored, where 4+2 takes 1.5",
        "no storage classes, no bucket policies, no old versions; lifecycle rules expire and abort uploads only",
        "metadata belongs on flash: name it in the hosts file (db_drives)",
        "no TLS of its own: a proxy has to stand before it",
    )


class Garage:
    """The Garage backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Three copies on each node, over racks where there are enough; or the pinned number of copies."""
        used = Relied(facts)
        for node in nodes_to_try(pins.node, facts):
            asked = pins.layout.replicas if pins.layout is not None else None
            copies = 3 if asked is None else asked
            base = Layout(
                kind="replicas", replicas=copies, failure_domain="rack" if site.racks >= copies > 1 else "node"
            )
            layout = pinned_layout(base, pins)
            config = configured("garage", need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
            if pins.nodes is None:
                config = replace(config, nodes=self._sized(config, need, used))
            yield config

    def _sized(self, config: TierConfig, need: TierNeed, used: Relied) -> int:
        def asked(nodes: int) -> Mapping[str, int]:
            return counts(model(replace(config, nodes=nodes), need, used), need, racks=config.racks)

        return sized(asked, start=0)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a Garage cluster of this configuration gives."""
        used, copies = Relied(facts), max(1, config.layout.replicas)
        figures = model(config, need, used)
        illegal = (*faults(config, used), *option_faults(config, OPTIONS), *option_rules(config))
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=("the replication factor: another one means a new layout and all data moved",),
            assumptions=used.lines(config.node),
            notes=notes(config),
            parts={
                "zones": min(zones(config), failure_domains(config)),
                "copies": copies,
                "partitions": 256,
                "object_step_bytes": 4096,  # a block is a file, at least one block of the file system beneath
                "write_quorum_copies": write_quorum(copies),
            },
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What the configuration, the units and the manifests need.

        hosts:    nodes, drives_per_node, host_needs, drive_prefix, drive_capacity_gb,
                  node_capacity_gb (as Garage counts)
        layout:   copies, zone_of (rack, node), block_size_bytes, metadata_engine
        ports:    s3_port, rpc_port, admin_port; bucket, region
        """
        config = plan.config
        drive_gb = int(config.node.drive.size.bytes * 0.99 // 1e9)
        return {
            "nodes": config.nodes,
            "drives_per_node": config.node.drives,
            "host_needs": ["drives"],
            "drive_prefix": "/mnt/garage",
            "drive_capacity_gb": drive_gb,
            "node_capacity_gb": drive_gb * config.node.drives,
            "copies": max(1, config.layout.replicas),
            "zone_of": "rack" if config.layout.failure_domain == "rack" else "node",
            "block_size_bytes": round((option(config.options, "block_size", Size) or BLOCK).bytes),
            "metadata_engine": option(config.options, "metadata_engine", str) or ENGINES[0],
            "s3_port": 3900,
            "rpc_port": 3901,
            "admin_port": 3903,
            "region": "garage",
            "bucket": option(config.options, "bucket", str) or "tierplan-cold",
        }


BACKEND: Backend = Garage()
