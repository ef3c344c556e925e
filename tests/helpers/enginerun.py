"""Ask the real engine for a preview and keep its events."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pulumi_run

Event = Mapping[str, object]
Preview = Callable[[Mapping[str, object]], "Run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the engine: its exit code, its events, all that it said."""

    code: int
    events: tuple[Event, ...]
    errors: str

    def of(self, kind: str) -> Iterator[Event]:
        """The bodies of all events of one kind."""
        return (cast("Event", event[kind]) for event in self.events if kind in event)

    def said(self, level: str) -> set[str]:
        """The policies that reported something on this level."""
        return {str(one["policyName"]) for one in self.of("policyEvent") if one["enforcementLevel"] == level}

    def messages(self, policy: str) -> str:
        """All that one policy said."""
        return "".join(str(one["message"]) for one in self.of("policyEvent") if one["policyName"] == policy)

    def passed(self, name: str) -> set[str]:
        """The resource policies that a resource passed: the proof that they ran."""
        for one in self.of("policyAnalyzeSummaryEvent"):
            if str(one["resourceUrn"]).endswith(f"::{name}"):
                return set(cast("Sequence[str]", one.get("passed", ())))
        return set()

    def diagnostics(self, severity: str) -> list[str]:
        """What programs and engine said on one severity."""
        return [str(one["message"]) for one in self.of("diagnosticEvent") if one["severity"] == severity]

    def created(self) -> dict[str, str]:
        """Name -> type of each resource of the tree."""
        found = {}
        for one in self.of("resourcePreEvent"):
            urn = str(cast("Event", one["metadata"])["urn"])
            found[urn.rsplit("::", 1)[-1]] = urn.split("::")[2]
        return found


def program(project: pulumi_run.Project, folder: Path, source: str) -> pulumi_run.Project:
    """A project of its own around a program, judged by our pack."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Pulumi.yaml").write_text("name: acme\nruntime: python\n", encoding="utf-8")
    (folder / "__main__.py").write_text(source, encoding="utf-8")
    return replace(project, root=folder)


def preview(project: pulumi_run.Project, stack: str, config: str | None, *words: str) -> Run:
    """Preview `stack` with the text of a stack file, or with the project's own; `words` go to `pulumi preview`."""
    _make(project, stack)
    pack = () if "--policy-pack" in words else ("--policy-pack", str(project.pack))
    if config is None:
        return run(project, "preview", "--json", "--stack", stack, *pack, *words)
    file = project.state / "config" / f"Pulumi.{stack}.yaml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"{config}\nencryptionsalt: {pulumi_run.SALT}\n", encoding="utf-8")
    return run(project, "preview", "--json", "--stack", stack, "--config-file", str(file), *pack, *words)


def analyze(project: pulumi_run.Project, state: Mapping[str, object], name: str) -> Run:
    """Judge a state file, without any program."""
    file = project.state / f"{name}.json"
    file.write_text(json.dumps(state), encoding="utf-8")
    return run(project, "policy", "analyze", "--json", "--file", str(file), "--policy-pack", str(project.pack))


def run(project: pulumi_run.Project, *words: str) -> Run:
    """Run the engine with JSON events on its standard output."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored, it would cost five seconds a preview
    env = pulumi_run.environment(project) | {"PULUMI_ENABLE_STREAMING_JSON_PREVIEW": "true"}
    done = subprocess.run(
        ("pulumi", *words, "--non-interactive", "--color", "never"),
        cwd=project.root,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    events = tuple(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return Run(code=done.returncode, events=events, errors=done.stderr)


def _make(project: pulumi_run.Project, stack: str) -> None:
    backend = project.state / "backend"
    backend.mkdir(exist_ok=True)
    empty = project.state / "empty" / project.name()
    empty.mkdir(parents=True, exist_ok=True)
    (empty / "Pulumi.yaml").write_text(f"name: {project.name()}\nruntime: python\n", encoding="utf-8")
    if not (backend / ".pulumi" / "stacks" / project.name() / f"{stack}.json").exists():
        made = run(replace(project, root=empty), "stack", "init", stack, "--no-select")
        assert made.code == 0, made.errors
