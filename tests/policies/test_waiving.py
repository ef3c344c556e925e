"""Waivers in the pack: read from the configuration of one policy, heeded by all, shown by the last."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

import waiving
from judging import PACK, Config, judge, mandatory, spoilt
from recording import Recording
from tierplan import wire

Run = Callable[[Mapping[str, object]], Recording]
LAST = "2027-01-31"


def row(rule: str = "hot-capacity", **changes: str) -> dict[str, str]:
    return {"rule": rule, "stack": "demo", "reason": "drives in May", "owner": "ops", "until": LAST, **changes}


def waive(*rows: object) -> Config:
    return {"stack-waivers": {"waivers": list(rows)}}


@pytest.fixture(autouse=True)
def day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiving, "today", lambda: dt.date.fromisoformat(LAST))


@pytest.fixture
def small(configured: Run, demo_spec: Mapping[str, object]) -> Recording:
    """The demo with drives that are too small: refused by `hot-capacity`."""
    recorded = configured(demo_spec)
    hot = recorded.of(wire.TIER_TOKENS["hot"])
    recorded.resources[recorded.resources.index(hot)] = spoilt(hot, "node.drive.sizeBytes", 1e12)
    return recorded


def test_a_waived_finding_refuses_nothing_and_is_shown(small: Recording) -> None:
    assert mandatory(judge(small)) == {"hot-capacity"}
    reports = judge(small, waive(row()))
    assert mandatory(reports) == set()
    (message,) = reports["advice-waived"]
    assert message.startswith(f"hot-capacity, waived until {LAST} by ops: drives in May\nhot capacity: ")


def test_a_waiver_that_has_ended_is_refused(small: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiving, "today", lambda: dt.date(2027, 2, 1))
    reports = judge(small, waive(row()))
    assert mandatory(reports) == {"hot-capacity", "stack-waivers"}
    (message,) = reports["stack-waivers"]
    assert "is refused: it ended on 2027-01-31" in message


def test_data_loss_is_never_waived(configured: Run, demo_spec: Mapping[str, object]) -> None:
    recorded = configured(demo_spec)
    hot = recorded.of(wire.TIER_TOKENS["hot"])
    recorded.resources[recorded.resources.index(hot)] = spoilt(hot, "layout.parityUnits", 1.0)
    reports = judge(recorded, waive(row("hot-layout")))
    assert {"hot-layout", "stack-waivers"} <= mandatory(reports)
    assert "is never waived" in reports["stack-waivers"][0]


def test_what_cannot_be_judged_is_not_waived(small: Recording) -> None:
    hot = small.of(wire.TIER_TOKENS["hot"])
    small.resources[small.resources.index(hot)] = spoilt(hot, "backend", "wekka")
    assert "hot-capacity" in mandatory(judge(small, waive(row())))


def test_findings_of_the_whole_are_waived_too(configured: Run, demo_spec: Mapping[str, object]) -> None:
    spec = {
        **demo_spec,
        "workloads": [{"name": "m", "kind": "model-load", "weights": "140 GB", "replicas": 5000, "within": "1 s"}],
    }
    recorded = configured(spec)
    assert "hot-load-time" in judge(recorded)
    reports = judge(recorded, waive(row("hot-load-time")))
    assert "hot-load-time" not in reports
    assert any(message.startswith("hot-load-time, waived") for message in reports["advice-waived"])


def test_other_stacks_and_needless_waivers(small: Recording) -> None:
    reports = judge(small, waive(row(stack="other"), row("cold-capacity")))
    assert mandatory(reports) == {"hot-capacity"}
    (message,) = reports["advice-waived"]
    assert message.startswith("cold-capacity finds nothing to waive")


@pytest.mark.parametrize("rows", ["all", [{"rule": "hot-capacity"}], [row(until="2027-13-01")]])
def test_waivers_that_cannot_be_read_refuse(small: Recording, rows: object) -> None:
    reports = judge(small, {"stack-waivers": {"waivers": rows}})
    assert {"hot-capacity", "stack-waivers"} <= mandatory(reports)
    assert reports["stack-waivers"][0].startswith("the list of waivers cannot be judged: stack-waivers.waivers")


def test_a_misspelt_word_is_told(small: Recording) -> None:
    reports = judge(small, {"stack-waivers": {"waiver": [row()]}})
    assert "allowed: waivers" in reports["stack-waivers"][0]


def test_the_waivers_are_read_first_and_shown_last() -> None:
    """The engine asks the policies in their order, and each is given its own configuration only."""
    names = list(PACK)
    assert (names[0], names[-1]) == ("stack-waivers", "advice-waived")


def test_the_command_line_waives_the_same(small: Recording, tmp_path: Path) -> None:
    from tierplan.plan.waivers import read_waivers  # noqa: PLC0415  # the core's own reading of the same file

    file = tmp_path / "policies.json"
    file.write_text(json.dumps(waive(row())), encoding="utf-8")
    assert [one.rule for one in read_waivers(json.loads(file.read_text()))] == ["hot-capacity"]
    assert "advice-waived" in judge(small, json.loads(file.read_text()))
