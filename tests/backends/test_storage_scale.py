"""Storage Scale: what a configuration gives, each of its rules at the boundary, the search, appliances and SAN."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _scale as scale
from tierplan.backends import storage_scale
from tierplan.domain.stack import LayoutPins, Quote, Site, Survive, TierPins
from tierplan.domain.tiers import Layout, TierPlan
from tierplan.units import Bandwidth, Size, bandwidth, size

SITE = Site(kind="on-prem", racks=8)


@pytest.fixture
def node(facts_of):
    return facts_of("storage-scale").nodes["nvme-12x7.68"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return storage_scale.BACKEND.deliver(config, need or make_need(), facts_of("storage-scale"))

    return run


@pytest.fixture
def cluster(node, make_config, stripe):
    def make(nodes, data=8, parity=3, *, layout=None, kind=None, **changes):
        own = {
            key: changes.pop(key)
            for key in ("drives", "drive", "ports", "port_rate", "cores", "memory", "medium")
            if key in changes
        }
        layout = layout or stripe(data, parity)
        return make_config(
            "storage-scale", replace(kind or node, **own), nodes=nodes, layout=layout, **{"racks": 8, **changes}
        )

    return make


@pytest.fixture
def choose(facts_of, make_need):
    def run(pins=None, **need):
        found = storage_scale.BACKEND.choices(make_need(**need), pins or TierPins(), SITE, facts_of("storage-scale"))
        return list(found)

    return run


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- what it gives --------------------------------------------------------------------------------------------


def test_waterfall_names_each_step_once(cluster, deliver):
    given = deliver(cluster(12, options={"block_size": "4 MiB"}))
    assert [step.name for step in given.waterfall] == [
        "hot spare (6 of 144 drives)",
        "code 8+3p",
        "metadata (5 % of the arrays)",
        "checksums, log homes, rounding",
    ]
    assert [step.fraction for step in given.waterfall[:3]] == pytest.approx([138 / 144, 8 / 11, 0.95])
    assert 0.97 < given.waterfall[3].fraction < 1


def test_usable_is_the_estimators_for_the_set_size(cluster, deliver):
    """IBM's tool with --set-size 95: what metadata leaves."""
    spares = scale.default_spares(12, drives=12)
    array = scale.array(12, drives=12, drive=Size(7.68e12), spares=spares)
    known = scale.capacity(array, 12, data=8, parity=3, block=4 * scale.MIB, granule=8192, percent=95)
    assert deliver(cluster(12)).usable.bytes == pytest.approx(known.bytes)


def test_many_files_give_metadata_more(cluster, deliver, make_need):
    few, many = (deliver(cluster(6), make_need(files=files)) for files in (1e6, 4e9))
    assert few.parts["metadata_percent"] == 5
    assert many.parts["metadata_percent"] == 16  # 4e9 files x 5 KiB x 4 copies of 489,588 GiB
    assert many.usable < few.usable


def test_ports_limit_by_the_codes_traffic(cluster, deliver):
    """50 GB/s of ports: 0.8 / 2 of them for reads, 0.8 / 2.375 for writes with 8+3p."""
    rates = deliver(cluster(12)).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("node ports", "node ports")
    assert rates.read.base == pytest.approx(12 * 50e9 * 0.8 / 2)
    assert rates.write.base == pytest.approx(12 * 50e9 * 0.8 / 2.375)


def test_drives_limit_writes_by_the_parity_share(cluster, deliver, node):
    slow = replace(node.drive, write=bandwidth("1 GB/s"))
    rates = deliver(cluster(12, drive=slow)).healthy
    assert rates.write_limited_by == "media"
    assert rates.write.base == pytest.approx(12 * 12 * 1e9 * 0.8 * 8 / 11)


def test_no_server_is_promised_more_than_one_was_measured(cluster, deliver):
    """A server of an ESS 3500: half of 109.5 GB/s, on 48 cores; fewer cores carry less."""
    rates = deliver(cluster(12, ports=8, port_rate=bandwidth("400 Gbit/s"), drives=24)).healthy
    assert rates.read_limited_by == "cpu"
    assert rates.read.base == pytest.approx(12 * 109.5e9 / 2)
    half = deliver(cluster(12, ports=8, port_rate=bandwidth("400 Gbit/s"), drives=24, cores=24)).healthy
    assert half.read.base == pytest.approx(rates.read.base / 2)


def test_losses_by_the_strips_rule(cluster, deliver, make_need):
    """8+3p over 10 servers: two nodes, not three."""
    two, three = (deliver(cluster(10), make_need(survive=Survive(nodes=lost))).degraded[-1] for lost in (2, 3))
    assert (two.data_lost, three.data_lost) == (False, True)
    assert two.read.base == pytest.approx(8 * 20e9)


def test_a_loss_may_fall_into_one_of_several_groups(cluster, deliver, make_need):
    """40 servers are two groups of 20: three lost in one of them is what 8+3p bears."""
    given = deliver(cluster(40), make_need(survive=Survive(nodes=3)))
    assert given.parts["recovery_groups"] == 2
    assert not given.degraded[-1].data_lost
    assert deliver(cluster(40), make_need(survive=Survive(nodes=4))).degraded[-1].data_lost


def test_racks_as_failure_domains_bear_a_rack_of_many_nodes(cluster, deliver, make_need, stripe):
    need = make_need(survive=Survive(nodes=0, racks=1))
    by_node = deliver(cluster(32), need).degraded[-1]
    by_rack = deliver(cluster(32, layout=stripe(8, 3, failure_domain="rack")), need).degraded[-1]
    assert (by_node.data_lost, by_rack.data_lost) == (True, False)


def test_copies_are_marked_as_estimated(cluster, deliver):
    given = deliver(cluster(3, layout=Layout(kind="replicas", replicas=3)))
    assert policies(given) == []
    assert given.usable.bytes == pytest.approx((36 - 3) * 7.68e12 / 3 * 0.955 * 0.95)
    assert any("knows no copies" in line for line in given.notes)


def test_client_takes_no_more_than_one_was_seen_to(cluster, deliver, make_need):
    need = make_need()
    need = replace(need, clients=replace(need.clients, gpu_nodes=2))
    rates = deliver(cluster(12), need).healthy
    assert rates.read.base == pytest.approx(2 * 21.9e9)
    assert rates.read_limited_by == "clients"


def test_spares_follow_mmvdisk_the_layout_and_the_pin(cluster, deliver, stripe):
    def spares(nodes=12, **changes):
        return deliver(cluster(nodes, **changes)).parts["spare_drives_in_a_group"]

    assert spares() == 6
    assert spares(layout=stripe(8, 3, spares=1)) == 12  # one node's worth
    assert spares(options={"spare_drives": 9}) == 9
    assert spares(6, layout=stripe(4, 2)) == 6  # a drive for each node, or the tolerance does not come back


# --- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("nodes", "code", "expected"),
    [
        (3, (8, 3), "hot-layout"),
        (4, (4, 3), "advice-narrow-layout"),
        (5, (4, 2), "hot-layout"),
        (6, (4, 2), "advice-narrow-layout"),
        (7, (4, 2), None),
        (9, (8, 2), "advice-narrow-layout"),
        (11, (8, 2), None),
        (12, (8, 3), None),
        (12, (6, 2), "hot-layout"),
    ],
)
def test_codes_by_node_count(nodes, code, expected, cluster, deliver):
    assert policies(deliver(cluster(nodes, *code))) == ([expected] if expected else [])


def test_what_is_not_recommended_names_count_and_code(cluster, deliver):
    fault = deliver(cluster(5, 4, 2)).illegal[0]
    assert fault.message.startswith("storage-scale: 4+2p over 5 nodes survives 1 nodes and 0 drives")
    assert fault.remedy == "use 6 nodes or more, or code 4+3p"
    assert (fault.required, fault.planned) == (6, 5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"block_size": "3 MiB"}, "blocks of 3 MiB"),
        ({"block_size": "8 MiB"}, "blocks of 8 MiB with 8+3p on flash"),
        ({"spare_drives": 2}, "2 spare drives"),
        ({"spare_drives": 25}, "25 spare drives"),
        ({"vdisk_sets": 20}, "21 vdisk sets make 529"),
        ({"code": "8+2p"}, "options.code 8+2p"),
        ({"code": "8+4p"}, "options.code '8+4p'"),
        ({"metadata": "elsewhere"}, "options.metadata 'elsewhere'"),
        ({"appliance": "ess-9000"}, "options.appliance 'ess-9000'"),
        ({"blocksize": "4 MiB"}, "unknown option blocksize"),
    ],
)
def test_options_at_fault(options, words, cluster, deliver):
    (fault,) = deliver(cluster(12, options=options)).illegal
    assert words in fault.message
    assert fault.remedy


@pytest.mark.parametrize("options", [{"spare_drives": 6}, {"spare_drives": 24}, {"vdisk_sets": 18}, {"code": "8+3p"}])
def test_options_at_their_boundary_pass(options, cluster, deliver):
    assert policies(deliver(cluster(12, options=options))) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"cores": 15}, "hot-node"),
        ({"memory": size("59 GB")}, "hot-node"),
        ({"drives": 65}, "hot-node"),
        ({"drives": 25}, "advice-node"),
        ({"port_rate": bandwidth("10 Gbit/s")}, "hot-node"),
        ({"cores": 16, "memory": size("60 GB"), "drives": 24, "port_rate": bandwidth("25 Gbit/s")}, None),
    ],
)
def test_servers_at_the_boundary(changes, expected, cluster, deliver):
    assert policies(deliver(cluster(12, **changes))) == ([expected] if expected else [])


def test_too_few_drives_for_a_declustered_array(cluster, deliver):
    (fault,) = deliver(cluster(12, drives=1)).illegal
    assert "12 drives in a declustered array; 8+3p needs 13" in fault.message


def test_more_servers_than_a_cluster_is_documented_for(cluster, deliver):
    assert policies(deliver(cluster(128))) == []
    assert policies(deliver(cluster(129))) == ["advice-node"]


# --- the search -----------------------------------------------------------------------------------------------


def test_each_code_comes_with_its_fewest_nodes(choose):
    """Whatever little is asked: 4+3p from 4 nodes on, 4+2p and 8+3p from 6, 8+2p from 10."""
    found = {(str(config.layout), config.nodes) for config in choose()}
    assert found == {("4+3", 4), ("4+2", 6), ("8+3", 6), ("8+2", 10)}


def test_losses_to_survive_take_more_nodes(choose):
    found = {str(config.layout): config.nodes for config in choose(survive=Survive(nodes=2))}
    assert found == {"4+3": 6, "4+2": 6, "8+3": 10, "8+2": 10}


def test_a_lost_rack_makes_racks_the_failure_domain(choose):
    """Eight racks are enough for the codes whose strips they bear; the others stay on nodes."""
    found = {str(one.layout): one.layout.failure_domain for one in choose(survive=Survive(nodes=0, racks=1))}
    assert found == {"4+3": "rack", "4+2": "rack", "8+3": "rack", "8+2": "node"}


def test_code_of_the_options_is_the_layout(choose):
    configs = choose(TierPins(options={"code": "16+3p"}))
    assert {(str(config.layout), config.nodes) for config in configs} == {("16+3", 10)}
    assert {str(config.layout) for config in choose(TierPins(options={"code": "4way"}))} == {"4 replicas"}


def test_pinned_replicas_are_tried_once(choose):
    assert len(choose(TierPins(layout=LayoutPins(replicas=3)))) == 2  # one for each server of the catalogue


@pytest.mark.parametrize(
    "layout", [LayoutPins(data_units=40), LayoutPins(hot_spares=50), LayoutPins(data_units=40, hot_spares=50)]
)
def test_what_no_recovery_group_holds_ends_the_search(layout, choose, deliver):
    """Neither code nor spares fit into 32 servers: refused, whatever the count."""
    for config in choose(TierPins(layout=layout)):
        assert "hot-layout" in policies(deliver(config))


def test_wide_codes_in_two_groups_take_enough_servers_for_both(choose):
    """33 servers would be groups of 17 and 16: too narrow for 16+2p, which 18 in each hold."""
    need = {"capacity": size("1.72 PB"), "max_fill": 1.0}
    small = next(one for one in choose(TierPins(options={"code": "16+2p"}), **need))
    assert small.nodes <= 32
    large = next(one for one in choose(TierPins(options={"code": "16+2p"}), capacity=size("2.5 PB"), max_fill=1.0))
    assert large.nodes >= 36


# --- appliances and SAN ---------------------------------------------------------------------------------------


def test_two_ess_3500_give_what_was_measured(cluster, deliver, facts_of):
    """IO500 submissions 651 and 679: 204.0 GiB/s read and 106.6 GiB/s written on two."""
    kind = facts_of("storage-scale").nodes["ess-3500"]
    given = deliver(cluster(4, 8, 2, kind=kind, options={"appliance": "ess-3500"}))
    assert policies(given) == []
    assert given.healthy.read.base == pytest.approx(204.0 * 2**30, rel=0.01)
    assert 0.93 < given.healthy.write.base / (106.6 * 2**30) <= 1  # the drives of the row, a little lower


def test_an_appliance_survives_a_server_and_no_rack(cluster, deliver, facts_of):
    kind = facts_of("storage-scale").nodes["ess-3500"]
    states = deliver(cluster(4, 8, 2, kind=kind, options={"appliance": "ess-3500"})).degraded
    assert [(state.nodes, state.racks, state.data_lost) for state in states] == [(1, 0, False), (0, 1, True)]
    assert states[1].read == Bandwidth.zero()


def test_appliances_come_in_pairs(cluster, deliver, facts_of, choose):
    kind = facts_of("storage-scale").nodes["ess-3500"]
    options = {"appliance": "ess-3500"}
    assert policies(deliver(cluster(3, 8, 2, kind=kind, options=options))) == ["hot-layout"]
    (found,) = choose(TierPins(options=options), read=bandwidth("250 GB/s"))
    assert (found.nodes, str(found.layout)) == (6, "8+2")


@pytest.mark.parametrize("read_gb_s", [0, 60, 110, 400, 3000])
@pytest.mark.parametrize("case", [(word, much) for word in ("ess-3500", "sss-6000") for much in (0, 200, 900, 40_000)])
def test_planned_appliances_pass_their_own_checks(case, read_gb_s, choose, deliver, make_need):
    word, capacity_tb = case
    asked = {"read": Bandwidth(read_gb_s * 1e9), "capacity": Size(capacity_tb * 1e12)}
    (found,) = choose(TierPins(options={"appliance": word}), **asked)
    given = deliver(found, make_need(**asked))
    assert max(given.counts.values()) <= found.nodes
    assert given.planned.base * (1 + 1e-9) >= asked["capacity"].base
    assert [policy for policy in policies(given) if not policy.startswith("advice-")] == []
    fewer = replace(found, nodes=found.nodes - 2)
    assert max(deliver(fewer, make_need(**asked)).counts.values()) > fewer.nodes


@pytest.mark.parametrize("drives", [2, 4, 5, 7, 12])
def test_usable_does_not_fall_below_what_the_count_promises(drives, cluster, deliver, make_need):
    """One group more costs spares: with few drives a server 33 hold less than 32. The count knows."""
    for nodes in (28, 31, 32, 33, 34, 40):
        need = make_need(capacity=deliver(cluster(nodes, drives=drives)).usable, max_fill=1.0)
        count = deliver(cluster(nodes, drives=drives), need).counts["capacity"]
        later = (deliver(cluster(more, drives=drives)).usable for more in range(count, count + 12))
        assert all(usable.base * (1 + 1e-9) >= need.capacity.base for usable in later)


def test_the_larger_appliance_asks_for_an_offer(choose, deliver):
    (found,) = choose(TierPins(options={"appliance": "sss-6000"}))
    assert policies(deliver(found)) == ["advice-node"]


def test_a_san_needs_a_quote_and_is_bound_by_it(choose, deliver):
    quote = Quote(read=bandwidth("10 GB/s"), write=bandwidth("5 GB/s"), usable=size("500 TB"), source="offer 7")
    (bare,) = choose(TierPins(options={"appliance": "san"}))
    assert policies(deliver(bare)) == ["hot-node"]
    (offered,) = choose(TierPins(options={"appliance": "san"}, quote=quote))
    given = deliver(offered)
    assert policies(given) == []
    assert (given.healthy.read, given.healthy.read_limited_by) == (bandwidth("10 GB/s"), "quote")


# --- for the templates ----------------------------------------------------------------------------------------


def test_context_deals_servers_out_to_groups(cluster, deliver, make_need):
    config = cluster(40, options={"block_size": "4 MiB"})
    plan = TierPlan(need=make_need(), config=config, delivered=deliver(config))
    context = storage_scale.BACKEND.template_context(plan, {})
    groups = context["groups"]
    assert [group["name"] for group in groups] == ["rg1", "rg2"]
    assert sorted(place for group in groups for place in group["members"]) == list(range(40))
    assert groups[0]["members"][:3] == [0, 2, 4]
    assert (context["code"], context["block"], context["data_percent"]) == ("8+3p", "4M", 95)
    assert context["quorum_nodes"] == 7
    assert context["spare_pdisks"] == 0
