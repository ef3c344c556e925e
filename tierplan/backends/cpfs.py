"""Alibaba Cloud CPFS: a managed parallel file system, General-purpose for any instance or beside Lingjun GPU nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._cpfs import LINGJUN, NAME, Choice, bought_of, caps, choice_of, client, settled
from tierplan.backends._cpfs_rules import TOKENS, beyond_quota, faults, flow_rate, flows, is_ours, words_of_inputs
from tierplan.backends._managed import GIB, MANAGED, Bought, configured, degraded, read_as
from tierplan.backends._managed_capped import counts, rates, weighed
from tierplan.backends._managed_rules import amount
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Delivered, Factor, TierConfig, TierPlan
from tierplan.units import Size

__all__ = ["BACKEND", "OPTIONS", "TOKENS", "downward", "from_inputs", "is_ours", "needed_ids"]

OPTIONS: Mapping[str, OptionKind] = {
    "file_system_type": str,
    "storage_type": str,
    "size": Size,
    "data_flows": tuple,
    "protocol_service": bool,
    "redundancy_type": str,
    "quota_raised": bool,
    "kms_key": str,
    "region": str,
}
FIXED = (
    "edition and class (storage_type), redundancy, encryption key",
    "zone, VPC and vSwitch; there is one mount target",
)
REPLACES = (
    "file_system_type",
    "storage_type",
    "redundancy_type",
    "zone",
    "vpc",
    "vswitch",
    "kms_key",
    "a smaller size",
)
SERVICES = {LINGJUN: "CPFS for Lingjun"}


def from_inputs(token: str, inputs: Mapping[str, object]) -> TierConfig:
    """
    A resource of anybody's program as a configuration, to be judged by the same `deliver`.

    Raises:   InputError if an input is unknown at preview or of a wrong type
    """
    return read_as(NAME, words_of_inputs(token, inputs))


def cloud_size(choice: Choice, bought: Bought, facts: BackendFacts) -> CloudSize:
    """What the service is asked for, and what of it can ever change."""
    size, bands = bought.size or 0.0, bought.grade.bands
    return CloudSize(
        service=SERVICES.get(choice.edition, "CPFS General-purpose"),
        unit=bought.unit.name,
        size=size,
        class_name=bought.grade.name,
        legal=bands.legal(size),
        next_legal=bands.above(size),
        previous_legal=bands.below(size),
        growth_ceiling=bands.below(bands.most + 1),
        changes_in_place=("size, upwards", "data flows, protocol service, access rules, tags"),
        replaces_on_change=REPLACES,
        beyond_quota=tuple(beyond_quota(choice, bought, facts)),
    )


def notes(config: TierConfig, choice: Choice, bought: Bought, facts: BackendFacts, used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures."""
    name, size = bought.grade.name, bought.size or 0.0
    yield from (f"by a ticket only: {line}" for line in beyond_quota(choice, bought, facts))
    small = min(used[f"{name}_iops"] * size, used[f"{name}_most_iops"])
    yield (
        f"{name} publishes {small:,.0f} small I/O a second at {amount(size, bought.unit.name)}; no metadata rate is "
        "published"
    )
    yield weighed(used)
    if choice.edition == LINGJUN:
        yield (
            "Lingjun: mounted from PAI and ACS GPU nodes in the same compute and storage affinity domain, not from ECS "
            "instances; the Pulumi provider has no such type, so it is made by hand (tierplan render says how)"
        )
    else:
        yield (
            f"sizes from {facts['general_least']:,.0f} GiB in steps of {facts['general_step']:,.0f} are inferred from "
            "the provider's tests: if the service refuses one, take the next that its page offers"
        )
        yield (
            "clients mount it over NFS through the protocol service, as Kubernetes needs"
            if choice.protocol_service
            else "clients need the POSIX client and one of its kernels; Kubernetes needs protocol_service: true"
        )
    if flows(config):
        rates_ = ", ".join(f"{one.get('path')} at {flow_rate(one, facts)} MB/s" for one in flows(config))
        yield f"data flows with OSS: {rates_}; a bucket needs the tag cpfs-dataflow"


class Cpfs:
    """The CPFS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The class that weighs least, at its smallest legal size; what is pinned stays as it is."""
        yield configured(NAME, need, pins, settled(pins.options, need, site, facts, Relied(facts)))

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this file system gives, and what the service says against it."""
        used, choice = Relied(facts), choice_of(config.options)
        bought = bought_of(facts, choice)
        limits = caps(bought.grade, bought.unit, raised=choice.raised, used=used)
        given = rates(bought, limits, need, client=client(need, bought.unit, used))
        share = used["usable_fraction"]
        return Delivered(
            counts=counts(bought.grade, bought.unit, limits, need, usable=share),
            raw=bought.space,
            usable=bought.space * share,
            planned_fill_fraction=need.max_fill,
            waterfall=(Factor(name="usable of the size sold", fraction=share, basis="assumed"),),
            healthy=given,
            degraded=tuple(degraded(given, need)),
            illegal=(
                *option_faults(config, OPTIONS),
                *faults(config, choice, bought, limits, need, facts, used),
            ),
            cannot_change_later=FIXED,
            assumptions=(*used.lines(config.node), MANAGED.format(NAME)),
            notes=tuple(notes(config, choice, bought, facts, used)),
            cloud=cloud_size(choice, bought, facts),
            bill=(
                BillItem(
                    items=(f"{NAME}.{bought.grade.name}",), quantity=bought.space.bytes / GIB.bytes, per="GiB-month"
                ),
            ),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What making, mounting, flows and volumes of the file system need.

        file system: edition, lingjun, storage_type, capacity_gib, bought, region, protocol_service
        client:      mount_point, volume, flows
        """
        choice, options = choice_of(plan.config.options), plan.config.options
        cloud = plan.delivered.cloud
        return {
            "lingjun": choice.edition == LINGJUN,
            "edition": SERVICES.get(choice.edition, "CPFS General-purpose"),
            "storage_type": choice.storage or "",
            "capacity_gib": math.floor(plan.delivered.usable.bytes / GIB.bytes),
            "bought": f"{cloud.size:,.10g} {cloud.unit}" if cloud else "",
            "region": option(options, "region", str) or "",
            "protocol_service": choice.protocol_service,
            "mount_point": "/mnt/hot",
            "volume": "hot",
            "flows": [
                {"path": str(one.get("path")), "bucket": str(one.get("bucket") or "")} for one in flows(plan.config)
            ],
        }


def downward(config: TierConfig) -> Downward:
    """Eviction through a data flow: data that the bucket has is freed, and comes back when it is read."""
    return Downward(
        mechanism="eviction task of a data flow with OSS",
        by_itself=False,
        transparent=True,
        missing="" if flows(config) else "cpfs has no data flow, so it hands nothing over",
        remedy="write tiers.hot.options.data_flows",
        source="Alibaba Cloud, CPFS data flow, NAS API CreateDataFlowTask: TaskAction Evict (2026-11-29)",
    )


def needed_ids(config: TierConfig) -> tuple[str, ...]:
    """Keys of `site.network` of what must exist before the file system is made."""
    return () if choice_of(config.options).edition == LINGJUN else ("vpc", "vswitch", "client_network")


BACKEND: Backend = Cpfs()
