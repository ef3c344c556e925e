"""Stacks built by hand, plans of hand-made rates, and the golden table, for the demand room's tests."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
import yaml

from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import (
    Budget,
    Capacity,
    Checkpoint,
    Cluster,
    Dataset,
    Drive,
    General,
    GpuPrice,
    Interrupts,
    KvCache,
    KvModel,
    LocalNvme,
    LocalPins,
    Model,
    ModelLoad,
    Operations,
    Parallelism,
    Restore,
    Site,
    Stack,
    Staging,
    StorageNetwork,
    StorageNode,
    Survive,
    Targets,
    TierPins,
    Tiers,
    Training,
    Workload,
)
from tierplan.domain.tiers import Delivered, Layout, Rates, TierConfig, TierPlan
from tierplan.units import QUANTITIES, bandwidth, duration, op_rate, size

GOLDEN = Path(__file__).parents[1] / "golden" / "workloads.yaml"


class Build:
    """Small builders: every noun as the form's example has it, with the changes that a test names."""

    @staticmethod
    def checkpoint(**changes: object) -> Checkpoint:
        base = Checkpoint(
            interval=duration("30 min"),
            mode="sync",
            overhead=0.03,
            blocking=duration("5 s"),
            drain_fraction=0.8,
            staging=Staging(copies=2, slack=0.15),
            keep=10,
            concurrent_jobs=4,
            archive_every=duration("1 d"),
        )
        return replace(base, **changes)

    @staticmethod
    def dataset(**changes: object) -> Dataset:
        base = Dataset(
            size=size("10 TB"),
            sample_size=size("4 kB"),
            samples_per_s_per_gpu=50.0,
            samples_per_shard=1000,
            format="webdataset",
            cache="preload",
        )
        return replace(base, **changes)

    @classmethod
    def training(cls, **changes: object) -> Training:
        base = Training(
            name="pretrain-70b",
            kind="training",
            gpus=1024,
            model=Model(parameters=70e9, bytes_per_parameter=14.0),
            parallelism=Parallelism(tensor=8, pipeline=1, data=128, sharding="zero-3"),
            checkpoint=cls.checkpoint(),
            restore=Restore(within=duration("5 min")),
            dataset=cls.dataset(),
        )
        return replace(base, **changes)

    @staticmethod
    def model_load(**changes: object) -> ModelLoad:
        base = ModelLoad(
            name="chat", kind="model-load", weights=size("140 GB"), replicas=50, within=duration("60 s"), gpu_nodes=50
        )
        return replace(base, **changes)

    @staticmethod
    def kv_cache(**changes: object) -> KvCache:
        base = KvCache(
            name="long-context",
            kind="kv-cache",
            model=KvModel(layers=80, kv_heads=8, head_dimension=128),
            context=131_072,
            sessions=500,
            resumes=op_rate("20 ops/s"),
            reload_within=duration("2 s"),
            new_tokens_per_s=20_000.0,
            placement=("host-memory", "local", "hot"),
            gpu_nodes=16,
        )
        return replace(base, **changes)

    @staticmethod
    def general(**changes: object) -> General:
        base = General(
            name="users",
            kind="general",
            read=bandwidth("2 GB/s"),
            write=bandwidth("1 GB/s"),
            operations=op_rate("20000 ops/s"),
        )
        return replace(base, **changes)

    @staticmethod
    def cluster(**changes: object) -> Cluster:
        base = Cluster(
            gpu_nodes=128,
            gpus_per_node=8,
            host_memory=size("2 TiB"),
            cpu_cores=112,
            local_nvme=LocalNvme(
                drives=4, size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s")
            ),
            storage_network=StorageNetwork(
                ports=2, rate=bandwidth("200 Gbit/s"), transport="infiniband", shared_with_compute=False
            ),
            interrupts=Interrupts(per_gpu=duration("50000 h")),
            price=GpuPrice(per_gpu_hour=3.0),
        )
        return replace(base, **changes)

    @staticmethod
    def capacity(**changes: object) -> Capacity:
        base = Capacity(
            home=size("50 TB"), raw_data=size("2 PB"), processed_data=size("500 TB"), archived_checkpoints=100
        )
        return replace(base, **changes)

    @classmethod
    def stack(cls, *workloads: Workload, **changes: object) -> Stack:
        base = Stack(
            name="demo",
            site=Site(kind="on-prem", racks=8),
            cluster=cls.cluster(),
            workloads=workloads or (cls.training(),),
            capacity=cls.capacity(),
            tiers=Tiers(
                local=LocalPins(use=("dataset-cache",)), hot=TierPins(backend="weka"), cold=TierPins(backend="ceph-rgw")
            ),
            targets=Targets(
                headroom=1.3, max_fill=0.8, survive=Survive(nodes=1), degraded_fraction=0.8, budget=Budget()
            ),
            operations=Operations(storage_engineers=2),
        )
        return replace(base, **changes)

    @classmethod
    def using(cls, *uses: str, hot: str = "weka") -> Tiers:
        return Tiers(
            local=LocalPins(use=uses),  # type: ignore[arg-type]
            hot=TierPins(backend=hot),
            cold=TierPins(backend="ceph-rgw"),
        )

    @staticmethod
    def plan(
        requirement: Requirement, tier: Tier, *, read: str, write: str, nodes: int = 12, usable: str = "500 TB"
    ) -> TierPlan:
        """A tier that gives exactly these rates, whatever it is made of."""
        drive = Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s"))
        node = StorageNode(
            drives=12, drive=drive, ports=2, port_rate=bandwidth("200 Gbit/s"), cores=64, memory=size("384 GiB")
        )
        rates = Rates(
            read=bandwidth(read),
            write=bandwidth(write),
            op_rate=op_rate("100000 ops/s"),
            read_limited_by="node ports",
            write_limited_by="node ports",
        )
        delivered = Delivered(
            counts={"capacity": 1},
            raw=size(usable),
            usable=size(usable),
            planned_fill_fraction=0.8,
            waterfall=(),
            healthy=rates,
            degraded=(),
        )
        config = TierConfig(tier=tier, backend="test", nodes=nodes, node=node, layout=Layout(kind="none"))
        return TierPlan(need=requirement.needs[tier], config=config, delivered=delivered)


@pytest.fixture(scope="session")
def build() -> type[Build]:
    """The builders."""
    return Build


@dataclass(frozen=True)
class Golden:
    """One published figure: which formula gives it from which inputs, and how exactly it is known."""

    id: str
    source: str
    formula: str
    inputs: dict[str, object]
    expected: float
    relative: float = 0.0
    absolute: float = 0.0


def goldens() -> list[Golden]:
    """Every case of the golden table."""
    cases = [Golden(**case) for case in yaml.safe_load(GOLDEN.read_text())["cases"]]
    return [replace(case, inputs={key: _value(value) for key, value in case.inputs.items()}) for case in cases]


def _value(given: object) -> object:
    """A quantity from its text, of whichever kind its unit is; a number as it is."""
    if not isinstance(given, str):
        return given
    for kind in QUANTITIES:
        with suppress(ValueError):
            return kind.parse(given)
    message = f"{given!r} is no quantity"
    raise ValueError(message)


@pytest.fixture(scope="session")
def golden_table() -> list[Golden]:
    """The whole golden table."""
    return goldens()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `golden` runs once for each case."""
    if "golden" in metafunc.fixturenames:
        metafunc.parametrize("golden", goldens(), ids=lambda case: case.id)
