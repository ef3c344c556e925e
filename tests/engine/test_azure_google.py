"""Every stack of Azure and Google Cloud on the real engine, with a stand-in for the provider: made and taken away."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

import enginerun
import pulumi_run
import recording
from tierplan import wire

pytest.importorskip("pulumi_azure")
pytest.importorskip("pulumi_gcp")
pytestmark = pytest.mark.engine
STACKS = [name for name in recording.stack_names() if name.startswith(("azure-", "google-")) and "refused" not in name]
AZURE, GOOGLE = "azure:managedlustre/fileSystem:FileSystem", "gcp:lustre/instance:Instance"
KEEPERS = {
    "azure-lustre": {AZURE},
    "azure-juicefs": {
        "azure:postgresql/flexibleServer:FlexibleServer",
        "azure:storage/account:Account",
        "azure:storage/container:Container",
    },
    "google-lustre": {GOOGLE},
    "google-juicefs": {"gcp:redis/instance:Instance", "gcp:storage/bucket:Bucket"},
}
PASSWORD = "Example4Tests0nly"  # noqa: S105  # of nothing
ASKED = ("azure-juicefs",)
"""Stacks whose engine takes a password of ours; Memorystore makes its own."""


def stack_text(name: str) -> str:
    """A shipped stack without its salt, which the run brings along."""
    text = (recording.STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    return re.sub(r"^encryptionsalt:.*\n", "", text, flags=re.MULTILINE)


def stack_file(project: pulumi_run.Project, name: str, *more: str) -> Path:
    """A shipped stack as a user's own file, with more configuration."""
    file = project.state / "config" / f"Pulumi.{name}.yaml"
    file.parent.mkdir(exist_ok=True)
    lines = "".join(f"  {line}\n" for line in more)
    file.write_text(f"{stack_text(name)}{lines}\nencryptionsalt: {pulumi_run.SALT}\n", encoding="utf-8")
    return file


def plain_secret(project: pulumi_run.Project, name: str) -> tuple[str, ...]:
    """The password as `pulumi config set --secret` keeps it: encrypted."""
    file = stack_file(project, name)
    words = ("--stack", name, "--config-file", str(file))
    plain(project, "config", "set", "--secret", "tierplan-secrets:metadata-password", PASSWORD, *words)
    (found,) = re.findall(
        r"tierplan-secrets:metadata-password:\s*\n?\s*secure: (\S+)", file.read_text(encoding="utf-8")
    )
    return (f"tierplan-secrets:metadata-password: {{secure: {found}}}",)


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


@pytest.mark.parametrize("name", STACKS)
def test_what_is_made_can_be_taken_away_and_leaves_nothing(project: pulumi_run.Project, name: str) -> None:
    """Protected first: `destroy` alone takes nothing that keeps data."""
    enginerun._make(project, name)
    secret = plain_secret(project, name) if name in ASKED else ()
    words = ("--stack", name, "--config-file", str(stack_file(project, name, *secret)))
    made = enginerun.run(project, "up", "--yes", "--skip-preview", "--json", *words, "--policy-pack", str(project.pack))
    assert made.code == 0, (made.diagnostics("error"), made.errors)
    assert PASSWORD not in json.dumps(resources(project, name))
    kept = [one for one in resources(project, name) if one.get("protect")]
    assert {one["type"] for one in kept} >= KEEPERS[name]
    refused = enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)
    assert refused.code != 0
    assert {one["urn"] for one in resources(project, name)} >= {one["urn"] for one in kept}
    plain(project, "state", "unprotect", "--all", "--yes", "--stack", name)
    gone = enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)
    assert gone.code == 0, gone.errors
    assert resources(project, name) == []


@pytest.mark.parametrize(
    ("name", "first", "then", "token"),
    [
        ("azure-lustre", "azure-lustre-hot-role-1", "azure-lustre-hot-lustre", AZURE),
        ("google-lustre", "google-lustre-hot-private-access", "google-lustre-hot-lustre", GOOGLE),
    ],
)
def test_what_must_be_there_is_made_first(
    project: pulumi_run.Project, name: str, first: str, then: str, token: str
) -> None:
    done = enginerun.preview(project, name, stack_text(name))
    order = list(done.created())
    assert order.index(first) < order.index(then)
    assert done.created()[then].split("$")[-2:] == [wire.TIER_TOKENS["hot"], token]


FOREIGN = """
import pulumi
import pulumi_gcp as gcp

gcp.lustre.Instance(
    "scratchpad", instance_id="mine", location="us-central1-a", network="projects/p/global/networks/n",
    capacity_gib="{size}", per_unit_storage_throughput="500", filesystem="lustre",
    opts=pulumi.ResourceOptions(protect={protect}),
)
"""


def test_a_foreign_instance_is_always_judged_for_legality(project: pulumi_run.Project, tmp_path: Path) -> None:
    found = {}
    for size, protect in ((18000, True), (9000, False)):
        mine = enginerun.program(replace(project), tmp_path / str(size), FOREIGN.format(size=size, protect=protect))
        done = enginerun.preview(mine, "dev", "config: {gcp:project: p}")
        found[size] = done.said("mandatory")
        if size == 9000:
            assert "legal: 18,000 GiB above" in done.messages("cloud-size")
    assert found == {18000: set(), 9000: {"cloud-size", "cloud-protect"}}
