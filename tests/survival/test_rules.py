"""The rules of survival: pass, fail and boundary; the search takes what the target allows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan import load
from tierplan.domain.survival import Risk
from tierplan.plan import judge, make_plan, verdict
from tierplan.plan.rules_survive import lost_too_likely
from tierplan.plan.search import search_tier
from tierplan.units import bandwidth


@pytest.fixture(scope="module")
def demo():
    """The default stack."""
    return load.read_stack("demo")


def with_target(stack, allowed, **tiers):
    targets = replace(stack.targets, annual_loss_probability=allowed)
    return replace(stack, targets=targets, tiers=replace(stack.tiers, **tiers))


@pytest.mark.parametrize(("allowed", "fires"), [(1e-6, False), (0.999e-6, True), (1.001e-6, False)])
def test_durability_fires_just_below_its_target(allowed, fires, tier):
    plan = tier("weka", nodes=12, code=(5, 2), spares=1, annual_loss_probability=allowed)
    found = list(lost_too_likely(plan.need, Risk(drives=2.5e-7, unreadable=2.5e-7, nodes=2.5e-7, racks=2.5e-7)))
    assert bool(found) == fires
    for finding in found:
        assert (finding.policy, finding.required, finding.planned) == ("survive-durability", allowed, 1e-6)


def test_no_target_no_finding(demo):
    plan = make_plan(demo, load.catalogue())
    assert not {finding.policy for finding in judge(plan)} & {"survive-durability", "survive-quorum"}


def test_a_target_that_no_layout_reaches_refuses_the_plan_with_its_cause(demo):
    plan = make_plan(with_target(demo, 1e-15), load.catalogue())
    findings = judge(plan)
    assert verdict(findings) == "refused"
    (hot,) = (one for one in findings if one.policy == "survive-durability" and one.tier == "hot")
    assert hot.planned > hot.required
    assert "most of it by" in hot.message
    assert hot.remedy


def test_the_search_takes_another_layout_where_the_target_asks_for_it(demo):
    """Hard disks in 4+2 lose more than one in a million: with the target the cold tier gets a third parity unit."""
    loose, tight = make_plan(demo, load.catalogue()), make_plan(with_target(demo, 1e-5), load.catalogue())
    assert loose.survival["cold"].risk.total > 1e-5
    assert tight.survival["cold"].risk.total <= 1e-5
    assert tight.tiers["cold"].config.layout.parity_units > loose.tiers["cold"].config.layout.parity_units
    assert "survive-durability" not in {finding.policy for finding in judge(tight)}


def test_no_room_is_told_and_refuses_nothing(tier, demo):
    plan = make_plan(demo, load.catalogue())
    tight = replace(plan, tiers={**plan.tiers, "hot": tier("weka", nodes=6, code=(4, 2))}, survival={})
    (found,) = (one for one in judge(tight) if one.policy == "survive-rebuild")
    assert found.level == "advisory"
    assert "no room to rebuild" in found.message
    roomy = replace(plan, tiers={**plan.tiers, "hot": tier("weka", nodes=7, code=(4, 2), spares=1)}, survival={})
    assert not [one for one in judge(roomy) if one.policy == "survive-rebuild"]


@pytest.mark.parametrize(("backend", "passes"), [("beegfs", True), ("lustre", False), ("nfs", False)])
def test_a_rack_to_be_survived_by_product(backend, passes, demo):
    """Mirrored servers stand in two racks; servers that share an enclosure stand in one, and the refusal says so."""
    stack = replace(demo, targets=replace(demo.targets, survive=replace(demo.targets.survive, nodes=0, racks=1)))
    pins = replace(stack.tiers.hot, backend=backend, nodes=None, node=None, layout=None, options={}, quote=None)
    stack = replace(stack, tiers=replace(stack.tiers, hot=pins))
    requirement = make_plan(stack, load.catalogue()).requirement
    found = search_tier("hot", stack=stack, need=requirement.needs["hot"], catalogue=load.catalogue())
    assert ("survive-racks" not in str(found.rejections)) == passes
    if not passes:
        assert "stand in one rack" in found.rejections[0].reason


@pytest.fixture(scope="module")
def judged(demo):
    """The default stack with its hot tier changed in one way -> the survive rules that fire against it."""
    catalogue = load.catalogue()
    targets = replace(demo.targets, survive=replace(demo.targets.survive, nodes=1, racks=1))
    stack = replace(demo, targets=targets)
    cold = replace(demo.tiers.cold, backend="none")
    stack = replace(stack, tiers=replace(stack.tiers, cold=cold))

    def fired(*, racks=12, node=(), layout=(), **pins):
        hot = stack.tiers.hot
        hot = replace(hot, node=replace(hot.node, **dict(node)), layout=replace(hot.layout, **dict(layout)), **pins)
        changed = replace(stack, site=replace(stack.site, racks=racks), tiers=replace(stack.tiers, hot=hot))
        plan = make_plan(changed, catalogue)
        return {finding.policy for finding in judge(plan) if finding.policy.startswith(("survive-", "hot-"))}

    return fired


def test_as_planned_nothing_fires(judged):
    """Twelve nodes in twelve racks, 5+2, a spare: a node and a rack may be lost."""
    assert judged() == set()


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"racks": 6}, {"survive-nodes", "survive-racks", "survive-bandwidth"}),  # a rack holds two nodes: three lost
        ({"layout": {"failure_domain": "rack"}, "racks": 7}, {"survive-rebuild"}),  # seven racks hold one stripe of 5+2
        ({"nodes": 8}, set()),  # 5+2 and one spare
        ({"nodes": 7, "layout": {"hot_spares": 0}}, {"survive-rebuild"}),
        ({"node": {"ports": 1}}, set()),  # half the ports still carry this requirement
        (
            {"node": {"ports": 1, "port_rate": bandwidth("40 Gbit/s")}},
            {"hot-write-bandwidth", "hot-phases", "survive-bandwidth"},
        ),
    ],
    ids=["racks", "domains", "fewer nodes", "spares", "ports", "slow ports"],
)
def test_one_change_fires_exactly_its_rules(change, expected, judged):
    assert judged(**change) == expected
