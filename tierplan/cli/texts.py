"""A plan on one screen: at most 50 lines of at most 100 columns, unless asked for more."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import click

from tierplan.domain.need import Load
from tierplan.domain.plan import Cost, CostLine, Finding, Plan
from tierplan.domain.stack import OptionValue
from tierplan.domain.tiers import BESIDE, NEVER, Delivered, TierPlan
from tierplan.plan import verdict
from tierplan.plan.document import busiest_phase
from tierplan.plan.rules import losses

MOST_SHOWN = 1e4  # a share beyond this says only that the tier gives next to nothing
MIN_WIDTH, MAX_WIDTH, SCREEN = 80, 100, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much of a plan is shown; None: all of it. Mandatory findings are always shown."""

    loads: int | None = None
    findings: int | None = None
    remedies: bool = True
    reasons: int | None = None
    fixed: int | None = None
    counts: bool = True
    assumptions: bool = False


FULL = Detail(assumptions=True)
BRIEF = (  # the first that fits the screen
    Detail(loads=14, findings=6, reasons=2, fixed=3),
    Detail(loads=14, findings=4, reasons=1, fixed=3),
    Detail(loads=14, findings=3, reasons=1, fixed=2, remedies=False),
    Detail(loads=14, findings=2, reasons=0, fixed=1, remedies=False),
    Detail(loads=14, findings=1, reasons=0, fixed=0, remedies=False, counts=False),
    Detail(loads=8, findings=0, reasons=0, fixed=0, remedies=False, counts=False),
)
COLOURS = {"pass": "green", "refused": "red", "mandatory": "red", "advisory": "yellow"}


def width() -> int:
    """Columns to write in: the terminal's, between 80 and 100."""
    return min(MAX_WIDTH, max(MIN_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 50)).columns))


def show(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines; colours only on a terminal and without NO_COLOR."""
    stream = sys.stderr if err else sys.stdout
    colour = stream.isatty() and not os.environ.get("NO_COLOR")
    for line in lines:
        click.echo(line, err=err, color=colour)


def wrapped(text: str, *, indent: int) -> list[str]:
    """Text broken at the width, later lines indented."""
    return textwrap.wrap(text, width(), subsequent_indent=" " * indent, break_long_words=False) or [""]


def table(rows: Sequence[tuple[str, ...]], *, indent: int = 2) -> list[str]:
    """Aligned columns, as wide as their widest cell."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        " " * indent + "  ".join(cell.ljust(size) for cell, size in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def plan_lines(plan: Plan, findings: tuple[Finding, ...], *, verbose: bool) -> list[str]:
    """The whole plan for people."""
    if verbose:
        return _plan_lines(plan, findings, FULL)
    lines: list[str] = []
    for detail in BRIEF:
        lines = _plan_lines(plan, findings, detail)
        if len(lines) <= SCREEN:
            break
    return lines


def _plan_lines(plan: Plan, findings: tuple[Finding, ...], detail: Detail) -> list[str]:
    lines = [*_head(plan, findings), "", *_loads(plan, detail.loads), ""]
    for tier in plan.tiers.values():
        lines += _tier(tier, detail)
    lines += finding_lines(findings, limit=detail.findings, remedies=detail.remedies)
    return lines + _foot(plan, detail)


def short_lines(plan: Plan, findings: tuple[Finding, ...]) -> list[str]:
    """One stack on one line, and what is against it."""
    found = verdict(findings)
    right = "as expected" if (found == "refused") == (plan.stack.expect == "refused") else "NOT as expected"
    tiers = ", ".join(f"{t.config.nodes} × {t.config.backend}" for n, t in plan.tiers.items() if n != "local")
    against = sorted({finding.policy for finding in findings if finding.level == "mandatory"})
    mark = click.style(f"{found:8}", fg=COLOURS[found])
    return [f"{mark} {plan.stack.name}: {tiers or 'no tier'} ({right}){': ' if against else ''}{', '.join(against)}"]


def finding_lines(findings: tuple[Finding, ...], *, limit: int | None, remedies: bool = True) -> list[str]:
    """Each finding with its remedy, mandatory ones first; all mandatory ones are always shown."""
    mandatory = sum(finding.level == "mandatory" for finding in findings)
    count = len(findings) if limit is None else max(mandatory, min(limit, len(findings)))
    lines = ["Findings"] if findings else []
    for finding in findings[:count]:
        mark = click.style(f"{finding.level:9}", fg=COLOURS[finding.level])
        lines += _styled(f"  {finding.level:9} {finding.policy}: {finding.message}", finding.level, mark)
        if finding.remedy and (remedies or finding.level == "mandatory"):
            lines += wrapped(f"            → {finding.remedy}", indent=14)
    if count < len(findings):
        lines.append(f"  ({len(findings) - count} more advisory; -v shows all)")
    return lines


def _styled(text: str, plain: str, styled: str) -> Iterator[str]:
    first, *rest = wrapped(text, indent=12)
    yield first.replace(f"{plain:9}", styled, 1)
    yield from rest


def _head(plan: Plan, findings: tuple[Finding, ...]) -> list[str]:
    cluster, site = plan.stack.cluster, plan.stack.site
    found = verdict(findings)
    network = cluster.storage_network
    words = (
        f"{cluster.gpu_nodes:,} × {cluster.gpus_per_node} GPUs ({cluster.node or 'own node'}), "
        f"{network.ports} × {network.rate.show('Gbit/s')} {network.transport}, {site.kind}"
    )
    return [f"{plan.stack.name}: {click.style(found.upper(), fg=COLOURS[found])}   {words}"]


def _loads(plan: Plan, limit: int | None) -> list[str]:
    loads = [load for load in plan.requirement.loads if load.read or load.write or load.op_rate]
    shown = loads[:limit]
    rows = [("Loads before headroom", "tier", "when", "read", "write", "op rate"), *map(_load, shown)]
    lines = table(rows, indent=0)
    if len(shown) < len(loads):
        lines.append(f"({len(loads) - len(shown)} more; -v shows all)")
    return lines


def _load(load: Load) -> tuple[str, ...]:
    return (
        load.id,
        load.tier,
        load.when,
        load.read.show() if load.read else "-",
        load.write.show() if load.write else "-",
        load.op_rate.show() if load.op_rate else "-",
    )


def _tier(tier: TierPlan, detail: Detail) -> list[str]:
    config, delivered, need = tier.config, tier.delivered, tier.need
    rates, word = delivered.healthy, "GPU nodes" if need.tier == "local" else "nodes"
    layout = "" if config.layout.kind == "none" else f", {config.layout}"
    spare = f", {config.layout.hot_spares} hot spare" if config.layout.hot_spares else ""
    node = config.node
    hardware = f"{node.drives} × {node.drive.size.show()} {node.medium}, {node.ports} × {node.port_rate.show('Gbit/s')}"
    words = option_words(config.options)
    product = f"{config.backend} ({words})" if words else config.backend
    head = f"{need.tier:5} {product}: {config.nodes} {word}{beside_words(delivered)}{layout}{spare}, each {hardware}"
    asked = ", ".join(f"{name} {_nodes(count)}" for name, count in delivered.counts.items() if count)
    name, share = busiest_phase(tier)
    rows = [
        ("read", need.read.show(), rates.read.show(), rates.read_limited_by),
        ("write", need.write.show(), rates.write.show(), rates.write_limited_by),
        ("op rate", need.op_rate.show(), rates.op_rate.show(), rates.op_rate_limited_by),
        ("capacity", need.capacity.show(), delivered.planned.show(), _capacity_words(tier)),
    ]
    lines = [*wrapped(head, indent=6)]
    lines += table([("", "required", "planned", "limited by"), *rows], indent=6)
    if asked and need.tier != "local" and detail.counts:
        lines += wrapped(f"      nodes asked for: {asked}; bound by {delivered.bound_by}", indent=8)
    if name:
        lines += wrapped(f"      busiest phase: {name} takes {_share(share)} of the tier{_lost(tier)}", indent=8)
    return lines + [
        line for reason in need.because[: detail.reasons] for line in wrapped(f"      because {reason}", indent=8)
    ]


def option_words(options: Mapping[str, OptionValue]) -> str:
    """The product's own choices that are words: ``appliance ai400x2``."""
    return ", ".join(f"{name} {value}" for name, value in options.items() if isinstance(value, str))


def beside_words(delivered: Delivered) -> str:
    """`` and 2 metadata servers`` where a product has machines beside its storage nodes."""
    counted = [(int(count), BESIDE[name]) for name, count in delivered.parts.items() if name in BESIDE and count]
    return "".join(f" and {count} {words}" for count, words in counted)


def _capacity_words(tier: TierPlan) -> str:
    delivered = tier.delivered
    return f"{delivered.planned_fill_fraction:.0%} fill of {delivered.usable.show()} usable, {delivered.raw.show()} raw"


def _lost(tier: TierPlan) -> str:
    if not tier.delivered.degraded or tier.need.tier == "local":
        return ""
    state = tier.delivered.degraded[0]
    return f"; {losses(state.nodes, state.racks)} lost: read {state.read.show()}, write {state.write.show()}"


def _nodes(count: int) -> str:
    return "no number" if count >= NEVER else str(count)


def _share(share: float) -> str:
    if share > MOST_SHOWN:
        return "far more than all"
    return "under 1%" if 0 < share < 0.01 else f"{share:.0%}"


def _foot(plan: Plan, detail: Detail) -> list[str]:
    lines = []
    fixed = [choice for tier in plan.tiers.values() for choice in tier.delivered.cannot_change_later]
    if fixed:
        shown = fixed[: detail.fixed]
        lines += wrapped(f"Cannot change later: {'; '.join(shown)}{_more(fixed, shown)}", indent=2)
    lines += _cost(plan.cost, detail)
    if detail.assumptions:
        lines += ["Assumptions", *(line for item in plan.assumptions for line in wrapped(f"  {item}", indent=4))]
    else:
        lines.append(f"Assumptions relied on: {len(plan.assumptions)} (-v lists them)")
    lines += wrapped(f"Decision path: {plan.path_choice}", indent=2)
    if plan.path_disagreement:
        lines += wrapped(f"  but {plan.path_disagreement}", indent=2)
    return lines


def _cost(cost: Cost, detail: Detail) -> Iterator[str]:
    """What the storage costs a month, as far as it is known, and the GPU hours that are lost."""
    if cost.lines:
        total = f"{cost.known_monthly:,.0f} {cost.currency} a month"
        storage = [word for word in cost.unknown if word != "GPU hours"]
        words = f"at least {total}; incomplete, unknown: {', '.join(storage)}" if storage else total
        yield from wrapped(f"Storage cost: {words}", indent=2)
        if detail.assumptions:
            yield from table([("item", "quantity", "price", "a month", "date", "source"), *map(_cost_line, cost.lines)])
    hours = cost.stall_gpu_hours_per_30d
    if hours:
        price = f" ({cost.stall_cost_per_30d:,.0f} {cost.currency})" if cost.stall_cost_per_30d else ""
        lost = f"; with lost work and restarts {cost.lost_gpu_hours_per_30d:,.0f}"
        yield from wrapped(f"Checkpoint stall: {hours:,.0f} GPU-hours per 30 days{price}{lost}", indent=2)


def _cost_line(line: CostLine) -> tuple[str, ...]:
    return (
        line.item,
        f"{line.quantity:,.5g} {line.per}",
        f"{line.price:,.5g}",
        f"{line.monthly:,.0f}",
        line.date,
        f"{line.source} ({line.basis})",
    )


def _more(every: Sequence[str], shown: Sequence[str]) -> str:
    if len(shown) == len(every):
        return ""
    return f"{'; ' if shown else ''}{len(every) - len(shown)} {'more ' if shown else 'choices '}(-v)"
