"""JuiceFS on AWS: a safe bucket, network rules, and a metadata engine whose password stands nowhere in plain text."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws

from tierplan.backends._juicefs_cloud import PORTS
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _aws
from tierplan_pulumi.services.bucket_aws import safe_bucket

if TYPE_CHECKING:
    from pulumi_aws.rds import SubnetGroup

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    elasticache, memorydb, rds = pulumi_aws.elasticache, pulumi_aws.memorydb, pulumi_aws.rds
    elasticache.ReplicationGroup, memorydb.Cluster, rds.Instance, rds.Cluster  # noqa: B018  # loaded on first use

NEEDED = ("subnets", "client_security_group")
SECRETS, PASSWORD = "tierplan-secrets", "metadata-password"
USER = "juicefs"
ADMINISTRATOR = "postgres"  # AWS renews its password every few days; the volume has a user of its own
MORE_PORTS = {"tikv": (20160,)}
SNAPSHOT_DAYS = 7
TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="4h", delete="60m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """What every engine is made of."""

    name: str
    id: str
    """Its own id in the account, by which the rendered scripts find it."""
    node_class: str
    disk_gib: int
    group: pulumi.Input[str]
    place: _aws.Place
    opts: pulumi.ResourceOptions
    """Of what is around it."""
    kept: pulumi.ResourceOptions
    """Of what keeps data."""


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket of the volume, the engine's network rules, and the engine."""
    place = _aws.place_of(name, plan, needed=NEEDED)
    options = chosen.config.options
    role, bucket = place.ids.get("client_role"), options.get("bucket")
    safe_bucket(
        f"{name}-volume",
        lifecycle=None,  # Guard: blocks of a volume are opaque; moved to an archive class they cannot be read
        opts=opts,
        bucket_id=str(bucket) if bucket else None,
        tags=place.tags,
        versioning=False,  # blocks are written once; old versions would only cost
        kms_key=place.ids.get("kms_key"),
        principals=[role] if role else [],
    )
    word = str(options["metadata_engine"])
    group, rules = _security(name, place, (PORTS[word], *MORE_PORTS.get(word, ())), opts)
    engine = Engine(
        name=f"{name}-meta",
        id=engine_id(plan.stack.name),
        node_class=str(options["metadata_class"]),
        disk_gib=math.ceil(chosen.delivered.parts["metadata_disk_gib"]),
        group=group,
        place=place,
        opts=opts,
        kept=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(protect=True, depends_on=rules, custom_timeouts=TIMEOUTS)
        ),
    )
    MAKERS[str(options["metadata_service"])](engine)
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import juicefs_class  # noqa: PLC0415  # an SDK of its own

        juicefs_class(name, chosen, place.tags, opts)


def engine_id(stack: str) -> str:
    """
    The engine's id: letters, digits and hyphens, at most 40; as the rendered scripts write it.

    >>> engine_id("AWS JuiceFS")
    'tp-aws-juicefs-hot-meta'
    """
    slug = re.sub(r"[^a-z0-9]+", "-", stack.lower()).strip("-")
    return f"tp-{slug[:28].strip('-') or 'cluster'}-hot-meta"


def _security(
    name: str, place: _aws.Place, ports: tuple[int, ...], opts: pulumi.ResourceOptions
) -> tuple[pulumi.Input[str], list[pulumi.Resource]]:
    """The engine's group: the GPU nodes reach its ports, nobody else reaches anything."""
    client = place.ids["client_security_group"]
    spans: _aws.Spans = tuple((str(port), "tcp", port, port) for port in ports)
    if "vpc" not in place.ids:
        return client, _aws.both_ways(f"{name}-meta-rule", [("self", client, client)], spans, opts)
    group = _aws.new_group(f"{name}-meta-group", place, "JuiceFS metadata engine, made by tierplan", opts)
    inward = [_aws.rule(f"{name}-meta-rule-in-{one[0]}", group, client, one, opts, ingress=True) for one in spans]
    outward = [_aws.rule(f"{name}-meta-rule-out-{one[0]}", client, group, one, opts, ingress=False) for one in spans]
    return group, [*inward, *outward]


def password(name: str) -> pulumi.Output[str]:
    """
    The password of a Redis engine: a secret of the stack's configuration.

    Raises:   RunError at `pulumi up` if there is none; a preview goes on with a stand-in that nobody uses
    """
    found = pulumi.Config(SECRETS).get_secret(PASSWORD)
    if found is not None:
        return found
    how = f"pulumi config set --secret {SECRETS}:{PASSWORD} (16 to 128 letters and digits)"
    if not pulumi.runtime.is_dry_run():
        message = f"{name}: the metadata engine has no password; {how}"
        raise pulumi.RunError(message)
    pulumi.warn(f"{name}: `pulumi up` will ask for the password of the metadata engine: {how}")
    return pulumi.Output.secret("set-before-pulumi-up")


def _elasticache(engine: Engine) -> None:
    """Guard: noeviction, or Redis drops metadata when its memory is full."""
    subnets = elasticache.SubnetGroup(
        f"{engine.name}-subnets", subnet_ids=engine.place.subnets, region=engine.place.region, opts=engine.opts
    )
    parameters = elasticache.ParameterGroup(
        f"{engine.name}-parameters",
        family="redis7",
        parameters=[{"name": "maxmemory-policy", "value": "noeviction"}],
        region=engine.place.region,
        opts=engine.opts,
    )
    elasticache.ReplicationGroup(
        engine.name,
        replication_group_id=engine.id,
        description="JuiceFS metadata",
        engine="redis",
        engine_version="7.1",
        node_type=engine.node_class,
        num_cache_clusters=2,
        automatic_failover_enabled=True,
        multi_az_enabled=True,
        at_rest_encryption_enabled=True,
        transit_encryption_enabled=True,
        auth_token=password(engine.name),
        kms_key_id=engine.place.ids.get("kms_key"),
        subnet_group_name=subnets.name,
        parameter_group_name=parameters.name,
        security_group_ids=[engine.group],
        snapshot_retention_limit=SNAPSHOT_DAYS,
        region=engine.place.region,
        tags=_aws.names(engine.place, engine.name),
        opts=engine.kept,
    )


def _memorydb(engine: Engine) -> None:
    region = engine.place.region
    subnets = memorydb.SubnetGroup(
        f"{engine.name}-subnets", subnet_ids=engine.place.subnets, region=region, opts=engine.opts
    )
    user = memorydb.User(
        f"{engine.name}-user",
        user_name=USER,
        access_string="on ~* &* +@all",
        authentication_mode={"type": "password", "passwords": [password(engine.name)]},
        region=region,
        opts=engine.opts,
    )
    access = memorydb.Acl(f"{engine.name}-access", user_names=[user.user_name], region=region, opts=engine.opts)
    memorydb.Cluster(
        engine.name,
        name=engine.id,
        acl_name=access.name,
        engine="redis",
        engine_version="7.1",
        node_type=engine.node_class,
        num_shards=1,  # Guard: a volume lies on one shard
        num_replicas_per_shard=1,
        tls_enabled=True,
        kms_key_arn=engine.place.ids.get("kms_key"),
        subnet_group_name=subnets.name,
        security_group_ids=[engine.group],
        snapshot_retention_limit=SNAPSHOT_DAYS,
        region=region,
        tags=_aws.names(engine.place, engine.name),
        opts=engine.kept,
    )


def _database_subnets(engine: Engine) -> SubnetGroup:
    return rds.SubnetGroup(
        f"{engine.name}-subnets", subnet_ids=engine.place.subnets, region=engine.place.region, opts=engine.opts
    )


def _rds(engine: Engine) -> None:
    """The administrator's password is made and kept by AWS Secrets Manager: it is in no file and no state."""
    rds.Instance(
        engine.name,
        identifier=engine.id,
        engine="postgres",
        engine_version="16",
        instance_class=engine.node_class,
        allocated_storage=engine.disk_gib,
        storage_type="gp3",
        storage_encrypted=True,
        kms_key_id=engine.place.ids.get("kms_key"),
        multi_az=True,
        db_name=USER,
        username=ADMINISTRATOR,
        manage_master_user_password=True,
        db_subnet_group_name=_database_subnets(engine).name,
        vpc_security_group_ids=[engine.group],
        publicly_accessible=False,
        backup_retention_period=SNAPSHOT_DAYS,
        copy_tags_to_snapshot=True,
        skip_final_snapshot=False,
        final_snapshot_identifier=f"{engine.id}-last",
        region=engine.place.region,
        tags=_aws.names(engine.place, engine.name),
        opts=engine.kept,
    )


def _aurora(engine: Engine) -> None:
    cluster = rds.Cluster(
        engine.name,
        cluster_identifier=engine.id,
        engine="aurora-postgresql",
        engine_version="16",
        storage_encrypted=True,
        kms_key_id=engine.place.ids.get("kms_key"),
        database_name=USER,
        master_username=ADMINISTRATOR,
        manage_master_user_password=True,
        db_subnet_group_name=_database_subnets(engine).name,
        vpc_security_group_ids=[engine.group],
        backup_retention_period=SNAPSHOT_DAYS,
        copy_tags_to_snapshot=True,
        skip_final_snapshot=False,
        final_snapshot_identifier=f"{engine.id}-last",
        region=engine.place.region,
        tags=_aws.names(engine.place, engine.name),
        opts=engine.kept,
    )
    for number in (1, 2):  # one writes, the other takes over
        rds.ClusterInstance(
            f"{engine.name}-{number}",
            cluster_identifier=cluster.id,
            engine="aurora-postgresql",
            instance_class=engine.node_class,
            publicly_accessible=False,
            region=engine.place.region,
            opts=engine.opts,
        )


def _instances(engine: Engine) -> None:
    """TiKV is set up by hand: a program that made its instances could not tell which of them hold the only copy."""
    pulumi.warn(
        f"{engine.name}: TiKV is not made by the program; set up {engine.node_class} instances in security group "
        "of the metadata engine, three or more, and write their addresses where the rendered scripts ask for them"
    )


MAKERS: Mapping[str, Callable[[Engine], None]] = {
    "elasticache": _elasticache,
    "memorydb": _memorydb,
    "rds": _rds,
    "aurora": _aurora,
    "ec2": _instances,
}
