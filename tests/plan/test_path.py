"""Each row of the decision path: the row is named, and what is planned is of it, or the figures say why not."""

from __future__ import annotations

import itertools

import pytest

from tierplan import load
from tierplan.domain.stack import Operations
from tierplan.plan import judge, make_plan
from tierplan.plan.path import path_row

ROWS = {
    "single server": ({"cluster.gpu_nodes": 1, "cluster.gpus_per_node": 4, "workloads[0].gpus": 4}, ("nfs",)),
    "below 64": ({"cluster.gpu_nodes": 4, "workloads[0].gpus": 32}, ("cephfs", "juicefs", "nfs")),
    "64 to 1,000, few people": (
        {"cluster.gpu_nodes": 64, "workloads[0].gpus": 512, "operations.storage_engineers": 1},
        ("vast",),
    ),
    "64 to 1,000, enough people": (
        {"cluster.gpu_nodes": 64, "workloads[0].gpus": 512, "operations.storage_engineers": 3},
        ("storage-scale", "weka"),
    ),
    "above 1,000, cannot read code": (
        {"cluster.gpu_nodes": 256, "workloads[0].gpus": 2048, "operations.can_read_storage_code": False},
        ("weka", "storage-scale", "vast"),
    ),
    "above 1,000, can read code": (
        {"cluster.gpu_nodes": 256, "workloads[0].gpus": 2048, "operations.can_read_storage_code": True},
        ("3fs",),
    ),
}


def plan_of(settings):
    form = load.read_form("stacks/Pulumi.demo.yaml")
    chosen = {"tiers.hot": {"backend": "auto"}, "workloads[0].parallelism": {"tensor": 1, "pipeline": 1}, **settings}
    return make_plan(form.stack(chosen), load.catalogue())


@pytest.mark.parametrize("row", ROWS)
def test_each_row_is_named_and_followed_or_the_figures_say_why_not(row):
    settings, named = ROWS[row]
    plan = plan_of(settings)
    assert path_row(plan.stack.cluster.gpus, plan.stack.operations, cloud=False) == (plan.path_choice, named)
    chosen = plan.tiers["hot"].config.backend
    if chosen in named:
        assert plan.path_disagreement is None
        return
    told = plan.path_disagreement
    assert told is not None
    assert (told.chosen, told.named) == (chosen, named)
    assert f"{chosen}.machines" in told.figures
    for backend in named:
        assert backend in told.reason
        assert any(name.startswith(f"{backend}.") for name in told.figures), backend


def test_the_cloud_has_a_row_of_its_own():
    words, named = path_row(4096, Operations(), cloud=True)
    assert words.startswith("in a cloud")
    assert named[0] == "fsx-lustre"


def test_of_equal_candidates_the_path_decides():
    """Two systems with the same number of machines: the one that the path names comes first."""
    plan = plan_of(ROWS["64 to 1,000, enough people"][0])
    hot = [one for one in plan.candidates if one.tier == "hot"]
    for one, other in itertools.pairwise(hot):
        assert one.nodes + one.nodes_beside <= other.nodes + other.nodes_beside
        if one.nodes + one.nodes_beside == other.nodes + other.nodes_beside and other.backend == "storage-scale":
            assert one.backend == "weka"


def test_people_who_are_missing_are_told():
    plan = plan_of({"operations.storage_engineers": 0.5, "tiers.hot": {"backend": "weka"}})
    told = [one for one in judge(plan) if one.policy == "advice-staff"]
    assert any("asks for 2 storage engineers, 0.5 are there" in one.message for one in told)
    plan = plan_of({"tiers.hot": {"backend": "3fs"}, "operations.can_read_storage_code": False})
    assert any("read and patch its code" in one.message for one in judge(plan) if one.policy == "advice-staff")
