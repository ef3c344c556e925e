"""Alluxio: one cache over all nodes, read through FUSE and through the ports between them."""

from __future__ import annotations

import pytest

from tierplan.backends import alluxio
from tierplan.backends._cache_alluxio import remote_share, shared_bandwidth
from tierplan.domain.need import Clients
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout
from tierplan.units import bandwidth, size

NODE = StorageNode(
    drives=16,
    drive=Drive(size=size("7.68 TB"), read=bandwidth("14 GB/s"), write=bandwidth("7 GB/s")),
    ports=1,
    port_rate=bandwidth("100 Gbit/s"),
    cores=112,
    memory=size("2 TiB"),
)


@pytest.fixture
def deliver(facts_of, make_need, make_config):
    def run(nodes=4, rate="400 Gbit/s", **options):
        config = make_config("alluxio", NODE, nodes=nodes, layout=Layout(kind="none"), tier="local", options=options)
        clients = Clients(gpu_nodes=nodes, ports=1, port_rate=bandwidth(rate), transport="tcp", cpu_cores=112)
        return alluxio.BACKEND.deliver(config, make_need("local", clients=clients), facts_of("alluxio"))

    return run


def test_a_fast_network_leaves_the_fuse_mount_as_the_limit(deliver):
    rates = deliver().healthy
    assert rates.read_limited_by == "protocol"
    assert rates.read.base == pytest.approx(4 * 7e9)


def test_slow_ports_bind_since_most_blocks_lie_on_other_nodes(deliver):
    rates = deliver(rate="25 Gbit/s").healthy
    assert rates.read_limited_by == "node ports"
    assert rates.read.base == pytest.approx(4 * 3.125e9 * 0.8 / 0.75)


def test_a_single_node_reads_nothing_of_others(deliver):
    assert remote_share(nodes=1) == 0
    assert shared_bandwidth(network=bandwidth("1 GB/s"), nodes=1) > bandwidth("1 TB/s")
    assert deliver(nodes=1, rate="1 Gbit/s").healthy.read_limited_by == "protocol"


@pytest.mark.parametrize(
    "options",
    [
        {"masters": ("a", "b")},
        {"masters": ("a; reboot", "b", "c")},
        {"eviction": "FIFO"},
        {"worker_memory": "3 TiB"},
        {"fuse_mount": "mnt"},
        {"workers": (1,)},
        {"mastres": ("a",)},
    ],
)
def test_words_that_are_refused(deliver, options):
    assert [fault.policy for fault in deliver(**options).illegal] == ["local-layout"]


def test_three_masters_are_fine(deliver):
    assert deliver(masters=("a", "b", "c"), under_store="s3://x", eviction="LRFU").illegal == ()
