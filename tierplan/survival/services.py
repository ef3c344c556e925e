"""Daemons that a tier cannot do without: how many there are, and how many nodes and racks of them may be lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tierplan.domain.survival import Service
from tierplan.domain.tiers import Delivered, TierConfig


def majority(members: int) -> int:
    """
    Members that may be lost while a majority is left.

    Formula:  (members - 1) // 2
    Source:   Raft, Paxos: ceph.io documentation (monitors), etcd.io documentation, FAQ (2026-11-29)

    >>> majority(3), majority(5), majority(4)
    (1, 2, 1)
    """
    return max(0, members - 1) // 2


def any_one(members: int) -> int:
    """Members that may be lost while one is left, which takes over."""
    return max(0, members - 1)


QUORUMS: Mapping[str, tuple[str, Callable[[int], int]]] = {
    "monitors": ("Ceph monitors", majority),
    "quorum_nodes": ("quorum nodes", majority),
    "etcd": ("etcd members", majority),
    "tikv_servers": ("TiKV servers", lambda members: majority(min(3, members))),  # a region has three copies
    "postgresql_servers": ("PostgreSQL servers", majority),
    "redis_servers": ("Redis servers", majority),
    "mgmtd": ("3FS managers", any_one),
    "meta": ("3FS metadata servers", any_one),
}
PAIRED: Mapping[str, str] = {"mds_servers": "Lustre metadata servers", "meta_servers": "BeeGFS metadata servers"}


def services(config: TierConfig, delivered: Delivered) -> Iterator[Service]:
    """Every service of a tier that must have a quorum, or a partner, or a standby."""
    parts = delivered.parts
    for name, (words, tolerated) in QUORUMS.items():
        if name in parts:
            yield _service(config, words, int(parts[name]), tolerated(int(parts[name])))
    for name, words in PAIRED.items():
        if name in parts:
            yield _paired(config, delivered, words, int(parts[name]))
    if "fdb_nodes" in parts:
        members, copies = int(parts["fdb_nodes"]), int(parts.get("fdb_copies", 1))
        coordinators = majority(min(members, 2 * copies - 1))
        yield _service(config, "FoundationDB nodes", members, max(0, min(copies - 1, coordinators)))
    if "active_mds" in parts:
        standby = int(parts.get("standby_mds", 0))
        yield _service(config, "CephFS metadata servers", int(parts["active_mds"]) + standby, standby)


def _service(config: TierConfig, name: str, members: int, tolerated: int) -> Service:
    """Members spread over the racks as evenly as they can be."""
    racks = min(config.racks, members)
    fullest = -(-members // racks) if racks > 0 else members
    return Service(name=name, members=members, tolerated=tolerated, in_a_rack=fullest)


def _paired(config: TierConfig, delivered: Delivered, name: str, members: int) -> Service:
    """One of a pair may be lost; a rack too where the two hold data of their own and stand apart."""
    kept = delivered.protection
    covered = kept is not None and kept.keeps_on_loss and members > 1
    apart = kept is not None and kept.copies > 1 and config.racks > 1
    return Service(name=name, members=members, tolerated=int(covered), in_a_rack=1 if apart else members)


def too_many(service: Service, *, nodes: int, racks: int) -> bool:
    """Whether a loss of so many nodes and racks at once may take more of a service than it bears."""
    return min(service.members, nodes + racks * service.in_a_rack) > service.tolerated
