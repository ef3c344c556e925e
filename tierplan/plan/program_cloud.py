"""Rules over the raw resources of clouds in anybody's program: protection, and the network of a file system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tierplan.domain.plan import Finding
from tierplan.plan._security_groups import GROUP, Opening, groups_of, openings
from tierplan.plan._security_groups import TOKENS as GROUP_TOKENS
from tierplan.plan.rule import ProgramRule, Registered, Spotted

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"
FILE_SYSTEMS = (
    LUSTRE,
    "azure:managedlustre/fileSystem:FileSystem",
    "azure-native:storagecache:AmlFilesystem",
    "gcp:lustre/instance:Instance",
    "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem",
    "alicloud:nas/fileSystem:FileSystem",
)
"""Managed parallel file systems, in anybody's program."""
ONE_OF_MANY = {"alicloud:nas/fileSystem:FileSystem": ("fileSystemType", "cpfs")}
"""Tokens that serve other kinds too -> the input by which a parallel file system is told, and its word."""
OURS = "tierplan:index:"
ENGINES = (
    "aws:elasticache/replicationGroup:ReplicationGroup",
    "aws:memorydb/cluster:Cluster",
    "aws:rds/cluster:Cluster",
    "aws:rds/instance:Instance",
    "azure:managedredis/managedRedis:ManagedRedis",
    "azure:postgresql/flexibleServer:FlexibleServer",
    "gcp:redis/instance:Instance",
    "gcp:sql/databaseInstance:DatabaseInstance",
    "oci:Redis/redisCluster:RedisCluster",
    "oci:Psql/dbSystem:DbSystem",
    "alicloud:kvstore/instance:Instance",
    "alicloud:rds/instance:Instance",
)
BUCKET = "aws:s3/bucket:Bucket"
BUCKETS = (
    BUCKET,
    "azure:storage/account:Account",
    "gcp:storage/bucket:Bucket",
    "oci:ObjectStorage/bucket:Bucket",
    "alicloud:oss/bucket:Bucket",
)
PORTS = (988, *range(1018, 1024))
"""TCP, both ways. FSx for Lustre User Guide, limit-access-security-groups.html (2026); older texts say 1021 to 1023."""


def protection(resources: tuple[Registered, ...]) -> Iterator[Spotted]:
    """
    A file system, and what our own tiers keep state in, cannot be deleted by mistake.

    Buckets and databases that are no part of a tier of ours may serve anything, and are left alone.
    """
    for one in resources:
        scratch = str(one.inputs.get("deploymentType", "")).startswith("SCRATCH")
        ours = _parallel(one) or OURS in (one.parent or "")
        if one.protected or scratch or not ours:
            continue
        kind = one.token.rpartition(":")[2]
        finding = Finding(
            policy="cloud-protect",
            level="mandatory",
            required=1,
            planned=0,
            unit="count",
            message=f"{one.name}: a {kind} that is not protected: a replacement or `pulumi destroy` deletes its data",
            remedy="set the resource option protect to true",
        )
        yield Spotted(finding=finding, urn=one.urn)


def _parallel(one: Registered) -> bool:
    """Whether it is a managed parallel file system."""
    word, kind = ONE_OF_MANY.get(one.token, ("", ""))
    return one.token in FILE_SYSTEMS and (not word or one.inputs.get(word) == kind)


def network(resources: tuple[Registered, ...]) -> Iterator[Spotted]:
    """Each file system's security groups let Lustre through, both ways and to themselves, and nobody else in."""
    every = openings(resources)
    made = {one.urn for one in resources if one.token == GROUP}
    for one in resources:
        if one.token != LUSTRE:
            continue
        groups = groups_of(one, "securityGroupIds")
        rules = [rule for rule in every if rule.group in groups]
        yield from _open_to_all(one, rules)
        if rules:
            yield from _missing(one, groups, rules, made)


def _spotted(one: Registered, message: str, remedy: str) -> Spotted:
    finding = Finding(policy="cloud-network", level="mandatory", message=f"{one.name}: {message}", remedy=remedy)
    return Spotted(finding=finding, urn=one.urn)


def _open_to_all(one: Registered, rules: Iterable[Opening]) -> Iterator[Spotted]:
    for rule in rules:
        if rule.ingress and rule.open and any(port in rule.ports for port in PORTS):
            yield _spotted(
                one,
                f"its security group lets everybody in ({', '.join(sorted(rule.networks))})",
                "allow the group of the GPU nodes and the group itself, by their ids",
            )


def _missing(one: Registered, groups: frozenset[str], rules: list[Opening], made: set[str]) -> Iterator[Spotted]:
    """Outgoing rules are asked for where the program writes any, or makes the group: others have a default of AWS."""
    efa = one.inputs.get("efaEnabled") is True
    for ingress in (True, False):
        side = [rule for rule in rules if rule.ingress == ingress]
        if not ingress and not side and not groups & made:
            continue
        way = "in from" if ingress else "out to"
        within = [rule for rule in side if any(rule.reaches(group) for group in groups)]
        if efa and not any(rule.everything and rule.peers & groups for rule in side):
            yield _spotted(
                one,
                f"EFA needs all traffic {way} the file system's own security group, named by its id",
                "add a rule of protocol -1 that refers to the group itself",
            )
        elif absent := _uncovered(within):
            yield _spotted(
                one,
                f"its security group does not let TCP {absent} {way} itself",
                "allow TCP 988 and 1018-1023 both ways, within the group and with the group of the GPU nodes",
            )


def _uncovered(rules: Iterable[Opening]) -> str:
    """The ports that no rule covers, in words."""
    absent = [port for port in PORTS if not any(port in rule.ports for rule in rules)]
    words = ["988"] if 988 in absent else []
    high = [port for port in absent if port != 988]
    if high:
        words.append(str(high[0]) if len(high) == 1 else f"{high[0]}-{high[-1]}")
    return " and ".join(words)


PROGRAM_RULES: tuple[ProgramRule, ...] = (
    ProgramRule(
        name="cloud-protect",
        level="mandatory",
        severity="critical",
        title="What keeps data cannot be deleted by mistake.",
        tokens=(*FILE_SYSTEMS, *BUCKETS, *ENGINES),
        check=protection,
        alone=True,
    ),
    ProgramRule(
        name="cloud-network",
        level="mandatory",
        severity="high",
        title="Lustre passes the security groups, and nobody else does.",
        tokens=(LUSTRE, *GROUP_TOKENS),
        check=network,
    ),
)
