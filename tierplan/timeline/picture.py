"""The picture of a run as SVG: one row for each job and one for the tier, time from left to right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from tierplan.timeline.nouns import Doing, Run, Stretch

COLOURS: Mapping[Doing, str] = {
    "compute": "#4c9f70",
    "stall": "#e0a030",
    "restart": "#c8553d",
    "restore": "#8f5fa8",
    "healthy": "#d9e4dd",
    "degraded": "#f0c987",
    "down": "#c8553d",
}
WIDTH, ROW, LABEL, TOP, FOOT = 1200, 26, 170, 34, 62
NARROWEST = 0.3  # of what is drawn: shorter stretches would not be seen


def svg(run: Run, *, title: str) -> str:
    """The picture; the same run always gives the same text."""
    rows = _rows(run)
    begin, end = _span(run.stretches)
    height = TOP + ROW * len(rows) + FOOT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
        "<style>text { font-family: sans-serif; font-size: 12px }</style>",
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="20" style="font-size: 14px">{escape(title)}</text>',
    ]
    for index, row in enumerate(rows):
        lines += _row(row, [one for one in run.stretches if one.row == row], begin, end, TOP + ROW * index)
    lines += _axis(begin, end, TOP + ROW * len(rows))
    lines += _legend(run, TOP + ROW * len(rows) + 40)
    return "\n".join([*lines, "</svg>", ""])


def _rows(run: Run) -> list[str]:
    names = [job.name for job in run.jobs]
    return [*names, "storage"] if any(one.row == "storage" for one in run.stretches) else names


def _span(stretches: Sequence[Stretch]) -> tuple[float, float]:
    begin = min((one.begin for one in stretches), default=0.0)
    return begin, max((one.end for one in stretches), default=begin + 1.0)


def _row(row: str, stretches: Sequence[Stretch], begin: float, end: float, top: int) -> Iterator[str]:
    yield f'<text x="8" y="{top + 17}">{escape(row[:26])}</text>'
    scale = (WIDTH - LABEL - 12) / (end - begin)
    for one in stretches:
        width = (one.end - one.begin) * scale
        if width >= NARROWEST:
            left = LABEL + (one.begin - begin) * scale
            yield (
                f'<rect x="{left:.2f}" y="{top + 3}" width="{width:.2f}" height="{ROW - 6}" '
                f'fill="{COLOURS[one.doing]}"/>'
            )


def _axis(begin: float, end: float, top: int) -> Iterator[str]:
    hours = (end - begin) / 3600
    unit, per, name = (24.0, 86400.0, "days") if hours > 96 else (1.0, 3600.0, "hours")
    step = max(1, round(hours / unit / 10))
    scale = (WIDTH - LABEL - 12) / (end - begin)
    for tick in range(0, int(hours / unit) + 1, step):
        left = LABEL + tick * per * scale
        yield f'<text x="{left:.1f}" y="{top + 16}" text-anchor="middle">{tick}</text>'
    yield f'<text x="8" y="{top + 16}">{name}</text>'


def _legend(run: Run, top: int) -> Iterator[str]:
    shown = {one.doing for one in run.stretches}
    left = LABEL
    for doing, colour in COLOURS.items():
        if doing in shown:
            yield f'<rect x="{left}" y="{top}" width="12" height="12" fill="{colour}"/>'
            yield f'<text x="{left + 18}" y="{top + 11}">{doing}</text>'
            left += 110
