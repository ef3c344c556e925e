"""Quorums: how many nodes and racks each service bears."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.domain.stack import Survive
from tierplan.plan.rule import TierCase
from tierplan.plan.rules_survive import quorum
from tierplan.survival.services import services, too_many


def by_name(plan):
    return {service.name: service for service in services(plan.config, plan.delivered)}


def test_ceph_monitors_bear_a_minority(tier):
    three, five = by_name(tier(nodes=9, code=(4, 2))), by_name(tier(nodes=12, code=(4, 2)))
    assert (three["Ceph monitors"].members, three["Ceph monitors"].tolerated) == (3, 1)
    assert (five["Ceph monitors"].members, five["Ceph monitors"].tolerated) == (5, 2)


def test_foundationdb_bears_as_many_as_copies_and_coordinators_do(tier):
    """triple: 3 copies, 5 coordinators, two may fail; double: one."""
    found = by_name(tier("3fs", nodes=10, replicas=3))["FoundationDB nodes"]
    assert found.tolerated == 2


def test_lustre_metadata_servers_share_a_rack_and_those_of_beegfs_do_not(tier):
    lustre = by_name(tier("lustre", nodes=4, domain="drive"))["Lustre metadata servers"]
    beegfs = by_name(tier("beegfs", nodes=4, domain="drive"))["BeeGFS metadata servers"]
    assert not too_many(lustre, nodes=1, racks=0)
    assert too_many(lustre, nodes=0, racks=1)
    assert not too_many(beegfs, nodes=0, racks=1)
    assert too_many(beegfs, nodes=1, racks=1)


def fired(plan):
    return list(quorum(TierCase(need=plan.need, config=plan.config, delivered=plan.delivered)))


@pytest.mark.parametrize(("monitors", "lost", "fires"), [(3, 1, False), (3, 2, True), (5, 2, False), (5, 3, True)])
def test_quorum_fires_where_more_is_to_be_survived_than_monitors_bear(monitors, lost, fires, tier):
    """Data survives the lost nodes with 4+3 in each case; the monitors do not always."""
    plan = tier(nodes=12, code=(4, 3), survive=Survive(nodes=lost))
    parts = {**plan.delivered.parts, "monitors": monitors}
    found = fired(replace(plan, delivered=replace(plan.delivered, parts=parts)))
    assert bool(found) == fires
    for finding in found:
        assert finding.policy == "survive-quorum"
        assert (finding.required, finding.planned) == (lost, (monitors - 1) // 2)


def test_lost_data_is_said_by_its_own_rule_alone(tier):
    assert fired(tier(nodes=9, code=(4, 2), survive=Survive(nodes=3))) == []
