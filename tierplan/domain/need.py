"""What the workloads ask of the tiers: loads, phases and the requirement of each tier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from tierplan.domain.figures import Figure
from tierplan.domain.stack import Survive, Transport
from tierplan.units import Bandwidth, OpRate, Size

Tier: TypeAlias = Literal["local", "hot", "cold"]
TIERS: tuple[Tier, ...] = ("local", "hot", "cold")


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """
    What one workload asks of one tier, before headroom.

    Continuous loads run all the time and add up.  Of the bursts the largest counts, unless they coincide;
    while a burst runs, the loads named in `pauses` stand still.
    """

    id: str  # <workload>.<load>: "pretrain-70b.checkpoint"
    tier: Tier
    when: Literal["continuous", "burst"]
    phase: str = ""  # of a burst: checkpoint, restore, model_load, kv_reload, preload
    read: Bandwidth = field(default_factory=Bandwidth.zero)
    write: Bandwidth = field(default_factory=Bandwidth.zero)
    op_rate: OpRate = field(default_factory=OpRate.zero)
    node_read: Bandwidth = field(default_factory=Bandwidth.zero)  # what the busiest GPU node takes of it
    node_write: Bandwidth = field(default_factory=Bandwidth.zero)
    pauses: tuple[str, ...] = ()
    pauses_share: float = 1.0  # of those loads: one of four jobs pauses a quarter
    coincides: bool = False
    nodes: int | None = None  # of the local tier: GPU nodes that carry it; None: all of them
    because: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """Everything that a tier carries at one time, after headroom."""

    name: str
    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """Who reads and writes: the GPU nodes, and what one of them can take through its storage ports."""

    gpu_nodes: int
    ports: int
    port_rate: Bandwidth
    transport: Transport
    cpu_cores: int
    node_read: Bandwidth = field(default_factory=Bandwidth.zero)  # the busiest node's need, after headroom
    node_write: Bandwidth = field(default_factory=Bandwidth.zero)

    @property
    def network(self) -> Bandwidth:
        """All storage ports of one GPU node, one direction."""
        return self.port_rate * self.ports


@dataclass(frozen=True, slots=True, kw_only=True)
class TierNeed:
    """
    What one tier must carry.

    Rates and phases are after headroom; capacity is bytes stored in the last year of the horizon, before
    planned fill.  `degraded_read` and `degraded_write` are what must still be there after the losses of
    `survive`: a share of the rates before headroom.
    """

    tier: Tier
    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate
    capacity: Size
    phases: tuple[Phase, ...]
    capacity_by_year: tuple[Size, ...] = ()
    files: float = 0.0
    degraded_read: Bandwidth = field(default_factory=Bandwidth.zero)
    degraded_write: Bandwidth = field(default_factory=Bandwidth.zero)
    max_fill: float = 0.8
    survive: Survive = field(default_factory=Survive)
    racks: int = 1
    clients: Clients
    irreplaceable: tuple[str, ...] = ()  # what this tier holds that exists nowhere else: load ids
    written_per_day: Size = field(default_factory=Size.zero)
    annual_loss_probability: float | None = None  # at most, where the stack sets it
    because: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTarget:
    """Something that must be done within a time: restore, model load, KV reload. Takes no headroom."""

    policy: str
    figure: str  # id of the outcome figure that is compared: "pretrain-70b.restore.duration_s"
    within_s: float
    volume: Size
    tier: Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Something that the demand side noticed: a rule that fires without any tier being known."""

    policy: str
    level: Literal["advisory", "mandatory"]
    message: str
    remedy: str = ""
    required: float | None = None
    planned: float | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """Everything that the workloads ask, with the trail of every figure."""

    figures: Mapping[str, Figure]
    loads: tuple[Load, ...]
    needs: Mapping[Tier, TierNeed]
    time_targets: tuple[TimeTarget, ...] = ()
    advice: tuple[Advice, ...] = ()
