"""Ceph RGW against published figures, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations, permutations, product

import pytest

from tierplan.backends import _ceph, ceph_rgw
from tierplan.domain.stack import Drive, LayoutPins, Site, StorageNode, Survive, TierPins
from tierplan.domain.tiers import Layout, TierPlan
from tierplan.layout import erasure, placement
from tierplan.units import Bandwidth, Size, bandwidth, size

SITE = Site(kind="on-prem", racks=8)


@pytest.fixture
def hdd(facts_of):
    return facts_of("ceph-rgw").nodes["hdd-24x20"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return ceph_rgw.BACKEND.deliver(config, need or make_need("cold"), facts_of("ceph-rgw"))

    return run


@pytest.fixture
def cluster(hdd, make_config, stripe):
    def make(hosts, k=4, m=2, *, node=hdd, layout=None, **changes):
        changes = {"tier": "cold", "racks": 8, **changes}
        return make_config("ceph-rgw", node, nodes=hosts, layout=layout or stripe(k, m), **changes)

    return make


def replicas(count, failure_domain="node"):
    return Layout(kind="replicas", replicas=count, failure_domain=failure_domain)


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


def flash(drives=24, drive_tb=3.84, cores=64):
    drive = Drive(size=Size(drive_tb * 1e12), read=bandwidth("6 GB/s"), write=bandwidth("3 GB/s"))
    rate = bandwidth("100 Gbit/s")
    return StorageNode(drives=drives, drive=drive, ports=2, port_rate=rate, cores=cores, memory=size("512 GiB"))


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(ceph_case, cluster, deliver, make_need, stripe):
    """Ceph's documentation and the published clusters."""

    def layout_of(k=4, m=2, replicas=None):
        return stripe(k, m) if replicas is None else Layout(kind="replicas", replicas=replicas)

    def planned_tb(*, hosts, drives, drive_tb, **layout):
        config = cluster(hosts, layout=layout_of(**layout), node=flash(drives, drive_tb))
        return deliver(config, make_need("cold", max_fill=1.0)).planned.bytes / 1e12

    def hosts_for_capacity(*, target_tb, drives, drive_tb, k, m):
        need = make_need("cold", capacity=Size(target_tb * 1e12), max_fill=1.0)
        return deliver(cluster(7, k, m, node=flash(drives, drive_tb)), need).counts["capacity"]

    def factors(*, through_gateway=False, **layout):
        found = _ceph.network_factors(layout_of(**layout), through_gateway=through_gateway)
        return [found.read, found.write]

    def client_gb_s(*, ports, gbit_s, share, k, m):
        found = erasure.network_factors(data_units=k, parity_units=m)
        return [ports * gbit_s / 8 * share / found.read, ports * gbit_s / 8 * share / found.write]

    formulas = {
        "placement_groups": placement.placement_groups,
        "planned_tb": planned_tb,
        "hosts_for_capacity": hosts_for_capacity,
        "network_factors": factors,
        "gateway_network_factors": lambda **layout: factors(through_gateway=True, **layout),
        "client_gb_s": client_gb_s,
    }
    got = formulas[ceph_case["of"]](**ceph_case["inputs"])
    assert got == pytest.approx(ceph_case["expected"], rel=ceph_case["tolerance"], abs=0)


def test_published_gateway_cluster_is_not_promised_more_than_it_gave(cluster, deliver):
    """10 hosts x 6 NVMe, 1 x 100 GbE, 64 cores, three copies: 53 GB/s GET, 18.6 GB/s PUT (ceph.io, Reef, 2023)."""
    node = replace(flash(drives=6, drive_tb=7.68), ports=1)
    rates = deliver(cluster(10, layout=replicas(3), node=node)).healthy
    assert 0.7 * 53e9 <= rates.read.base <= 53e9 * 1.01
    assert 0.7 * 18.6e9 <= rates.write.base <= 18.6e9 * 1.01
    assert rates.op_rate.base <= 178_000


# --- what it gives --------------------------------------------------------------------------------------------


def test_waterfall_keeps_one_host_free_once(cluster, deliver):
    steps = deliver(cluster(12)).waterfall
    assert [(step.name, round(step.fraction, 4)) for step in steps] == [
        ("free for recovery (1 of 12 nodes)", 0.9167),
        ("code 4+2", 0.6667),
    ]


def test_fill_ends_at_nearfull(cluster, deliver, make_need):
    assert deliver(cluster(12), make_need("cold", max_fill=0.95)).planned_fill_fraction == 0.85


def test_hard_disks_limit_reads_and_cores_nearly_writes(cluster, deliver):
    rates = deliver(cluster(12)).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("media", "media")
    assert rates.read.base == pytest.approx(12 * 24 * 100e6)
    assert rates.write.base == pytest.approx(12 * 24 * 100e6 * 4 / 6)
    assert rates.read_high.base == pytest.approx(12 * 24 * 140e6)


def test_slow_ports_limit_by_the_crossings(cluster, deliver, hdd):
    node = replace(hdd, port_rate=bandwidth("10 Gbit/s"))
    rates = deliver(cluster(12, node=node)).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("node ports", "node ports")
    assert rates.read.base == pytest.approx(12 * 2.5e9 * 0.75 / 2.75)
    assert rates.write.base == pytest.approx(12 * 2.5e9 * 0.55 / 3.25)


def test_small_objects_move_heads(cluster, deliver):
    assert deliver(cluster(12)).healthy.op_rate.base == pytest.approx(12 * 24 * 100 / 6)


def test_second_loss_pauses_before_it_loses_data(cluster, deliver, make_need):
    """4+2: min_size is 5, so a group with 4 units waits for recovery; nothing is lost."""
    two = deliver(cluster(12), make_need("cold", survive=Survive(nodes=2))).degraded[-1]
    three = deliver(cluster(12), make_need("cold", survive=Survive(nodes=3))).degraded[-1]
    assert (two.data_lost, two.read) == (False, Bandwidth.zero())
    assert three.data_lost


def test_rack_domain_bears_a_rack(cluster, deliver, make_need, stripe):
    need = make_need("cold", survive=Survive(nodes=0, racks=1))
    by_node, by_rack = (
        deliver(cluster(24, layout=stripe(4, 2, failure_domain=domain)), need).degraded[-1]
        for domain in ("node", "rack")
    )
    assert (by_node.data_lost, by_rack.data_lost) == (True, False)
    assert by_rack.read.base > 0


def test_notes_say_what_is_kept_free_and_padded(cluster, deliver):
    text = " ".join(deliver(cluster(12)).notes)
    assert "one host's worth is kept free" in text
    assert "a byte read crosses their network 2.75 times, a byte written 3.25 times" in text
    assert "objects below 16 KiB are padded" in text
    assert "padded" not in " ".join(deliver(cluster(12, layout=replicas(3))).notes)


def test_daemons(cluster, deliver):
    parts = deliver(cluster(12)).parts
    assert (parts["osds"], parts["monitors"], parts["managers"]) == (288, 5, 2)
    assert (parts["gateways_per_host"], parts["gateways"], parts["placement_groups"]) == (2, 24, 4096)
    assert deliver(cluster(12, options={"gateways_per_host": 1})).parts["gateways"] == 12


def test_room_for_databases_max_avail_and_object_steps(cluster, deliver):
    """4 % of each disk on flash; MAX AVAIL of the empty pool at the full ratio; a whole stripe for each object."""
    parts = deliver(cluster(12)).parts
    assert parts["block_db_gib"] == 746  # 0.04 x 20 TB
    assert parts["max_avail_bytes"] == pytest.approx(12 * 24 * 20e12 * 0.95 * 4 / 6)
    assert parts["object_step_bytes"] == 16384
    assert deliver(cluster(12, options={"stripe_unit": "16 KiB"})).parts["object_step_bytes"] == 65536
    plain = deliver(cluster(12, layout=replicas(3), node=flash())).parts
    assert plain["object_step_bytes"] == 4096
    assert "block_db_gib" not in plain


def test_monitors_and_managers_outlast_what_must_be_survived(cluster, deliver, make_need):
    parts = deliver(cluster(8), make_need("cold", survive=Survive(nodes=1, racks=1))).parts
    assert (parts["monitors"], parts["managers"]) == (5, 3)


@pytest.mark.parametrize("code", [(2, 1), (2, 2), (4, 2), (4, 3)])
@pytest.mark.parametrize("hosts", range(4, 13))
def test_tolerated_hosts_by_brute_force(hosts, code, cluster, deliver, make_need):
    """Up to 12 hosts of 8 drives: every placement of a stripe on hosts, every loss of hosts, against the claim."""
    k, m = code
    if hosts < k + m:
        return
    stripes = [set(stripe) for stripe in combinations(range(hosts), k + m)]
    for lost in range(1, m + 2):
        taken = max(len(stripe.intersection(gone)) for gone in combinations(range(hosts), lost) for stripe in stripes)
        need = make_need("cold", survive=Survive(nodes=lost))
        given = deliver(cluster(hosts, k, m, node=flash(drives=8)), need)
        state = next(one for one in given.degraded if (one.nodes, one.racks) == (lost, 0))
        assert state.data_lost == (taken > m)
        assert bool(state.read) == (taken < m)


@pytest.mark.parametrize("spread", [(4, 2, 3, 3), (4, 2, 4, 2), (4, 3, 4, 2), (8, 4, 4, 3)])
def test_units_in_few_racks_by_brute_force(spread, cluster, deliver, make_need, stripe):
    """Every stripe of so many units in each of some racks, every loss of hosts and racks, against the claim."""
    k, m, racks, units = spread
    in_rack = 3
    hosts = racks * in_rack
    members = {rack: [host for host in range(hosts) if host % racks == rack] for rack in range(racks)}
    sizes = [min(units, k + m - units * index) for index in range(-(-(k + m) // units))]
    stripes = [
        set(chain.from_iterable(chosen))
        for order in permutations(range(racks), len(sizes))
        for chosen in product(*(combinations(members[rack], size) for rack, size in zip(order, sizes, strict=True)))
    ]
    layout, options = stripe(k, m, failure_domain="rack"), {"units_per_rack": units}
    for loss in (Survive(nodes=1), Survive(nodes=0, racks=1), Survive(nodes=1, racks=1)):
        config = cluster(hosts, layout=layout, options=options, racks=racks)
        given = deliver(config, make_need("cold", survive=loss))
        state = next(one for one in given.degraded if (one.nodes, one.racks) == (loss.nodes, loss.racks))
        worst = max(
            sum(host in stripe_hosts for host in range(hosts) if host % racks in down or host in gone)
            for stripe_hosts in stripes
            for down in combinations(range(racks), loss.racks)
            for gone in combinations(range(hosts), loss.nodes)
        )
        assert state.data_lost == (worst > m), (loss, worst)
        assert bool(state.read) == (worst < m), (loss, worst)


@pytest.mark.parametrize(
    ("spread", "expected"),
    [
        ((12, 4, 2), []),
        ((8, 4, 2), ["advice-narrow-layout"]),
        ((4, 4, 2), ["cold-layout"] * 2),
        ((9, 3, 2), []),
        ((12, 2, 2), ["cold-layout"]),
        ((12, 2, 0), ["cold-layout"] * 2),
    ],
)
def test_few_racks_at_their_boundaries(cluster, deliver, stripe, spread, expected):
    hosts, racks, units = spread
    layout = stripe(4, 2, failure_domain="rack")
    found = deliver(cluster(hosts, layout=layout, racks=racks, options={"units_per_rack": units}))
    assert policies(found) == expected


def test_search_spreads_over_few_racks_where_one_must_be_survived(make_need, facts_of):
    need = make_need("cold", survive=Survive(nodes=0, racks=1))
    found = list(ceph_rgw.BACKEND.choices(need, TierPins(), Site(kind="on-prem", racks=4), facts_of("ceph-rgw")))
    words = [(str(one.layout), one.layout.failure_domain, one.options.get("units_per_rack")) for one in found]
    assert words == [("4+2", "rack", 2), ("4+3", "rack", 2), ("8+3", "rack", 3), ("8+4", "rack", 3)]


@pytest.mark.parametrize(("hosts", "count"), [(1, 1), (2, 1), (3, 3), (9, 3), (10, 5), (100, 5)])
def test_monitors_are_odd(hosts, count):
    assert _ceph.monitors(hosts) == count


# --- what is illegal ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hosts", "code", "expected"),
    [
        (5, (4, 2), ["cold-layout"]),
        (6, (4, 2), ["advice-narrow-layout"]),
        (7, (4, 2), []),
        (10, (8, 3), ["cold-layout"]),
        (12, (8, 3), []),
        (14, (9, 3), ["advice-narrow-layout"]),
        (12, (4, 1), ["advice-narrow-layout"]),
        (12, (1, 2), ["cold-layout"]),
        (12, (4, 0), ["cold-layout"]),
    ],
)
def test_code_rules_at_their_boundaries(cluster, deliver, hosts, code, expected):
    assert policies(deliver(cluster(hosts, *code))) == expected


@pytest.mark.parametrize(
    ("hosts", "copies", "expected"),
    [
        (4, 3, []),
        (3, 3, ["advice-narrow-layout"]),
        (2, 3, ["cold-layout"]),
        (12, 1, ["cold-layout"]),
        (12, 2, ["advice-narrow-layout"]),
    ],
)
def test_copy_rules_at_their_boundaries(cluster, deliver, hosts, copies, expected):
    assert policies(deliver(cluster(hosts, layout=replicas(copies)))) == expected


def test_racks_that_cannot_hold_the_stripe(cluster, deliver, stripe):
    fault = deliver(cluster(24, layout=stripe(4, 2, failure_domain="rack"), racks=5)).illegal[0]
    assert (fault.policy, fault.required, fault.planned) == ("cold-layout", 6, 5)
    assert fault.remedy == "add 1 rack or narrow the stripe to 2+2"


def test_unprotected_pool(cluster, deliver):
    assert policies(deliver(cluster(12, layout=Layout(kind="none")))) == ["cold-layout"]


def test_spares_and_drive_domains_are_advised_against(cluster, deliver, stripe):
    layout = replace(stripe(4, 2, failure_domain="drive"), hot_spares=1)
    assert policies(deliver(cluster(12, layout=layout))) == ["advice-narrow-layout"] * 2
    assert deliver(cluster(12, layout=layout)).degraded[0].data_lost


@pytest.mark.parametrize(
    ("change", "required"),
    [({"cores": 27}, 28), ({"memory": size("230 GB")}, 230.4e9), ({"ports": 0}, 1), ({"drives": 0}, 1)],
    ids=["cores", "memory", "ports", "drives"],
)
def test_host_without_what_ceph_takes(cluster, deliver, hdd, change, required):
    fault = deliver(cluster(12, node=replace(hdd, **change))).illegal[0]
    assert (fault.policy, fault.required) == ("cold-node", pytest.approx(required))


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ({"plugin": "isa", "stripe_unit": "16 KiB", "bucket": "b", "versioning": True}, None),
        ({"plugin": "clay"}, "advice-narrow-layout"),
        ({"plugin": "reed"}, "cold-layout"),
        ({"gateways_per_host": 0}, "cold-layout"),
        ({"plugins": "isa"}, "cold-layout"),
        ({"stripe_unit": 4096}, "cold-layout"),
    ],
)
def test_options(cluster, deliver, options, policy):
    assert policies(deliver(cluster(12, options=options))) == ([policy] if policy else [])


# --- what it tries --------------------------------------------------------------------------------------------


def choices(need, facts_of, **pins):
    return list(ceph_rgw.BACKEND.choices(need, TierPins(**pins), SITE, facts_of("ceph-rgw")))


def test_codes_with_a_host_to_spare(make_need, facts_of):
    found = [(config.nodes, str(config.layout)) for config in choices(make_need("cold"), facts_of)]
    assert found == [(7, "4+2"), (8, "4+3"), (12, "8+3"), (13, "8+4")]


def test_copies_only_where_pinned(make_need, facts_of):
    configs = choices(make_need("cold"), facts_of, layout=LayoutPins(replicas=3))
    assert [(config.nodes, str(config.layout)) for config in configs] == [(4, "3 replicas")]


def test_racks_to_survive_choose_the_rack_domain_where_there_are_enough(make_need, facts_of):
    need = make_need("cold", survive=Survive(nodes=0, racks=1))
    domains = [(str(config.layout), config.layout.failure_domain) for config in choices(need, facts_of)]
    assert domains == [("4+2", "rack"), ("4+3", "rack"), ("8+3", "rack"), ("8+4", "rack")]


def test_template_context_has_cephs_words(cluster, deliver, make_need, stripe):
    config = cluster(12, layout=stripe(4, 2, failure_domain="rack"), options={"stripe_unit": "16 KiB"})
    plan = TierPlan(need=make_need("cold"), config=config, delivered=deliver(config))
    context = ceph_rgw.BACKEND.template_context(plan, {})
    wanted = {"failure_domain": "rack", "stripe_unit_kib": 16, "minimum_size": 5, "plugin": "isa", "rotational": 1}
    assert {name: context[name] for name in wanted} == wanted
