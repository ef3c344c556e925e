"""
Chance of losing data within a year, by cause: drives, unreadable sectors, destroyed nodes, destroyed racks.

Each is bounded from above; together they are what a target of loss is held against.  What no model knows
(operators, software, firmware) is left out: the bound ranks plans, it promises nothing.
"""

from __future__ import annotations

import math

from tierplan.layout.durability import (
    HOURS_PER_YEAR,
    concurrent_failure_rate,
    failure_rate,
    unreadable_probability,
)
from tierplan.units import Duration, Size


def group_share_bound(*, width: int, parity_units: int, drives: int, groups: int) -> float:
    """
    Chance, at most, that so many lost drives as no group bears have a group in common.

    Formula:  min(1, groups * C(width, parity_units + 1) / C(drives, parity_units + 1)); 1 where any drives may, which
              -1 groups say
    Assumes:  the union bound: above `shared_group_probability`, however the groups overlap
    Source:   derived

    >>> round(group_share_bound(width=6, parity_units=2, drives=320, groups=4096), 6)
    0.015142
    >>> group_share_bound(width=6, parity_units=2, drives=72, groups=-1)
    1.0
    """
    lost = parity_units + 1
    if groups < 0 or width >= drives or drives < lost:
        return 1.0
    return min(1.0, groups * math.comb(width, lost) / math.comb(drives, lost))


def critical_read(*, content: Size, read_units: float, width: int, parity_units: int, drives: int) -> Size:
    """
    Bytes read for what has no redundancy left, once as many drives as the code bears are lost.

    Formula:  content * read_units * product((width - i) / (drives - i), i = 1 … parity_units - 1)
    Assumes:  stripes lie evenly over all drives of the pool, so that two drives share a part of their stripes only
    Source:   derived

    >>> critical_read(content=Size(20e12), read_units=8, width=10, parity_units=2, drives=10).show()
    '160 TB'
    >>> critical_read(content=Size(6e12), read_units=5, width=7, parity_units=2, drives=144).show()
    '1.26 TB'
    """
    shared = 1.0
    for lost in range(1, parity_units):
        shared *= max(0, width - lost) / max(1, drives - lost)
    return content * (read_units * shared)


def drive_loss(
    *,
    parity_units: int,
    drives: int,
    pools: float,
    annual_failures: float,
    exposed: Duration,
    shared: float,
) -> float:
    """
    Chance of loss within a year because too many drives fail before the first is made anew.

    Formula:  1 - exp(-8760 h * pools * R * shared), R = drives λ product((drives - i) λ exposed / i, i = 1 …
              parity_units)
    Where:    λ = annual_failures / 8760 h
    Assumes:  independent failures, each made anew within `exposed`; from above while failures are far rarer
    Source:   birth-death chain, as `concurrent_failure_rate`

    >>> lost = drive_loss(parity_units=2, drives=320, pools=1, annual_failures=0.005, exposed=Duration(1800.0),
    ...                   shared=0.015028)
    >>> f"{lost:.3e}"
    '9.933e-11'
    """
    if drives <= parity_units:
        return 0.0
    rate = concurrent_failure_rate(
        parity_units=parity_units, drives=drives, annual_failures=annual_failures, repair=exposed
    )
    return -math.expm1(-HOURS_PER_YEAR * pools * rate * shared)


def unreadable_loss(
    *,
    parity_units: int,
    drives: int,
    pools: float,
    annual_failures: float,
    exposed: Duration,
    read: Size,
    errors_per_bit: float,
) -> float:
    """
    Chance of loss within a year because the last redundancy is gone and a sector cannot be read.

    Formula:  1 - exp(-8760 h * pools * R * u), R = drives λ product((drives - i) λ exposed / i, i = 1 … parity_units
              - 1), u = 1 - exp(-8 read errors_per_bit)
    Where:    λ = annual_failures / 8760 h; `read` as `critical_read`
    Assumes:  one lost stripe counts as loss; no scrubbing, which would find errors earlier
    Source:   birth-death chain with latent errors, as `mean_time_to_loss_with_errors`

    >>> lost = unreadable_loss(parity_units=2, drives=10, pools=1, annual_failures=0.0136, exposed=Duration(1e5),
    ...                        read=Size(160e12), errors_per_bit=1e-15)
    >>> f"{lost:.3e}"
    '3.811e-05'
    """
    if parity_units < 1 or drives <= parity_units:
        return 0.0
    rate = concurrent_failure_rate(
        parity_units=parity_units - 1, drives=drives, annual_failures=annual_failures, repair=exposed
    )
    unreadable = unreadable_probability(read=read, errors_per_bit=errors_per_bit)
    return -math.expm1(-HOURS_PER_YEAR * pools * rate * unreadable)


def node_loss(
    *,
    tolerated: int,
    nodes: int,
    annual_loss: float,
    node_exposed: Duration,
    drives: int,
    annual_failures: float,
    drive_exposed: Duration,
) -> float:
    """
    Chance of loss within a year because nodes are destroyed, alone or with drives of others.

    Formula:  1 - exp(-8760 h * (Λ a**t - D d**t) / t!), Λ = D + nodes ν, a = d + nodes ν node_exposed, D = drives λ,
              d = D drive_exposed, t = tolerated
    Where:    λ = annual_failures / 8760 h, ν = annual_loss / 8760 h
    Assumes:  independent losses, each made anew in its time (so many are missing at once by Poisson's law); any node
              and drives that are missing together share data: from above
    Source:   derived: Palm's theorem for losses that overlap

    >>> lost = node_loss(tolerated=0, nodes=4, annual_loss=0.001, node_exposed=Duration(3600.0), drives=48,
    ...                  annual_failures=0.01, drive_exposed=Duration(3600.0))
    >>> f"{lost:.3e}"
    '3.992e-03'
    """
    alone, by_node = drives * failure_rate(annual_failures), nodes * failure_rate(annual_loss)
    missing_drives = alone * drive_exposed.s / 3600
    missing = missing_drives + by_node * node_exposed.s / 3600
    rate = (alone + by_node) * missing**tolerated - alone * missing_drives**tolerated
    return -math.expm1(-HOURS_PER_YEAR * rate / math.factorial(tolerated))


def mirror_loss(*, pairs: int, annual_loss: float, exposed: Duration) -> float:
    """
    Chance of loss within a year where two nodes hold the same and both lose it.

    Formula:  1 - exp(-8760 h * pairs * 2 s**2 exposed), s = annual_loss / 8760 h
    Assumes:  independent losses; `annual_loss` of one node, by whatever cause
    Source:   birth-death chain of two

    >>> f"{mirror_loss(pairs=10, annual_loss=0.01, exposed=Duration(72 * 3600.0)):.3e}"
    '1.644e-05'
    """
    rate = failure_rate(annual_loss)
    return -math.expm1(-HOURS_PER_YEAR * pairs * 2 * rate * rate * exposed.s / 3600)


def rack_loss(
    *,
    racks: int,
    annual_loss: float,
    taken: int,
    tolerated: int,
    loss_rate: float,
    exposed: Duration,
) -> float:
    """
    Chance of loss within a year because a rack is destroyed with all that stands in it.

    Formula:  1 - exp(-racks * annual_loss * p), p = 1 where taken > tolerated, else min(1, (loss_rate exposed)**j / j!)
              with j = tolerated - taken + 1
    Where:    `taken` failure domains stand in the fullest rack, `loss_rate` further losses an hour
    Assumes:  what was in the rack is made anew within `exposed`; until then j further losses are one too many
    Source:   derived

    >>> rack_loss(racks=1, annual_loss=1e-4, taken=6, tolerated=2, loss_rate=0.0, exposed=Duration(0.0)) < 1e-4
    True
    """
    further = tolerated - taken + 1
    fatal = 1.0
    if further > 0:
        fatal = min(1.0, (loss_rate * exposed.s / 3600) ** further / math.factorial(further))
    return -math.expm1(-racks * annual_loss * fatal)


def all_causes(*, drives: float, unreadable: float, nodes: float, racks: float) -> float:
    """
    Chance of losing data within a year, at most.

    Formula:  min(1, drives + unreadable + nodes + racks)
    Assumes:  an upper bound of what is modelled; operators, software and firmware are not
    Source:   union bound

    >>> all_causes(drives=0.25, unreadable=0.125, nodes=0.0, racks=0.0)
    0.375
    """
    return min(1.0, drives + unreadable + nodes + racks)


LEAST_SHOWN = 1e-12  # below this the model says nothing that could be meant


def shown_bound(probability: float) -> str:
    """
    A chance of loss as people may read it: one digit, rounded up, and nothing below what can be meant.

    >>> shown_bound(3.71e-8), shown_bound(2e-17), shown_bound(0.998)
    ('< 4e-08', '< 1e-12', '< 1')
    """
    if probability < LEAST_SHOWN:
        return f"< {LEAST_SHOWN:g}"
    scale = 10.0 ** math.floor(math.log10(probability))
    digit = math.ceil(probability / scale * (1 - 1e-9))
    return f"< {digit * scale:.0e}" if digit * scale < 0.1 else f"< {min(1.0, digit * scale):.1g}"
