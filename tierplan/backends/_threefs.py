"""3FS's own formulas: its metadata database, its chains over nodes, its words in the stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from tierplan.backends._choosing import Relied, option
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue
from tierplan.domain.tiers import NEVER, TierConfig
from tierplan.layout import chains
from tierplan.units import Bandwidth, OpRate, Size, size

CHUNK_SIZE, STRIPE = size("1 MiB"), 16
CHUNK_SIZES = tuple(size(text) for text in ("512 KiB", "1 MiB", "2 MiB", "4 MiB", "16 MiB", "64 MiB"))
CLIENTS = ("fuse", "usrbio")
FIRST_NODE, TARGET_PREFIX, CHAIN_PREFIX, CHAIN_TABLE = 10001, 1, 9, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """The FoundationDB cluster that holds the metadata; its nodes stand beside the storage nodes."""

    copies: int
    nodes: int
    node_space: Size  # what the metadata takes on each of them
    op_rate: OpRate
    op_rate_high: OpRate
    processes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chains:
    """How chunks lie over the nodes."""

    targets_per_disk: int
    groups: int
    chains: int
    targets: int
    peers: int
    peer_share: float


def database_node_space(*, data: Size, copies: int, nodes: int, metadata_fraction: float) -> Size:
    """
    Metadata on one FoundationDB node.

    Formula:  data * metadata_fraction * copies / nodes
    Assumes:  4.8 GiB for each TiB; `data` counted raw, the safe reading of an undefined word
    Source:   github.com/aliyun/kvc-3fs-operator, README (2026-11-29)

    >>> database_node_space(data=Size(270 * 2**40), copies=2, nodes=3, metadata_fraction=4.8 / 1024).show("GiB")
    '864 GiB'
    """
    return data * (metadata_fraction * copies / nodes) if nodes > 0 else Size.zero()


def least_database_nodes(*, copies: int) -> int:
    """
    FoundationDB nodes that so many copies take.

    Formula:  max(3, 2 * copies - 1)
    Source:   github.com/aliyun/kvc-3fs-operator, pkg/webhook; FoundationDB documentation, configuration (2026-11-29)

    >>> least_database_nodes(copies=3)
    5
    """
    return max(3, 2 * copies - 1)


def create_rate(*, processes: float, write_rate: OpRate, keys: float, copies: int) -> OpRate:
    """
    Files made in a second by one FoundationDB node.

    Formula:  processes * write_rate / (keys * copies)
    Source:   FoundationDB documentation, performance: about 20,000 writes/s a core with the SSD engine (2026-11-29)

    >>> create_rate(processes=4, write_rate=OpRate(20000.0), keys=4, copies=2).show()
    '10 kops/s'
    """
    return write_rate * (processes / (keys * copies)) if keys > 0 and copies > 0 else OpRate.zero()


def database(config: TierConfig, need: TierNeed, used: Relied) -> Database:
    """The stack's words, else as many nodes as copies, space and metadata rate ask for."""
    default = 3 if config.layout.replicas >= 3 else 2
    copies = max(1, option(config.options, "fdb_copies", int) or default)
    processes, fraction = used["fdb_processes"], used["metadata_fraction"]
    rate = create_rate(
        processes=processes,
        write_rate=used.quantity(OpRate, "fdb_write_rate"),
        keys=used["keys_per_create"],
        copies=copies,
    )
    reads = used.quantity(OpRate, "fdb_read_rate") * (processes / used["keys_per_lookup"])
    raw = config.node.raw * config.nodes
    nodes, by_rate = option(config.options, "fdb_nodes", int), nodes_for(need.op_rate, rate)
    if nodes is None:
        room = used.quantity(Size, "fdb_node_space") * used["fdb_fill"]
        by_space = nodes_for(database_node_space(data=raw, copies=copies, nodes=1, metadata_fraction=fraction), room)
        nodes = max(least_database_nodes(copies=copies), min(by_space, NEVER), min(by_rate, NEVER))
    nodes = max(0, nodes)
    return Database(
        copies=copies,
        nodes=nodes,
        node_space=database_node_space(data=raw, copies=copies, nodes=nodes, metadata_fraction=fraction),
        op_rate=rate * nodes if nodes < by_rate else max(rate * nodes, need.op_rate),  # float noise takes no node
        op_rate_high=max(reads, rate) * nodes,
        processes=int(nodes * processes),
    )


def redirected(total: Bandwidth, *, lost: int, peer_share: float) -> Bandwidth:
    """
    Reads of all nodes together when some are gone and the busiest of the others is full.

    Formula:  total / (1 + lost * peer_share)
    Assumes:  each lost node's reads fall on those that share its chains, and the same one is the busiest each time

    >>> redirected(Bandwidth(120e9), lost=1, peer_share=1 / 5).show()
    '100 GB/s'
    """
    return total * (1 / (1 + lost * peer_share))


def targets_per_disk(config: TierConfig, used: Relied) -> int:
    """
    The stack's word, else the product's rule: enough that every node shares a chain with every other.

    Where that makes more targets than anybody wants to create, as few as the setup guide's six: a lost node's
    reads then fall on fewer of the others.
    """
    word = option(config.options, "targets_per_disk", int)
    if word is not None:
        return word
    nodes, replicas, least = config.nodes, config.layout.replicas, int(used["least_targets"])
    most, bound = int(used["most_targets"]), used["most_created_targets"]
    sharing = chains.sharing_targets(nodes=nodes, replicas=replicas, least=least, most=most)
    if sharing is not None and nodes * config.node.drives * sharing <= bound:
        return sharing
    return chains.fitting_targets(nodes=nodes, replicas=replicas, least=least)


def chain_plan(config: TierConfig, used: Relied) -> Chains:
    """Targets, chains, and how many of the other nodes take over a lost node's reads."""
    nodes, replicas, per_disk = config.nodes, config.layout.replicas, max(0, targets_per_disk(config, used))
    groups = chains.groups_of(nodes=nodes, replicas=replicas, targets=per_disk)
    links = per_disk * max(0, replicas - 1)
    others = max(1, nodes - 1)
    return Chains(
        targets_per_disk=per_disk,
        groups=groups,
        chains=groups * config.node.drives,
        targets=nodes * config.node.drives * per_disk,
        peers=min(nodes - 1, links) if nodes > 0 else 0,
        peer_share=-(-links // others) / links if links > 0 else 0.0,
    )


def chunk_size(options: Mapping[str, OptionValue]) -> Size:
    """Chunk size of the root directory: the stack's word, else the setup guide's."""
    return option(options, "chunk_size", Size) or CHUNK_SIZE


def stripe(options: Mapping[str, OptionValue]) -> int:
    """Chains that one file is spread over: the stack's word, else the setup guide's."""
    word = option(options, "stripe", int)
    return STRIPE if word is None else word


def numbering(options: Mapping[str, OptionValue]) -> tuple[int, int]:
    """Number of the first storage node, and prefix of the chains: others where nodes are added to a cluster."""
    first, prefix = option(options, "first_node", int), option(options, "chain_prefix", int)
    return FIRST_NODE if first is None else first, CHAIN_PREFIX if prefix is None else prefix


def chain_rows(groups: chains.Groups, *, drives: int, first_node: int, chain_prefix: int) -> list[dict[str, object]]:
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
                made = chains.target_id(prefix=TARGET_PREFIX, node=number, disk=disk, target=place)
                targets.append({"id": made, "node": number, "disk": disk})
            turn = (index + disk) % len(group)
            name = chains.chain_id(prefix=chain_prefix, disk=disk, group=index + 1)
            rows.append({"id": name, "targets": [*targets[turn:], *targets[:turn]]})
    return rows


def control(hosts: Mapping[str, object], *, mgmtd: int, meta: int) -> dict[str, object]:
    """Which storage nodes also run managers, metadata services and the collector: the first ones, rack by rack."""
    known = cast("list[Mapping[str, object]]", hosts.get("hosts", ()))
    ranked = sorted(known, key=lambda host: cast("int", host["turn"]))
    rows = [
        {"name": host["name"], "address": _bracketed(cast("list[str]", host["addresses"])[0])} for host in ranked[:8]
    ]
    managers = [{**row, "node_id": index + 1} for index, row in enumerate(rows[:mgmtd])]
    first = rows[0] if rows else {"name": "", "address": ""}
    return {
        "mgmtd_hosts": managers,
        "meta_hosts": [{**row, "node_id": 100 + index} for index, row in enumerate(rows[:meta])],
        "mgmtd_addresses": [f"RDMA://{row['address']}:8000" for row in managers],
        "monitor_host": first["name"],
        "monitor_address": f"{first['address']}:10000",
    }


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address
