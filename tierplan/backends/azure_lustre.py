"""Azure Managed Lustre: 2,000 MB/s with every step of its size; no size can ever change in place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._azure_lustre import NAME, WINDOW, Choice, bought_of, choice_of, grades, settled, subnet_prefix
from tierplan.backends._azure_lustre_inputs import TOKENS, words_of_inputs
from tierplan.backends._azure_lustre_rules import beyond_quota, faults
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._managed import (
    MANAGED,
    TIB,
    Bought,
    alternatives,
    configured,
    counts,
    degraded,
    rates,
    read_as,
)
from tierplan.backends._managed_rules import amount
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Delivered, Factor, TierConfig, TierPlan
from tierplan.units import Size

__all__ = ["BACKEND", "OPTIONS", "TOKENS", "downward", "from_inputs", "needed_ids", "second_copy"]

OPTIONS: Mapping[str, OptionKind] = {
    "sku": str,
    "size": Size,
    "zones": tuple,
    "blob_container": str,
    "logging_container": str,
    "import_prefix": str,
    "maintenance_window": {"day": str, "time": str},
    "encryption_key": str,
    "encryption_vault": str,
    "identity": str,
    "region": str,
    "unlisted_sku": bool,
}
UNLISTED_KEY = "premium_20"
FIXED = (
    "size and class: every change makes a new file system",
    "subnet and zone",
    "link to Blob Storage, its containers and its prefix",
    "identity; whether there is a key of one's own",
)
REPLACES = (
    "sku",
    "size",
    "zones",
    "subnet",
    "blob_container",
    "logging_container",
    "import_prefix",
    "identity",
)


def from_inputs(token: str, inputs: Mapping[str, object]) -> TierConfig:
    """
    A resource of anybody's program as a configuration, to be judged by the same `deliver`.

    Raises:   InputError if an input is unknown at preview or of a wrong type
    """
    return read_as(NAME, words_of_inputs(token, inputs))


def cloud_size(bought: Bought, choice: Choice, used: Relied) -> CloudSize:
    """What the service is asked for: nothing of it changes in place but window, squash and tags."""
    size, bands = choice.size or 0.0, bought.grade.bands
    return CloudSize(
        service="Azure Managed Lustre",
        unit=TIB.name,
        size=size,
        class_name=bought.grade.name,
        legal=bands.legal(size),
        next_legal=bands.above(size),
        previous_legal=bands.below(size),
        growth_ceiling=size,
        changes_in_place=("maintenance window", "root squash", "tags"),
        replaces_on_change=REPLACES,
        beyond_quota=tuple(beyond_quota(choice, bought, used)),
    )


def notes(choice: Choice, bought: Bought, need: TierNeed, facts: BackendFacts, used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures."""
    size = choice.size or 0.0
    yield from (f"default quota exceeded, ask for more first: {line}" for line in beyond_quota(choice, bought, used))
    step = bought.grade.bands.least
    yield (
        f"{step} TiB of {bought.grade.name} carry {used['step_bandwidth'] / 1e6:,.0f} MB/s: "
        f"{used['step_bandwidth'] / 1e6 / step:.4g} MB/s for each TiB; no price is known, so the class with the least "
        "bandwidth that does is taken"
    )
    listed = [one for one in grades(facts, used) if one.key != UNLISTED_KEY]
    others = "; ".join(alternatives(bought, listed, need, used))
    if others:
        yield f"other classes for the same need: {others}"
    prefix = subnet_prefix(size, facts)
    yield (
        f"needs a subnet of its own, IPv4, /{prefix} or larger"
        if prefix
        else f"needs a subnet of its own; for {amount(size, 'TiB')} ask the service for its size"
    )
    yield f"a subscription has {used['quota_systems']:.0f} file systems by default; Microsoft.StorageCache registered"
    yield "clients reach it over TCP, also where GPU nodes have InfiniBand among themselves"
    if choice.container is not None:
        yield (
            "before it is made, the service principal HPC Cache Resource Provider needs Storage Account Contributor "
            "and Storage Blob Data Contributor on the account, and some 5 minutes; the account's keys stay switched on"
        )


class AzureLustre:
    """The Azure Managed Lustre backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The class with the least bandwidth that does, at its smallest legal size; what is pinned stays as it is."""
        used = Relied(facts)
        yield configured(NAME, need, pins, settled(pins.options, need, site, grades(facts, used), used))

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this file system gives, and what the service says against it."""
        used, choice = Relied(facts), choice_of(config.options)
        bought = bought_of(grades(facts, used), choice)
        given, share = rates(bought, need, used), used["usable_fraction"]
        return Delivered(
            counts=counts(bought.grade, TIB, need, used),
            raw=bought.space,
            usable=bought.space * share,
            planned_fill_fraction=need.max_fill,
            waterfall=(Factor(name="usable of the size sold", fraction=share, basis="assumed"),),
            healthy=given,
            degraded=tuple(degraded(given, need)),
            illegal=(*option_faults(config, OPTIONS), *faults(config, choice, bought, need, used)),
            cannot_change_later=FIXED,
            assumptions=(*used.lines(config.node), MANAGED.format(NAME)),
            notes=tuple(notes(choice, bought, need, facts, used)),
            parts={"subnet_prefix": subnet_prefix(choice.size or 0.0, facts) or 0},
            cloud=cloud_size(bought, choice, used),
            bill=(
                BillItem(
                    items=(f"{NAME}.{bought.grade.key.removeprefix('premium_')}",),
                    quantity=bought.space.bytes / 2**30,
                    per="GB-month",
                ),
            ),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What mounting, importing and archiving need.

        file system: sku, size_tib, region, zone, blob, import_prefix, subnet_prefix, file_system
        client:      client_threads, mount_point
        """
        options, choice = plan.config.options, choice_of(plan.config.options)
        cloud = plan.delivered.cloud
        return {
            "sku": choice.sku,
            "bought": f"{cloud.size:,.10g} {cloud.unit}" if cloud else "",
            "size_tib": math.floor(choice.size or 0.0),
            "region": option(options, "region", str) or "",
            "zone": str(choice.zones[0]) if choice.zones else "",
            "blob": choice.container is not None,
            "import_prefix": option(options, "import_prefix", str) or "/",
            "subnet_prefix": int(plan.delivered.parts["subnet_prefix"]),
            "window": f"{option(options, 'maintenance_window.day', str) or WINDOW['day']} "
            f"{option(options, 'maintenance_window.time', str) or WINDOW['time']} UTC",
            "file_system": "lustrefs",
            "client_threads": plan.need.clients.cpu_cores * 2,
            "mount_point": "/mnt/hot",
        }


def downward(config: TierConfig) -> Downward:
    """Lustre's own HSM with the linked container: archived files can be released, and come back when they are read."""
    linked = choice_of(config.options).container is not None
    return Downward(
        mechanism="archive jobs, then lfs hsm_release",
        by_itself=False,
        transparent=True,
        missing="" if linked else "azure-lustre is linked to no container, so it hands nothing over",
        remedy="write tiers.hot.options.blob_container and logging_container",
        source="learn.microsoft.com/azure/azure-managed-lustre: blob-integration, archive jobs (2026-11-29)",
    )


def needed_ids(config: TierConfig) -> tuple[str, ...]:  # noqa: ARG001  # the same for every configuration
    """Keys of `site.network` of what must exist before the file system is made."""
    return ("resource_group", "subnet")


def second_copy(config: TierConfig) -> tuple[bool, str]:
    """Whether what lies here lies elsewhere too, and how it gets there."""
    copied = choice_of(config.options).container is not None
    return copied, "write blob_container and logging_container, and run archive jobs"


BACKEND: Backend = AzureLustre()
