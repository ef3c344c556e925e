"""`tierplan verify --config`: what was planned beside what systems report."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import click

from tierplan import existing
from tierplan.cli import texts
from tierplan.domain.need import Tier
from tierplan.domain.plan import Plan


def show_drift(plan: Plan, files: Sequence[Path], *, tier: str | None, names: Sequence[str], as_json: bool) -> bool:
    """Show each difference on a line; whether there is one."""
    chosen = {key: made.config.backend for key, made in plan.tiers.items()}
    found = existing.read(files)
    systems = existing.systems(found, tier=cast("Tier | None", tier), names=names, planned=chosen)
    made = existing.compared(plan, systems)
    if as_json:
        click.echo(json.dumps(_document(plan, made, systems), indent=1, allow_nan=False))
    else:
        texts.show(_lines(plan, made, systems))
    return bool(made.differences)


def _where(plan: Plan, path: str) -> str:
    """The key, with the line of the stack file that pins it."""
    line = plan.stack.lines.get(path)
    return path if line is None else f"line {line}: {path}"


def _lines(plan: Plan, made: existing.Comparison, systems: Sequence[existing.System]) -> Iterator[str]:
    differ = len(made.differences)
    yield f"{plan.stack.name}: {made.compared} choices compared, {differ} {'differs' if differ == 1 else 'differ'}"
    for one in made.differences:
        planned = "not set" if one.planned is None else one.planned
        reported = "nothing" if one.reported is None else one.reported
        yield f"{_where(plan, one.where)}: planned {planned}, reported {reported} ({', '.join(one.files)})"
    for line in made.beside:
        yield f"- left open by the plan: {line}"
    for system in systems:
        if system.fullest is not None:
            yield from texts.wrapped(f"- {system.tier}: {existing.fullest_words(system)}", indent=4)
        tier = plan.tiers.get(system.tier)
        reach = existing.reach_words(system, tier) if tier and tier.config.backend == system.backend else ""
        if reach:
            yield from texts.wrapped(f"- {system.tier}: {reach}", indent=4)
        for line in system.unknown:
            yield from texts.wrapped(f"- not compared: {line}", indent=4)


def _document(plan: Plan, made: existing.Comparison, systems: Sequence[existing.System]) -> dict[str, object]:
    return {
        "schema": "tierplan/drift/1",
        "stack": plan.stack.name,
        "compared": made.compared,
        "differences": [
            {
                "where": one.where,
                "line": plan.stack.lines.get(one.where),
                "planned": one.planned,
                "reported": one.reported,
                "files": list(one.files),
            }
            for one in made.differences
        ],
        "left_open": list(made.beside),
        "systems": [
            {
                "tier": one.tier,
                "backend": one.backend,
                "files": list(one.files),
                "fullest": None if one.fullest is None else one.fullest.name,
                "fullest_fraction": None if one.fullest is None else one.fullest.fraction,
                "mean_fraction": one.mean if one.targets else None,
                "reach_fraction": one.reach,
            }
            for one in systems
        ],
    }
