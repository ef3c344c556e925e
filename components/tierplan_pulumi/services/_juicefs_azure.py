"""JuiceFS on Azure: an account without keys; PostgreSQL or Managed Redis for the metadata, reached privately."""

from __future__ import annotations

import math
import warnings

import pulumi
import pulumi_azure

from tierplan.backends.juicefs import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _azure
from tierplan_pulumi.services._place import Place
from tierplan_pulumi.services._secret import password
from tierplan_pulumi.services.bucket_azure import safe_container

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    managedredis, postgresql, privatelink = pulumi_azure.managedredis, pulumi_azure.postgresql, pulumi_azure.privatelink
    managedredis.ManagedRedis, postgresql.FlexibleServer, privatelink.Endpoint  # noqa: B018  # loaded on first use

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="4h", delete="60m")
USER = "juicefs"
BACKUP_DAYS = 7
DISKS_MB = tuple(32768 * 2**power for power in range(7))
"""Sizes of a database's disk, up to 2 TiB."""


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The account of the volume and the engine, in subnets that exist."""
    place = _azure.place(name, plan, needed_ids(chosen.config))
    options = chosen.config.options
    if not options.get("bucket"):
        safe_container(
            f"{name}-volume",
            place,
            plan.stack.name,
            use="hot",
            lifecycle=None,  # Guard: blocks of a volume are opaque; in the archive tier they cannot be read
            opts=opts,
            versioning=False,  # blocks are written once; old versions would only cost
        )
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, custom_timeouts=TIMEOUTS))
    engine, word = f"tp-{_azure.slug(plan.stack.name, 28)}-hot-meta", str(options["metadata_class"])
    if options["metadata_service"] == "managed-redis":
        _redis(f"{name}-meta", engine, word, place, (opts, kept))
    elif options["metadata_service"] == "flexible-server":
        disk = math.ceil(chosen.delivered.parts["metadata_disk_gib"])
        _postgresql(f"{name}-meta", place, (opts, kept), engine=engine, sku=word, disk_gib=disk)
    else:
        pulumi.warn(f"{name}: TiKV is not made by the program; set up {word} machines, three or more")
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import juicefs_class  # noqa: PLC0415  # an SDK of its own

        juicefs_class(name, chosen, place.tags, opts)


Options = tuple[pulumi.ResourceOptions, pulumi.ResourceOptions]


def _postgresql(name: str, place: Place, options: Options, *, engine: str, sku: str, disk_gib: int) -> None:
    """A standby in another zone keeps what the database has acknowledged; no public address."""
    opts, kept = options
    server = postgresql.FlexibleServer(
        name,
        name=engine,
        resource_group_name=place.ids["resource_group"],
        location=place.region,
        version="16",
        sku_name=sku,
        storage_mb=next((size for size in DISKS_MB if size >= disk_gib * 1024), DISKS_MB[-1]),
        auto_grow_enabled=True,
        administrator_login=USER,
        administrator_password=password(name),
        high_availability={"mode": "ZoneRedundant"},
        delegated_subnet_id=place.ids["engine_subnet"],
        private_dns_zone_id=place.ids["private_dns_zone"],
        public_network_access_enabled=False,
        backup_retention_days=BACKUP_DAYS,
        tags=_azure.tags(place.tags),
        opts=kept,
    )
    postgresql.FlexibleServerDatabase(f"{name}-database", name=USER, server_id=server.id, opts=opts)


def _redis(name: str, engine: str, sku: str, place: Place, options: Options) -> None:
    """Guard: NoEviction, or Redis drops metadata when its memory is full; not clustered: a volume lies on one shard."""
    opts, kept = options
    server = managedredis.ManagedRedis(
        name,
        name=engine,
        resource_group_name=place.ids["resource_group"],
        location=place.region,
        sku_name=sku,
        high_availability_enabled=True,
        public_network_access="Disabled",
        default_database={
            "access_keys_authentication_enabled": True,  # the service makes the key, and keeps it
            "client_protocol": "Encrypted",
            "clustering_policy": "NoCluster",
            "eviction_policy": "NoEviction",
            "persistence_append_only_file_backup_frequency": "1s",
        },
        tags=_azure.tags(place.tags),
        opts=kept,
    )
    privatelink.Endpoint(
        f"{name}-endpoint",
        resource_group_name=place.ids["resource_group"],
        location=place.region,
        subnet_id=place.ids["engine_subnet"],
        private_service_connection={
            "name": engine,
            "private_connection_resource_id": server.id,
            "subresource_names": ["redisEnterprise"],
            "is_manual_connection": False,
        },
        private_dns_zone_group={"name": engine, "private_dns_zone_ids": [place.ids["private_dns_zone"]]},
        tags=_azure.tags(place.tags),
        opts=opts,
    )
