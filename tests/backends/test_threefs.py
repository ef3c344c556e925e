"""3FS against its own tools, its published cluster and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _threefs, threefs
from tierplan.domain.stack import LayoutPins, Site, Survive, TierPins
from tierplan.domain.tiers import NEVER, Layout, TierPlan
from tierplan.layout import chains
from tierplan.layout.rebuild import spare_rebuild
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

SITE = Site(kind="on-prem", racks=8)


@pytest.fixture
def node(facts_of):
    return facts_of("3fs").nodes["nvme-16x15.36"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return threefs.BACKEND.deliver(config, need or make_need(), facts_of("3fs"))

    return run


@pytest.fixture
def cluster(node, make_config):
    def make(nodes, replicas=3, *, layout=None, **changes):
        own = {
            key: changes.pop(key)
            for key in ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")
            if key in changes
        }
        layout = layout or Layout(kind="replicas", replicas=replicas)
        return make_config("3fs", replace(node, **own), nodes=nodes, layout=layout, **{"racks": 8, **changes})

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(threefs_case, cluster, deliver, node, make_need):
    """The product's placement tool, its configuration files, its published cluster, the operator's table."""

    def find_params(**inputs):
        found = chains.sharing_targets(**inputs)
        groups = {name: inputs[name] for name in ("nodes", "replicas")}
        return None if found is None else [found, chains.groups_of(**groups, targets=found)]

    def of_drives(*, nodes, drives, size_bytes, replicas):
        return deliver(cluster(nodes, replicas, drives=drives, drive=replace(node.drive, size=Size(size_bytes))))

    def usable_tb(*, drive_tb, **inputs):
        return of_drives(size_bytes=drive_tb * 1e12, **inputs).usable.bytes / 1e12

    def nodes_for(*, usable_pib, read_tib_s):
        need = make_need(capacity=Size(usable_pib * 2**50), read=Bandwidth(read_tib_s * 2**40), max_fill=1.0)
        given = deliver(cluster(30, 2), need)
        return {name: given.counts[name] for name in ("capacity", "read")}

    def counts(*, nodes, drives, targets_per_disk, replicas):
        words = {"targets_per_disk": targets_per_disk}
        parts = deliver(cluster(nodes, replicas, drives=drives, options=words)).parts
        return [parts["chains"], parts["targets"]]

    def read_tib_s(*, nodes):
        need = make_need()
        need = replace(need, clients=replace(need.clients, gpu_nodes=10_000))
        return deliver(cluster(nodes, options={"client": "usrbio"}), need).healthy.read.base / 2**40

    formulas = {
        "find_params": find_params,
        "target_id": chains.target_id,
        "chain_id": chains.chain_id,
        "counts": counts,
        "usable_tib": lambda drive_tib, **inputs: (
            of_drives(size_bytes=drive_tib * 2**40, **inputs).usable.bytes / 2**40
        ),
        "usable_tb": usable_tb,
        "unmarked_tb": lambda **inputs: usable_tb(**inputs) / 0.96,
        "fdb_gib_per_node": lambda data_tib, copies, nodes: (
            _threefs.database_node_space(
                data=Size(data_tib * 2**40), copies=copies, nodes=nodes, metadata_fraction=4.8 / 1024
            ).bytes
            / 2**30
        ),
        "read_tib_s": read_tib_s,
        "nodes_for": nodes_for,
        "rebuild_h": lambda drive_tb, fill, gb_s: (
            spare_rebuild(lost=Size(drive_tb * fill * 1e12), spare_write=Bandwidth(gb_s * 1e9)).s / 3600
        ),
    }
    got, tolerance = formulas[threefs_case["of"]](**threefs_case["inputs"]), threefs_case["tolerance"]
    expected = threefs_case["expected"]
    assert got == (pytest.approx(expected, rel=tolerance) if isinstance(expected, float) else expected)


# --- what it gives --------------------------------------------------------------------------------------------


def test_waterfall_names_copies_and_mark(cluster, deliver):
    steps = deliver(cluster(6)).waterfall
    assert [step.name for step in steps] == ["3 replicas", "low-space mark"]
    assert [step.fraction for step in steps] == pytest.approx([1 / 3, 0.96])


@pytest.mark.parametrize("replicas", [2, 3])
def test_a_write_enters_as_many_nodes_as_there_are_copies(cluster, deliver, replicas):
    rates = deliver(cluster(10, replicas, options={"client": "usrbio"})).healthy
    assert rates.write.base == pytest.approx(10 * 50e9 * 0.5 / replicas)
    assert rates.read.base == pytest.approx(10 * 50e9 * 0.8)
    assert rates.read_high > rates.read
    assert (rates.read_limited_by, rates.write_limited_by) == ("node ports", "node ports")


def test_slow_drives_limit_and_copies_count_on_them(cluster, deliver, node):
    slow = replace(node.drive, read=bandwidth("1 GB/s"), write=bandwidth("0.5 GB/s"))
    rates = deliver(cluster(10, drive=slow, options={"client": "usrbio"})).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("media", "media")
    assert rates.read.base == pytest.approx(10 * 16e9)
    assert rates.write.base == pytest.approx(10 * 8e9 / 3)


def test_clients_take_what_their_interface_lets_through(cluster, deliver, make_need):
    fuse, native = (deliver(cluster(100, options={"client": name})).healthy for name in ("fuse", "usrbio"))
    assert (fuse.client.base, fuse.read_limited_by) == (pytest.approx(400_000 * 4096), "clients")
    assert native.client.base == pytest.approx(50e9 * 0.8)
    assert deliver(cluster(100)).healthy == fuse
    need = make_need()
    fast = replace(need, clients=replace(need.clients, port_rate=bandwidth("800 Gbit/s")))
    assert deliver(cluster(100, options={"client": "usrbio"}), fast).healthy.client.base == 40 * 2**30


def test_metadata_database_grows_with_data_and_with_files(cluster, deliver, make_need):
    small, large = deliver(cluster(6)), deliver(cluster(200))
    assert (small.parts["fdb_nodes"], small.parts["fdb_copies"]) == (5, 3)
    assert deliver(cluster(6, 2)).parts["fdb_nodes"] == 3
    assert large.parts["fdb_nodes"] > 5
    assert large.parts["fdb_gib_per_node"] * 2**30 <= 30.72e12 * 0.8 + 2**30
    busy = deliver(cluster(6), make_need(op_rate=op_rate("200 kops/s")))
    assert busy.parts["fdb_nodes"] == 30  # 4 processes x 20,000 writes / (4 keys x 3 copies)
    assert busy.healthy.op_rate >= OpRate(200e3)
    assert busy.counts["metadata"] == 0


def test_pinned_database_that_is_too_slow_is_said(cluster, deliver, make_need):
    given = deliver(cluster(6, options={"fdb_nodes": 5}), make_need(op_rate=op_rate("200 kops/s")))
    assert given.counts["metadata"] == NEVER
    assert any("no number of these nodes meets: metadata" in note for note in given.notes)


def test_lost_nodes_reads_fall_on_those_that_share_its_chains(cluster, deliver, make_need):
    """Six targets a drive and three copies: twelve peers, each takes a twelfth."""
    need = make_need()
    need = replace(need, clients=replace(need.clients, gpu_nodes=100_000))
    given = deliver(cluster(180, options={"client": "usrbio"}), need)
    assert (given.parts["targets_per_disk"], given.parts["peers"]) == (6, 12)
    assert given.degraded[0].read.base == pytest.approx(given.healthy.read.base / (1 + 1 / 12))
    even = deliver(cluster(7, options={"targets_per_disk": 3, "client": "usrbio"}), need)
    assert even.degraded[0].read.base == pytest.approx(even.healthy.read.base * 6 / 7)


def test_degraded_reads_count_the_busiest_peer(cluster, deliver, make_need):
    need = make_need(degraded_read=bandwidth("7200 GB/s"), survive=Survive(nodes=1))
    assert deliver(cluster(180), need).counts["degraded"] == 195  # 180 x (1 + 1/12), not 181


def test_copies_bear_one_node_less_than_they_are(cluster, deliver, make_need):
    for replicas in (2, 3):
        states = [deliver(cluster(8, replicas), make_need(survive=Survive(nodes=lost))).degraded[-1] for lost in (2, 3)]
        assert [state.data_lost for state in states] == [replicas == 2, True]


def test_first_day_names_how_the_chain_table_grows(cluster, deliver):
    lines = deliver(cluster(6, 2)).cannot_change_later
    assert any("chains of their own, 2 nodes at a time" in line for line in lines)
    assert any("SHUFFLE_METHOD" in line for line in lines)


# --- what is illegal ------------------------------------------------------------------------------------------


def test_good_cluster_has_nothing_against_it(cluster, deliver, demo_need):
    assert deliver(cluster(8), demo_need).illegal == ()
    assert deliver(cluster(3, 2), demo_need).illegal == ()


def test_tcp_is_refused_with_figures(cluster, deliver, make_need):
    need = make_need()
    need = replace(need, clients=replace(need.clients, transport="tcp"))
    (fault,) = deliver(cluster(6), need).illegal
    assert (fault.policy, fault.required, fault.planned) == ("hot-node", 1, 0)
    assert "0 of 2 storage ports a GPU node (25 GB/s each, TCP)" in fault.message
    roce = replace(need, clients=replace(need.clients, transport="roce"))
    assert deliver(cluster(6), roce).illegal == ()


@pytest.mark.parametrize(
    ("nodes", "replicas", "expected"),
    [
        (3, 2, []),
        (2, 2, ["hot-layout", "advice-narrow-layout"]),
        (4, 3, []),
        (3, 3, ["advice-narrow-layout"]),
        (3, 4, ["hot-layout"]),
        (6, 1, ["hot-layout"]),
        (6, 0, ["hot-layout"]),
        (1000, 2, []),
        (1001, 3, ["advice-narrow-layout"]),
    ],
)
def test_layout_rules_at_their_boundaries(cluster, deliver, nodes, replicas, expected):
    assert policies(deliver(cluster(nodes, replicas, drives=4))) == expected


@pytest.mark.parametrize(
    "layout",
    [
        Layout(kind="erasure-code", data_units=4, parity_units=2),
        Layout(kind="replicas", replicas=3, failure_domain="rack"),
        Layout(kind="replicas", replicas=3, failure_domain="drive"),
        Layout(kind="replicas", replicas=3, hot_spares=1),
    ],
    ids=str,
)
def test_layouts_that_are_no_chains(cluster, deliver, layout):
    assert policies(deliver(cluster(12, layout=layout))) == ["hot-layout"]


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"targets_per_disk": 7}, "write targets_per_disk: 9"),
        ({"targets_per_disk": 0}, "write targets_per_disk: 1"),
        ({"targets_per_disk": 100}, "write targets_per_disk: 99"),
        ({"targets_per_disk": 3, "stripe": 200}, "write stripe: 16"),
        ({"stripe": 0}, "write stripe: 16"),
        ({"chunk_size": "3 MiB"}, 'write chunk_size: "2 MiB"'),
        ({"chunk_size": 4}, "write chunk_size as a size"),
        ({"client": "nfs"}, "write client: fuse"),
        ({"fdb_copies": 1}, "write fdb_copies: 2"),
        ({"fdb_nodes": 4}, "write fdb_nodes: 5"),
        ({"first_node": 999_995}, "write first_node: 10001"),
        ({"chain_prefix": 100}, "write chain_prefix: 9"),
        ({"target_per_disk": 6}, "did you mean targets_per_disk?"),
    ],
    ids=str,
)
def test_words_out_of_range_name_the_next_that_is_allowed(cluster, deliver, options, remedy):
    (fault,) = deliver(cluster(10, options=options)).illegal
    assert fault.policy == "hot-layout"
    assert remedy in fault.remedy


@pytest.mark.parametrize(
    "change",
    [{"memory": size("15 GiB")}, {"cores": 15}, {"drives": 0}, {"ports": 0}, {"medium": "hdd"}],
    ids=lambda one: next(iter(one)),
)
def test_node_without_what_it_takes(cluster, deliver, change):
    assert policies(deliver(cluster(12, options={"stripe": 1}, **change))) == ["hot-node"]


def test_more_metadata_than_its_database_was_tested_with_is_advice(cluster, deliver, make_need):
    given = deliver(cluster(6), make_need(op_rate=op_rate("1 Mops/s")))
    assert policies(given) == ["advice-node"]


# --- what it tries --------------------------------------------------------------------------------------------


def test_two_and_three_copies_are_tried(demo_need, facts_of):
    configs = list(threefs.BACKEND.choices(demo_need, TierPins(), SITE, facts_of("3fs")))
    assert {config.layout.replicas for config in configs} == {2, 3}
    assert all(config.nodes > config.layout.replicas for config in configs)


def test_pinned_copies_are_tried_alone(demo_need, facts_of):
    pins = TierPins(layout=LayoutPins(replicas=3))
    configs = list(threefs.BACKEND.choices(demo_need, pins, SITE, facts_of("3fs")))
    assert [config.layout.replicas for config in configs] == [3] * len(facts_of("3fs").nodes)


# --- templates ------------------------------------------------------------------------------------------------


def test_template_context_holds_the_whole_chain_table(cluster, deliver, demo_need):
    config = cluster(5, options={"targets_per_disk": 6})
    context = threefs.BACKEND.template_context(
        TierPlan(need=demo_need, config=config, delivered=deliver(config, demo_need)), {}
    )
    rows = context["chains"]
    assert (len(rows), context["targets"], context["even"]) == (160, 480, True)
    targets = [target["id"] for row in rows for target in row["targets"]]
    assert len(set(targets)) == 480
    assert (min(targets), max(targets)) == (101000100101, 101000501606)
    assert (rows[0]["id"], rows[-1]["id"]) == (900100001, 901600010)
    heads = [row["targets"][0]["node"] for row in rows]
    assert max(map(heads.count, set(heads))) <= 1.5 * len(rows) / 5


def test_nodes_that_are_added_get_numbers_and_chains_of_their_own(cluster, deliver, demo_need):
    words = {"targets_per_disk": 6}
    first, later = (
        threefs.BACKEND.template_context(
            TierPlan(need=demo_need, config=config, delivered=deliver(config, demo_need)), {}
        )
        for config in (
            cluster(5, options=words),
            cluster(5, options={**words, "first_node": 10006, "chain_prefix": 10}),
        )
    )
    assert (first["next_node"], first["next_prefix"]) == (10006, 10)
    for ids in ({row["id"] for row in one["chains"]} for one in (first, later)):
        assert len(ids) == 160
    targets = [target["id"] for one in (first, later) for row in one["chains"] for target in row["targets"]]
    assert len(set(targets)) == 960
    assert not {row["id"] for row in first["chains"]} & {row["id"] for row in later["chains"]}
