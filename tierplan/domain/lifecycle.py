"""How data moves down the tiers: rules, and the bytes that each hand-over moves."""

from __future__ import annotations

from dataclasses import dataclass, field

from tierplan.units import Bandwidth, Duration, Size


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageClass:
    """One class of an object store; a store lists its classes from warm to cold."""

    name: str  # the store's own word: STANDARD_IA, Nearline
    least_days: int = 0  # billed at least so long
    least_size: Size = field(default_factory=Size.zero)  # billed at least so much an object
    readable_within: Duration = field(default_factory=Duration.zero)  # the longest retrieval; zero: at once
    not_before_days: int = 0  # a rule moves nothing here that is younger
    after_previous_days: int = 0  # and nothing that came into a class of `gap_after` later than so long ago
    gap_after: tuple[str, ...] = ()
    comes_from: tuple[str, ...] = ()  # classes that a rule may move objects here from
    one_zone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Objects of this age move to this class."""

    after_days: int
    storage_class: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectRule:
    """One rule of a bucket: what becomes of the objects under a prefix."""

    id: str
    prefix: str = ""
    transitions: tuple[Transition, ...] = ()
    delete_after_days: int | None = None
    abort_uploads_after_days: int | None = None
    old_versions_after_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Downward:
    """What moves data of a hot product to the object store, in the product's own words."""

    mechanism: str  # "tiering to an object store", "policy that migrates by access time"
    by_itself: bool  # the product moves it; else somebody runs the command, once a day
    transparent: bool  # the file stays where it was, and comes back when it is read
    at: Duration | None = None  # the age that the product's own options say, where they say one
    missing: str = ""  # what the choices lack, so that nothing moves
    remedy: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandOver:
    """Bytes that move from one place to the next, day after day."""

    id: str  # pretrain-70b.checkpoint.archive
    what: str
    source: str  # "hot", "cold STANDARD"
    target: str
    daily: Size
    bandwidth: Bandwidth  # spread over the day
    mechanism: str
    counted: bool  # as a load of the requirement: links, front ends and drives are sized for it
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Which checkpoints of a job stay on the hot tier, and what becomes of the others."""

    workload: str
    last: int
    best: int = 0
    weekly: int = 0
    interval: Duration
    archive_every: Duration | None = None
    kept_bytes: Size = field(default_factory=Size.zero)
    deleted_daily: Size = field(default_factory=Size.zero)


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecyclePlan:
    """The rules between the tiers: the hot product's, the bucket's, and which checkpoints stay."""

    store: str  # the cold backend
    hot: str = ""  # the hot backend
    warm_after: Duration | None = None
    cold_after: Duration | None = None
    delete_after: Duration | None = None
    downward: Downward | None = None
    landing_class: str = ""
    warm_class: str = ""
    cold_class: str = ""
    rules: tuple[ObjectRule, ...] = ()
    hand_overs: tuple[HandOver, ...] = ()
    retention: tuple[Retention, ...] = ()
    notes: tuple[str, ...] = ()
