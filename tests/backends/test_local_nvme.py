"""Local NVMe: the GPU nodes as they are, against the measured arrays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import local_nvme
from tierplan.domain.stack import Drive, DrivePins, NodePins, Site, StorageNode, TierPins
from tierplan.domain.tiers import NEVER, Layout
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, size

SITE = Site(kind="on-prem", racks=8)
NODE = StorageNode(
    drives=4,
    drive=Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s")),
    ports=2,
    port_rate=bandwidth("200 Gbit/s"),
    cores=112,
    memory=size("2 TiB"),
)


@pytest.fixture
def deliver(facts_of, make_need, make_config):
    def run(node=NODE, nodes=128, **need):
        config = make_config("local-nvme", node, nodes=nodes, layout=Layout(kind="none"), tier="local", racks=8)
        return local_nvme.BACKEND.deliver(config, make_need("local", **need), facts_of("local-nvme"))

    return run


def test_four_pcie_4_drives_give_what_was_measured(deliver):
    """DeepNVMe, 2025: 10 GB/s read and 5 GB/s write, not the 26 and 14 GB/s of the data sheet."""
    rates = deliver(nodes=1).healthy
    assert rates.read.base == pytest.approx(10e9, rel=0.01)
    assert rates.write.base == pytest.approx(5e9, rel=0.01)
    assert (rates.read_limited_by, rates.write_limited_by) == ("media", "media")


@pytest.mark.parametrize(("drives", "read_gb_s", "write_gb_s"), [(4, 27, 11), (8, 48, 26)])
def test_pcie_5_arrays_are_not_promised_more_than_was_measured(deliver, drives, read_gb_s, write_gb_s):
    """At 14 and 7 GB/s a drive on the data sheet."""
    drive = replace(NODE.drive, read=bandwidth("14 GB/s"), write=bandwidth("7 GB/s"))
    rates = deliver(replace(NODE, drives=drives, drive=drive), nodes=1).healthy
    assert rates.read.base <= read_gb_s * 1e9
    assert rates.write.base <= write_gb_s * 1e9


def test_capacity_is_of_all_nodes(deliver):
    given = deliver()
    assert given.raw.base == pytest.approx(128 * 30.72e12)
    assert given.usable.base == pytest.approx(128 * 30.72e12 * 0.98)


def test_lost_node_takes_its_part_and_leaves_the_rest_at_work(deliver):
    given = deliver()
    node, rack = given.degraded
    assert (node.data_lost, rack.data_lost) == (True, True)
    assert node.read.base == pytest.approx(given.healthy.read.base * 127 / 128)
    assert rack.read.base == pytest.approx(given.healthy.read.base * 112 / 128)


def test_no_drives_is_no_fault_but_said(deliver):
    given = deliver(replace(NODE, drives=0))
    assert (given.usable, given.healthy.read, given.healthy.op_rate) == (Size.zero(), Bandwidth.zero(), OpRate.zero())
    assert given.illegal == ()
    assert "no local data drives" in given.notes[0]
    assert set(given.counts.values()) == {0}


def test_no_drives_where_some_are_needed(deliver):
    assert deliver(replace(NODE, drives=0), capacity=size("1 TB")).counts["capacity"] == NEVER


def test_the_one_choice_is_what_the_cluster_is(make_need, facts_of):
    pins = TierPins(
        backend="local-nvme",
        nodes=128,
        node=NodePins(
            drives=4,
            drive=DrivePins(size=NODE.drive.size, read=NODE.drive.read, write=NODE.drive.write),
            ports=2,
            port_rate=NODE.port_rate,
            cores=112,
            memory=NODE.memory,
        ),
    )
    (config,) = local_nvme.BACKEND.choices(make_need("local"), pins, SITE, facts_of("local-nvme"))
    assert (config.node, config.nodes, config.tier, config.layout.kind) == (NODE, 128, "local", "none")


def test_options_are_refused(make_config, make_need, facts_of):
    config = make_config("local-nvme", NODE, nodes=1, layout=Layout(kind="none"), tier="local", options={"raid": 0})
    faults = local_nvme.BACKEND.deliver(config, make_need("local"), facts_of("local-nvme")).illegal
    assert [fault.policy for fault in faults] == ["local-layout"]
