"""Raw resources of a cloud in somebody's program, judged as the tier that they are; by a backend made for the test."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import cast

import pytest
from pulumi_policy import proxy

import foreign
from judging import judge, judge_resource, mandatory
from recording import Recording, Registered
from tierplan import load, wire
from tierplan.backends import load as load_backend
from tierplan.backends._choosing import NO_NODE
from tierplan.domain.facts import BackendFacts
from tierplan.domain.tiers import Delivered, Illegal, Layout, Rates, TierConfig
from tierplan.units import Bandwidth, OpRate, Size

TOKEN = "acme:store/fileSystem:FileSystem"  # noqa: S105
UNKNOWN = proxy.UNKNOWN_NUMBER_VALUE
Spec = Mapping[str, object]
Run = Callable[[Spec], Recording]


def from_inputs(token: str, inputs: Mapping[str, object]) -> TierConfig:
    assert token == TOKEN
    size = inputs["size"]
    assert inputs.get("tags", {}) == {"team": "storage"}
    return TierConfig(
        tier="hot",
        backend="acme",
        nodes=1,
        node=NO_NODE,
        layout=Layout(kind="none"),
        options={"size": float(cast("float", size))},
    )


class Acme:
    """A store of whole terabytes, 1 GB/s each."""

    def deliver(self, config: TierConfig, _need: object, _facts: object) -> Delivered:
        size = cast("float", config.options["size"])
        rate = Bandwidth(size * 1e9)
        odd = Illegal(policy="hot-layout", message=f"{size} TB is no whole number of TB", remedy="round up")
        return Delivered(
            counts={"capacity": 1},
            raw=Size(size * 1e12),
            usable=Size(size * 1e12),
            planned_fill_fraction=1.0,
            waterfall=(),
            healthy=Rates(
                read=rate, write=rate, op_rate=OpRate(1e6), read_limited_by="class", write_limited_by="class"
            ),
            degraded=(),
            illegal=() if float(size).is_integer() else (odd,),
        )


ACME = BackendFacts(id="acme", name="Acme", fills=("hot",), summary="", figures={}, nodes={}, node_facts={})


class Known:
    """The catalogue, with the test's own backend."""

    def __getattr__(self, name: str) -> object:
        return getattr(load.catalogue(), name)

    def backend(self, backend_id: str) -> object:
        return ACME if backend_id == "acme" else load.catalogue().backend(backend_id)


@pytest.fixture(autouse=True)
def acme(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tierplan.backends.acme")
    vars(module).update(TOKENS=(TOKEN,), from_inputs=from_inputs, BACKEND=Acme())
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(cast("dict[str, str]", foreign.TOKENS), TOKEN, "acme")
    monkeypatch.setattr("evidence.catalogue", Known)
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"aws:region": "us-east-1"}))
    load_backend.cache_clear()


def store(size: object, **more: object) -> Registered:
    urn = f"urn:pulumi:dev::site::{TOKEN}::data"
    inputs = {"size": size, "tags": {"team": "storage"}, **more}
    return Registered(token=TOKEN, name="data", urn=urn, parent="", inputs=inputs)


def test_without_a_requirement_only_legality_is_judged() -> None:
    assert set(judge_resource(store(4.0))) == {"advice-requirement"}
    reports = judge_resource(store(4.5))
    assert set(reports) == {"advice-requirement", "hot-layout"}
    assert reports["hot-layout"] == ["4.5 TB is no whole number of TB\nChange: round up"]
    assert "it reads 4.5 GB/s, writes 4.5 GB/s and holds 4.5 TB" in reports["advice-requirement"][0]


def test_the_policies_configuration_says_what_is_required() -> None:
    totals = {"readBytesPerS": 3e9, "writeBytesPerS": 1e9, "opRateOpsPerS": 0.0, "capacityBytes": 4e12}
    config = {name: {"required": totals} for name in ("hot-read-bandwidth", "hot-capacity", "advice-requirement")}
    assert set(judge_resource(store(5.0), config)) == set()
    assert set(judge_resource(store(3.0), config)) == {"hot-capacity"}
    assert set(judge_resource(store(2.0), config)) == {"hot-capacity", "hot-read-bandwidth"}


def test_the_stacks_configuration_comes_first(configured: Run, demo_spec: Spec) -> None:
    configured(demo_spec)
    reports = judge_resource(store(4.0))
    assert "advice-requirement" not in reports
    assert {"hot-read-bandwidth", "hot-write-bandwidth", "hot-capacity"} <= mandatory(reports)
    assert mandatory(judge_resource(store(4000.0))) == set()


def test_the_tier_of_ours_that_it_is_a_part_of_says_it(unconfigured: Run, demo_spec: Spec) -> None:
    recorded = unconfigured(demo_spec)
    hot = recorded.of(wire.TIER_TOKENS["hot"])
    for size, refused in ((4000.0, False), (4.0, True)):
        part = replace(store(size), parent=hot.urn)
        reports = judge(Recording(resources=[*recorded.resources, part]))
        assert ("hot-capacity" in reports) == refused
        assert "advice-requirement" not in reports


@pytest.mark.parametrize(
    ("spoilt", "reason"),
    [
        ({"size": UNKNOWN}, "size is not known at preview"),
        ({"tags": {"team": UNKNOWN}}, "tags.team is not known at preview"),
        ({"tags": UNKNOWN}, "tags is not known at preview"),
        ({"size": "many"}, "its inputs are not those of a FileSystem"),
    ],
)
def test_what_cannot_be_judged_is_refused(spoilt: Spec, reason: str) -> None:
    one = store(4.0)
    reports = judge_resource(replace(one, inputs=one.inputs | dict(spoilt)))
    assert "hot-capacity" in mandatory(reports)
    assert reason in reports["hot-capacity"][0]


def test_what_is_not_asked_may_be_unknown() -> None:
    assert set(judge_resource(store(4.0, subnetIds=[UNKNOWN]))) == {"advice-requirement"}


def test_a_misspelt_word_of_the_configuration_is_a_finding() -> None:
    assert (
        "allowed: factor, required" in judge_resource(store(4.0), {"hot-capacity": {"factors": 2}})["hot-capacity"][0]
    )
