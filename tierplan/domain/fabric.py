"""The fabric between drives and GPUs: what it carries, and where it is cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from tierplan.domain.need import Tier
from tierplan.domain.stack import Transport
from tierplan.units import Bandwidth

Direction: TypeAlias = Literal["read", "write"]
Serves: TypeAlias = Literal["storage", "gpu", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafGroup:
    """
    Identical leaf switches.

    `rails` is over how many leafs the ports of one node are spread; `node_ports` are used on the fullest leaf,
    `uplinks` lead from each leaf to the spines.
    """

    serves: Serves
    nodes: int
    leafs: int
    rails: int
    node_ports: int
    uplinks: int
    rate: Bandwidth
    oversubscription: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """
    One stretch of the path between drives and client processes, all of it, in bytes that clients read or write.

    `units` is how many things of it there are; `unit` names one: ``uplink of each storage leaf``.
    """

    name: str
    unit: str
    units: int
    read: Bandwidth
    write: Bandwidth


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """Where the path is narrowest in one direction, and what one more unit of it would bring."""

    direction: Direction
    segment: str
    carries: Bandwidth
    one_more: str
    gains: Bandwidth
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPath:
    """The path between one tier's drives and the GPU nodes."""

    tier: Tier
    segments: tuple[Segment, ...]
    read: Cut
    write: Cut

    def cut(self, direction: Direction) -> Cut:
        """The narrowest stretch of one direction."""
        return self.read if direction == "read" else self.write


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPhase:
    """
    The busiest link of one phase: what it must carry, what it carries, in one direction.

    Links are full duplex: each direction is counted for itself, and holds reads, writes, what storage nodes send one
    another, drain and rebuild together.
    """

    name: str
    rebuilds: Tier | None = None
    """The tier that writes again what lost nodes held, where one does."""
    link: str
    required: Bandwidth
    carried: Bandwidth

    @property
    def load_fraction(self) -> float:
        """The share of the link that the phase takes."""
        if not self.required:
            return 0.0
        return self.required / self.carried if self.carried else float("inf")


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPlan:
    """Ports, switches and the min cut of the path from the drives to the GPUs."""

    known: bool
    """False at a cloud, whose switches nobody outside knows: only its published ceilings are judged."""
    transport: Transport
    levels: int = 0
    leaf_ports: int = 0
    spine_ports: int = 0
    rail_optimised: bool = False
    shared_with_compute: bool = False
    storage_share: float = 1.0
    """Of each GPU node's ports, what storage is planned to get."""
    gpu_nodes: int = 0
    leafs: tuple[LeafGroup, ...] = ()
    spines: int = 0
    cores: int = 0
    node_ports: int = 0
    cables: int = 0
    client: Bandwidth | None = None
    """What the ports of one GPU node carry in one direction."""
    busy_client: Bandwidth | None = None
    """What one GPU node gets while all others on its leaf are as busy: no more than its ports, and less beyond 1:1."""
    paths: tuple[FabricPath, ...] = ()
    phases: tuple[FabricPhase, ...] = ()
    faults: tuple[str, ...] = ()
    """Why no fabric can be built under the stack's pins."""
    unknown: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def switches(self) -> int:
        """Leafs, spines and cores together."""
        return sum(group.leafs for group in self.leafs) + self.spines + self.cores

    def path(self, tier: Tier) -> FabricPath | None:
        """The path of one tier, where there is one."""
        return next((path for path in self.paths if path.tier == tier), None)
