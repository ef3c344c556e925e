"""`tierplan optimum`: interval, mode, first landing and write bandwidth chosen together."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from tierplan import load
from tierplan.cli import files, texts
from tierplan.cli.curve import curve
from tierplan.sweep.optimum import Choice, Optimum, best_of_mode, optimum
from tierplan.sweep.points import Point
from tierplan.units import Bandwidth

REFUSED = 1


@click.command("optimum")
@click.argument("stack")
@click.option("--job", help="The training job; the first one unless said.")
@click.option("--svg", type=click.Path(path_type=Path), help="Draw the curve into this file.")
@click.option("--json", "as_json", is_flag=True, help="Every point as JSON.")
def command(*, stack: str, job: str | None, svg: Path | None, as_json: bool) -> None:
    """
    Which checkpoint interval, mode and bandwidth waste least, planned together.

    With every price known the least money a month for storage and lost GPU hours; else the most useful work for each
    machine.  Choices of the hot tier that the stack pins stay pinned.
    """
    files.ready(svg, "--svg")
    found = optimum(load.read_form(stack), job)
    if svg is not None:
        files.write(svg, curve(found), "--svg")
    if as_json:
        click.echo(json.dumps(_document(found), indent=1, allow_nan=False))
    else:
        texts.show(_lines(found))
    sys.exit(REFUSED if found.best is None else 0)


def _lines(found: Optimum) -> Iterator[str]:
    ways = f"{found.work}: {len(found.points)} ways to save its checkpoints"
    what = "least money a month, lost GPU hours included" if found.by_money else "most useful work for each machine"
    yield f"{ways}; none of them passes" if found.best is None else f"{ways}; best is {what}"
    rows: list[tuple[str, ...]] = [
        ("", "mode", "lands", "period", "hot write", "hot tier", "goodput", "machines", "a month", "verdict")
    ]
    rows += [_row(choice, point, best=point.index == found.best) for choice, point in found.points]
    yield from texts.table(rows)
    yield from texts.wrapped(_async_words(found), indent=2)


def _row(choice: Choice, point: Point, *, best: bool) -> tuple[str, ...]:
    measures = point.measures
    return (
        "*" if best else "",
        choice.mode,
        choice.first_landing,
        choice.interval.show(),
        Bandwidth(measures["hot_write_bytes_per_s"]).show() if _known(measures, "hot_write_bytes_per_s") else "-",
        point.choices.get("hot", "-"),
        f"{measures['goodput']:.2%}" if "goodput" in measures else "-",
        f"{measures['machines']:.0f}" if "machines" in measures else "-",
        f"{measures['total_monthly']:,.0f}" if _known(measures, "total_monthly") else "unknown",
        point.verdict if point.passes else _rules(point),
    )


def _known(measures: object, name: str) -> bool:
    return isinstance(measures, dict) and name in measures and not math.isnan(measures[name])


def _rules(point: Point) -> str:
    rules = dict.fromkeys(reason.partition(": ")[0] for reason in point.reasons)
    first, *rest = rules
    return f"{first} +{len(rest)}" if rest else first


def _async_words(found: Optimum) -> str:
    """What asking for asynchronous checkpoints is worth."""
    sync, background = best_of_mode(found, "sync"), best_of_mode(found, "async")
    if sync is None or background is None:
        missing = "synchronous" if sync is None else "asynchronous"
        return f"No {missing} way to save passes, so the two cannot be compared."
    one, other = sync[1].measures, background[1].measures
    machines = one["machines"] - other["machines"]
    words = (
        f"Asynchronous against the best synchronous: goodput {other['goodput']:.2%} against {one['goodput']:.2%}, "
        f"{abs(machines):.0f} machines {'fewer' if machines >= 0 else 'more'}"
    )
    if found.by_money:
        saved = one["total_monthly"] - other["total_monthly"]
        words += f", {abs(saved):,.0f} a month {'less' if saved >= 0 else 'more'}"
    return words + "."


def _compared_by(found: Optimum) -> str | None:
    """What the best is least in; nothing where nothing passes."""
    if found.best is None:
        return None
    return "total_monthly" if found.by_money else "goodput for each machine"


def _document(found: Optimum) -> dict[str, object]:
    return {
        "schema": "tierplan/optimum/1",
        "job": found.work,
        "compared_by": _compared_by(found),
        "best": found.best,
        "points": [
            {
                "index": point.index,
                "mode": choice.mode,
                "first_landing": choice.first_landing,
                "interval_s": choice.interval.s,
                "overhead_fraction": choice.overhead,
                "verdict": point.verdict,
                "reasons": list(point.reasons),
                "choices": dict(point.choices),
                "measures": {k: None if math.isnan(v) else v for k, v in point.measures.items()},
            }
            for choice, point in found.points
        ],
    }
