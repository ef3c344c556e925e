"""The chance of loss: against a simulation that shares no formula, and what must hold for every plan."""

from __future__ import annotations

import heapq
import math
import random
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.domain.stack import Survive
from tierplan.layout import loss
from tierplan.layout.durability import mean_time_to_loss
from tierplan.units import Duration, Size

YEAR_H = 8760.0
Z = NormalDist().inv_cdf(0.9995)


def simulated_rate(*, drives, groups, tolerated, rate, repair, losses, seed):
    """
    Losses an hour by simulation: drives fail and are made anew in exponential times, and any group counts.

    After each loss everything starts new.  Gives the rate and its 99.9 % interval (losses come by Poisson's law).
    """
    dice, clock, found = random.Random(seed), 0.0, 0  # noqa: S311  # a simulation, no secret
    member_of = [[index for index, group in enumerate(groups) if drive in group] for drive in range(drives)]
    while found < losses:
        events = [(dice.expovariate(rate), drive, True) for drive in range(drives)]
        heapq.heapify(events)
        down, begin, now = [0] * len(groups), clock, 0.0
        while True:
            now, drive, fails = heapq.heappop(events)
            for index in member_of[drive]:
                down[index] += 1 if fails else -1
            if fails and any(down[index] > tolerated for index in member_of[drive]):
                break
            wait = dice.expovariate(1 / repair if fails else rate)
            heapq.heappush(events, (now + wait, drive, not fails))
        clock, found = begin + now, found + 1
    half = Z / math.sqrt(found)
    return found / clock, found / clock * (1 - half), found / clock / (1 - half)


def bound(*, drives, groups, width, tolerated, rate, repair, pools=1):
    """The plan's figure for the same, as a rate an hour."""
    shared = loss.group_share_bound(width=width, parity_units=tolerated, drives=drives, groups=groups)
    chance = loss.drive_loss(
        parity_units=tolerated,
        drives=drives,
        pools=pools,
        annual_failures=rate * YEAR_H,
        exposed=Duration(repair * 3600),
        shared=shared,
    )
    return -math.log1p(-chance) / YEAR_H


CASES = {
    "two copies": {"drives": 2, "width": 2, "tolerated": 1, "rate": 1e-3, "repair": 10.0},
    "4+2 in one group": {"drives": 6, "width": 6, "tolerated": 2, "rate": 1e-3, "repair": 10.0},
    "4+2 over twelve": {"drives": 12, "width": 6, "tolerated": 2, "rate": 1e-3, "repair": 5.0},
    "3+1 over nine": {"drives": 9, "width": 4, "tolerated": 1, "rate": 1e-3, "repair": 5.0},
}


@pytest.mark.parametrize("name", CASES)
def test_drive_loss_bounds_the_simulation_and_is_close(name):
    """
    Every set of `width` drives holds a stripe.  The bound is never below the interval, and within a factor of it.

    It counts failures of drives that are already down as well, so it lies above by some rate * repair * drives.
    """
    case = CASES[name]
    groups = [tuple(range(case["drives"]))]  # any drives too many at once share a stripe
    seen, low, high = simulated_rate(
        drives=case["drives"],
        groups=groups,
        tolerated=case["tolerated"],
        rate=case["rate"],
        repair=case["repair"],
        losses=600,
        seed=7,
    )
    planned = bound(groups=-1, **case)
    assert planned > low
    assert planned < high * (1 + 4 * case["drives"] * case["rate"] * case["repair"])
    assert seen > 0


def test_counted_groups_bound_the_simulation(random_designs):
    """A declustered pool of twenty drives with thirty groups of three, two lost at once."""
    for seed, groups in enumerate(random_designs):
        _, low, high = simulated_rate(
            drives=20, groups=groups, tolerated=1, rate=1e-3, repair=5.0, losses=500, seed=seed
        )
        planned = bound(drives=20, groups=len(groups), width=3, tolerated=1, rate=1e-3, repair=5.0)
        assert planned > low
        assert planned < high * 1.6  # the union bound counts pairs that two groups share twice


@pytest.fixture
def random_designs():
    """Three designs of thirty groups of three over twenty drives."""
    dice = random.Random(3)  # noqa: S311  # a test, no secret
    return [[tuple(dice.sample(range(20), 3)) for _ in range(30)] for _ in range(3)]


def test_exact_chain_and_simulation_agree():
    """The birth-death chain of the layout room lies inside the simulation's interval."""
    groups = [tuple(range(6))]
    _, low, high = simulated_rate(drives=6, groups=groups, tolerated=2, rate=1e-3, repair=10.0, losses=800, seed=11)
    lost = mean_time_to_loss(data_units=4, parity_units=2, annual_failures=1e-3 * YEAR_H, repair=Duration(10.0 * 3600))
    assert low < 3600 / lost.s < high


def test_rack_that_holds_more_than_is_borne_is_the_largest_cause(survive):
    """4+2 over nodes with three of them in each of four racks: the rack decides; over racks it does not."""
    narrow = survive("weka", nodes=12, racks=4, spares=1)
    wide = survive("weka", nodes=12, racks=12, spares=1)
    assert narrow.risk.largest[0] == "racks"
    assert narrow.risk.racks == pytest.approx(4e-4, rel=1e-3)
    assert wide.risk.racks < narrow.risk.racks / 1000


def test_one_rack_alone_is_lost_with_everything(survive):
    assert survive("cephfs", nodes=8, racks=1).risk.racks == pytest.approx(1e-4, rel=1e-3)


def test_another_parity_unit_lowers_every_cause_of_drives(survive):
    two, three = survive("cephfs", nodes=9, code=(4, 2)), survive("cephfs", nodes=9, code=(4, 3))
    assert three.risk.drives < two.risk.drives
    assert three.risk.unreadable < two.risk.unreadable
    assert three.risk.nodes < two.risk.nodes
    assert three.risk.total < two.risk.total


def test_hard_disks_lose_more(survive):
    flash = survive("cephfs", nodes=9)
    disks = survive("cephfs", nodes=9, node={"medium": "hdd"})
    assert disks.risk.unreadable > flash.risk.unreadable


def test_no_room_means_days_of_exposure_and_more_loss(survive):
    six, seven = survive("cephfs", nodes=6), survive("cephfs", nodes=7)
    assert six.rebuild("node").exposed.s > 3 * 86400
    assert seven.rebuild("node").exposed.s < 86400
    assert six.risk.nodes > seven.risk.nodes


@given(
    parity=st.integers(0, 4),
    drives=st.integers(1, 4000),
    annual=st.floats(1e-4, 0.2),
    hours=st.floats(0.01, 500),
    pools=st.integers(1, 1000),
)
def test_every_part_is_a_probability_and_grows_with_exposure(parity, drives, annual, hours, pools):
    def of(time):
        return loss.drive_loss(
            parity_units=parity,
            drives=drives,
            pools=pools,
            annual_failures=annual,
            exposed=Duration(time * 3600),
            shared=1.0,
        )

    assert 0 <= of(hours) <= 1
    assert of(hours) <= of(hours * 2)


@pytest.mark.parametrize(
    ("probability", "words"),
    [(1e-9, "< 1e-09"), (1.01e-9, "< 2e-09"), (9.5e-9, "< 1e-08"), (3e-20, "< 1e-12"), (0.42, "< 0.5"), (1.0, "< 1")],
)
def test_a_bound_is_shown_with_one_digit_rounded_up(probability, words):
    assert loss.shown_bound(probability) == words


def test_mirror_of_two_servers_bears_one(survive):
    """BeeGFS: the chance is that of both servers of a pair within the time of a replacement."""
    mirrored = survive("beegfs", nodes=4, domain="drive", survive=Survive(nodes=1))
    single = survive("beegfs", nodes=4, domain="drive", options={"mirror": False}, survive=Survive(nodes=0))
    assert mirrored.risk.total < single.risk.total / 100


def test_critical_read_of_a_group_of_its_own_is_the_whole_rebuild():
    read = loss.critical_read(content=Size(20e12), read_units=8, width=10, parity_units=2, drives=10)
    assert read == Size(160e12)
