"""A comparison of two plans for a terminal, and the words that every form of it shares."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import click

from tierplan.cli.texts import COLOURS, table, wrapped
from tierplan.domain.plan import Finding
from tierplan.plan.diff import Change, Judged, PlanDiff, Row
from tierplan.units import Bandwidth, Duration, OpRate, Size

Cell = str | float | int | bool | None

SHOWN: Mapping[str, Callable[[float], str]] = {
    "bytes_per_s": lambda value: Bandwidth(value).show(),
    "ops_per_s": lambda value: OpRate(value).show(),
    "bytes": lambda value: Size(value).show(),
    "s": lambda value: Duration(value).show(),
    "fraction": lambda value: f"{value:.1%}",
    "count": lambda value: f"{value:,.0f}",
    "probability": lambda value: f"{value:.2g}",
}
SENSES = {"better": "green", "worse": "red"}
MOST_ROWS, MOST_FINDINGS, MOST_CHANGES = 24, 5, 400


def said(value: Cell, unit: str) -> str:
    """A value in the unit that people read; ``-`` where there is none."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if unit in SHOWN:
        return SHOWN[unit](value)
    return f"{value:,.0f} {unit}" if unit else f"{value:,.6g}"


def unit_of(path: str) -> str:
    """The unit that the last word of a path names."""
    last = re.split(r"[.\]]", path)[-1]
    return next((unit for unit in SHOWN if last == unit or last.endswith(f"_{unit}")), "")


def required(row: Row) -> str:
    """What is required, and what was where that is something else."""
    before, after = said(row.required_before, row.unit), said(row.required_after, row.unit)
    if row.required_before is None and row.required_after is None:
        return ""
    return after if before == after else f"{before} → {after}"


def headline(found: PlanDiff) -> str:
    """From where to where, both verdicts, and whether it gets better or worse."""
    if found.old is None and found.new is None:
        return f"{found.stack}: the preview alone"
    if found.same:
        return f"{found.stack}: no change, {found.new.verdict if found.new else ''} ({_sides(found)})"
    verdicts = " → ".join(_upper(side) for side in (found.old, found.new) if side is not None)
    words = ", ".join(word for word in (verdicts, *found.notes[:1], _direction(found)) if word)
    return f"{found.stack}: {_sides(found)}   {words}"


def _sides(found: PlanDiff) -> str:
    old = found.old.called if found.old else "nothing"
    return f"{old} → {found.new.called if found.new else 'nothing'}"


def _upper(side: Judged) -> str:
    return "REFUSED" if side.verdict == "refused" else side.verdict


def _direction(found: PlanDiff) -> str:
    if found.verdict == "same":
        return "neither better nor worse" if found.old is not None and found.new is not None else ""
    return found.verdict


def diff_lines(found: PlanDiff, *, verbose: bool) -> list[str]:
    """The comparison on one screen, or every value that changes."""
    lines = wrapped(headline(found), indent=2)
    if found.same:
        return lines
    lines += [line for note in found.notes for line in wrapped(f"  {note}", indent=4)]
    shown = found.rows if verbose else found.rows[:MOST_ROWS]
    if shown:
        lines += table([("", "", "required", "before", "after", ""), *map(_row, shown)], indent=0)
        lines += _more(len(found.rows) - len(shown), "lines")
    lines += _replaced(found)
    for title, findings in (("New", found.findings.new), ("Gone", found.findings.gone), ("Still", found.findings.kept)):
        lines += _findings(title, findings, verbose=verbose)
    lines += _waived(found)
    if verbose:
        lines += ["Every value that changes", *map(_change, found.changed)]
    else:
        lines += _more(len(found.changed), "values change" if found.changed else "")
    return lines


def _row(row: Row) -> tuple[str, ...]:
    sense = click.style(row.sense, fg=SENSES[row.sense]) if row.sense else ""
    return row.of, row.name, required(row), said(row.before, row.unit), said(row.after, row.unit), sense


def _replaced(found: PlanDiff) -> list[str]:
    lines = [click.style("Replaced: data would have to move", fg="red")] if found.stopped else []
    if found.replaced and not found.stopped:
        lines = ["Replaced, as allowed"]
    for one in found.replaced[:MOST_ROWS]:
        lines += wrapped(f"  {one.resource}{' (allowed)' if one.allowed else ''}: {one.because}", indent=4)
    return lines + _more(len(found.replaced) - MOST_ROWS, "resources; --json lists them")


def _findings(title: str, findings: Sequence[Finding], *, verbose: bool) -> list[str]:
    kept = title == "Still"
    shown = [one for one in findings if verbose or not kept or one.level == "mandatory"]
    most = None if verbose else MOST_FINDINGS
    lines = [f"{title}: {_counted(findings)}"] if findings else []
    for one in shown[:most]:
        mark = click.style(f"{one.level:9}", fg=COLOURS[one.level])
        first, *rest = wrapped(f"  {one.level:9} {one.policy}: {one.message}", indent=12)
        lines += [first.replace(f"{one.level:9}", mark, 1), *rest]
        if one.remedy and title == "New":
            lines += wrapped(f"            → {one.remedy}", indent=14)
    return lines + _more(len(shown) - len(shown[:most]), "findings")


def _waived(found: PlanDiff) -> list[str]:
    """What does not count, and who answers for it."""
    lines = ["Waived"] if found.waived else []
    for one in found.waived:
        lines += wrapped(f"  {one.finding.policy}: {one.finding.message}", indent=12)
        lines += wrapped(f"            {one.waiver}", indent=12)
    return lines


def _counted(findings: Iterable[Finding]) -> str:
    levels = [finding.level for finding in findings]
    words = ((level, levels.count(level)) for level in ("mandatory", "advisory"))
    return ", ".join(f"{count} {level}" for level, count in words if count)


def _change(change: Change) -> str:
    unit = unit_of(change.path)
    return f"  {change.path}: {said(change.before, unit)} → {said(change.after, unit)}"


def _more(count: int, what: str) -> list[str]:
    return [f"  (and {count:,} more {what}; -v shows them)".replace("more values", "values")] if count > 0 else []
