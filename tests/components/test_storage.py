"""What a program registers: every resource by type and name, its choices as inputs, its figures as outputs."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import jsonschema
import pulumi
import pytest

import recording
from tierplan import load, plan, wire
from tierplan_pulumi import TieredStorage, preview_stack

SCHEMA = json.loads(files("tierplan").joinpath("schemas/resources.json").read_text(encoding="utf-8"))
STACKS = recording.stack_names()
Record = Callable[[str], recording.Recording]
Spec = Mapping[str, object]


def changed(spec: Spec, path: str, value: object) -> dict[str, object]:
    """The spec with one value set: ``tiers.hot.backend``."""
    found = copy.deepcopy(dict(spec))
    *parents, last = path.split(".")
    place: Any = found
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place[key]
    place[int(last) if isinstance(place, list) else last] = value
    return found


def record_spec(spec: Spec, name: str = "mine") -> recording.Recording:
    return recording.record(lambda: TieredStorage(name, {"spec": spec}))


def test_demo_registers_these_resources_and_no_other(record_stack: Record) -> None:
    resources = record_stack("demo").resources
    assert {(one.token, one.name) for one in resources} == {
        ("tierplan:index:TieredStorage", "demo"),
        ("tierplan:index:StorageRequirement", "demo-requirement"),
        ("tierplan:index:LocalTier", "demo-local"),
        ("tierplan:index:HotTier", "demo-hot"),
        ("tierplan:index:ColdTier", "demo-cold"),
        ("tierplan:index:StorageNodeGroup", "demo-hot-nodes"),
        ("tierplan:index:StorageNodeGroup", "demo-cold-nodes"),
        ("tierplan:index:StorageFabric", "demo-fabric"),
    }
    assert len(resources) == 8


def test_every_part_hangs_under_the_storage(record_stack: Record) -> None:
    recorded = record_stack("demo")
    storage = recorded.of(wire.STORAGE)
    assert storage.parent == ""
    assert {one.parent for one in recorded.resources if one is not storage} == {storage.urn}


def test_the_hot_tier_holds_its_choices_and_what_they_give(record_stack: Record) -> None:
    hot = record_stack("demo").of(wire.TIER_TOKENS["hot"])
    assert {key: hot.inputs[key] for key in ("tier", "backend", "nodes", "racks")} == {
        "tier": "hot",
        "backend": "weka",
        "nodes": 12,
        "racks": 8,
    }
    assert set(hot.inputs) == {"tier", "backend", "nodes", "node", "layout", "racks", "options", "need"}
    layout = cast("Mapping[str, object]", hot.inputs["layout"])
    assert (layout["dataUnits"], layout["parityUnits"], layout["hotSpares"]) == (5, 2, 1)
    need = cast("Mapping[str, float]", hot.inputs["need"])
    assert need["writeBytesPerS"] == pytest.approx(1.3 * 980e9 / 54)  # 980 GB in 54 s, headroom 1.3
    assert hot.outputs["boundBy"] in cast("Mapping[str, float]", hot.outputs["counts"])
    assert cast("float", hot.outputs["plannedBytes"]) < cast("float", hot.outputs["usableBytes"])


def ours(recorded: recording.Recording) -> list[recording.Registered]:
    """What the components register themselves: the resources of a cloud have ids that only a run gives."""
    return [one for one in recorded.resources if one.token.startswith("tierplan:")]


@pytest.mark.parametrize("stack", STACKS)
def test_every_resource_obeys_its_schema(record_stack: Record, stack: str) -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA)
    resources = ours(record_stack(stack))
    assert 5 <= len(resources) <= 15
    for one in resources:
        validator.validate({one.token: one.inputs})


@pytest.mark.parametrize("stack", STACKS)
def test_every_tier_reads_back_as_it_was_planned(record_stack: Record, stack: str) -> None:
    planned = plan.make_plan(load.read_stack(str(recording.STACKS / f"Pulumi.{stack}.yaml")), load.catalogue())
    recorded = record_stack(stack)
    for tier, chosen in planned.tiers.items():
        one = recorded.of(wire.TIER_TOKENS[tier])
        read = wire.tier_inputs(one.token, one.inputs)
        assert (read.config, read.need) == (chosen.config, chosen.need)
        assert wire.chosen(one.token, one.outputs).config == chosen.config
    figures = recorded.of(wire.REQUIREMENT).inputs["figures"]
    assert figures == {name: figure.number for name, figure in planned.requirement.figures.items()}


@pytest.mark.parametrize("stack", STACKS)
def test_nothing_registered_is_unknown_or_infinite(record_stack: Record, stack: str) -> None:
    for one in ours(record_stack(stack)):
        text = json.dumps([one.inputs, one.outputs])
        assert "NaN" not in text
        assert "Infinity" not in text
        assert pulumi.runtime.rpc.UNKNOWN not in text


def test_the_summary_holds_what_a_person_must_see(record_stack: Record) -> None:
    (message,) = record_stack("demo").messages
    first, head, *rows = message.splitlines()
    assert first == "demo: pass"
    assert head.split() == ["tier", "figure", "required", "planned", "bound", "by"]
    planned = head.index("planned")
    table = rows[: rows.index("asked, before headroom:")]
    assert {row.split()[0] for row in table if row[2] != " "} == {"local", "hot", "cold"}
    assert all(row[planned - 2 : planned] == "  " and row[planned] != " " for row in table)
    assert any("pretrain-70b.checkpoint" in row and "writes 18.1 GB/s" in row for row in rows)


def test_a_refused_plan_is_registered_whole_with_its_findings(record_stack: Record) -> None:
    recorded = record_stack("refused-slow")
    (message,) = recorded.messages
    assert message.startswith("refused-slow: refused by hot-write-bandwidth, hot-phases")
    assert "hot write bandwidth: 15 GB/s planned, 23.6 GB/s required" in message
    assert recorded.of(wire.TIER_TOKENS["hot"]).inputs["nodes"] == 6


def test_stack_outputs_are_one_line_each(record_stack: Record) -> None:
    exports = record_stack("demo").exports
    assert set(exports) == {"verdict", "local", "hot", "cold"}
    assert exports["verdict"] == "pass"
    assert all(isinstance(line, str) and "\n" not in line for line in exports.values())
    assert str(exports["hot"]).startswith("12 × weka 5+2: read ")


def test_an_impossible_tier_is_registered_with_its_rejections(demo_spec: Spec) -> None:
    recorded = record_spec(changed(demo_spec, "tiers.hot", {"backend": "hdfs"}))
    hot = recorded.of(wire.TIER_TOKENS["hot"])
    assert set(hot.inputs) == {"tier", "backend", "need", "rejections"}
    (rejection,) = cast("list[Mapping[str, object]]", hot.inputs["rejections"])
    assert (rejection["backend"], rejection["tier"]) == ("hdfs", "hot")
    assert "mine-hot-nodes" not in {one.name for one in recorded.resources}
    assert "stack-tiers" in recorded.messages[0].splitlines()[0]
    jsonschema.Draft202012Validator(SCHEMA).validate({hot.token: hot.inputs})


def test_a_tier_that_is_not_wanted_is_not_registered(demo_spec: Spec) -> None:
    recorded = record_spec(changed(demo_spec, "tiers.hot", {"backend": "none"}))
    assert wire.TIER_TOKENS["hot"] not in {one.token for one in recorded.resources}


def test_the_component_works_in_any_program(demo_spec: Spec) -> None:
    """Names are derived from the component's, and options are handed on."""

    def program() -> None:
        outer = pulumi.ComponentResource("acme:index:Site", "site")
        storage = TieredStorage("mine", {"spec": demo_spec}, pulumi.ResourceOptions(parent=outer))
        assert storage.lines["verdict"] == "pass"
        assert storage.plan.stack.name == "mine"
        assert all(finding.level == "advisory" for finding in storage.findings)

    recorded = recording.record(program)
    storage = recorded.of(wire.STORAGE)
    assert storage.parent.endswith("::site")
    assert storage.inputs["spec"] == json.loads(json.dumps(demo_spec), parse_int=float)
    assert recorded.of(wire.TIER_TOKENS["hot"]).name == "mine-hot"


@pytest.mark.parametrize(
    ("path", "value", "fault"),
    [
        ("cluster.gpu_nodes", "many", "cluster.gpu_nodes"),
        ("tiers.hot.backend", "wekka", "weka"),
        ("clusters", {}, "clusters"),
        ("workloads.0.checkpoint.interval", "30", '"30" has no unit'),
    ],
)
def test_bad_input_ends_the_program_without_a_traceback(demo_spec: Spec, path: str, value: object, fault: str) -> None:
    with pytest.raises(pulumi.RunError) as caught:
        record_spec(changed(demo_spec, path, value))
    (line,) = str(caught.value).splitlines()
    assert fault in line
    assert line.startswith("TieredStorage mine")


def test_all_faults_are_told_at_once(demo_spec: Spec) -> None:
    spec = changed(changed(demo_spec, "cluster.gpu_nodes", -1), "capacity.home", "50 KB")
    with pytest.raises(pulumi.RunError) as caught:
        record_spec(spec)
    assert len(str(caught.value).splitlines()) == 2


def test_an_output_in_the_spec_is_refused_with_its_place(demo_spec: Spec) -> None:
    with pytest.raises(pulumi.RunError, match=r"spec\.cluster\.gpu_nodes: is an output of another resource"):
        recording.record(
            lambda: TieredStorage(
                "mine", {"spec": changed(demo_spec, "cluster.gpu_nodes", pulumi.Output.from_input(12))}
            )
        )


def test_every_key_of_the_namespace_reaches_the_loader(monkeypatch: pytest.MonkeyPatch) -> None:
    config = recording.stack_config("demo") | {"tierplan:clusters": "{}", "aws:region": "us-east-1"}
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps(config))
    with pytest.raises(pulumi.RunError, match="clusters") as caught:
        recording.record(preview_stack)
    assert len(str(caught.value).splitlines()) == 1


def test_a_stack_without_configuration_is_told_how_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"aws:region": "us-east-1"}))
    with pytest.raises(pulumi.RunError, match=r"stack empty: no tierplan: configuration; `tierplan init`"):
        recording.record(preview_stack, stack="empty")


def with_hosts(spec: Spec, name: str) -> dict[str, object]:
    return {**spec, "operations": {**cast("Spec", spec["operations"]), "hosts": name}}


def record_with_hosts(spec: Spec, name: str) -> recording.Recording:
    folder = str(recording.ROOT / "examples")
    return recording.record(lambda: TieredStorage("mine", {"spec": with_hosts(spec, name), "folder": folder}))


def test_files_for_real_hosts_are_registered_by_digest(demo_spec: Spec) -> None:
    recorded = record_with_hosts(demo_spec, "hosts.yaml")
    artifacts = [one for one in recorded.resources if one.token == wire.ARTIFACT]
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert len(artifacts) > 10
    for one in artifacts:
        validator.validate({one.token: one.inputs})
        text = cast("str", one.outputs["text"])
        assert one.inputs["sha256"] == hashlib.sha256(text.encode()).hexdigest()
        assert one.name == f"mine-{one.inputs['path']}"
    assert any("weka-a1" in str(one.outputs["text"]) for one in artifacts)


@pytest.mark.parametrize("name", ["no-such-hosts.yaml", "../README.md"])
def test_a_hosts_file_that_does_not_fit_hides_the_files_and_not_the_plan(demo_spec: Spec, name: str) -> None:
    recorded = record_with_hosts(demo_spec, name)
    assert recorded.of(wire.TIER_TOKENS["hot"]).inputs["nodes"] == 12
    assert wire.ARTIFACT not in {one.token for one in recorded.resources}
    assert any(one.startswith("the rendered files are not shown: ") for one in recorded.messages)


def test_what_was_measured_is_registered_with_the_choices(demo_spec: Spec, tmp_path: Path) -> None:
    """The policies cannot read the calibration file: the tier carries what it says."""
    (tmp_path / "measured.yaml").write_text(
        "schema: tierplan/calibration/1\nmeasured:\n"
        '- {backend: weka, node: "12 x 7.68 TB nvme, 2 x 200 Gbit/s", quantity: write, fraction: 0.5, source: run 7}\n'
    )
    calibrated = {**demo_spec, "calibration": "measured.yaml"}
    recorded = recording.record(lambda: TieredStorage("mine", {"spec": calibrated, "folder": str(tmp_path)}))
    hot = recorded.of(wire.TIER_TOKENS["hot"])
    config = wire.tier_inputs(hot.token, hot.inputs).config
    assert config is not None
    assert config.measured is not None
    assert config.measured.write_fraction == 0.5
