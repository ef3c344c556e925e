"""NFS: RAID, pairs and mounts against published figures, and each rule at its boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import nfs
from tierplan.domain.stack import LayoutPins, NodePins, Quote, Site, Survive, TierPins
from tierplan.domain.tiers import NEVER, TierPlan
from tierplan.units import Bandwidth, Size, bandwidth, size

SITE = Site(kind="on-prem", racks=8)
OFFER = Quote(read=bandwidth("40 GB/s"), write=bandwidth("15 GB/s"), usable=size("200 TB"), source="offer 4711")


@pytest.fixture
def node(facts_of):
    return facts_of("nfs").nodes["nvme-12x7.68"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return nfs.BACKEND.deliver(config, need or make_need(), facts_of("nfs"))

    return run


@pytest.fixture
def servers(node, make_config, stripe):
    """Servers with RAID groups; pairs where the failure domain is the node."""

    def make(count, data=9, parity=2, *, spares=1, domain="node", **changes):
        names = ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")
        own = {key: changes.pop(key) for key in names if key in changes}
        layout = stripe(data, parity, spares=spares, failure_domain=domain)
        return make_config("nfs", replace(node, **own), nodes=count, layout=layout, racks=8, **changes)

    return make


@pytest.fixture
def clients(make_need):
    def make(*, ports=2, gbit_s=200, transport="infiniband", gpu_nodes=128):
        need = make_need()
        rate = Bandwidth(gbit_s * 1e9 / 8)
        mine = replace(need.clients, ports=ports, port_rate=rate, transport=transport, gpu_nodes=gpu_nodes)
        return replace(need, clients=mine)

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(nfs_case, servers, deliver, clients, node, facts_of):  # noqa: PLR0917  # fixtures
    """Published volumes, controllers, manual pages; RAID worked by hand."""

    def rates(*, servers_, ports, gbit_s):
        return deliver(servers(servers_, ports=ports, port_rate=Bandwidth(gbit_s * 1e9 / 8), domain="drive")).healthy

    def usable_tb(*, servers_, drives, drive_tb, data, parity, spares):
        drive = replace(node.drive, size=Size(drive_tb * 1e12))
        return deliver(servers(servers_, data, parity, spares=spares, drives=drives, drive=drive)).usable.bytes / 1e12

    def mount_gb_s(*, gbit_s, transport):
        need, used = clients(gbit_s=gbit_s, transport=transport), nfs.Relied(facts_of("nfs"))
        return nfs.client_mount(servers(2), need, used).bandwidth.base / 1e9

    formulas = {
        "read_mib_s": lambda **inputs: rates(**inputs).read.base / 2**20,
        "write_mib_s": lambda **inputs: rates(**inputs).write.base / 2**20,
        "read_high_gb_s": lambda **inputs: rates(**inputs).read_high.base / 1e9,
        "nconnect": lambda gbit_s: deliver(servers(2), clients(gbit_s=gbit_s, transport="tcp")).parts["nconnect"],
        "mount_gb_s": mount_gb_s,
        "usable_tb": usable_tb,
    }
    inputs = {("servers_" if key == "servers" else key): value for key, value in nfs_case["inputs"].items()}
    got = formulas[nfs_case["of"]](**inputs)
    assert got == pytest.approx(nfs_case["expected"], rel=nfs_case["tolerance"], abs=0)


# --- what it gives --------------------------------------------------------------------------------------------


def test_waterfall_names_each_step_once(servers, deliver):
    steps = deliver(servers(2, 8, 2, spares=1)).waterfall
    assert [step.name for step in steps] == [
        "hot spare (1 of 12 drives)",
        "whole RAID groups (10 of 11 drives)",
        "code 8+2",
        "file system",
    ]
    assert [step.fraction for step in steps] == pytest.approx([11 / 12, 10 / 11, 0.8, 0.9])


def test_without_an_offer_a_server_gives_what_was_measured(servers, deliver):
    rates = deliver(servers(2)).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("protocol", "protocol")
    assert rates.read_high.base == pytest.approx(2 * 7.35e9)
    assert rates.write_high is None


def test_with_an_offer_ports_and_offer_count(servers, deliver):
    """Two ports of 100 Gbit/s at 0.8 make 20 GB/s a controller: less than a high offer, more than a low one."""
    low = deliver(servers(4, quote=OFFER)).healthy
    high = deliver(servers(4, quote=replace(OFFER, read=bandwidth("900 GB/s")))).healthy
    assert (low.read.base, low.read_limited_by) == (pytest.approx(40e9), "quote")
    assert (high.read.base, high.read_limited_by) == (pytest.approx(80e9), "node ports")


def test_offered_capacity_counts_where_it_is_less(servers, deliver):
    assert deliver(servers(4, quote=OFFER)).usable.base == pytest.approx(200e12)


def test_drives_limit_writes_by_the_parity_share(servers, deliver, node):
    slow = replace(node.drive, write=bandwidth("50 MB/s"))
    rates = deliver(servers(2, drive=slow)).healthy
    assert rates.write_limited_by == "media"
    assert rates.write.base == pytest.approx(2 * 11 * 50e6 * 9 / 11)


def test_one_mount_ends_at_one_port_of_one_server(servers, deliver, clients):
    assert deliver(servers(2), clients()).healthy.client.base == pytest.approx(1600 * 2**20)
    offered = deliver(servers(2, quote=OFFER, ports=4), clients()).healthy.client
    assert offered.base == pytest.approx(25e9 * 0.8)  # one of the client's two ports


def test_pair_takes_over_and_no_second_server_may_be_lost(servers, deliver, make_need):
    states = deliver(servers(4), make_need(survive=Survive(nodes=2))).degraded
    assert [(one.nodes, one.racks, one.data_lost) for one in states] == [(1, 0, False), (0, 1, True), (2, 0, True)]
    assert states[0].read.base == pytest.approx(3 * 4500 * 2**20)


def test_rack_takes_the_pair_with_it_even_where_one_server_stands_in_each(servers, deliver):
    """Eight racks and two servers: the generic arithmetic would see one lost node; the drives are in one place."""
    rack = deliver(servers(2)).degraded[1]
    assert (rack.racks, rack.data_lost, rack.read, rack.write) == (1, True, Bandwidth.zero(), Bandwidth.zero())


def test_server_alone_takes_its_part_and_leaves_the_rest(servers, deliver):
    state = deliver(servers(3, domain="drive")).degraded[0]
    assert state.data_lost
    assert state.read.base == pytest.approx(2 * 4500 * 2**20)


def test_odd_count_is_raised_to_pairs(servers, deliver, make_need):
    given = deliver(servers(6), make_need(read=bandwidth("23 GB/s")))
    assert (given.counts["read"], given.counts["pair"], given.bound_by) == (5, 6, "pair")
    even = deliver(servers(4), make_need(read=bandwidth("18 GB/s")))
    assert (even.counts["read"], even.counts["pair"], even.bound_by) == (4, 4, "read")


def test_spread_over_file_systems_is_said(servers, deliver):
    assert any("4 servers are 4 file systems" in note for note in deliver(servers(4)).notes)


def test_servers_threads_follow_cores(servers, deliver):
    assert deliver(servers(2)).parts["threads"] == 128
    assert deliver(servers(2, cores=8)).parts["threads"] == 64
    assert deliver(servers(2, options={"threads": 16})).parts["threads"] == 16


# --- what is illegal ------------------------------------------------------------------------------------------


def test_good_pair_has_nothing_against_it(servers, deliver, make_need):
    assert deliver(servers(2), make_need(read=bandwidth("2 GB/s"))).illegal == ()


@pytest.mark.parametrize(
    ("count", "code", "changes", "expected"),
    [
        (1, (9, 2), {}, ["hot-layout", "hot-layout"]),
        (1, (9, 2), {"domain": "drive"}, []),
        (3, (9, 2), {}, ["hot-layout"]),
        (3, (9, 2), {"domain": "drive"}, []),
        (2, (9, 2), {"domain": "rack"}, ["hot-layout"]),
        (2, (10, 2), {}, ["hot-layout"]),
        (2, (9, 3), {"spares": 0}, ["advice-narrow-layout"]),
        (2, (10, 1), {}, ["advice-narrow-layout"]),
        (2, (9, 0), {}, ["hot-layout"]),
        (2, (26, 2), {"drives": 29}, []),
        (2, (27, 2), {"drives": 30}, ["advice-narrow-layout"]),
        (24, (9, 2), {}, []),
        (26, (9, 2), {}, ["advice-narrow-layout"]),
        (2, (9, 2), {"medium": "hdd"}, ["hot-node"]),
        (2, (9, 2), {"ports": 0}, ["hot-node"]),
    ],
)
def test_rules_at_their_boundaries(servers, deliver, *, count, code, changes, expected):
    assert policies(deliver(servers(count, *code, **changes))) == expected


def test_odd_count_says_the_next_legal_one(servers, deliver):
    fault = deliver(servers(3)).illegal[0]
    assert (fault.required, fault.planned) == (4, 3)
    assert fault.remedy == "use 4 servers, or failure_domain: drive"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exports": "/x"}, "did you mean export?"),
        ({"version": "4"}, 'version: "4.2"'),
        ({"nconnect": 17}, "nconnect: 16"),
        ({"nconnect": 0}, "nconnect: 1"),
        ({"threads": 0}, "leave out threads"),
        ({"export": "/srv/hot(rw)"}, "export: /srv/hot"),
        ({"export": "srv"}, "export: /srv/hot"),
    ],
)
def test_options_that_nfs_does_not_know(servers, deliver, options, words):
    faults = deliver(servers(2, options=options)).illegal
    assert [fault.policy for fault in faults] == ["hot-layout"]
    assert words in faults[0].remedy


def test_group_wider_than_the_server_gives_nothing(servers, deliver, make_need):
    given = deliver(servers(2, 20, 2), make_need(capacity=size("1 TB"), read=bandwidth("1 GB/s")))
    assert given.usable == Size.zero()
    assert (given.counts["capacity"], given.counts["read"]) == (NEVER, NEVER)


# --- what it tries --------------------------------------------------------------------------------------------


def choices(need, facts_of, **pins):
    return list(nfs.BACKEND.choices(need, TierPins(**pins), SITE, facts_of("nfs")))


def test_smallest_is_a_pair(make_need, facts_of):
    configs = choices(make_need(), facts_of)
    assert [(one.nodes, str(one.layout), one.layout.failure_domain) for one in configs] == [
        (2, "9+2", "node"),
        (2, "21+2", "node"),
    ]


def test_single_server_where_none_need_survive(make_need, facts_of):
    config = choices(make_need(survive=Survive(nodes=0)), facts_of)[0]
    assert (config.nodes, config.layout.failure_domain) == (1, "drive")


def test_many_drives_make_several_groups(make_need, facts_of):
    config = choices(make_need(), facts_of, node=NodePins(drives=60))[0]
    assert (str(config.layout), nfs.layout_groups(config)) == ("17+2", 3)


def test_counts_are_even_for_pairs(make_need, facts_of):
    for gigabytes in (1, 5, 10, 15, 20, 50):
        config = choices(make_need(read=Bandwidth(gigabytes * 1e9)), facts_of)[0]
        assert config.nodes % 2 == 0


def test_pinned_group_is_kept(make_need, facts_of):
    config = choices(make_need(), facts_of, layout=LayoutPins(data_units=4, parity_units=2, failure_domain="drive"))[0]
    assert (str(config.layout), config.layout.failure_domain, config.nodes) == ("4+2", "drive", 1)


def test_template_context_says_who_sets_it_up(servers, deliver, make_need):
    for quote, appliance in ((None, False), (OFFER, True)):
        config = servers(2, quote=quote, options={"export": "/data", "version": "3"})
        plan = TierPlan(need=make_need(), config=config, delivered=deliver(config))
        context = nfs.BACKEND.template_context(plan, {})
        assert (context["appliance"], context["export"], context["version"]) == (appliance, "/data", "3")
        assert context["server_gib"] == int(plan.delivered.planned.bytes / 2 / 2**30)
