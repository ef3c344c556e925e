"""Huawei Cloud SFS Turbo: a managed file system over NFS, in classes of bandwidth for each TiB."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._managed import GIB, MANAGED, Bought, configured, degraded
from tierplan.backends._managed_capped import counts, rates, weighed
from tierplan.backends._managed_rules import amount
from tierplan.backends._sfs_turbo import NAME, Choice, beyond_quota, bought_of, caps, choice_of, client, faults, settled
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Delivered, Factor, TierConfig, TierPlan
from tierplan.units import Size

OPTIONS: Mapping[str, OptionKind] = {
    "bandwidth_per_tib": int,
    "size": Size,
    "quota_raised": bool,
    "region": str,
}
FIXED = ("class (bandwidth_per_tib)", "zone, VPC, subnet and security group; encryption key")
REPLACES = ("bandwidth_per_tib", "zone", "vpc", "subnet", "security_group", "kms_key", "a smaller size")


def cloud_size(choice: Choice, bought: Bought, facts: BackendFacts) -> CloudSize:
    """What the service is asked for, and what of it can ever change."""
    size, bands = bought.size or 0.0, bought.grade.bands
    return CloudSize(
        service="SFS Turbo",
        unit=GIB.name,
        size=size,
        class_name=bought.grade.name,
        legal=bands.legal(size),
        next_legal=bands.above(size),
        previous_legal=bands.below(size),
        growth_ceiling=bands.most,
        changes_in_place=("size, upwards", "links to OBS, tags"),
        replaces_on_change=REPLACES,
        beyond_quota=tuple(beyond_quota(choice, bought, facts)),
    )


def notes(choice: Choice, bought: Bought, facts: BackendFacts, used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures."""
    size = bought.size or 0.0
    steps = round(size / facts["step"])
    yield from (f"by a ticket only: {line}" for line in beyond_quota(choice, bought, facts))
    yield f"{amount(size, 'GiB')} are sold as {steps * 1.2:,.10g} TB: steps of 1.2 TB, in GiB and rounded down"
    yield (f"at most {used[f'{bought.grade.key}_iops']:,.0f} small I/O a second; no metadata rate is published")
    yield weighed(used)
    yield "reads and writes share the bandwidth; one client is reached over NFSv3, which a fast GPU node fills early"
    yield "no well-kept Pulumi provider of Huawei Cloud is known: tierplan render writes Terraform for it"


class SfsTurbo:
    """The SFS Turbo backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The class that weighs least, at its smallest legal size; what is pinned stays as it is."""
        yield configured(NAME, need, pins, settled(pins.options, need, site, facts, Relied(facts)))

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this file system gives, and what the service says against it."""
        used, choice = Relied(facts), choice_of(config.options)
        bought = bought_of(facts, choice)
        limits = caps(bought.grade, raised=choice.raised, used=used)
        given, share = rates(bought, limits, need, client=client(need, used)), used["usable_fraction"]
        return Delivered(
            counts=counts(bought.grade, GIB, limits, need, usable=share),
            raw=bought.space,
            usable=bought.space * share,
            planned_fill_fraction=need.max_fill,
            waterfall=(Factor(name="usable of the size sold", fraction=share, basis="assumed"),),
            healthy=given,
            degraded=tuple(degraded(given, need)),
            illegal=(*option_faults(config, OPTIONS), *faults(config, choice, bought, limits, need, used)),
            cannot_change_later=FIXED,
            assumptions=(*used.lines(config.node), MANAGED.format(NAME)),
            notes=tuple(notes(choice, bought, facts, used)),
            cloud=cloud_size(choice, bought, facts),
            bill=(
                BillItem(
                    items=(f"{NAME}.{bought.grade.key.removeprefix('rate_')}",),
                    quantity=bought.space.bytes / GIB.bytes,
                    per="GB-month",
                ),
            ),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What making and mounting the file system need.

        file system: bandwidth_per_tib, capacity_gib, region
        client:      mount_point, volume
        """
        choice = choice_of(plan.config.options)
        return {
            "bandwidth_per_tib": choice.rate or 0,
            "capacity_gib": math.floor(choice.size or 0.0),
            "region": option(plan.config.options, "region", str) or "",
            "mount_point": "/mnt/hot",
            "volume": "hot",
        }


def needed_ids(config: TierConfig) -> tuple[str, ...]:  # noqa: ARG001  # the same for every configuration
    """Keys of `site.network` of what must exist before the file system is made."""
    return ("vpc", "subnet", "security_group")


BACKEND: Backend = SfsTurbo()
