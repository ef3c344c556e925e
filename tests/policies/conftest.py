"""What the tests of policies share: the demo's resources, with and without the stack's configuration."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

import recording
from tierplan import wire
from tierplan_pulumi import TieredStorage, preview_stack

Run = Callable[[Mapping[str, object]], recording.Recording]


def configuration(spec: Mapping[str, object]) -> str:
    """A spec as the configuration of a stack, as the engine hands it on."""
    return json.dumps(
        {
            f"tierplan:{key}": json.dumps(value) if isinstance(value, dict | list) else value
            for key, value in spec.items()
        }
    )


@pytest.fixture(scope="session")
def demo_spec() -> Mapping[str, object]:
    """The demo's stack form."""
    return {key: value for key, value in wire.stack_document(recording.stack_config("demo")).items() if key != "expect"}


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the project's program on a stack with this form; the policies see the same configuration."""

    def run(spec: Mapping[str, object]) -> recording.Recording:
        monkeypatch.setenv("PULUMI_CONFIG", configuration(spec))
        return recording.record(preview_stack)

    return run


@pytest.fixture
def unconfigured(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs somebody's program, which has the form in its code and no configuration of ours."""

    def run(spec: Mapping[str, object]) -> recording.Recording:
        monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"acme:team": "storage"}))
        return recording.record(lambda: TieredStorage("mine", {"spec": spec}))

    return run
