"""JuiceFS on Alibaba Cloud: a safe bucket of OSS, and Tair or ApsaraDB RDS for PostgreSQL for the metadata."""

from __future__ import annotations

import math
import warnings

import pulumi

from tierplan.backends.juicefs import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _alibaba
from tierplan_pulumi.services._alibaba import sdk
from tierplan_pulumi.services._place import Place
from tierplan_pulumi.services._secret import password

with warnings.catch_warnings():  # the SDK warns of its own old names while it loads, whoever uses them
    warnings.simplefilter("ignore", DeprecationWarning)
    kvstore, rds = sdk.kvstore, sdk.rds
    kvstore.Instance, rds.Instance  # noqa: B018  # loaded on first use

TIMEOUTS = pulumi.CustomTimeouts(create="60m", update="4h", delete="60m")
USER = "juicefs"
LENGTH = "8 to 32 letters and digits"


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The bucket of the volume, and the engine in the stack's vSwitch, open to the GPU nodes' addresses alone."""
    where = _alibaba.place(name, plan, needed_ids(chosen.config), "zone")
    options = chosen.config.options
    bucket = options.get("bucket")
    _alibaba.safe_bucket(
        f"{name}-volume",
        where,
        bucket_id=str(bucket) if bucket else None,
        lifecycle=None,  # Guard: blocks of a volume are opaque; moved to an archive class they cannot be read
        opts=opts,
        versioning=False,  # blocks are written once; old versions would only cost
    )
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, custom_timeouts=TIMEOUTS))
    kind, service = str(options["metadata_class"]), options["metadata_service"]
    if service == "tair":
        _tair(f"{name}-meta", kind, where, kept)
    elif service == "apsaradb":
        _apsaradb(f"{name}-meta", kind, math.ceil(chosen.delivered.parts["metadata_disk_gib"]), where, opts, kept)
    else:
        pulumi.warn(f"{name}: TiKV is not made by the program; set up {kind} instances, three or more")
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import juicefs_class  # noqa: PLC0415  # an SDK of its own

        juicefs_class(name, chosen, where.tags, opts)


def _tair(name: str, kind: str, where: Place, kept: pulumi.ResourceOptions) -> None:
    """Guard: noeviction, or the engine drops metadata when its memory is full."""
    kvstore.Instance(
        name,
        db_instance_name=name,
        instance_type="Redis",
        instance_class=kind,
        engine_version="7.0",
        payment_type="PostPaid",
        zone_id=where.zone,
        vswitch_id=where.ids["vswitch"],
        security_ips=[where.ids["client_network"]],
        password=password(name, LENGTH),
        config={"maxmemory-policy": "noeviction", "appendonly": "yes"},
        instance_release_protection=True,
        tags=_alibaba.tags(where.tags),
        opts=kept,
    )


def _apsaradb(  # noqa: PLR0917  # what an engine is made of
    name: str, kind: str, disk: int, where: Place, opts: pulumi.ResourceOptions, kept: pulumi.ResourceOptions
) -> None:
    """One that writes and one that takes over, with the volume's own user and database."""
    instance = rds.Instance(
        name,
        instance_name=name,
        engine="PostgreSQL",
        engine_version="16.0",
        category="HighAvailability",
        instance_type=kind,
        instance_storage=disk,
        db_instance_storage_type="cloud_essd",
        instance_charge_type="Postpaid",
        zone_id=where.zone,
        zone_id_slave_a=where.zone,
        vpc_id=where.ids["vpc"],
        vswitch_id=where.ids["vswitch"],
        security_ips=[where.ids["client_network"]],
        ssl_action="Open",
        deletion_protection=True,
        tags=_alibaba.tags(where.tags),
        opts=kept,
    )
    account = rds.Account(
        f"{name}-user",
        db_instance_id=instance.id,
        account_name=USER,
        account_password=password(name, LENGTH),
        account_type="Super",
        opts=opts,
    )
    rds.Database(
        f"{name}-database",
        instance_id=instance.id,
        data_base_name=USER,
        character_set="UTF8",
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[account])),
    )
