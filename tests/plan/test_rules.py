"""Each rule passes at its target, fires just below it, and says both figures."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tierplan.domain.tiers import Illegal
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import RULES, judge_tier, phase_load
from tierplan.units import Size, bandwidth, op_rate, size

JUST_BELOW = 0.999


Spoil = Callable[[TierCase, float], TierCase]


def _rates(case: TierCase, **change: object) -> TierCase:
    return replace(case, delivered=replace(case.delivered, healthy=replace(case.delivered.healthy, **change)))


def _degraded(case: TierCase, **change: object) -> TierCase:
    return replace(case, delivered=replace(case.delivered, degraded=(replace(case.delivered.degraded[0], **change),)))


SPOILS: dict[str, tuple[Spoil, set[str]]] = {
    "read": (
        lambda case, share: _rates(case, read=bandwidth("100 GB/s") * share),
        {"hot-read-bandwidth", "hot-phases"},
    ),
    "write": (
        lambda case, share: _rates(case, write=bandwidth("40 GB/s") * share),
        {"hot-write-bandwidth", "hot-phases"},
    ),
    "op rate": (lambda case, share: _rates(case, op_rate=op_rate("1000 ops/s") * share), {"hot-op-rate"}),
    "usable": (
        lambda case, share: replace(case, delivered=replace(case.delivered, usable=Size(100e12 * share))),
        {"hot-capacity"},
    ),
    "fill": (
        lambda case, share: replace(case, delivered=replace(case.delivered, planned_fill_fraction=0.8 * share)),
        {"hot-capacity"},
    ),
    "degraded read": (lambda case, share: _degraded(case, read=bandwidth("75 GB/s") * share), {"survive-bandwidth"}),
    "degraded write": (lambda case, share: _degraded(case, write=bandwidth("30 GB/s") * share), {"survive-bandwidth"}),
}


def fired(case: TierCase) -> set[str]:
    return {finding.policy for finding in judge_tier(case)}


def test_every_target_met_exactly_is_silence(case):
    assert fired(case) == set()


@pytest.mark.parametrize("name", SPOILS)
def test_one_figure_just_below_its_target_fires_exactly_its_rules(case, name):
    spoil, expected = SPOILS[name]
    assert fired(spoil(case, JUST_BELOW)) == expected
    assert fired(spoil(case, 1.001)) == set()


@pytest.mark.parametrize("name", SPOILS)
def test_a_finding_says_both_figures_and_what_to_change(case, name):
    spoil, _ = SPOILS[name]
    for finding in judge_tier(spoil(case, 0.5)):
        assert finding.required is not None
        assert finding.planned is not None
        assert finding.required != finding.planned
        assert finding.unit in {"bytes", "bytes_per_s", "ops_per_s", "fraction"}
        assert finding.remedy


def test_float_noise_is_no_shortfall(case):
    noisy = replace(case, need=replace(case.need, read=bandwidth("100 GB/s") * (1 + 1e-12)))
    assert fired(noisy) == set()


def test_a_factor_of_the_policy_configuration_multiplies_the_requirement(case):
    assert fired(replace(case, factor=1.01)) == {
        "hot-read-bandwidth",
        "hot-write-bandwidth",
        "hot-op-rate",
        "hot-phases",
        "hot-capacity",
        "survive-bandwidth",
    }


def test_what_the_product_forbids_fires_its_own_rule_only(case):
    fault = Illegal(policy="hot-layout", message="6+2 needs 8 failure domains, 6 are there", remedy="add 2 nodes")
    bad = replace(case, delivered=replace(case.delivered, illegal=(fault,)))
    assert fired(bad) == {"hot-layout"}


def test_data_lost_with_the_nodes_to_survive_fires(case):
    state = replace(case.delivered.degraded[0], data_lost=True)
    assert fired(replace(case, delivered=replace(case.delivered, degraded=(state,)))) == {"survive-nodes"}


def test_a_dead_tier_reports_and_does_not_divide_by_zero(case):
    rates = replace(case.delivered.healthy, read=bandwidth("0 GB/s"), write=bandwidth("0 GB/s"))
    dead = replace(case, delivered=replace(case.delivered, healthy=rates, usable=size("0 TB")))
    assert {"hot-read-bandwidth", "hot-write-bandwidth", "hot-phases", "hot-capacity"} <= fired(dead)
    assert phase_load(rates, read=bandwidth("1 GB/s"), write=bandwidth("0 GB/s")) == float("inf")


def test_rule_names_are_scope_and_quantity_and_unique():
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))
    scopes = {"stack", "local", "hot", "cold", "survive", "cloud", "advice"}
    assert all(name.split("-", 1)[0] in scopes for name in names)
