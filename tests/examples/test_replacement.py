"""
A deployed stack of AWS whose subnet changes: the engine would replace the file system, and `tierplan diff` refuses.

The engine is the real one; the provider is a stand-in that knows which properties AWS replaces on.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import enginerun
import pulumi_run

pytest.importorskip("pulumi_aws")
pytestmark = pytest.mark.engine
ROOT = Path(__file__).parents[2]
STACK = "aws-fsx"


def tierplan(folder, *words):
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", "from tierplan.cli import main; main()", "diff", *map(str, words)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def preview(project, file, events):
    words = ("preview", "--stack", STACK, "--config-file", str(file), "--event-log", str(events))
    done = enginerun.run(project, *words)
    assert events.exists(), done.errors
    return done


@pytest.fixture(scope="module")
def deployed(project, tmp_path_factory):
    """The stack, made by the stand-in, in a state of its own."""
    folder = tmp_path_factory.mktemp("replacement")
    own = replace(project, state=folder / "state")
    own.state.mkdir()
    enginerun._make(own, STACK)
    text = (ROOT / "stacks" / f"Pulumi.{STACK}.yaml").read_text(encoding="utf-8")
    file = folder / f"Pulumi.{STACK}.yaml"
    file.write_text(text if "encryptionsalt" in text else f"{text}\nencryptionsalt: {pulumi_run.SALT}\n")
    words = ("--stack", STACK, "--config-file", str(file))
    made = enginerun.run(own, "up", "--yes", "--skip-preview", "--json", *words)
    assert made.code == 0, (made.diagnostics("error"), made.errors)
    return own, file


def test_nothing_is_replaced_where_nothing_changes(deployed):
    project, file = deployed
    events = file.parent / "same.jsonl"
    preview(project, file, events)
    done = tierplan(file.parent, "--events", events)
    assert done.returncode == 0, done.stdout + done.stderr


def test_another_subnet_is_refused_by_plan_and_preview_until_both_are_allowed(deployed, tmp_path):
    project, file = deployed
    changed = tmp_path / file.name
    text = file.read_text(encoding="utf-8")
    changed.write_text(text.replace("subnet: subnet-0a1b2c3d4e5f60718", "subnet: subnet-0fffffffffffffff0"))
    assert changed.read_text(encoding="utf-8") != text
    events = tmp_path / "events.jsonl"
    preview(project, changed, events)
    words = (file, changed, "--events", events)
    done = tierplan(tmp_path, *words, "--json")
    assert done.returncode == 1, done.stdout + done.stderr
    replaced = {one["resource"]: one["because"] for one in json.loads(done.stdout)["replaced"]}
    assert "subnet subnet-0a1b2c3d4e5f60718 becomes" in replaced[f"{STACK}-hot"]
    systems = [name for name, because in replaced.items() if "aws:fsx/lustreFileSystem" in because]
    assert systems
    assert all("subnetIds changes" in replaced[name] for name in systems)
    some = [word for name in systems for word in ("--allow-replace", name)]
    assert tierplan(tmp_path, *words, *some).returncode == 1
    every = [word for name in replaced for word in ("--allow-replace", name)]
    assert tierplan(tmp_path, *words, *every).returncode == 0
