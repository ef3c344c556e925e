"""The component in a program of another language: a real YAML program, previewed with the pack on the real engine."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pytest
import yaml

import engine
import engine_yaml
import enginerun
import pulumi_run
import recording
from tierplan import __version__, wire

pytestmark = pytest.mark.engine
COMPONENTS = recording.ROOT / "components"
LAUNCHER = COMPONENTS / "pulumi-resource-tierplan"
Spec = dict[str, object]


@pytest.fixture(scope="module")
def yaml_host(project: pulumi_run.Project) -> Path:
    """The folder of the host of YAML programs; where it can be neither found nor built, the reason is the skip's."""
    try:
        return engine_yaml.find(project.engine)
    except engine.EngineMissingError as fault:
        pytest.skip(str(fault))


@pytest.fixture
def spec() -> Spec:
    """The demo's stack form."""
    return wire.stack_document(recording.stack_config("demo"))


@pytest.fixture
def preview_yaml(
    project: pulumi_run.Project, yaml_host: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> enginerun.Preview:
    """Previews a YAML program that asks for this storage."""
    monkeypatch.setenv("PATH", os.pathsep.join([str(yaml_host), os.environ["PATH"]]))

    def preview(properties: Mapping[str, object]) -> enginerun.Run:
        document = {
            "name": "acme",
            "runtime": "yaml",
            "plugins": {"providers": [{"name": "tierplan", "path": str(COMPONENTS)}]},
            "resources": {"mine": {"type": wire.STORAGE, "properties": dict(properties)}},
            "outputs": {"verdict": "${mine.verdict}", "hot": "${mine.hot}"},
        }
        mine = enginerun.program(project, tmp_path, "")
        (tmp_path / "__main__.py").unlink()
        (tmp_path / "Pulumi.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
        return enginerun.preview(mine, "dev", "config: {}")

    return preview


def test_the_schema_kept_here_is_the_one_that_is_served(project: pulumi_run.Project) -> None:
    """After a change of the component: `pulumi package get-schema components/pulumi-resource-tierplan`."""
    done = subprocess.run(
        ("pulumi", "package", "get-schema", str(LAUNCHER)),
        cwd=project.state,
        env=pulumi_run.environment(project),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    served = json.loads(done.stdout)
    assert served == json.loads((COMPONENTS / "schema.json").read_text(encoding="utf-8"))
    assert served["version"] == __version__
    assert set(served["resources"]) == {wire.STORAGE}


def test_a_yaml_program_is_accepted(preview_yaml: enginerun.Preview, spec: Spec) -> None:
    done = preview_yaml({"spec": spec})
    assert done.code == 0, done.errors + "".join(done.diagnostics("error"))
    assert done.said("mandatory") == set()
    assert done.created()["mine-hot"].endswith("HotTier")
    assert {"hot-capacity", "hot-write-bandwidth", "stack-requirement"} <= done.passed("mine-hot")
    assert any(message.startswith("mine: pass") for message in done.diagnostics("info"))


def test_a_yaml_program_is_refused_by_the_rule_that_it_misses(preview_yaml: enginerun.Preview, spec: Spec) -> None:
    tiers = cast("dict[str, dict[str, dict[str, dict[str, object]]]]", spec["tiers"])
    tiers["hot"]["node"]["drive"]["size"] = "1 TB"
    done = preview_yaml({"spec": spec})
    assert done.code == 1
    assert done.said("mandatory") == {"hot-capacity"}
    assert "required" in done.messages("hot-capacity")


def test_bad_input_of_a_yaml_program_is_told_where_it_stands(preview_yaml: enginerun.Preview, spec: Spec) -> None:
    done = preview_yaml({"spec": {**spec, "clusters": {}}})
    assert done.code == 1
    said = "".join(done.diagnostics("error")) + done.errors
    assert "TieredStorage mine: clusters" in said
    assert "Traceback" not in said
