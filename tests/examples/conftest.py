"""A repository with this program on its branch `main`, and shell steps run in it as a runner would."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COPIED = ("Pulumi.yaml", "__main__.py", "components", "examples", "policies", "scripts", "tierplan", "tools")
NODES = re.compile(r"(?m)^(      nodes:) \d+$")


def _run(script, folder, **environment):
    """A shell step: in the work tree, stopping at the first failure."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=kept | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def _git(folder, *words):
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    quoted = " ".join(f"'{word}'" for word in words)
    done = _run(f"git {' '.join(who)} {quoted}", folder)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def _change(folder, name, count):
    path = folder / "stacks" / f"Pulumi.{name}.yaml"
    path.write_text(NODES.sub(rf"\1 {count}", path.read_text(encoding="utf-8")), encoding="utf-8")
    _git(folder, "commit", "-qam", f"{name}: {count} nodes")


@pytest.fixture(scope="session")
def run():
    return _run


@pytest.fixture(scope="session")
def git():
    return _git


@pytest.fixture(scope="session")
def change():
    """Commit another node count."""
    return _change


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """This program, the demo on `main`, and an environment that is this one."""
    folder = tmp_path_factory.mktemp("repository")
    for name in COPIED:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__", ".state")
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=ignored, symlinks=True)
        else:
            shutil.copy(source, folder / name)
    (folder / "stacks").mkdir()
    for name in ("demo", "refused-slow"):
        shutil.copy(ROOT / "stacks" / f"Pulumi.{name}.yaml", folder / "stacks")
    (folder / ".gitignore").write_text(".venv/\n.state/\nreview*/\n__pycache__/\n", encoding="utf-8")
    path = os.pathsep.join((str(folder), str(folder / "components")))
    for name, words in (("python", ""), ("tierplan", " -c 'from tierplan.cli import main; main()'")):
        command = folder / ".venv" / "bin" / name
        command.parent.mkdir(parents=True, exist_ok=True)
        command.write_text(f'#!/bin/sh\nPYTHONPATH={path} exec {sys.executable}{words} "$@"\n', encoding="utf-8")
        command.chmod(0o755)
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", ".")
    _git(folder, "commit", "-qm", "main")
    return folder


@pytest.fixture
def branch(checkout):
    """A branch of its own, thrown away afterwards."""
    _git(checkout, "checkout", "-q", "-B", "change", "main")
    yield checkout
    shutil.rmtree(checkout / "review", ignore_errors=True)
    _git(checkout, "reset", "-q", "--hard", "main")
