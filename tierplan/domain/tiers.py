"""A tier as chosen (`TierConfig`) and what that choice gives (`Delivered`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tierplan.domain.lifecycle import StorageClass
from tierplan.domain.need import Tier, TierNeed
from tierplan.domain.stack import Measured, OptionValue, Quote, StorageNode
from tierplan.units import Bandwidth, OpRate, Size

LimitedBy: TypeAlias = Literal[
    "media", "cpu", "memory", "node ports", "fabric", "protocol", "clients", "class", "quota", "metadata", "quote"
]


NEVER = 10**9
"""In `Delivered.counts`: no number of nodes meets the constraint, because one node gives nothing of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How data is protected: k data and m parity units, or replicas, over failure domains."""

    kind: Literal["erasure-code", "replicas", "none"]
    data_units: int = 1
    parity_units: int = 0
    replicas: int = 1
    hot_spares: int = 0
    failure_domain: Literal["node", "rack", "drive"] = "node"

    @property
    def width(self) -> int:
        """Failure domains that one stripe touches."""
        return self.replicas if self.kind == "replicas" else self.data_units + self.parity_units

    @property
    def tolerated(self) -> int:
        """Failure domains that may be lost at once without losing data."""
        return self.replicas - 1 if self.kind == "replicas" else self.parity_units

    @property
    def efficiency(self) -> float:
        """Share of the raw bytes that data gets: k / (k + m), or 1 / replicas."""
        return 1 / self.replicas if self.kind == "replicas" else self.data_units / self.width

    def __str__(self) -> str:
        words = {"replicas": f"{self.replicas} replicas", "none": "no protection"}
        return words.get(self.kind, f"{self.data_units}+{self.parity_units}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TierConfig:
    """
    A tier's choices: all that a person could pin, nothing that is computed.

    `nodes` counts storage nodes (GPU nodes, for the local tier); `options` are the product's own words.
    """

    tier: Tier
    backend: str
    nodes: int
    node: StorageNode
    layout: Layout
    racks: int = 1
    quote: Quote | None = None
    measured: Measured | None = None
    options: Mapping[str, OptionValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One step from raw to usable: ``parity 5/7`` leaves this share of what came in."""

    name: str
    fraction: float
    basis: str  # measured | vendor | derived | assumed | layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What a tier gives in one state. `..._high` where published figures disagree; the low end is what counts."""

    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate
    read_limited_by: LimitedBy
    write_limited_by: LimitedBy
    op_rate_limited_by: LimitedBy = "metadata"
    read_high: Bandwidth | None = None
    write_high: Bandwidth | None = None
    op_rate_high: OpRate | None = None
    client: Bandwidth | None = None  # what one GPU node gets at most, where that is known
    client_limited_by: LimitedBy = "clients"


@dataclass(frozen=True, slots=True, kw_only=True)
class Degraded:
    """What is left after a loss."""

    nodes: int = 0
    racks: int = 0
    read: Bandwidth
    write: Bandwidth
    data_lost: bool
    op_rate: OpRate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """How a product keeps data through losses, as far as it is not in its layout: what survival is computed from."""

    tolerated: int
    """Failure domains that may be lost at once without losing data."""
    serving: int
    """Failure domains that may be lost while reads and writes go on."""
    drives_tolerated: int
    """Drives that may be lost at once, wherever they are."""
    domains: int
    """Failure domains that there are."""
    domains_needed: int
    """Failure domains with which a stripe keeps its full tolerance."""
    width: int
    """Drives that hold one stripe, or one set of copies."""
    pool: int
    """Drives over which stripes are spread: all, those of one recovery group, or those of one RAID group."""
    groups: int | None = None
    """Sets of drives that share stripes, within a pool; None: any set may."""
    read_units: float = 1.0
    """Units read to make one anew: k of a code, 1 of copies."""
    repair: Literal["declustered", "spare", "replacement"] = "declustered"
    """Onto all drives that are left, onto one spare drive, or onto the drive that replaces the lost one."""
    spare: float = 0.0
    """The worth of so many nodes that is kept free."""
    spare_drives: float = 0.0
    """The same in drives of one pool."""
    keeps_on_loss: bool = False
    """A lost node takes no data with it: its partner reaches the same drives, or holds a mirror."""
    copies: int = 1
    """Whole copies above the code: 2 where two nodes mirror each other."""
    rack_bound: str = ""
    """Why no count of nodes survives the loss of a rack, where that is so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Illegal:
    """
    Something that the product forbids about a configuration, or that somebody would regret.

    `policy` is the rule that reports it: ``hot-layout``, ``hot-node``, ``advice-narrow-layout``, …
    """

    policy: str
    message: str
    remedy: str
    required: float | None = None
    planned: float | None = None
    unit: str = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudSize:
    """
    What a managed service is asked for, in its own unit and words.

    `counts` of the `Delivered` are then sizes in `unit`, not nodes.
    """

    service: str
    unit: str  # GiB, TiB, GB, MB/s: what the service counts in
    size: float
    class_name: str = ""
    legal: bool = True
    next_legal: float | None = None  # the smallest legal size above
    previous_legal: float | None = None  # the largest legal size below
    growth_ceiling: float | None = None  # the largest size it can ever grow to in place
    changes_in_place: tuple[str, ...] = ()
    replaces_on_change: tuple[str, ...] = ()
    beyond_quota: tuple[str, ...] = ()  # default quotas that the plan exceeds: to be raised, no refusal

    def __str__(self) -> str:
        name = f"{self.service} {self.class_name}".rstrip()
        return f"{name}, {self.size:,.10g} {self.unit}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BillItem:
    """
    Something that a tier is made of and that has a price.

    `items` are the names under which a price list may know it, the most special first: ``node.weka``, ``node.storage``.
    `per` says what is counted (``node``, ``TB``, ``TB-year``, ``GB-month``, ``kWh``, …): bought where it names no time.
    """

    items: tuple[str, ...]
    quantity: float
    per: str


BESIDE = {"mds_servers": "metadata servers", "meta_servers": "metadata servers", "fdb_nodes": "FoundationDB nodes"}
"""Of a product's own counts those that are machines beside the storage nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What a configuration gives. Always whole, also for an illegal one: then `illegal` says why."""

    counts: Mapping[str, int]
    """Constraint (capacity, read, write, metadata, phases, minimum, failure_domain, degraded) -> nodes it asks for."""
    raw: Size
    usable: Size
    """After code, spares, reserves and formatting that the product enforces; before planned fill."""
    planned_fill_fraction: float
    """The lesser of the stack's max_fill and the product's own full limit."""
    waterfall: tuple[Factor, ...]
    healthy: Rates
    degraded: tuple[Degraded, ...]
    illegal: tuple[Illegal, ...] = ()
    cannot_change_later: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    """Each fact relied on that is not measured: ``weka reserve_fraction 0.1 (vendor: …)``."""
    notes: tuple[str, ...] = ()
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the product runs besides drives, in its own words: drive_cores, gateways, placement_groups, …"""
    cloud: CloudSize | None = None
    """Of a managed service; None for storage nodes."""
    classes: tuple[StorageClass, ...] = ()
    """Of an object store: its storage classes, from warm to cold."""
    bill: tuple[BillItem, ...] = ()
    """What a managed service is paid for; of storage nodes it follows from the choices."""
    protection: Protection | None = None
    """How data is kept through losses; None where that is the service's own affair, or nobody's."""

    @property
    def bound_by(self) -> str:
        """The constraint that asks for the most nodes; of equals the first."""
        return max(self.counts, key=lambda name: self.counts[name])

    @property
    def beside(self) -> int:
        """Machines beside the storage nodes, which the node count leaves out."""
        return sum(int(count) for name, count in self.parts.items() if name in BESIDE)

    @property
    def planned(self) -> Size:
        """What may be stored: usable at planned fill."""
        return self.usable * self.planned_fill_fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class TierPlan:
    """One tier of a plan: what was asked, what was chosen, what it gives."""

    need: TierNeed
    config: TierConfig
    delivered: Delivered
    suits: Mapping[str, object] = field(default_factory=dict)
    """What the catalogue says of whom the product suits: people, size, whether its code must be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A backend that was not chosen, with the figures that say why."""

    backend: str
    tier: Tier
    reason: str
    figures: Mapping[str, float] = field(default_factory=dict)
    wins_if: str = ""  # what would have to be true for it to be chosen


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A configuration that would do, and what speaks for it."""

    backend: str
    tier: Tier
    nodes: int
    layout: str
    raw: Size
    read: Bandwidth
    write: Bandwidth
    bound_by: str
    nodes_beside: int = 0  # metadata servers and the like
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    chosen: bool = False
    wins_if: str = ""  # of one that passes and is not chosen
    monthly: float | None = None  # in the currency of the price list, where every price is known
