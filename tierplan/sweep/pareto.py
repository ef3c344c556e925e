"""The front: points that no other point beats on every objective."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tierplan.sweep.measures import Objective
from tierplan.sweep.points import Point


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """The front in the order of the first objective; of each other point that passes the one that beats it."""

    points: tuple[Point, ...]
    beaten_by: Mapping[int, int] = field(default_factory=dict)


def pareto(points: Sequence[Point], objectives: Sequence[Objective]) -> Front:
    """
    The points that pass and that no other one beats: at least as good everywhere, better somewhere.

    A measure that is not a number (a missing price) counts as the worst there is.  Of equal points all stay.
    Sorted by the first objective, each point is held against the front so far: that suffices, since no later point
    can beat an earlier one that has the better first value.
    """
    values = [(tuple(_value(point, one) for one in objectives), point) for point in points if point.passes]
    values.sort(key=lambda pair: (pair[0], pair[1].index))
    front = list[tuple[tuple[float, ...], Point]]()
    beaten = dict[int, int]()
    for value, point in values:
        by = next((other.index for best, other in front if _beats(best, value)), None)
        if by is None:
            front.append((value, point))
        else:
            beaten[point.index] = by
    return Front(points=tuple(point for _, point in front), beaten_by=beaten)


def _value(point: Point, objective: Objective) -> float:
    """The measure so that less is better."""
    value = point.measures[objective.name]
    if math.isnan(value):
        return math.inf
    return -value if objective.more else value


def _beats(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
