"""What the tests of components share: recordings of shipped stacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

import recording
from tierplan_pulumi import preview_stack

Record = Callable[[str], recording.Recording]


@pytest.fixture
def record_stack(monkeypatch: pytest.MonkeyPatch) -> Record:
    """Runs the project's program on a shipped stack, as the engine would hand it on."""

    def run(name: str) -> recording.Recording:
        monkeypatch.setenv("PULUMI_CONFIG", json.dumps(recording.stack_config(name)))
        return recording.record(preview_stack, stack=name)

    return run


@pytest.fixture
def demo_spec() -> Mapping[str, object]:
    """The demo's stack form, as somebody would write it into a program."""
    return {
        key.removeprefix("tierplan:"): json.loads(value)
        for key, value in recording.stack_config("demo").items()
        if value.startswith(("{", "["))
    }
