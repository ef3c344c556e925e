"""What may be lost at once: by the strips of a stripe on each node, by sets of drives, and by trying everything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations

MOST_TRIED = 20_000
"""Losses that are tried one by one; where there are more, symmetry answers."""


def strips_on_nodes(*, strips: int, nodes: int) -> tuple[int, ...]:
    """
    Strips of one stripe on each node, the most first, when they are spread as evenly as they can be.

    Formula:  q, r = divmod(strips, nodes); r nodes hold q + 1 strips, the others q
    Source:   ibm.com/docs/en/storage-scale-ece/5.2.3, understanding fault tolerance (2026-11-29)

    >>> strips_on_nodes(strips=7, nodes=4)
    (2, 2, 2, 1)
    """
    each, more = divmod(strips, nodes) if nodes > 0 else (0, 0)
    return (each + 1,) * more + (each,) * (nodes - more)


def nodes_and_drives(*, strips: int, parity: int, nodes: int) -> tuple[int, int]:
    """
    Nodes that may be lost at once at the worst, and drives that may be lost beyond them.

    Formula:  the largest k of which the k fullest nodes hold at most `parity` strips; parity less those strips
    Source:   ibm.com/docs/en/storage-scale-ece/5.2.3, understanding fault tolerance (2026-11-29)

    >>> nodes_and_drives(strips=7, parity=3, nodes=4), nodes_and_drives(strips=6, parity=2, nodes=6)
    ((1, 1), (2, 0))
    """
    lost, held = 0, 0
    for count in strips_on_nodes(strips=strips, nodes=nodes):
        if held + count > parity:
            break
        lost, held = lost + 1, held + count
    return lost, parity - held


def set_tolerance(*, servers: int, set_drives: int, parity: int) -> tuple[int, int]:
    """
    Servers that may be lost while reads, and while writes, go on, where a set of drives lies over all servers.

    Formula:  reads parity // d, writes (parity - 1 where parity is half the set, else parity) // d, with
              d = ceil(set_drives / servers)
    Assumes:  sets spread over the servers as evenly as they can be; more servers than drives of a set: d = 1
    Source:   github.com/minio/minio, docs/distributed: read quorum N - M, write quorum N - M, + 1 where M = N / 2
              (2026-11-29)

    >>> set_tolerance(servers=4, set_drives=16, parity=4), set_tolerance(servers=16, set_drives=16, parity=8)
    ((1, 1), (8, 7))
    """
    each = -(-set_drives // servers)
    written = parity - 1 if 2 * parity == set_drives else parity
    return parity // each, max(0, written) // each


def fatal_share(groups: Iterable[Sequence[int]], *, members: int, tolerated: int, lost: int) -> float:
    """
    Of all losses of `lost` of the `members`, the share that takes more than `tolerated` of any group: exact.

    Raises:   ValueError if there are more losses than `MOST_TRIED`: ask `fatal_share_of_random` then

    >>> fatal_share([(0, 1), (2, 3)], members=4, tolerated=1, lost=2)
    0.3333333333333333
    """
    total = math.comb(members, lost)
    if total > MOST_TRIED:
        message = f"{total} losses of {lost} of {members}; at most {MOST_TRIED} are tried"
        raise ValueError(message)
    masks = {sum(1 << one for one in group) for group in groups}
    fatal = 0
    for gone in combinations(range(members), lost):
        mask = sum(1 << one for one in gone)
        fatal += any((mask & group).bit_count() > tolerated for group in masks)
    return fatal / total if total else 0.0


def fatal_share_of_random(*, groups: int, width: int, members: int, tolerated: int, lost: int) -> float:
    """
    The same where groups lie at random, by symmetry: every loss of one size is as likely to hit a group.

    Formula:  1 - (1 - p) ** groups, p = sum of C(width, i) C(members - width, lost - i) / C(members, lost) over
              i > tolerated
    Assumes:  groups are independent of one another
    Source:   hypergeometric law

    >>> round(fatal_share_of_random(groups=4096, width=6, members=320, tolerated=2, lost=3), 6)
    0.015028
    """
    total = math.comb(members, lost)
    hits = sum(
        math.comb(width, inside) * math.comb(members - width, lost - inside)
        for inside in range(tolerated + 1, min(width, lost) + 1)
    )
    hit = hits / total if total else 0.0
    return 1.0 if hit >= 1 else -math.expm1(groups * math.log1p(-hit))
