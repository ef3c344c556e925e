"""Where copies and stripe units come to lie: racks, failure domains, placement groups."""

from __future__ import annotations

import math


def nodes_per_rack(*, nodes: int, racks: int) -> int:
    """
    Nodes of the fullest rack when nodes spread evenly.

    Formula:  ceil(nodes / racks)
    Assumes:  nodes are spread as evenly as they can be

    >>> nodes_per_rack(nodes=12, racks=8)
    2
    """
    return -(-nodes // racks) if racks > 0 else nodes


def nodes_lost(*, nodes: int, racks: int, lost_nodes: int, lost_racks: int) -> int:
    """
    Nodes that are gone when whole racks and further single nodes fail at once, at most all.

    Formula:  min(nodes, lost_nodes + lost_racks * ceil(nodes / racks))
    Assumes:  the fullest racks fail, and the single nodes stand in other racks

    >>> nodes_lost(nodes=12, racks=8, lost_nodes=1, lost_racks=1)
    3
    """
    if lost_racks > 0 and lost_racks >= racks:
        return nodes
    return min(nodes, lost_nodes + lost_racks * nodes_per_rack(nodes=nodes, racks=racks))


def nodes_to_keep(*, remaining: int, racks: int, lost_nodes: int, lost_racks: int) -> int | None:
    """
    Smallest node count of which `remaining` are left after the losses; None if every rack is lost.

    Formula:  smallest n with n - lost_nodes - lost_racks * ceil(n / racks) >= remaining
    Assumes:  as `nodes_lost`

    >>> nodes_to_keep(remaining=5, racks=8, lost_nodes=1, lost_racks=0)
    6
    >>> nodes_to_keep(remaining=7, racks=4, lost_nodes=0, lost_racks=1)
    10
    """
    if remaining <= 0:
        return 0
    if lost_racks <= 0:
        return remaining + lost_nodes
    if lost_racks >= racks:
        return None
    # n - lost_racks * ceil(n / racks) <= n * (1 - lost_racks / racks): no smaller count can do
    count = -(-(remaining + lost_nodes) * racks // (racks - lost_racks))
    while count - lost_nodes - lost_racks * nodes_per_rack(nodes=count, racks=racks) < remaining:
        count += 1
    return count


def placement_groups(*, osds: int, size: int, target: int, share: float = 1.0) -> int:
    """
    Placement groups of one pool: the power of two nearest to the target for each OSD.

    Formula:  pow2_nearest(osds * target / size * share)
    Assumes:  `size` is the replica count or k + m; `share` is this pool's part of the data
    Source:   github.com/ceph/ceph, doc/rados/operations/placement-groups.rst (2026-11-29)

    >>> placement_groups(osds=200, size=3, target=100)
    8192
    """
    wanted = osds * target / size * share if size > 0 else 0.0
    if wanted <= 1:
        return 1
    below: int = 2 ** math.floor(math.log2(wanted))
    return below if wanted - below < 2 * below - wanted else 2 * below
