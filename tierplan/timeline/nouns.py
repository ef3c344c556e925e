"""What a timeline is made of: jobs, a tier and its losses, and what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Doing: TypeAlias = Literal["compute", "stall", "restart", "restore", "healthy", "degraded", "down"]
"""What a job, or the tier, does in a stretch of time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """
    One training job: times in seconds, volumes in bytes.

    `write` and `read` are what it gets alone on a whole tier; `feed` is what its training reads of the tier.
    """

    name: str
    gpus: int
    compute: float
    checkpoint: float
    write: float
    asynchronous: bool = False
    blocking: float = 0.0
    restart: float
    restore: float
    read: float
    mean_time_to_interrupt: float
    feed: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something of the tier that breaks: how often, for how long, and what is left of reads and writes then."""

    name: str
    count: int
    per_s: float
    lasts: float
    read_share: float
    write_share: float
    bears: int
    """How many of them may be out at once while the tier serves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Jobs on one tier."""

    jobs: tuple[Job, ...]
    read: float
    write: float
    parts: tuple[Part, ...] = ()

    @property
    def quiet(self) -> bool:
        """Nothing but a job's own interruptions ever changes its pace."""
        return len(self.jobs) < 2 and not self.parts and not any(job.asynchronous for job in self.jobs)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time in which one row of the picture does one thing."""

    row: str
    doing: Doing
    begin: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """An estimate with the interval that holds the true value with the stated confidence."""

    value: float
    low: float
    high: float
    confidence: float
    cycles: int

    def holds(self, value: float) -> bool:
        """Whether the interval contains a value."""
        return self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """What one job got done."""

    name: str
    goodput: Interval | None
    """None where it was interrupted too rarely for an interval."""
    useful_fraction: float
    shares: Mapping[str, float]
    """Doing -> share of the time."""
    interrupts: int
    saves: int
    longest_stall: float
    mean_stall: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a run showed."""

    seed: int
    days: float
    jobs: tuple[JobRun, ...]
    degraded_fraction: float
    down_fraction: float
    collided_fraction: float
    """Share of the time in which more than one job wrote or read a checkpoint at once."""
    stretches: tuple[Stretch, ...] = field(default=(), repr=False)
