"""Real previews on the real engine, judged by the pack: what a person types is what is proved."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

import enginerun
import pulumi_run
import recording
from tierplan import load, plan, wire
from tierplan.plan.rules import RULES

pytestmark = pytest.mark.engine
HOT_RULES = {rule.name for rule in RULES if "hot" in rule.tiers}


def stack_text(name: str) -> str:
    """A shipped stack file without its salt, which the run brings along."""
    text = (recording.STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    return re.sub(r"^encryptionsalt:.*\n", "", text, flags=re.MULTILINE)


def tree(root: Path) -> str:
    """What git knows of the files that a preview could touch, and what it does not."""
    paths = ("Pulumi.yaml", "__main__.py", "stacks", "policies", "components")
    command = ("git", "status", "--porcelain", "--untracked-files=all", "--", *paths)
    seen = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return seen + "".join(path.read_text(encoding="utf-8") for path in sorted((root / "stacks").glob("*.yaml")))


@pytest.fixture(scope="module")
def demo(project: pulumi_run.Project) -> enginerun.Run:
    """The demo as it is typed: its own stack file, the pack by its relative path."""
    before = tree(project.root)
    done = enginerun.preview(project, "demo", None, "--policy-pack", "policies/run-pack")
    assert tree(project.root) == before
    return done


def test_demo_is_accepted(demo: enginerun.Run) -> None:
    assert demo.code == 0, demo.diagnostics("error")
    assert demo.said("mandatory") == set()
    assert demo.diagnostics("error") == []


def test_every_rule_of_the_hot_tier_ran(demo: enginerun.Run) -> None:
    assert HOT_RULES | {"stack-requirement"} <= demo.passed("demo-hot")


def test_the_tree_shows_the_storage_with_its_three_tiers(demo: enginerun.Run) -> None:
    created = demo.created()
    above = f"{wire.STORAGE}$"
    assert created["demo"] == wire.STORAGE
    assert {created[f"demo-{tier}"] for tier in wire.TIER_TOKENS} == {above + t for t in wire.TIER_TOKENS.values()}
    assert len(created) <= 16


def test_the_summary_is_one_message_on_the_storage(demo: enginerun.Run) -> None:
    (message,) = (one for one in demo.diagnostics("info") if one.startswith("demo: "))
    assert "pretrain-70b.checkpoint  writes 18.1 GB/s" in message


@pytest.mark.parametrize("name", [name for name in recording.stack_names() if name != "demo"])
def test_a_preview_ends_as_the_plan_does(project: pulumi_run.Project, name: str) -> None:
    stack = load.read_stack(str(recording.STACKS / f"Pulumi.{name}.yaml"))
    findings = [one for one in plan.judge(plan.make_plan(stack, load.catalogue())) if one.level == "mandatory"]
    done = enginerun.preview(project, name, stack_text(name))
    assert done.said("mandatory") == {one.policy for one in findings}
    assert done.code == (1 if findings else 0)
    assert bool(findings) == (stack.expect == "refused")
    assert {one.strip() for one in done.diagnostics("error")} <= {"preview failed"}
    for one in findings:
        assert f"{one.message}\nChange: {one.remedy}" in done.messages(one.policy)
    if name == "refused-slow":  # as its stack file says, in full
        assert {"hot-write-bandwidth", "hot-phases"} <= done.said("mandatory")
        assert not {"hot-capacity", "cold-capacity", "local-capacity"} & done.said("mandatory")
        assert "15 GB/s planned, 23.6 GB/s required" in done.messages("hot-write-bandwidth")
        assert "limited by node ports" in done.messages("hot-write-bandwidth")


def test_bad_input_is_one_clear_line_and_no_traceback(project: pulumi_run.Project) -> None:
    text = stack_text("demo").replace('interval: "30 min"', 'interval: "30"').replace("gpu_nodes: 128", "gpu_nodes: x")
    done = enginerun.preview(project, "demo", text)
    said = "".join(done.diagnostics("error"))
    assert done.code == 1
    assert "Traceback" not in said + done.errors
    assert 'workloads[0].checkpoint.interval: "30" has no unit' in said
    assert "cluster.gpu_nodes" in said


def test_an_impossible_tier_is_refused_with_its_reasons(project: pulumi_run.Project) -> None:
    document = yaml.safe_load(stack_text("demo"))
    document["config"]["tierplan:tiers"]["hot"] = {"backend": "hdfs"}
    done = enginerun.preview(project, "demo", yaml.safe_dump(document))
    assert done.said("mandatory") == {"stack-tiers"}
    assert "the hot tier cannot be planned; hdfs: " in done.messages("stack-tiers")
    assert done.created()["demo-hot"].endswith("HotTier")


CONFIGURATIONS = {
    "factor": ({"hot-capacity": {"factor": 100}}, {"hot-capacity"}, ""),
    "level": (
        {"all": "advisory", "hot-capacity": {"enforcementLevel": "mandatory", "factor": 100}},
        {"hot-capacity"},
        "",
    ),
    "misspelt": ({"hot-capacity": {"factors": 2}}, {"hot-capacity"}, ""),
    "required": (
        {"hot-capacity": {"required": dict.fromkeys(("readBytesPerS", "writeBytesPerS", "opRateOpsPerS"), 1)}},
        set(),
        "capacityBytes",
    ),
    "too small": ({"hot-capacity": {"factor": 0.5}}, set(), "Must be greater than or equal to 1"),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_limits_are_policy_configuration_with_a_schema(project: pulumi_run.Project, name: str) -> None:
    config, refused, fault = CONFIGURATIONS[name]
    file = project.state / "policy.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    pack = ("--policy-pack", str(project.pack), "--policy-pack-config", str(file))
    done = enginerun.preview(project, "demo", stack_text("demo"), *pack)
    assert done.code == 1
    assert done.said("mandatory") == refused
    assert fault in done.errors + "".join(done.diagnostics("error"))


PROGRAM = """
import json, pathlib
from tierplan_pulumi import TieredStorage

spec = json.loads(pathlib.Path("spec.json").read_text())
spec["tiers"]["hot"]["node"]["drive"]["size"] = "{size}"
TieredStorage("mine", {{"spec": spec}})
"""


@pytest.mark.parametrize(("size", "refused"), [("7.68 TB", set()), ("1 TB", {"hot-capacity"})])
def test_the_component_is_judged_in_anybodys_program(
    project: pulumi_run.Project, tmp_path: Path, size: str, refused: set[str]
) -> None:
    mine = enginerun.program(project, tmp_path, PROGRAM.format(size=size))
    spec = wire.stack_document(recording.stack_config("demo"))
    (tmp_path / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    done = enginerun.preview(mine, "dev", "config: {aws:region: us-east-1}")
    assert done.said("mandatory") == refused
    assert done.created()["mine-hot"].endswith("HotTier")


UNKNOWN = """
import asyncio, json, pathlib, pulumi
from tierplan_pulumi import HotTier

def later(value):
    future = asyncio.get_event_loop().create_future()
    future.set_result(value)
    return future

inputs = json.loads(pathlib.Path("inputs.json").read_text())
inputs["nodes"] = pulumi.Output(set(), later(None), later(False))
HotTier("late", inputs, outputs={})
"""


def test_a_value_unknown_at_preview_is_refused(project: pulumi_run.Project, tmp_path: Path) -> None:
    """The policy SDK alone would make a note of it and let the preview pass."""
    mine = enginerun.program(project, tmp_path, UNKNOWN)
    inputs = recorded("demo").of(wire.TIER_TOKENS["hot"]).inputs
    (tmp_path / "inputs.json").write_text(json.dumps(inputs), encoding="utf-8")
    done = enginerun.preview(mine, "dev", "config: {}")
    assert done.code == 1
    assert done.said("mandatory") >= {rule.name for rule in RULES if "hot" in rule.tiers and rule.level == "mandatory"}
    assert "late cannot be judged: nodes is not known at preview" in done.messages("hot-capacity")
    assert not [one for one in done.of("policyEvent") if "can't run policy" in str(one["message"])]


def recorded(name: str) -> recording.Recording:
    """A shipped stack in somebody's program."""
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415  # needs the mocks of the recording

    spec = wire.stack_document(recording.stack_config(name))
    return recording.record(lambda: TieredStorage(name, {"spec": spec}))


@pytest.mark.parametrize(("changes", "refused"), [({}, set()), ({"nodes": 3}, {"hot-layout", "hot-capacity"})])
def test_a_plan_is_judged_as_a_state_file(
    project: pulumi_run.Project, changes: Mapping[str, object], refused: set[str]
) -> None:
    recorded_demo = recorded("demo")
    hot = recorded_demo.of(wire.TIER_TOKENS["hot"])
    hot.inputs |= changes
    done = enginerun.analyze(project, recorded_demo.state(), f"state-{len(refused)}")
    assert done.code == (1 if refused else 0), done.errors
    assert refused <= done.said("mandatory")
    assert bool(done.said("mandatory")) == bool(refused)


def waiver(**changes: str) -> dict[str, object]:
    """A policy configuration with one waiver of what refuses `refused-small`."""
    row = {"rule": "hot-capacity", "stack": "refused-small", "reason": "drives in May", "owner": "ops"}
    return {"stack-waivers": {"waivers": [{**row, "until": "9999-12-31", **changes}]}}


@pytest.mark.parametrize(
    ("config", "refused", "said"),
    [
        (waiver(), set(), ("advice-waived", "hot-capacity, waived until 9999-12-31 by ops: drives in May")),
        (waiver(until="2026-01-31"), {"stack-waivers", "hot-capacity"}, ("stack-waivers", "it ended on 2026-01-31")),
        (waiver(rule="hot-layout"), {"stack-waivers", "hot-capacity"}, ("stack-waivers", "is never waived")),
        (waiver(stack="demo"), {"hot-capacity"}, ("hot-capacity", "required")),
    ],
    ids=["in force", "ended", "data loss", "another stack"],
)
def test_waivers_are_policy_configuration(
    project: pulumi_run.Project, config: Mapping[str, object], refused: set[str], said: tuple[str, str]
) -> None:
    file = project.state / "waivers.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    pack = ("--policy-pack", str(project.pack), "--policy-pack-config", str(file))
    done = enginerun.preview(project, "refused-small", stack_text("refused-small"), *pack)
    assert done.said("mandatory") == refused
    assert done.code == (1 if refused else 0)
    assert said[1] in done.messages(said[0])


def test_a_waiver_of_another_form_is_refused_by_its_schema(project: pulumi_run.Project) -> None:
    file = project.state / "waivers.json"
    file.write_text(json.dumps(waiver(until="soon")), encoding="utf-8")
    pack = ("--policy-pack", str(project.pack), "--policy-pack-config", str(file))
    done = enginerun.preview(project, "refused-small", stack_text("refused-small"), *pack)
    assert done.code == 1
    assert "waivers.0.until: Does not match pattern" in done.errors + "".join(done.diagnostics("error"))
