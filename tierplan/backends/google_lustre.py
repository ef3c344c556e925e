"""Google Cloud Managed Lustre: bandwidth by size and tier; a small instance can never grow past a threshold."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._google_lustre import DYNAMIC, NAME, Choice, bought_of, ceiling_of, choice_of, grades, settled
from tierplan.backends._google_lustre_inputs import TOKEN, words_of_inputs
from tierplan.backends._google_lustre_rules import faults
from tierplan.backends._managed import GIB, MANAGED, Bought, alternatives, configured, counts, degraded, rates, read_as
from tierplan.backends._managed_rules import amount
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Delivered, Factor, TierConfig, TierPlan
from tierplan.units import Size

__all__ = ["BACKEND", "OPTIONS", "TOKENS", "downward", "from_inputs", "needed_ids", "second_copy"]

OPTIONS: Mapping[str, OptionKind] = {
    "size": Size,
    "per_unit_throughput": int,
    "dynamic_tier": bool,
    "filesystem": str,
    "instance_id": str,
    "gke_support": bool,
    "kms_key": str,
    "bucket": str,
    "region": str,
}
TOKENS = (TOKEN,)
FIXED = (
    "performance tier, dynamic tier",
    "zone and network",
    "instance and file system name",
    "encryption key",
)
REPLACES = (
    "per_unit_throughput",
    "dynamic_tier",
    "filesystem",
    "instance_id",
    "zone",
    "network",
    "kms_key",
    "a smaller size",
)


def from_inputs(token: str, inputs: Mapping[str, object]) -> TierConfig:
    """
    A resource of anybody's program as a configuration, to be judged by the same `deliver`.

    Raises:   InputError if an input is unknown at preview or of a wrong type
    """
    return read_as(NAME, words_of_inputs(token, inputs))


def instance_of(options: Mapping[str, object], stack: str) -> str:
    """
    The instance's id: the stack's word, else of the stack's name; as the program and the rendered scripts write it.

    >>> instance_of({}, "Google Lustre")
    'tp-google-lustre-hot'
    """
    named = options.get("instance_id")
    slug = re.sub(r"[^a-z0-9]+", "-", stack.lower()).strip("-")
    return str(named) if named else f"tp-{slug[:40].strip('-') or 'cluster'}-hot"


def cloud_size(bought: Bought, choice: Choice) -> CloudSize:
    """What the service is asked for, and how far it can grow."""
    size, bands = choice.size or 0.0, bought.grade.bands
    return CloudSize(
        service="Google Cloud Managed Lustre",
        unit=GIB.name,
        size=size,
        class_name=bought.grade.name.removeprefix("the "),
        legal=bands.legal(size),
        next_legal=bands.above(size),
        previous_legal=bands.below(size),
        growth_ceiling=ceiling_of(bought),
        changes_in_place=(f"size, upwards to {amount(ceiling_of(bought), GIB.name)}", "labels", "maintenance window"),
        replaces_on_change=REPLACES,
    )


def notes(config: TierConfig, bought: Bought, others: Iterable[str], used: Relied) -> Iterator[str]:
    """What a reader should know beside the figures."""
    bands, ceiling = bought.grade.bands, ceiling_of(bought)
    yield "no price is known, so the tier with the least bandwidth that does is taken"
    if listed := "; ".join(others):
        yield f"other tiers for the same need: {listed}"
    if len(bands.bands) > 1 and ceiling < bands.most:
        yield (
            f"can grow to {amount(ceiling, GIB.name)} and never past it; from {amount(bands.bands[1].least, GIB.name)} "
            f"on an instance is made for up to {amount(bands.most, GIB.name)}"
        )
    if bought.grade.key == DYNAMIC:
        yield "the dynamic tier: what is read seldom lies on slower drives; 25 MB/s/TiB is planned for everything"
    yield (
        f"private service access must be active in the network first, with a /{used['range_prefix']:.0f} or larger; "
        "an MTU of 8,896 gives some 10 % more"
    )
    yield "clients are in the same zone, and reach it over TCP, port 988"
    yield f"one file is at most {used['most_file']:g} PiB"
    if option(config.options, "bucket", str) is not None:
        yield "no resource links the bucket: import and export are calls, which the rendered scripts make"


class GoogleLustre:
    """The Google Cloud Managed Lustre backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The tier with the least bandwidth that does, at its smallest legal size; what is pinned stays as it is."""
        used = Relied(facts)
        yield configured(NAME, need, pins, settled(pins.options, need, site, grades(facts, used), used))

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this instance gives, and what the service says against it."""
        used, choice = Relied(facts), choice_of(config.options)
        bought = bought_of(grades(facts, used), choice)
        given, share = rates(bought, need, used), used["usable_fraction"]
        numbered = [one for one in grades(facts, used) if one.key != DYNAMIC]
        return Delivered(
            counts=counts(bought.grade, GIB, need, used),
            raw=bought.space,
            usable=bought.space * share,
            planned_fill_fraction=need.max_fill,
            waterfall=(Factor(name="usable of the size sold", fraction=share, basis="assumed"),),
            healthy=given,
            degraded=tuple(degraded(given, need)),
            illegal=(*option_faults(config, OPTIONS), *faults(config, choice, bought, need, used)),
            cannot_change_later=FIXED,
            assumptions=(*used.lines(config.node), MANAGED.format(NAME)),
            notes=tuple(notes(config, bought, alternatives(bought, numbered, need, used), used)),
            cloud=cloud_size(bought, choice),
            bill=(
                BillItem(
                    items=(f"{NAME}.{bought.grade.key.removeprefix('tier_')}",),
                    quantity=bought.space.bytes / 2**30,
                    per="GB-month",
                ),
            ),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What mounting, importing and exporting need.

        instance:    tier, size_gib, filesystem, instance_id (empty: as the program names it), port, bucket, region
        client:      client_threads, mount_point
        """
        options, choice, cloud = plan.config.options, choice_of(plan.config.options), plan.delivered.cloud
        return {
            "tier": cloud.class_name if cloud else "",
            "bought": f"{cloud.size:,.10g} {cloud.unit}" if cloud else "",
            "size_gib": math.floor(choice.size or 0.0),
            "filesystem": choice.filesystem,
            "instance_id": option(options, "instance_id", str) or "",
            "port": 6988 if option(options, "gke_support", bool) else 988,
            "bucket": (option(options, "bucket", str) or "").removeprefix("gs://").strip("/"),
            "region": option(options, "region", str) or "",
            "client_threads": plan.need.clients.cpu_cores * 2,
            "mount_point": "/mnt/hot",
        }


def downward(config: TierConfig) -> Downward:
    """Exports by call: a copy in the bucket; nothing is freed on the instance until somebody deletes it there."""
    linked = option(config.options, "bucket", str) is not None
    return Downward(
        mechanism="gcloud lustre instances export-data",
        by_itself=False,
        transparent=False,
        missing="" if linked else "google-lustre names no bucket, so the export scripts know none",
        remedy="write tiers.hot.options.bucket",
        source="docs.cloud.google.com/sdk/gcloud/reference/lustre/instances/export-data (2026-11-29)",
    )


def needed_ids(config: TierConfig) -> tuple[str, ...]:  # noqa: ARG001  # the same for every configuration
    """Keys of `site.network` of what must exist before the file system is made."""
    return ("network",)


def second_copy(config: TierConfig) -> tuple[bool, str]:
    """Whether what lies here lies elsewhere too, and how it gets there."""
    return option(config.options, "bucket", str) is not None, "write bucket, and run the rendered exports"


BACKEND: Backend = GoogleLustre()
