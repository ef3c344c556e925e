"""OCI File Storage with Lustre: Oracle Cloud's managed Lustre, in its own thousands; the class can never change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._managed import MANAGED, Bought, configured, degraded, read_as
from tierplan.backends._managed_capped import counts, rates, weighed
from tierplan.backends._managed_rules import amount
from tierplan.backends._oci_lustre import (
    GB,
    NAME,
    TOKENS,
    bought_of,
    caps,
    choice_of,
    client,
    faults,
    grades,
    links,
    settled,
    words_of_inputs,
)
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Delivered, Factor, TierConfig, TierPlan
from tierplan.units import Size

__all__ = ["BACKEND", "OPTIONS", "TOKENS", "downward", "from_inputs", "needed_ids"]

OPTIONS: Mapping[str, OptionKind] = {
    "size": Size,
    "performance_tier": str,
    "file_system_name": str,
    "root_squash": str,
    "object_links": tuple,
    "kms_key": str,
    "region": str,
}
FIXED = ("class (performance_tier) and name of the file system", "availability domain, subnet, placement group")
REPLACES = (
    "performance_tier",
    "file_system_name",
    "zone",
    "subnet",
    "placement_group",
    "a smaller size",
)


def from_inputs(token: str, inputs: Mapping[str, object]) -> TierConfig:
    """
    A resource of anybody's program as a configuration, to be judged by the same `deliver`.

    Raises:   InputError if an input is unknown at preview or of a wrong type
    """
    return read_as(NAME, words_of_inputs(token, inputs))


def cloud_size(bought: Bought) -> CloudSize:
    """What the service is asked for, and what of it can ever change."""
    size, bands = bought.size or 0.0, bought.grade.bands
    return CloudSize(
        service="OCI File Storage with Lustre",
        unit=GB.name,
        size=size,
        class_name=bought.grade.name,
        legal=bands.legal(size),
        next_legal=bands.above(size),
        previous_legal=bands.below(size),
        changes_in_place=("size, upwards", "root squash, network security groups, encryption key, tags"),
        replaces_on_change=REPLACES,
    )


def notes(config: TierConfig, bought: Bought, used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures."""
    size = bought.size or 0.0
    yield (
        f"{amount(size, 'GB')} are written as {size / 1000:,.10g} TiB in documentation and console; the request "
        f"carries {size:,.10g}"
    )
    yield (
        f"{bought.grade.name} gives {bought.read.show('GB/s')} by the published class; "
        f"{used['counted_share']:.0%} of it is counted on"
    )
    yield weighed(used)
    yield "no largest size and no quota is published: look at the limits of the tenancy before `pulumi up`"
    yield "the service lustrefs needs the policy to use virtual-network-family in the tenancy"
    yield "two file systems that one node mounts need different names (file_system_name)"
    yield "clients reach it over TCP, also where GPU nodes have RDMA among themselves"
    if links(config):
        yield "imports and exports of a link are started by hand or by a job; the first import loads names, not data"


class OciLustre:
    """The OCI File Storage with Lustre backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The class that weighs least, at its smallest legal size; what is pinned stays as it is."""
        used = Relied(facts)
        yield configured(NAME, need, pins, settled(pins.options, need, site, grades(facts), used))

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this file system gives, and what the service says against it."""
        used, choice = Relied(facts), choice_of(config.options)
        bought, limits = bought_of(grades(facts), choice, used), caps(used)
        given, share = rates(bought, limits, need, client=client(need, used)), used["usable_fraction"]
        return Delivered(
            counts=counts(bought.grade, GB, limits, need, usable=share),
            raw=bought.space,
            usable=bought.space * share,
            planned_fill_fraction=need.max_fill,
            waterfall=(Factor(name="usable of the size sold", fraction=share, basis="assumed"),),
            healthy=given,
            degraded=tuple(degraded(given, need)),
            illegal=(*option_faults(config, OPTIONS), *faults(config, choice, bought, used)),
            cannot_change_later=FIXED,
            assumptions=(*used.lines(config.node), MANAGED.format(NAME)),
            notes=tuple(notes(config, bought, used)),
            cloud=cloud_size(bought),
            bill=(
                BillItem(
                    items=(f"{NAME}.{bought.grade.key.removeprefix('rate_')}",),
                    quantity=max(0.0, bought.size or 0.0),
                    per="GB-month",
                ),
            ),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What mounting, tuning, links and volumes of the file system need.

        file system: performance_tier, capacity_in_gbs, written_tib, file_system_name, region
        client:      client_threads, mount_point, volume, links
        """
        choice = choice_of(plan.config.options)
        return {
            "performance_tier": choice.tier or "",
            "capacity_in_gbs": math.floor(choice.size or 0.0),
            "written_tib": f"{(choice.size or 0.0) / 1000:.10g}",
            "file_system_name": choice.file_system,
            "region": option(plan.config.options, "region", str) or "",
            "client_threads": plan.need.clients.cpu_cores * 2,
            "mount_point": "/mnt/hot",
            "volume": "hot",
            "links": [
                {"path": str(one.get("path")), "bucket": str(one.get("bucket") or "")} for one in links(plan.config)
            ],
        }


def downward(config: TierConfig) -> Downward:
    """An export copies files of a linked directory to the bucket; nothing is freed by it."""
    return Downward(
        mechanism="export of a linked directory to Object Storage",
        by_itself=False,
        transparent=False,
        missing="" if links(config) else "oci-lustre is linked to no bucket, so it hands nothing over",
        remedy="write tiers.hot.options.object_links",
        source="OCI provider documentation, lustre_file_storage_object_storage_link (2026-08-19)",
    )


def needed_ids(config: TierConfig) -> tuple[str, ...]:
    """Keys of `site.network` of what must exist before the file system is made."""
    return ("compartment", "subnet", "namespace") if links(config) else ("compartment", "subnet")


BACKEND: Backend = OciLustre()
