"""JuiceFS on Oracle Cloud: a safe bucket, and OCI Cache or OCI Database with PostgreSQL for the metadata."""

from __future__ import annotations

import pulumi
import pulumi_oci

from tierplan.backends.juicefs import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _oci
from tierplan_pulumi.services._place import Place
from tierplan_pulumi.services._secret import password

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="4h", delete="60m")
VERSION = "VALKEY_7_2"
SHAPE, GB_PER_CORE = "VM.Standard.E4.Flex", 16
USER = "juicefs"
SNAPSHOT_DAYS = 7


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket of the volume, and the engine in the same subnet as the GPU nodes reach."""
    where = _oci.place(name, plan, needed_ids(chosen.config))
    options = chosen.config.options
    bucket = options.get("bucket")
    _oci.safe_bucket(
        f"{name}-volume",
        where,
        bucket_id=str(bucket) if bucket else None,
        lifecycle=None,  # Guard: blocks of a volume are opaque; moved to an archive class they cannot be read
        opts=opts,
        versioning=False,  # blocks are written once; old versions would only cost
    )
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, custom_timeouts=TIMEOUTS))
    gigabytes = int(str(options["metadata_class"]).removesuffix("GB"))
    service = options["metadata_service"]
    if service == "oci-cache":
        _cache(f"{name}-meta", gigabytes, where, opts, kept)
    elif service == "oci-postgresql":
        _postgresql(f"{name}-meta", gigabytes, where, kept)
    else:
        pulumi.warn(
            f"{name}: TiKV is not made by the program; set up {options['metadata_class']} instances, three or more"
        )
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import juicefs_class  # noqa: PLC0415  # an SDK of its own

        juicefs_class(name, chosen, where.tags, opts)


def _cache(name: str, gigabytes: int, where: Place, opts: pulumi.ResourceOptions, kept: pulumi.ResourceOptions) -> None:
    """Guard: noeviction, or the engine drops metadata when its memory is full."""
    words = pulumi_oci.redis.OciCacheConfigSet(
        f"{name}-words",
        compartment_id=where.ids["compartment"],
        display_name=f"{name}-words",
        software_version=VERSION,
        configuration_details={"items": [{"config_key": "maxmemory-policy", "config_value": "noeviction"}]},
        freeform_tags=_oci.tags(where.tags),
        opts=opts,
    )
    pulumi_oci.redis.RedisCluster(
        name,
        compartment_id=where.ids["compartment"],
        display_name=name,
        cluster_mode="NONSHARDED",  # Guard: a volume lies on one shard
        node_count=2,
        node_memory_in_gbs=gigabytes,
        software_version=VERSION,
        oci_cache_config_set_id=words.id,
        subnet_id=where.ids["subnet"],
        nsg_ids=_oci.groups(where),
        freeform_tags=_oci.tags(where.tags),
        opts=kept,
    )


def _postgresql(name: str, gigabytes: int, where: Place, kept: pulumi.ResourceOptions) -> None:
    pulumi_oci.psql.DbSystem(
        name,
        compartment_id=where.ids["compartment"],
        display_name=name,
        db_version="16",
        shape=SHAPE,
        instance_count=2,
        instance_memory_size_in_gbs=gigabytes,
        instance_ocpu_count=max(1, gigabytes // GB_PER_CORE),
        network_details={"subnet_id": where.ids["subnet"], "nsg_ids": _oci.groups(where)},
        storage_details={"is_regionally_durable": True, "system_type": "OCI_OPTIMIZED_STORAGE"},
        credentials={
            "username": USER,
            "password_details": {"password_type": "PLAIN_TEXT", "password": password(name)},
        },
        management_policy={
            "backup_policy": {"kind": "DAILY", "backup_start": "02:00", "retention_days": SNAPSHOT_DAYS}
        },
        freeform_tags=_oci.tags(where.tags),
        opts=kept,
    )
