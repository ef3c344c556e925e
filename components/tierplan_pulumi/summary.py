"""A plan in a few aligned lines of text: what a preview says to people."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence

from tierplan.domain.need import Load, Tier
from tierplan.domain.plan import Finding, Plan
from tierplan.domain.tiers import NEVER, TierPlan
from tierplan.plan import verdict
from tierplan.plan.stack_rules import wanted_tiers

WIDTH = 100
MOST_LOADS = 6
HEAD = ("tier", "figure", "required", "planned", "bound by")
Row = tuple[str, str, str, str, str]


def summary(plan: Plan, findings: tuple[Finding, ...]) -> str:
    """The verdict, each tier's required and planned figures with what binds, the loads, what is missed."""
    tiers = wanted_tiers(plan.stack)
    rows = [HEAD, *(row for tier in tiers for row in _tier_rows(tier, plan))]
    lines = [f"{plan.stack.name}: {verdict_line(findings)}", *_aligned(rows), *_loads(plan.requirement.loads)]
    return "\n".join([*lines, *_findings(findings)])


def outline(plan: Plan, findings: tuple[Finding, ...]) -> Mapping[str, str]:
    """The verdict and each tier in one line."""
    lines = {"verdict": verdict_line(findings)}
    for tier in wanted_tiers(plan.stack):
        lines[tier] = _tier_line(plan.tiers.get(tier))
    return lines


def verdict_line(findings: tuple[Finding, ...]) -> str:
    """``pass``, or ``refused`` with the rules that are missed."""
    missed = dict.fromkeys(finding.policy for finding in findings if finding.level == "mandatory")
    return f"{verdict(findings)}{' by ' if missed else ''}{', '.join(missed)}"


def _tier_line(chosen: TierPlan | None) -> str:
    if chosen is None:
        return "no product fits"
    rates, delivered = chosen.delivered.healthy, chosen.delivered
    return (
        f"{delivered.cloud or f'{chosen.config.nodes} × {_product(chosen)}'}: "
        f"read {rates.read.show()}, write {rates.write.show()}, "
        f"{delivered.planned.show()} at planned fill; bound by {_words(delivered.bound_by)}"
    )


def _asked(count: int) -> str:
    return "no number" if count >= NEVER else str(count)


def _product(chosen: TierPlan) -> str:
    layout = chosen.config.layout
    return chosen.config.backend if layout.kind == "none" else f"{chosen.config.backend} {layout}"


def _words(constraint: str) -> str:
    return constraint.replace("_", " ")


def _tier_rows(tier: Tier, plan: Plan) -> Iterator[Row]:
    chosen = plan.tiers.get(tier)
    if chosen is None:
        yield (tier, "nodes", "", "none", "no product fits")
        return
    need, delivered, rates = chosen.need, chosen.delivered, chosen.delivered.healthy
    bound_by = delivered.bound_by
    cloud = delivered.cloud
    yield (
        tier,
        f"{_product(chosen)} {'nodes' if cloud is None else cloud.unit}",
        _asked(delivered.counts[bound_by]),
        str(chosen.config.nodes) if cloud is None else f"{cloud.size:.10g}",
        "the GPU nodes" if tier == "local" else _words(bound_by),
    )
    figures = (
        ("read", need.read, rates.read, rates.read_limited_by),
        ("write", need.write, rates.write, rates.write_limited_by),
        ("op rate", need.op_rate, rates.op_rate, rates.op_rate_limited_by),
        ("capacity", need.capacity, delivered.planned, f"fill {delivered.planned_fill_fraction:.0%}"),
    )
    for name, required, planned, limit in figures:
        if required:
            yield ("", name, required.show(), planned.show(), limit)


def _aligned(rows: Sequence[Row]) -> list[str]:
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]


def _loads(loads: tuple[Load, ...]) -> list[str]:
    """The largest loads as they are, before headroom."""
    largest = sorted(loads, key=lambda load: -max(load.read.base, load.write.base))
    shown = [load for load in largest if load.read or load.write][:MOST_LOADS]
    rows = [(load.tier, load.id, _rates(load), load.when, load.because.removeprefix(f"{load.id}: ")) for load in shown]
    return ["asked, before headroom:", *_aligned(rows)] if rows else []


def _rates(load: Load) -> str:
    rates = (("reads", load.read), ("writes", load.write))
    return ", ".join(f"{verb} {rate.show()}" for verb, rate in rates if rate)


def _findings(findings: tuple[Finding, ...]) -> list[str]:
    lines = []
    for finding in findings:
        if finding.level == "mandatory":
            text = f"{finding.policy}: {finding.message}"
            lines += _wrapped(f"{text}. Change: {finding.remedy}" if finding.remedy else text)
    advice = dict.fromkeys(finding.policy for finding in findings if finding.level != "mandatory")
    return lines + (_wrapped(f"worth knowing: {', '.join(advice)}") if advice else [])


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent="    ", break_long_words=False)
