"""Recorded event streams of the real engine (3.274.1), each from a run whose outcome is known."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import verdict
from verdict import Verdict

EVENTS = Path(__file__).parent / "events"


def recorded(name: str, *, exit_code: int) -> verdict.Outcome:
    return verdict.judge(verdict.read((EVENTS / f"{name}.jsonl").read_text().splitlines()), exit_code=exit_code)


@pytest.mark.parametrize(
    ("name", "exit_code", "expected", "reason"),
    [
        ("accepted", 0, Verdict.ACCEPTED, "every policy passed"),
        ("advice", 0, Verdict.ACCEPTED, "every policy passed"),
        ("refused", 1, Verdict.REFUSED, "by hot-capacity"),
        (
            "unknown",
            0,
            Verdict.REFUSED,
            "cannot be judged, a value is unknown at preview: hot-capacity, advice-x",
        ),
        ("crash", 1, Verdict.FAULT, "ValueError: boom"),
        ("bad-input", 1, Verdict.FAULT, "stack x: bad"),
        ("broken-pack", 1, Verdict.FAULT, "the engine ended early (exit code 1)"),
    ],
)
def test_recorded_run_gets_its_verdict(name: str, exit_code: int, expected: Verdict, reason: str) -> None:
    outcome = recorded(name, exit_code=exit_code)
    assert (outcome.verdict, outcome.reason) == (expected, reason)


def test_advice_is_told_apart_from_refusals() -> None:
    outcome = recorded("refused", exit_code=1)
    assert [(one.policy, one.level) for one in outcome.refusals] == [("hot-capacity", "mandatory")]
    assert [one.policy for one in outcome.advice] == ["advice-x"]
    assert outcome.refusals[0].message == "Hot holds.\nusable 1; 1e15 required"


def test_crash_after_a_violation_is_a_fault_not_a_refusal() -> None:
    outcome = recorded("crash", exit_code=1)
    assert outcome.refusals
    assert outcome.verdict is Verdict.FAULT


@pytest.mark.parametrize("last", range(1, 8))
def test_cut_stream_is_never_accepted(last: int) -> None:
    """A killed engine leaves the head of a stream, the last line cut in the middle."""
    lines = (EVENTS / "accepted.jsonl").read_text().splitlines()
    needed = next(number for number, line in enumerate(lines) if "summaryEvent" in line)
    cut = [*lines[: min(last, needed)], lines[min(last, needed)][:20]]
    assert verdict.judge(verdict.read(cut), exit_code=0).verdict is Verdict.FAULT


def test_no_events_is_a_fault() -> None:
    assert verdict.judge([], exit_code=0).verdict is Verdict.FAULT


def test_run_without_a_pack_proves_nothing() -> None:
    lines = (EVENTS / "accepted.jsonl").read_text().splitlines()
    without = [line for line in lines if "policyAnalyzeStackSummaryEvent" not in line]
    outcome = verdict.judge(verdict.read(without), exit_code=0)
    assert (outcome.verdict, outcome.reason) == (Verdict.FAULT, "the policy pack did not run to its end")


def test_unexplained_exit_code_is_a_fault() -> None:
    assert recorded("accepted", exit_code=1).verdict is Verdict.FAULT


def test_colour_marks_do_not_hide_an_unjudged_policy() -> None:
    """With colour on, the engine wraps messages in marks of its own."""
    note = "<{%fg 5%}>can't run policy 'hot-capacity' from policy pack<{%reset%}>"
    event: verdict.Event = {
        "policyEvent": {"policyName": "hot-capacity", "enforcementLevel": "advisory", "message": note}
    }
    rest = verdict.read((EVENTS / "accepted.jsonl").read_text().splitlines())
    outcome = verdict.judge([event, *rest], exit_code=0)
    assert (outcome.verdict, len(outcome.unjudged)) == (Verdict.REFUSED, 1)


def test_lines_that_are_no_objects_are_passed_over() -> None:
    assert list(verdict.read(["1", json.dumps({"cancelEvent": {}})])) == [{"cancelEvent": {}}]


def test_protected_resource_is_a_refusal_not_a_fault() -> None:
    """The engine's own error where a preview would replace what is protected; it then leaves the stack policies out."""
    lines = (EVENTS.parents[1] / "plan" / "events" / "protected.jsonl").read_text().splitlines()
    outcome = verdict.judge(verdict.read(lines), exit_code=1)
    assert (outcome.verdict, outcome.reason, outcome.faults) == (Verdict.REFUSED, "by protect", ())
    assert outcome.refusals[0].resource.endswith("::aws-fsx-hot-fsx")
