"""JuiceFS on Google Cloud: a safe bucket, and Cloud SQL or Memorystore for the metadata, reached privately."""

from __future__ import annotations

import math
import warnings

import pulumi
import pulumi_gcp

from tierplan.backends.juicefs import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _google
from tierplan_pulumi.services._place import Place
from tierplan_pulumi.services._secret import password
from tierplan_pulumi.services.bucket_google import safe_bucket

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    redis, sql = pulumi_gcp.redis, pulumi_gcp.sql
    redis.Instance, sql.DatabaseInstance  # noqa: B018  # loaded on first use

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="4h", delete="60m")
USER = "juicefs"
BACKUP_DAYS = 7


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket of the volume, private service access, and the engine."""
    place = _google.place(name, plan, needed_ids(chosen.config))
    options = chosen.config.options
    bucket, word = options.get("bucket"), str(options["metadata_class"])
    safe_bucket(
        f"{name}-volume",
        place,
        lifecycle=None,  # Guard: blocks of a volume are opaque; they are its own affair
        opts=opts,
        bucket_id=str(bucket) if bucket else None,
        versioning=False,  # blocks are written once; old versions would only cost
    )
    access = _google.private_access(name, place, opts)
    kept = pulumi.ResourceOptions.merge(
        opts, pulumi.ResourceOptions(protect=True, depends_on=access, custom_timeouts=TIMEOUTS)
    )
    engine = f"tp-{_google.slug(plan.stack.name, 28)}-hot-meta"
    if options["metadata_service"] == "memorystore":
        _memorystore(f"{name}-meta", engine, int(word.removesuffix("GB")), place, kept)
    elif options["metadata_service"] == "cloud-sql":
        disk = math.ceil(chosen.delivered.parts["metadata_disk_gib"])
        _cloud_sql(f"{name}-meta", place, (opts, kept), engine=engine, tier=word, disk_gib=disk)
    else:
        pulumi.warn(f"{name}: TiKV is not made by the program; set up {word} instances, three or more")
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import juicefs_class  # noqa: PLC0415  # an SDK of its own

        juicefs_class(name, chosen, place.tags, opts)


def _memorystore(name: str, engine: str, gigabytes: int, place: Place, kept: pulumi.ResourceOptions) -> None:
    """Guard: noeviction, or Redis drops metadata when its memory is full."""
    redis.Instance(
        name,
        name=engine,
        tier="STANDARD_HA",
        memory_size_gb=gigabytes,
        redis_version="REDIS_7_2",
        redis_configs={"maxmemory-policy": "noeviction"},
        auth_enabled=True,  # the service makes the password, and keeps it
        transit_encryption_mode="SERVER_AUTHENTICATION",
        connect_mode="PRIVATE_SERVICE_ACCESS",
        authorized_network=place.ids["network"],
        persistence_config={"persistence_mode": "RDB", "rdb_snapshot_period": "ONE_HOUR"},
        region=place.region,
        project=_google.project(place),
        labels=_google.labels(place.tags),
        opts=kept,
    )


def _cloud_sql(
    name: str,
    place: Place,
    options: tuple[pulumi.ResourceOptions, pulumi.ResourceOptions],
    *,
    engine: str,
    tier: str,
    disk_gib: int,
) -> None:
    """A standby in another zone keeps what the database has acknowledged."""
    opts, kept = options
    project = _google.project(place)
    instance = sql.DatabaseInstance(
        name,
        name=engine,
        database_version="POSTGRES_16",
        region=place.region,
        project=project,
        deletion_protection=False,  # the protection of the resource itself says no; this one would stop a wanted end
        settings={
            "tier": tier,
            "edition": "ENTERPRISE_PLUS",
            "availability_type": "REGIONAL",
            "disk_type": "PD_SSD",
            "disk_size": max(10, disk_gib),
            "disk_autoresize": True,
            "ip_configuration": {
                "ipv4_enabled": False,  # Guard: no public address
                "private_network": place.ids["network"],
                "ssl_mode": "ENCRYPTED_ONLY",
            },
            "backup_configuration": {
                "enabled": True,
                "point_in_time_recovery_enabled": True,
                "backup_retention_settings": {"retained_backups": BACKUP_DAYS},
            },
            "user_labels": _google.labels(place.tags),
        },
        opts=kept,
    )
    sql.Database(f"{name}-database", name=USER, instance=instance.name, project=project, opts=opts)
    sql.User(f"{name}-user", name=USER, instance=instance.name, password=password(name), project=project, opts=opts)
