"""Run a Pulumi program without an engine and keep what it registers, as a policy would get it."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from unittest import mock

import pulumi
import yaml
from google.protobuf import json_format  # type: ignore[import-untyped]
from pulumi.runtime import mocks
from pulumi.runtime.settings import get_root_resource

ROOT = Path(__file__).resolve().parent.parent.parent
STACKS = ROOT / "stacks"
Properties = dict[str, object]


@dataclass(slots=True, kw_only=True)
class Registered:
    """One resource: every number a double, as on the wire."""

    token: str
    name: str
    urn: str
    parent: str
    inputs: Properties
    outputs: Properties = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=dict)
    """Property -> the URNs of the resources that its value comes from."""
    protected: bool = False


@dataclass(slots=True)
class Recording:
    """All resources in the order of their registration, all messages, all stack outputs."""

    resources: list[Registered] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    exports: dict[str, object] = field(default_factory=dict)

    def of(self, token: str) -> Registered:
        """The only resource of a type."""
        (found,) = (one for one in self.resources if one.token == token)
        return found

    def state(self) -> dict[str, object]:
        """The same as a state file that `pulumi policy analyze --file` reads."""
        resources = [
            {
                "urn": _engine_urn(one.urn),
                "type": one.token,
                "custom": False,
                "inputs": one.inputs,
                "outputs": one.outputs,
            }
            | ({"parent": _engine_urn(one.parent)} if one.parent else {})
            for one in self.resources
        ]
        manifest = {"time": "2026-01-01T00:00:00Z", "magic": "", "version": ""}
        return {"version": 3, "deployment": {"manifest": manifest, "resources": resources}}


def _engine_urn(urn: str) -> str:
    return urn.replace("pulumi:pulumi:Stack$", "")


class _Mocks(mocks.Mocks):
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        return None, args.inputs

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], None]:
        raise NotImplementedError(args.token)


class _Monitor(mocks.MockMonitor):
    def __init__(self, recording: Recording) -> None:
        super().__init__(_Mocks())
        self.recording = recording

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802
        response = super().RegisterResource(request)  # type: ignore[no-untyped-call]
        if request.type != "pulumi:pulumi:Stack":
            inputs = json_format.MessageToDict(request.object)
            parent = "" if "::pulumi:pulumi:Stack::" in request.parent else request.parent
            self.recording.resources.append(
                Registered(
                    token=request.type,
                    name=request.name,
                    urn=response.urn,
                    parent=parent,
                    inputs=inputs,
                    links={key: list(value.urns) for key, value in request.propertyDependencies.items()},
                    protected=request.protect,
                )
            )
        return response

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802
        for one in self.recording.resources:
            if one.urn == request.urn:
                one.outputs = json_format.MessageToDict(request.outputs)
        return super().RegisterResourceOutputs(request)  # type: ignore[no-untyped-call]


class _Messages(logging.Handler):
    def __init__(self, recording: Recording) -> None:
        super().__init__(logging.INFO)
        self.recording = recording

    def emit(self, record: logging.LogRecord) -> None:
        self.recording.messages.append(str(record.msg))


@contextmanager
def _closed_loops() -> Iterator[None]:
    """The SDK makes an event loop in each of its threads and leaves them open."""
    make, made = asyncio.new_event_loop, list[asyncio.AbstractEventLoop]()

    def kept() -> asyncio.AbstractEventLoop:
        made.append(make())
        return made[-1]

    with mock.patch.object(asyncio, "new_event_loop", kept):
        asyncio.set_event_loop(kept())
        try:
            yield
        finally:
            asyncio.set_event_loop(None)
            for loop in made:
                loop.close()


def _set_mocks(recording: Recording, stack: str) -> None:
    logger = logging.getLogger("tierplan.tests.recording")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.handlers = [_Messages(recording)]
    pulumi.runtime.set_mocks(
        _Mocks(), project="tierplan", stack=stack, preview=True, logger=logger, monitor=_Monitor(recording)
    )


def record(program: Callable[[], object], *, stack: str = "demo") -> Recording:
    """What `program` registers; what it raises is raised."""
    recording = Recording()
    raised: list[BaseException] = []

    def run() -> None:
        try:
            program()
        except (Exception, pulumi.RunError) as fault:  # noqa: BLE001  # handed on below
            raised.append(fault)

    with _closed_loops():
        _set_mocks(recording, stack)
        cast("Callable[[Callable[[], None]], Callable[[], None]]", pulumi.runtime.test)(run)()
    if raised:
        raise raised[0]
    root = get_root_resource()
    if root is not None:
        recording.exports = dict(cast("Any", root).outputs)
    return recording


def stack_config(name: str) -> dict[str, str]:
    """A shipped stack's configuration as the engine hands it on: structured values as JSON text."""
    text = (STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    document = cast("Mapping[str, Mapping[str, object]]", yaml.safe_load(text))
    return {
        key: json.dumps(value) if isinstance(value, dict | list) else str(value)
        for key, value in document["config"].items()
    }


def stack_names() -> list[str]:
    """Every shipped stack."""
    return sorted(path.stem.removeprefix("Pulumi.") for path in STACKS.glob("Pulumi.*.yaml"))
