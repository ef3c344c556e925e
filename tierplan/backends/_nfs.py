"""What NFS products share: connections of one mount, and the bandwidth that one mount carries."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.domain.need import Clients
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import Bandwidth

PATH = re.compile(r"(/[A-Za-z0-9][A-Za-z0-9._-]{0,63})+")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One mount of one GPU node: its ports, its connections, and what they carry."""

    ports: int
    connections: int
    bandwidth: Bandwidth


def connections(*, network: Bandwidth, per_100_gbit: float, least: float, most: float) -> int:
    """
    Connections (`nconnect`) of one mount.

    Formula:  min(most, max(least, per_100_gbit * network / 100 Gbit/s)), rounded up
    Source:   VAST NFS client documentation: 8 for each 100 Gbit/s over TCP, 2 over RDMA, 8 or more (2026-11-29)

    >>> connections(network=Bandwidth(25e9), per_100_gbit=8, least=8, most=16)
    16
    """
    wanted = min(most, max(least, per_100_gbit * network.base / 12.5e9))  # the lesser first: it is finite
    return math.ceil(wanted - 1e-9)


def mount_bandwidth(
    *, network: Bandwidth, port_share: float, connection: Bandwidth | None = None, connections: int = 1
) -> Bandwidth:
    """
    What one mount carries: a share of the ports it uses, at most what its connections carry.

    Formula:  min(network * port_share, connection * connections); over RDMA the ports alone
    Assumes:  one TCP connection is one processor core's work; RDMA is not

    >>> mount_bandwidth(network=Bandwidth(12.5e9), port_share=0.48, connection=Bandwidth(1e9), connections=16).show()
    '6 GB/s'
    """
    ports = network * port_share
    return ports if connection is None else min(ports, connection * connections)


def port_share(transport: str, used: Relied) -> float:
    """The share of a port that NFS carries over this transport; the careful end of what is published."""
    shares = {"tcp": used["tcp_port_share"], "rdma": used["rdma_port_share"]}
    return shares["tcp" if transport == "tcp" else "rdma"]


def mount(clients: Clients, used: Relied, *, ports: int, most: float, pinned: int | None = None) -> Mount:
    """One mount over so many ports of a GPU node, with at most `most` connections; `pinned` counts first."""
    network = clients.port_rate * ports
    tcp = clients.transport == "tcp"
    per_100_gbit = {True: used["tcp_connections_per_100_gbit"], False: used["rdma_connections_per_100_gbit"]}[tcp]
    made = connections(network=network, per_100_gbit=per_100_gbit, least=used["least_connections"], most=most)
    made = made if pinned is None else max(0, pinned)
    connection = used.quantity(Bandwidth, "tcp_connection")
    carried = mount_bandwidth(
        network=network,
        port_share=port_share(clients.transport, used),
        connection=connection if tcp else None,
        connections=made,
    )
    return Mount(ports=ports, connections=made, bandwidth=carried)


def word_of(config: TierConfig, name: str, pattern: re.Pattern[str], *, default: str) -> str:
    """One of the product's words as rendered files may hold it; what `word_faults` refuses is not rendered."""
    word = option(config.options, name, str)
    return word if word is not None and pattern.fullmatch(word) else default


def word_faults(config: TierConfig, name: str, pattern: re.Pattern[str], *, example: str) -> Iterator[Illegal]:
    """A path or name that shell, fstab or exports would read as something else."""
    word = option(config.options, name, str)
    if word is not None and not pattern.fullmatch(word):
        what = "a path of" if example.startswith("/") else "a name of"
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend}: {name} {word!r} is not {what} letters, digits, dots, hyphens and underscores",
            remedy=f"write e.g. {name}: {example}",
        )
