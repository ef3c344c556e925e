"""Volumes of Kubernetes: what pods mount, as resources of the same program."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pulumi
import pulumi_aws
import pulumi_kubernetes

from tierplan.domain.tiers import TierPlan

LUSTRE_DRIVER = "fsx.csi.aws.com"


def lustre_volume(
    name: str,
    chosen: TierPlan,
    system: pulumi_aws.fsx.LustreFileSystem,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> None:
    """
    The file system as one volume that a claim of the same storage class takes.

    The class makes no volumes: a file system is not made by a pod.  Guard: Retain, so that deleting a claim does not
    delete a checkpoint.
    """
    storage = pulumi_kubernetes.storage.v1.StorageClass(
        f"{name}-class",
        metadata={"name": name, "annotations": {"tierplan/tags": _words(tags)}},
        provisioner=LUSTRE_DRIVER,
        reclaim_policy="Retain",
        volume_binding_mode="Immediate",
        opts=opts,
    )
    gib = math.floor(chosen.delivered.planned.bytes / 2**30)
    pulumi_kubernetes.core.v1.PersistentVolume(
        f"{name}-volume",
        metadata={"name": name},
        spec={
            "capacity": {"storage": f"{gib}Gi"},
            "access_modes": ["ReadWriteMany"],
            "persistent_volume_reclaim_policy": "Retain",
            "storage_class_name": name,
            "mount_options": ["flock"],
            "csi": {
                "driver": LUSTRE_DRIVER,
                "volume_handle": system.id,
                "volume_attributes": {"dnsname": system.dns_name, "mountname": system.mount_name},
            },
        },
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[storage])),
    )


def _words(tags: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(tags.items()))
