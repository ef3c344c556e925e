"""Alluxio's figures, for Alluxio by itself and for Fluid that starts it."""

from __future__ import annotations

from tierplan.backends._choosing import Relied
from tierplan.backends._local import media, reads_at_most
from tierplan.backends._sizing import Ceiling
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import TierConfig
from tierplan.units import Bandwidth

MASTERS = (1, 3, 5)
"""An embedded journal needs a majority: an odd number of masters."""


def remote_share(*, nodes: int) -> float:
    """
    Share of a node's reads that come from the caches of other nodes.

    Formula:  (nodes - 1) / nodes
    Assumes:  blocks lie evenly over all nodes, one copy; samples are shuffled
    Source:   definition (checked 2026-11-29)

    >>> remote_share(nodes=4)
    0.75
    """
    return max(0, nodes - 1) / nodes if nodes > 0 else 0.0


def shared_bandwidth(*, network: Bandwidth, nodes: int) -> Bandwidth:
    """
    What one node reads of a cache that is spread over all nodes, as far as its ports carry it.

    Formula:  network / ((nodes - 1) / nodes)
    Assumes:  what comes from its own drives does not pass the ports; as much goes out as comes in, full duplex

    >>> shared_bandwidth(network=Bandwidth(40e9), nodes=4).show()
    '53.3 GB/s'
    """
    share = remote_share(nodes=nodes)
    return network / share if share > 0 else Bandwidth(1e15)


def ceilings(config: TierConfig, need: TierNeed, used: Relied) -> tuple[Ceiling, Ceiling]:
    """What one FUSE mount reads, and what the ports of one node carry of other nodes' caches."""
    drives = media(config, used)
    fuse = reads_at_most(
        drives,
        "protocol",
        used.quantity(Bandwidth, "fuse_bandwidth"),
        read_high=used.quantity_high(Bandwidth, "fuse_bandwidth"),
    )
    network = need.clients.network * used["network_share"]
    return fuse, reads_at_most(drives, "node ports", shared_bandwidth(network=network, nodes=config.nodes))
