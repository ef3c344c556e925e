"""A plan on one screen: at most 50 lines of at most 100 columns, unless asked for more."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tierplan.cli.streams import silence
from tierplan.domain.fabric import Cut, FabricPlan
from tierplan.domain.need import Load
from tierplan.domain.plan import Cost, CostLine, Finding, Plan
from tierplan.domain.stack import OptionValue
from tierplan.domain.tiers import BESIDE, NEVER, Delivered, TierPlan
from tierplan.plan import verdict
from tierplan.plan.document import busiest_phase
from tierplan.plan.rules import losses
from tierplan.units import Size

MOST_SHOWN = 1e4  # a share beyond this says only that the tier gives next to nothing
MIN_WIDTH, MAX_WIDTH, SCREEN = 80, 100, 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """How much of a plan is shown; None: all of it. Mandatory findings are shown before all else, and counted."""

    loads: int | None = None
    findings: int | None = None
    remedies: bool = True
    reasons: int | None = None
    fixed: int | None = None
    counts: bool = True
    assumptions: bool = False
    mandatory: int | None = None
    words: int | None = None  # lines of one finding


FULL = Detail(assumptions=True)
BRIEF = (  # the first that fits the screen
    Detail(loads=14, findings=6, reasons=2, fixed=3),
    Detail(loads=14, findings=4, reasons=1, fixed=3),
    Detail(loads=14, findings=3, reasons=1, fixed=2, remedies=False),
    Detail(loads=14, findings=2, reasons=0, fixed=1, remedies=False),
    Detail(loads=14, findings=1, reasons=0, fixed=0, remedies=False, counts=False),
    Detail(loads=8, findings=0, reasons=0, fixed=0, remedies=False, counts=False),
    *(
        Detail(loads=4, findings=0, reasons=0, fixed=0, remedies=False, counts=False, mandatory=most, words=3)
        for most in (8, 6, 4, 3, 2, 1)
    ),
)
COLOURS = {"pass": "green", "refused": "red", "mandatory": "red", "advisory": "yellow"}


def width() -> int:
    """Columns to write in: the terminal's, between 80 and 100."""
    return min(MAX_WIDTH, max(MIN_WIDTH, shutil.get_terminal_size((MAX_WIDTH, 50)).columns))


def show(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines; colours only on a terminal and without NO_COLOR."""
    stream = sys.stderr if err else sys.stdout
    colour = stream.isatty() and not os.environ.get("NO_COLOR")
    try:
        for line in lines:
            click.echo(line, err=err, color=colour)
    except BrokenPipeError:  # `tierplan plan | head`: the reader has seen enough, and the exit code stays what it is
        silence()


def relative(path: Path) -> str:
    """A path from where one stands, as short as that is, with the slashes of a URI."""
    return os.path.relpath(path).replace(os.sep, "/")


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
    lines += _fabric_lines(plan, detail)
    lines += finding_lines(
        findings, limit=detail.findings, remedies=detail.remedies, mandatory=detail.mandatory, words=detail.words
    )
    return lines + _foot(plan, detail)


def _fabric_lines(plan: Plan, detail: Detail) -> list[str]:
    """Switches and cables on one line; in full also where each path is cut."""
    fabric = plan.fabric
    if fabric is None or not (fabric.leafs or detail.assumptions):
        return []
    lines = wrapped(f"fabric {switch_words(fabric)}", indent=6)
    if detail.assumptions:
        lines += [line for path in fabric.paths for cut in (path.read, path.write) for line in _cut(cut)]
    return lines


def _cut(cut: Cut) -> list[str]:
    return wrapped(f"      {cut.words}", indent=8)


def switch_words(fabric: FabricPlan) -> str:
    """``2 storage leafs (1.12:1) and 10 GPU leafs (2.17:1) of 40 ports, 4 spines, 456 cables``."""
    if not fabric.known:
        return "of the cloud: its switches are not known"
    names = {"storage": "storage ", "gpu": "GPU ", "all": ""}
    groups = [
        f"{group.leafs} {names[group.serves]}lea{'fs' if group.leafs > 1 else 'f'}"
        + (f" ({group.oversubscription:.3g}:1)" if group.uplinks else "")
        for group in fabric.leafs
    ]
    if not groups:
        return "none can be built"
    upper = [(fabric.spines, "spines"), (fabric.cores, "cores")]
    rest = [f"{count} {word}" for count, word in upper if count]
    return ", ".join([f"{' and '.join(groups)} of {fabric.leaf_ports} ports", *rest, f"{fabric.cables:,} cables"])


def short_lines(plan: Plan, findings: tuple[Finding, ...]) -> list[str]:
    """One stack on one line, and what is against it."""
    found = verdict(findings)
    right = "as expected" if (found == "refused") == (plan.stack.expect == "refused") else "NOT as expected"
    tiers = ", ".join(_short(tier) for name, tier in plan.tiers.items() if name != "local")
    against = sorted({finding.policy for finding in findings if finding.level == "mandatory"})
    mark = click.style(f"{found:8}", fg=COLOURS[found])
    return [f"{mark} {plan.stack.name}: {tiers or 'no tier'} ({right}){': ' if against else ''}{', '.join(against)}"]


def _short(tier: TierPlan) -> str:
    cloud = tier.delivered.cloud
    return f"{tier.config.nodes} × {tier.config.backend}" if cloud is None else str(cloud)


def finding_lines(
    findings: tuple[Finding, ...],
    *,
    limit: int | None,
    remedies: bool = True,
    mandatory: int | None = None,
    words: int | None = None,
) -> list[str]:
    """Each finding with its remedy, mandatory ones first, at most so many of either; what is left out is counted."""
    refusing = [finding for finding in findings if finding.level == "mandatory"]
    advice = [finding for finding in findings if finding.level != "mandatory"]
    most = None if limit is None else max(0, limit - len(refusing))
    lines = ["Findings"] if findings else []
    for finding in (*refusing[:mandatory], *advice[:most]):
        mark = click.style(f"{finding.level:9}", fg=COLOURS[finding.level])
        shown = _styled(f"  {finding.level:9} {finding.policy}: {finding.message}", finding.level, mark)
        lines += _shortened(list(shown), words)
        if finding.remedy and (remedies or finding.level == "mandatory"):
            lines += _shortened(wrapped(f"            → {finding.remedy}", indent=14), words)
    for level, left in (
        ("mandatory", refusing[len(refusing[:mandatory]) :]),
        ("advisory", advice[len(advice[:most]) :]),
    ):
        if left:
            lines += wrapped(f"  (and {len(left)} more {level}, -v shows them: {_policies(left)})", indent=4)[:2]
    return lines


def _policies(findings: Iterable[Finding]) -> str:
    return ", ".join(dict.fromkeys(finding.policy for finding in findings))


def _shortened(lines: list[str], most: int | None) -> list[str]:
    """The first lines of a text, the last of them saying that there is more."""
    return (
        lines if most is None or len(lines) <= most else [*lines[: most - 1], f"{lines[most - 1][: width() - 6]} … -v"]
    )


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
    cloud = delivered.cloud
    head = f"{need.tier:5} {product}: {config.nodes} {word}{beside_words(delivered)}{layout}{spare}, each {hardware}"
    if cloud is not None:
        head = f"{need.tier:5} {config.backend}: {cloud}{' with EFA' if config.options.get('efa') is True else ''}"
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
        unit = "nodes" if cloud is None else cloud.unit
        lines += wrapped(f"      {unit} asked for: {asked}; bound by {delivered.bound_by}", indent=8)
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
    lines = list(_survival(plan)) if detail.assumptions else []
    fixed = [choice for tier in plan.tiers.values() for choice in tier.delivered.cannot_change_later]
    if fixed:
        shown = fixed[: detail.fixed]
        lines += wrapped(f"Cannot change later: {'; '.join(shown)}{_more(fixed, shown)}", indent=2)
    lines += _lifecycle(plan)
    lines += _cost(plan.cost, detail)
    if detail.assumptions:
        lines += ["Assumptions", *(line for item in plan.assumptions for line in wrapped(f"  {item}", indent=4))]
    else:
        lines.append(f"Assumptions relied on: {len(plan.assumptions)} (-v lists them)")
    lines += wrapped(f"Decision path: {plan.path_choice}", indent=2)
    if plan.path_disagreement:
        lines += wrapped(f"  but {plan.path_disagreement}", indent=2)
    return lines


def _lifecycle(plan: Plan) -> list[str]:
    """How data moves down, in one sentence; nothing where the stack states no life cycle."""
    made = plan.lifecycle
    if made is None or plan.stack.tiers.lifecycle is None:
        return []
    moves = dict.fromkeys(
        f"{move.storage_class} after {move.after_days} d" for rule in made.rules for move in rule.transitions
    )
    left = [f"{made.hot} hands over after {made.warm_after.show()}"] if made.hot and made.warm_after else []
    gone = [f"archived checkpoints deleted after {made.delete_after.show()}"] if made.delete_after else []
    daily = sum(one.daily.bytes for one in made.hand_overs if one.source in ("hot", "outside"))
    words = [*left, *(f"{made.store} {move}" for move in moves), *gone, f"{Size(daily).show()} a day to {made.store}"]
    return wrapped(f"Life cycle: {'; '.join(words)}", indent=2)


def _survival(plan: Plan) -> Iterator[str]:
    """What a loss leaves of each tier, how long redundancy is reduced, and how likely data is lost."""
    from tierplan.layout.loss import shown_bound  # noqa: PLC0415  # for -v only

    for tier, found in plan.survival.items():
        made = [f"a lost {one.of} is made anew in {one.exposed.show()}" for one in found.rebuilds]
        words = [
            f"data lost within a year: {shown_bound(found.risk.total)}, most of it by {found.risk.largest[1]}",
            *made,
            f"degraded {found.degraded_fraction:.2%} of the year, down {found.down_fraction:.2g}",
            *([f"no rack may be lost: {found.rack_bound}"] if found.rack_bound else []),
        ]
        yield from wrapped(f"{tier} after a loss: {'; '.join(words)}", indent=2)


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
