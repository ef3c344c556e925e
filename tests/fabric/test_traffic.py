"""What crosses the fabric beside the clients' bytes, against published multipliers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.domain.tiers import Layout
from tierplan.fabric import traffic
from tierplan.load import catalogue, read_stack
from tierplan.plan import make_plan
from tierplan.units import Bandwidth, duration, size


def code(data: int, parity: int) -> Layout:
    return Layout(kind="erasure-code", data_units=data, parity_units=parity)


def test_ports_of_a_coded_group_are_the_vendors(golden):
    for row in golden["ports_of_an_ece_recovery_group"]:
        layout = code(row["data_units"], row["parity_units"])
        ports = row["nodes"] * float(row["port"]) * row["link"]
        assert ports / (1 + traffic.inner_read(layout)) == pytest.approx(float(row["read"]), rel=1e-3)
        assert ports / (1 + traffic.inner_write(layout)) == pytest.approx(float(row["write"]), rel=1e-3)


def test_replicas_are_forwarded(golden):
    for row in golden["forwarding"]:
        layout = Layout(kind="replicas", replicas=row["replicas"])
        assert traffic.inner_write(layout) == row["inner_write"]
        assert traffic.inner_read(layout) == 0


@pytest.mark.parametrize(("name", "crosses"), [("lustre", False), ("nfs", False), ("weka", True), ("3fs", True)])
def test_raid_inside_an_enclosure_crosses_nothing(name, crosses):
    document = read_stack("demo")
    hot = replace(document.tiers.hot, backend=name, nodes=None, node=None, layout=None, options={})
    plan = make_plan(replace(document, tiers=replace(document.tiers, hot=hot)), catalogue())
    assert traffic.over_network(plan.tiers["hot"]) is crosses
    rebuilt = traffic.rebuild_of(plan.tiers["hot"], within=duration("1 d"))
    assert bool(rebuilt) is crosses


@given(inner=st.floats(0, 5), ports=st.floats(1, 1e12), planned=st.floats(1, 1e12))
def test_a_planned_rate_fits_the_ports_with_what_it_sends(inner, ports, planned):
    fitted = traffic.fitting(inner, ports=Bandwidth(ports), planned=Bandwidth(planned))
    assert 0 <= fitted <= inner
    if planned <= ports:
        assert planned * (1 + fitted) <= ports * (1 + 1e-9)


def test_a_rebuild_reads_k_units_for_each_that_it_writes():
    one = traffic.rebuild(lost=1, node_bytes=size("100 TB"), fill=0.5, units_read=4, within=duration("1 d"))
    assert one.base == pytest.approx(50e12 * 5 / 86400)
    two = traffic.rebuild(lost=2, node_bytes=size("100 TB"), fill=0.5, units_read=4, within=duration("1 d"))
    assert two.base == pytest.approx(2 * one.base)
