"""What 3FS forbids about counts, chains, nodes and its own words, and what somebody would regret."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.backends import _rules as rules
from tierplan.backends import _threefs
from tierplan.backends._choosing import Relied, option
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.layout import chains
from tierplan.units import Size


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
            message=f"3fs: {layout.hot_spares} hot spares; it keeps no spare space, a new node replaces a lost one",
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


def number_faults(config: TierConfig) -> Iterator[Illegal]:
    """Numbers of nodes and chains that their ids have room for."""
    (first, prefix), rule = _threefs.numbering(config.options), f"{config.tier}-layout"
    last = first + max(0, config.nodes - 1)
    if first < 1 or last >= 10**6:
        yield Illegal(
            policy=rule,
            message=f"3fs: nodes numbered {first} to {last}; a node number is 1 to 999999",
            remedy=f"write first_node: {_threefs.FIRST_NODE}, or the number after the last node there is",
            required=10**6 - 1,
            planned=last,
        )
    if not 1 <= prefix <= 99:
        yield Illegal(
            policy=rule,
            message=f"3fs: chain_prefix {prefix}; allowed: 1 to 99",
            remedy=f"write chain_prefix: {_threefs.CHAIN_PREFIX}, or the next where nodes are added",
            required=99,
            planned=prefix,
        )
