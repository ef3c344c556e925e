"""Plans made by hand: rendering needs no catalogue, no search and no stack file."""

from dataclasses import replace

import pytest

from tierplan.domain.hosts import ClientHosts, Host, HostGroup, Hosts
from tierplan.domain.need import Clients, Requirement, TierNeed
from tierplan.domain.plan import Cost, Plan
from tierplan.domain.stack import (
    Budget,
    Capacity,
    Cluster,
    Drive,
    Interrupts,
    LifecyclePins,
    LocalNvme,
    LocalPins,
    Operations,
    Site,
    Stack,
    StorageNetwork,
    StorageNode,
    Survive,
    Targets,
    TierPins,
    Tiers,
)
from tierplan.domain.tiers import Delivered, Layout, Rates, TierConfig, TierPlan
from tierplan.render import render
from tierplan.units import OpRate, bandwidth, duration, size

HOSTILE = (
    "; rm -rf /",
    "a\nrm -rf /",
    "\"'`$(touch /tmp/x)`",
    "$(reboot)",
    "{{ 7 * 7 }}",
    "{% raw %}",
    "x: y # z",
    "--> <script>",
    "| `code` **b**",
    "\\\\ %s ${HOME}",
)


def need(tier, *, capacity):
    return TierNeed(
        tier=tier,
        read=bandwidth("20 GB/s"),
        write=bandwidth("18 GB/s"),
        op_rate=OpRate(1000.0),
        capacity=size(capacity),
        phases=(),
        clients=Clients(
            gpu_nodes=128, ports=2, port_rate=bandwidth("200 Gbit/s"), transport="infiniband", cpu_cores=112
        ),
    )


def delivered(*, usable, parts):
    return Delivered(
        counts={"capacity": 3},
        raw=size("1 PB"),
        usable=size(usable),
        planned_fill_fraction=0.8,
        waterfall=(),
        healthy=Rates(
            read=bandwidth("100 GB/s"),
            write=bandwidth("40 GB/s"),
            op_rate=OpRate(1e5),
            read_limited_by="media",
            write_limited_by="media",
        ),
        degraded=(),
        cannot_change_later=("data units and parity units: set before start-io",),
        parts=parts,
    )


def weka_tier(*, nodes=12, failure_domain="node", options=None, drives=12, compute_cores=12):
    node = StorageNode(
        drives=drives,
        drive=Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s")),
        ports=2,
        port_rate=bandwidth("200 Gbit/s"),
        cores=64,
        memory=size("384 GiB"),
    )
    layout = Layout(kind="erasure-code", data_units=5, parity_units=2, hot_spares=1, failure_domain=failure_domain)
    config = TierConfig(
        tier="hot", backend="weka", nodes=nodes, node=node, layout=layout, racks=8, options=options or {}
    )
    parts = {
        "drive_cores": 6,
        "compute_cores": compute_cores,
        "frontend_cores": 1,
        "cores_per_container": 19,
        "memory_gib": 200,
        "minimum_healthy_nodes": 4,
    }
    return TierPlan(
        need=need("hot", capacity="100 TB"), config=config, delivered=delivered(usable="600 TB", parts=parts)
    )


def ceph_tier(*, nodes=8, failure_domain="node", medium="hdd", kind="erasure-code", options=None):
    node = StorageNode(
        drives=24,
        drive=Drive(size=size("20 TB"), read=bandwidth("250 MB/s"), write=bandwidth("250 MB/s")),
        ports=2,
        port_rate=bandwidth("100 Gbit/s"),
        cores=64,
        memory=size("256 GiB"),
        medium=medium,
    )
    layout = Layout(kind=kind, data_units=4, parity_units=2, replicas=3, failure_domain=failure_domain)
    config = TierConfig(
        tier="cold", backend="ceph-rgw", nodes=nodes, node=node, layout=layout, racks=8, options=options or {}
    )
    parts = {
        "osds": nodes * 24,
        "monitors": 3,
        "managers": 2,
        "placement_groups": 2048,
        "nearfull_fraction": 0.85,
        "osd_memory_target_gib": 4,
        "gateways_per_host": 2,
        "gateways": nodes * 2,
    }
    return TierPlan(need=need("cold", capacity="1 PB"), config=config, delivered=delivered(usable="2 PB", parts=parts))


def plan_of(*, hot=None, cold=None, name="demo", kubernetes=True, tags=None, delete_after=None):
    stack = Stack(
        name=name,
        site=Site(kind="on-prem", racks=8),
        cluster=Cluster(
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
        ),
        workloads=(),
        capacity=Capacity(home=size("50 TB"), raw_data=size("2 PB"), processed_data=size("500 TB")),
        tiers=Tiers(
            local=LocalPins(),
            hot=TierPins(),
            cold=TierPins(),
            lifecycle=LifecyclePins(delete_after=duration(delete_after)) if delete_after else None,
        ),
        targets=Targets(
            headroom=1.3,
            max_fill=0.8,
            survive=Survive(),
            degraded_fraction=0.8,
            budget=Budget(),
        ),
        operations=Operations(kubernetes=kubernetes, tags=tags or {}),
    )
    tiers = {tier: plan for tier, plan in (("hot", hot), ("cold", cold)) if plan is not None}
    return Plan(
        stack=stack,
        requirement=Requirement(figures={}, loads=(), needs={tier: plan.need for tier, plan in tiers.items()}),
        tiers=tiers,
        outcome={},
        cost=Cost(complete=False, unknown=(), currency="USD", monthly=None, stall_gpu_hours_per_30d=0.0),
    )


def hosts_of(*, hot=12, cold=8, racks=8):
    """A hosts file that fits the plans above."""
    return Hosts(
        hot=HostGroup(
            ports=("ib0", "ib1"),
            drives=tuple(f"/dev/nvme{index}n1" for index in range(1, 13)),
            hosts=tuple(
                Host(
                    name=f"hot-{index}.example.internal",
                    addresses=(f"10.10.1.{index + 1}", f"10.10.2.{index + 1}"),
                    rack=f"r{index % racks}",
                )
                for index in range(hot)
            ),
        ),
        cold=HostGroup(
            virtual_ips=("10.20.0.250/24", "10.20.0.251/24"),
            s3_name="s3.example.internal",
            public_network="10.20.0.0/16",
            cluster_network="10.21.0.0/16",
            drives=tuple(f"/dev/sd{letter}" for letter in "abcdefghijklmnopqrstuvwx"),
            db_drives=("/dev/nvme0n1", "/dev/nvme1n1"),
            hosts=tuple(
                Host(name=f"cold-{index}", addresses=(f"10.20.0.{index + 1}",), rack=f"r{index % racks}")
                for index in range(cold)
            ),
        ),
        clients=ClientHosts(ports=("ib0", "ib1")),
    )


@pytest.fixture(name="weka_tier")
def weka_tier_fixture():
    return weka_tier


@pytest.fixture(name="ceph_tier")
def ceph_tier_fixture():
    return ceph_tier


@pytest.fixture(name="plan_of")
def plan_of_fixture():
    return plan_of


@pytest.fixture(name="hosts_of")
def hosts_of_fixture():
    return hosts_of


@pytest.fixture
def hostile():
    """Texts that try to leave their field."""
    return HOSTILE


@pytest.fixture
def plan():
    """WEKA in front, Ceph RGW behind."""
    return plan_of(hot=weka_tier(), cold=ceph_tier(), tags={"owner": "storage"})


@pytest.fixture
def tiered_plan():
    """The same with the hot tier moving cold data to the object store."""
    options = {"tiering": {"ssd_share": 0.5, "cue": "300 s", "retention": "1 d"}}
    return plan_of(hot=weka_tier(options=options), cold=ceph_tier(), delete_after="365 d")


@pytest.fixture
def hosts():
    """Hosts for these plans."""
    return hosts_of()


@pytest.fixture
def every_rendering(plan, tiered_plan, hosts):
    """Files of plans that between them take every branch of the templates."""
    replicas = ceph_tier(kind="replicas", medium="nvme", options={"storage_class": "COLD", "versioning": True})
    racks = plan_of(
        hot=weka_tier(failure_domain="rack", compute_cores=24),
        cold=ceph_tier(failure_domain="rack"),
        kubernetes=False,
    )
    dotted = replace(hosts, cold=replace(hosts.cold, drives=(), virtual_ips=(), public_network=None))
    first, *rest = dotted.cold.hosts
    dotted = replace(dotted, cold=replace(dotted.cold, hosts=(replace(first, name="cold.example.internal"), *rest)))
    tcp = plan_of(hot=weka_tier(), cold=replicas)
    network = replace(tcp.stack.cluster.storage_network, transport="tcp")
    tcp = replace(tcp, stack=replace(tcp.stack, cluster=replace(tcp.stack.cluster, storage_network=network)))
    return {
        "plain": render(plan, hosts),
        "examples": render(plan, None),
        "tiered": render(tiered_plan, hosts),
        "racks": render(racks, hosts),
        "dotted": render(tcp, dotted),
        "hot only": render(plan_of(hot=weka_tier(nodes=6)), None),
        "cold only": render(plan_of(cold=ceph_tier()), hosts),
        "few racks": render(
            plan_of(cold=ceph_tier(nodes=12, failure_domain="rack", options={"units_per_rack": 2})),
            hosts_of(cold=12, racks=4),
        ),
    }
