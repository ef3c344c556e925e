"""Stacks of a cloud on the real engine with a stand-in for its provider: made, kept by protection, taken away."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import enginerun
import pulumi_run
import recording

PASSWORD = "Example4Tests0nly"  # noqa: S105  # of nothing
KEY = "tierplan-secrets:metadata-password"


def stack_file(project: pulumi_run.Project, name: str, *more: str) -> Path:
    """A shipped stack as a user's own file, with more configuration."""
    text = (recording.STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    text = re.sub(r"^encryptionsalt:.*\n", "", text, flags=re.MULTILINE)
    file = project.state / "config" / f"Pulumi.{name}.yaml"
    file.parent.mkdir(exist_ok=True)
    lines = "".join(f"  {line}\n" for line in more)
    file.write_text(f"{text}{lines}\nencryptionsalt: {pulumi_run.SALT}\n", encoding="utf-8")
    return file


def plain(project: pulumi_run.Project, *words: str) -> str:
    """What the engine prints, where that is no stream of events."""
    command = ("pulumi", *words, "--non-interactive")
    env = pulumi_run.environment(project)
    done = subprocess.run(command, cwd=project.root, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def resources(project: pulumi_run.Project, name: str) -> Sequence[Mapping[str, Any]]:
    """What the state of a stack holds."""
    state = json.loads(plain(project, "stack", "export", "--stack", name))
    return cast("Sequence[Mapping[str, Any]]", state["deployment"].get("resources") or [])


def secret(project: pulumi_run.Project, name: str) -> tuple[str, ...]:
    """The password as `pulumi config set --secret` keeps it: encrypted."""
    file = stack_file(project, name)
    plain(project, "config", "set", "--secret", KEY, PASSWORD, "--stack", name, "--config-file", str(file))
    text = file.read_text(encoding="utf-8")
    assert PASSWORD not in text
    (found,) = re.findall(rf"{KEY}:\s*\n?\s*secure: (\S+)", text)
    return (f"{KEY}: {{secure: {found}}}",)


def made_and_gone(project: pulumi_run.Project, name: str, *, kept: set[str], with_secret: bool = False) -> set[str]:
    """
    Make a stack with the policy pack, take it away again; the types that it was made of.

    `destroy` alone takes nothing that is protected; after `state unprotect` nothing is left.
    """
    enginerun._make(project, name)
    words = (
        "--stack",
        name,
        "--config-file",
        str(stack_file(project, name, *(secret(project, name) if with_secret else ()))),
    )
    made = enginerun.run(project, "up", "--yes", "--skip-preview", "--json", *words, "--policy-pack", str(project.pack))
    assert made.code == 0, (made.diagnostics("error"), made.errors)
    there = resources(project, name)
    assert not any(PASSWORD in json.dumps(one) for one in there)
    protected = [one for one in there if one.get("protect")]
    assert {one["type"] for one in protected} == kept
    if kept:
        refused = enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)
        assert refused.code != 0
        assert {one["urn"] for one in resources(project, name)} >= {one["urn"] for one in protected}
    plain(project, "state", "unprotect", "--all", "--yes", "--stack", name)
    gone = enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)
    assert gone.code == 0, gone.errors
    assert resources(project, name) == []
    return {str(one["type"]) for one in there}
