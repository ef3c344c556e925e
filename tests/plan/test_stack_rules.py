"""What one tier cannot answer alone: a node's own share of the hot tier, goodput, and that ports are no one else's."""

from dataclasses import replace

import pytest

from tierplan import plan as planning
from tierplan.domain.plan import Plan
from tierplan.load import catalogue, read_stack, stack_from_document
from tierplan.units import bandwidth


def cluster(rate: str, **changes: object) -> dict[str, object]:
    network = {"ports": 1, "rate": rate, "transport": "infiniband"}
    return {"gpu_nodes": 128, "gpus_per_node": 8, "storage_network": network} | changes


def document(rate: str, *, gpus: int = 64, **changes: object) -> dict[str, object]:
    """Eight nodes of 128 save 70B parameters in 18 s: 6.8 GB/s each."""
    return {
        "site": {"kind": "on-prem", "racks": 4},
        "cluster": cluster(rate),
        "workloads": [
            {
                "name": "t",
                "kind": "training",
                "gpus": gpus,
                "model": {"parameters": 70e9, "bytes_per_parameter": 14},
                "parallelism": {"data": gpus},
                "checkpoint": {"interval": "10 min", "mode": "sync", "overhead": 0.03},
            }
        ],
        "tiers": {"hot": {"backend": "weka"}, "cold": {"backend": "ceph-rgw"}},
    } | changes


def made(**given: object) -> Plan:
    return planning.make_plan(stack_from_document(given, name="x", where="x"), catalogue())


def found(plan: Plan, policy: str):
    return [finding for finding in planning.judge(plan) if finding.policy == policy]


def test_a_node_whose_ports_carry_less_than_its_share_is_refused_with_both_figures():
    plan = made(**document("25 Gbit/s"))
    (finding,) = found(plan, "hot-client")
    assert finding.level == "mandatory"
    assert finding.required == pytest.approx(980e9 / 8 / 18 * 1.3)
    assert finding.planned <= bandwidth("25 Gbit/s").base
    assert planning.verdict(planning.judge(plan)) == "refused"


def test_ports_that_carry_the_share_are_silence():
    assert found(made(**document("200 Gbit/s")), "hot-client") == []


def test_more_nodes_for_the_job_help():
    assert found(made(**document("25 Gbit/s", gpus=1024)), "hot-client") == []


def test_the_stall_that_passes_is_no_longer_than_the_allowed_one():
    """The rule and the outcome are two ways to the same truth."""
    for rate in ("25 Gbit/s", "50 Gbit/s", "100 Gbit/s", "200 Gbit/s"):
        plan = made(**document(rate))
        stall = plan.outcome["t.checkpoint.stall_s"].number
        allowed = plan.requirement.figures["t.checkpoint.allowed_stall_s"].number
        if planning.verdict(planning.judge(plan)) == "pass":
            assert stall <= allowed
        else:
            assert found(plan, "hot-client")


def test_poor_goodput_is_told_with_the_better_interval():
    stack = read_stack("demo")
    assert found(planning.make_plan(stack, catalogue()), "advice-goodput") == []
    broken = replace(stack.cluster.interrupts, large_job_factor=40.0)
    plan = planning.make_plan(replace(stack, cluster=replace(stack.cluster, interrupts=broken)), catalogue())
    (finding,) = found(plan, "advice-goodput")
    assert finding.level == "advisory"
    assert finding.planned < finding.required
    assert "interval of" in finding.message


def test_a_shared_compute_network_is_never_ignored():
    network = {"ports": 1, "rate": "200 Gbit/s", "transport": "roce", "shared_with_compute": True}
    plan = made(**document("200 Gbit/s") | {"cluster": cluster("200 Gbit/s", storage_network=network)})
    (finding,) = found(plan, "advice-shared-network")
    assert "1 × 200 Gbit/s" in finding.message
    assert found(made(**document("200 Gbit/s")), "advice-shared-network") == []


def test_machines_beside_the_storage_nodes_count_in_the_ranking():
    stack = read_stack("demo")
    free = replace(
        stack,
        tiers=replace(stack.tiers, hot=replace(stack.tiers.hot, backend="auto", nodes=None, node=None, layout=None)),
    )
    ranked = [one for one in planning.make_plan(free, catalogue()).candidates if one.tier == "hot"]
    machines = [one.nodes + one.nodes_beside for one in ranked]
    assert machines == sorted(machines)
    assert {one.backend for one in ranked if one.nodes_beside} >= {"lustre", "3fs", "beegfs"}
