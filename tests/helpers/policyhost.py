"""The pack in its own process, asked over the engine's protocol, without an engine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

import grpc
from google.protobuf import json_format, struct_pb2  # type: ignore[import-untyped]
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from recording import ROOT, Registered

Said = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Host:
    """A running pack."""

    stub: analyzer_pb2_grpc.AnalyzerStub

    def policies(self) -> dict[str, str]:
        """Each policy's name with its level."""
        info = cast("Any", self.stub).GetAnalyzerInfo(struct_pb2.Struct())
        return {one.name: analyzer_pb2.EnforcementLevel.Name(one.enforcementLevel) for one in info.policies}

    def analyze(self, one: Registered) -> Said:
        """What the resource policies say of one resource."""
        request = analyzer_pb2.AnalyzeRequest(
            type=one.token, urn=one.urn, name=one.name, properties=_struct(one.inputs)
        )
        return _said(self.stub.Analyze(request))

    def analyze_stack(self, resources: Iterable[Registered]) -> Said:
        """What the stack policies say of all of them."""
        request = analyzer_pb2.AnalyzeStackRequest(
            resources=[
                analyzer_pb2.AnalyzerResource(
                    type=one.token, urn=one.urn, name=one.name, parent=one.parent, properties=_struct(one.outputs)
                )
                for one in resources
            ]
        )
        return _said(self.stub.AnalyzeStack(request))


def _struct(properties: Mapping[str, object]) -> Any:
    return json_format.ParseDict(properties, struct_pb2.Struct())


def _said(response: Any) -> Said:
    return frozenset((one.policyName, one.message) for one in response.diagnostics)


@contextmanager
def serving(configuration: Mapping[str, str]) -> Iterator[Host]:
    """The pack, started as the engine starts it; it ends with the block."""
    env = {**os.environ, "PULUMI_CONFIG": json.dumps(dict(configuration))}
    env |= {
        "PULUMI_PROJECT": "tierplan",
        "PULUMI_STACK": "demo",
        "PULUMI_DRY_RUN": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = (sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:1", str(ROOT / "policies"))
    with subprocess.Popen(command, cwd=ROOT / "policies", env=env, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip()
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield Host(analyzer_pb2_grpc.AnalyzerStub(channel))
        finally:
            process.kill()
