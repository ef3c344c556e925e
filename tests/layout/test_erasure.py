"""Codes: what they cost, and by brute force that the cheaper way of a partial write is the one that is taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.layout import erasure

codes = st.tuples(st.integers(1, 20), st.integers(0, 6))


@given(code=codes)
def test_efficiency_and_write_amplification_are_inverse(code):
    k, m = code
    efficient = erasure.efficiency(data_units=k, parity_units=m)
    assert efficient * erasure.write_amplification(data_units=k, parity_units=m) == pytest.approx(1)
    assert 0 < efficient <= 1


@given(code=codes, changed=st.integers(1, 20))
def test_partial_write_takes_the_fewer_reads(code, changed):
    k, m = code
    changed = min(changed, k)
    cost = erasure.partial_write(data_units=k, parity_units=m, changed_units=changed)
    assert cost.writes == changed + m
    assert cost.reads == min(changed + m, k - changed)


@given(code=codes)
def test_gateway_adds_one_crossing_each_way(code):
    k, m = code
    direct = erasure.network_factors(data_units=k, parity_units=m)
    through = erasure.network_factors(data_units=k, parity_units=m, through_gateway=True)
    assert (through.read - direct.read, through.write - direct.write) == (pytest.approx(1), pytest.approx(1))


@pytest.mark.parametrize("replicas", [1, 2, 3, 4])
def test_copies_cross_once_each(replicas):
    assert erasure.replica_network_factors(replicas=replicas).write == replicas


def test_code_of_one_data_unit_moves_what_copies_move():
    """1 + m is m + 1 copies."""
    code = erasure.network_factors(data_units=1, parity_units=2)
    copies = erasure.replica_network_factors(replicas=3)
    assert (code.read, code.write) == (copies.read, copies.write)
