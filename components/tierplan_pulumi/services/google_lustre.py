"""Google Cloud Managed Lustre: private service access first, then the instance, protected."""

from __future__ import annotations

import warnings
from typing import Any

import pulumi
import pulumi_gcp

from tierplan.backends._choosing import option
from tierplan.backends._google_lustre import choice_of
from tierplan.backends.google_lustre import instance_of, needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan_pulumi.services import _google

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    lustre = pulumi_gcp.lustre
    lustre.Instance  # noqa: B018  # loaded on first use

TIMEOUTS = pulumi.CustomTimeouts(create="150m", update="24h", delete="2h")
"""The provider gives up after 120 minutes by itself; growing moves data."""
DRIVER = "lustre.csi.storage.gke.io"


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The instance of a tier in an existing network, in the zone of the GPU nodes."""
    place = _google.place(name, plan, needed_ids(chosen.config), "zone")
    access = _google.private_access(name, place, opts)
    instance = instance_of(chosen.config.options, plan.stack.name)
    system = lustre.Instance(
        f"{name}-lustre",
        instance_id=instance,
        location=place.zone,
        network=place.ids["network"],
        project=_google.project(place),
        labels=_google.labels(place.tags),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(protect=True, depends_on=access, custom_timeouts=TIMEOUTS)
        ),
        **inputs(chosen),
    )
    if plan.stack.operations.kubernetes:
        from tierplan_pulumi.services.kubernetes import FileSystem, file_system_volume  # noqa: PLC0415  # its own SDK

        address = system.mount_point.apply(lambda mount: str(mount).partition("@")[0])
        made = FileSystem(
            driver=DRIVER,
            handle=pulumi.Output.concat(system.project, "/", place.zone, "/", instance),
            attributes={"ip": address, "filesystem": choice_of(chosen.config.options).filesystem},
            options=(),
        )
        file_system_volume(name, chosen, made, place.tags, opts)


def inputs(chosen: TierPlan) -> dict[str, Any]:
    """The choices of a tier in the provider's words; its numbers are text."""
    options, choice = chosen.config.options, choice_of(chosen.config.options)
    found: dict[str, Any] = {
        "capacity_gib": str(round(choice.size or 0)),  # Guard: text; the provider's own type
        "filesystem": choice.filesystem,
        "gke_support_enabled": option(options, "gke_support", bool) or None,
        "kms_key": option(options, "kms_key", str),
        "access_rules_options": {"default_squash_mode": "NO_SQUASH"},
    }
    if choice.dynamic:
        found["dynamic_tier_options"] = {"mode": "DEFAULT_CACHE"}
    else:
        found["per_unit_storage_throughput"] = str(choice.per_unit)
    return {key: value for key, value in found.items() if value is not None}
