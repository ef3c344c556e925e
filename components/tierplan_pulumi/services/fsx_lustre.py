"""FSx for Lustre: security rules first, then the file system, then its links to buckets, one after another."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_aws

from tierplan.backends._fsx import USER, choice_of
from tierplan.backends._fsx_rules import CACHES, repositories
from tierplan.backends._fsx_table import SCRATCH
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan.units import Size
from tierplan_pulumi.services import _aws

if TYPE_CHECKING:
    from pulumi_aws.fsx import LustreFileSystem

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    fsx = pulumi_aws.fsx
    fsx.LustreFileSystem  # noqa: B018  # loaded on first use

NEEDED = ("subnet", "client_security_group")
TIMEOUTS = pulumi.CustomTimeouts(create="90m", update="24h", delete="90m")
"""Growing moves data between file servers: hours. The provider gives up after 30 minutes by itself."""
EVENTS = ["NEW", "CHANGED", "DELETED"]
MAP = "The files of a linked directory follow the bucket, and the bucket follows them."


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The file system of a tier with everything that it needs in an existing network."""
    place = _aws.place_of(name, plan, needed=NEEDED)
    choice = choice_of(chosen.config.options)
    group, rules = security(name, place, efa=choice.efa, opts=opts)
    made = pulumi.ResourceOptions.merge(
        opts,
        pulumi.ResourceOptions(depends_on=rules, protect=choice.deployment not in SCRATCH, custom_timeouts=TIMEOUTS),
    )
    system = fsx.LustreFileSystem(
        f"{name}-fsx",
        subnet_ids=place.ids["subnet"],  # Guard: one text; the provider fails on a list
        security_group_ids=[group],
        region=place.region,
        tags=_aws.names(place, name),
        opts=made,
        **inputs(chosen, key=place.ids.get("kms_key")),
    )
    associations(name, chosen, plan, system, opts)
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import lustre_volume  # noqa: PLC0415  # an SDK of its own

        lustre_volume(name, chosen, system, place.tags, opts)


def inputs(chosen: TierPlan, *, key: str | None) -> dict[str, Any]:
    """The choices of a tier in the provider's words; `key` encrypts where the tier names none of its own."""
    options, choice = chosen.config.options, choice_of(chosen.config.options)
    scratch, linked = choice.deployment in SCRATCH, bool(repositories(chosen.config))
    found: dict[str, Any] = {
        "deployment_type": choice.deployment,
        "storage_type": choice.storage,
        "file_system_type_version": choice.version,
        "data_compression_type": options.get("compression"),
        "storage_capacity": None if choice.size is None else round(choice.size),
        "per_unit_storage_throughput": choice.per_unit,
        "throughput_capacity": choice.throughput,
        "drive_cache_type": choice.drive_cache,
        "efa_enabled": True if choice.efa else None,
        "kms_key_id": options.get("kms_key") or (None if scratch else key),
        # Guard: a file system with backups cannot be linked to a bucket.
        "automatic_backup_retention_days": None if scratch or linked else options.get("backup_days"),
        "copy_tags_to_backups": None if scratch or linked else True,
        "skip_final_backup": None if scratch or linked else False,
    }
    if choice.mode is not None:
        found["metadata_configuration"] = {"mode": choice.mode}
        if choice.mode == USER:
            found["metadata_configuration"]["iops"] = choice.iops
    if choice.read_cache is not None:
        found["data_read_cache_configuration"] = _read_cache(choice.read_cache)
    return {key: value for key, value in found.items() if value is not None}


def _read_cache(word: str) -> dict[str, Any]:
    if word in CACHES:
        return {"sizing_mode": word}
    return {"sizing_mode": USER, "size": round(Size.parse(word).bytes / 2**30)}


def security(
    name: str, place: _aws.Place, *, efa: bool, opts: pulumi.ResourceOptions
) -> tuple[pulumi.Input[str], list[pulumi.Resource]]:
    """
    The file system's security group, and the rules that must exist before it.

    An own group that the stack names is taken as it is, with the rules that it has.  With a VPC a group of its own is
    made; without one the group of the GPU nodes serves both, and the rules are those of one group with itself.
    """
    client, own = place.ids["client_security_group"], place.ids.get("file_system_security_group")
    if own is not None and own != client:
        return own, []
    spans = _aws.EVERYTHING if efa else _aws.LUSTRE
    if own == client or "vpc" not in place.ids:
        return client, _aws.both_ways(f"{name}-rule", [("self", client, client)], spans, opts)
    group = _aws.new_group(f"{name}-group", place, "FSx for Lustre, made by tierplan", opts)
    pairs: list[tuple[str, pulumi.Input[str], pulumi.Input[str]]] = [
        ("self", group, group),
        ("clients", group, client),
        ("back", client, group),
        ("among", client, client),
    ]
    return group, _aws.both_ways(f"{name}-rule", pairs, spans, opts)


def associations(
    name: str, chosen: TierPlan, plan: Plan, system: LustreFileSystem, opts: pulumi.ResourceOptions
) -> None:
    """Guard: one after another, since the service works on one at a time and queues no more than eight."""
    before: list[pulumi.Resource] = [system]
    for index, (path, url, ready) in enumerate(_links(name, chosen, plan, opts)):
        association = fsx.DataRepositoryAssociation(
            f"{name}-link-{index}",
            file_system_id=system.id,
            file_system_path=path,
            data_repository_path=url,
            # names are there after the first import; data comes when it is read
            batch_import_meta_data_on_create=True,
            delete_data_in_filesystem=False,
            s3={"auto_import_policy": {"events": EVENTS}, "auto_export_policy": {"events": EVENTS}},
            region=plan.stack.site.region,
            tags=dict(plan.stack.operations.tags),
            opts=pulumi.ResourceOptions.merge(
                opts, pulumi.ResourceOptions(depends_on=[*before, *ready], custom_timeouts=TIMEOUTS)
            ),
        )
        before = [system, association]


def _links(
    name: str, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions
) -> Iterator[tuple[str, pulumi.Input[str], tuple[pulumi.Resource, ...]]]:
    """Directory, place in a bucket, and what must be there first; a link that names no bucket gets a safe one."""
    links = repositories(chosen.config)
    own = _own_bucket(name, plan, opts) if any(not link.get("bucket") for link in links) else None
    for link in links:
        path, bucket = str(link["path"]), link.get("bucket")
        if bucket:
            yield path, f"s3://{str(bucket).removeprefix('s3://')}", ()
        elif own is not None:
            yield path, pulumi.Output.concat(own.url, path.rstrip("/")), own.ready


def _own_bucket(name: str, plan: Plan, opts: pulumi.ResourceOptions) -> Any:  # of a module that is imported late
    """The cold tier's bucket where the stack names it; else a new safe one, linked to this file system alone."""
    from tierplan_pulumi.services.bucket_aws import safe_bucket  # noqa: PLC0415  # s3 is slow to import

    cold = plan.stack.tiers.cold
    named: Mapping[str, object] = cold.options if cold.backend == "s3" else {}
    bucket = named.get("bucket")
    key = plan.stack.site.network.get("kms_key")
    return safe_bucket(
        f"{name}-repository",
        lifecycle=None,
        opts=opts,
        bucket_id=str(bucket) if bucket else None,
        tags=dict(plan.stack.operations.tags),
        kms_key=key,
    )
