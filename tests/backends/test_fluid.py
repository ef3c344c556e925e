"""Fluid: what it starts decides what is read and who shares."""

from __future__ import annotations

import pytest

from tierplan.backends import fluid
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout
from tierplan.units import bandwidth, size

NODE = StorageNode(
    drives=8,
    drive=Drive(size=size("3.84 TB"), read=bandwidth("14 GB/s"), write=bandwidth("7 GB/s")),
    ports=2,
    port_rate=bandwidth("200 Gbit/s"),
    cores=112,
    memory=size("2 TiB"),
)


@pytest.fixture
def deliver(facts_of, make_need, make_config):
    def run(**options):
        config = make_config("fluid", NODE, nodes=16, layout=Layout(kind="none"), tier="local", options=options)
        return fluid.BACKEND.deliver(config, make_need("local"), facts_of("fluid"))

    return run


def test_alluxio_is_what_fluid_starts_where_nobody_says(deliver):
    given = deliver()
    assert given.healthy.read.base == pytest.approx(16 * 7e9)
    assert any("one cache over all nodes" in note for note in given.notes)


def test_juicefs_workers_share_nothing_and_end_at_their_cores(deliver):
    given = deliver(runtime="juicefs")
    assert (given.healthy.read.base, given.healthy.read_limited_by) == (pytest.approx(16 * 8e9), "cpu")
    assert any("share nothing" in note for note in given.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"runtime": "jindo"},
        {"placement": "Both"},
        {"policy": "Cron"},
        {"policy": "Now"},
        {"namespace": "Training!"},
        {"secret": "a b"},
    ],
)
def test_words_that_are_refused(deliver, options):
    assert [fault.policy for fault in deliver(**options).illegal] == ["local-layout"]
