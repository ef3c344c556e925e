"""SeaweedFS: objects packed into volumes, in copies while fresh, as ten data and four parity shards once sealed."""

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
)
from tierplan.backends._sizing import Fate, Model, counts, delivered
from tierplan.backends._space import EvenSpace, code_step
from tierplan.backends._stores import Costs, gpu_node, node_rates, spread_advice
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, Survive, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, Layout, Protection, TierConfig, TierPlan
from tierplan.units import Size

OPTIONS: Mapping[str, OptionKind] = {"bucket": str, "versioning": bool, "copies": int, "volume_size": Size}
VOLUME = Size(30e9)
MOST_COPIES = 3


def shards_on(*, nodes: int, racks: int, width: int) -> tuple[int, int]:
    """
    Shards of one sealed volume on the fullest node, and in the fullest rack.

    Formula:  rack = ceil(width / R), node = ceil(rack / floor(nodes / R)), R = min(racks, nodes)
    Assumes:  shards are dealt evenly over the racks, then over the nodes of each (ec.balance)
    Source:   github.com/seaweedfs/seaweedfs, README: rack-aware 10.4 erasure coding (2026-11-29)

    >>> shards_on(nodes=4, racks=1, width=14), shards_on(nodes=7, racks=4, width=14)
    ((4, 14), (4, 4))
    """
    if nodes < 1:
        return width, width
    used = min(max(1, racks), nodes)
    of_rack = -(-width // used)
    return -(-of_rack // (nodes // used)), of_rack


def shards_lost(*, nodes: int, racks: int, lost_nodes: int, lost_racks: int, width: int) -> int:
    """
    Shards of one sealed volume that losses take at the worst.

    Formula:  min(width, lost_nodes * node + lost_racks * rack), both as `shards_on`

    >>> shards_lost(nodes=4, racks=1, lost_nodes=1, lost_racks=0, width=14)
    4
    """
    if nodes < 1 or lost_racks >= max(1, racks):
        return width
    each, of_rack = shards_on(nodes=nodes, racks=racks, width=width)
    return min(width, lost_nodes * each + lost_racks * of_rack)


def copies_of(config: TierConfig, need: TierNeed) -> int:
    """Copies of a fresh volume: the stack's word, else one more than may be lost at once, two or three."""
    word = option(config.options, "copies", int)
    wanted = need.survive.nodes + need.survive.racks + 1
    return max(1, word) if word is not None else min(MOST_COPIES, max(2, wanted))


def sealed(config: TierConfig) -> bool:
    """Whether volumes are turned into shards; else they stay in copies."""
    return config.layout.kind == "erasure-code"


def fate(config: TierConfig, need: TierNeed) -> Callable[[Survive], Fate]:
    """What a loss means for sealed and for fresh volumes: nothing waits, it is read and written elsewhere, or lost."""
    fresh = copies_of(config, need) if sealed(config) else max(1, config.layout.replicas)

    def of(loss: Survive) -> Fate:
        gone = loss.nodes + loss.racks
        if not gone:
            return "serves"
        copies_gone = gone >= fresh or loss.racks >= max(1, config.racks)
        shards = shards_lost(
            nodes=config.nodes,
            racks=config.racks,
            lost_nodes=loss.nodes,
            lost_racks=loss.racks,
            width=config.layout.width,
        )
        return "lost" if copies_gone or (sealed(config) and shards > config.layout.parity_units) else "serves"

    return of


def nodes_for_shards(config: TierConfig, survive: Survive) -> int:
    """The fewest nodes of which the losses to survive, one at least, take no more shards than the parity; 0 if none."""
    layout = config.layout
    if not sealed(config) or layout.width > 64:
        return layout.replicas if layout.kind == "replicas" else 0
    for nodes in range(1, 2 * layout.width + 1):
        gone = shards_lost(
            nodes=nodes,
            racks=config.racks,
            lost_nodes=max(1, survive.nodes),
            lost_racks=survive.racks,
            width=layout.width,
        )
        if gone <= layout.parity_units:
            return nodes
    return 0


def costs(config: TierConfig, need: TierNeed) -> Costs:
    """
    What a client's byte costs: written in copies, read again to be sealed, and its shards dealt out.

    Formula:  network write = 1 + copies + (k + m) / k, drive write = copies + 1 + (k + m) / k; read: 3, or 2 for copies
    Assumes:  sealing keeps up with what is written; gateway, filer and volume server on other nodes each
    Source:   counted from github.com/seaweedfs/seaweedfs, weed/shell/command_ec_encode.go; not measured (2026-11-29)
    """
    layout = config.layout
    if not sealed(config):
        copies = float(max(1, layout.replicas))
        return Costs(network_read=2.0, network_write=1 + copies, drive_write=copies, accesses=copies)
    copies = float(copies_of(config, need))
    spread = 1 / layout.efficiency if layout.data_units > 0 else 1.0
    return Costs(network_read=3.0, network_write=1 + copies + spread, drive_write=copies + 1 + spread, accesses=copies)


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """SeaweedFS' figures for one configuration."""
    layout = config.layout
    fresh = Factor(
        name="fresh volumes in copies, room to seal",
        fraction=1 - used["fresh_share"] if sealed(config) else 1.0,
        basis="assumed",
    )
    needs = copies_of(config, need) if sealed(config) else layout.replicas
    return Model(
        node=node_rates(config, costs(config, need), used),
        space=EvenSpace(node_raw=config.node.raw, steps=(fresh, code_step(layout))),
        least={
            "minimum": int(used["least_masters"]),
            "failure_domain": max(needs + 1, nodes_for_shards(config, need.survive)),
        },
        full_limit=used["fill_limit"],
        client=gpu_node(need, used),
        tolerated=max(0, layout.tolerated),
        fate=fate(config, need),
        protection=protection(config),
    )


def protection(config: TierConfig) -> Protection | None:
    """What survival is computed from: sealed volumes, each on drives of its own choice, made anew on any node."""
    layout, node = config.layout, config.node
    drives = config.nodes * node.drives
    if layout.kind == "none" or drives < 1 or layout.width < 1:
        return None
    volume = (option(config.options, "volume_size", Size) or VOLUME).bytes
    raw = node.raw.bytes * config.nodes
    each, _ = shards_on(nodes=config.nodes, racks=config.racks, width=layout.width)
    tolerated = layout.parity_units // each if sealed(config) else max(0, layout.replicas - 1)
    return Protection(
        tolerated=tolerated,
        serving=tolerated,
        drives_tolerated=max(0, layout.tolerated),
        domains=config.nodes,
        domains_needed=max(1, nodes_for_shards(config, Survive(nodes=1))),
        width=layout.width,
        pool=drives,
        groups=max(1, round(raw * layout.efficiency / volume)) if volume > 0 else None,
        read_units=layout.data_units if sealed(config) else 1,
    )


def faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """What SeaweedFS cannot do, and what it needs."""
    layout, rule = config.layout, f"{config.tier}-layout"
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_nodes(config, int(used["least_masters"]))
    least = math.ceil(used["least_cores"] + used["system_cores"])
    yield from rules.too_few_cores(config, least, because="volume server, filer, gateway and the system")
    yield from rules.too_little_memory(config, used.quantity(Size, "least_memory"), because="indexes and the filer")
    yield from spread_advice(config, domain="node")
    data, parity = int(used["data_shards"]), int(used["parity_shards"])
    if layout.kind == "none" or (layout.kind == "replicas" and not 1 <= layout.replicas <= MOST_COPIES):
        yield Illegal(
            policy=rule,
            message=f"seaweedfs: {layout}; volumes lie in 1 to {MOST_COPIES} copies or in {data}+{parity} shards",
            remedy="leave out layout, or write replicas: 2",
        )
    elif layout.kind == "erasure-code" and (layout.data_units, layout.parity_units) != (data, parity):
        yield Illegal(
            policy=rule,
            message=f"seaweedfs: {layout}; the open edition seals volumes as {data}+{parity} only",
            remedy=f"write data_units: {data}, parity_units: {parity}",
            required=data + parity,
            planned=layout.width,
        )
    else:
        yield from _too_few_domains(config, need)


def _too_few_domains(config: TierConfig, need: TierNeed) -> Iterator[Illegal]:
    """Fewer nodes than one loss asks for, and copies that the stack sets too low or high."""
    least, word = nodes_for_shards(config, Survive(nodes=1)), option(config.options, "copies", int)
    if config.nodes < least:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"seaweedfs: {config.nodes} nodes hold {config.layout} so that one lost node loses data",
            remedy=f"use {least} nodes or more",
            required=least,
            planned=config.nodes,
        )
    if word is not None and not 1 <= word <= MOST_COPIES:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"seaweedfs: copies {word}; allowed: 1 to {MOST_COPIES}",
            remedy="write copies: 2",
            required=2,
            planned=word,
        )
    elif copies_of(config, need) < 2:
        yield rules.advice(
            "seaweedfs: one copy of fresh volumes; what is not sealed yet is lost with its drive",
            remedy="write copies: 2",
            required=2,
            planned=1,
        )


def notes(config: TierConfig, need: TierNeed) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    factors = costs(config, need)
    lines = [
        f"a byte written costs drives {factors.drive_write:.3g} bytes, network {factors.network_write:.3g} (counted)",
        "a small object is one drive access: SeaweedFS packs objects into volumes itself",
        "file names lie in the filers' store: the rendered one is embedded and copied between filers; back it up",
    ]
    if sealed(config):
        lines.append(
            f"volumes are sealed to {config.layout} by a job that somebody schedules (ec.encode); until then they lie "
            f"in {copies_of(config, need)} copies"
        )
    return tuple(lines)


class SeaweedFs:
    """The SeaweedFS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """10+4 on each node, or the pinned layout, sized for the need."""
        used = Relied(facts)
        code = Layout(kind="erasure-code", data_units=int(used["data_shards"]), parity_units=int(used["parity_shards"]))
        for node in nodes_to_try(pins.node, facts):
            layout = pinned_layout(code, pins)
            config = configured("seaweedfs", need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
            if pins.nodes is None:
                asked = counts(model(replace(config, nodes=100), need, used), need, racks=site.racks)
                config = replace(config, nodes=most(asked))
            yield config

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a SeaweedFS cluster of this configuration gives."""
        used = Relied(facts)
        figures = model(config, need, used)
        illegal = (*faults(config, need, used), *option_faults(config, OPTIONS))
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            assumptions=used.lines(config.node),
            notes=notes(config, need),
            parts={
                "masters": min(max(0, config.nodes), int(used["least_masters"])),
                "fresh_copies": copies_of(config, need) if sealed(config) else max(1, config.layout.replicas),
                "filers": max(0, config.nodes),
                "sealed": int(sealed(config)),
            },
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What the units and the manifests need.

        hosts:    nodes, masters, drives_per_node, host_needs, drive_prefix, drive_gib
        volumes:  replication (SeaweedFS' three digits: copies in other data centres, racks, servers), volume_size_mb,
                  sealed, data_shards, parity_shards
        ports:    master_port, volume_port, filer_port, s3_port; bucket, versioning
        """
        config, parts = plan.config, plan.delivered.parts
        others = max(0, int(parts["fresh_copies"]) - 1)
        return {
            "nodes": config.nodes,
            "masters": int(parts["masters"]),
            "drives_per_node": config.node.drives,
            "host_needs": ["drives", "virtual_ips"],
            "drive_prefix": "/mnt/weed",
            "drive_gib": int(config.node.drive.size.bytes * 0.99 // 2**30),
            "replication": f"0{others}0" if config.racks > others > 0 else f"00{others}",
            "volume_size_mb": round((option(config.options, "volume_size", Size) or VOLUME).bytes / 1e6),
            "sealed": bool(parts["sealed"]),
            "data_shards": config.layout.data_units,
            "parity_shards": config.layout.parity_units,
            "medium": "hdd" if config.node.medium == "hdd" else "ssd",
            "master_port": 9333,
            "volume_port": 8080,
            "filer_port": 8888,
            "s3_port": 8333,
            "bucket": option(config.options, "bucket", str) or "tierplan-cold",
            "versioning": option(config.options, "versioning", bool) or False,
        }


BACKEND: Backend = SeaweedFs()
