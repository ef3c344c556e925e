"""JuiceFS client cache: the mount's cores, the drives' free space, writes that one drive alone would hold."""

from __future__ import annotations

import pytest

from tierplan.backends import alluxio, juicefs_cache, mooncake
from tierplan.backends._local import array_bandwidth
from tierplan.domain.need import Clients
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout
from tierplan.units import Bandwidth, bandwidth, size


def node(drives=8, drive_gb_s=6.5):
    return StorageNode(
        drives=drives,
        drive=Drive(size=size("7.68 TB"), read=Bandwidth(drive_gb_s * 1e9), write=bandwidth("3.5 GB/s")),
        ports=2,
        port_rate=bandwidth("200 Gbit/s"),
        cores=112,
        memory=size("2 TiB"),
    )


def clients(ports=2, gbit=200.0, transport="infiniband"):
    return Clients(gpu_nodes=1, ports=ports, port_rate=bandwidth(f"{gbit} Gbit/s"), transport=transport, cpu_cores=112)


@pytest.fixture
def deliver(facts_of, make_need, make_config):
    def run(module, *, hardware=None, need=None, nodes=1, **options):
        backend = module.BACKEND
        config = make_config(
            backend.id, hardware or node(), nodes=nodes, layout=Layout(kind="none"), tier="local", options=options
        )
        return backend.deliver(config, make_need("local", **(need or {"clients": clients()})), facts_of(backend.id))

    return run


COMPUTED = {
    "alluxio": lambda give, i: give(alluxio, hardware=node(i["drives"], i["drive_gb_s"])).healthy.read.base / 1e9,
    "mooncake": lambda give, i: (
        give(mooncake, hardware=node(64), need={"clients": clients(i["ports"], i["gbit"])}).healthy.read.base / 1e9
    ),
    "juicefs_client": lambda give, i: (
        give(juicefs_cache, hardware=node(64), client_cores=i["cores"]).healthy.read.base / 1e9
    ),
    "juicefs_fill": lambda _, i: juicefs_cache.full_limit(free_space_ratio=i["ratio"]),
}


def test_published_figures(near_case, deliver):
    found = COMPUTED[near_case["of"]](deliver, near_case["inputs"])
    assert found == pytest.approx(near_case["expected"], rel=near_case["tolerance"])


def test_software_never_reads_more_than_the_array(deliver):
    slow = node(1, 1.0)
    most = array_bandwidth(bandwidth("1 GB/s"), drives=1, array_fraction=0.385)
    for module in (juicefs_cache, alluxio, mooncake):
        assert deliver(module, hardware=slow).healthy.read <= most


def test_what_is_written_goes_to_the_drives(deliver):
    bare = array_bandwidth(bandwidth("3.5 GB/s"), drives=8, array_fraction=0.357)
    for module in (juicefs_cache, alluxio, mooncake):
        assert deliver(module).healthy.write.base == pytest.approx(bare.base)


def test_planned_fill_stops_where_the_cache_does(deliver):
    need = {"clients": clients(), "max_fill": 0.95}
    assert deliver(juicefs_cache, need=need).planned_fill_fraction == pytest.approx(0.9)
    assert deliver(juicefs_cache, need=need, free_space_ratio=0.02).planned_fill_fraction == pytest.approx(0.95)


def policies(given):
    return [fault.policy for fault in given.illegal]


@pytest.mark.parametrize(
    ("options", "policy"),
    [
        ({"write_back": True}, "local-refetchable"),
        ({"free_space_ratio": 1.5}, "local-layout"),
        ({"volume": "ab"}, "local-layout"),
        ({"volume_mount": "mnt; reboot"}, "local-layout"),
        ({"client_cores": 0}, "local-layout"),
        ({"arrays": "raid5"}, "local-layout"),
        ({"drive_paths": ("/dev/nvme0n1",)}, "local-layout"),
        ({"drive_paths": tuple(f"/dev/../x{n}" for n in range(8))}, "local-layout"),
    ],
)
def test_words_that_are_refused(deliver, options, policy):
    assert policies(deliver(juicefs_cache, **options)) == [policy]


def test_good_words_are_no_fault(deliver):
    paths = tuple(f"/dev/nvme{n}n1" for n in range(8))
    words = {"arrays": "raid0", "drive_paths": paths, "free_space_ratio": 0.2, "volume": "data", "write_back": False}
    assert policies(deliver(juicefs_cache, **words)) == []
