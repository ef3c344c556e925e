"""
VAST: boxes of flash behind stateless protocol servers, wide stripes with four parity strips, NFS to the clients.

Nothing is published of what a box gives, so bandwidth comes from the vendor's offer (`quote`) alone: the lesser of
the offer and of what the ports and drives of the boxes allow.  Without an offer the configuration is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

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
from tierplan.backends._nfs import NAME, PATH, Mount, mount, port_share, word_faults, word_of
from tierplan.backends._sizing import (
    Ceiling,
    Model,
    NodeRates,
    client_ceiling,
    counts,
    delivered,
    lowest,
    needed,
    spread,
)
from tierplan.backends._space import EvenSpace, code_step
from tierplan.backends._vast import box_data_strips, data_strips, port_crossings
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import LayoutPins, Site, StorageNode, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate

OPTIONS: Mapping[str, OptionKind] = {
    "box": str,
    "cnodes": int,
    "vendor_client": bool,
    "nconnect": int,
    "extra_reserve": float,
    "op_rate": OpRate,
    "path": str,
    "vip_pool_name": str,
    "vip_pool_fqdn": str,
}
BOXES = ("ebox", "dbox")
MANY_BOXES = 1000  # hold the widest stripe whatever stands in them


def box_kind(config: TierConfig) -> str:
    """``ebox`` or ``dbox``: the stack's word, else an EBox."""
    return option(config.options, "box", str) or BOXES[0]


def client_mount(config: TierConfig, need: TierNeed, used: Relied) -> Mount:
    """The mount of a GPU node: all its ports with the vendor's client, one with the kernel's."""
    own = option(config.options, "vendor_client", bool) is not False
    limits = {True: used["vendor_connections"], False: used["kernel_connections"]}
    ports = need.clients.ports if own else min(1, need.clients.ports)
    return mount(need.clients, used, ports=ports, most=limits[own], pinned=option(config.options, "nconnect", int))


def node_rates(config: TierConfig, need: TierNeed, used: Relied) -> NodeRates:
    """The most that a box can give by its ports and drives; nothing without an offer."""
    node, code = config.node, code_step(config.layout).fraction
    read, write = port_crossings(
        buffer_data=used["buffer_data_strips"],
        buffer_parity=used["buffer_parity_strips"],
        code_fraction=code,
        ebox=box_kind(config) == "ebox",
    )
    network = node.network * port_share(need.clients.transport, used)
    offered = option(config.options, "op_rate", OpRate)
    op_rate = used.quantity(OpRate, "op_rate") if node.drives > 0 else OpRate.zero()
    nothing = Ceiling(limited_by="quote", read=Bandwidth.zero(), write=Bandwidth.zero())
    return lowest(
        *(() if config.quote else (nothing,)),
        Ceiling(limited_by="node ports", read=network / read, write=network / write),
        Ceiling(limited_by="media", read=node.drive.read * node.drives, write=node.drive.write * node.drives * code),
        op_rate=op_rate if offered is None else OpRate.zero(),
        op_rate_beside=offered,  # the offer is for the whole system, whatever its boxes
        op_rate_limited_by="metadata" if offered is None else "quote",
    )


def space(config: TierConfig, used: Relied) -> EvenSpace:
    """
    From raw to usable bytes.

    Formula:  usable = raw * physical_fraction * D / (D + P) * (1 - extra_reserve)
    Source:   VAST knowledge base, Understanding VAST capacity (2026-11-29)
    """
    known = used["extra_reserve"]
    word = option(config.options, "extra_reserve", float)
    extra = min(1.0, max(0.0, known if word is None else word))
    steps = (
        Factor(name="kept at start", fraction=used["physical_fraction"], basis="vendor"),
        code_step(config.layout),
        Factor(name="extra reserve", fraction=1 - extra, basis="assumed"),
    )
    return EvenSpace(node_raw=config.node.raw, steps=steps)


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """VAST's figures for one configuration."""
    layout, per_box = config.layout, int(used["strips_per_box"])
    client = client_mount(config, need, used).bandwidth
    by_box = layout.failure_domain == "node"
    least = int(used["minimum_boxes"])
    stripe = -(-layout.width // per_box)
    if not by_box:
        stripe = -(-(layout.width + int(used["drives_kept_out"])) // config.node.drives) if config.node.drives else 1
    held = by_box and layout.width <= per_box * config.nodes and layout.parity_units >= per_box
    figures = Model(
        node=node_rates(config, need, used),
        space=space(config, used),
        least={"minimum": least if by_box else 1, "failure_domain": stripe},
        full_limit=used["full_limit"],
        client=client_ceiling(need.clients, read_share=1, write_share=1, most_read=client, most_write=client),
        tolerated=int(held) if by_box else max(0, layout.parity_units),
    )
    kept = spread(figures, config)
    if kept is None:
        return figures
    widest = stripe if by_box else layout.width + int(used["drives_kept_out"])
    read = layout.data_units / 4  # local parity: a quarter of the strips that are left
    return replace(figures, protection=replace(kept, domains_needed=widest, read_units=read))


def default_layout(boxes: int, node: StorageNode, need: TierNeed, pins: TierPins, used: Relied, *, box: str) -> Layout:
    """The widest stripe that so many boxes hold where the stack leaves it open; over boxes where one may be lost."""
    pinned = pins.layout or LayoutPins()
    alone = box == "dbox" and need.survive.nodes == 0 and need.survive.racks == 0
    domain = pinned.failure_domain or ("drive" if alone else "node")
    parity = int(used["parity_strips"]) if pinned.parity_units is None else pinned.parity_units
    widest = data_strips(
        boxes * node.drives,
        most_strips=int(used["most_data_strips"]),
        parity_strips=parity,
        kept_out=int(used["drives_kept_out"]),
    )
    if domain == "node":
        widest = min(widest, box_data_strips(boxes, strips_per_box=int(used["strips_per_box"]), parity_strips=parity))
    data = max(int(used["least_data_strips"]), widest)
    return pinned_layout(Layout(kind="erasure-code", data_units=data, parity_units=parity, failure_domain=domain), pins)


def needs_quote(config: TierConfig) -> Iterator[Illegal]:
    """No bandwidth of a box is published: without an offer there is none to plan with."""
    if config.quote is None:
        yield Illegal(
            policy=f"{config.tier}-node",
            message="vast: needs quote; no bandwidth of a CNode, DBox or EBox is published",
            remedy=f"write tiers.{config.tier}.quote: {{read, write, usable, source}} from the vendor's offer",
        )


def layout_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What VAST forbids about boxes and stripe."""
    layout, policy = config.layout, f"{config.tier}-layout"
    parity = int(used["parity_strips"])
    if layout.kind != "erasure-code" or layout.failure_domain == "rack":
        yield Illegal(
            policy=policy,
            message=f"vast: {layout} over {layout.failure_domain}s; stripes lie over drives, two to a box at most",
            remedy=f"write parity_units: {parity}, failure_domain: node; ask the vendor for rack-level resilience",
        )
        return
    strips = range(int(used["least_data_strips"]), int(used["most_data_strips"]) + 1)
    yield from rules.not_allowed(config, "data_units", layout.data_units, allowed=tuple(strips))
    yield from rules.not_allowed(config, "parity_units", layout.parity_units, allowed=(parity,))
    if layout.hot_spares:
        message = f"vast: {layout.hot_spares} hot spares; a lost drive is rebuilt into free space"
        yield Illegal(policy=policy, message=message, remedy="write hot_spares: 0")
    if layout.failure_domain == "node":
        yield from rules.too_few_nodes(config, int(used["minimum_boxes"]))
    elif box_kind(config) == "ebox":
        message = "vast: an EBox is one server, and its loss takes all its drives; failure domain drive bears none"
        yield Illegal(policy=policy, message=message, remedy="write failure_domain: node")
    yield from _too_wide(config, used)


def _too_wide(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """A stripe wider than drives or boxes can hold."""
    layout, parity = config.layout, config.layout.parity_units
    drives, kept_out = config.nodes * config.node.drives, int(used["drives_kept_out"])
    held, what = drives - kept_out, f"{drives} drives, {kept_out} of them outside each stripe,"
    if layout.failure_domain == "node":
        per_box = int(used["strips_per_box"])
        if per_box * config.nodes < held:
            held, what = per_box * config.nodes, f"{config.nodes} boxes with {per_box} strips each"
    if layout.width > held:
        least = int(used["least_data_strips"])
        narrow = f"narrow the stripe to data_units: {held - parity}" if held - parity >= least else "add boxes"
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"vast: {what} cannot hold a {layout} stripe (needs {layout.width})",
            remedy=narrow if narrow == "add boxes" else f"add boxes or {narrow}",
            required=layout.width,
            planned=held,
        )


def option_rules(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """VAST's own words in range, and those that exclude one another."""
    policy, options = f"{config.tier}-layout", config.options
    box, extra = option(options, "box", str), option(options, "extra_reserve", float)
    nconnect = option(options, "nconnect", int)
    yield from word_faults(config, "path", PATH, example="/hot")
    yield from word_faults(config, "vip_pool_name", NAME, example="hot")
    yield from word_faults(config, "vip_pool_fqdn", NAME, example="hot.example.internal")
    if box is not None and box not in BOXES:
        yield Illegal(policy=policy, message=f"vast: box {box}; allowed: {', '.join(BOXES)}", remedy="write box: ebox")
    if extra is not None and not 0 <= extra < 1:
        message = f"vast: extra_reserve {extra:g}; a fraction from 0, below 1"
        yield Illegal(
            policy=policy, message=message, remedy="write e.g. extra_reserve: 0.05", required=1, planned=extra
        )
    if option(options, "vip_pool_name", str) is not None and option(options, "vip_pool_fqdn", str) is not None:
        message = "vast: vip_pool_name and vip_pool_fqdn exclude each other in the CSI driver"
        yield Illegal(policy=policy, message=message, remedy="leave one of them out")
    if nconnect is not None:
        own = option(options, "vendor_client", bool) is not False
        limit = int(used["vendor_connections"] if own else used["kernel_connections"])
        if not 1 <= nconnect <= limit:
            yield Illegal(
                policy=policy,
                message=f"vast: nconnect {nconnect}; 1 to {limit} with this NFS client",
                remedy=f"write nconnect: {limit}" + ("" if own else ", or vendor_client: true"),
                required=limit,
                planned=nconnect,
            )


def notes(config: TierConfig, mounted: Mount) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    lines = [
        "vast: data reduction is not counted; checkpoints and packed datasets hardly shrink",
        f"one mount: nconnect={mounted.connections} over {mounted.ports} ports carries {mounted.bandwidth.show()}",
    ]
    if config.quote is None:
        lines.append("without an offer nothing is promised: the bandwidth of this tier is unknown")
    else:
        lines.append("the offer names the boxes too: pin nodes and node to what it says")
    if option(config.options, "op_rate", OpRate) is None:
        lines.append("op rate is an assumption: have the offer state it and write options.op_rate")
    return tuple(lines)


class Vast:
    """The VAST backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """EBoxes and DBoxes of the catalogue, or the pinned box, each with the widest stripe for its count."""
        used, word = Relied(facts), pins.options.get("box")
        names = {node: name for name, node in facts.nodes.items()}
        for node, kind in product(nodes_to_try(pins.node, facts), _kinds(word)):
            known = names.get(node, "")
            if known and not known.startswith(kind) and not (pins.node and word):
                continue  # an EBox of the catalogue is no DBox; a box that only the stack knows may be either
            asked = pins if word is not None else replace(pins, options={**pins.options, "box": kind})

            def config_of(
                boxes: int, node: StorageNode = node, kind: str = kind, asked: TierPins = asked
            ) -> TierConfig:
                layout = default_layout(boxes, node, need, asked, used, box=kind)
                return configured("vast", need, asked, site, node=node, layout=layout, nodes=boxes)

            yield config_of(_box_count(config_of, need, used) if pins.nodes is None else pins.nodes)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a VAST cluster of this configuration gives: the lesser of the offer and of what its boxes allow."""
        used, mounted = Relied(facts), client_mount(config, need, Relied(facts))
        figures = model(config, need, used)
        illegal = (
            *needs_quote(config),
            *layout_faults(config, used),
            *rules.nothing_in_it(config),
            *_no_flash(config),
            *option_faults(config, OPTIONS),
            *option_rules(config, used),
        )
        kept = ("box-level HA: once it is on, it stays on",) if config.layout.failure_domain == "node" else ()
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=(*kept, f"box kind {box_kind(config)}: DBoxes with CNodes, or EBoxes"),
            assumptions=used.lines(config.node),
            notes=notes(config, mounted),
            parts={"cnodes": cnodes(config, used), "nconnect": mounted.connections, "client_ports": mounted.ports},
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """
        What views, policies and mounts need.

        names:   view, policy, quota, pool (by which the templates call them), path
        quota:   soft_limit_bytes (what is stored in the last year), hard_limit_bytes (planned fill)
        client:  transport (tcp, rdma), nconnect, vendor_client, client_ports
        boxes:   box (ebox, dbox), nodes, cnodes
        csi:     vip_pool_fqdn ("" where the pool is named)
        host_needs: what a hosts file must name for these files
        hosts:   as the stack's hosts file names them
        """
        config, options, parts = plan.config, plan.config.options, plan.delivered.parts
        planned = math.floor(plan.delivered.planned.bytes)
        return {
            "nodes": config.nodes,
            "box": box_kind(config),
            "cnodes": int(parts["cnodes"]),
            "path": word_of(config, "path", PATH, default="/hot"),
            "pool": word_of(config, "vip_pool_name", NAME, default="tierplan-hot"),
            "vip_pool_fqdn": word_of(config, "vip_pool_fqdn", NAME, default=""),
            "policy": "tierplan-hot",
            "quota": "tierplan-hot",
            "soft_limit_bytes": min(planned, math.ceil(plan.need.capacity.bytes)),
            "hard_limit_bytes": planned,
            "transport": "tcp" if plan.need.clients.transport == "tcp" else "rdma",
            "nconnect": int(parts["nconnect"]),
            "client_ports": int(parts["client_ports"]),
            "vendor_client": option(options, "vendor_client", bool) is not False,
            "host_needs": ["virtual_ips"],
            "hosts": hosts,
        }


def cnodes(config: TierConfig, used: Relied) -> int:
    """Protocol servers: one in each EBox; beside DBoxes what the stack says, else one chassis of them for each."""
    word, chassis = option(config.options, "cnodes", int), int(used["cnodes_per_cbox"])
    if word is not None:
        return max(0, word)
    return config.nodes * (1 if box_kind(config) == "ebox" else chassis)


def _kinds(word: object) -> tuple[str, ...]:
    """The kinds of box to try: both, or the pinned one; a word that is none counts as an EBox and is refused."""
    if word is None:
        return BOXES
    return (word,) if isinstance(word, str) and word in BOXES else (BOXES[0],)


def _no_flash(config: TierConfig) -> Iterator[Illegal]:
    if config.node.medium != "nvme":
        message = f"vast: drives are {config.node.medium}; boxes hold NVMe flash only"
        yield Illegal(policy=f"{config.tier}-node", message=message, remedy="use NVMe drives")


def _box_count(config_of: Callable[[int], TierConfig], need: TierNeed, used: Relied) -> int:
    """Smallest count; sought from what the widest stripe asks, which no other undercuts."""

    def asked(boxes: int) -> Mapping[str, int]:
        config = config_of(boxes)
        return counts(model(config, need, used), need, racks=config.racks)

    widest = config_of(MANY_BOXES)
    bound = most(needed(model(widest, need, used), need, racks=widest.racks))
    return sized(asked, start=max(1, bound))


BACKEND: Backend = Vast()
