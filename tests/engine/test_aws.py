"""Every stack of AWS on the real engine, with a stand-in for the provider: made, judged and taken away again."""

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

pytest.importorskip("pulumi_aws")
pytestmark = pytest.mark.engine
STACKS = [name for name in recording.stack_names() if name.startswith("aws-") and not name.endswith("refused")]
PASSWORD = "Example4Tests0nly"  # noqa: S105  # of nothing
LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"


def stack_text(name: str) -> str:
    """A shipped stack without its salt, which the run brings along."""
    text = (recording.STACKS / f"Pulumi.{name}.yaml").read_text(encoding="utf-8")
    return re.sub(r"^encryptionsalt:.*\n", "", text, flags=re.MULTILINE)


def stack_file(project: pulumi_run.Project, name: str, *more: str) -> Path:
    """A shipped stack as a user's own file, with more configuration."""
    text = stack_text(name)
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


@pytest.mark.parametrize("name", STACKS)
def test_what_is_made_can_be_taken_away_and_leaves_nothing(project: pulumi_run.Project, name: str) -> None:
    """Protected first: `destroy` alone takes nothing that keeps data."""
    enginerun._make(project, name)
    secret = plain_secret(project, name) if "redis" in name else ()
    words = ("--stack", name, "--config-file", str(stack_file(project, name, *secret)))
    made = enginerun.run(project, "up", "--yes", "--skip-preview", "--json", *words, "--policy-pack", str(project.pack))
    assert made.code == 0, (made.diagnostics("error"), made.errors)
    there = resources(project, name)
    assert not any(PASSWORD in json.dumps(one) for one in there)
    kept = [one for one in there if one.get("protect")]
    assert {one["type"] for one in kept} >= keepers(name)
    refused = enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)
    assert refused.code != 0
    assert {one["urn"] for one in resources(project, name)} >= {one["urn"] for one in kept}
    plain(project, "state", "unprotect", "--all", "--yes", "--stack", name)
    gone = enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)
    assert gone.code == 0, gone.errors
    assert resources(project, name) == []


def keepers(name: str) -> set[str]:
    """What keeps data in this stack."""
    engines = {
        "aws-juicefs-redis": {"aws:elasticache/replicationGroup:ReplicationGroup", "aws:s3/bucket:Bucket"},
        "aws-juicefs-postgresql": {"aws:rds/instance:Instance", "aws:s3/bucket:Bucket"},
    }
    return engines.get(name, {LUSTRE})


def plain_secret(project: pulumi_run.Project, name: str) -> tuple[str, ...]:
    """The password as `pulumi config set --secret` keeps it: encrypted."""
    file = stack_file(project, name)
    words = ("--stack", name, "--config-file", str(file))
    plain(project, "config", "set", "--secret", "tierplan-secrets:metadata-password", PASSWORD, *words)
    text = file.read_text(encoding="utf-8")
    assert PASSWORD not in text
    (found,) = re.findall(r"tierplan-secrets:metadata-password:\s*\n?\s*secure: (\S+)", text)
    return (f"tierplan-secrets:metadata-password: {{secure: {found}}}",)


def test_redis_is_not_made_without_a_password(project: pulumi_run.Project) -> None:
    name = "aws-juicefs-redis"
    enginerun._make(project, name)
    words = ("--stack", name, "--config-file", str(stack_file(project, name)))
    made = enginerun.run(project, "up", "--yes", "--skip-preview", "--json", *words)
    assert made.code != 0
    said = "".join(made.diagnostics("error"))
    assert "the metadata engine has no password; pulumi config set --secret tierplan-secrets:metadata-password" in said
    assert "Traceback" not in said
    plain(project, "state", "unprotect", "--all", "--yes", "--stack", name)
    enginerun.run(project, "destroy", "--yes", "--skip-preview", "--json", *words)


def test_what_must_be_there_is_made_first(project: pulumi_run.Project) -> None:
    """Rules before the file system; links to buckets after it and after the bucket's own settings."""
    done = enginerun.preview(project, "aws-fsx", stack_text("aws-fsx"))
    order = list(done.created())
    system = order.index("aws-fsx-hot-fsx")
    rules = [place for place, one in enumerate(order) if "-hot-rule-" in one]
    assert len(rules) == 8  # four pairs, in and out, everything for EFA
    assert max(rules) < system < order.index("aws-fsx-hot-link-0")
    assert order.index("aws-fsx-hot-repository-access") < order.index("aws-fsx-hot-link-0")
    created = done.created()
    assert created["aws-fsx-hot-fsx"].split("$")[-2:] == [wire.TIER_TOKENS["hot"], LUSTRE]


def test_without_the_network_one_line_says_what_is_missing(project: pulumi_run.Project) -> None:
    text = stack_text("aws-fsx-it")
    done = enginerun.preview(project, "aws-fsx-it", re.sub(r"\n    network: .*", "", text))
    said = "".join(done.diagnostics("error"))
    assert done.code == 1
    assert "nothing can be created without site.network.subnet, site.network.client_security_group" in said
    assert "Traceback" not in said


def test_without_the_plugin_the_engine_says_so(project: pulumi_run.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that never had the provider."""
    monkeypatch.setenv("TIERPLAN_STANDIN", "0")
    done = enginerun.preview(project, "aws-fsx-it", stack_text("aws-fsx-it"))
    assert done.code != 0
    said = "".join(done.diagnostics("error")) + done.errors
    assert "plugin" in said
    assert "aws" in said


FOREIGN = """
import pulumi
import pulumi_aws as aws

group = aws.ec2.SecurityGroup("group", vpc_id="vpc-1")
rules = [
    kind(f"{{name}}-{{low}}", security_group_id=group.id, referenced_security_group_id=group.id, ip_protocol="tcp",
         from_port=low, to_port=high)
    for name, kind in (("in", aws.vpc.SecurityGroupIngressRule), ("out", aws.vpc.SecurityGroupEgressRule))
    for low, high in ((988, 988), (1018, 1023))
]
aws.fsx.LustreFileSystem(
    "scratchpad", subnet_ids="subnet-1", security_group_ids=[group.id], deployment_type="PERSISTENT_2",
    storage_capacity={size}, per_unit_storage_throughput={rate}, file_system_type_version="2.15",
    metadata_configuration={{"mode": "AUTOMATIC"}}, opts=pulumi.ResourceOptions(protect={protect}, depends_on=rules),
)
"""
TOTALS = {"readBytesPerS": 5e9, "writeBytesPerS": 5e9, "opRateOpsPerS": 1000, "capacityBytes": 20e12}


@pytest.fixture
def foreign(project: pulumi_run.Project, tmp_path: Path) -> Any:
    """Somebody's own program without a word of ours, and our pack."""

    def run(*, size: int, rate: int, protect: bool = True, required: bool = False) -> enginerun.Run:
        source = FOREIGN.format(size=size, rate=rate, protect=protect)
        mine = enginerun.program(replace(project), tmp_path, source)
        rules = ("hot-read-bandwidth", "hot-write-bandwidth", "hot-capacity", "hot-op-rate", "advice-requirement")
        file = project.state / "foreign.json"
        file.write_text(json.dumps({rule: {"required": TOTALS} for rule in rules}), encoding="utf-8")
        words = ("--policy-pack", str(project.pack), "--policy-pack-config", str(file)) if required else ()
        return enginerun.preview(mine, "dev", "config: {aws:region: us-east-1}", *words)

    return run


def test_a_foreign_file_system_is_judged_by_our_pack_alone(foreign: Any) -> None:
    fit = foreign(size=24000, rate=250, required=True)
    assert fit.said("mandatory") == set(), fit.errors
    assert fit.code == 0
    slow = foreign(size=24000, rate=125, required=True)
    assert slow.code == 1
    assert {"hot-read-bandwidth", "hot-write-bandwidth"} <= slow.said("mandatory")
    assert "hot-capacity" not in slow.said("mandatory")
    assert "2.93 GB/s planned, 5 GB/s required" in slow.messages("hot-write-bandwidth")
    assert "24,000 GiB, limited by class" in slow.messages("hot-write-bandwidth")


def test_a_foreign_file_system_is_always_judged_for_legality(foreign: Any) -> None:
    fit = foreign(size=4800, rate=250)
    assert fit.said("mandatory") == set()
    wrong = foreign(size=3600, rate=300, protect=False)
    assert wrong.said("mandatory") == {"cloud-size", "cloud-class", "cloud-protect"}
    assert "2,400 GiB below and 4,800 GiB above" in wrong.messages("cloud-size")


def test_the_stand_in_finds_what_the_sdk_types_forbid(project: pulumi_run.Project, tmp_path: Path) -> None:
    source = (
        "import pulumi\n"
        f"pulumi.CustomResource('{LUSTRE}', 'fs', "
        "{'subnetIds': ['subnet-1'], 'storageCapacity': '1200 GiB', 'storage_type': 'SSD'})\n"
    )
    mine = enginerun.program(project, tmp_path, source)
    done = enginerun.preview(replace(mine, pack=None), "dev", "config: {aws:region: us-east-1}", "--policy-pack", "")
    said = "".join(done.diagnostics("error")) + done.errors
    assert done.code != 0
    for word in ("subnetIds", "storageCapacity", "storage_type"):
        assert word in said
