"""What Google Cloud Managed Lustre forbids, each with what it allows."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tierplan.backends._choosing import Relied, option
from tierplan.backends._google_lustre import NAME, TIERS, Choice, ceiling_of
from tierplan.backends._managed import Bought
from tierplan.backends._managed_rules import amount, class_fault, growth_fault, not_ours, size_faults
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig

FILE_SYSTEM = re.compile(r"[A-Za-z0-9]{1,8}")
INSTANCE = re.compile(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
OLDER = tuple(map(str, TIERS))
"""The tiers of which older pages name another largest size."""


def faults(config: TierConfig, choice: Choice, bought: Bought, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    """Everything against a configuration."""
    yield from not_ours(config)
    yield from _tier(choice)
    yield from size_faults(NAME, bought)
    yield from _names(config, choice)
    yield from _growth(choice, bought, need)
    yield from _advice(config, choice, bought, used)


def _tier(choice: Choice) -> Iterator[Illegal]:
    if choice.dynamic:
        if choice.per_unit is not None:
            yield class_fault(
                NAME,
                f"per_unit_throughput {choice.per_unit} with dynamic_tier, which has none of its own",
                "leave per_unit_throughput out, or write dynamic_tier: false",
            )
    elif choice.per_unit not in TIERS:
        asked = choice.per_unit or 0
        closest = min(TIERS, key=lambda one: abs(one - asked))
        yield Illegal(
            policy="cloud-class",
            message=f"{NAME}: per_unit_throughput {choice.per_unit or 'missing'}; "
            f"the service has {', '.join(map(str, TIERS))} MB/s/TiB, and the dynamic tier",
            remedy=f"write per_unit_throughput: {closest}",
            required=closest,
            planned=choice.per_unit,
            unit="MB/s/TiB",
        )


def _names(config: TierConfig, choice: Choice) -> Iterator[Illegal]:
    if not FILE_SYSTEM.fullmatch(choice.filesystem):
        yield class_fault(
            NAME,
            f"filesystem {choice.filesystem or 'missing'}; one to eight letters and digits, other than that of any "
            "instance that the same nodes mount",
            "write filesystem: lustre",
        )
    instance = option(config.options, "instance_id", str)
    if instance is not None and not INSTANCE.fullmatch(instance):
        yield class_fault(
            NAME,
            f"instance_id {instance}; small letters, digits and hyphens, at most 63, a letter first",
            "write instance_id: hot-lustre",
        )


def _growth(choice: Choice, bought: Bought, need: TierNeed) -> Iterator[Illegal]:
    if choice.size is None:
        return
    ceiling, bands = ceiling_of(bought), bought.grade.bands
    beyond = bands.above(ceiling)
    yield from growth_fault(
        NAME,
        bought,
        need,
        ceiling=ceiling,
        why="is the most that an instance of this size can ever grow to",
        remedy=f'write size: "{beyond} GiB" or more from the first day'
        if beyond
        else "spread the data over several instances, or take a slower tier, which grows further",
    )


def _advice(config: TierConfig, choice: Choice, bought: Bought, used: Relied) -> Iterator[Illegal]:
    older = used[f"{bought.grade.key}_older_most"] if bought.grade.key.removeprefix("tier_") in OLDER else None
    if older is not None and choice.size is not None and choice.size > older:
        yield Illegal(
            policy="advice-cloud",
            message=f"{NAME}: {amount(choice.size, 'GiB')}; the provider's documentation still names "
            f"{amount(older, 'GiB')} as the largest of {bought.grade.name}",
            remedy="ask Google for the region's limit before `pulumi up`",
            required=older,
            planned=choice.size,
            unit="GiB",
        )
    if option(config.options, "gke_support", bool):
        yield Illegal(
            policy="advice-cloud",
            message=f"{NAME}: gke_support moves Lustre to port 6988, for GKE nodes of older versions only; clients of "
            "another port fail to mount",
            remedy="write gke_support: false unless the GKE nodes need it",
        )
