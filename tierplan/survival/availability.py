"""Hours a year in which a tier is degraded or down, and what they cost the GPUs."""

from __future__ import annotations

import math

from tierplan.units import Bandwidth, Duration, Size

HOURS_PER_YEAR = 8760


def degraded_fraction(
    *,
    drives: int,
    annual_failures: float,
    drive_exposed: Duration,
    nodes: int,
    outages_per_year: float,
    outage: Duration,
    node_rebuild: Duration,
) -> float:
    """
    Share of the year in which something is lost or made anew.

    Formula:  min(1, (drives * annual_failures * drive_exposed + nodes * outages_per_year * (outage + node_rebuild))
              / 8760 h)
    Assumes:  losses that overlap count twice: from above; each outage is followed by one resynchronisation
    Source:   definition

    >>> round(degraded_fraction(drives=144, annual_failures=0.01, drive_exposed=Duration(3600.0), nodes=12,
    ...                         outages_per_year=0.5, outage=Duration(4 * 3600.0), node_rebuild=Duration(3600.0)), 6)
    0.003589
    """
    hours = drives * annual_failures * drive_exposed.s / 3600
    hours += nodes * outages_per_year * (outage.s + node_rebuild.s) / 3600
    return min(1.0, hours / HOURS_PER_YEAR)


def down_fraction(
    *,
    groups: int,
    domains: int,
    serving: int,
    outages_per_year: float,
    outage: Duration,
    fatal_racks: int,
    rack_outages_per_year: float,
    rack_outage: Duration,
) -> float:
    """
    Share of the year in which more is down than the tier bears while it serves.

    Formula:  groups * P(Poisson(a) > serving) + fatal_racks * rack_outages_per_year * rack_outage / 8760 h,
              a = domains * outages_per_year * outage / 8760 h
    Assumes:  independent outages; so many of a group are down at once by Poisson's law; `fatal_racks` are racks whose
              outage alone is too much
    Source:   Palm's theorem

    >>> round(down_fraction(groups=1, domains=12, serving=0, outages_per_year=0.5, outage=Duration(4 * 3600.0),
    ...                     fatal_racks=0, rack_outages_per_year=0.05, rack_outage=Duration(8 * 3600.0)), 6)
    0.002736
    """
    mean = domains * outages_per_year * outage.s / 3600 / HOURS_PER_YEAR
    racks = fatal_racks * rack_outages_per_year * rack_outage.s / 3600 / HOURS_PER_YEAR
    return min(1.0, groups * poisson_above(mean, serving) + racks)


def poisson_above(mean: float, count: int) -> float:
    """
    Chance of more than `count` where `mean` are expected.

    Formula:  1 - sum of exp(-mean) mean**i / i! up to count; the sum of what is above it, where that is small

    >>> round(poisson_above(2.0, 1), 6)
    0.593994
    """
    if mean <= 0:
        return 0.0
    term = math.exp((count + 1) * math.log(mean) - mean - math.lgamma(count + 2))
    total, index = 0.0, count + 2
    while term > total * 1e-15 and index < count + 1000:
        total += term
        term *= mean / index
        index += 1
    return min(1.0, total)


def lost_gpu_hours(
    *, gpus: int, down_fraction: float, degraded_fraction: float, stall_gpu_hours_per_30d: float, slowdown: float
) -> float:
    """
    GPU-hours a year that wait because the tier is down or slow.

    Formula:  gpus * 8760 * down_fraction + stall_gpu_hours_per_30d * 365 / 30 * degraded_fraction * (slowdown - 1)
    Assumes:  every GPU waits while the tier is down; synchronous checkpoints take `slowdown` times as long while it is
              degraded
    Source:   definition

    >>> round(lost_gpu_hours(gpus=1024, down_fraction=1e-5, degraded_fraction=0.01, stall_gpu_hours_per_30d=22118.4,
    ...                      slowdown=1.2), 1)
    627.9
    """
    waiting = gpus * HOURS_PER_YEAR * down_fraction
    return waiting + stall_gpu_hours_per_30d * 365 / 30 * degraded_fraction * max(0.0, slowdown - 1)


def restart_storm(*, read: Size, bandwidth: Bandwidth) -> Duration:
    """
    Time until every job is back, where all restore at once.

    Formula:  read / bandwidth
    Assumes:  all running jobs; nothing else reads meanwhile; the fabric carries what the tier gives
    Source:   definition

    >>> restart_storm(read=Size(4 * 980e9), bandwidth=Bandwidth(40e9)).show("s")
    '98 s'
    """
    return read / bandwidth
