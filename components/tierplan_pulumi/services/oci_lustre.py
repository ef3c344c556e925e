"""OCI File Storage with Lustre: the file system, protected, then its links to buckets."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_oci

from tierplan.backends._choosing import option
from tierplan.backends._oci_lustre import choice_of, links
from tierplan.backends.oci_lustre import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _oci
from tierplan_pulumi.services._place import Place

TIMEOUTS = pulumi.CustomTimeouts(create="2h", update="24h", delete="2h")
DRIVER = "lustre.csi.oraclecloud.com"


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The file system of a tier in an existing subnet, in the availability domain of the GPU nodes."""
    where = _oci.place(name, plan, needed_ids(chosen.config), "zone")
    system = pulumi_oci.lustre.FileStorageLustreFileSystem(
        f"{name}-lustre",
        compartment_id=where.ids["compartment"],
        availability_domain=where.zone,
        subnet_id=where.ids["subnet"],
        nsg_ids=_oci.groups(where),
        cluster_placement_group_id=where.ids.get("placement_group"),
        display_name=name,
        freeform_tags=_oci.tags(where.tags),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, custom_timeouts=TIMEOUTS)),
        **inputs(chosen, where),
    )
    _links(name, chosen, plan, where, system, opts)
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import FileSystem, file_system_volume  # noqa: PLC0415  # its own SDK

        mount = choice_of(chosen.config.options).file_system
        made = FileSystem(
            driver=DRIVER,
            handle=pulumi.Output.concat(system.management_service_address, "@", system.lnet, ":/", mount),
            attributes={"setupLnet": "true"},
            options=("flock",),
        )
        file_system_volume(name, chosen, made, where.tags, opts)


def inputs(chosen: TierPlan, where: Place) -> dict[str, Any]:
    """The choices of a tier in the provider's words."""
    choice = choice_of(chosen.config.options)
    return {
        "capacity_in_gbs": round(choice.size or 0.0),  # Guard: 31.2 of the documentation is 31200 here
        "performance_tier": choice.tier,
        "file_system_name": choice.file_system,
        "root_squash_configuration": {"identity_squash": choice.squash},
        "kms_key_id": option(chosen.config.options, "kms_key", str) or where.ids.get("kms_key"),
    }


def _links(  # noqa: PLR0917  # what a link is made of
    name: str,
    chosen: TierPlan,
    plan: Plan,
    where: Place,
    system: pulumi_oci.lustre.FileStorageLustreFileSystem,
    opts: pulumi.ResourceOptions,
) -> None:
    """Each linked directory; a link that names no bucket gets a safe one."""
    listed = links(chosen.config)
    if not listed:
        return
    own = _own_bucket(name, plan, where, opts) if any(not one.get("bucket") for one in listed) else None
    before: list[pulumi.Resource] = [system, *(own.ready if own is not None else ())]
    for index, one in enumerate(listed):
        path, bucket = str(one["path"]), one.get("bucket")
        target: pulumi.Input[str] = str(bucket) if bucket or own is None else pulumi.Output.concat(own.name, path)
        pulumi_oci.lustre.FileStorageObjectStorageLink(
            f"{name}-link-{index}",
            compartment_id=where.ids["compartment"],
            availability_domain=where.zone,
            lustre_file_system_id=system.id,
            file_system_path=path,
            object_storage_prefix=pulumi.Output.concat(where.ids["namespace"], ":/", target),
            is_overwrite=False,
            freeform_tags=_oci.tags(where.tags),
            opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=before)),
        )


def _own_bucket(name: str, plan: Plan, where: Place, opts: pulumi.ResourceOptions) -> _oci.BucketHandle:
    """The cold tier's bucket where the stack names it; else a new safe one, linked to this file system alone."""
    cold = plan.stack.tiers.cold
    named = option(cold.options, "bucket", str) if cold.backend == "oci-object" else None
    return _oci.safe_bucket(f"{name}-repository", where, bucket_id=named, lifecycle=None, opts=opts)
