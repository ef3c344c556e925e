"""CPFS: the file system, protected, its access rules and mount target, then data flows with OSS, one after another."""

from __future__ import annotations

import warnings
from typing import Any

import pulumi

from tierplan.backends._choosing import option
from tierplan.backends._cpfs import GENERAL, LINGJUN, bought_of, choice_of
from tierplan.backends._cpfs_rules import flow_rate, flows
from tierplan.backends._managed import GIB
from tierplan.backends.cpfs import needed_ids
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan.load import catalogue
from tierplan_pulumi.services import _alibaba
from tierplan_pulumi.services._alibaba import sdk
from tierplan_pulumi.services._place import Place

with warnings.catch_warnings():  # the SDK warns of its own old names while it loads, whoever uses them
    warnings.simplefilter("ignore", DeprecationWarning)
    nas = sdk.nas
    nas.FileSystem  # noqa: B018  # loaded on first use

TIMEOUTS = pulumi.CustomTimeouts(create="2h", update="24h", delete="2h")
FLOW_TIMEOUTS = pulumi.CustomTimeouts(create="30m", delete="30m")


def register(name: str, *, chosen: TierPlan, plan: Plan, opts: pulumi.ResourceOptions) -> None:
    """The file system of a tier in an existing vSwitch, in the zone of the GPU nodes; the Lingjun edition by hand."""
    choice = choice_of(chosen.config.options)
    if choice.edition == LINGJUN:
        pulumi.warn(
            f"{name}: the provider has no type for CPFS for Lingjun; make it as the README of `tierplan render` says"
        )
        return
    where = _alibaba.place(name, plan, needed_ids(chosen.config), "zone")
    system = nas.FileSystem(
        f"{name}-cpfs",
        zone_id=where.zone,
        # Guard: CPFS needs both; NAS of other types is replaced on every run where they are written
        vpc_id=where.ids["vpc"],
        vswitch_id=where.ids["vswitch"],
        description=name,
        tags=_alibaba.tags(where.tags),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True, custom_timeouts=TIMEOUTS)),
        **inputs(chosen, where),
    )
    target = _mount_target(name, where, system, opts)
    if choice.protocol_service:
        _protocol(name, where, system, opts)
    _flows(name, chosen, plan, where, target, opts)


def inputs(chosen: TierPlan, where: Place) -> dict[str, Any]:
    """The choices of a tier in the provider's words; whatever forces a replacement and is not chosen is left out."""
    options, choice = chosen.config.options, choice_of(chosen.config.options)
    bought = bought_of(catalogue().backend(chosen.config.backend), choice)
    key = option(options, "kms_key", str) or where.ids.get("kms_key")
    found: dict[str, Any] = {
        "file_system_type": GENERAL,
        "protocol_type": GENERAL,
        "storage_type": choice.storage,
        "capacity": round(bought.space.bytes / GIB.bytes),
        "redundancy_type": choice.redundancy,
        "encrypt_type": 2 if key else None,
        "kms_key_id": key,
    }
    return {word: value for word, value in found.items() if value is not None}


def _mount_target(name: str, where: Place, system: Any, opts: pulumi.ResourceOptions) -> Any:
    """The one mount target, which lets in whom the stack names."""
    access = nas.AccessGroup(
        f"{name}-access", access_group_name=name, access_group_type="Vpc", file_system_type=GENERAL, opts=opts
    )
    rule = nas.AccessRule(
        f"{name}-access-clients",
        access_group_name=access.access_group_name,
        file_system_type=GENERAL,
        source_cidr_ip=where.ids["client_network"],
        rw_access_type="RDWR",
        user_access_type="no_squash",
        priority=1,
        opts=opts,
    )
    return nas.MountTarget(
        f"{name}-mount",
        file_system_id=system.id,
        access_group_name=access.access_group_name,
        network_type="Vpc",
        vpc_id=where.ids["vpc"],
        vswitch_id=where.ids["vswitch"],
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=[rule])),
    )


def _protocol(name: str, where: Place, system: Any, opts: pulumi.ResourceOptions) -> None:
    """
    NFS in front of the file system, for clients without its own client, and for Kubernetes.

    The provider does not tell the address of its mount target, so a volume of Kubernetes is rendered, not made here.
    """
    service = nas.ProtocolService(
        f"{name}-nfs",
        file_system_id=system.id,
        protocol_type="NFS",
        protocol_spec="General",
        vpc_id=where.ids["vpc"],
        vswitch_id=where.ids["vswitch"],
        opts=opts,
    )
    nas.ProtocolMountTarget(
        f"{name}-nfs-mount",
        file_system_id=system.id,
        protocol_service_id=service.protocol_service_id,
        path="/share",
        vpc_id=where.ids["vpc"],
        vswitch_id=where.ids["vswitch"],
        opts=opts,
    )


def _flows(  # noqa: PLR0917  # what a flow is made of
    name: str,
    chosen: TierPlan,
    plan: Plan,
    where: Place,
    target: Any,
    opts: pulumi.ResourceOptions,
) -> None:
    """Guard: after the mount target, and one after another, as the service works on them."""
    listed = flows(chosen.config)
    if not listed:
        return
    own = _own_bucket(name, plan, where, opts) if any(not one.get("bucket") for one in listed) else None
    before: list[pulumi.Resource] = [target, *(own.ready if own is not None else ())]
    facts = catalogue().backend(chosen.config.backend)
    for index, one in enumerate(listed):
        path, bucket = f"/{str(one['path']).strip('/')}/", one.get("bucket")
        after = pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(depends_on=list(before), custom_timeouts=FLOW_TIMEOUTS)
        )
        fileset = nas.Fileset(
            f"{name}-fileset-{index}", file_system_id=target.file_system_id, file_system_path=path, opts=after
        )
        source: pulumi.Input[str] = str(bucket) if bucket or own is None else own.name
        flow = nas.DataFlow(
            f"{name}-flow-{index}",
            file_system_id=target.file_system_id,
            fset_id=fileset.fileset_id,
            source_storage=pulumi.Output.concat("oss://", source),
            source_security_type="SSL",
            throughput=flow_rate(one, facts),
            opts=after,
        )
        before = [*before, flow]


def _own_bucket(name: str, plan: Plan, where: Place, opts: pulumi.ResourceOptions) -> _alibaba.BucketHandle:
    """The cold tier's bucket where the stack names it; else a new safe one, for this file system alone."""
    cold = plan.stack.tiers.cold
    named = option(cold.options, "bucket", str) if cold.backend == "oss" else None
    return _alibaba.safe_bucket(
        f"{name}-repository", where, bucket_id=named, lifecycle=None, opts=opts, more_tags=_alibaba.FLOW_TAG
    )
