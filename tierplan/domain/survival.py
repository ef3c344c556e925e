"""What is left of a tier after a loss, how it is rebuilt, and how likely data is lost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tierplan.domain.figures import Figure
from tierplan.units import Bandwidth, Duration, OpRate, Size

Lost: TypeAlias = Literal["drive", "port", "leaf", "node", "rack", "survive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriveFailures:
    """One kind of drive: how often it fails, and how often a bit cannot be read."""

    annual_failures: float
    errors_per_bit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outages:
    """How often a node or a rack is down, for how long, and how often what is in it never comes back."""

    per_year: float
    duration: Duration
    annual_loss: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairTimes:
    """What a rebuild waits for, and the share of drives and ports that it gets."""

    detection: Duration
    share_under_load: float
    share_when_idle: float
    drive_supply: Duration
    node_supply: Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """How often things break: the facts that survival and durability are computed from."""

    media: Mapping[str, DriveFailures]
    node: Outages
    rack: Outages
    repair: RepairTimes
    assumptions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Row -> what nobody measured of it, as lines for the plan."""

    def relied_on(self, media: Iterable[str]) -> tuple[str, ...]:
        """The lines of drives of these kinds, of nodes, racks and repair."""
        kinds = dict.fromkeys(name if name in self.media else "nvme" for name in media)
        return tuple(line for name in (*kinds, "node", "rack", "repair") for line in self.assumptions.get(name, ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A tier with something lost: what it still gives, and whether data is gone or only out of reach."""

    lost: Lost
    nodes: int = 0
    racks: int = 0
    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate
    capacity: Size
    """What may be stored with full protection: usable bytes of what is left."""
    data_lost: bool
    serves: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuild:
    """Making anew what one drive or one node held."""

    of: Literal["drive", "node"]
    content: Size
    traffic: Size
    """Read and written over the network together."""
    idle: Duration
    """With nothing else to do."""
    loaded: Duration
    """While clients are served: the share of drives and ports that a rebuild gets then."""
    wait: Duration
    """Before it begins: the fault is noticed, and a replacement is there where one is needed."""
    clients_keep: float
    """Share of what the state gives that is left to clients while the rebuild takes `loaded`."""
    room: bool
    reason: str = ""

    @property
    def exposed(self) -> Duration:
        """How long redundancy is reduced."""
        return self.wait + self.loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """Daemons of which so many must be up: metadata servers, monitors, coordinators."""

    name: str
    members: int
    tolerated: int
    """Members that may be lost at once, at the worst."""
    in_a_rack: int
    """Members that the loss of one rack takes, with the members spread over the racks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """The chance of losing data within a year, by cause; an upper bound, never a promise."""

    drives: float
    unreadable: float
    nodes: float
    racks: float
    failures_per_s: float = 0.0
    """How often any drive fails."""

    @property
    def total(self) -> float:
        """All causes together."""
        return min(1.0, self.drives + self.unreadable + self.nodes + self.racks)

    @property
    def largest(self) -> tuple[str, str]:
        """The cause that counts most: its name here, and in words."""
        causes = (
            (self.drives, "drives", "several drives within one rebuild"),
            (self.unreadable, "unreadable", "an unreadable sector in the last rebuild"),
            (self.nodes, "nodes", "destroyed nodes"),
            (self.racks, "racks", "a destroyed rack"),
        )
        return max(causes)[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """A tier's degraded states, rebuild, quorums, durability and availability."""

    states: tuple[State, ...]
    rebuilds: tuple[Rebuild, ...]
    services: tuple[Service, ...]
    risk: Risk
    degraded_fraction: float
    """Share of the year in which something is lost or being rebuilt."""
    down_fraction: float
    """Share of the year in which the tier serves nobody."""
    fatal_beyond: float = 1.0
    """Of all losses of one node more than is borne, the share that loses data."""
    rack_bound: str = ""
    """Why no count of nodes survives the loss of a rack, where that is so."""
    figures: Mapping[str, Figure] = field(default_factory=dict)
    """Every figure with its trail: ``hot.survival.annual_loss_probability``."""

    def rebuild(self, of: Literal["drive", "node"]) -> Rebuild | None:
        """The rebuild of a drive or of a node, where there is such a thing."""
        return next((one for one in self.rebuilds if one.of == of), None)
