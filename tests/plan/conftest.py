"""A tier with round figures, to be spoilt one figure at a time."""

import pytest

from tierplan.domain.need import Clients, Phase, TierNeed
from tierplan.domain.stack import Drive, StorageNode, Survive
from tierplan.domain.tiers import Degraded, Delivered, Layout, Rates, TierConfig
from tierplan.plan.rule import TierCase
from tierplan.units import Bandwidth, OpRate, bandwidth, op_rate, size

NODE = StorageNode(
    drives=12,
    drive=Drive(size=size("10 TB"), read=bandwidth("6 GB/s"), write=bandwidth("3 GB/s")),
    ports=2,
    port_rate=bandwidth("200 Gbit/s"),
    cores=64,
    memory=size("384 GiB"),
)


@pytest.fixture
def case() -> TierCase:
    """The tier gives 100 GB/s, 40 GB/s, 1,000 ops/s and 80 TB at planned fill: just what is asked of each."""
    need = TierNeed(
        tier="hot",
        read=bandwidth("100 GB/s"),
        write=bandwidth("40 GB/s"),
        op_rate=op_rate("1000 ops/s"),
        capacity=size("80 TB"),
        phases=(
            Phase(name="training", read=bandwidth("100 GB/s"), write=Bandwidth.zero(), op_rate=OpRate.zero()),
            Phase(
                name="checkpoint", read=bandwidth("50 GB/s"), write=bandwidth("20 GB/s"), op_rate=op_rate("1000 ops/s")
            ),
        ),
        degraded_read=bandwidth("75 GB/s"),
        degraded_write=bandwidth("30 GB/s"),
        survive=Survive(nodes=1, racks=0),
        clients=Clients(
            gpu_nodes=16, ports=2, port_rate=bandwidth("200 Gbit/s"), transport="infiniband", cpu_cores=112
        ),
    )
    config = TierConfig(
        tier="hot",
        backend="weka",
        nodes=8,
        node=NODE,
        layout=Layout(kind="erasure-code", data_units=5, parity_units=2, hot_spares=1),
    )
    rates = Rates(
        read=bandwidth("100 GB/s"),
        write=bandwidth("40 GB/s"),
        op_rate=op_rate("1000 ops/s"),
        read_limited_by="node ports",
        write_limited_by="media",
    )
    delivered = Delivered(
        counts={"capacity": 3, "read": 8, "write": 8, "minimum": 6},
        raw=size("200 TB"),
        usable=size("100 TB"),
        planned_fill_fraction=0.8,
        waterfall=(),
        healthy=rates,
        degraded=(Degraded(nodes=1, read=bandwidth("75 GB/s"), write=bandwidth("30 GB/s"), data_lost=False),),
    )
    return TierCase(need=need, config=config, delivered=delivered)
