"""What an object store of a cloud is, beside its figures: its classes, its words, whose request rates it counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tierplan.backends._choosing import OptionKind
from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import StorageClass
from tierplan.units import Bandwidth, Duration, Size

OPTIONS: Mapping[str, OptionKind] = {
    "bucket": str,
    "region": str,
    "storage_class": str,
    "warm_class": str,
    "cold_class": str,
    "versioning": bool,
    "encryption_key": str,
    "quota_raised": Bandwidth,
    "prefixes": int,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRow:
    """One class: its word, the beginning of its figures' names, and where a rule may take objects from."""

    name: str
    key: str
    comes_from: tuple[str, ...] = ()
    gap_after: tuple[str, ...] = ()
    one_zone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """What a service is, beside its figures."""

    id: str
    service: str
    classes: tuple[ClassRow, ...]
    warm: str
    cold: str
    requests_per: Literal["prefix", "bucket", "account"]
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Group of regions with a quota of its own -> regions; every other region has the figures without a group."""
    never_change: tuple[str, ...] = ("a bucket's name and region",)
    options: Mapping[str, OptionKind] = field(default_factory=dict)
    """The service's words beside those that all share."""


def storage_classes(store: Store, facts: BackendFacts) -> tuple[StorageClass, ...]:
    """The classes of a store with their figures; a figure that the catalogue has not is nothing."""

    def days(name: str) -> int:
        return int(facts[name]) if name in facts.figures else 0

    def size(name: str) -> Size:
        return _quantity(facts, name) if name in facts.figures else Size.zero()

    def time(name: str) -> Duration:
        known = facts.fact(name).quantity if name in facts.figures else None
        return known if isinstance(known, Duration) else Duration.zero()

    return tuple(
        StorageClass(
            name=row.name,
            least_days=days(f"{row.key}_least_days"),
            least_size=size(f"{row.key}_least_size"),
            readable_within=time(f"{row.key}_readable_within"),
            not_before_days=days(f"{row.key}_not_before_days"),
            after_previous_days=days(f"{row.key}_after_previous_days"),
            comes_from=row.comes_from,
            gap_after=row.gap_after,
            one_zone=row.one_zone,
        )
        for row in store.classes
    )


def _quantity(facts: BackendFacts, name: str) -> Size:
    known = facts.fact(name).quantity
    return known if isinstance(known, Size) else Size(facts[name])
