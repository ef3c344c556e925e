"""Mooncake: a pool that is as fast as its transport, and no larger than the memory that it may take."""

from __future__ import annotations

import pytest

from tierplan.backends import mooncake
from tierplan.domain.need import Clients
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout
from tierplan.units import bandwidth, size

NODE = StorageNode(
    drives=8,
    drive=Drive(size=size("3.84 TB"), read=bandwidth("14 GB/s"), write=bandwidth("7 GB/s")),
    ports=1,
    port_rate=bandwidth("100 Gbit/s"),
    cores=112,
    memory=size("2 TiB"),
)


@pytest.fixture
def deliver(facts_of, make_need, make_config):
    def run(transport="roce", **options):
        clients = Clients(gpu_nodes=4, ports=1, port_rate=bandwidth("100 Gbit/s"), transport=transport, cpu_cores=112)
        config = make_config("mooncake", NODE, nodes=4, layout=Layout(kind="none"), tier="local", options=options)
        return mooncake.BACKEND.deliver(config, make_need("local", clients=clients), facts_of("mooncake"))

    return run


def test_rdma_is_taken_where_the_ports_have_it(deliver):
    assert deliver().healthy.read.base == pytest.approx(4 * 12.5e9 * 0.87)
    assert deliver("tcp").healthy.read.base == pytest.approx(4 * 12.5e9 * 0.36)
    assert deliver(protocol="tcp").healthy.read.base == pytest.approx(4 * 12.5e9 * 0.36)


@pytest.mark.parametrize(
    ("transport", "options"),
    [
        ("tcp", {"protocol": "rdma"}),
        ("roce", {"segment_size": "1.5 TiB"}),
        ("roce", {"master": "a b"}),
        ("roce", {"eviction": "lfu"}),
        ("roce", {"protocol": "quic"}),
    ],
)
def test_words_that_are_refused(deliver, transport, options):
    assert [fault.policy for fault in deliver(transport, **options).illegal] == ["local-layout"]


def test_half_of_the_host_memory_is_the_most(deliver):
    assert deliver(segment_size="1 TiB").illegal == ()
