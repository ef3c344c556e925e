"""Durability, rebuild and partial writes against figures that do not come from this code."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.layout import durability, erasure, loss, rebuild
from tierplan.units import Bandwidth, Duration, Size


def hours(value):
    return Duration(value * 3600)


def _code(k, m):
    return {"data_units": k, "parity_units": m}


def mttdl_h(*, k, m, annual_failures, repair_h, mode="parallel"):
    lost = durability.mean_time_to_loss(
        **_code(k, m), annual_failures=annual_failures, repair=hours(repair_h), mode=mode
    )
    return lost.s / 3600


def loss_probability(*, groups, **chain):
    return durability.loss_probability(mean_time=hours(mttdl_h(**chain)), groups=groups)


def mttdl_with_errors_h(*, k, m, annual_failures, repair_h, read_tb, errors_per_bit):
    unreadable = durability.unreadable_probability(read=Size(read_tb * 1e12), errors_per_bit=errors_per_bit)
    lost = durability.mean_time_to_loss_with_errors(
        **_code(k, m), annual_failures=annual_failures, repair=hours(repair_h), unreadable=unreadable
    )
    return lost.s / 3600


def declustered(*, k, m, drives, groups, annual_failures, repair_h):
    fleet = {"drives": drives, "annual_failures": annual_failures, "repair": hours(repair_h)}
    return [
        durability.concurrent_failure_rate(parity_units=m, **fleet),
        durability.shared_group_probability(width=k + m, parity_units=m, drives=drives, groups=groups),
        durability.declustered_loss_probability(**_code(k, m), groups=groups, **fleet),
    ]


def spare_rebuild_h(*, tb, gb_s):
    return rebuild.spare_rebuild(lost=Size(tb * 1e12), spare_write=Bandwidth(gb_s * 1e9)).s / 3600


def declustered_rebuild_h(*, tb, k, drives, gb_s):
    took = rebuild.declustered_rebuild(
        lost=Size(tb * 1e12), data_units=k, drives=drives, drive_recovery=Bandwidth(gb_s * 1e9)
    )
    return took.s / 3600


def network_rebuild_h(*, tb, k, nodes, gb_s, share):
    took = rebuild.network_rebuild(
        lost=Size(tb * 1e12), data_units=k, nodes=nodes, node_network=Bandwidth(gb_s * 1e9), recovery_share=share
    )
    return took.s / 3600


def partial_write(*, k, m, w):
    cost = erasure.partial_write(**_code(k, m), changed_units=w)
    return [cost.reads, cost.writes, erasure.partial_write_amplification(**_code(k, m), changed_units=w)]


def spare_drives(*, drives, annual_failures, days, q):
    return durability.spare_drives(
        drives=drives, annual_failures=annual_failures, supply=Duration(days * 86400.0), confidence=q
    )


def drive_loss(*, m, drives, pools, annual_failures, exposed_h, shared):
    return loss.drive_loss(
        parity_units=m,
        drives=drives,
        pools=pools,
        annual_failures=annual_failures,
        exposed=hours(exposed_h),
        shared=shared,
    )


def loss_with_errors(*, k, m, annual_failures, exposed_h, tb, errors_per_bit):
    """Drives and unreadable sectors together, as the published chain with latent errors counts them."""
    read = loss.critical_read(content=Size(tb * 1e12), read_units=k, width=k + m, parity_units=m, drives=k + m)
    fleet = {"parity_units": m, "drives": k + m, "pools": 1, "annual_failures": annual_failures}
    exposed = hours(exposed_h)
    unreadable = loss.unreadable_loss(**fleet, exposed=exposed, read=read, errors_per_bit=errors_per_bit)
    return loss.drive_loss(**fleet, exposed=exposed, shared=1.0) + unreadable


def mirror_loss(*, pairs, annual_failures, exposed_h):
    return loss.mirror_loss(pairs=pairs, annual_loss=annual_failures, exposed=hours(exposed_h))


FORMULAS = {
    "drive_loss": drive_loss,
    "loss_with_errors": loss_with_errors,
    "mirror_loss": mirror_loss,
    "mttdl_h": mttdl_h,
    "loss_probability": loss_probability,
    "unreadable": lambda read_tb, errors_per_bit: durability.unreadable_probability(
        read=Size(read_tb * 1e12), errors_per_bit=errors_per_bit
    ),
    "mttdl_with_errors_h": mttdl_with_errors_h,
    "declustered": declustered,
    "spare_rebuild_h": spare_rebuild_h,
    "declustered_rebuild_h": declustered_rebuild_h,
    "network_rebuild_h": network_rebuild_h,
    "partial_write": partial_write,
    "degraded_read": lambda k, unavailable: erasure.degraded_read_factor(
        data_units=k, unavailable_fraction=unavailable
    ),
    "annual_failures": durability.annual_failures_seen,
    "spare_drives": spare_drives,
}


def test_golden_figure(durability_case):
    """Published or hand-solved figures: a wrong formula is caught by something that does not share it."""
    got = FORMULAS[durability_case["of"]](**durability_case["inputs"])
    assert got == pytest.approx(durability_case["expected"], rel=durability_case["tolerance"], abs=0)


codes = st.tuples(st.integers(1, 16), st.integers(1, 4))
failures, repairs = st.floats(1e-3, 0.05), st.floats(0.1, 200)


@given(code=codes, annual_failures=failures, repair_h=repairs)
def test_serial_repair_never_lives_longer_than_parallel(code, annual_failures, repair_h):
    k, m = code
    chain = {"k": k, "m": m, "annual_failures": annual_failures, "repair_h": repair_h}
    assert mttdl_h(**chain, mode="serial") <= mttdl_h(**chain, mode="parallel") * (1 + 1e-12)


@given(code=codes, annual_failures=failures, repair_h=st.floats(0.1, 20))
def test_one_more_parity_unit_lives_longer(code, annual_failures, repair_h):
    k, m = code
    chain = {"k": k, "annual_failures": annual_failures, "repair_h": repair_h}
    assert mttdl_h(**chain, m=m + 1) > mttdl_h(**chain, m=m)


def test_no_error_leaves_the_plain_chain():
    """Without latent errors the two formulas are one, up to the approximation of rare failures."""
    plain = mttdl_h(k=8, m=2, annual_failures=0.0136, repair_h=27.778)
    without = durability.mean_time_to_loss_with_errors(
        data_units=8, parity_units=2, annual_failures=0.0136, repair=hours(27.778), unreadable=0.0
    )
    assert without.s / 3600 == pytest.approx(plain, rel=2e-3)


def test_nines_of_certainty_are_endless():
    assert durability.nines(1e-7) == pytest.approx(7)
    assert durability.nines(0.0) == math.inf


@given(drives=st.integers(1, 200_000), annual_failures=failures, days=st.floats(1, 400))
def test_spare_drives_cover_the_mean(drives, annual_failures, days):
    """The count ends, and at 99 % it is at least the mean."""
    spares = spare_drives(drives=drives, annual_failures=annual_failures, days=days, q=0.99)
    assert spares >= math.floor(drives * annual_failures * days / 365)


def test_shared_group_is_certain_where_one_group_spans_all_drives():
    assert durability.shared_group_probability(width=6, parity_units=2, drives=6, groups=1) == 1.0


def test_slowest_bound_and_detection_count():
    took = rebuild.time_to_redundancy(Duration(10.0), Duration(100.0), detection=Duration(600.0))
    assert took.s == 700
