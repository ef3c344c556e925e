"""The preview command on the real engine, as `make preview` runs it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pulumi_run

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.engine


def preview(*words: str, engine: Path) -> subprocess.CompletedProcess[str]:
    assert engine.is_dir()
    command: list[str | Path] = [sys.executable, ROOT / "scripts" / "preview.py", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_every_stack_of_a_project_is_what_it_says_it_is_and_no_file_changes(engine: Path, tmp_path: Path) -> None:
    """Of a project with two stacks: the shipped ones are previewed one by one in tests/engine."""
    assert engine.is_dir()
    for name in ("Pulumi.yaml", "__main__.py", "policies", "components", "tests", "tools", "tierplan"):
        (tmp_path / name).symlink_to(ROOT / name)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")  # a link would lead back to the project's own stacks
    stacks = tmp_path / "stacks"
    stacks.mkdir()
    for name in ("demo", "refused-slow"):
        shutil.copy(ROOT / "stacks" / f"Pulumi.{name}.yaml", stacks)
    before = {path: path.read_bytes() for path in stacks.iterdir()}
    command: list[str | Path] = [sys.executable, tmp_path / "scripts" / "preview.py", "all"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "ok    demo: accepted" in done.stdout
    assert "ok    refused-slow: refused by " in done.stdout
    assert {path: path.read_bytes() for path in stacks.iterdir()} == before


def test_refusal_as_json_names_the_policies_with_their_messages(engine: Path) -> None:
    done = preview("refused-slow", "--json", engine=engine)
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert said["verdict"] == "refused"
    assert {"hot-write-bandwidth", "hot-phases"} <= {one["policy"] for one in said["refusals"]}
    assert said["faults"] == []


def test_stack_file_without_salt_is_previewed_and_left_alone(engine: Path, tmp_path: Path) -> None:
    """The engine would write a salt into it and respell 70e9 as 70000000000."""
    text = "".join(
        line
        for line in (ROOT / "stacks" / "Pulumi.demo.yaml").read_text().splitlines(keepends=True)
        if not line.startswith("encryptionsalt:")
    )
    own = tmp_path / "Pulumi.own-cluster.yaml"
    own.write_text(text)
    done = preview(str(own), engine=engine)
    assert done.returncode == 0, done.stderr
    assert "own-cluster: accepted" in done.stderr
    assert own.read_text() == text


def test_shipped_stacks_carry_the_salt_of_the_empty_passphrase() -> None:
    for path in (ROOT / "stacks").glob("Pulumi.*.yaml"):
        assert f"\nencryptionsalt: {pulumi_run.SALT}\n" in f"\n{path.read_text()}", path.name


def test_program_that_breaks_off_is_a_fault(project: pulumi_run.Project, tmp_path: Path) -> None:
    """The engine's exit code is 1, as for a refusal."""
    (tmp_path / "Pulumi.yaml").write_text("name: broken\nruntime: {name: python, options: {toolchain: pip}}\n")
    (tmp_path / "__main__.py").write_text("raise ValueError('boom')\n")
    (tmp_path / "Pulumi.x.yaml").write_text("config: {}\n")
    broken = pulumi_run.Project(root=tmp_path, engine=project.engine, state=project.state, pack=project.pack)
    outcome = pulumi_run.preview(broken, "x", tmp_path / "Pulumi.x.yaml", out=subprocess.DEVNULL)
    assert (outcome.verdict.value, outcome.reason) == (3, "ValueError: boom")
