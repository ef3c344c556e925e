"""Every single value of a plan by its path, and those that differ between two plans."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

from tierplan.codec import encode
from tierplan.domain.plan import Finding, Plan
from tierplan.plan.document import plan_document
from tierplan.plan.rule import TOLERANCE

Scalar: TypeAlias = str | int | float | bool | None
Side: TypeAlias = tuple[Plan, tuple[Finding, ...]]

ELSEWHERE = ("schema", "tierplan", "stack", "verdict", "findings", "candidates", "rejections", "assumptions")
"""Parts of the plan document that are compared in their own way, or that only say what was not chosen."""
TRAIL = ("formula", "assumes", "source", "inputs", "because", "notes", "illegal", "waterfall")
"""Why a figure is what it is: changes with the figure, and is explained elsewhere."""
NAMED_BY = ("name", "item", "id", "loses", "lost", "of", "serves", "tier", "backend")
"""Keys that tell the items of a list apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value that differs; None where there is none on that side."""

    path: str
    before: Scalar
    after: Scalar


def changes(old: Side, new: Side) -> tuple[Change, ...]:
    """Every value that differs, in the order of the plan; values that are only on one side have None on the other."""
    before, after = leaves(*old), leaves(*new)
    paths = [*before, *(path for path in after if path not in before)]
    return tuple(
        Change(path=path, before=before.get(path), after=after.get(path))
        for path in paths
        if _differ(before.get(path), after.get(path))
    )


def _differ(one: Scalar, other: Scalar) -> bool:
    """Whether two values differ by more than float noise."""
    if isinstance(one, int | float) and isinstance(other, int | float) and bool not in (type(one), type(other)):
        return not math.isclose(one, other, rel_tol=TOLERANCE)
    return one != other


def leaves(plan: Plan, findings: tuple[Finding, ...]) -> dict[str, Scalar]:
    """Path -> value of everything that the plan says, and of the settled stack that says it."""
    document = plan_document(plan, findings)
    asked: dict[str, object] = encode(plan.stack, "form")
    asked.pop("name", None)
    found = {path: value for path, value in _walk("stack", asked) if not _is_a_choice_of(path, plan)}
    for key, value in document.items():
        if key not in ELSEWHERE:
            found.update(_walk(key, value))
    return found


def _is_a_choice_of(path: str, plan: Plan) -> bool:
    """Whether the tier says it too, with what it means: ``stack.tiers.hot.nodes`` is ``tiers.hot.node_count``."""
    return any(
        path.startswith(f"stack.tiers.{tier}.") and not path.startswith(f"stack.tiers.{tier}.quote")
        for tier in ("hot", "cold")
        if tier in plan.tiers
    )


def _walk(path: str, value: object) -> Iterator[tuple[str, Scalar]]:
    if isinstance(value, Mapping):
        if "formula" in value and "value" in value:  # a figure with its trail
            yield path, cast("Scalar", value["value"])
            return
        for key, item in value.items():
            if key not in TRAIL:
                yield from _walk(f"{path}.{key}", item)
    elif isinstance(value, list | tuple):
        yield from _walk_list(path, value)
    else:
        yield path, cast("Scalar", value)


def _walk_list(path: str, items: list[object] | tuple[object, ...]) -> Iterator[tuple[str, Scalar]]:
    if all(not isinstance(item, Mapping | list | tuple) for item in items):
        if items:
            yield path, "; ".join(str(item) for item in items)
        return
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        name = _name_of(item) or str(index)
        seen[name] = seen.get(name, 0) + 1
        label = name if seen[name] == 1 else f"{name} ({seen[name]})"
        yield from _walk(f"{path}[{label}]", item)


def _name_of(item: object) -> str:
    """What tells an item apart from its neighbours: its name, or the losses that a state is after."""
    if not isinstance(item, Mapping):
        return ""
    for key in NAMED_BY:
        value = item.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            return " ".join(f"{count} {word}" for word, count in value.items()) or "nothing"
    return ""
