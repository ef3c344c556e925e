"""The policy pack judges the fabric of the registered tiers as the command line does."""

from __future__ import annotations

import json

import pytest

import recording
from judging import judge
from tierplan import wire
from tierplan_pulumi import preview_stack


def form(**changes: object) -> dict[str, object]:
    """The stack form of a cluster with much checkpoint traffic, changed."""
    stack = wire.stack_document(recording.stack_config("scenario-128"))
    return {key: value for key, value in stack.items() if key != "expect"} | changes


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch):
    def run(**changes: object) -> dict[str, list[str]]:
        spec = form(**changes)
        config = {
            f"tierplan:{key}": json.dumps(value) if isinstance(value, dict | list) else value
            for key, value in spec.items()
        }
        monkeypatch.setenv("PULUMI_CONFIG", json.dumps(config))
        return judge(recording.record(preview_stack))

    return run


def test_a_fabric_that_carries_everything_is_silence(judged):
    assert "fabric-bandwidth" not in judged()


def test_a_fabric_that_does_not_is_refused_with_both_figures(judged):
    (message,) = judged(fabric={"oversubscription": 4})["fabric-bandwidth"]
    assert "142 GB/s" in message
    assert "120 GB/s" in message
    assert "\nChange: " in message
