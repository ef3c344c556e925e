"""The pictures of the statement as SVG text; colours are classes, so that the page's theme sets them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tierplan.domain.need import TIERS
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import TierPlan
from tierplan.report import words
from tierplan.report.language import Language
from tierplan.units import Duration, Size

WIDTH, LABEL, VALUE = 640, 150, 110
ROW = 26


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its title, which is read aloud to those who do not see it."""

    title: str
    svg: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: label, length, the figure as text, and its kind: need, have, less."""

    label: str
    length: float
    text: str
    kind: str


def _svg(title: str, height: float, body: Sequence[str]) -> Picture:
    """All shapes of a picture under its title."""
    label = escape(title)
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" role="img" aria-label="{label}">'
        f"<title>{label}</title>{''.join(body)}</svg>"
    )
    return Picture(title, svg)


def bars(title: str, shown: Sequence[Bar]) -> Picture:
    """Bars under one another, to one scale."""
    longest = max((bar.length for bar in shown), default=0.0) or 1.0
    room = WIDTH - LABEL - VALUE
    body = []
    for index, bar in enumerate(shown):
        top = 8 + index * ROW
        long = room * bar.length / longest
        body.append(f'<text x="0" y="{top + 15}">{escape(bar.label)}</text>')
        body.append(f'<rect class="{bar.kind}" x="{LABEL}" y="{top}" width="{long:.1f}" height="18" rx="3"/>')
        body.append(f'<text x="{LABEL + long + 8:.1f}" y="{top + 14}">{escape(bar.text)}</text>')
    return _svg(title, 16 + len(shown) * ROW, body)


def capacity_picture(one: TierPlan, say: Language) -> Picture:
    """From raw to usable, step by step, and what is required."""
    left = one.delivered.raw
    shown = [Bar(say("raw"), left.base, left.show(), "have")]
    for step in one.delivered.waterfall:
        left = Size(left.base * step.fraction)
        shown.append(Bar(f"× {step.fraction:.4g}", left.base, left.show(), "less"))
    delivered = one.delivered
    shown.append(Bar(say("usable"), delivered.usable.base, delivered.usable.show(), "have"))
    shown.append(Bar(say("at planned fill"), delivered.planned.base, delivered.planned.show(), "have"))
    shown.append(Bar(say("required"), one.need.capacity.base, one.need.capacity.show(), "need"))
    return bars(": ".join((say(words.TIER_TITLES[one.need.tier]), say("capacity"))), shown)


def growth_picture(one: TierPlan, say: Language) -> Picture:
    """What is required in each year beside what may be stored."""
    shown = [
        Bar(say("year {year}", year=year), size.base, size.show(), "need")
        for year, size in enumerate(one.need.capacity_by_year)
    ]
    planned = one.delivered.planned
    shown.append(Bar(say("at planned fill"), planned.base, planned.show(), "have"))
    return bars(": ".join((say(words.TIER_TITLES[one.need.tier]), say("growth"))), shown)


def tiers_picture(plan: Plan, say: Language) -> Picture:
    """The GPU nodes and three boxes, one for each tier, with count, capacity and rates."""
    cluster = plan.stack.cluster
    first = say("{gpus} GPUs in {nodes} nodes", gpus=f"{cluster.gpus:,}", nodes=f"{cluster.gpu_nodes:,}")
    body = [f'<rect class="box" x="0" y="0" width="{WIDTH}" height="34" rx="6"/>']
    body.append(f'<text class="strong" x="{WIDTH / 2}" y="22" text-anchor="middle">{escape(first)}</text>')
    wide = (WIDTH - 32) / 3
    for index, tier in enumerate(TIERS):
        body += _box(plan.tiers.get(tier), index * (wide + 16), wide, say(words.TIERS[tier]), say)
    return _svg(say("Three tiers"), 158, body)


def _box(one: TierPlan | None, left: float, wide: float, title: str, say: Language) -> list[str]:
    middle = left + wide / 2
    lines = [title]
    if one is None:
        lines.append("–")
    else:
        rates = one.delivered.healthy
        lines += [
            f"{one.config.nodes} × {one.config.backend}",
            one.delivered.planned.show(),
            say("read {rate}", rate=rates.read.show()),
            say("write {rate}", rate=rates.write.show()),
        ]
    shapes = [
        f'<line class="edge" x1="{middle:.1f}" y1="34" x2="{middle:.1f}" y2="54"/>',
        f'<rect class="box" x="{left:.1f}" y="54" width="{wide:.1f}" height="102" rx="6"/>',
    ]
    for index, line in enumerate(lines):
        kind = ' class="strong"' if index == 0 else ""
        shapes.append(f'<text{kind} x="{middle:.1f}" y="{74 + index * 19}" text-anchor="middle">{escape(line)}</text>')
    return shapes


def timeline_picture(
    job: str, *, interval: Duration, stall: Duration, drain: Duration | None, say: Language
) -> Picture:
    """One interval: the stall, then compute, and the drain that runs beside it."""
    room = WIDTH - LABEL - 8
    stalled = min(1.0, stall / interval) if interval else 0.0
    stopped, whole = say("stall {time}", time=stall.show()), say("interval {time}", time=interval.show())
    body = [
        f'<text x="0" y="22">{escape(job)}</text>',
        f'<rect class="have" x="{LABEL}" y="8" width="{room}" height="18" rx="3"/>',
        f'<rect class="need" x="{LABEL}" y="8" width="{max(2.0, room * stalled):.1f}" height="18" rx="3"/>',
        f'<text x="{LABEL}" y="44">{escape(stopped)}</text>',
        f'<text x="{WIDTH - 8}" y="44" text-anchor="end">{escape(whole)}</text>',
    ]
    height = 52.0
    if drain is not None and interval:
        long = room * min(1.0, drain / interval)
        body.append(f'<rect class="less" x="{LABEL}" y="52" width="{max(2.0, long):.1f}" height="12" rx="3"/>')
        drained = say("drain {time}", time=drain.show())
        body.append(f'<text x="{LABEL}" y="80">{escape(drained)}</text>')
        height = 88.0
    return _svg(say("Checkpoint of {job}", job=job), height, body)
