"""WEKA against the vendor's own examples, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _weka, weka
from tierplan.domain.stack import LayoutPins, Quote, Site, Survive, TierPins
from tierplan.domain.tiers import NEVER, TierPlan
from tierplan.units import Bandwidth, Size, bandwidth, size

SITE = Site(kind="on-prem", racks=8)


@pytest.fixture
def node(facts_of):
    return facts_of("weka").nodes["nvme-12x7.68"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return weka.BACKEND.deliver(config, need or make_need(), facts_of("weka"))

    return run


@pytest.fixture
def cluster(node, make_config, stripe):
    def make(nodes, data, parity, *, spares=1, layout=None, **changes):
        own = {
            key: changes.pop(key)
            for key in ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")
            if key in changes
        }
        layout = layout or stripe(data, parity, spares=spares)
        return make_config("weka", replace(node, **own), nodes=nodes, layout=layout, **{"racks": 8, **changes})

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(weka_case, cluster, deliver, node):
    """The vendor's documentation, planning tools and measured cluster."""

    def of_domains(*, domains, tb_per_domain, spares, data, parity):
        drive = replace(node.drive, size=Size(tb_per_domain * 1e12))
        return deliver(cluster(domains, data, parity, spares=spares, drives=1, drive=drive))

    def rates(*, nodes, ports, gbit_s, data, parity):
        rate = Bandwidth(gbit_s * 1e9 / 8)
        return deliver(cluster(nodes, data, parity, ports=ports, port_rate=rate)).healthy

    def memory_gb(*, frontend, compute, drive, ssd_gb, metadata_units, memory_gb):
        needed = _weka.server_memory(
            cores=_weka.Cores(drive=drive, compute=compute, frontend=frontend),
            ssd=Size(ssd_gb * 1e9),
            memory=Size(memory_gb * 1e9),
            metadata_units_per_server=metadata_units,
            protocols=True,
        )
        return needed.bytes / 1e9

    def cue_ok(*, retention_s, cue_s):
        tiering = {"cue": f"{cue_s} s", "retention": f"{retention_s} s"}
        return "hot-layout" not in policies(deliver(cluster(8, 5, 2, options={"tiering": tiering})))

    formulas = {
        "usable_tb": lambda **inputs: of_domains(**inputs).usable.bytes / 1e12,
        "usable_tib": lambda **inputs: of_domains(**inputs).usable.bytes / 2**40,
        "refused_by": lambda **inputs: policies(of_domains(**inputs))[0],
        "minimum_healthy": _weka.minimum_healthy,
        "default_data_units": lambda failure_domains, parity_units: _weka.default_data_units(
            failure_domains, parity_units=parity_units
        ),
        "advised_data_units": lambda failure_domains, parity_units: _weka.advised_data_units(
            failure_domains, parity_units=parity_units
        ),
        "memory_gb": memory_gb,
        "metadata_units": lambda mb: _weka.metadata_units(Size(mb * 1e6)),
        "drive_cores": _weka.drive_cores,
        "cue_ok": cue_ok,
        "object_tb": lambda tiered_tb: _weka.object_capacity(Size(tiered_tb * 1e12), reclaim_factor=1.13).bytes / 1e12,
        "read_gb_s": lambda **inputs: rates(**inputs).read.base / 1e9,
        "write_gb_s": lambda **inputs: rates(**inputs).write.base / 1e9,
    }
    got = formulas[weka_case["of"]](**weka_case["inputs"])
    expected, tolerance = weka_case["expected"], weka_case["tolerance"]
    assert got == (expected if isinstance(expected, str) else pytest.approx(expected, rel=tolerance, abs=0))


# --- what it gives --------------------------------------------------------------------------------------------


def test_waterfall_names_each_step_once(cluster, deliver):
    steps = deliver(cluster(6, 3, 2)).waterfall
    assert [step.name for step in steps] == ["hot spare (1 of 6 nodes)", "code 3+2", "reserve"]
    assert [step.fraction for step in steps] == pytest.approx([5 / 6, 3 / 5, 0.9])


def test_ports_limit_reads_and_writes_of_the_slow_cluster(cluster, deliver):
    rates = deliver(cluster(6, 3, 2, ports=1, port_rate=bandwidth("100 Gbit/s"))).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("node ports", "node ports")


def test_cores_limit_where_ports_do_not(cluster, deliver):
    """A faster NIC alone does not make a server faster: 37 cores at 0.87 and 0.266 GB/s."""
    rates = deliver(cluster(12, 5, 2)).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("cpu", "cpu")
    assert rates.read.base == pytest.approx(12 * 37 * 0.87e9)
    assert rates.write.base == pytest.approx(12 * 37 * 0.266e9)


def test_drives_limit_writes_by_the_parity_share(cluster, deliver, node):
    slow = replace(node.drive, write=bandwidth("0.5 GB/s"))
    rates = deliver(cluster(12, 5, 2, drive=slow)).healthy
    assert rates.write_limited_by == "media"
    assert rates.write.base == pytest.approx(12 * 12 * 0.5e9 * 5 / 7)


def test_few_clients_limit(cluster, deliver, make_need):
    need = make_need()
    need = replace(need, clients=replace(need.clients, gpu_nodes=2))
    rates = deliver(cluster(12, 5, 2), need).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("clients", "clients")
    assert rates.read.base == pytest.approx(2 * 21.4 * 2**30)  # the most that one client was seen to read


def test_client_takes_a_share_of_slow_ports(cluster, deliver, make_need):
    need = make_need()
    need = replace(need, clients=replace(need.clients, ports=1, port_rate=bandwidth("100 Gbit/s")))
    assert deliver(cluster(12, 5, 2), need).healthy.client.base == pytest.approx(12.5e9 * 0.74)


def test_high_end_is_above_the_low_end_where_sources_disagree(cluster, deliver):
    rates = deliver(cluster(6, 3, 2, ports=1, port_rate=bandwidth("100 Gbit/s"))).healthy
    assert rates.read_high.base == pytest.approx(6 * 12.5e9 * 0.78)
    assert rates.op_rate_high > rates.op_rate


def test_one_node_and_one_rack_lost(cluster, deliver):
    states = deliver(cluster(12, 5, 2)).degraded
    assert [(state.nodes, state.racks) for state in states] == [(1, 0), (0, 1)]
    healthy = deliver(cluster(12, 5, 2)).healthy
    assert states[0].read.base == pytest.approx(healthy.read.base * 11 / 12)
    assert states[1].read.base == pytest.approx(healthy.read.base * 10 / 12)  # two nodes stand in the fullest rack
    assert not any(state.data_lost for state in states)


def test_four_parity_units_still_bear_two_servers_only(cluster, deliver, make_need):
    """The vendor: four drives or two servers."""
    three = deliver(cluster(12, 5, 4), make_need(survive=Survive(nodes=3))).degraded[-1]
    two = deliver(cluster(12, 5, 4), make_need(survive=Survive(nodes=2))).degraded[-1]
    assert three.data_lost
    assert not two.data_lost


def test_lost_data_gives_no_bandwidth(cluster, deliver, make_need):
    state = deliver(cluster(12, 5, 2), make_need(survive=Survive(nodes=3))).degraded[-1]
    assert state.data_lost
    assert (state.read, state.write) == (Bandwidth.zero(), Bandwidth.zero())


def test_rack_domain_bears_a_rack_of_many_nodes(cluster, deliver, make_need, stripe):
    need = make_need(survive=Survive(nodes=0, racks=1))
    by_node = deliver(cluster(40, 5, 2), need).degraded[-1]
    by_rack = deliver(cluster(40, 5, 2, layout=stripe(5, 2, spares=1, failure_domain="rack")), need).degraded[-1]
    assert (by_node.data_lost, by_rack.data_lost) == (True, False)


def test_quote_counts_where_it_offers_less(cluster, deliver):
    quote = Quote(read=bandwidth("100 GB/s"), write=bandwidth("900 GB/s"), usable=size("100 TB"), source="offer 1")
    plain, offered = deliver(cluster(12, 5, 2)), deliver(cluster(12, 5, 2, quote=quote))
    assert offered.healthy.read.base == pytest.approx(100e9)
    assert offered.healthy.read_limited_by == "quote"
    assert offered.healthy.write == plain.healthy.write
    assert offered.usable.base == pytest.approx(100e12)


def test_fill_ends_at_the_products_own_limit(cluster, deliver, make_need):
    assert deliver(cluster(8, 5, 2), make_need(max_fill=1.0)).planned_fill_fraction == 0.90
    assert deliver(cluster(8, 5, 2), make_need(max_fill=0.8)).planned_fill_fraction == 0.8


def test_what_cannot_change_names_the_values(cluster, deliver):
    assert "data units 5 and parity units 2" in deliver(cluster(12, 5, 2)).cannot_change_later[0]


def test_assumptions_are_the_facts_that_nobody_measured(cluster, deliver):
    lines = deliver(cluster(12, 5, 2)).assumptions
    assert any(line.startswith("weka reserve_fraction 0.1 (vendor: ") for line in lines)
    assert any(line.startswith("weka node nvme-12x7.68") for line in lines)
    assert not any("read_port_share" in line for line in lines)  # measured
    assert all("http" in line or "(" in line for line in lines)
    pinned = deliver(cluster(12, 5, 2, cores=63)).assumptions
    assert not any("node nvme" in line for line in pinned)  # the stack's own node is no assumption of ours


# --- what is illegal ------------------------------------------------------------------------------------------


def test_good_cluster_has_nothing_against_it(cluster, deliver, demo_need):
    assert deliver(cluster(12, 5, 2), demo_need).illegal == ()


def test_stripe_wider_than_the_cluster_says_what_would_do(cluster, deliver):
    fault = deliver(cluster(6, 6, 2)).illegal[0]
    assert (fault.policy, fault.required, fault.planned) == ("hot-layout", 8, 6)
    assert fault.message == "weka: 6 failure domains cannot hold a 6+2 stripe (needs 8)"
    assert fault.remedy == "add 2 nodes or narrow the stripe to 3+2"


@pytest.mark.parametrize(
    ("nodes", "code", "expected"),
    [
        (6, (3, 2, 1), []),
        (5, (3, 2, 0), ["hot-layout", "advice-narrow-layout", "advice-narrow-layout"]),
        (8, (2, 2, 1), ["hot-layout"]),
        (30, (16, 2, 1), []),
        (30, (17, 2, 1), ["hot-layout"]),
        (12, (5, 3, 1), ["hot-layout"]),
        (12, (5, 4, 1), []),
        (8, (6, 2, 1), ["advice-narrow-layout"]),
        (12, (5, 2, 0), ["advice-narrow-layout"]),
        (40, (8, 2, 1), []),
        (40, (9, 2, 1), ["advice-narrow-layout"]),
        (99, (16, 2, 1), []),
        (100, (16, 2, 1), ["advice-narrow-layout"]),
    ],
)
def test_layout_rules_at_their_boundaries(cluster, deliver, nodes, code, expected):
    data, parity, spares = code
    assert policies(deliver(cluster(nodes, data, parity, spares=spares))) == expected


@pytest.mark.parametrize(
    "change",
    [{"memory": size("272 GB")}, {"drives": 0}, {"ports": 0}, {"medium": "hdd"}],
    ids=lambda one: next(iter(one)),
)
def test_node_without_what_weka_takes(cluster, deliver, change):
    assert policies(deliver(cluster(12, 5, 2, **change))) == ["hot-node"]


def test_cores_boundary(cluster, deliver):
    """12 drives on fewer cores: 6 + 12 + 1 WEKA cores and 4 for the system make 23."""
    assert policies(deliver(cluster(12, 5, 2, cores=23))) == []
    fault = deliver(cluster(12, 5, 2, cores=22)).illegal[0]
    assert (fault.policy, fault.required, fault.planned) == ("hot-node", 23, 22)


def test_drive_size_boundary(cluster, deliver, node):
    at, above = (replace(node.drive, size=size(text)) for text in ("30 TB", "30.72 TB"))
    assert "hot-node" not in policies(deliver(cluster(12, 5, 2, drive=at, memory=size("600 GB"))))
    fault = next(f for f in deliver(cluster(12, 5, 2, drive=above, memory=size("600 GB"))).illegal)
    assert (fault.policy, fault.required, fault.planned) == ("hot-node", 30e12, 30.72e12)


def test_memory_above_what_the_vendor_documents_is_advice(cluster, deliver, node):
    many = deliver(cluster(12, 5, 2, drives=24, drive=replace(node.drive, size=size("15.36 TB")), memory=size("1 TB")))
    assert policies(many) == ["advice-node"]


def test_files_take_memory(cluster, deliver, make_need):
    """Ten billion small files: 20 B of memory for each unit."""
    few = deliver(cluster(12, 5, 2), make_need(capacity=size("100 TB"), files=1e6))
    many = deliver(cluster(12, 5, 2), make_need(capacity=size("100 TB"), files=1e10))
    assert many.parts["memory_gib"] - few.parts["memory_gib"] == pytest.approx(1e10 / 12 * 20 / 2**30, abs=1.1)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"drive_core": 6}, "did you mean drive_cores?"),
        ({"nonsense": 6}, "allowed: "),
        ({"drive_cores": "six"}, "a whole number"),
        ({"tiering": {"cue": 10}}, "a duration"),
        ({"tiering": {"cues": "10 s"}}, "did you mean tiering.cue?"),
        ({"tiering": "yes"}, "ssd_share"),
        ({"tiering": {"ssd_share": 0.0}}, "ssd_share: 0.2"),
        ({"tiering": {"cue": "1 h", "retention": "1 h"}}, 'cue: "20 min"'),
    ],
)
def test_options_that_weka_does_not_know(cluster, deliver, options, words):
    faults = deliver(cluster(12, 5, 2, options=options)).illegal
    assert [fault.policy for fault in faults] == ["hot-layout"]
    assert words in faults[0].remedy


def test_tiering_says_what_the_object_store_must_hold(cluster, deliver):
    given = deliver(cluster(12, 5, 2, options={"tiering": {"ssd_share": 0.5}}))
    held = Size(given.usable.bytes / 0.5 * 1.13)
    assert f"the object store behind the file system holds up to {held.show()}" in given.notes[-1]


def test_own_cores_count(cluster, deliver):
    given = deliver(cluster(12, 5, 2, options={"drive_cores": 6, "compute_cores": 12, "frontend_cores": 2}))
    assert [given.parts[name] for name in ("drive_cores", "compute_cores", "frontend_cores")] == [6, 12, 2]
    assert given.healthy.read.base == pytest.approx(12 * 20 * 0.87e9)


def test_more_cores_than_weka_runs(cluster, deliver):
    faults = deliver(cluster(12, 5, 2, cores=128, memory=size("1 TB"), options={"compute_cores": 60})).illegal
    assert [fault.policy for fault in faults] == ["hot-node", "advice-node"]
    assert faults[0].required == 64


def test_replicas_are_no_weka_layout(cluster, deliver, stripe):
    layout = replace(stripe(1, 0), kind="replicas", replicas=3)
    assert policies(deliver(cluster(12, 0, 0, layout=layout))) == ["hot-layout"]


# --- what it tries --------------------------------------------------------------------------------------------


def choices(need, facts_of, **pins):
    return list(weka.BACKEND.choices(need, TierPins(**pins), SITE, facts_of("weka")))


def test_smallest_cluster_is_six(demo_need, facts_of):
    config = choices(replace(demo_need, read=bandwidth("1 GB/s"), capacity=size("10 TB")), facts_of)[0]
    assert (config.nodes, str(config.layout), config.layout.hot_spares) == (6, "3+2", 1)


@pytest.mark.parametrize("spares", [0, 1, 2, 4])
def test_pinned_spares_leave_room_for_the_stripe(demo_need, facts_of, spares):
    """A pinned spare narrows the default stripe; it does not drive the count up to where 16+2 fits."""
    configs = choices(demo_need, facts_of, layout=LayoutPins(hot_spares=spares))
    assert all(config.layout.hot_spares == spares for config in configs)
    assert all(config.layout.width + spares <= config.nodes <= 10 for config in configs)


def test_racks_to_survive_make_racks_the_failure_domain(demo_need, facts_of):
    need = replace(demo_need, survive=Survive(nodes=0, racks=1))
    config = choices(need, facts_of)[0]
    assert config.layout.failure_domain == "rack"
    assert not weka.BACKEND.deliver(config, need, facts_of("weka")).degraded[-1].data_lost


def test_large_clusters_follow_the_vendors_advice(demo_need, facts_of):
    for capacity in ("3 PB", "8 PB", "40 PB"):
        need = replace(demo_need, capacity=size(capacity))
        for config in choices(need, facts_of):
            assert weka.BACKEND.deliver(config, need, facts_of("weka")).illegal == ()


def test_count_that_nothing_meets_is_said(cluster, deliver, demo_need):
    given = deliver(cluster(6, 3, 2, drives=0), demo_need)
    assert given.counts["read"] == NEVER
    assert any("no number of these nodes meets: capacity, read, write" in note for note in given.notes)


# --- templates ------------------------------------------------------------------------------------------------


def test_containers_hold_all_cores_and_no_more_than_allowed():
    made = _weka.containers({"drive_cores": 12, "compute_cores": 24, "frontend_cores": 1, "cores_per_container": 19})
    assert [(one["name"], one["cores"]) for one in made] == [
        ("drives0", 12),
        ("compute0", 12),
        ("compute1", 12),
        ("frontend0", 1),
    ]


def test_template_context_is_in_wekas_units(cluster, deliver, demo_need):
    config = cluster(12, 5, 2, options={"tiering": {"ssd_share": 0.25, "retention": "2 d"}})
    plan = TierPlan(need=demo_need, config=config, delivered=deliver(config, demo_need))
    context = weka.BACKEND.template_context(plan, {})
    planned_gib = plan.delivered.planned.bytes / 2**30
    assert context["ssd_capacity_gib"] == int(planned_gib)
    assert context["filesystem_capacity_gib"] == int(planned_gib * 4)
    assert (context["retention_s"], context["demote_s"], context["tiered"]) == (172800, 900, True)


def test_short_retention_shortens_the_default_cue():
    cue, retention = _weka.tiering_times({"tiering": {"retention": "30 min"}})
    assert (cue.s, retention.s) == (600, 1800)
