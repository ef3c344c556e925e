"""Each rule as a policy: it passes at the boundary, fails beyond it, and says what to change."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from pulumi_policy import ResourceValidationPolicy, StackValidationPolicy

import pack
from foreign import owned_tokens
from judging import PACK, judge, judge_resource, level, mandatory, spoilt
from pack import read_index, read_tokens
from recording import Recording, Registered
from rules import index
from tierplan import wire
from tierplan.plan.program_rules import PROGRAM_RULES
from tierplan.plan.rule import ProgramRule, Rule, StackRule
from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES

Run = Callable[[Mapping[str, object]], Recording]
Changes = Mapping[str, object]
BEYOND = 1 + 1e-6
NO_PHASES: list[object] = []


@pytest.fixture
def tiers(unconfigured: Run, demo_spec: Mapping[str, object]) -> Mapping[str, Registered]:
    """The demo's tiers in a program without configuration: their own `need` is what counts."""
    recorded = unconfigured(demo_spec)
    return {tier: recorded.of(token) for tier, token in wire.TIER_TOKENS.items()}


def changed(one: Registered, changes: Changes) -> Registered:
    for path, value in changes.items():
        one = spoilt(one, path, value)
    return one


def figure(one: Registered, path: str) -> float:
    """A figure of what a tier gives: ``healthy.readBytesPerS``."""
    place: Any = one.outputs
    for key in path.split("."):
        place = place[int(key)] if isinstance(place, list) else place[key]
    return cast("float", place)


def test_the_pack_has_a_policy_for_each_rule_of_the_core() -> None:
    rules: dict[str, Rule | StackRule | ProgramRule] = {
        rule.name: rule for rule in (*RULES, *STACK_RULES, *PROGRAM_RULES)
    }
    own = {"stack-other", "advice-other", "stack-parts", "stack-waivers", "advice-waived", "advice-requirement"}
    assert set(PACK) == rules.keys() | own
    assert len(rules) == len(RULES) + len(STACK_RULES) + len(PROGRAM_RULES)
    for name, rule in rules.items():
        policy = PACK[name]
        assert (level(name), policy.description) == (rule.level, rule.title)
        assert policy.severity is not None
        assert policy.severity.value == rule.severity


def test_the_index_is_the_one_of_the_rules() -> None:
    """`python policies/rules.py` after a change of the rules."""
    assert read_index() == index()
    assert read_tokens() == owned_tokens()
    assert len({entry["name"] for entry in index()}) == len(index())


def test_an_index_that_misses_a_rule_stops_the_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = tmp_path / "index.json"
    short.write_text(json.dumps({"policies": read_index()[1:], "tokens": {}}), encoding="utf-8")
    monkeypatch.setattr(pack, "INDEX", short)
    pack.rules.cache_clear()
    with pytest.raises(RuntimeError, match=r"run: python policies/rules\.py"):
        pack.rules()


def test_the_pack_answers_the_engine_before_the_rules_are_loaded() -> None:
    """The engine waits for the pack; the rules are loaded while it starts the program."""
    code = "import sys, pack; pack.policies(); sys.exit(any(name.startswith('tierplan') for name in sys.modules))"
    subprocess.run([sys.executable, "-c", code], cwd=pack.INDEX.parent, check=True)


def test_what_one_tier_tells_is_judged_before_anything_is_created() -> None:
    assert all(isinstance(PACK[rule.name], ResourceValidationPolicy) for rule in RULES)
    assert all(isinstance(PACK[rule.name], ResourceValidationPolicy) for rule in STACK_RULES if rule.from_requirement)
    assert isinstance(PACK["stack-requirement"], ResourceValidationPolicy)
    assert isinstance(PACK["stack-tiers"], StackValidationPolicy)


def test_the_demo_passes_every_mandatory_policy(configured: Run, demo_spec: Mapping[str, object]) -> None:
    assert mandatory(judge(configured(demo_spec))) == set()


BOUNDARIES = [
    ("hot-read-bandwidth", "hot", "need.readBytesPerS", "healthy.readBytesPerS"),
    ("hot-write-bandwidth", "hot", "need.writeBytesPerS", "healthy.writeBytesPerS"),
    ("hot-op-rate", "hot", "need.opRateOpsPerS", "healthy.opRateOpsPerS"),
    ("hot-capacity", "hot", "need.capacityBytes", "plannedBytes"),
    ("survive-bandwidth", "hot", "need.degradedReadBytesPerS", "degraded.0.readBytesPerS"),
    ("local-read-bandwidth", "local", "need.readBytesPerS", "healthy.readBytesPerS"),
    ("local-write-bandwidth", "local", "need.writeBytesPerS", "healthy.writeBytesPerS"),
    ("local-capacity", "local", "need.capacityBytes", "plannedBytes"),
    ("cold-read-bandwidth", "cold", "need.readBytesPerS", "healthy.readBytesPerS"),
    ("cold-ingest", "cold", "need.writeBytesPerS", "healthy.writeBytesPerS"),
    ("cold-op-rate", "cold", "need.opRateOpsPerS", "healthy.opRateOpsPerS"),
    ("cold-capacity", "cold", "need.capacityBytes", "plannedBytes"),
]


@pytest.mark.parametrize(("name", "tier", "need", "given"), BOUNDARIES, ids=[row[0] for row in BOUNDARIES])
def test_a_figure_passes_at_the_boundary_and_fails_beyond(
    tiers: Mapping[str, Registered], name: str, tier: str, need: str, given: str
) -> None:
    one = spoilt(tiers[tier], "need.phases", NO_PHASES)
    exact = figure(one, given)
    assert name not in judge_resource(spoilt(one, need, exact))
    (message,) = judge_resource(spoilt(one, need, exact * BEYOND))[name]
    assert "required" in message
    assert "\nChange: " in message


@pytest.mark.parametrize("tier", ["local", "hot", "cold"])
def test_a_phase_may_take_the_whole_tier_and_no_more(tiers: Mapping[str, Registered], tier: str) -> None:
    one = tiers[tier]
    reads, writes = (figure(one, f"healthy.{way}BytesPerS") for way in ("read", "write"))

    def phase(share: float) -> list[object]:
        rates = {"readBytesPerS": reads * share, "writeBytesPerS": writes * share, "opRateOpsPerS": 0.0}
        return [{"name": "both", **rates}]

    assert f"{tier}-phases" not in judge_resource(spoilt(one, "need.phases", phase(0.5)))
    (message,) = judge_resource(spoilt(one, "need.phases", phase(0.5 * BEYOND)))[f"{tier}-phases"]
    assert "phase both" in message


FAILURES: Mapping[str, tuple[str, Changes]] = {
    "hot-layout": ("hot", {"layout.dataUnits": 11.0}),
    "hot-node": ("hot", {"node.cores": 4.0}),
    "local-refetchable": ("local", {"need.irreplaceable": ["job.checkpoint"]}),
    "local-layout": ("local", {"options": {"raid": "0"}}),
    "cold-layout": ("cold", {"layout.dataUnits": 11.0}),
    "cold-node": ("cold", {"node.memoryBytes": 1e9}),
    "survive-nodes": ("hot", {"need.survive.nodes": 3.0}),
    "survive-racks": ("cold", {"need.survive": {"nodes": 0.0, "racks": 5.0}}),
    "advice-node": ("hot", {"node.drives": 40.0}),
    "advice-unmaintained": ("cold", {"backend": "minio"}),
    "advice-narrow-layout": ("hot", {"layout.hotSpares": 0.0}),
}
PASSES: Mapping[str, tuple[str, Changes]] = {
    "hot-layout": ("hot", {"layout.dataUnits": 10.0, "layout.hotSpares": 0.0}),  # 10+2 on 12 nodes
    "cold-layout": ("cold", {"layout.dataUnits": 10.0}),
    "survive-nodes": ("hot", {"need.survive.nodes": 2.0}),  # as many as there are parity units
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_rule_without_a_rate_fails_where_it_must(tiers: Mapping[str, Registered], name: str) -> None:
    tier, changes = FAILURES[name]
    assert name not in judge_resource(tiers[tier])
    assert name in judge_resource(changed(tiers[tier], changes))


@pytest.mark.parametrize("name", PASSES)
def test_a_rule_without_a_rate_passes_at_the_boundary(tiers: Mapping[str, Registered], name: str) -> None:
    tier, changes = PASSES[name]
    assert name not in judge_resource(changed(tiers[tier], changes))


SPOILT: list[tuple[str, Changes, set[str]]] = [
    ("hot", {"nodes": 7.0}, set()),  # 5+2 without the spare: only advice
    ("hot", {"node.drive.sizeBytes": 1e12}, {"hot-capacity"}),
    ("hot", {"node.drive.readBytesPerS": 1e6}, {"hot-read-bandwidth", "hot-phases", "survive-bandwidth"}),
    ("hot", {"node.drive.writeBytesPerS": 5e7}, {"hot-write-bandwidth", "hot-phases", "survive-bandwidth"}),
    ("hot", {"node.portRateBytesPerS": 1.25e9}, {"hot-write-bandwidth", "hot-phases", "survive-bandwidth"}),
    ("hot", {"node.cores": 4.0}, {"hot-node"}),
    ("hot", {"node.memoryBytes": 1e9}, {"hot-node"}),
    ("hot", {"node.medium": "hdd"}, {"hot-node"}),
    ("hot", {"layout.dataUnits": 16.0}, {"hot-layout"}),
    ("hot", {"layout.parityUnits": 1.0}, {"hot-layout"}),  # survives one node, but the product knows 2 and 4 only
    ("hot", {"need.writeBytesPerS": 1e9}, {"stack-requirement"}),
    ("hot", {"need.capacityBytes": 1e9}, {"stack-requirement"}),
    ("hot", {"need.maxFill": 1.0}, {"stack-requirement"}),
    ("hot", {"need.survive.nodes": 0.0}, {"stack-requirement"}),
    ("hot", {"need.clients.gpuNodes": 1.0}, {"stack-requirement"}),
    ("hot", {"need.phases": NO_PHASES}, {"stack-requirement"}),
    ("hot", {"need.writeBytesPerS": 1e12}, set()),  # stated higher: somebody is careful
    ("hot", {"need": None}, set()),  # the configuration says it
    ("cold", {"node.drive.sizeBytes": 1e12}, {"cold-capacity"}),
    ("cold", {"node.drive.writeBytesPerS": 1e4}, {"cold-ingest", "cold-phases", "survive-bandwidth"}),
    ("cold", {"node.memoryBytes": 1e9}, {"cold-node"}),
    ("cold", {"layout.dataUnits": 20.0}, {"cold-layout"}),
    ("local", {"node.drive.sizeBytes": 1e11}, {"local-capacity"}),
    ("local", {"node.drive.readBytesPerS": 1e5}, {"local-read-bandwidth", "local-phases"}),
    ("local", {"need.irreplaceable": ["x"]}, {"stack-requirement"}),
]


@pytest.mark.parametrize(("tier", "changes", "expected"), SPOILT, ids=[f"{t}-{next(iter(c))}" for t, c, _ in SPOILT])
def test_one_spoilt_figure_is_refused_by_exactly_its_rules(
    configured: Run, demo_spec: Mapping[str, object], tier: str, changes: Changes, expected: set[str]
) -> None:
    one = configured(demo_spec).of(wire.TIER_TOKENS[cast("Any", tier)])
    assert mandatory(judge_resource(changed(one, changes))) == expected


def test_a_figure_that_says_ok_changes_nothing(configured: Run, demo_spec: Mapping[str, object]) -> None:
    """Spoilt outputs do not save a spoilt input."""
    hot = configured(demo_spec).of(wire.TIER_TOKENS["hot"])
    lied = replace(spoilt(hot, "node.drive.sizeBytes", 1e12), outputs={**hot.outputs, "plannedBytes": 1e18})
    assert mandatory(judge_resource(lied)) == {"hot-capacity"}


def test_a_lower_figure_of_the_requirement_is_named(configured: Run, demo_spec: Mapping[str, object]) -> None:
    stated = configured(demo_spec).of(wire.REQUIREMENT)
    name = "pretrain-70b.checkpoint.write_bytes_per_s"
    figures = {**cast("Mapping[str, float]", stated.inputs["figures"]), name: 1e9}
    (message,) = judge_resource(replace(stated, inputs={"figures": figures}))["stack-requirement"]
    assert f"figures.{name}: 1 GB/s stated, 18.1 GB/s asked" in message


def test_a_spec_other_than_the_configuration_is_named(configured: Run, demo_spec: Mapping[str, object]) -> None:
    storage = configured(demo_spec).of(wire.STORAGE)
    other = {**demo_spec, "capacity": {"home": "1 TB"}}
    (message,) = judge_resource(replace(storage, inputs={"spec": other}))["stack-requirement"]
    assert "spec is not the stack's configuration; it differs in capacity" in message
