"""Hours degraded and down, GPU-hours, and the storm when all come back."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan import load
from tierplan.plan import judge, make_plan
from tierplan.plan.document import plan_document
from tierplan.survival.availability import poisson_above


@given(mean=st.floats(1e-6, 20), count=st.integers(0, 12))
def test_poisson_tail_is_one_less_the_sum_below(mean, count):
    below = sum(math.exp(-mean) * mean**index / math.factorial(index) for index in range(count + 1))
    assert poisson_above(mean, count) == pytest.approx(1 - below, abs=1e-9)


def test_small_tails_keep_their_digits():
    assert poisson_above(1e-4, 3) == pytest.approx(1e-16 / 24, rel=1e-3)


def test_more_serving_means_less_down(survive):
    assert survive("weka", nodes=12, code=(5, 2), spares=1).down_fraction < survive("cephfs", nodes=12).down_fraction


def test_plan_has_survival_of_both_tiers_with_its_trail():
    """The whole plan: survival by tier, figures in the outcome's document, each with formula and source."""
    plan = make_plan(load.read_stack("demo"), load.catalogue())
    document = plan_document(plan, judge(plan))
    assert set(document["survival"]) == {"hot", "cold"}
    assert 0 < document["survival"]["hot"]["annual_loss_probability"] < 1e-3
    figures = document["outcome"]["figures"]
    for name in ("annual_loss_probability", "down_fraction", "node_rebuild_loaded_s", "lost_gpu_hours_per_year"):
        figure = figures[f"hot.survival.{name}"]
        assert figure["formula"]
        assert figure["inputs"]
    assert figures["hot.survival.restart_storm_s"]["value"] > 0
    for row in figures["hot.survival.annual_loss_probability"]["inputs"]:
        assert row["origin"].removeprefix("figure ") in figures


def test_survival_is_worked_out_when_it_is_asked_for():
    plan = make_plan(load.read_stack("demo"), load.catalogue())
    assert "_found=None" not in repr(plan.survival)
    assert plan.survival == dict(plan.survival.items())
    assert plan == make_plan(load.read_stack("demo"), load.catalogue())
