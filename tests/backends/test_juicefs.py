"""JuiceFS against published figures, and each of its rules at the boundary."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import _juicefs, juicefs
from tierplan.backends._choosing import Relied
from tierplan.domain.stack import Drive, LayoutPins, Site, StorageNode, TierPins
from tierplan.domain.tiers import NEVER, Layout, TierPlan
from tierplan.units import Bandwidth, Duration, Size, bandwidth, op_rate, size

SITE = Site(kind="on-prem", racks=8)
COPIES = Layout(kind="replicas", replicas=3)


def flash(drives=12, ports=2, cores=64, medium="nvme", memory="384 GiB"):
    drive = Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s"))
    rate = bandwidth("100 Gbit/s")
    return StorageNode(
        drives=drives, drive=drive, ports=ports, port_rate=rate, cores=cores, memory=size(memory), medium=medium
    )


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, **need):
        return juicefs.BACKEND.deliver(config, make_need("hot", **need), facts_of("juicefs"))

    return run


@pytest.fixture
def cluster(make_config, stripe):
    def make(hosts=12, *, node=None, layout=None, **options):
        layout = layout or stripe(4, 2)
        return make_config("juicefs", node or flash(), nodes=hosts, layout=layout, racks=8, options=options)

    return make


def policies(delivered):
    return [fault.policy for fault in delivered.illegal]


# --- golden figures -------------------------------------------------------------------------------------------


def formula(of, inputs):
    """The figures that one formula gives."""
    match of:
        case "requests":
            moved, block = Bandwidth(inputs["gb_s"] * 1e9), Size(inputs["mib"] * 2.0**20)
            return _juicefs.request_rate(moved=moved, block=block).base
        case "concurrent_gb_s":
            block, latency = Size(inputs["mib"] * 2.0**20), Duration(inputs["latency_s"])
            found = _juicefs.concurrent_bandwidth(requests=inputs["requests"], block=block, latency=latency)
            return found.bytes_per_s / 1e9
        case "maxmemory_gb":
            data = _juicefs.metadata_size(files=inputs["files"], bytes_per_file=Size(300.0))
            return _juicefs.redis_maxmemory(data=data, data_share=0.7).bytes / 1e9
    return None


def test_golden_figure(juicefs_case, cluster, deliver, make_need, facts_of):
    of, inputs = juicefs_case["of"], juicefs_case["inputs"]
    found, clients = formula(of, inputs), make_need("hot").clients
    if of in {"metadata_gb", "disk_gb"}:
        need = make_need("hot", files=float(inputs["files"]))
        config = cluster(metadata_engine=inputs["engine"])
        engine = _juicefs.engine(config, need, Relied(facts_of("juicefs")))
        found = (engine.data if of == "metadata_gb" else engine.disk).bytes / 1e9
    elif of.startswith("client"):
        one = replace(clients, gpu_nodes=1, ports=1, port_rate=bandwidth(f"{inputs['gbit_s']} Gbit/s"))
        rates = deliver(cluster(), clients=one).healthy
        found = (rates.read if "read" in of else rates.write).bytes_per_s / 1e9
    elif of in {"read_gb_s", "write_gb_s"}:
        config = cluster(inputs["hosts"], node=flash(drives=6, ports=1), layout=COPIES)
        rates = deliver(config, clients=replace(clients, gpu_nodes=100_000)).healthy
        found = (rates.read if of == "read_gb_s" else rates.write).bytes_per_s / 1e9
        assert found <= juicefs_case["expected"]
    assert found == pytest.approx(juicefs_case["expected"], rel=juicefs_case["tolerance"])


# --- metadata engine ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "engine"),
    [
        ({"files": 100e6}, "redis"),
        ({"files": 101e6}, "postgresql"),
        ({"files": 1e9}, "postgresql"),
        ({"files": 1.1e9}, "tikv"),
        ({"files": 1e6, "irreplaceable": ("train.checkpoint",)}, "postgresql"),
        ({"op_rate": op_rate("5473 ops/s")}, "redis"),
        ({"op_rate": op_rate("5474 ops/s")}, "tikv"),
        ({"op_rate": op_rate("4728 ops/s"), "irreplaceable": ("train.checkpoint",)}, "tikv"),
    ],
)
def test_engine_by_files_op_rate_and_what_may_be_lost(cluster, deliver, asked, engine):
    given = deliver(cluster(), **{"capacity": size("100 TB"), **asked})
    assert [name for name in given.parts if name.endswith("_servers")] == [f"{engine}_servers"]
    assert [policy for policy in policies(given) if not policy.startswith("advice")] == []


def test_tikv_grows_in_groups_of_three(cluster, deliver):
    given = deliver(cluster(), op_rate=op_rate("12000 ops/s"))
    assert given.parts["tikv_servers"] == 9
    assert given.counts["metadata"] == 9
    assert given.healthy.op_rate.base == pytest.approx(3 * 4054)
    assert deliver(cluster(8), op_rate=op_rate("12000 ops/s")).healthy.op_rate.base == pytest.approx(2 * 4054)


def test_a_pinned_engine_that_is_too_slow_is_enough_on_no_number_of_hosts(cluster, deliver):
    given = deliver(cluster(metadata_engine="redis"), op_rate=op_rate("5474 ops/s"))
    assert given.counts["metadata"] == NEVER
    assert given.bound_by == "metadata"


def test_hard_disks_bound_small_objects(cluster, deliver):
    """24 disks, 100 accesses a second each, six for each object of 4+2."""
    node = flash(drives=24, medium="hdd", cores=48)
    given = deliver(cluster(8, node=node), op_rate=op_rate("4000 ops/s"))
    assert given.counts["metadata"] == 10
    assert given.healthy.op_rate.base == pytest.approx(3200)


# --- clients and stores ---------------------------------------------------------------------------------------


def test_a_client_ends_at_its_cores_and_its_requests(cluster, deliver, make_need):
    one = replace(make_need("hot").clients, gpu_nodes=1)
    rates = deliver(cluster(40), clients=one).healthy
    assert rates.read.show() == "8 GB/s"
    assert rates.write.show("GB/s", 2) == "6.3 GB/s"
    small = deliver(cluster(40, block_size="1 MiB"), clients=one).healthy
    assert small.read.show("GB/s", 2) == "2.1 GB/s"


def test_straight_to_the_osds_saves_a_crossing_and_gateway_cores(cluster, deliver, make_need):
    many = replace(make_need("hot").clients, gpu_nodes=100_000)
    gateways = deliver(cluster(), clients=many)
    direct = deliver(cluster(object_store="rados"), clients=many)
    assert direct.healthy.write > gateways.healthy.write
    assert gateways.parts["gateways_per_host"] == 4
    assert direct.parts["gateways"] == 0
    assert any("juicefs.ceph" in note for note in direct.notes)


@pytest.mark.parametrize(
    ("options", "asked", "fault"),
    [
        ({"object_store": "minio"}, {}, ("hot-layout", "planned beneath it so far: ceph-rgw, rados")),
        ({"metadata_engine": "mysql"}, {}, ("hot-layout", "allowed: redis, postgresql, tikv")),
        ({"block_size": "3 MiB"}, {}, ("hot-layout", "a power of two")),
        ({"block_size": "32 MiB"}, {}, ("hot-layout", "a power of two")),
        ({"metadata_engine": "redis"}, {"files": 1.01e8}, ("hot-layout", "files in redis; planned up to 1e+08")),
        ({"metadata_engine": "tikv"}, {"files": 1.1e10}, ("hot-layout", "files in tikv")),
        ({"metadata_engine": "redis"}, {"irreplaceable": ("a.checkpoint",)}, ("advice-node", "the last second")),
        ({"write_back": True}, {}, ("advice-node", "one client's drive first")),
        ({"write_back": True}, {"irreplaceable": ("a.checkpoint",)}, ("hot-layout", "a.checkpoint")),
        ({"blocksize": "4 MiB"}, {}, ("hot-layout", "did you mean block_size")),
    ],
)
def test_option_rules(cluster, deliver, options, asked, fault):
    policy, words = fault
    faults = deliver(cluster(**options), **{"capacity": size("1 PB"), **asked}).illegal
    assert any(one.policy == policy and words in f"{one.message} {one.remedy}" for one in faults), faults


def test_the_remedy_names_the_next_legal_choice(cluster, deliver):
    remedies = [fault.remedy for fault in deliver(cluster(block_size="3 MiB")).illegal]
    assert remedies == ['write block_size: "2 MiB"']
    asked = {"files": 5e8, "capacity": size("1 PB")}
    remedies = [fault.remedy for fault in deliver(cluster(metadata_engine="redis"), **asked).illegal]
    assert "write metadata_engine: postgresql" in remedies


def test_a_host_carries_osds_gateways_and_metadata(cluster, deliver):
    assert policies(deliver(cluster(node=flash(cores=22)))) == []
    assert policies(deliver(cluster(node=flash(cores=21)))) == ["hot-node"]
    assert policies(deliver(cluster(node=flash(memory="124 GiB")))) == []
    assert policies(deliver(cluster(node=flash(memory="120 GiB")))) == ["hot-node"]


# --- choices --------------------------------------------------------------------------------------------------


def test_each_layout_on_each_node(facts_of, demo_need):
    found = list(juicefs.BACKEND.choices(demo_need, TierPins(), SITE, facts_of("juicefs")))
    assert {(str(config.layout), config.node.medium) for config in found} == {
        (layout, medium) for layout in ("3 replicas", "4+2", "8+3") for medium in ("nvme", "hdd")
    }
    pins = TierPins(layout=LayoutPins(data_units=6, parity_units=2))
    found = juicefs.BACKEND.choices(demo_need, pins, SITE, facts_of("juicefs"))
    assert {str(config.layout) for config in found} == {"6+2"}


def test_template_context_has_the_products_units(cluster, deliver, make_need):
    config = cluster(cache_size="2 TiB", block_size="8 MiB", metadata_engine="tikv")
    delivered = deliver(config)
    context = juicefs.BACKEND.template_context(TierPlan(need=make_need("hot"), config=config, delivered=delivered), {})
    wanted = {"cache_size_mib": 2**21, "block_size_kib": 8192, "engine": "tikv", "metadata_servers": 3}
    assert {name: context[name] for name in wanted} == wanted
    assert context["capacity_gib"] == int(delivered.planned.bytes / 2**30)
