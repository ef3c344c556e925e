"""The pack's rules over a program of 500 and of 5,000 resources: time, and whether it grows in proportion."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "policies"))
os.environ["PULUMI_CONFIG"] = '{"aws:region": "us-east-1"}'  # somebody's program: each tier says what it must carry

from pulumi_policy import PolicyCustomTimeouts, PolicyResource, PolicyResourceOptions
from pulumi_policy import ResourceValidationArgs as One
from pulumi_policy import StackValidationArgs as All
from pulumi_policy.policy import _NotApplicableError

from clusters import planned, stretched
from pairs import Bar, interleaved, ratio, report
from rules import RESOURCE, STACK
from seen import INPUTS
from tierplan import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FEW, MANY = 500, 5_000
OPTIONS = PolicyResourceOptions(False, [], None, [], PolicyCustomTimeouts(0, 0, 0), [])
LUSTRE: Mapping[str, object] = {
    "storageCapacity": 1200.0,
    "deploymentType": "PERSISTENT_2",
    "perUnitStorageThroughput": 250.0,
    "storageType": "SSD",
    "subnetIds": "subnet-1",
}
OTHERS = {
    "aws:fsx/lustreFileSystem:LustreFileSystem": LUSTRE,
    "aws:s3/bucket:Bucket": {"tags": {"team": "storage"}},
    "aws:s3/bucketVersioning:BucketVersioning": {"bucket": "data", "versioningConfiguration": {"status": "Enabled"}},
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": {"bucket": "data", "blockPublicAcls": True},
    "aws:iam/role:Role": {"assumeRolePolicy": "{}"},
    "aws:ec2/instance:Instance": {"instanceType": "p5.48xlarge", "ami": "ami-1"},
}


def resources(count: int) -> list[PolicyResource]:
    """A program of so many resources: of each ten two are tiers of ours and one their nodes, the rest a cloud's."""
    plan = planned(stretched(gpus=1024, hot={"backend": "weka", "nodes": 12}))
    kinds: dict[str, Mapping[str, object]] = dict(OTHERS)
    for tier in ("hot", "cold"):
        chosen = plan.tiers[tier]
        inputs = wire.TierInputs(tier=tier, backend=chosen.config.backend, config=chosen.config, need=chosen.need)
        kinds[wire.TIER_TOKENS[tier]] = wire.tier_properties(inputs)
    kinds[wire.NODE_GROUP] = wire.group_properties(plan.tiers["hot"].config)
    kinds["aws:ec2/volume:Volume"] = {"size": 100.0}
    tokens = list(kinds)
    return [_resource(tokens[index % len(tokens)], index, kinds) for index in range(count)]


def _resource(token: str, index: int, kinds: Mapping[str, Mapping[str, object]]) -> PolicyResource:
    # No two alike: nothing may come out of a cache.
    props = {
        **kinds[token],
        **({"storageCapacity": 1200.0 + 2400 * index} if token.endswith("LustreFileSystem") else {}),
    }
    if token in wire.TIER_OF:
        props["nodes"] = 12.0 + index
    urn = f"urn:pulumi:dev::site::{token}::one-{index}"
    return PolicyResource(token, props, urn, f"one-{index}", OPTIONS, None, None, [], {})


def judge(program: list[PolicyResource]) -> int:
    """Ask every rule about every resource, and all of them together; how many findings there are."""
    found: list[str] = []

    def report_one(message: str, _urn: str | None = None) -> None:
        found.append(message)

    for one in program:
        INPUTS[one.urn] = one.props
        for rule in RESOURCE.values():
            _asked(lambda rule=rule, one=one: rule(_args(one), report_one))  # type: ignore[misc]
    for whole in STACK.values():
        _asked(lambda whole=whole: whole(All(program, None), report_one))  # type: ignore[misc]
    return len(found)


def _args(one: PolicyResource) -> One:
    return One(one.resource_type, cast("dict[str, object]", one.props), one.urn, one.name, OPTIONS, None, None)


def _asked(ask: Callable[[], None]) -> None:
    with suppress(_NotApplicableError):
        ask()


def main(rounds: int = 5) -> int:
    """Measure and print."""
    programs = {count: resources(count) for count in (FEW, MANY)}
    seconds = interleaved({str(count): lambda count=count: judge(programs[count]) for count in programs}, rounds=rounds)  # type: ignore[misc]
    times = ratio(seconds, str(MANY), str(FEW))
    return report(
        "rules_resources",
        seconds,
        Bar(text="500 resources within 1 s", met=min(seconds[str(FEW)]) <= 1),
        Bar(text="5,000 within 12 x 500: linear", met=times <= 12),
        ratio=times,
    )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
