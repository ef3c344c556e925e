"""The fabric of whole plans: pins, mutations, what it takes away, clouds, sharing, speed of import."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest

from tierplan import fabric as room
from tierplan import plan as planning
from tierplan.codec import decode, encode
from tierplan.domain.fabric import FabricPlan
from tierplan.domain.plan import Finding, Plan
from tierplan.domain.stack import FabricPins, Growth, NodePins, Stack
from tierplan.fabric import graph
from tierplan.fabric.topology import max_flow
from tierplan.load import catalogue, read_stack, stack_from_document, stack_names
from tierplan.units import bandwidth

STACKS = [name for name in stack_names() if "refused" not in name]


def made(stack: Stack, **pins: object) -> Plan:
    return planning.make_plan(replace(stack, fabric=FabricPins(**pins)) if pins else stack, catalogue())


def fired(plan: Plan, *, level: str = "mandatory") -> set[str]:
    return {finding.policy for finding in planning.judge(plan) if finding.level == level}


def of(plan: Plan, policy: str) -> list[Finding]:
    return [finding for finding in planning.judge(plan) if finding.policy == policy]


def with_network(stack: Stack, **changes: object) -> Stack:
    cluster = stack.cluster
    return replace(stack, cluster=replace(cluster, storage_network=replace(cluster.storage_network, **changes)))


@pytest.fixture(scope="module")
def busy() -> Stack:
    """182 GB/s of checkpoint: more than a heavily oversubscribed leaf carries."""
    return read_stack("scenario-128")


def test_an_open_fabric_carries_everything(busy):
    plan = made(busy)
    assert fired(plan) == set()
    assert not of(plan, "advice-fabric")
    assert plan.fabric.levels == 2
    assert all(phase.load_fraction <= 1 for phase in plan.fabric.phases)


MUTATIONS = {
    "oversubscription": ({"oversubscription": 4.0}, {"fabric-bandwidth"}),
    "hard oversubscription": ({"oversubscription": 1000.0}, {"fabric-bandwidth"}),
    "no oversubscription": ({"oversubscription": 1.0}, set()),
    "leaf ports of nothing": ({"leaf_ports": 3}, {"fabric-bandwidth"}),
    "leaf ports too few for three layers": ({"leaf_ports": 8}, {"fabric-bandwidth"}),
    "small leafs": ({"leaf_ports": 32}, set()),
    "spine ports": ({"spine_ports": 1}, {"fabric-bandwidth"}),
    "small spines": ({"spine_ports": 16}, set()),
    "packed ports": ({"rail_optimised": False}, set()),
    "a share of the ports": ({"storage_share": 0.01}, {"fabric-bandwidth", "hot-client"}),
    "half of the ports": ({"storage_share": 0.5}, set()),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_of_the_fabric_fires_exactly_its_rules(busy, name):
    pins, expected = MUTATIONS[name]
    assert fired(made(busy, **pins)) == expected


def test_slow_ports_of_gpu_nodes_are_the_clients_matter(busy):
    """One port of 10 Gbit/s on each of 128 nodes: the tier itself says that clients limit it."""
    plan = made(with_network(busy, ports=1, rate=bandwidth("10 Gbit/s")))
    assert "fabric-bandwidth" not in fired(plan)
    assert {"hot-client", "hot-write-bandwidth"} <= fired(plan)


def test_slow_ports_of_storage_nodes_are_the_tiers_matter(busy):
    hot = replace(busy.tiers.hot, node=NodePins(ports=1, port_rate=bandwidth("50 Gbit/s")), nodes=19)
    plan = made(replace(busy, tiers=replace(busy.tiers, hot=hot)))
    assert "hot-write-bandwidth" in fired(plan)
    assert "fabric-bandwidth" not in fired(plan)  # what the nodes cannot send loads no cable


def test_a_finding_says_both_figures_and_the_link(busy):
    (finding,) = of(made(busy, oversubscription=4.0), "fabric-bandwidth")
    assert finding.required > finding.planned
    assert "uplinks of a storage leaf, down, must carry 142 GB/s" in finding.message
    assert "120 GB/s" in finding.message
    assert "oversubscription" in finding.remedy


def test_a_rebuild_that_does_not_fit_is_advice(busy):
    """A rebuild can wait, a phase cannot."""
    plan = made(busy)
    tight = [phase for phase in plan.fabric.phases if phase.rebuilds]
    assert {phase.rebuilds for phase in tight} == {"hot", "cold"}
    over = replace(tight[0], required=tight[0].carried * 1.5)
    case = replace(plan, fabric=replace(plan.fabric, phases=(*plan.fabric.phases[:3], over)))
    assert fired(case) == set()
    assert [finding.policy for finding in of(case, "advice-fabric") if "rebuild" in finding.message]


def test_what_the_fabric_takes_away_is_not_promised(busy):
    """A restore reads through the same cut as everything else."""
    free, tight = made(busy), made(busy, oversubscription=1000.0)
    figure = next(name for name in free.outcome if name.endswith(".restore.duration_s"))
    assert tight.outcome[figure].number > free.outcome[figure].number
    cut = tight.fabric.path("hot").read
    assert cut.segment == "storage uplinks"
    assert cut.carries < tight.tiers["hot"].delivered.healthy.read
    limited = room.limited_tiers(tight.tiers, tight.fabric)["hot"].delivered.healthy
    assert (limited.read, limited.read_limited_by) == (cut.carries, "fabric")
    assert of(tight, "advice-fabric")


def test_a_node_on_a_full_leaf_gets_its_share_of_the_uplinks(busy):
    """Sixteen nodes behind few uplinks: what one of them gets alone is not what all get at once."""
    free, tight = made(busy), made(busy, oversubscription=20.0)
    assert tight.fabric.busy_client < free.fabric.busy_client < free.fabric.client
    (leaf,) = [group for group in tight.fabric.leafs if group.serves == "gpu"]
    nodes = -(-leaf.nodes * leaf.rails // leaf.leafs)
    link = (
        catalogue().figures("fabric")["infiniband_link"].value * catalogue().figures("fabric")["infiniband_path"].value
    )
    assert tight.fabric.busy_client.base == pytest.approx(
        leaf.uplinks * leaf.rails * leaf.rate.base * link / nodes, rel=0.1
    )
    clients = tight.tiers["hot"].need.clients
    limited = room.limited_tiers(tight.tiers, tight.fabric)["hot"].delivered.healthy.client
    assert limited >= max(clients.node_read, clients.node_write)  # what must be carried is judged by itself
    assert limited <= tight.tiers["hot"].delivered.healthy.client


def test_one_more_of_the_cut_brings_what_is_said(busy):
    """Against the max-flow of the fabric with that uplink added."""
    plan = made(busy, oversubscription=6.0)
    cut = plan.fabric.path("hot").read
    figures = catalogue().figures("fabric")
    topology = room.topology_of(plan.stack, plan.requirement, plan.tiers, figures)
    more = replace(topology, storage=replace(topology.storage, uplinks=topology.storage.uplinks + 1))
    grown = max_flow(more, "hot", "read").base - max_flow(topology, "hot", "read").base
    assert cut.one_more == "uplink on each storage leaf"
    assert cut.gains.base == pytest.approx(grown, rel=0.05)  # nodes spread unevenly: even striping gains a little less
    assert "one more uplink on each storage leaf brings up to" in cut.words


@pytest.mark.parametrize("name", STACKS)
def test_the_planned_path_is_never_more_than_the_max_flow(name):
    plan = made(read_stack(name))
    topology = room.topology_of(plan.stack, plan.requirement, plan.tiers, catalogue().figures("fabric"))
    for path in plan.fabric.paths if topology else ():
        for direction in ("read", "write"):
            network = graph.whole(topology, path.tier, direction)
            if network is not None:
                flow, _ = graph.maximum(network)
                assert path.cut(direction).carries.base <= flow.base * (1 + 1e-6)
                assert max_flow(topology, path.tier, direction).base == pytest.approx(flow.base, rel=1e-6)


def test_evaluating_and_resolving_again_give_the_same_fabric(busy):
    plan = made(busy)
    assert planning.evaluate(plan.stack, catalogue()).fabric == plan.fabric


def test_shared_ports_count_by_half_until_the_stack_says_more(busy):
    shared = with_network(busy, shared_with_compute=True)
    plan, told = made(shared), made(shared, storage_share=0.8)
    assert (plan.fabric.storage_share, told.fabric.storage_share) == (0.5, 0.8)
    assert plan.fabric.client.base == pytest.approx(told.fabric.client.base * 0.5 / 0.8)
    assert "50% of them for storage" in of(plan, "advice-shared-network")[0].message
    assert of(told, "advice-shared-network") == []
    assert any("compute leaves" in line for line in plan.fabric.unknown)


@pytest.mark.parametrize("transport", ["infiniband", "roce", "tcp"])
def test_each_transport_has_its_own_efficiency_with_a_source(busy, transport):
    plan = made(with_network(busy, transport=transport))
    link = catalogue().figures("fabric")[f"{transport}_link"]
    network = busy.cluster.storage_network
    assert plan.fabric.client.base == pytest.approx(network.rate.base * network.ports * link.value)
    assert any(line.startswith(f"fabric {transport}_path") for line in plan.assumptions)
    assert "fabric-bandwidth" not in fired(plan)


def test_hashed_paths_ask_for_more_uplinks(busy):
    adaptive, hashed = made(busy), made(with_network(busy, transport="roce"))
    assert hashed.fabric.leafs[0].oversubscription < adaptive.fabric.leafs[0].oversubscription


def test_the_horizon_is_wired(busy):
    grown = replace(busy, cluster=replace(busy.cluster, growth=(Growth(year=1, gpu_nodes=256),)))
    plan = made(replace(grown, capacity=replace(grown.capacity, years=1)))
    assert plan.fabric.gpu_nodes == 256
    assert any("256 GPU nodes" in note for note in plan.fabric.notes)


def test_a_few_ports_hang_on_one_leaf_and_the_plan_says_what_that_means():
    plan = made(read_stack("nfs"))
    (leaf,) = plan.fabric.leafs
    assert (plan.fabric.levels, leaf.serves, leaf.leafs, plan.fabric.spines) == (1, "all", 1, 0)
    assert any("its loss takes all storage away" in note for note in plan.fabric.notes)


def test_of_a_cloud_only_its_ceilings_are_known():
    name = next((name for name in stack_names() if read_stack(name).site.kind != "on-prem"), None)
    if name is None:
        pytest.skip("no cloud stack is shipped")
    plan = made(read_stack(name))
    assert plan.fabric.known is False
    assert plan.fabric.leafs == plan.fabric.phases == ()
    assert any("cloud's own switches" in line for line in plan.fabric.unknown)
    assert room.limited_tiers(plan.tiers, plan.fabric) == plan.tiers
    assert "fabric-bandwidth" not in fired(plan)


def test_data_spread_over_the_gpu_nodes_drives_loads_their_ports():
    demo = read_stack("demo")
    (work, *rest) = demo.workloads
    spread = replace(demo, workloads=(replace(work, dataset=replace(work.dataset, cache="distributed")), *rest))
    plan, plain = made(spread), made(demo)
    assert any("GPU nodes send one another" in line for line in plan.fabric.unknown)
    assert not any("GPU nodes send one another" in line for line in plain.fabric.unknown)


def test_without_a_tier_there_is_no_fabric():
    demo = read_stack("demo")
    assert room.fabric_plan(demo, planning.evaluate(demo, catalogue()).requirement, {}, {}) is None


def test_without_a_hot_tier_the_cold_one_has_its_own_phases():
    document = {
        "site": {"kind": "on-prem"},
        "cluster": {"node": "dgx-h100", "gpu_nodes": 2, "gpus_per_node": 8},
        "workloads": [{"name": "g", "kind": "general", "read": "1 GB/s", "write": "1 GB/s"}],
        "tiers": {"hot": {"backend": "none"}, "cold": {"backend": "ceph-rgw"}},
    }
    plan = made(stack_from_document(document, name="x", where="x"))
    assert [path.tier for path in plan.fabric.paths] == ["cold"]
    assert plan.fabric.phases


@pytest.mark.parametrize("name", ["demo", "nfs", "refused-slow"])
@pytest.mark.parametrize("spelling", ["wire", "plain"])
def test_a_fabric_comes_back_from_its_properties(name, spelling):
    plan = made(read_stack(name))
    assert decode(FabricPlan, encode(plan.fabric, spelling), spelling) == plan.fabric


def test_planning_does_not_import_networkx():
    code = (
        "import sys; from tierplan import load, plan; "
        "made = plan.make_plan(load.read_stack('demo'), load.catalogue()); plan.judge(made); "
        "assert made.fabric is not None; sys.exit('networkx' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
