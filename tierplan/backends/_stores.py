"""What on-premises object stores share: what one node gives, from what a client's byte and object cost inside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.backends import _rules as rules
from tierplan.backends._choosing import Relied
from tierplan.backends._sizing import Ceiling, ClientCeiling, NodeRates, client_ceiling, lowest
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import Bandwidth, OpRate


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What one byte of a client costs the network and the drives of the store, and what one small object costs."""

    network_read: float
    network_write: float
    drive_read: float = 1.0
    drive_write: float
    """Bytes that the drives move for a byte written, reads for a later re-coding included."""
    accesses: float
    """Drive accesses of one small object."""


def node_rates(config: TierConfig, costs: Costs, used: Relied) -> NodeRates:
    """
    What one node gives to clients: the least of ports, drives and cores, each over what a byte costs there.

    Formula:  min(ports * network_share / network_cost, drives * drive_rate / drive_cost, cores / cores_per_gb_s)
    Assumes:  gateways and drives on the same nodes, load spread evenly
    """
    node = config.node
    kind = "hdd" if node.medium == "hdd" else "flash"
    read, write = used.quantity(Bandwidth, f"{kind}_read"), used.quantity(Bandwidth, f"{kind}_write")
    cores = max(0.0, node.cores - used["system_cores"])
    op_rate = (
        used.quantity(OpRate, "hdd_op_rate") * (node.drives / max(1.0, costs.accesses))
        if kind == "hdd"
        # measured with three copies: objects on more drives take as many more writes
        else used.quantity(OpRate, "put_rate_per_core")
        * (cores * min(1.0, 3 / max(1.0, costs.accesses)) * (node.drives > 0))
    )
    return lowest(
        Ceiling(
            limited_by="node ports",
            read=node.network * (used["network_read_share"] / costs.network_read),
            write=node.network * (used["network_write_share"] / costs.network_write),
        ),
        Ceiling(
            limited_by="media",
            read=min(node.drive.read, read) * (node.drives / costs.drive_read),
            write=min(node.drive.write, write) * (node.drives / costs.drive_write),
        ),
        Ceiling(
            limited_by="cpu",
            read=Bandwidth(cores / used["read_cores_per_gb_s"] * 1e9),
            write=Bandwidth(cores / used["write_cores_per_gb_s"] * 1e9),
        ),
        op_rate=op_rate,
        op_rate_limited_by="media" if kind == "hdd" else "cpu",
    )


def gpu_node(need: TierNeed, used: Relied) -> ClientCeiling:
    """What one GPU node takes of the store."""
    share, most = used["client_port_share"], used.quantity(Bandwidth, "client_bandwidth")
    return client_ceiling(need.clients, read_share=share, write_share=share, most_read=most, most_write=most)


def unmaintained(message: str, *, remedy: str) -> Illegal:
    """A product that nobody should begin with."""
    return Illegal(policy="advice-unmaintained", message=message, remedy=remedy)


def spread_advice(config: TierConfig, *, domain: str) -> Iterator[Illegal]:
    """Hot spares that the product does not have, and a failure domain that it does not know."""
    layout, name = config.layout, config.backend
    if layout.hot_spares > 0:
        yield rules.advice(
            f"{name}: {layout.hot_spares} hot spares; it has none, a lost drive is replaced and filled again",
            remedy="leave out hot_spares",
            required=0,
            planned=layout.hot_spares,
        )
    if layout.failure_domain not in ("node", domain):
        too_wide = tuple(rules.stripe_too_wide(config)) if layout.failure_domain == "rack" else ()
        yield from too_wide
    if layout.failure_domain not in ("node", domain) and not too_wide:
        yield rules.advice(
            f"{name}: failure domain {layout.failure_domain}; it knows none of that kind",
            remedy=f"write failure_domain: {domain}",
            required=None,
            planned=None,
        )
