"""What crosses the fabric beside the bytes that clients ask for: between storage nodes, rebuild, between GPU nodes."""

from __future__ import annotations

from tierplan.domain.fabric import Direction
from tierplan.domain.need import Requirement
from tierplan.domain.stack import Stack, Training
from tierplan.domain.tiers import Layout, TierPlan
from tierplan.units import Bandwidth, Duration, Size

ENCLOSED = ("raid_groups", "stride")
"""Of a product's own parts those that say that its units are a RAID group inside one enclosure."""


def over_network(chosen: TierPlan) -> bool:
    """
    Whether a layout's units go from node to node over this fabric.

    Not where they are a RAID group inside one enclosure; of anything else it is assumed.
    """
    layout = chosen.config.layout
    enclosed = layout.failure_domain == "drive" or any(part in chosen.delivered.parts for part in ENCLOSED)
    return layout.kind != "none" and not enclosed


def inner_read(layout: Layout) -> float:
    """
    Bytes between storage nodes for each byte that a client reads.

    Formula:  1 for a code, 0 for replicas
    Assumes:  the node that serves a block fetches its units from others; the node's own share is ignored
    Source:   IBM Storage Scale Erasure Code Edition, network planning: reads cross the network twice (2026-11-29)
    """
    return 1.0 if layout.kind == "erasure-code" else 0.0


def inner_write(layout: Layout) -> float:
    """
    Bytes between storage nodes for each byte that a client writes.

    Formula:  (k + m) / k for a code, replicas - 1 for replicas
    Assumes:  the node that takes a block sends every unit to others
    Source:   IBM Storage Scale Erasure Code Edition, network planning: writes cross 1 + (k + m) / k times (2026-11-29)

    >>> inner_write(Layout(kind="erasure-code", data_units=8, parity_units=2))
    1.25
    """
    return layout.replicas - 1.0 if layout.kind == "replicas" else 1 / layout.efficiency


def inner(chosen: TierPlan, direction: Direction) -> float:
    """Bytes that storage nodes send one another for each byte of a client; gateways fetch what other nodes hold."""
    gateway = 1.0 if "gateways" in chosen.delivered.parts else 0.0
    if not over_network(chosen):
        return gateway
    layout = chosen.config.layout
    return gateway + (inner_read(layout) if direction == "read" else inner_write(layout))


def fitting(inner: float, *, ports: Bandwidth, planned: Bandwidth) -> float:
    """
    What storage nodes send one another, but no more than their ports leave at the rate that the tier is planned with.

    Formula:  min(inner, ports / planned - 1), at least 0
    Assumes:  the planned rate is one that the product reaches through these ports, its own traffic included
    """
    return max(0.0, min(inner, ports / planned - 1)) if planned else inner


def written_factor(layout: Layout) -> float:
    """Bytes on drives for each byte that a client writes."""
    return 1.0 if layout.kind == "none" else 1 / layout.efficiency


def rebuild(*, lost: int, node_bytes: Size, fill: float, units_read: int, within: Duration) -> Bandwidth:
    """
    What storage nodes send one another while what lost nodes held is written again.

    Formula:  lost * node_bytes * fill * (units_read + 1) / within
    Assumes:  each unit is computed from `units_read` others and written to another node
    Source:   k units are read for each that is written: any code with k data units; 1 for replicas

    >>> from tierplan.units import duration, size
    >>> rebuild(lost=1, node_bytes=size("92.16 TB"), fill=0.8, units_read=5, within=duration("24 h")).show()
    '5.12 GB/s'
    """
    return node_bytes * (lost * fill * (units_read + 1)) / within


def rebuild_of(chosen: TierPlan, *, within: Duration) -> Bandwidth:
    """What a tier's rebuild sends, after the nodes that must be survived (one at least) are lost."""
    config, layout = chosen.config, chosen.config.layout
    if not over_network(chosen):
        return Bandwidth.zero()
    return rebuild(
        lost=lost_nodes(chosen),
        node_bytes=config.node.raw,
        fill=chosen.delivered.planned_fill_fraction,
        units_read=1 if layout.kind == "replicas" else layout.data_units,
        within=within,
    )


def lost_nodes(chosen: TierPlan) -> int:
    """The nodes that must be survived, one at least, and no more than there are but one."""
    return max(0, min(chosen.config.nodes - 1, max(1, chosen.need.survive.nodes)))


def between_gpu_nodes(stack: Stack, requirement: Requirement) -> Bandwidth:
    """
    What GPU nodes send one another of a dataset spread over their drives, and of checkpoints that land with a peer.

    All nodes together, headroom included.  Counted on the storage ports: which network carries it is not known.
    """
    total = Bandwidth.zero()
    for work in stack.workloads:
        if not isinstance(work, Training):
            continue
        spread = work.dataset is not None and work.dataset.cache == "distributed"
        peers = work.checkpoint is not None and work.checkpoint.first_landing == "peer"
        if spread or peers:
            for load in requirement.loads:
                if load.tier == "local" and load.id == f"{work.name}.dataset" and spread:
                    total += load.read
                elif load.tier == "local" and load.id == f"{work.name}.checkpoint" and peers:
                    total += load.write * 0.5  # of two copies one goes to the peer
    return total * stack.targets.headroom
