"""What the tests of every backend share: the catalogue, a need, a node, a configuration, pins of a configuration."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from tierplan import backends
from tierplan.backends import module_name
from tierplan.domain.need import Clients, Phase, TierNeed
from tierplan.domain.stack import DrivePins, LayoutPins, NodePins, Quote, Site, TierPins
from tierplan.domain.tiers import Layout, TierConfig
from tierplan.load import catalogue
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

# Products of which nothing is published are planned by an offer: here one for more than anybody asks.
OFFERS = {"vast": Quote(read=Bandwidth(1e13), write=Bandwidth(1e13), usable=Size(1e18), source="offer of the test")}
# Products that are planned only where somebody says so.
ACCEPTED = {"rustfs": {"evaluation": True}}
# A backend of a cloud is tried on its own site.
SITE_KINDS = {
    "fsx-lustre": "aws",
    "s3": "aws",
    "azure-lustre": "azure",
    "azure-blob": "azure",
    "google-lustre": "google",
    "gcs": "google",
    "oci-lustre": "oci",
    "oci-object": "oci",
    "cpfs": "alibaba",
    "oss": "alibaba",
    "cos": "tencent",
    "obs": "huawei",
    "sfs-turbo": "huawei",
}
# Classes of a service that figures of their own belong to, beside what is chosen where nothing is pinned.
VARIANTS = {
    "azure-lustre": tuple({"sku": f"AMLFS-Durable-Premium-{rate}"} for rate in (40, 125, 250, 500)),
    "google-lustre": tuple({"per_unit_throughput": rate, "size": "9 PiB"} for rate in (125, 250, 500, 1000)),
    "juicefs": (
        *({"metadata_engine": engine} for engine in ("redis", "postgresql", "tikv")),
        *({"region": region} for region in ("cn-hangzhou", "cn-zhangjiakou", "cn-qingdao", "ap-shanghai")),
    ),
    "fsx-lustre": (
        {"storage_type": "INTELLIGENT_TIERING", "read_cache": "64 GiB"},
        {"storage_type": "HDD", "drive_cache_type": "READ"},
        {"per_unit_throughput": 500, "efa": True, "metadata_iops": 24000},
    ),
    "oci-lustre": tuple({"performance_tier": f"MBPS_PER_TB_{rate}"} for rate in (250, 500, 1000)),
    "cpfs": (
        {"storage_type": "advance_200", "quota_raised": True},
        {"storage_type": "advance_100", "quota_raised": True, "data_flows": ({"path": "/data"},)},
        {"storage_type": "advance_200"},
        {"storage_type": "lingjun_400"},
        {"storage_type": "lingjun_400", "quota_raised": True},
        {"storage_type": "cpfs_p400"},
    ),
    "sfs-turbo": tuple(
        {"bandwidth_per_tib": rate, "quota_raised": raised}
        for rate in (20, 40, 125, 250, 500, 1000)
        for raised in (False, True)
    ),
}
GOLDEN = Path(__file__).parents[1] / "golden"


def backend_ids() -> list[str]:
    """Every backend of the catalogue that has a module."""
    return [name for name in catalogue().known() if importlib.util.find_spec(f"tierplan.backends.{module_name(name)}")]


def golden_cases(name: str) -> list[dict]:
    """The cases of one golden file, each with the source and the tolerance of its group."""
    groups = yaml.safe_load((GOLDEN / f"{name}.yaml").read_text())
    return [
        {"source": group["source"], "tolerance": group.get("tolerance", 0), **case}
        for group in groups
        for case in group["cases"]
    ]


def pytest_generate_tests(metafunc):
    """A test with `backend_id` runs over every backend; one with `<name>_case` over tests/golden/<name>.yaml."""
    for fixture in metafunc.fixturenames:
        if fixture == "backend_id":
            metafunc.parametrize(fixture, backend_ids())
        elif fixture.endswith("_case"):
            cases = golden_cases(fixture.removesuffix("_case"))
            metafunc.parametrize(fixture, cases, ids=[f"{case['of']}-{index}" for index, case in enumerate(cases)])


@pytest.fixture(scope="session")
def facts_of():
    """Backend id -> its facts."""
    return catalogue().backend


CLIENTS = Clients(gpu_nodes=128, ports=2, port_rate=bandwidth("200 Gbit/s"), transport="infiniband", cpu_cores=112)


def need_of(tier="hot", **changes) -> TierNeed:
    """A need of nothing, with what the test asks."""
    nothing = {
        "read": Bandwidth.zero(),
        "write": Bandwidth.zero(),
        "op_rate": OpRate.zero(),
        "capacity": Size.zero(),
        "phases": (),
        "clients": CLIENTS,
    }
    return TierNeed(tier=tier, **{**nothing, **changes})


@pytest.fixture(scope="session")
def make_need():
    """A need of nothing, with what the test asks."""
    return need_of


@pytest.fixture(scope="session")
def demo_need():
    """Some 1,000 GPUs that train a 70B model: what the hot tier is asked."""
    read, write = bandwidth("12 GB/s"), bandwidth("23.6 GB/s")
    return need_of(
        read=read,
        write=write,
        op_rate=op_rate("2000 ops/s"),
        capacity=size("103.1 TB"),
        phases=(
            Phase(name="training", read=read, write=Bandwidth.zero(), op_rate=op_rate("2000 ops/s")),
            Phase(name="checkpoint", read=Bandwidth.zero(), write=write, op_rate=op_rate("100 ops/s")),
        ),
        degraded_read=bandwidth("7.4 GB/s"),
        degraded_write=bandwidth("14.5 GB/s"),
        files=1e6,
        racks=8,
    )


@pytest.fixture(scope="session")
def make_config():
    """Node and layout of a backend -> a configuration."""

    def make(backend_id, node, *, nodes, layout, tier="hot", **changes):
        return TierConfig(tier=tier, backend=backend_id, nodes=nodes, node=node, layout=layout, **changes)

    return make


@pytest.fixture(scope="session")
def pin_all():
    """A configuration as pins with nothing left open."""

    def pins(config):
        node, layout = config.node, config.layout
        code = layout.kind == "erasure-code"
        return TierPins(
            backend=config.backend,
            nodes=config.nodes,
            node=NodePins(
                drives=node.drives,
                drive=DrivePins(size=node.drive.size, read=node.drive.read, write=node.drive.write),
                ports=node.ports,
                port_rate=node.port_rate,
                cores=node.cores,
                memory=node.memory,
                medium=node.medium,
            ),
            layout=LayoutPins(
                data_units=layout.data_units if code else None,
                parity_units=layout.parity_units if code else None,
                replicas=layout.replicas if layout.kind == "replicas" else None,
                hot_spares=layout.hot_spares,
                failure_domain=layout.failure_domain,
            ),
            quote=config.quote,
            options=config.options,
        )

    return pins


@pytest.fixture(scope="session")
def stripe():
    """k, m -> an erasure code."""

    def make(data_units, parity_units, *, spares=0, failure_domain="node"):
        return Layout(
            kind="erasure-code",
            data_units=data_units,
            parity_units=parity_units,
            hot_spares=spares,
            failure_domain=failure_domain,
        )

    return make


@dataclass(frozen=True)
class Lab:
    """A backend asked and answered; `facts` reads the catalogue, `need` starts from nothing."""

    facts: Callable
    need_of: Callable

    def need(self, backend_id, ask):
        return self.need_of(self.facts(backend_id).fills[0], **{"racks": 8, **ask})

    def sized(self, backend_id):
        """The local tier is what the GPU nodes are; a service of a cloud has sizes and quotas, but no nodes."""
        facts = self.facts(backend_id)
        return facts.fills[0] != "local" and "on-prem" in facts.sites

    def choose(self, backend_id, need, pins=None, kind=None):
        """Everything that the backend would try."""
        site = Site(kind=kind or SITE_KINDS.get(backend_id, "on-prem"), racks=8)
        pins = pins or TierPins(quote=OFFERS.get(backend_id), options=ACCEPTED.get(backend_id, {}))
        return list(backends.load(backend_id).choices(need, pins, site, self.facts(backend_id)))

    def variants(self, backend_id, need):
        """What is chosen where nothing is pinned, and what by the pins of `VARIANTS`."""
        pinned = [TierPins(quote=OFFERS.get(backend_id), options=words) for words in VARIANTS.get(backend_id, ())]
        kinds = self.facts(backend_id).sites
        return [
            config for kind in kinds for pins in (None, *pinned) for config in self.choose(backend_id, need, pins, kind)
        ]

    def give(self, config, need):
        """What one configuration delivers."""
        return backends.load(config.backend).deliver(config, need, self.facts(config.backend))


@pytest.fixture(scope="session")
def lab():
    """Any backend, asked and answered."""
    return Lab(facts=catalogue().backend, need_of=need_of)
