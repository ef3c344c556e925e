"""`tierplan sweep`: many plans of one stack, and the best ones."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import click

from tierplan import load, sweep
from tierplan.cli import files, texts
from tierplan.errors import InputError
from tierplan.sweep.pareto import Front

REFUSED = 1
MOST_POINTS = 5_000_000
MOST_SHOWN = 30
DEFAULT = ("machines", "goodput")


@click.command("sweep")
@click.argument("stack")
@click.option(
    "--vary", "varied", multiple=True, required=True, metavar="PATH=VALUES", help="A key path and its values."
)
@click.option("--objective", "wanted", multiple=True, metavar="[min:|max:]NAME", help="A measure or a figure's id.")
@click.option("--processes", type=click.IntRange(1), help="Processes to plan in; all cores unless said.")
@click.option("--scheduler", help="Plan on a Dask cluster at this address.")
@click.option("--journal", type=click.Path(path_type=Path), help="Keep finished points here; run again to go on.")
@click.option("--out", type=click.Path(path_type=Path), help="Write every point to a .csv, .json or .parquet file.")
@click.option("--json", "as_json", is_flag=True, help="Every point as JSON.")
def command(
    *,
    stack: str,
    varied: tuple[str, ...],
    wanted: tuple[str, ...],
    processes: int | None,
    scheduler: str | None,
    journal: Path | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """
    Plan every combination of the values and show those that nothing beats.

    Measures: machines, goodput, monthly, total_monthly, lost_gpu_hours, hot_nodes, hot_raw_bytes, … or any figure's id.
    """
    form, axes = load.read_form(stack), [sweep.axis(text) for text in varied]
    objectives = [sweep.objective(text) for text in wanted or DEFAULT]
    count = math.prod(len(axis.values) for axis in axes)
    if count > MOST_POINTS:
        message = f"--vary: {count:,} points are more than {MOST_POINTS:,}; vary less at once"
        raise InputError(message)
    sweep.check(form, axes)
    writer = None if out is None else _writer(out)
    names = tuple(dict.fromkeys([*(one.name for one in objectives), *DEFAULT, "lost_gpu_hours", "monthly"]))
    with _progress(count) as on_done:
        try:
            points = sweep.run(
                form,
                axes,
                names,
                processes=processes or os.cpu_count() or 1,
                scheduler=scheduler,
                journal=journal,
                on_done=on_done,
            )
        except KeyboardInterrupt:
            again = f"; the same command goes on from {journal}" if journal else "; --journal FILE keeps what is done"
            click.echo(f"interrupted{again}", err=True)
            sys.exit(130)
    front = sweep.pareto(points, objectives)
    if writer:
        writer(points, front)
    if as_json:
        click.echo(json.dumps(_document(form.name, points, front, objectives), indent=1, allow_nan=False))
    else:
        texts.show(_lines(form.name, points, front, objectives, axes))
    if all(point.verdict == "invalid" for point in points):
        raise InputError(points[0].reasons)
    sys.exit(0 if front.points else REFUSED)


def _lines(
    name: str,
    points: Sequence[sweep.Point],
    front: Front,
    objectives: Sequence[sweep.Objective],
    axes: Sequence[sweep.Axis],
) -> Iterator[str]:
    passed = sum(point.passes for point in points)
    refused = sum(point.verdict == "refused" for point in points)
    invalid = len(points) - passed - refused
    best = ", ".join(f"{'most' if one.more else 'least'} {one.name}" for one in objectives)
    yield f"{name}: {len(points):,} points, {passed:,} pass, {refused:,} refused, {invalid:,} make no stack"
    for reasons, count in _reasons(points):
        yield from texts.wrapped(f"  {count:,} × {reasons}", indent=4)
    yield f"front ({best}): {len(front.points)} points"
    head = (*(axis.path.rpartition(".")[2] for axis in axes), "hot", *(one.name for one in objectives))
    rows = [head]
    for point in front.points[:MOST_SHOWN]:
        shown = (_number(point.measures[one.name]) for one in objectives)
        rows.append((*(str(point.settings[axis.path]) for axis in axes), point.choices.get("hot", "-"), *shown))
    yield from texts.table(rows)
    if len(front.points) > MOST_SHOWN:
        yield f"  ({len(front.points) - MOST_SHOWN} more; --out or --json has all)"


def _reasons(points: Sequence[sweep.Point]) -> list[tuple[str, int]]:
    """Which rules refuse, most often first."""
    counted: dict[str, int] = {}
    for point in points:
        if not point.passes:
            rules = ", ".join(dict.fromkeys(reason.partition(": ")[0] for reason in point.reasons))
            words = rules if point.verdict == "refused" else point.reasons[0]
            counted[words] = counted.get(words, 0) + 1
    return sorted(counted.items(), key=lambda pair: -pair[1])[:8]


def _number(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:,.5g}"


def _document(
    name: str, points: Sequence[sweep.Point], front: Front, objectives: Sequence[sweep.Objective]
) -> dict[str, object]:
    return {
        "schema": "tierplan/sweep/1",
        "stack": name,
        "objectives": [{"name": one.name, "better": "more" if one.more else "less"} for one in objectives],
        "front": [point.index for point in front.points],
        "points": [_row(point, front) for point in points],
    }


def _row(point: sweep.Point, front: Front) -> dict[str, object]:
    """One point; `on_front`, or `beaten_by` the index of a point that is better."""
    return {
        "index": point.index,
        "settings": dict(point.settings),
        "verdict": point.verdict,
        "reasons": list(point.reasons),
        "choices": dict(point.choices),
        "measures": {name: None if math.isnan(value) else value for name, value in point.measures.items()},
        "on_front": point.passes and point.index not in front.beaten_by,
        "beaten_by": front.beaten_by.get(point.index),
    }


Writer = Callable[[Sequence[sweep.Point], Front], None]


def _writer(out: Path) -> Writer:
    """What writes a file of this suffix; asked before anything is planned."""
    kinds = {".csv": _write_csv, ".json": _write_json, ".parquet": _write_parquet}
    if out.suffix not in kinds:
        message = f"--out {out}: no such form; write a name that ends in {', '.join(kinds)}"
        raise InputError(message)
    files.ready(out, "--out")
    if out.suffix == ".parquet":
        _arrow()

    def write(points: Sequence[sweep.Point], front: Front) -> None:
        try:
            kinds[out.suffix](out, points, front)
        except OSError as error:
            raise files.refused(out, "--out", error) from None

    return write


def _flat(points: Sequence[sweep.Point], front: Front) -> list[dict[str, object]]:
    """One flat row for each point, all with the same columns."""
    measures = dict.fromkeys(name for point in points for name in point.measures)
    return [
        {
            "index": point.index,
            **point.settings,
            "verdict": point.verdict,
            "reasons": "; ".join(point.reasons),
            "hot": point.choices.get("hot", ""),
            "cold": point.choices.get("cold", ""),
            **{name: _cell(point.measures.get(name)) for name in measures},
            "on_front": point.passes and point.index not in front.beaten_by,
            "beaten_by": front.beaten_by.get(point.index),
        }
        for point in points
    ]


def _cell(value: float | None) -> float | None:
    """A number, or nothing where it is not known."""
    return None if value is None or math.isnan(value) else value


def _write_csv(out: Path, points: Sequence[sweep.Point], front: Front) -> None:
    rows = _flat(points, front)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _write_json(out: Path, points: Sequence[sweep.Point], front: Front) -> None:
    rows = [_row(point, front) for point in points]
    out.write_text(json.dumps(rows, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _write_parquet(out: Path, points: Sequence[sweep.Point], front: Front) -> None:
    arrow, parquet = _arrow()
    rows = [
        {key: str(value) if key in points[0].settings else value for key, value in row.items()}
        for row in _flat(points, front)
    ]
    parquet.write_table(arrow.Table.from_pylist(rows), out)


def _arrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow as pa  # noqa: PLC0415  # an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        message = "--out: Parquet needs pyarrow; pip install 'tierplan[sweep]', or write .csv or .json"
        raise InputError(message) from None
    return pa, parquet


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _count: None
        return
    from rich.console import Console  # noqa: PLC0415  # on a terminal only
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("planning", total=total)
        yield lambda count: bar.advance(task, count)
