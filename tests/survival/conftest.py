"""Plans to lose something of: a stack of six or more nodes with one backend and one layout."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan import backends
from tierplan.domain.figures import Ledger
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.stack import Drive, StorageNode, Survive
from tierplan.domain.tiers import Layout, TierConfig, TierPlan
from tierplan.load import catalogue
from tierplan.survival.book import Book
from tierplan.survival.tiers import of_tier
from tierplan.units import Bandwidth, OpRate, bandwidth, size

NODE = StorageNode(
    drives=12,
    drive=Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s")),
    ports=2,
    port_rate=bandwidth("200 Gbit/s"),
    cores=64,
    memory=size("512 GiB"),
)
CLIENTS = Clients(gpu_nodes=128, ports=2, port_rate=bandwidth("200 Gbit/s"), transport="infiniband", cpu_cores=112)


@pytest.fixture(scope="session")
def failures():
    """How often things break."""
    return catalogue().failures()


@pytest.fixture(scope="session")
def tier():
    """Backend, nodes and layout -> the tier as planned."""

    def make(backend="cephfs", *, nodes=6, code=(4, 2), replicas=None, domain="node", stored="50 TB", **changes):
        survive = changes.pop("survive", Survive(nodes=1))
        racks, node = changes.pop("racks", 8), replace(NODE, **changes.pop("node", {}))
        layout = (
            Layout(kind="replicas", replicas=replicas, failure_domain=domain)
            if replicas
            else Layout(
                kind="erasure-code",
                data_units=code[0],
                parity_units=code[1],
                failure_domain=domain,
                hot_spares=changes.pop("spares", 0),
            )
        )
        need = TierNeed(
            tier="hot",
            read=Bandwidth(1e9),
            write=Bandwidth(1e9),
            op_rate=OpRate(100.0),
            capacity=size(stored),
            phases=(),
            survive=survive,
            racks=racks,
            clients=CLIENTS,
            files=1e6,
            **{name: changes.pop(name) for name in ("annual_loss_probability",) if name in changes},
        )
        config = TierConfig(tier="hot", backend=backend, nodes=nodes, node=node, layout=layout, racks=racks, **changes)
        given = backends.load(backend).deliver(config, need, catalogue().backend(backend))
        return TierPlan(need=need, config=config, delivered=given)

    return make


@pytest.fixture(scope="session")
def survive(tier, failures):
    """The survival of such a tier."""

    def make(*args, **changes):
        found = of_tier(tier(*args, **changes), failures)
        assert found is not None
        return found

    return make


@pytest.fixture(scope="session")
def book(tier, failures):
    """Such a tier as survival looks at it."""

    def make(*args, **changes):
        plan = tier(*args, **changes)
        return Book(plan=plan, kept=plan.delivered.protection, failures=failures, ledger=Ledger())

    return make
