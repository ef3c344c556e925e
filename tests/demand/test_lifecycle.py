"""Life cycle as loads: each formula by hand, each load once, every figure walked back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan import demand
from tierplan.demand import lifecycle
from tierplan.domain.figures import base_number
from tierplan.domain.stack import Growth, LifecyclePins, Retain, Site, TierPins
from tierplan.units import Bandwidth, Duration, Size, duration

DAY = 86400.0
PINS = LifecyclePins(warm_after=duration("30 d"), cold_after=duration("90 d"))


@pytest.fixture
def aging(build):
    """A job that archives daily and keeps eight weekly checkpoints; home and data grow by 40 % a year."""

    def make(pins=PINS, *, weekly=8, cold_class=True, **changes):
        checkpoint = build.checkpoint(retain=Retain(last=5, best=1, weekly=weekly), archive_every=duration("1 d"))
        stack = build.stack(
            build.training(checkpoint=checkpoint),
            capacity=build.capacity(growth_per_year=0.4, years=1),
            **changes,
        )
        options = {"cold_class": "COLD"} if cold_class else {}
        cold = TierPins(backend="ceph-rgw", options=options)
        return replace(stack, tiers=replace(stack.tiers, lifecycle=pins, cold=cold))

    return make


def loads_of(stack):
    return {(load.id, load.tier): load for load in demand.requirement(stack).loads if load.id.startswith("lifecycle.")}


def test_without_a_life_cycle_no_load_of_it(aging):
    assert loads_of(aging(None)) == {}
    assert loads_of(aging(LifecyclePins(delete_after=duration("30 d")))).keys() == {("lifecycle.ingest", "cold")}


def test_each_hand_over_is_read_from_hot_and_written_to_cold(aging):
    found = loads_of(aging())
    for name in ("lifecycle.home", "lifecycle.pretrain-70b.weekly"):
        hot, cold = found[name, "hot"], found[name, "cold"]
        assert hot.read == cold.write
        assert not hot.write
        assert not cold.read
        assert hot.when == cold.when == "continuous"


def test_weekly_checkpoints_move_only_where_they_outlive_the_hot_tier(aging):
    """Four weeks and two days: the fifth to eighth of eight are older; of four none is."""
    assert ("lifecycle.pretrain-70b.weekly", "cold") in loads_of(aging(weekly=5))
    assert ("lifecycle.pretrain-70b.weekly", "cold") not in loads_of(aging(weekly=4))


def test_a_store_of_ours_moves_objects_between_classes_itself(aging):
    inside = loads_of(aging())["lifecycle.inside", "cold"]
    assert inside.read == inside.write
    assert loads_of(aging(cold_class=False)).get(("lifecycle.inside", "cold")) is None


def test_a_cloud_moves_them_by_itself(aging):
    stack = replace(aging(), site=Site(kind="aws"))
    assert ("lifecycle.inside", "cold") not in loads_of(stack)


def test_every_figure_of_it_can_be_walked_back(aging, build):
    stack = aging(cluster=build.cluster(growth=(Growth(year=1, gpu_nodes=256),)))
    figures = demand.requirement(stack).figures
    mine = {name: figure for name, figure in figures.items() if name.startswith("lifecycle.")}
    assert len(mine) >= 10  # of two years
    for name, figure in mine.items():
        for given in figure.inputs:
            if given.origin.startswith("figure "):
                origin = figures[given.origin.removeprefix("figure ")]
                assert base_number(given.value) == pytest.approx(origin.number), (name, given)
            else:
                assert given.origin.startswith(("stack ", "default ", "constant")), (name, given)


def test_more_growth_moves_more(aging):
    def total(stack):
        return sum(load.write.base for load in loads_of(stack).values())

    more = replace(aging(), capacity=replace(aging().capacity, growth_per_year=0.8))
    assert total(more) > total(aging())


def test_old_weekly_checkpoints_by_hand():
    assert [lifecycle.weekly_old(weekly=n, warm_after=Duration(30 * DAY)) for n in (0, 4, 5, 8)] == [0, 0, 1, 4]
    assert lifecycle.kept_bandwidth(size=Size(7 * DAY), running=2, every=lifecycle.WEEK) == Bandwidth(2.0)
