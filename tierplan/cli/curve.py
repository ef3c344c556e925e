"""The curve of an optimum as SVG: hot write bandwidth against what is compared; the same input gives the same bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tierplan.sweep.optimum import Optimum

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 420, 80, 24, 48, 56
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#333}.axis{stroke:#888}.sync{stroke:#1f6feb;fill:#1f6feb}"
    ".async{stroke:#c2410c;fill:#c2410c}path{fill:none!important;stroke-width:2}.best{stroke:#111;fill:none;stroke-width:2}"
    "@media(prefers-color-scheme:dark){text{fill:#ddd}.best{stroke:#fff}}"
)


@dataclass(frozen=True, slots=True)
class _Dot:
    """A point of the curve."""

    index: int
    mode: str
    x: float  # bytes/s
    y: float


def curve(found: Optimum) -> str:
    """An SVG: each plan that passes by its hot write bandwidth (logarithmic) and its value; the best one is ringed."""
    dots = [
        _Dot(point.index, choice.mode, point.measures["hot_write_bytes_per_s"], abs(found.value(point)))
        for choice, point in found.points
        if point.passes and point.measures["hot_write_bytes_per_s"] > 0
    ]
    title = "storage and lost GPU hours a month" if found.by_money else "useful work for each machine"
    body = [f'<text x="{LEFT}" y="28">{escape(f"{found.work}: {title}, by hot write bandwidth (GB/s)")}</text>']
    body += _axes(dots)
    for mode in ("sync", "async"):
        placed = sorted((dot for dot in dots if dot.mode == mode), key=lambda dot: dot.x)
        body += _line(placed, dots, mode)
    body += [
        f'<circle class="best" cx="{_x(dot.x, dots):.1f}" cy="{_y(dot.y, dots):.1f}" r="9"/>'
        for dot in dots
        if dot.index == found.best
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">'
        f"<style>{STYLE}</style>{''.join(body)}</svg>\n"
    )


def _line(placed: Sequence[_Dot], dots: Sequence[_Dot], mode: str) -> list[str]:
    if not placed:
        return []
    places = [(_x(dot.x, dots), _y(dot.y, dots)) for dot in placed]
    steps = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    marks = [f'<circle class="{mode}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>' for x, y in places]
    x, y = places[-1]
    return [f'<path class="{mode}" d="M{steps}"/>', *marks, f'<text x="{x - 40:.1f}" y="{y - 12:.1f}">{mode}</text>']


def _axes(dots: Sequence[_Dot]) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    lines = [
        f'<line class="axis" x1="{LEFT}" y1="{bottom}" x2="{right}" y2="{bottom}"/>',
        f'<line class="axis" x1="{LEFT}" y1="{TOP}" x2="{LEFT}" y2="{bottom}"/>',
    ]
    if not dots:
        return [*lines, f'<text x="{LEFT + 20}" y="{TOP + 40}">no plan passes</text>']
    low, high = min(dot.x for dot in dots), max(dot.x for dot in dots)
    ends = ((low, LEFT), (high, right - 40)) if high > low else ((low, LEFT),)
    lines += [f'<text x="{x}" y="{bottom + 24}">{value / 1e9:,.3g}</text>' for value, x in ends]
    tops = {max(dot.y for dot in dots), min(dot.y for dot in dots)}
    lines += [f'<text x="8" y="{_y(value, dots) + 4:.1f}">{value:,.4g}</text>' for value in sorted(tops)]
    return lines


def _x(value: float, dots: Sequence[_Dot]) -> float:
    low, high = math.log(min(dot.x for dot in dots)), math.log(max(dot.x for dot in dots))
    share = (math.log(value) - low) / (high - low) if high > low else 0.5
    return LEFT + 20 + share * (WIDTH - LEFT - RIGHT - 40)


def _y(value: float, dots: Sequence[_Dot]) -> float:
    low, high = min(dot.y for dot in dots), max(dot.y for dot in dots)
    share = (value - low) / (high - low) if high > low else 0.5
    return HEIGHT - BOTTOM - 20 - share * (HEIGHT - TOP - BOTTOM - 40)
