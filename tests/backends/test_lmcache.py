"""LMCache: chunks take a part of the array on their way through the host memory."""

from __future__ import annotations

import pytest

from tierplan.backends import lmcache, local_nvme
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout
from tierplan.units import bandwidth, size

NODE = StorageNode(
    drives=8,
    drive=Drive(size=size("3.84 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s")),
    ports=2,
    port_rate=bandwidth("200 Gbit/s"),
    cores=112,
    memory=size("2 TiB"),
)


@pytest.fixture
def deliver(facts_of, make_need, make_config):
    def run(module=lmcache, **options):
        name = module.BACKEND.id
        config = make_config(name, NODE, nodes=16, layout=Layout(kind="none"), tier="local", options=options)
        return module.BACKEND.deliver(config, make_need("local"), facts_of(name))

    return run


def test_chunks_read_a_part_of_what_the_drives_give(deliver):
    bare, given = deliver(local_nvme).healthy, deliver().healthy
    assert given.read.base == pytest.approx(bare.read.base * 0.7)
    assert (given.write, given.read_limited_by) == (bare.write, "protocol")


@pytest.mark.parametrize(
    "options", [{"chunk_tokens": 1}, {"cache_policy": "RANDOM"}, {"engine": "other"}, {"chunk": 256}]
)
def test_words_that_are_refused(deliver, options):
    assert [fault.policy for fault in deliver(**options).illegal] == ["local-layout"]
