"""
Chance of losing data within a year: a birth-death chain for each group of k + m drives.

The model knows independent drive failures alone; real loss is dominated by what it leaves out (nodes, racks,
operators, firmware).  It ranks layouts; it promises nothing.
"""

from __future__ import annotations

import math
from typing import Literal

from tierplan.units import Duration, Size

HOURS_PER_YEAR = 8760
Repair = Literal["parallel", "serial"]


def failure_rate(annual_failures: float) -> float:
    """
    Failures of one drive for each hour.

    Formula:  annual_failures / 8760

    >>> failure_rate(0.00876)
    1e-06
    """
    return annual_failures / HOURS_PER_YEAR


def annual_failures_seen(*, failures: int, drive_days: float) -> float:
    """
    Annualised failure rate of a fleet.

    Formula:  failures / (drive_days / 365)
    Source:   Backblaze Drive Stats for 2025 (2026-11-29)

    >>> round(annual_failures_seen(failures=4317, drive_days=115638676), 6)
    0.013626
    """
    return failures / (drive_days / 365)


def mean_time_to_loss(
    *, data_units: int, parity_units: int, annual_failures: float, repair: Duration, mode: Repair = "parallel"
) -> Duration:
    """
    Mean time until one group has lost more drives than its code bears.

    Formula:  sum of d_i, d_0 = 1 / (n λ), d_i = (1 + r_i d_(i-1)) / ((n - i) λ), r_i = i / T in parallel, 1 / T one
              at a time
    Where:    n = data_units + parity_units, λ = annual_failures / 8760 h, T = repair
    Assumes:  independent failures; no latent errors; m repairs at once where `mode` is parallel

    >>> lost = mean_time_to_loss(data_units=4, parity_units=2, annual_failures=0.01, repair=Duration(36000.0))
    >>> f"{lost.s / 3600:.4e}"
    '1.1205e+14'
    """
    width, rate, per_hour = data_units + parity_units, failure_rate(annual_failures), 3600 / repair.s
    step = 1 / (width * rate)
    total = step
    for failed in range(1, parity_units + 1):
        repairs = per_hour * (failed if mode == "parallel" else 1)
        step = (1 + repairs * step) / ((width - failed) * rate)
        total += step
    return Duration(total * 3600)


def unreadable_probability(*, read: Size, errors_per_bit: float) -> float:
    """
    Chance that a rebuild meets an unreadable sector.

    Formula:  1 - exp(-8 * read * errors_per_bit)

    >>> round(unreadable_probability(read=Size(160e12), errors_per_bit=1e-15), 5)
    0.72196
    """
    return -math.expm1(-8 * read.bytes * errors_per_bit)


def mean_time_to_loss_with_errors(
    *, data_units: int, parity_units: int, annual_failures: float, repair: Duration, unreadable: float
) -> Duration:
    """
    As `mean_time_to_loss`, where the last rebuild may also meet an unreadable sector.

    Formula:  1 / T = n λ * product((n - i) λ / (i μ), i = 1 … m - 1) * ((n - m) λ / (m μ) + unreadable)
    Where:    n = data_units + parity_units, m = parity_units, λ = annual_failures / 8760 h, μ = 1 / repair
    Assumes:  failures far rarer than repairs; a lost stripe counts as loss

    >>> lost = mean_time_to_loss_with_errors(data_units=8, parity_units=2, annual_failures=0.0136,
    ...     repair=Duration(1e5), unreadable=unreadable_probability(read=Size(160e12), errors_per_bit=1e-15))
    >>> f"{lost.s / 3600:.3e}"
    '2.298e+08'
    """
    width, rate, per_hour = data_units + parity_units, failure_rate(annual_failures), 3600 / repair.s
    down = width * rate
    for failed in range(1, parity_units):
        down *= (width - failed) * rate / (failed * per_hour)
    down *= (width - parity_units) * rate / (parity_units * per_hour) + unreadable if parity_units else 1
    return Duration(3600 / down)


def loss_probability(*, mean_time: Duration, groups: int) -> float:
    """
    Chance of loss within a year, over independent groups.

    Formula:  1 - exp(-8760 h * groups / mean_time)

    >>> f"{loss_probability(mean_time=Duration(3.837e10 * 3600), groups=1):.3e}"
    '2.283e-07'
    """
    return -math.expm1(-HOURS_PER_YEAR * 3600 * groups / mean_time.s)


def nines(probability: float) -> float:
    """
    Loss probability as nines of durability.

    Formula:  -log10(probability)

    >>> round(nines(2.283e-7), 2)
    6.64
    """
    return -math.log10(probability) if probability > 0 else math.inf


def shared_group_probability(*, width: int, parity_units: int, drives: int, groups: int) -> float:
    """
    Chance that so many lost drives as no group bears have a group in common.

    Formula:  1 - (1 - C(width, parity_units + 1) / C(drives, parity_units + 1)) ** groups
    Assumes:  groups lie at random over all drives

    >>> round(shared_group_probability(width=6, parity_units=2, drives=320, groups=4096), 6)
    0.015028
    """
    hit = math.comb(width, parity_units + 1) / math.comb(drives, parity_units + 1)
    return 1.0 if hit >= 1 else -math.expm1(groups * math.log1p(-hit))


def declustered_loss_probability(
    *, data_units: int, parity_units: int, drives: int, groups: int, annual_failures: float, repair: Duration
) -> float:
    """
    Chance of loss within a year where many groups overlap on the same drives (Ceph, dRAID, 3FS chains).

    Formula:  1 - exp(-8760 h * R * P), R = N λ product((N - i) λ / (i μ), i = 1 … m), P = shared_group_probability
    Where:    N = drives, m = parity_units, λ = annual_failures / 8760 h, μ = 1 / repair
    Assumes:  failures far rarer than repairs

    >>> lost = declustered_loss_probability(data_units=4, parity_units=2, drives=320, groups=4096,
    ...                                     annual_failures=0.005, repair=Duration(1800.0))
    >>> f"{lost:.3e}"
    '9.933e-11'
    """
    together = concurrent_failure_rate(
        parity_units=parity_units, drives=drives, annual_failures=annual_failures, repair=repair
    )
    shared = shared_group_probability(
        width=data_units + parity_units, parity_units=parity_units, drives=drives, groups=groups
    )
    return -math.expm1(-HOURS_PER_YEAR * together * shared)


def concurrent_failure_rate(*, parity_units: int, drives: int, annual_failures: float, repair: Duration) -> float:
    """
    How often any parity_units + 1 drives are down at once, for each hour.

    Formula:  drives * λ * product((drives - i) λ / (i μ), i = 1 … parity_units)
    Where:    λ = annual_failures / 8760 h, μ = 1 / repair

    >>> f"{concurrent_failure_rate(parity_units=2, drives=320, annual_failures=0.005, repair=Duration(1800.0)):.4e}"
    '7.5453e-13'
    """
    rate, per_hour = failure_rate(annual_failures), 3600 / repair.s
    together = drives * rate
    for failed in range(1, parity_units + 1):
        together *= (drives - failed) * rate / (failed * per_hour)
    return together


def spare_drives(*, drives: int, annual_failures: float, supply: Duration, confidence: float) -> int:
    """
    Spare drives on the shelf that last until the next delivery.

    Formula:  smallest x with Poisson(x; drives * annual_failures * supply / 365 d) >= confidence
    Assumes:  independent failures; confidence below 1

    >>> spare_drives(drives=2880, annual_failures=0.005, supply=Duration(30 * 86400.0), confidence=0.99)
    4
    """
    mean = drives * annual_failures * supply.s / (365 * 86400)
    if mean <= 0:
        return 0
    spares, covered = 0, math.exp(-mean)
    while covered < confidence:
        spares += 1
        term = math.exp(spares * math.log(mean) - mean - math.lgamma(spares + 1))
        if spares > mean and term == 0:
            break  # what is left of the tail is below the smallest number
        covered += term
    return spares
