"""Every figure of a fabric can be walked back, and the trail ends in what the plan says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan import plan as planning
from tierplan.cli.explain import explanation, figure_ids
from tierplan.domain.figures import base_number
from tierplan.domain.stack import FabricPins
from tierplan.fabric.figures import figures as trail
from tierplan.load import catalogue, read_stack, stack_names

SEGMENTS = {
    "storage ports": "storage_ports",
    "storage uplinks": "storage_uplinks",
    "GPU uplinks": "gpu_uplinks",
    "GPU ports": "gpu_ports",
}


def made(name: str, **pins: object):
    stack = read_stack(name)
    return planning.make_plan(replace(stack, fabric=FabricPins(**pins)) if pins else stack, catalogue())


@pytest.mark.parametrize("name", stack_names())
def test_the_trail_computes_what_the_plan_says(name, figures):
    plan = made(name)
    found = trail(plan.stack, plan.requirement, plan.tiers, plan.fabric, figures)
    if plan.fabric is None or not plan.fabric.leafs:
        assert found == {}
        return
    for path in plan.fabric.paths:
        for direction in ("read", "write"):
            carried = found[f"fabric.{path.tier}.{direction}_bytes_per_s"]
            assert carried.number == pytest.approx(path.cut(direction).carries.base)
            for segment in path.segments:
                if segment.name in SEGMENTS:
                    figure = found[f"fabric.{path.tier}.{SEGMENTS[segment.name]}_{direction}_bytes_per_s"]
                    assert figure.number == pytest.approx(getattr(segment, direction).base), segment.name


def test_every_figure_has_a_formula_and_inputs_with_origins(figures):
    plan = made("demo", storage_share=0.5)
    found = trail(plan.stack, plan.requirement, plan.tiers, plan.fabric, figures)
    for figure in found.values():
        assert figure.formula
        assert all(one.origin for one in figure.inputs)
        for one in figure.inputs:
            word, _, rest = one.origin.partition(" ")
            if word == "figure":
                assert base_number(one.value) == found[rest].number


def test_explain_leads_from_the_fabric_to_the_catalogue():
    plan = made("demo")
    lines = "\n".join(explanation(plan, "fabric.hot.read_bytes_per_s"))
    assert "catalogue fabric/infiniband_path" in lines
    assert any(line.startswith("fabric.cold.write_bytes_per_s") for line in figure_ids(plan))


def test_times_name_the_fabric_where_it_limits():
    """The input of a duration is the tier's rate, or the fabric's where that is less: the trail says which."""
    free, tight = made("scenario-128"), made("scenario-128", oversubscription=20.0)

    def origins(plan) -> set[str]:
        return {one.origin for figure in plan.outcome.values() for one in figure.inputs}

    assert not any(origin.startswith("plan fabric") for origin in origins(free))
    assert "plan fabric.hot.read_bytes_per_s" in origins(tight)
    assert "plan tiers.hot.healthy.read_bytes_per_s" not in origins(tight)
