"""Rebuild: traffic, time with and without load, where it goes, how long redundancy is reduced."""

from __future__ import annotations

import pytest

from tierplan.layout.rebuild import declustered_rebuild, network_rebuild, onto_one
from tierplan.units import Bandwidth, Size


def test_rebuild_of_a_drive_moves_k_units_in_and_one_out(survive):
    drive = survive("weka", nodes=12, code=(5, 2), spares=1).rebuild("drive")
    assert drive.content.base == pytest.approx(7.68e12 * 0.8)
    assert drive.traffic.base == pytest.approx(drive.content.base * 6)
    assert drive.loaded.s == pytest.approx(drive.idle.s * 5)  # a fifth of drives and ports
    assert drive.exposed.s == pytest.approx(600 + drive.loaded.s)


def test_time_is_the_slower_of_drives_and_ports(survive):
    """The two published formulas, of which the slower counts."""
    drive = survive("weka", nodes=12, code=(5, 2), spares=1).rebuild("drive")
    content = Size(7.68e12 * 0.8)
    by_drives = declustered_rebuild(lost=content, data_units=5, drives=144, drive_recovery=Bandwidth(3.5e9))
    by_ports = network_rebuild(lost=content, data_units=5, nodes=12, node_network=Bandwidth(50e9), recovery_share=1.0)
    assert drive.idle.s == pytest.approx(max(by_drives.s, by_ports.s))


def test_a_replaced_drive_of_3fs_is_bound_by_its_own_write_rate(survive):
    """3FS has no spares: 15.36 TB, 70 % full, at 2 GB/s takes 1.493 h, after the drive is there."""
    assert onto_one(content=Size(15.36e12 * 0.7), write=Bandwidth(2e9), share=1.0).s / 3600 == pytest.approx(
        1.493, rel=1e-3
    )
    found = survive("3fs", nodes=10, replicas=3)
    drive = found.rebuild("drive")
    assert not drive.room
    assert drive.wait.s == 600 + 24 * 3600
    assert drive.idle.s == pytest.approx(drive.content.base / 3.5e9)


def test_a_hot_spare_in_a_raid_group_saves_the_wait(survive):
    spared = survive("lustre", nodes=4, domain="drive", code=(8, 2), spares=2).rebuild("drive")
    bare = survive("lustre", nodes=4, domain="drive", code=(8, 2), spares=0).rebuild("drive")
    assert spared.room
    assert not bare.room
    assert bare.wait.s - spared.wait.s == 24 * 3600


def test_a_server_of_a_shared_enclosure_needs_no_rebuild(survive):
    assert survive("lustre", nodes=4, domain="drive").rebuild("node") is None
    assert survive("beegfs", nodes=4, domain="drive").rebuild("node") is not None
