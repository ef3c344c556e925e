"""Azure Managed Lustre: roles for the link to Blob Storage first, then the file system, protected."""

from __future__ import annotations

import warnings
from typing import Any

import pulumi
import pulumi_azure

from tierplan.backends._azure_lustre import choice_of
from tierplan.backends._choosing import option
from tierplan.backends.azure_lustre import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _azure
from tierplan_pulumi.services._place import Place

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    managedlustre = pulumi_azure.managedlustre
    managedlustre.FileSystem  # noqa: B018  # loaded on first use

TIMEOUTS = pulumi.CustomTimeouts(create="2h", delete="2h")
ROLES = ("Storage Account Contributor", "Storage Blob Data Contributor")
"""Of the service principal HPC Cache Resource Provider, on the account of the linked containers."""
DRIVER = "azurelustre.csi.azure.com"


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The file system of a tier in its own subnet, which exists."""
    place = _azure.place(name, plan, needed_ids(chosen.config))
    roles = _roles(name, chosen, place, opts)
    system = managedlustre.FileSystem(
        f"{name}-lustre",
        name=f"tp-{_azure.slug(plan.stack.name, 40)}-hot",
        resource_group_name=place.ids["resource_group"],
        location=place.region,
        subnet_id=place.ids["subnet"],
        tags=_azure.tags(place.tags),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(protect=True, depends_on=roles, custom_timeouts=TIMEOUTS)
        ),
        **inputs(chosen),
    )
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import FileSystem, file_system_volume  # noqa: PLC0415  # its own SDK

        made = FileSystem(
            driver=DRIVER,
            handle=pulumi.Output.concat(system.name, "#lustrefs#"),
            attributes={"mgs-ip-address": system.mgs_address, "fs-name": "lustrefs"},
            options=("noatime", "flock"),
        )
        file_system_volume(name, chosen, made, place.tags, opts)


def inputs(chosen: TierPlan) -> dict[str, Any]:
    """The choices of a tier in the provider's words."""
    options, choice = chosen.config.options, choice_of(chosen.config.options)
    found: dict[str, Any] = {
        "sku_name": choice.sku,
        "storage_capacity_in_tb": round(choice.size or 0),  # Guard: the input says TB and counts TiB
        "zones": [str(zone) for zone in choice.zones],  # Guard: text; a number is refused
        "maintenance_window": {
            "day_of_week": option(options, "maintenance_window.day", str),
            "time_of_day_in_utc": option(options, "maintenance_window.time", str),
        },
    }
    if choice.container is not None:
        found["hsm_setting"] = {"container_id": choice.container, "logging_container_id": choice.logging}
        prefix = option(options, "import_prefix", str)
        if prefix is not None:
            found["hsm_setting"]["import_prefix"] = prefix
    identity = option(options, "identity", str)
    if identity is not None:
        found["identity"] = {"type": "UserAssigned", "identity_ids": [identity]}
    key = option(options, "encryption_key", str)
    if key is not None:
        found["encryption_key"] = {"key_url": key, "source_vault_id": options["encryption_vault"]}
    return found


def _roles(name: str, chosen: TierPlan, place: Place, opts: pulumi.ResourceOptions) -> list[pulumi.Resource]:
    """Guard: the roles must be there, some five minutes, before a linked file system is made."""
    container = choice_of(chosen.config.options).container
    if container is None:
        return []
    principal = place.ids.get("hpc_cache_principal")
    if principal is None:
        pulumi.warn(
            f"{name}: the service principal HPC Cache Resource Provider must have {' and '.join(ROLES)} on the "
            "containers' account; write its object id as site.network.hpc_cache_principal to have them assigned here"
        )
        return []
    return [
        pulumi_azure.authorization.Assignment(
            f"{name}-role-{number}",
            scope=container.partition("/blobServices/")[0],
            role_definition_name=role,
            principal_id=principal,
            principal_type="ServicePrincipal",
            opts=opts,
        )
        for number, role in enumerate(ROLES)
    ]
