"""3FS: chains of copies over NVMe nodes, RDMA only, metadata in FoundationDB; a FUSE and a native client."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product

from tierplan.backends import Backend, TemplateValue, _threefs
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
from tierplan.backends._sizing import (
    Ceiling,
    ClientCeiling,
    Model,
    NodeRates,
    client_ceiling,
    counts,
    delivered,
    lowest,
)
from tierplan.backends._space import EvenSpace, code_step
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, Layout, TierConfig, TierPlan
from tierplan.layout import chains
from tierplan.layout.rebuild import spare_rebuild
from tierplan.units import Bandwidth, Size

OPTIONS: Mapping[str, OptionKind] = {
    "targets_per_disk": int,
    "chunk_size": Size,
    "stripe": int,
    "client": str,
    "fdb_copies": int,
    "fdb_nodes": int,
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
    base = _threefs.database(config, need, used)
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
        op_rate=base.op_rate * 0.0,
        op_rate_high=base.op_rate * 0.0,
        op_rate_beside=base.op_rate,
    )


def clients_of(config: TierConfig, need: TierNeed, used: Relied) -> Mapping[str, ClientCeiling]:
    """What one GPU node takes through the FUSE mount, and through the native interface."""
    share, fuse = used["client_port_share"], used.quantity(Bandwidth, "fuse_bandwidth")
    native = used.quantity(Bandwidth, "native_bandwidth")
    del config
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
    ceilings = clients_of(config, need, used)
    client = option(config.options, "client", str) or "fuse"
    return Model(
        node=node_rates(config, need, used),
        space=space(config, low_space_mark=used["low_space_mark"]),
        least={"minimum": int(used["minimum_nodes"]), "failure_domain": max(0, config.layout.width)},
        client=ceilings.get(client, ceilings["fuse"]),
        tolerated=max(0, config.layout.tolerated) if config.layout.kind == "replicas" else 0,
    )


def layout_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What chains over nodes ask of counts and copies."""
    layout, rule = config.layout, f"{config.tier}-layout"
    yield from rules.too_few_nodes(config, int(used["minimum_nodes"]))
    if layout.kind != "replicas" or layout.failure_domain != "node":
        message = f"3fs: {layout} over {layout.failure_domain}s; data lies in chains of copies over nodes"
        yield Illegal(policy=rule, message=message, remedy="write replicas: 3, failure_domain: node")
        return
    if layout.replicas < 2:
        message = f"3fs: {layout.replicas} replicas; a chain is 2 or more"
        yield Illegal(policy=rule, message=message, remedy="write replicas: 2", required=2, planned=layout.replicas)
        return
    if layout.hot_spares > 0:
        yield Illegal(
            policy=rule,
            message=f"3fs: {layout.hot_spares} hot spares; it keeps no spare space, a lost node is replaced by a new one",
            remedy="write hot_spares: 0 and keep a replacement node at hand",
            required=0,
            planned=layout.hot_spares,
        )
    too_wide = tuple(rules.stripe_too_wide(config))
    yield from too_wide or _advice(config, used)


def _advice(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    nodes, wanted, most_nodes = config.nodes, config.layout.replicas + 1, int(used["most_nodes"])
    if nodes < wanted:
        yield rules.advice(
            f"3fs: {nodes} nodes hold chains of {config.layout.replicas}, but none is left when one is lost",
            remedy=f"use {wanted} nodes or more",
            required=wanted,
            planned=nodes,
        )
    if nodes > most_nodes:
        yield rules.advice(
            f"3fs: {nodes} nodes; the product's own chain generator numbers at most {most_nodes}",
            remedy=f"use {most_nodes} nodes or fewer, with more drives each",
            required=most_nodes,
            planned=nodes,
        )


def chain_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """Targets that find no chain, and files that are spread over more chains than there are."""
    plan, rule, allowed = _threefs.chain_plan(config, used), f"{config.tier}-layout", int(used["most_targets"])
    replicas, per_disk = config.layout.replicas, _threefs.targets_per_disk(config, used)
    if not 1 <= per_disk <= allowed:
        yield from rules.not_allowed(config, "targets_per_disk", per_disk, allowed=tuple(range(1, allowed + 1)))
    elif replicas > 0 and config.nodes * per_disk % replicas:
        fitting = chains.fitting_targets(nodes=config.nodes, replicas=replicas, least=per_disk)
        fitting -= 0 if fitting <= allowed else chains.targets_step(nodes=config.nodes, replicas=replicas)
        yield Illegal(
            policy=rule,
            message=f"3fs: {config.nodes} nodes x {per_disk} targets a drive do not divide into chains of {replicas}",
            remedy=f"write targets_per_disk: {fitting}",
            required=fitting,
            planned=per_disk,
        )
    files = _threefs.stripe(config.options)
    if files < 1 or (files > plan.chains > 0):
        yield Illegal(
            policy=rule,
            message=f"3fs: stripe {files}; a file is spread over 1 to {max(1, plan.chains):,} chains, all there are",
            remedy=f"write stripe: {max(1, min(_threefs.STRIPE, plan.chains))}",
            required=max(1, plan.chains),
            planned=files,
        )


def word_faults(config: TierConfig) -> Iterator[Illegal]:
    """Chunk size, client and database in the product's range."""
    chunk, rule = _threefs.chunk_size(config.options), f"{config.tier}-layout"
    client = option(config.options, "client", str) or "fuse"
    if chunk not in _threefs.CHUNK_SIZES:
        nearest = min(_threefs.CHUNK_SIZES, key=lambda one: abs(one.bytes - chunk.bytes))
        known = ", ".join(one.show() for one in _threefs.CHUNK_SIZES)
        yield Illegal(
            policy=rule,
            message=f"3fs: chunk_size {chunk.show()}; storage keeps chunks of {known}",
            remedy=f'write chunk_size: "{nearest.text()}"',
            required=nearest.bytes,
            planned=chunk.bytes,
            unit="bytes",
        )
    if client not in _threefs.CLIENTS:
        message = f"3fs: client {client}; allowed: {', '.join(_threefs.CLIENTS)}"
        yield Illegal(policy=rule, message=message, remedy="write client: fuse")
    copies, nodes = (option(config.options, name, int) for name in ("fdb_copies", "fdb_nodes"))
    if copies is not None and copies not in (2, 3):
        yield from rules.not_allowed(config, "fdb_copies", copies, allowed=(2, 3))
    kept = copies if copies in (2, 3) else (3 if config.layout.replicas >= 3 else 2)
    least = _threefs.least_database_nodes(copies=kept or 2)
    if nodes is not None and nodes < least:
        yield Illegal(
            policy=rule,
            message=f"3fs: {nodes} FoundationDB nodes; {kept} copies of the metadata take {least}",
            remedy=f"write fdb_nodes: {least}",
            required=least,
            planned=nodes,
        )


def node_faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """RDMA, flash, cores and memory."""
    clients, rule, base = need.clients, f"{config.tier}-node", _threefs.database(config, need, used)
    memory = used.quantity(Size, "buffer_memory") + used.quantity(Size, "system_memory")
    if clients.transport == "tcp":
        yield Illegal(
            policy=rule,
            message=f"3fs: 0 of {clients.ports} storage ports a GPU node ({clients.port_rate.show()} each, TCP) "
            "do RDMA; data moves by RDMA only, TCP carries control",
            remedy="use InfiniBand or RoCE storage ports (storage_network.transport), or another backend",
            required=1,
            planned=0,
        )
    if config.node.medium == "hdd":
        yield Illegal(policy=rule, message="3fs: drives are hdd; chunks lie on SSDs", remedy="use NVMe drives")
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, int(used["least_cores"]), because="storage_main's 32 + 32 threads")
    yield from rules.too_little_memory(config, memory, because="the RDMA buffer pool and the system")
    tested = int(used["fdb_tested_processes"])
    if base.processes > tested:
        yield rules.advice(
            f"3fs: metadata asks for {base.processes:,} FoundationDB processes; {tested} are tested by its makers",
            remedy="pack small files into shards, or spread them over two file systems",
            required=tested,
            planned=base.processes,
            policy="advice-node",
        )


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:
    """What a reader should know beside the figures."""
    base, plan, node = _threefs.database(config, need, used), _threefs.chain_plan(config, used), config.node
    ceilings = clients_of(config, need, used)
    lines = [
        f"beside the storage nodes: {base.nodes} FoundationDB nodes with {base.node_space.show()} of metadata each "
        f"({base.copies} copies), and ClickHouse for the metrics",
        f"one GPU node takes {ceilings['fuse'].read.show()} through the FUSE mount (counted from its published limit of "
        f"small reads), {ceilings['usrbio'].read.show()} through USRBIO, which programs must be written for",
        "no published figure says what storage cores carry, or what a large cluster writes: write rates are assumed",
        "df shows raw bytes: divide by the copies",
    ]
    if plan.peers and config.nodes > 1:
        lines.append(
            f"a lost node's reads fall on {plan.peers} of {config.nodes - 1} others, at most {plan.peer_share:.1%} on one"
        )
    if node.drive.write:
        hours = spare_rebuild(lost=node.drive.size * used["low_space_mark"], spare_write=node.drive.write)
        lines.append(f"a full drive is filled again in {hours.show()} or more: its replacement takes all of it")
    return tuple(lines)


def fixed(config: TierConfig) -> tuple[str, ...]:
    """What is decided on the first day."""
    copies = config.layout.replicas
    return (
        f"{copies} copies: the length of every chain; more copies mean new chains and copied data",
        f"the chain table: nodes added later bring chains of their own ({copies} nodes at a time or more); files stay on "
        "the chains they were made on until they are rewritten, so buy for growth in such steps",
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
            if pins.nodes is None:
                asked = most(counts(model(config, need, used), need, racks=site.racks))
                config = replace(config, nodes=max(asked, laid.width + 1))
            yield config

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What a 3FS cluster of this configuration gives."""
        used = Relied(facts)
        base, plan = _threefs.database(config, need, used), _threefs.chain_plan(config, used)
        illegal = (
            *layout_faults(config, used),
            *chain_faults(config, used),
            *node_faults(config, need, used),
            *option_faults(config, OPTIONS),
            *word_faults(config),
        )
        return delivered(
            config,
            need,
            model(config, need, used),
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

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What configuration files, chain files and commands need.

        cluster:  nodes, replicas, drives_per_node, chunk_size_bytes, stripe, chain_table, first_node, client,
                  mgmtd, meta (how many hosts run them, from the first on), fdb_nodes, fdb_copies, fdb_gib_per_node,
                  target_gib (what one target may hold)
        chains:   list of {id, targets: list of {id, node, disk}}; the design is searched here, for at most
                  `layout.chains.SEARCH_STEPS` moves
        balance:  even, least_shared, most_shared, busiest_permille, even_permille
        """
        config, parts, replicas = plan.config, plan.delivered.parts, plan.config.layout.replicas
        per_disk = int(parts["targets_per_disk"])
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
            "first_node": _threefs.FIRST_NODE,
            "client": option(config.options, "client", str) or "fuse",
            "mgmtd": int(parts["mgmtd"]),
            "meta": int(parts["meta"]),
            "fdb_gib_per_node": int(-(-parts["fdb_gib_per_node"] // 1)),
            "chains": chain_rows(groups, drives=config.node.drives, first_node=_threefs.FIRST_NODE),
            "sharing_all": per_disk * (replicas - 1) >= config.nodes - 1,
            "even": spread.even,
            "least_shared": spread.least_shared,
            "most_shared": spread.most_shared,
            "busiest_permille": round(spread.busiest_share * 1000),
            "even_permille": round(spread.even_share * 1000),
            "host_needs": ["ports", "drives"],
        }


def chain_rows(groups: chains.Groups, *, drives: int, first_node: int) -> list[dict[str, object]]:
    """
    Every chain with its targets: the same design on every drive index, the head of the chain on another node each time.

    Guard: the head takes the clients' writes; were it always the lowest node, that node would take most of them.
    """
    rows: list[dict[str, object]] = []
    for disk in range(drives):
        used: dict[int, int] = {}
        for index, group in enumerate(groups):
            targets = []
            for node in group:
                place = used[node] = used.get(node, -1) + 1
                number = first_node + node
                made = chains.target_id(prefix=_threefs.TARGET_PREFIX, node=number, disk=disk, target=place)
                targets.append({"id": made, "node": number, "disk": disk})
            turn = (index + disk) % len(group)
            name = chains.chain_id(prefix=_threefs.CHAIN_PREFIX, disk=disk, group=index + 1)
            rows.append({"id": name, "targets": [*targets[turn:], *targets[:turn]]})
    return rows


BACKEND: Backend = ThreeFs()
