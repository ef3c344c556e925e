"""CephFS against published figures, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _cephfs, cephfs
from tierplan.domain.stack import Drive, LayoutPins, Site, StorageNode, Survive, TierPins
from tierplan.domain.tiers import NEVER, Layout, TierPlan
from tierplan.units import Size, bandwidth, op_rate, size

SITE = Site(kind="on-prem", racks=8)


def flash(drives=12, drive_tb=7.68, ports=2, cores=64, medium="nvme"):
    drive = Drive(size=Size(drive_tb * 1e12), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s"))
    rate, memory = bandwidth("100 Gbit/s"), size("512 GiB")
    return StorageNode(
        drives=drives, drive=drive, ports=ports, port_rate=rate, cores=cores, memory=memory, medium=medium
    )


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, **need):
        return cephfs.BACKEND.deliver(config, make_need("hot", **need), facts_of("cephfs"))

    return run


@pytest.fixture
def cluster(make_config, stripe):
    def make(hosts=12, k=4, m=2, *, node=None, layout=None, **changes):
        changes = {"racks": 8, **changes}
        return make_config("cephfs", node or flash(), nodes=hosts, layout=layout or stripe(k, m), **changes)

    return make


def replicas(count):
    return Layout(kind="replicas", replicas=count)


def code(data_units, parity_units):
    return Layout(kind="erasure-code", data_units=data_units, parity_units=parity_units)


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(cephfs_case, cluster, deliver, make_need, facts_of):
    """Ceph's documentation and the published clusters."""
    inputs = cephfs_case["inputs"]

    def given():
        layout = replicas(inputs["replicas"]) if "replicas" in inputs else code(inputs["k"], inputs["m"])
        node = flash(inputs["drives"], inputs["drive_tb"], inputs.get("ports", 2), inputs.get("cores", 64))
        return deliver(cluster(inputs["hosts"], node=node, layout=layout), max_fill=1.0, clients=many(make_need))

    match cephfs_case["of"]:
        case "raw_tb":
            found = given().raw.bytes / 1e12
        case "planned_tb":
            found = given().planned.bytes / 1e12
        case "placement_groups":
            found = given().parts["placement_groups"]
        case "read_gb_s":
            found = given().healthy.read.bytes_per_s / 1e9
            assert found <= cephfs_case["expected"]
        case "write_gb_s":
            found = given().healthy.write.bytes_per_s / 1e9
            assert found <= cephfs_case["expected"]
        case "hosts_for_capacity":
            node = flash(inputs["drives"], inputs["drive_tb"])
            config = cluster(0, node=node, layout=code(inputs["k"], inputs["m"]))
            found = deliver(config, max_fill=1.0, capacity=Size(inputs["target_tb"] * 1e12)).counts["capacity"]
        case "mds_gb":
            cached = _cephfs.cached_metadata(
                files=inputs["files"], inode_memory=Size(facts_of("cephfs")["inode_memory"])
            )
            share = facts_of("cephfs")["mds_cache_share"]
            found = _cephfs.mds_memory(cached=cached, actives=inputs["actives"], cache_share=share).bytes / 1e9
        case unknown:
            pytest.fail(unknown)
    assert found == pytest.approx(cephfs_case["expected"], rel=cephfs_case["tolerance"])


def many(make_need):
    """So many GPU nodes that they limit nothing."""
    return replace(make_need("hot").clients, gpu_nodes=100_000)


# --- rates and counts -----------------------------------------------------------------------------------------


def test_one_node_takes_what_one_client_was_assumed_to_take(cluster, deliver, make_need):
    one = deliver(cluster(40), clients=replace(make_need("hot").clients, gpu_nodes=1)).healthy
    assert one.read.show() == "3 GB/s"
    assert (one.read_limited_by, one.write_limited_by) == ("clients", "clients")
    narrow = replace(make_need("hot").clients, ports=1, port_rate=bandwidth("10 Gbit/s"))
    assert deliver(cluster(40), clients=narrow).healthy.client.show("GB/s", 3) == "0.938 GB/s"


def test_encrypted_messenger_costs_a_quarter_of_ports_and_cores(cluster, deliver, make_need):
    clients = many(make_need)
    plain = deliver(cluster(12), clients=clients).healthy
    secure = deliver(cluster(12, options={"secure_messenger": True}), clients=clients).healthy
    assert plain.write_limited_by == "cpu"
    assert secure.write.base == pytest.approx(plain.write.base * 0.75)


def test_op_rate_is_that_of_the_active_servers(cluster, deliver):
    given = deliver(cluster(12), op_rate=op_rate("20000 ops/s"))
    assert given.parts["active_mds"] == 7
    assert given.counts["metadata"] == 8
    assert given.healthy.op_rate.show() == "21 kops/s"
    assert deliver(cluster(4, 2, 1), op_rate=op_rate("20000 ops/s")).healthy.op_rate.show() == "9 kops/s"


def test_too_few_pinned_actives_are_enough_on_no_number_of_hosts(cluster, deliver):
    given = deliver(cluster(12, options={"active_mds": 2}), op_rate=op_rate("6001 ops/s"))
    assert given.counts["metadata"] == NEVER
    assert given.bound_by == "metadata"
    assert deliver(cluster(12, options={"active_mds": 2}), op_rate=op_rate("6000 ops/s")).counts["metadata"] == 3


def test_files_in_use_take_metadata_servers_and_memory(cluster, deliver):
    """1e9 files, a tenth in use, 4 kB each: 400 GB, 32 GB a server."""
    given = deliver(cluster(20), files=1e9, capacity=size("1 PB"))
    assert given.parts["active_mds"] == 13
    assert given.parts["mds_memory_gib"] == 48  # 400 GB / 13 / 0.6
    small = cluster(12, node=replace(flash(), memory=size("128 GiB")))
    assert policies(deliver(small, files=1e6, capacity=size("1 TB"))) == []
    assert policies(deliver(small, files=1e9, capacity=size("1 PB"))) == ["hot-node"]


def test_small_files_are_padded_to_a_stripe(cluster, deliver):
    """Files of 16 KiB in 4+2: half a 16 KiB stripe is lost at the end of each."""
    need = {"files": 1e9, "capacity": Size(16384 * 1e9)}
    plain = deliver(cluster(30), **need)
    assert plain.waterfall[-1].fraction == pytest.approx(16 / 24)
    copies = deliver(cluster(30, layout=replicas(3)), **need)
    assert copies.waterfall[-1].fraction == pytest.approx(16 / 18)
    fast = deliver(cluster(30, options={"optimized_code": True, "stripe_unit": "4 KiB"}), **need)
    assert fast.waterfall[-1].fraction == pytest.approx(16 / 18)


def test_a_host_is_kept_free_once(cluster, deliver):
    given = deliver(cluster(12))
    assert [step.name for step in given.waterfall] == ["free for recovery (1 of 12 nodes)", "code 4+2"]
    assert given.planned_fill_fraction == 0.8
    assert deliver(cluster(12), max_fill=1.0).planned_fill_fraction == 0.85


# --- rules ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size_of", "policy", "words"),
    [
        ((5, 4, 2), "hot-layout", "5 failure domains cannot hold a 4+2 stripe (needs 6)"),
        ((6, 4, 2), "advice-narrow-layout", "a lost one cannot be re-created"),
        ((12, 9, 2), "advice-narrow-layout", "9 data units; more than 8 are discouraged"),
        ((12, 4, 1), "advice-narrow-layout", "4+1 bears one loss only"),
        ((12, 4, 4), "advice-narrow-layout", "4 parity units; more than 3 are discouraged for files"),
        ((12, 1, 1), "hot-layout", "at least 2 data units"),
    ],
)
def test_layout_rules(cluster, deliver, size_of, policy, words):
    """Hosts, data units, parity units."""
    faults = deliver(cluster(*size_of)).illegal
    assert [fault.policy for fault in faults][:1] == [policy]
    assert any(words in fault.message for fault in faults)


@pytest.mark.parametrize(
    ("options", "policy", "words"),
    [
        ({"plugin": "clay"}, "advice-narrow-layout", "deprecated"),
        ({"plugin": "lrc"}, "hot-layout", "allowed: isa, jerasure"),
        ({"plugin": "shec", "optimized_code": True}, "hot-layout", "it takes isa or jerasure"),
        ({"pinning": "all"}, "hot-layout", "allowed: distributed, random, none"),
        ({"active_mds": 0}, "hot-layout", "active_mds 0"),
        ({"standby_mds": 0}, "hot-layout", "standby_mds 0"),
        ({"active_mds": 17}, "advice-node", "17 active metadata servers"),
        ({"activ_mds": 2}, "hot-layout", "unknown option activ_mds"),
    ],
)
def test_option_rules(cluster, deliver, options, policy, words):
    faults = deliver(cluster(20, options=options)).illegal
    assert policy in [fault.policy for fault in faults]
    assert any(words in fault.message for fault in faults)


def test_a_host_carries_its_osds_and_a_metadata_server(cluster, deliver):
    assert policies(deliver(cluster(12, node=flash(cores=18)))) == []
    assert policies(deliver(cluster(12, node=flash(cores=17)))) == ["hot-node"]
    assert policies(deliver(cluster(12, node=flash(medium="hdd")))) == ["advice-node"]


# --- choices --------------------------------------------------------------------------------------------------


def chosen(facts_of, need, **pins):
    return list(cephfs.BACKEND.choices(need, TierPins(**pins), SITE, facts_of("cephfs")))


def test_each_layout_on_each_node(facts_of, demo_need):
    found = chosen(facts_of, demo_need)
    assert {str(config.layout) for config in found} == {"3 replicas", "4+2", "8+3"}
    assert len(found) == 6
    assert all(config.layout.failure_domain == "node" for config in found)
    by_rack = chosen(facts_of, replace(demo_need, survive=Survive(nodes=0, racks=1)))
    domains = {(str(config.layout), config.layout.failure_domain) for config in by_rack}
    assert domains == {("3 replicas", "rack"), ("4+2", "rack"), ("8+3", "node")}


def test_a_pinned_layout_stands_alone(facts_of, demo_need):
    found = chosen(facts_of, demo_need, layout=LayoutPins(data_units=6, parity_units=2))
    assert {str(config.layout) for config in found} == {"6+2"}


def test_template_context_has_cephs_words(cluster, deliver, make_need, stripe):
    config = cluster(12, layout=stripe(4, 2, failure_domain="rack"), options={"optimized_code": True})
    context = cephfs.BACKEND.template_context(
        TierPlan(need=make_need("hot"), config=config, delivered=deliver(config)), {}
    )
    wanted = {
        "failure_domain": "rack",
        "stripe_unit_kib": 16,
        "minimum_size": 5,
        "plugin": "isa",
        "mds_hosts": 2,
        "data_pool": "cephfs.hot.bulk",
        "osd_weight_thousandths": 6985,
    }
    assert {name: context[name] for name in wanted} == wanted


def test_copies_lie_in_the_first_data_pool(cluster, deliver, make_need):
    config = cluster(12, layout=replicas(3))
    context = cephfs.BACKEND.template_context(
        TierPlan(need=make_need("hot"), config=config, delivered=deliver(config)), {}
    )
    assert context["data_pool"] == context["default_pool"]
    assert context["minimum_size"] == 2
