"""What a running system says of itself, in the words of the stack form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from tierplan.domain.need import Tier

Value: TypeAlias = "int | float | str | bool | list[Value] | dict[str, Value]"
Pins: TypeAlias = Mapping[str, Value]
"""Key path below the tier (``node.drive.size``) -> value as the stack form writes it."""

NODE_WORDS = (
    "node.drives",
    "node.drive.size",
    "node.drive.read",
    "node.drive.write",
    "node.ports",
    "node.port_rate",
    "node.cores",
    "node.memory",
)
HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One thing that fills up by itself: an OST, an OSD, a pool."""

    name: str
    size: float
    used: float

    @property
    def fraction(self) -> float:
        """The share that is used."""
        return self.used / self.size if self.size else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What one file says of one system."""

    product: str
    """What files of one system have in common: ``Lustre``, ``Ceph``."""
    tool: str
    file: str
    backends: Mapping[Tier, str]
    """Tier -> catalogue id: what the product may be in a stack."""
    name: str = ""
    """The system's own name, where the file says it."""
    pins: Pins = field(default_factory=dict)
    by_tier: Mapping[Tier, Pins] = field(default_factory=dict)
    """Pins that depend on the tier that is meant."""
    weak: frozenset[str] = frozenset()
    """Pins that give way to what another file says."""
    drives: int | None = None
    """Drives of the whole system."""
    nodes: frozenset[str] = frozenset()
    """Names of its storage nodes."""
    members: frozenset[str] = frozenset()
    """Names of all that it is made of: what two files name differently is no whole."""
    targets: tuple[Target, ...] = ()
    usable: float | None = None
    """Bytes that can be stored, protection taken off."""
    unknown: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    site: Mapping[str, str] = field(default_factory=dict)
    """Of a cloud's service: its kind of site, its region, its network."""
    whole: bool = False
    """Nothing is left open: a managed service, or a deployed plan."""
    complete: bool = False
    """It holds every choice of the tier: what it does not name is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """All that the files say of one system, and the tier that it is."""

    product: str
    tier: Tier
    backend: str
    pins: Pins
    files: tuple[str, ...]
    unknown: tuple[str, ...]
    about: tuple[str, ...]
    targets: tuple[Target, ...]
    usable: float | None
    site: Mapping[str, str]
    whole: bool
    complete: bool

    @property
    def fullest(self) -> Target | None:
        """The target that fills up first: it decides, not the mean."""
        return max(self.targets, key=lambda one: one.fraction, default=None)

    @property
    def mean(self) -> float:
        """The share that is used of all."""
        size = sum(one.size for one in self.targets)
        return sum(one.used for one in self.targets) / size if size else 0.0

    @property
    def reach(self) -> float:
        """
        The share of its capacity that a system can take, filled as unevenly as it is now.

        Formula:  mean / fullest
        Assumes:  what comes is spread like what is there; below half full, unevenness is only young
        """
        full = self.fullest.fraction if self.fullest else 0.0
        return self.mean / full if full >= HALF else 1.0
