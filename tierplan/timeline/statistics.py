"""Goodput with its confidence interval, from the cycles between interruptions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from tierplan.timeline.nouns import Interval

CONFIDENCE = 0.999
LEAST_CYCLES = 10
MOST_BATCHES = 40


def quantile(confidence: float, freedom: int) -> float:
    """
    Two-sided quantile of Student's law.

    Formula:  z + (z**3 + z) / (4 f) + (5 z**5 + 16 z**3 + 3 z) / (96 f**2) + (3 z**7 + 19 z**5 + 17 z**3 - 15 z) /
              (384 f**3), z that of the normal law, f = freedom
    Source:   Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5

    >>> round(quantile(0.999, 40), 2), round(quantile(0.95, 10), 2)
    (3.55, 2.23)
    """
    z, f = NormalDist().inv_cdf(0.5 + confidence / 2), freedom
    first = (z**3 + z) / (4 * f)
    second = (5 * z**5 + 16 * z**3 + 3 * z) / (96 * f**2)
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * f**3)
    return z + first + second + third


def ratio_interval(
    cycles: Sequence[tuple[float, float]], *, confidence: float = CONFIDENCE, independent: bool = True
) -> Interval | None:
    """
    Useful over elapsed time, from cycles of (useful, elapsed); None where there are too few.

    Formula:  E = sum(u) / sum(x), E ± q sqrt(sum((u - E x)**2) / (n - 1)) / (sqrt(n) mean(x))
    Assumes:  cycles are independent of one another; where they are not (jobs that collide), batches of them are
    Source:   ratio estimator of regenerative simulation

    >>> ratio_interval([(9.0, 10.0), (8.0, 10.0)] * 50).value
    0.85
    """
    known = list(cycles) if independent else batched(cycles)
    count = len(known)
    total = sum(elapsed for _, elapsed in known)
    if count < LEAST_CYCLES or total <= 0:
        return None
    value = sum(useful for useful, _ in known) / total
    spread = math.sqrt(sum((useful - value * elapsed) ** 2 for useful, elapsed in known) / (count - 1))
    half = quantile(confidence, count - 1) * spread * math.sqrt(count) / total
    return Interval(
        value=value, low=max(0.0, value - half), high=min(1.0, value + half), confidence=confidence, cycles=len(cycles)
    )


def batched(cycles: Sequence[tuple[float, float]], *, batches: int = MOST_BATCHES) -> list[tuple[float, float]]:
    """Neighbouring cycles summed, so that what one leaves to the next hardly counts; a rest at the end is left out."""
    size = max(1, len(cycles) // batches)
    groups = [cycles[begin : begin + size] for begin in range(0, len(cycles) - size + 1, size)]
    return [(sum(useful for useful, _ in group), sum(elapsed for _, elapsed in group)) for group in groups]
