"""3FS: chains of copies over NVMe nodes, RDMA only, metadata in FoundationDB; a FUSE and a native client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from tierplan.backends import Backend, TemplateValue, _threefs
from tierplan.backends import _threefs_rules as faults
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
from tierplan.backends._sizing import (
    Ceiling,
    ClientCeiling,
    Model,
    NodeRates,
    client_ceiling,
    counts,
    delivered,
    lowest,
    spread,
)
from tierplan.backends._space import EvenSpace, code_step, nodes_for
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, Survive, TierPins
from tierplan.domain.tiers import Delivered, Factor, Layout, TierConfig, TierPlan
from tierplan.layout import chains, placement
from tierplan.layout.rebuild import spare_rebuild
from tierplan.units import Bandwidth, OpRate, Size

OPTIONS: Mapping[str, OptionKind] = {
    "targets_per_disk": int,
    "chunk_size": Size,
    "stripe": int,
    "client": str,
    "fdb_copies": int,
    "fdb_nodes": int,
    "first_node": int,
    "chain_prefix": int,
}
LAYOUTS = (Layout(kind="replicas", replicas=2), Layout(kind="replicas", replicas=3))


def node_rates(config: TierConfig, need: TierNeed, used: Relied) -> NodeRates:
    """
    What one node gives: its drives and a share of its ports, writes divided by the copies.

    Formula:  read <= min(ports * read share, drives); write <= min(ports * write share, drives) / replicas
    Assumes:  every copy of a chunk crosses the ports of its node once inward; forwarding, (replicas - 1) / replicas of
              that, leaves by the other direction
    Source:   github.com/deepseek-ai/3FS, README and docs/design_notes.md (2026-11-29)
    """
    node, data_share = config.node, code_step(config.layout).fraction
    return lowest(
        Ceiling(
            limited_by="node ports",
            read=node.network * used["network_read_share"],
            write=node.network * (used["network_write_share"] * data_share),
            read_high=node.network * used.high("network_read_share"),
            write_high=node.network * (used.high("network_write_share") * data_share),
        ),
        Ceiling(
            limited_by="media",
            read=node.drive.read * node.drives,
            write=node.drive.write * node.drives * data_share,
        ),
        op_rate=OpRate.zero(),
        op_rate_beside=_threefs.database(config, need, used).op_rate,
    )


def clients_of(need: TierNeed, used: Relied) -> Mapping[str, ClientCeiling]:
    """What one GPU node takes through the FUSE mount, and through the native interface."""
    share, fuse = used["client_port_share"], used.quantity(Bandwidth, "fuse_bandwidth")
    native = used.quantity(Bandwidth, "native_bandwidth")
    return {
        name: client_ceiling(need.clients, read_share=share, write_share=share, most_read=limit, most_write=limit)
        for name, limit in (("fuse", fuse), ("usrbio", native))
    }


def space(config: TierConfig, *, low_space_mark: float) -> EvenSpace:
    """
    From raw to usable bytes; no spare is kept inside.

    Formula:  usable = raw / replicas * low_space_mark
    Source:   github.com/deepseek-ai/3FS, configs/storage_main.toml: disk_low_space_threshold (2026-11-29)
    """
    mark = Factor(name="low-space mark", fraction=low_space_mark, basis="vendor")
    return EvenSpace(node_raw=config.node.raw, steps=(code_step(config.layout), mark))


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """3FS's figures for one configuration."""
    ceilings, layout = clients_of(need, used), config.layout
    client = option(config.options, "client", str) or "fuse"
    plain = Model(
        node=node_rates(config, need, used),
        space=space(config, low_space_mark=used["low_space_mark"]),
        least={"minimum": int(used["minimum_nodes"]), "failure_domain": max(0, layout.width)},
        client=ceilings.get(client, ceilings["fuse"]),
        tolerated=max(0, layout.tolerated) if layout.kind == "replicas" else 0,
        groups=_threefs.chain_plan(config, used).chains,
    )
    kept = spread(plain, config)
    plain = replace(plain, protection=kept and replace(kept, repair="replacement"))
    lost = nodes_gone(config, need.survive)
    if not need.degraded_read or not 0 < lost <= plain.tolerated:
        return plain
    asked = need.degraded_read * (1 + lost * _threefs.chain_plan(config, used).peer_share)
    by_peers = nodes_for(asked, plain.node.read)
    even = counts(plain, need, racks=config.racks)["degraded"]
    return replace(plain, least={**plain.least, "degraded": max(even, by_peers)})


def nodes_gone(config: TierConfig, loss: Survive) -> int:
    """Nodes that a loss takes, at the worst."""
    return placement.nodes_lost(nodes=config.nodes, racks=config.racks, lost_nodes=loss.nodes, lost_racks=loss.racks)


def with_redirected_reads(given: Delivered, config: TierConfig, figures: Model, *, peer_share: float) -> Delivered:
    """After a loss, no more reads than the busiest of the other nodes lets through."""
    total = figures.node.read * config.nodes
    states = []
    for state in given.degraded:
        lost = nodes_gone(config, Survive(nodes=state.nodes, racks=state.racks))
        left = _threefs.redirected(total, lost=lost, peer_share=peer_share)
        states.append(replace(state, read=min(state.read, left)))
    return replace(given, degraded=tuple(states))


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    base, plan, node = _threefs.database(config, need, used), _threefs.chain_plan(config, used), config.node
    ceilings = clients_of(need, used)
    fuse, native = ceilings["fuse"].read.show(), ceilings["usrbio"].read.show()
    space_each, made, looked_up = base.node_space.show(), base.op_rate.show(), base.op_rate_high.show()
    lines = [
        f"beside these nodes: {base.nodes} FoundationDB nodes for metadata, {base.copies} copies, {space_each} each",
        f"metadata: {made} of new files are counted; look-ups alone may reach {looked_up}",
        f"a GPU node takes {fuse} by FUSE (its published limit of small reads), {native} by USRBIO (programs change)",
        "no published figure says what storage cores carry, or what a large cluster writes: write rates are assumed",
        "df shows raw bytes: divide by the copies",
    ]
    if plan.peers and config.nodes > 1:
        busiest = f"at most {plan.peer_share:.1%} on one"
        lines.append(f"a lost node's reads fall on {plan.peers} of {config.nodes - 1} others, {busiest}")
    if node.drive.write:
        took = spare_rebuild(lost=node.drive.size * used["low_space_mark"], spare_write=node.drive.write).show()
        lines.append(f"a full drive is filled again in {took} or more: its replacement takes all of it")
    return tuple(lines)


def fixed(config: TierConfig) -> tuple[str, ...]:
    """What is decided on the first day."""
    copies = config.layout.replicas
    return (
        f"{copies} copies: the length of every chain; more copies mean new chains and copied data",
        f"chain table: later nodes bring chains of their own, {copies} nodes at a time or more; grow in such steps",
        "files stay on the chains they were made on until they are rewritten",
        "chunk size and stripe of a file: set when it is made; those of the root directory by init-cluster",
        "mgmtd_main.toml: another one means clearing FoundationDB and a new init-cluster",
        "build option SHUFFLE_METHOD: the same for the life of the cluster",
    )


class ThreeFs:
    """The 3FS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """Two and three copies on each node, or the pinned layout, sized for the need."""
        used, seen = Relied(facts), set()
        for node, layout in product(nodes_to_try(pins.node, facts), LAYOUTS):
            laid = pinned_layout(layout, pins)
            if (node, laid) in seen:
                continue
            seen.add((node, laid))
            config = configured("3fs", need, pins, site, node=node, layout=laid, nodes=pins.nodes or 0)
            yield config if pins.nodes is not None else replace(config, nodes=_node_count(config, need, used))

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a 3FS cluster of this configuration gives."""
        used = Relied(facts)
        figures, base = model(config, need, used), _threefs.database(config, need, used)
        plan = _threefs.chain_plan(config, used)
        illegal = (
            *faults.layout_faults(config, used),
            *faults.chain_faults(config, used),
            *faults.node_faults(config, need, used),
            *option_faults(config, OPTIONS),
            *faults.word_faults(config),
            *faults.number_faults(config),
        )
        given = delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=fixed(config),
            notes=notes(config, need, used),
            assumptions=used.lines(config.node),
            parts={
                "targets_per_disk": plan.targets_per_disk,
                "chains": plan.chains,
                "targets": plan.targets,
                "peers": plan.peers,
                "fdb_nodes": base.nodes,
                "fdb_copies": base.copies,
                "fdb_gib_per_node": round(base.node_space.bytes / 2**30, 1),
                "mgmtd": min(3, max(0, config.nodes)),
                "meta": min(3, max(0, config.nodes)),
            },
        )
        return with_redirected_reads(given, config, figures, peer_share=plan.peer_share)

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """
        What configuration files, chain files and commands need.

        cluster:  nodes, replicas, drives_per_node, chunk_size_bytes, stripe, chain_table, first_node, client,
                  next_node, next_prefix (of nodes that are added), mgmtd, fdb_nodes, fdb_copies, fdb_gib_per_node,
                  fdb_mode (double, triple), planned_gib, target_paths
        control:  mgmtd_hosts, meta_hosts (name, address, node_id), mgmtd_addresses, monitor_host, monitor_address
        chains:   list of {id, targets: list of {id, node, disk}}; the design is searched here, for at most
                  `layout.chains.SEARCH_STEPS` moves
        balance:  even, least_shared, most_shared, busiest_permille, even_permille
        """
        config, parts, replicas = plan.config, plan.delivered.parts, plan.config.layout.replicas
        per_disk, (first, prefix) = int(parts["targets_per_disk"]), _threefs.numbering(config.options)
        groups = chains.design(nodes=config.nodes, replicas=replicas, targets=per_disk)
        spread = chains.balance(groups, nodes=config.nodes)
        return {
            **{name: int(parts[name]) for name in ("targets_per_disk", "targets", "fdb_nodes", "fdb_copies", "peers")},
            "nodes": config.nodes,
            "replicas": replicas,
            "drives_per_node": config.node.drives,
            "chunk_size_bytes": int(_threefs.chunk_size(config.options).bytes),
            "stripe": _threefs.stripe(config.options),
            "chain_table": _threefs.CHAIN_TABLE,
            "first_node": first,
            "next_node": first + config.nodes,
            "next_prefix": prefix + 1,
            "client": option(config.options, "client", str) or "fuse",
            "mgmtd": int(parts["mgmtd"]),
            **_threefs.control(hosts, mgmtd=int(parts["mgmtd"]), meta=int(parts["meta"])),
            "fdb_mode": "triple" if parts["fdb_copies"] >= 3 else "double",
            "planned_gib": int(plan.delivered.planned.bytes / 2**30),
            "target_paths": [f"/storage/data{index + 1}/3fs" for index in range(config.node.drives)],
            "fdb_gib_per_node": int(-(-parts["fdb_gib_per_node"] // 1)),
            "chains": _threefs.chain_rows(groups, drives=config.node.drives, first_node=first, chain_prefix=prefix),
            "sharing_all": per_disk * (replicas - 1) >= config.nodes - 1,
            "even": spread.even,
            "least_shared": spread.least_shared,
            "most_shared": spread.most_shared,
            "busiest_permille": round(spread.busiest_share * 1000),
            "even_permille": round(spread.even_share * 1000),
            "host_needs": ["ports", "drives"],
        }


def _node_count(config: TierConfig, need: TierNeed, used: Relied) -> int:
    """Smallest count, one above the copies at least; how evenly reads are taken over depends on the count itself."""

    def asked(nodes: int) -> Mapping[str, int]:
        return counts(model(replace(config, nodes=nodes), need, used), need, racks=config.racks)

    start = max(config.layout.width + 1, most(asked(0)))
    return sized(asked, start=start)


BACKEND: Backend = ThreeFs()
