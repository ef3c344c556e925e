"""Where the loads of one workload are worked out: its values with their origins, its figures, what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from tierplan.domain.figures import Known, Ledger, Value
from tierplan.domain.need import Load, Tier, TimeTarget
from tierplan.domain.stack import LocalUse, Stack
from tierplan.units import Size

V = TypeVar("V", bound=Value)
R = TypeVar("R", bound=Value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """Something of one workload that lies on a tier, all of it."""

    kind: Literal["dataset", "checkpoint", "weights", "kv_cache"]
    tier: Tier
    workload: str
    size: Known[Size]
    files: Known[int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What one workload asks for, or several together."""

    loads: tuple[Load, ...] = ()
    stored: tuple[Stored, ...] = ()
    on_node: Mapping[str, Known[Size]] = field(default_factory=dict)
    """What lies on the local drives of the busiest GPU node: load id -> size."""
    targets: tuple[TimeTarget, ...] = ()
    irreplaceable: tuple[str, ...] = ()
    written: Mapping[Tier, Size] = field(default_factory=dict)
    """Written per day; for the local tier: on the busiest GPU node."""
    because: Mapping[Tier, tuple[str, ...]] = field(default_factory=dict)


def together(*asked: Asked) -> Asked:
    """Everything that several ask for."""
    written: dict[Tier, Size] = {}
    because: dict[Tier, tuple[str, ...]] = {}
    for one in asked:
        for tier, size in one.written.items():
            written[tier] = written.get(tier, Size.zero()) + size
        for tier, lines in one.because.items():
            because[tier] = (*because.get(tier, ()), *lines)
    return Asked(
        loads=tuple(load for one in asked for load in one.loads),
        stored=tuple(stored for one in asked for stored in one.stored),
        on_node={load_id: size for one in asked for load_id, size in one.on_node.items()},
        targets=tuple(target for one in asked for target in one.targets),
        irreplaceable=tuple(load_id for one in asked for load_id in one.irreplaceable),
        written=written,
        because=because,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One workload in one year; `suffix` ends the ids of a later year's figures."""

    stack: Stack
    ledger: Ledger
    path: str
    name: str
    suffix: str = ""

    def given(self, value: V, key: str) -> Known[V]:
        """A value of the workload, by its key."""
        return Known(value, self.stack.origin(f"{self.path}.{key}"))

    def of_stack(self, value: V, path: str) -> Known[V]:
        """A value of the stack, by its key path."""
        return Known(value, self.stack.origin(path))

    def figure(self, quantity: str, formula: Callable[..., R], /, **inputs: Known[Value]) -> Known[R]:
        """Work out one figure of the workload and write it down."""
        return self.ledger.figure(f"{self.name}.{quantity}{self.suffix}", formula, **inputs)

    @property
    def shared(self) -> Tier:
        """The tier that all GPU nodes share: the hot one, or the cold one where the stack has no hot tier."""
        return shared_tier(self.stack)

    def permits(self, use: LocalUse) -> bool:
        """Whether the stack lets the local drives be used for this."""
        return use in self.stack.tiers.local.use

    @property
    def local_instead(self) -> bool:
        """Whether loads of the hot tier go to the local drives where these may be used: there is no hot tier."""
        return self.stack.tiers.hot.backend == "none"


def shared_tier(stack: Stack) -> Tier:
    """The tier that all GPU nodes share: the hot one, or the cold one where the stack has no hot tier."""
    return "cold" if stack.tiers.hot.backend == "none" else "hot"
