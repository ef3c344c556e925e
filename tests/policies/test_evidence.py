"""Where the requirement comes from, and what happens to what cannot be judged."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest
from pulumi_policy import ResourceValidationPolicy, StackValidationPolicy, proxy

import recording
from judging import PACK, Reports, judge, judge_resource, judge_stack, level, mandatory, spoilt
from pack import read_index
from recording import Recording, Registered
from tierplan import load, plan, wire
from tierplan.plan.rules import RULES

Spec = Mapping[str, object]
Run = Callable[[Spec], Recording]
HOT_RULES = {rule.name for rule in RULES if "hot" in rule.tiers}
UNKNOWN = proxy.UNKNOWN_NUMBER_VALUE


def tier(recorded: Recording, word: str) -> Registered:
    return recorded.of(wire.TIER_TOKENS[cast("Any", word)])


def with_tier(spec: Spec, word: str, pins: object) -> Spec:
    return {**spec, "tiers": {**cast("Spec", spec["tiers"]), word: pins}}


def with_workload(spec: Spec, **changes: object) -> Spec:
    (work,) = cast("list[dict[str, object]]", copy.deepcopy(spec["workloads"]))
    return {**spec, "workloads": [{**work, **changes}]}


def test_a_value_unknown_at_preview_is_a_mandatory_finding(configured: Run, demo_spec: Spec) -> None:
    """Left to the SDK it would be an advisory note, and the gate would let it pass."""
    reports = judge_resource(spoilt(tier(configured(demo_spec), "hot"), "node.drives", UNKNOWN))
    assert set(reports) == HOT_RULES | {"stack-requirement"}
    for messages in reports.values():
        (message,) = messages
        assert message == (
            "demo-hot cannot be judged: node.drives is not known at preview; give a plain value instead of an output"
        )


@pytest.mark.parametrize("place", ["need.capacityBytes", "backend", "layout"])
def test_no_unknown_place_is_overlooked(configured: Run, demo_spec: Spec, place: str) -> None:
    reports = judge_resource(spoilt(tier(configured(demo_spec), "hot"), place, UNKNOWN))
    assert set(reports) >= HOT_RULES


def test_an_unknown_output_stops_the_stack_policies(configured: Run, demo_spec: Spec) -> None:
    recorded = configured(demo_spec)
    hot = tier(recorded, "hot")
    others = [one for one in recorded.resources if one is not hot]
    reports = judge_stack([*others, spoilt(hot, "nodes", UNKNOWN, outputs=True)])
    assert "cannot be judged" in reports["stack-tiers"][0]


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("backend", "wekka", "no backend 'wekka'"),
        ("nodes", 12.5, "nodes: 12.5 is not a whole number"),
        ("layout.kind", "raid", "layout.kind: 'raid'; allowed: erasure-code, replicas, none"),
        ("nodes", None, "it has no configuration"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_reason(
    configured: Run, demo_spec: Spec, path: str, value: object, reason: str
) -> None:
    reports = judge_resource(spoilt(tier(configured(demo_spec), "hot"), path, value))
    assert set(reports) >= HOT_RULES
    assert reason in reports["hot-capacity"][0]
    assert reports["hot-capacity"][0].startswith("demo-hot cannot be judged: ")


def test_the_configuration_comes_before_the_own_need(configured: Run, demo_spec: Spec) -> None:
    hot = spoilt(tier(configured(demo_spec), "hot"), "need.capacityBytes", 1e18)
    assert "hot-capacity" not in judge_resource(hot)


def test_the_own_need_counts_where_there_is_no_configuration(unconfigured: Run, demo_spec: Spec) -> None:
    hot = tier(unconfigured(demo_spec), "hot")
    assert mandatory(judge_resource(hot)) == set()
    assert mandatory(judge_resource(spoilt(hot, "need.capacityBytes", 1e15))) == {"hot-capacity"}


TOTALS = {"readBytesPerS": 1e9, "writeBytesPerS": 1e9, "opRateOpsPerS": 0.0, "capacityBytes": 1e12}


def test_the_policy_configuration_is_the_last_source(unconfigured: Run, demo_spec: Spec) -> None:
    hot = spoilt(tier(unconfigured(demo_spec), "hot"), "need", None)
    enough = {name: {"required": TOTALS} for name in HOT_RULES}
    assert mandatory(judge_resource(hot, enough)) == set()
    large = {name: {"required": {**TOTALS, "capacityBytes": 1e18}} for name in HOT_RULES}
    assert mandatory(judge_resource(hot, large)) == {"hot-capacity"}


def test_stated_totals_count_all_at_once(unconfigured: Run, demo_spec: Spec) -> None:
    """Reads and writes that fit one by one, and not together."""
    hot = spoilt(tier(unconfigured(demo_spec), "hot"), "need", None)
    rates = cast("Mapping[str, float]", hot.outputs["healthy"])
    totals = {**TOTALS, "readBytesPerS": rates["readBytesPerS"] * 0.6, "writeBytesPerS": rates["writeBytesPerS"] * 0.6}
    assert mandatory(judge_resource(hot, {name: {"required": totals} for name in HOT_RULES})) == {"hot-phases"}


def test_nothing_that_says_what_is_required_cannot_be_judged(unconfigured: Run, demo_spec: Spec) -> None:
    reports = judge_resource(spoilt(tier(unconfigured(demo_spec), "hot"), "need", None))
    assert set(reports) == HOT_RULES
    assert "nothing says what is required" in reports["hot-capacity"][0]


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"minHeadroom": 1.2}, "the policy's configuration has minHeadroom; allowed: factor, required"),
        ({"factor": 0.5}, "factor: 0.5; a number from 1 up"),
        ({"factor": "2"}, "factor: '2'; a number from 1 up"),
        ({"factor": True}, "factor: True; a number from 1 up"),
    ],
)
def test_a_wrong_policy_configuration_is_a_finding(
    configured: Run, demo_spec: Spec, config: Mapping[str, object], reason: str
) -> None:
    reports = judge_resource(tier(configured(demo_spec), "hot"), {"hot-capacity": config})
    assert mandatory(reports) == {"hot-capacity"}
    assert reason in reports["hot-capacity"][0]


def test_stack_policies_take_no_configuration(configured: Run, demo_spec: Spec) -> None:
    reports = judge_stack(configured(demo_spec).resources, {"stack-tiers": {"factor": 2}})
    assert "the policy's configuration has factor; allowed: none" in reports["stack-tiers"][0]


def test_a_factor_multiplies_what_is_required(configured: Run, demo_spec: Spec) -> None:
    hot = tier(configured(demo_spec), "hot")
    planned, need = cast("float", hot.outputs["plannedBytes"]), cast("Mapping[str, float]", hot.inputs["need"])
    exact = planned / need["capacityBytes"]
    assert "hot-capacity" not in judge_resource(hot, {"hot-capacity": {"factor": exact}})
    assert "hot-capacity" in judge_resource(hot, {"hot-capacity": {"factor": exact * 1.000001}})


def test_an_impossible_tier_is_refused_once_and_with_its_reasons(configured: Run, demo_spec: Spec) -> None:
    recorded = configured(with_tier(demo_spec, "hot", {"backend": "hdfs"}))
    reports = judge(recorded)
    assert mandatory(reports) == {"stack-tiers"}
    (message,) = reports["stack-tiers"]
    assert "the hot tier cannot be planned; hdfs: HDFS is no storage for GPU clusters" in message


def test_a_missing_tier_is_refused(configured: Run, demo_spec: Spec) -> None:
    recorded = configured(demo_spec)
    for word in wire.TIER_TOKENS:
        kept = [one for one in recorded.resources if one.token != wire.TIER_TOKENS[word]]
        assert f"the {word} tier" in judge_stack(kept)["stack-tiers"][0]
    assert len(judge_stack([])["stack-tiers"]) == 3  # a configuration, and a program that registers nothing


def test_a_tier_set_to_none_is_not_missed(configured: Run, demo_spec: Spec) -> None:
    recorded = configured(with_tier(demo_spec, "hot", {"backend": "none"}))
    assert "stack-tiers" not in judge(recorded)


def test_a_storage_without_a_spec_cannot_be_judged(unconfigured: Run, demo_spec: Spec) -> None:
    recorded = unconfigured(demo_spec)
    resources = [replace(one, outputs={}) if one.token == wire.STORAGE else one for one in recorded.resources]
    assert judge_stack(resources)["stack-tiers"] == ["mine cannot be judged: spec is missing"]


def test_a_foreign_program_is_none_of_our_business(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"aws:region": "us-east-1"}))
    urn = "urn:pulumi:dev::site::aws:iam/role:Role::data"
    foreign = Registered(token="aws:iam/role:Role", name="data", urn=urn, parent="", inputs={"path": UNKNOWN})  # noqa: S106
    assert judge_resource(foreign) == {}
    assert judge_stack([foreign]) == {}


def test_a_foreign_program_with_a_spoilt_configuration_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"tierplan:clusters": "{}"}))
    (message,) = judge_stack([])["stack-tiers"]
    assert message.startswith("the stack cannot be judged: ")
    assert "stack configuration: clusters" in message


def test_two_storages_are_judged_apart(unconfigured: Run, demo_spec: Spec) -> None:
    good, bad = unconfigured(demo_spec), unconfigured(with_tier(demo_spec, "hot", {"backend": "hdfs"}))
    moved = [
        replace(one, urn=one.urn.replace("mine", "other"), parent=one.parent.replace("mine", "other"))
        for one in bad.resources
    ]
    assert len(judge_stack([*good.resources, *moved])["stack-tiers"]) == 1


VARIATIONS: Mapping[str, Callable[[Spec], Spec]] = {
    "restore within a second": lambda spec: with_workload(spec, restore={"within": "1 s", "reads": "per-replica"}),
    "a model in a second": lambda spec: {
        **spec,
        "workloads": [
            {"name": "chat", "kind": "model-load", "weights": "140 GB", "replicas": 5000, "within": "1 s"},
        ],
    },
    "sessions in a microsecond": lambda spec: {
        **spec,
        "workloads": [
            {
                "name": "chat",
                "kind": "kv-cache",
                "model": {"layers": 80, "kv_heads": 8, "head_dimension": 128, "bytes_per_element": 2},
                "context": 131072,
                "sessions": 500000,
                "resumes": "2000 ops/s",
                "reload_within": "1 ms",
                "placement": ["hot"],
            }
        ],
    },
    "checkpoints that land locally": lambda spec: with_workload(
        spec, checkpoint={"interval": "1 min", "mode": "async", "first_landing": "local", "blocking": "1 s"}
    ),
    "no hot tier": lambda spec: with_tier(spec, "hot", {"backend": "none"}),
    "an impossible hot tier": lambda spec: with_tier(spec, "hot", {"backend": "hdfs"}),
    "whatever fits": lambda spec: with_tier(with_tier(spec, "hot", {"backend": "auto"}), "cold", {"backend": "auto"}),
    "an open interval": lambda spec: with_workload(spec, checkpoint={"interval": "auto", "mode": "async"}),
    "small files": lambda spec: with_workload(
        spec,
        dataset={
            "size": "100 TB",
            "sample_size": "4 kB",
            "samples_per_s_per_gpu": 5000,
            "file_operations_per_sample": 3,
        },
    ),
}


RAW = {entry["name"] for entry in read_index() if entry["kind"] in ("alone", "program", "foreign")}
"""Of raw resources, of which a plan knows nothing."""


def refusals(reports: Reports, wanted: str) -> list[str]:
    """The messages of one level, without the names that the policies for other findings put in front."""
    return [
        message.removeprefix(message.split(": ", 1)[0] + ": ") if name.endswith("-other") else message
        for name, messages in reports.items()
        if level(name) == wanted and name not in RAW
        for message in messages
    ]


@pytest.mark.parametrize("source", ["configured", "unconfigured"])
@pytest.mark.parametrize("name", [*recording.stack_names(), *VARIATIONS])
def test_the_pack_and_the_command_line_find_the_same(
    request: pytest.FixtureRequest, demo_spec: Spec, name: str, source: str
) -> None:
    """One rule, one name, one verdict: whatever `judge` finds is reported, on its level, and nothing else."""
    shipped = name in recording.stack_names()
    spec = wire.stack_document(recording.stack_config(name)) if shipped else VARIATIONS[name](demo_spec)
    recorded = cast("Run", request.getfixturevalue(source))(spec)
    planned = plan.make_plan(load.stack_from_document(spec, name="x", where="x"), load.catalogue())
    reports = judge(recorded)
    for wanted in ("mandatory", "advisory"):
        found = [
            f"{finding.message}\nChange: {finding.remedy}" if finding.remedy else finding.message
            for finding in plan.judge(planned)
            if finding.level == wanted
        ]
        assert sorted(refusals(reports, wanted)) == sorted(found)


def test_every_policy_is_of_a_known_kind() -> None:
    assert all(isinstance(policy, ResourceValidationPolicy | StackValidationPolicy) for policy in PACK.values())
