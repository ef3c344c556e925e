"""VAST: its capacity rules, the offer that alone gives bandwidth, and each refusal at its boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _vast, vast
from tierplan.domain.stack import LayoutPins, NodePins, Quote, Site, Survive, TierPins
from tierplan.domain.tiers import NEVER, TierPlan
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import judge_tier
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

SITE = Site(kind="on-prem", racks=8)
OFFER = Quote(read=bandwidth("400 GB/s"), write=bandwidth("150 GB/s"), usable=size("5 PB"), source="offer 4711")


@pytest.fixture
def node(facts_of):
    return facts_of("vast").nodes["ebox-10x15.36"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return vast.BACKEND.deliver(config, need or make_need(), facts_of("vast"))

    return run


@pytest.fixture
def cluster(node, make_config, stripe):
    """Boxes with an offer; by default over boxes, as wide as they hold."""

    def make(boxes, data=None, *, parity=4, domain="node", spares=0, quote=OFFER, **changes):
        names = ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")
        own = {key: changes.pop(key) for key in names if key in changes}
        layout = stripe(2 * boxes - 4 if data is None else data, parity, spares=spares, failure_domain=domain)
        return make_config("vast", replace(node, **own), nodes=boxes, layout=layout, quote=quote, racks=8, **changes)

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


def test_golden_figure(vast_case, cluster, deliver, clients, node):
    """The vendor's published rules for stripes, capacity and connections."""

    def usable_tb(*, boxes, drives, drive_tb, extra):
        drive = replace(node.drive, size=Size(drive_tb * 1e12))
        config = cluster(
            boxes, 80, domain="drive", drives=drives, drive=drive, quote=replace(OFFER, usable=Size(1e18)),
            options={"box": "dbox", "extra_reserve": extra},
        )  # fmt: skip
        return deliver(config).usable.bytes / 1e12

    def nconnect(*, gbit_s, transport, vendor_client):
        config = cluster(11, options={"vendor_client": vendor_client})
        return deliver(config, clients(ports=1, gbit_s=gbit_s, transport=transport)).parts["nconnect"]

    formulas = {
        "data_strips": lambda drives: _vast.data_strips(drives, most_strips=146, parity_strips=4, kept_out=4),
        "box_data_strips": lambda boxes: _vast.box_data_strips(boxes, strips_per_box=2, parity_strips=4),
        "overhead": _vast.overhead,
        "usable_tb": usable_tb,
        "nconnect": nconnect,
    }
    got = formulas[vast_case["of"]](**vast_case["inputs"])
    assert got == pytest.approx(vast_case["expected"], rel=vast_case["tolerance"], abs=0)


# --- what it gives --------------------------------------------------------------------------------------------


def test_without_an_offer_nothing_is_promised(cluster, deliver, demo_need):
    given = deliver(cluster(11, quote=None), demo_need)
    assert (given.healthy.read, given.healthy.write) == (Bandwidth.zero(), Bandwidth.zero())
    assert given.healthy.read_limited_by == "quote"
    assert given.counts["read"] == NEVER
    assert policies(given) == ["hot-node"]
    assert "needs quote" in given.illegal[0].message
    assert "tiers.hot.quote" in given.illegal[0].remedy


def test_search_rejects_with_needs_quote(cluster, deliver, demo_need):
    config = cluster(11, quote=None)
    findings = judge_tier(TierCase(need=demo_need, config=config, delivered=deliver(config, demo_need)))
    assert any("needs quote" in finding.message and finding.level == "mandatory" for finding in findings)


def test_offer_is_planned_where_ports_allow_it(cluster, deliver):
    given = deliver(cluster(30))
    assert (given.healthy.read.base, given.healthy.read_limited_by) == (pytest.approx(400e9), "quote")
    assert given.healthy.write.base == pytest.approx(150e9)


def test_ports_count_where_the_offer_promises_more(cluster, deliver):
    """EBox reads leave the drives' box and then the client's: half of 0.8 of 2 x 25 GB/s, eleven times."""
    rates = deliver(cluster(11)).healthy
    assert rates.read_limited_by == "node ports"
    assert rates.read.base == pytest.approx(11 * 50e9 * 0.8 / 2)


def test_writes_cross_the_ports_more_than_four_times(cluster, deliver):
    """From the client, into the N+2 buffer, out of it again, into the stripe."""
    few = deliver(cluster(11, quote=replace(OFFER, write=bandwidth("9000 GB/s")), drives=200)).healthy
    assert few.write_limited_by == "node ports"
    assert few.write.base == pytest.approx(11 * 50e9 * 0.8 / (2 + 8 / 6 + 22 / 18))


def test_drives_limit_writes_by_the_parity_share(cluster, deliver, node):
    slow = replace(node.drive, write=bandwidth("0.1 GB/s"))
    rates = deliver(cluster(11, drive=slow)).healthy
    assert rates.write_limited_by == "media"
    assert rates.write.base == pytest.approx(11 * 10 * 0.1e9 * 18 / 22)


def test_offered_capacity_counts_where_it_is_less(cluster, deliver):
    assert deliver(cluster(11, quote=replace(OFFER, usable=size("1 PB")))).usable.base == pytest.approx(1e15)


def test_waterfall_names_each_step_once(cluster, deliver):
    steps = deliver(cluster(11, options={"extra_reserve": 0.05})).waterfall
    assert [step.name for step in steps] == ["kept at start", "code 18+4", "extra reserve"]
    assert [step.fraction for step in steps] == pytest.approx([0.92, 18 / 22, 0.95])


def test_one_box_may_be_lost_and_no_second(cluster, deliver, make_need):
    states = deliver(cluster(22), make_need(survive=Survive(nodes=2))).degraded
    assert [(one.nodes, one.racks, one.data_lost) for one in states] == [(1, 0, False), (0, 1, True), (2, 0, True)]
    assert states[0].read.base == pytest.approx(deliver(cluster(22)).healthy.read.base * 21 / 22)


def test_stripe_over_drives_bears_no_box(cluster, deliver):
    state = deliver(cluster(4, 80, domain="drive", drives=22, options={"box": "dbox"})).degraded[0]
    assert state.data_lost


def test_offered_op_rate_is_for_the_whole_system(cluster, deliver, make_need):
    need = make_need(op_rate=op_rate("600000 ops/s"))
    given = deliver(cluster(11, options={"op_rate": "600000 ops/s"}), need)
    assert given.healthy.op_rate == OpRate(6e5)
    assert given.counts["metadata"] == 0
    short = deliver(cluster(11, options={"op_rate": "500000 ops/s"}), need)
    assert short.counts["metadata"] == NEVER


def test_vendors_client_uses_all_ports_and_the_kernels_one(cluster, deliver, clients):
    own = deliver(cluster(11), clients()).healthy.client
    kernel = deliver(cluster(11, options={"vendor_client": False}), clients()).healthy.client
    assert own.base == pytest.approx(2 * 25e9 * 0.8)
    assert kernel.base == pytest.approx(25e9 * 0.8)


def test_tcp_ends_at_its_connections(cluster, deliver, clients):
    given = deliver(cluster(11, options={"nconnect": 4}), clients(transport="tcp"))
    assert given.healthy.client.base == pytest.approx(4e9)


def test_few_clients_limit(cluster, deliver, clients):
    rates = deliver(cluster(11), clients(gpu_nodes=2)).healthy
    assert (rates.read_limited_by, rates.read.base) == ("clients", pytest.approx(80e9))


def test_box_kind_and_box_level_ha_never_change(cluster, deliver):
    lines = deliver(cluster(11)).cannot_change_later
    assert any("box-level HA" in line for line in lines)
    assert any("box kind ebox" in line for line in lines)


# --- what is illegal ------------------------------------------------------------------------------------------


def test_good_cluster_has_nothing_against_it(cluster, deliver, demo_need):
    assert deliver(cluster(11), demo_need).illegal == ()


@pytest.mark.parametrize(
    ("boxes", "data", "changes", "expected"),
    [
        (11, 18, {}, []),
        (10, 16, {}, ["hot-layout"]),
        (11, 19, {}, ["hot-layout"]),
        (75, 146, {}, []),
        (80, 147, {}, ["hot-layout"]),
        (11, 8, {}, []),
        (11, 7, {}, ["hot-layout"]),
        (11, 18, {"parity": 2}, ["hot-layout"]),
        (11, 18, {"spares": 1}, ["hot-layout"]),
        (11, 18, {"domain": "drive"}, ["hot-layout"]),
        (11, 18, {"domain": "rack"}, ["hot-layout"]),
        (11, 18, {"domain": "drive", "options": {"box": "dbox"}}, []),
        (4, 80, {"domain": "drive", "drives": 22, "options": {"box": "dbox"}}, []),
        (4, 81, {"domain": "drive", "drives": 22, "options": {"box": "dbox"}}, ["hot-layout"]),
        (11, 18, {"drives": 0}, ["hot-layout", "hot-node"]),
        (11, 18, {"ports": 0}, ["hot-node"]),
        (11, 18, {"medium": "hdd"}, ["hot-node"]),
        (11, 18, {"quote": None}, ["hot-node"]),
    ],
)
def test_rules_at_their_boundaries(cluster, deliver, *, boxes, data, changes, expected):
    assert policies(deliver(cluster(boxes, data, **changes))) == expected


def test_too_wide_a_stripe_says_what_would_do(cluster, deliver):
    fault = deliver(cluster(11, 19)).illegal[0]
    assert fault.message == "vast: 11 boxes with 2 strips each cannot hold a 19+4 stripe (needs 23)"
    assert fault.remedy == "add boxes or narrow the stripe to data_units: 18"
    assert (fault.required, fault.planned) == (23, 22)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"boxes": "ebox"}, "did you mean box?"),
        ({"box": "cbox"}, "box: ebox"),
        ({"extra_reserve": 1.0}, "extra_reserve: 0.05"),
        ({"nconnect": 65}, "nconnect: 64"),
        ({"nconnect": 17, "vendor_client": False}, "vendor_client: true"),
        ({"vip_pool_name": "a", "vip_pool_fqdn": "a.example"}, "leave one of them out"),
        ({"op_rate": "fast"}, "op_rate"),
        ({"path": "/a b"}, "path: /hot"),
        ({"path": "/a/../etc"}, "path: /hot"),
        ({"vip_pool_name": "a${b}"}, "vip_pool_name: hot"),
    ],
)
def test_options_that_vast_does_not_know(cluster, deliver, options, words):
    faults = deliver(cluster(11, options=options)).illegal
    assert [fault.policy for fault in faults] == ["hot-layout"]
    assert words in faults[0].remedy


@pytest.mark.parametrize(("nconnect", "own"), [(64, True), (16, False), (1, False)])
def test_connections_at_their_limit(cluster, deliver, nconnect, own):
    assert deliver(cluster(11, options={"nconnect": nconnect, "vendor_client": own})).illegal == ()


# --- what it tries --------------------------------------------------------------------------------------------


def choices(need, facts_of, **pins):
    return list(vast.BACKEND.choices(need, TierPins(**{"quote": OFFER, **pins}), SITE, facts_of("vast")))


def test_each_box_of_the_catalogue_is_tried_as_what_it_is(demo_need, facts_of):
    made = [(config.node.drives, config.options["box"], config.nodes) for config in choices(demo_need, facts_of)]
    assert made == [(10, "ebox", 11), (22, "dbox", 11), (22, "dbox", 11)]


def test_single_boxes_where_none_need_survive(demo_need, facts_of):
    need = replace(demo_need, survive=Survive(nodes=0), degraded_read=Bandwidth.zero(), degraded_write=Bandwidth.zero())
    config = choices(need, facts_of)[-1]
    assert (config.nodes < 11, config.layout.failure_domain) == (True, "drive")
    assert vast.BACKEND.deliver(config, need, facts_of("vast")).illegal == ()


def test_stripe_widens_with_the_boxes(demo_need, facts_of):
    for capacity in ("5 PB", "50 PB"):
        need = replace(demo_need, capacity=size(capacity))
        for config in choices(need, facts_of, quote=replace(OFFER, usable=size("100 PB"))):
            assert config.layout.data_units == min(146, 2 * config.nodes - 4)
            assert vast.BACKEND.deliver(config, need, facts_of("vast")).illegal == ()


def test_pinned_box_alone_is_tried(demo_need, facts_of):
    assert {one.node.drives for one in choices(demo_need, facts_of, options={"box": "dbox"})} == {22}
    both = choices(demo_need, facts_of, node=NodePins(drives=30))
    assert {one.options["box"] for one in both} == {"ebox", "dbox"}


def test_pinned_stripe_drives_the_count(demo_need, facts_of):
    config = choices(demo_need, facts_of, layout=LayoutPins(data_units=36))[0]
    assert config.nodes == 20


def test_template_context_is_in_bytes(cluster, deliver, demo_need):
    config = cluster(11, options={"path": "/train", "vip_pool_name": "pool-1"})
    plan = TierPlan(need=demo_need, config=config, delivered=deliver(config, demo_need))
    context = vast.BACKEND.template_context(plan, {})
    assert context["hard_limit_bytes"] == int(plan.delivered.planned.bytes)
    assert context["soft_limit_bytes"] == int(demo_need.capacity.bytes)
    assert (context["path"], context["pool"], context["transport"]) == ("/train", "pool-1", "rdma")
