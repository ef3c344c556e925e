"""One figure back to its leaves: formula, inputs, where each comes from."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from tierplan.cli.texts import wrapped
from tierplan.domain.figures import Figure, Value
from tierplan.domain.plan import Plan
from tierplan.errors import InputError
from tierplan.fabric.figures import figures as fabric_figures
from tierplan.load import catalogue
from tierplan.units import QUANTITIES, Quantity


def figure_ids(plan: Plan) -> list[str]:
    """Every figure of a plan with its value, one a line."""
    figures = _figures(plan)
    width = max(map(len, figures))
    return [f"{name:{width}}  {shown(figure.value, name)}" for name, figure in figures.items()]


def explanation(plan: Plan, figure_id: str) -> list[str]:
    """
    The tree of a figure.

    Raises:   InputError with the nearest ids if there is no such figure
    """
    figures = _figures(plan)
    if figure_id not in figures:
        near = [name for name in figures if figure_id in name][:5] or difflib.get_close_matches(figure_id, figures, n=3)
        hint = f"did you mean {', '.join(near)}?" if near else f"tierplan explain {plan.stack.name} lists all"
        message = f"{figure_id}: no such figure; {hint}"
        raise InputError(message)
    return list(_tree(plan, figures, figure_id, depth=0, seen=set()))


def shown(value: Value, name: str = "") -> str:
    """A value for people; a bare number in the unit that its figure's name ends in."""
    if isinstance(value, Quantity):
        return value.show(digits=4)
    if isinstance(value, str | bool):
        return str(value)
    for kind in QUANTITIES:
        if name.endswith(f"_{kind.SUFFIX}") and not name.endswith("_per_s"):
            return kind(value).show(digits=4)
    return f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e15 else f"{value:,.5g}"


def _figures(plan: Plan) -> Mapping[str, Figure]:
    facts = catalogue().figures("fabric")
    carried = fabric_figures(plan.stack, plan.requirement, plan.tiers, plan.fabric, facts)
    return {**plan.requirement.figures, **plan.given, **carried}


def _tree(plan: Plan, figures: Mapping[str, Figure], name: str, *, depth: int, seen: set[str]) -> Iterator[str]:
    figure, indent = figures[name], "  " * depth
    if name in seen:
        yield f"{indent}  (shown above)"
        return
    seen.add(name)
    if depth == 0:
        yield f"{name} = {shown(figure.value, name)}"
    for label, text in (("formula", figure.formula), ("assumes", figure.assumes), ("source", figure.source)):
        if text:
            yield from wrapped(f"{indent}  {label}: {text}", indent=len(indent) + 4)
    for given in figure.inputs:
        yield f"{indent}  - {given.name} = {shown(given.value, given.origin)}   {_origin(plan, given.origin)}"
        word, _, rest = given.origin.partition(" ")
        if word == "figure" and rest in figures:
            yield from _tree(plan, figures, rest, depth=depth + 2, seen=seen)


def _origin(plan: Plan, origin: str) -> str:
    """Where a value comes from, with the line of the stack file where there is one."""
    word, _, path = origin.partition(" ")
    line = plan.stack.lines.get(path)
    return f"stack {path}, line {line}" if word == "stack" and line else origin
