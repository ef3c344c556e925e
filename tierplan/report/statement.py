"""What stands on the page: the plan's own figures, formatted once, with the words of one language around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tierplan import __version__
from tierplan.domain.figures import Figure
from tierplan.domain.plan import Finding, Plan
from tierplan.domain.tiers import NEVER, TierPlan
from tierplan.plan import verdict
from tierplan.plan.sensitivity import NextUnit
from tierplan.report import words
from tierplan.report.language import Language
from tierplan.report.pictures import (
    Bar,
    Picture,
    bars,
    capacity_picture,
    growth_picture,
    tiers_picture,
    timeline_picture,
)
from tierplan.report.rules import title_of
from tierplan.report.words import word
from tierplan.units import Duration, Quantity, Size

MOST_FIGURES = 14
MOST_SOURCES = 12
Row = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Rows under a head."""

    head: Row
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with lines, tables and pictures; empty ones are left out of the page."""

    id: str
    title: str
    lines: tuple[str, ...] = ()
    table: Table | None = None
    pictures: tuple[Picture, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One page: title, verdict and sections."""

    language: str
    title: str
    verdict: str
    passed: bool
    summary: str
    sections: tuple[Section, ...]
    footer: str = field(default="")


def statement(
    plan: Plan,
    findings: tuple[Finding, ...],
    say: Language,
    *,
    others: Plan | None = None,
    units: tuple[NextUnit, ...] = (),
) -> Statement:
    """
    The page of a plan; the same plan gives the same page, and the same digits in every language.

    `others` is the plan of the same stack with its hot pins set aside: where the alternatives stand.  `units` are what
    one more node adds.
    """
    if others is not None:
        plan = replace(plan, candidates=others.candidates, rejections=others.rejections)
    found = verdict(findings)
    makers = (
        _tiers,
        _selection,
        _requirement,
        _alternatives,
        _capacity,
        _bandwidth,
        _checkpoint,
        _growth,
        _cost,
        _risks,
        _findings,
        _fixed,
        _formulas,
        _assumptions,
        _sources,
    )
    sections = [section for make in makers for section in make(plan, findings, say)]
    sections = [_with_units(section, units, plan, say) if section.id == "cost" else section for section in sections]
    return Statement(
        language=say.name,
        title=say("Storage requirement and selection: {stack}", stack=plan.stack.name),
        verdict=say(words.VERDICTS[found]),
        passed=found == "pass",
        summary=_summary(plan, say),
        sections=tuple(sections),
        footer=say("Made by tierplan {version} from the stack file alone.", version=__version__),
    )


Made = Iterator[Section]


def _summary(plan: Plan, say: Language) -> str:
    cluster, network = plan.stack.cluster, plan.stack.cluster.storage_network
    return say(
        "{gpus} GPUs in {nodes} nodes, {ports} × {rate} {transport} to storage, site {site}. "
        "The one measure: no GPU waits for data.",
        gpus=f"{cluster.gpus:,}",
        nodes=f"{cluster.gpu_nodes:,}",
        ports=network.ports,
        rate=network.rate.show("Gbit/s"),
        transport=network.transport,
        site=plan.stack.site.kind,
    )


def _requirement(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    rows = []
    for load in plan.requirement.loads:
        if load.read or load.write or load.op_rate:
            work, _, kind = load.id.partition(".")
            rows.append(
                (
                    work,
                    word(say, words.LOADS, kind),
                    word(say, words.TIERS, load.tier),
                    word(say, words.WHEN, load.when),
                    *(_or_dash(one) for one in (load.read, load.write, load.op_rate)),
                )
            )
    head = (say("workload"), say("load"), say("tier"), say("when"), say("read"), say("write"), say("op rate"))
    line = say(
        "Before headroom. Continuous loads add up; of the bursts the largest counts. Headroom {headroom} multiplies "
        "bandwidth and op rate once; capacity is held against {fill} fill.",
        headroom=f"{plan.stack.targets.headroom:g}",
        fill=f"{plan.stack.targets.max_fill:.0%}",
    )
    yield Section(id="requirement", title=say("Requirement"), lines=(line,), table=Table(head=head, rows=tuple(rows)))


def _or_dash(value: Quantity) -> str:
    return value.show() if value else "–"


LEADING = (
    "checkpoint.size_bytes",
    "checkpoint.write_bytes_per_s",
    "checkpoint.drain_bytes_per_s",
    "dataset.read_bytes_per_s",
    "dataset.shared_read_bytes_per_s",
    "restore.read_bytes_per_s",
    "model_load.read_bytes_per_s",
    "kv_cache.bytes_per_token",
    "kv_cache.read_bytes_per_s",
    "capacity.hot_bytes",
    "capacity.cold_bytes",
)


def _formulas(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    figures = [one for name, one in plan.requirement.figures.items() if name.endswith(LEADING)][:MOST_FIGURES]
    rows = tuple((one.id, _shown(one), one.formula, _inputs(one)) for one in figures)
    head = (say("figure"), say("value"), say("formula"), say("with"))
    if rows:
        yield Section(id="formulas", title=say("Formulas"), table=Table(head=head, rows=rows))


def _shown(figure: Figure) -> str:
    return figure.value.show() if isinstance(figure.value, Quantity) else f"{figure.number:,.6g}"


def _inputs(figure: Figure) -> str:
    shown = (
        f"{one.name} = {one.value.show() if isinstance(one.value, Quantity) else _plain(one.value)}"
        for one in figure.inputs
    )
    return ", ".join(shown)


def _plain(value: object) -> str:
    return f"{value:,.12g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _tiers(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    rows = []
    for tier, one in plan.tiers.items():
        config, rates = one.config, one.delivered.healthy
        rows.append(
            (
                say(words.TIER_TITLES[tier]),
                f"{config.nodes} × {config.backend}",
                str(config.layout) if config.layout.kind != "none" else say("no protection"),
                rates.read.show(),
                rates.write.show(),
                one.delivered.planned.show(),
            )
        )
    head = (say("tier"), say("system"), say("layout"), say("read"), say("write"), say("at planned fill"))
    yield Section(
        id="tiers",
        title=say("Three tiers"),
        table=Table(head=head, rows=tuple(rows)),
        pictures=(tiers_picture(plan, say),),
    )


def _selection(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    hot = plan.tiers.get("hot")
    lines = []
    if hot is not None:
        never = say("none suffices")
        asked = ", ".join(
            f"{word(say, words.CONSTRAINTS, name)} {never if count >= NEVER else count}"
            for name, count in hot.delivered.counts.items()
            if count
        )
        lines.append(
            say(
                "{nodes} × {backend}: nodes asked for by {asked}; bound by {bound}.",
                nodes=hot.config.nodes,
                backend=hot.config.backend,
                asked=asked,
                bound=word(say, words.CONSTRAINTS, hot.delivered.bound_by),
            )
        )
    lines.append(say("Decision path: {row}.", row=_path_row(plan, say)))
    told = plan.path_disagreement
    if told is not None:
        figures = ", ".join(f"{name} {value:,.6g}" for name, value in told.figures.items())
        lines.append(
            say(
                "The path names {named}; {chosen} is planned. Figures: {figures}.",
                named=", ".join(told.named),
                chosen=told.chosen,
                figures=figures,
            )
        )
    yield Section(id="selection", title=say("Selection and why"), lines=tuple(lines))


def _path_row(plan: Plan, say: Language) -> str:
    for mark, row in words.ROWS.items():
        if mark in plan.path_choice:
            return say(row)
    return plan.path_choice


def _alternatives(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    chosen = plan.tiers["hot"].config.backend if "hot" in plan.tiers else ""
    rows = [
        (
            one.backend,
            say("would do"),
            say("{count} machines", count=one.nodes + one.nodes_beside)
            + ("" if one.monthly is None else f", {one.monthly:,.0f} {plan.cost.currency}"),
        )
        for one in plan.candidates
        if one.tier == "hot" and one.backend != chosen
    ]
    for rejection in plan.rejections:
        if rejection.tier == "hot":
            rules = dict.fromkeys(name.rpartition(" ")[0] for name in rejection.figures)
            why = "; ".join(say(title_of(rule)) for rule in rules if title_of(rule))
            rows.append((rejection.backend, say("rejected"), why or rejection.reason))
    if rows:
        head = (say("system"), say("verdict"), say("why"))
        yield Section(
            id="alternatives", title=say("Alternatives and why not"), table=Table(head=head, rows=tuple(rows))
        )


def _capacity(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    pictures = [capacity_picture(plan.tiers[tier], say) for tier in ("hot", "cold") if tier in plan.tiers]
    rows = [
        (word(say, words.TIERS, tier), one.delivered.raw.show(), _steps(one), one.delivered.usable.show(),
         one.delivered.planned.show(), one.need.capacity.show())
        for tier, one in plan.tiers.items()
        if tier != "local"
    ]  # fmt: skip
    head = (say("tier"), say("raw"), say("steps"), say("usable"), say("at planned fill"), say("required"))
    yield Section(
        id="capacity",
        title=say("Capacity, raw to usable"),
        table=Table(head=head, rows=tuple(rows)),
        pictures=tuple(pictures),
    )


def _steps(one: TierPlan) -> str:
    return " × ".join(f"{step.fraction:.4g} ({step.name})" for step in one.delivered.waterfall)


def _bandwidth(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    pictures, rows = [], []
    for tier, one in plan.tiers.items():
        rates, lost = one.delivered.healthy, next(iter(one.delivered.degraded), None)
        for name, need, given, limit, left in (
            (say("read"), one.need.read, rates.read, rates.read_limited_by, lost.read if lost else None),
            (say("write"), one.need.write, rates.write, rates.write_limited_by, lost.write if lost else None),
        ):
            left_words = left.show() if left is not None else "–"
            limited = word(say, words.LIMITS, limit)
            rows.append((word(say, words.TIERS, tier), name, need.show(), given.show(), left_words, limited))
            if tier == "hot":
                shown = [Bar(say("required"), need.base, need.show(), "need"),
                         Bar(say("whole"), given.base, given.show(), "have")]  # fmt: skip
                shown += [Bar(say("one node lost"), left.base, left.show(), "less")] if left is not None else []
                pictures.append(bars(": ".join((say(words.TIERS["hot"]), name)), shown))
    head = (say("tier"), say("direction"), say("required"), say("whole"), say("one node lost"), say("limited by"))
    yield Section(
        id="bandwidth", title=say("Bandwidth"), table=Table(head=head, rows=tuple(rows)), pictures=tuple(pictures)
    )


def _checkpoint(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    rows, pictures = [], []
    for work in plan.stack.workloads:
        stall = plan.outcome.get(f"{work.name}.checkpoint.stall_s")
        interval = plan.requirement.figures.get(f"{work.name}.checkpoint.interval_s")
        if stall is None or interval is None:
            continue
        drain = plan.outcome.get(f"{work.name}.checkpoint.drain_s")
        goodput = plan.outcome.get(f"{work.name}.checkpoint.goodput_fraction")
        restore = plan.outcome.get(f"{work.name}.restore.duration_s")
        best = plan.outcome.get(f"{work.name}.checkpoint.optimal_interval_s")
        rows.append((work.name, *(_shown(one) if one else "–" for one in (interval, stall, drain, restore, best)),
                     f"{goodput.number:.2%}" if goodput else "–"))  # fmt: skip
        pictures.append(
            timeline_picture(
                work.name,
                interval=Duration(interval.number),
                stall=Duration(stall.number),
                drain=Duration(drain.number) if drain else None,
                say=say,
            )
        )
    if rows:
        head = (say("job"), say("interval"), say("stall"), say("drain"), say("restore"), say("best interval"),
                say("goodput"))  # fmt: skip
        yield Section(
            id="checkpoint",
            title=say("Checkpoints in time"),
            table=Table(head=head, rows=tuple(rows)),
            pictures=tuple(pictures),
        )


def _growth(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    rows, pictures = [], []
    for tier, one in plan.tiers.items():
        years = one.need.capacity_by_year
        if tier == "local" or len(years) < 2:
            continue
        for year, size in enumerate(years):
            fits = say("fits") if size.base <= one.delivered.planned.base * (1 + 1e-9) else say("does not fit")
            rows.append((word(say, words.TIERS, tier), str(year), size.show(), one.delivered.planned.show(), fits))
        pictures.append(growth_picture(one, say))
    if rows:
        head = (say("tier"), say("year"), say("required"), say("at planned fill"), say("verdict"))
        yield Section(
            id="growth", title=say("Growth"), table=Table(head=head, rows=tuple(rows)), pictures=tuple(pictures)
        )


def _cost(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    cost = plan.cost
    lines = []
    if cost.monthly is not None:
        lines.append(say("Storage: {sum} {currency} a month.", sum=f"{cost.monthly:,.0f}", currency=cost.currency))
    elif cost.lines:
        lines.append(
            say(
                "Known so far: {sum} {currency} a month. This is no total: prices are missing for {unknown}.",
                sum=f"{cost.known_monthly:,.0f}",
                currency=cost.currency,
                unknown=", ".join(cost.unknown),
            )
        )
    else:
        lines.append(say("No price is known: prices are missing for {unknown}.", unknown=", ".join(cost.unknown)))
    lines.append(
        say(
            "GPU hours lost in 30 days: {stall} to checkpoints, {lost} with lost work and restarts.",
            stall=f"{cost.stall_gpu_hours_per_30d:,.0f}",
            lost=f"{cost.lost_gpu_hours_per_30d:,.0f}",
        )
    )
    rows = tuple(
        (one.item, f"{one.quantity:,.6g} {one.per}", f"{one.price:,.6g}", f"{one.monthly:,.0f}", one.date, one.source)
        for one in cost.lines
    )
    head = (say("item"), say("quantity"), say("price"), say("a month"), say("date"), say("source"))
    yield Section(id="cost", title=say("Cost"), lines=tuple(lines), table=Table(head=head, rows=rows) if rows else None)


def _with_units(section: Section, units: tuple[NextUnit, ...], plan: Plan, say: Language) -> Section:
    """The cost section with what the next unit of money buys."""
    lines = []
    for one in units:
        price = "" if one.monthly is None else f" ({one.monthly:,.0f} {plan.cost.currency})"
        lines.append(
            say(
                "One more {backend} node{price}: read {read}, write {write}, op rate {ops}, capacity {capacity}.",
                backend=plan.tiers[one.tier].config.backend,
                price=price,
                read=one.read.show(),
                write=one.write.show(),
                ops=one.op_rate.show(),
                capacity=one.capacity.show(),
            )
        )
    return replace(section, lines=(*section.lines, *lines))


def _risks(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    rows = []
    for tier, survival in plan.survival.items():
        rebuild = survival.rebuild("node")
        rows.append(
            (
                word(say, words.TIERS, tier),
                f"< {survival.risk.total:.1e}",
                f"{survival.degraded_fraction:.2%}",
                "–" if rebuild is None else rebuild.loaded.show(),
                "–" if rebuild is None else say("yes") if rebuild.room else say("no"),
            )
        )
    if rows:
        head = (say("tier"), say("data loss in a year"), say("time degraded"), say("rebuild of a node"),
                say("room to rebuild"))  # fmt: skip
        yield Section(id="risks", title=say("Risks"), table=Table(head=head, rows=tuple(rows)))


def _findings(_plan: Plan, findings: tuple[Finding, ...], say: Language) -> Made:
    rows = tuple(
        (one.policy, say(words.LEVELS[one.level]), say(title_of(one.policy)) if title_of(one.policy) else one.message,
         _measure(one.required, one.unit), _measure(one.planned, one.unit))
        for one in findings
    )  # fmt: skip
    if rows:
        head = (say("rule"), say("level"), say("what it asks"), say("required"), say("planned"))
        yield Section(id="findings", title=say("Findings"), table=Table(head=head, rows=rows))


def _measure(value: float | None, unit: str) -> str:
    if value is None:
        return "–"
    if unit == "bytes":
        return Size(value).show()
    return f"{value:,.4g} {unit.replace('_per_', '/').replace('count', '')}".strip()


def _fixed(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    lines = tuple(
        f"{word(say, words.TIERS, tier)}: {choice}"
        for tier, one in plan.tiers.items()
        for choice in one.delivered.cannot_change_later
    )
    if lines:
        first = say("In the products' own words; a change of these means new file systems and copied data.")
        yield Section(id="fixed", title=say("What cannot change later"), lines=(first, *lines))


def _assumptions(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    defaults = sum(line.startswith("default ") for line in plan.assumptions)
    facts = [line for line in plan.assumptions if not line.startswith("default ")]
    line = say(
        "{facts} facts that nobody measured on this very system, and {defaults} defaults of the stack; the facts, with "
        "their sources:",
        facts=len(facts),
        defaults=defaults,
    )
    yield Section(id="assumptions", title=say("Assumptions"), lines=(line, *facts[:MOST_SOURCES]))


def _sources(plan: Plan, _findings: tuple[Finding, ...], say: Language) -> Made:
    sources = dict.fromkeys(one.source for one in plan.requirement.figures.values() if one.source)
    lines = [source for source in sources if "definition" not in source][:MOST_SOURCES]
    if lines:
        yield Section(id="sources", title=say("Sources of the formulas"), lines=tuple(lines))
