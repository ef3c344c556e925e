"""Volumes of Kubernetes: what pods mount, as resources of the same program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pulumi
import pulumi_kubernetes

from tierplan.backends._choosing import option
from tierplan.backends._juicefs_cloud import BUFFER_MIB, CACHE_SIZE
from tierplan.domain.tiers import TierPlan
from tierplan.units import Size

if TYPE_CHECKING:
    import pulumi_aws

LUSTRE_DRIVER, JUICEFS_DRIVER = "fsx.csi.aws.com", "csi.juicefs.com"


def lustre_volume(
    name: str,
    chosen: TierPlan,
    system: pulumi_aws.fsx.LustreFileSystem,
    tags: Mapping[str, str],
    opts: pulumi.ResourceOptions,
) -> None:
    """FSx for Lustre as a volume."""
    attributes = {"dnsname": system.dns_name, "mountname": system.mount_name}
    made = FileSystem(driver=LUSTRE_DRIVER, handle=system.id, attributes=attributes, options=("flock",))
    file_system_volume(name, chosen, made, tags, opts)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystem:
    """A managed file system as its CSI driver knows it."""

    driver: str
    handle: pulumi.Input[str]
    attributes: Mapping[str, pulumi.Input[str]]
    options: tuple[str, ...]


def file_system_volume(
    name: str, chosen: TierPlan, system: FileSystem, tags: Mapping[str, str], opts: pulumi.ResourceOptions
) -> None:
    """
    The file system as one volume that a claim of the same storage class takes.

    The class makes no volumes: a file system is not made by a pod.  Guard: Retain, so that deleting a claim does not
    delete a checkpoint.
    """
    storage = pulumi_kubernetes.storage.v1.StorageClass(
        f"{name}-class",
        metadata={"name": name, "annotations": {"tierplan/tags": _words(tags)}},
        provisioner=system.driver,
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
            "mount_options": list(system.options),
            "csi": {
                "driver": system.driver,
                "volume_handle": system.handle,
                "volume_attributes": dict(system.attributes),
            },
        },
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[storage])),
    )


def juicefs_class(name: str, chosen: TierPlan, tags: Mapping[str, str], opts: pulumi.ResourceOptions) -> None:
    """
    A directory of the volume for each claim; the secret that it refers to is made by a rendered script, never here.

    Guard: Retain, so that deleting a claim does not delete a checkpoint.
    """
    parts = chosen.delivered.parts
    options = chosen.config.options
    cache = option(options, "cache_size", Size) or CACHE_SIZE
    secret = {
        f"csi.storage.k8s.io/{use}-secret-{what}": value
        for use in ("provisioner", "controller-expand", "node-publish")
        for what, value in (("name", "juicefs-secret"), ("namespace", "kube-system"))
    }
    pulumi_kubernetes.storage.v1.StorageClass(
        f"{name}-class",
        metadata={"name": name, "annotations": {"tierplan/tags": _words(tags)}},
        provisioner=JUICEFS_DRIVER,
        reclaim_policy="Retain",
        volume_binding_mode="Immediate",
        allow_volume_expansion=True,
        mount_options=[
            "cache-dir=/var/jfsCache",
            f"cache-size={math.floor(cache.bytes / 2**20)}",
            f"buffer-size={BUFFER_MIB}",
            f"max-uploads={int(parts['max_uploads'])}",
            f"max-downloads={int(parts['max_downloads'])}",
            "backup-meta=8h",
        ],
        parameters={
            **secret,
            "juicefs/mount-cpu-limit": str(int(parts["client_cores"])),
            "juicefs/mount-memory-limit": f"{BUFFER_MIB * 3 // 2 // 1024 + 2}Gi",
        },
        opts=opts,
    )


def _words(tags: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in sorted(tags.items()))
