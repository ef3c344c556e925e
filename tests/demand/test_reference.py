"""Reference architectures: a check beside the requirement, by the published targets of the DGX SuperPOD H100."""

from dataclasses import replace

import pytest

from tierplan import plan as planning
from tierplan.demand import reference
from tierplan.domain.stack import Reference
from tierplan.errors import InputError
from tierplan.load import catalogue, read_stack, stack_from_document
from tierplan.units import Bandwidth, bandwidth


@pytest.mark.parametrize(
    ("row", "gpus", "read", "write"),
    [
        ("superpod-h100-better", 256, 40e9, 20e9),
        ("superpod-h100-better", 512, 80e9, 40e9),
        ("superpod-h100-best", 128, 62.5e9, 31e9),
        ("superpod-h100-good", 1024, 60e9, 28e9),  # printed as 60 and 30: linear within rounding
    ],
)
def test_targets_grow_with_the_units(row, gpus, read, write):
    """Source: RA-11333-001 v11, table storage performance."""
    values = catalogue().rows("references")[row].values
    for word, expected in (("read", read), ("write", write)):
        found = reference.bandwidth(unit_bandwidth=Bandwidth.parse(values[word]), gpus=gpus, unit_gpus=values["gpus"])
        assert found.base == pytest.approx(expected)


def test_a_unit_without_gpus_is_refused_by_name():
    with pytest.raises(InputError, match=r"targets\.reference\.gpus"):
        reference.bandwidth(unit_bandwidth=bandwidth("1 GB/s"), gpus=8, unit_gpus=0)


def demo_with(**given: object):
    stack = read_stack("demo")
    return replace(stack, targets=replace(stack.targets, reference=Reference(**given)))


def findings(stack):
    plan = planning.make_plan(stack, catalogue())
    return plan, [finding for finding in planning.judge(plan) if finding.policy == "advice-reference"]


def test_a_reference_never_changes_the_requirement_or_the_verdict():
    plain = planning.make_plan(read_stack("demo"), catalogue())
    plan, found = findings(demo_with(gpus=256, read=bandwidth("125 GB/s"), write=bandwidth("62 GB/s")))
    assert plan.requirement.needs == plain.requirement.needs
    assert {finding.level for finding in found} == {"advisory"}
    assert planning.verdict(planning.judge(plan)) == "pass"


def test_only_the_direction_that_falls_short_is_told_with_both_figures():
    plan, (finding,) = findings(demo_with(gpus=256, read=bandwidth("1 GB/s"), write=bandwidth("62 GB/s")))
    assert finding.required == pytest.approx(62e9 * 4)
    assert finding.planned == plan.tiers["hot"].delivered.healthy.write.base
    assert not findings(demo_with(gpus=256, read=bandwidth("1 GB/s"), write=bandwidth("1 GB/s")))[1]


def document(**targets: object) -> dict[str, object]:
    return {
        "site": {"kind": "on-prem"},
        "cluster": {"gpu_nodes": 1, "gpus_per_node": 8},
        "workloads": [{"name": "a", "kind": "general", "read": "1 GB/s", "write": "1 GB/s", "operations": "1 ops/s"}],
        "targets": targets,
    }


def test_a_row_of_the_catalogue_fills_what_is_left_out():
    stack = stack_from_document(
        document(reference={"catalogue": "superpod-h100-best", "read": "9 GB/s"}), name="x", where="x"
    )
    assert stack.targets.reference == Reference(
        catalogue="superpod-h100-best", gpus=256, read=bandwidth("9 GB/s"), write=bandwidth("62 GB/s")
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"catalogue": "superpod-h100-bester"}, "did you mean superpod-h100-better"),
        ({"gpus": 256, "read": "1 GB/s"}, "targets.reference.write: missing"),
    ],
)
def test_an_unknown_row_or_a_missing_figure_is_one_line(given, words):
    with pytest.raises(InputError) as caught:
        stack_from_document(document(reference=given), name="x", where="x")
    (line,) = caught.value.faults
    assert words in line
