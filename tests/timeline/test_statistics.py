"""Intervals: known quantiles, coverage, too few cycles."""

from __future__ import annotations

import random

import pytest

from tierplan.timeline.statistics import batched, quantile, ratio_interval


@pytest.mark.parametrize(
    ("confidence", "freedom", "expected"),
    [(0.95, 20, 2.086), (0.99, 30, 2.750), (0.999, 40, 3.551), (0.999, 120, 3.373), (0.95, 10, 2.228)],
)
def test_quantile_of_student(confidence, freedom, expected):
    """Printed tables of Student's law."""
    assert quantile(confidence, freedom) == pytest.approx(expected, abs=5e-3)


def test_interval_covers_as_often_as_it_says():
    """Cycles of exponential length, half of it useful on average: 95 of 100 intervals at 95 %."""
    dice = random.Random(5)  # noqa: S311  # a test, no secret
    held = 0
    for _ in range(400):
        cycles = [(elapsed * dice.random(), elapsed) for elapsed in (dice.expovariate(1.0) for _ in range(60))]
        interval = ratio_interval(cycles, confidence=0.95)
        held += interval is not None and interval.holds(0.5)
    assert 0.91 <= held / 400 <= 0.985


def test_few_cycles_have_no_interval():
    assert ratio_interval([(1.0, 2.0)] * 9) is None


def test_batches_keep_the_sums():
    cycles = [(float(index), 10.0) for index in range(103)]
    groups = batched(cycles, batches=10)
    assert len(groups) == 10
    assert sum(elapsed for _, elapsed in groups) == 1000.0
