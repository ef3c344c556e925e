"""BeeGFS against the vendor's sizing rules, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _beegfs, beegfs
from tierplan.domain.stack import LayoutPins, Site, Survive, TierPins
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

SITE = Site(kind="on-prem", racks=8)


@pytest.fixture
def node(facts_of):
    return facts_of("beegfs").nodes["nvme-24x15.36"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return beegfs.BACKEND.deliver(config, need or make_need(), facts_of("beegfs"))

    return run


@pytest.fixture
def choose(facts_of, make_need):
    def run(need=None, pins=None):
        return list(beegfs.BACKEND.choices(need or make_need(), pins or TierPins(), SITE, facts_of("beegfs")))

    return run


@pytest.fixture
def cluster(node, make_config, stripe):
    def make(nodes, data=8, parity=2, *, spares=2, options=None, **changes):
        own = {
            key: changes.pop(key)
            for key in ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")
            if key in changes
        }
        layout = stripe(data, parity, spares=spares, failure_domain="drive")
        return make_config(
            "beegfs", replace(node, **own), nodes=nodes, layout=layout, options=options or {}, **{"racks": 8, **changes}
        )

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(beegfs_case, cluster, deliver, node, make_need):
    def usable_tb(*, nodes, drives, drive_tb, mirror):
        drive = replace(node.drive, size=Size(drive_tb * 1e12))
        config = cluster(nodes, spares=0, drives=drives, drive=drive, options={"mirror": mirror})
        return deliver(config).usable.bytes / 1e12

    def write_gb_s(*, nodes, drives, drive_gb_s, mirror):
        drive = replace(node.drive, write=Bandwidth(drive_gb_s * 1e9))
        config = cluster(nodes, spares=0, drives=drives, drive=drive, options={"mirror": mirror})
        return deliver(config).healthy.write.base / 1e9

    def meta_tb_of_capacity(*, capacity_pb):
        given = deliver(cluster(4), make_need(capacity=Size(capacity_pb * 1e15)))
        (note,) = [note for note in given.notes if "of metadata" in note]
        return float(note.partition(" for ")[2].partition(" TB")[0])

    formulas = {
        "meta_bytes": lambda **inputs: _beegfs.meta_space(**inputs).bytes,
        "meta_tb_of_capacity": meta_tb_of_capacity,
        "rdma_buffers": lambda chunk_kib: _beegfs.rdma_buffers(Size(chunk_kib * 1024.0)),
        "usable_tb": usable_tb,
        "write_gb_s": write_gb_s,
    }
    got = formulas[beegfs_case["of"]](**beegfs_case["inputs"])
    assert got == pytest.approx(beegfs_case["expected"], rel=beegfs_case["tolerance"], abs=0)


# --- what it gives --------------------------------------------------------------------------------------------


def test_waterfall_names_each_step_once(cluster, deliver):
    steps = deliver(cluster(4)).waterfall
    assert [step.name for step in steps] == [
        "hot spare and drives outside a group (4 of 24 a node)",
        "code 8+2",
        "buddy mirror 1/2",
    ]


def test_a_mirrored_byte_is_written_twice_and_read_once(cluster, deliver):
    both, one = deliver(cluster(4)).healthy, deliver(cluster(4, options={"mirror": False})).healthy
    assert (both.write.base, one.write.base) == (pytest.approx(4 * 7.5e9), pytest.approx(4 * 15e9))
    assert both.read == one.read
    assert both.write_limited_by == "cpu"


def test_reads_come_from_the_primary_alone(cluster, deliver, node):
    """Drives of the secondary add nothing; with one target a server, neither does its server."""
    slow = replace(node.drive, read=bandwidth("0.2 GB/s"))
    assert deliver(cluster(4, drive=slow)).healthy.read.base == pytest.approx(4 * 16 * 0.2e9 * 0.9 / 2)
    assert deliver(cluster(4, drives=12)).healthy.read.base == pytest.approx(4 * 7.5e9)


def test_ports_limit_where_they_are_slow(cluster, deliver):
    rates = deliver(cluster(4, ports=1, port_rate=bandwidth("100 Gbit/s"))).healthy
    assert (rates.read_limited_by, rates.read.base) == ("node ports", pytest.approx(4 * 12.5e9 * 0.85))
    assert rates.write.base == pytest.approx(4 * 12.5e9 * 0.85 / 2)


def test_clients_over_tcp_are_held_by_the_kernel(cluster, deliver, make_need):
    need = make_need()
    need = replace(need, clients=replace(need.clients, transport="tcp"))
    assert deliver(cluster(4), need).healthy.client == bandwidth("6 GB/s")


# --- losses ---------------------------------------------------------------------------------------------------


def test_a_buddy_reads_for_both_and_writes_as_before(cluster, deliver):
    given = deliver(cluster(4))
    state = given.degraded[0]
    assert (state.nodes, state.data_lost) == (1, False)
    assert state.read.base == pytest.approx(given.healthy.read.base / 2)
    assert state.write == given.healthy.write


def test_both_buddies_lost_is_data_lost(cluster, deliver, make_need):
    given = deliver(cluster(4), make_need(survive=Survive(nodes=2, racks=0)))
    assert [state.data_lost for state in given.degraded if state.nodes == 2] == [True]


def test_without_mirroring_a_server_takes_its_files(cluster, deliver):
    given = deliver(cluster(3, options={"mirror": False}))
    assert given.degraded[0].data_lost
    assert not given.degraded[0].read
    assert "hot-layout" not in policies(given)


# --- metadata -------------------------------------------------------------------------------------------------


def test_metadata_servers_come_with_files_and_op_rate(choose, make_need, deliver):
    need = make_need(op_rate=op_rate("15000 ops/s"), capacity=size("1 PB"), files=1e9)
    given = deliver(choose(need)[0], need)
    assert given.parts["meta_servers"] == 4  # two pairs of 10,000 ops/s
    assert given.healthy.op_rate == OpRate(20000.0)


def test_pinned_metadata_servers_are_refused_where_too_small_or_odd(choose, make_need, deliver):
    need = make_need(capacity=size("1 PB"), files=1e9)
    options = {"meta": {"nodes": 3, "drives": 2, "drive_size": "1 TB"}}
    given = deliver(choose(need, TierPins(options=options))[0], need)
    assert "write meta: {nodes: 4}" in [fault.remedy for fault in given.illegal]
    assert policies(given).count("hot-node") == 1


# --- rules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "changes", "policy", "remedy"),
    [
        (5, {}, "hot-layout", "use 6 nodes, or write mirror: false (a lost server then takes its files)"),
        (0, {}, "hot-layout", "use 2 nodes or more"),
        (4, {"data": 8, "parity": 3}, "hot-layout", "write parity_units: 2"),
        (4, {"data": 30, "parity": 2}, "hot-layout", "add 10 drives a node or write 4+2"),
        (4, {"cores": 4}, "hot-node", "use nodes with 8 cores or more"),
        (4, {"options": {"version": 6}}, "hot-layout", "write version: 8"),
        (4, {"options": {"version": 7}}, "advice-node", "write version: 8"),
        (4, {"options": {"chunk_size": "32 KiB"}}, "hot-layout", 'write chunk_size: "1 MiB"'),
        (4, {"options": {"chunk_size": "96 KiB"}}, "hot-layout", 'write chunk_size: "1 MiB"'),
        (4, {"options": {"stripe_targets": 0}}, "hot-layout", "write stripe_targets: 4"),
        (4, {"options": {"mirrored": True}}, "hot-layout", "did you mean mirror?"),
    ],
)
def test_refusal_names_the_next_legal_choice(cluster, deliver, *, nodes, changes, policy, remedy):
    found = deliver(cluster(nodes, **changes)).illegal
    assert (policy, remedy) in [(fault.policy, fault.remedy) for fault in found]


def test_a_plain_plan_has_nothing_against_it(cluster, deliver):
    assert policies(deliver(cluster(2))) == []


# --- choices --------------------------------------------------------------------------------------------------


def test_choices_are_the_servers_of_the_catalogue_in_pairs(choose, facts_of, make_need):
    configs = choose(make_need(write=bandwidth("40 GB/s")))
    assert [config.node for config in configs] == list(facts_of("beegfs").nodes.values())
    assert all(config.nodes % 2 == 0 for config in configs)


def test_stripes_follow_chunk_and_pins(choose, deliver):
    (config, *_) = choose(pins=TierPins(layout=LayoutPins(data_units=4), options={"stripe_targets": 1}))
    given = deliver(config)
    assert (config.layout.data_units, given.parts["stripe_targets"]) == (4, 1)
    assert given.parts["rdma_buffers"] == 129
