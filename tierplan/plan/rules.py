"""
The rules that a plan is judged by: one small function each, shared by the command line and the policy pack.

A rule takes a `TierCase` (what is needed, what was chosen, what that delivers) and yields findings, each with
both figures, what binds and what to change.  It never reads a figure that says "ok".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tierplan.domain.plan import Finding
from tierplan.domain.tiers import NEVER, Degraded, Rates
from tierplan.plan import rules_cloud, rules_cold, rules_lifecycle, rules_local, rules_survive
from tierplan.plan.rule import ANY, COLD, HOT, LOCAL, SERVED, TOLERANCE, Rule, TierCase, illegal, short, tier_rule
from tierplan.units import Bandwidth, OpRate, Size


def phase_load(rates: Rates, *, read: Bandwidth, write: Bandwidth) -> float:
    """
    The share of a tier that a phase takes.

    Formula:  read / rates.read + write / rates.write
    Assumes:  reads and writes share drives, cores and ports in proportion
    """
    load = 0.0
    for asked, given in ((read, rates.read), (write, rates.write)):
        if asked:
            load += asked / given if given else float("inf")
    return load


def _count(case: TierCase, constraint: str) -> str:
    asked, cloud = case.delivered.counts.get(constraint), case.delivered.cloud
    planned = case.config.nodes if cloud is None else cloud.size
    if asked is None or asked <= planned:
        return ""
    if asked >= NEVER:
        return f"no {'number of nodes of this kind' if cloud is None else 'size of this class'} would do; "
    if cloud is not None:
        return f"{asked:,} {cloud.unit} of this class would do (planned: {planned:,.10g}); "
    return f"{asked} nodes of this kind would do (planned: {planned}); "


def _what(case: TierCase) -> str:
    """What is planned, in a few words."""
    cloud = case.delivered.cloud
    if cloud is None:
        return f"{case.config.nodes} × {case.config.backend}"
    return f"{cloud},"


def _more(case: TierCase, *, drives: bool = False) -> str:
    """What there could be more of."""
    if case.delivered.cloud is not None:
        return "take a larger size" if drives else "take a larger size or a faster class"
    return "add nodes, take larger drives" if drives else "add storage nodes"


def _bandwidth(
    case: TierCase, rule: str, direction: str, *, required: Bandwidth, planned: Bandwidth, limit: str
) -> Iterator[Finding]:
    required = required * case.factor
    if not short(required, planned):
        return
    tier = case.need.tier
    yield Finding(
        policy=rule,
        level="mandatory",
        tier=tier,
        required=required.base,
        planned=planned.base,
        unit="bytes_per_s",
        message=f"{tier} {direction} bandwidth: {planned.show()} planned, {required.show()} required "
        f"(headroom included); {_what(case)} limited by {limit}",
        remedy=_count(case, direction) + _bandwidth_remedy(limit, direction),
    )


def _bandwidth_remedy(limit: str, direction: str) -> str:
    words = {
        "node ports": "add storage nodes, or more or faster ports to each",
        "media": "add storage nodes or drives, or take faster drives",
        "cpu": "give each storage node more cores, or add nodes",
        "memory": "give each storage node more memory, or add nodes",
        "clients": "give the GPU nodes more or faster storage ports",
        "protocol": "use a client path that carries more, or add nodes",
        "class": "take a faster class or a larger size",
        "quota": "have the quota raised",
        "quote": "ask the vendor for a larger system",
    }
    ask = "" if direction == "read" else "; asynchronous checkpoints ask for much less write bandwidth"
    return words.get(limit, "add storage nodes") + ask


def read_bandwidth(case: TierCase) -> Iterator[Finding]:
    """The tier reads at least what the largest phase asks."""
    rates = case.delivered.healthy
    yield from _bandwidth(
        case,
        f"{case.need.tier}-read-bandwidth",
        "read",
        required=case.need.read,
        planned=rates.read,
        limit=rates.read_limited_by,
    )


def write_bandwidth(case: TierCase) -> Iterator[Finding]:
    """The tier writes at least what the largest phase asks."""
    rates = case.delivered.healthy
    rule = "cold-ingest" if case.need.tier == "cold" else f"{case.need.tier}-write-bandwidth"
    yield from _bandwidth(
        case, rule, "write", required=case.need.write, planned=rates.write, limit=rates.write_limited_by
    )


def op_rate(case: TierCase) -> Iterator[Finding]:
    """The tier's metadata rate is at least what the largest phase asks."""
    required: OpRate = case.need.op_rate * case.factor
    planned = case.delivered.healthy.op_rate
    if short(required, planned):
        yield Finding(
            policy=f"{case.need.tier}-op-rate",
            level="mandatory",
            tier=case.need.tier,
            required=required.base,
            planned=planned.base,
            unit="ops_per_s",
            message=f"{case.need.tier} op rate: {planned.show()} planned, {required.show()} required "
            f"(headroom included); limited by {case.delivered.healthy.op_rate_limited_by}",
            remedy=_count(case, "metadata") + "pack small files into shards, or add metadata capacity",
        )


def phases(case: TierCase) -> Iterator[Finding]:
    """Each phase fits: read/Read + write/Write ≤ 1."""
    rates = case.delivered.healthy
    for phase in case.need.phases:
        load = min(NEVER, phase_load(rates, read=phase.read * case.factor, write=phase.write * case.factor))
        if load > 1 + TOLERANCE:
            yield Finding(
                policy=f"{case.need.tier}-phases",
                level="mandatory",
                tier=case.need.tier,
                required=load,
                planned=1.0,
                unit="fraction",
                message=f"{case.need.tier} phase {phase.name}: reads {phase.read.show()} of {rates.read.show()} and "
                f"writes {phase.write.show()} of {rates.write.show()} take {_times(load)} of the tier; 1 is all",
                remedy=_count(case, "phases") + f"{_more(case)}, or keep the reads on the local tier",
            )


def _times(load: float) -> str:
    return "more than any share" if load >= NEVER else f"{load:.2f}"


def override(case: TierCase) -> Iterator[Finding]:
    """Where measured figures stand in for the catalogue's, that is said."""
    measured = case.config.measured
    if measured is not None:
        least = min(measured.read_fraction, measured.write_fraction, measured.op_rate_fraction)
        yield Finding(
            policy="advice-override",
            level="advisory",
            tier=case.need.tier,
            required=1.0,
            planned=least,
            unit="fraction",
            message=f"{case.config.backend} is planned with what was measured: read {measured.read_fraction:.0%}, "
            f"write {measured.write_fraction:.0%}, op rate {measured.op_rate_fraction:.0%} of the prediction "
            f"({measured.source})",
            remedy="measure again after a change of the system; take the figures out when they are no longer its own",
        )


def capacity(case: TierCase) -> Iterator[Finding]:
    """What is stored in the last year fits at planned fill."""
    required: Size = case.need.capacity * case.factor
    planned = case.delivered.planned
    if short(required, planned):
        tier = case.need.tier
        fill = case.delivered.planned_fill_fraction
        yield Finding(
            policy=f"{tier}-capacity",
            level="mandatory",
            tier=tier,
            required=required.base,
            planned=planned.base,
            unit="bytes",
            message=f"{tier} capacity: {planned.show()} at planned fill {fill:.0%} "
            f"(usable {case.delivered.usable.show()} of raw {case.delivered.raw.show()}), {required.show()} required",
            remedy=_count(case, "capacity") + f"{_more(case, drives=True)}, or keep fewer checkpoints",
        )


def refetchable(case: TierCase) -> Iterator[Finding]:
    """Nothing stands only on local drives that cannot be fetched again."""
    yield from illegal("local-refetchable")(case)
    for load in case.need.irreplaceable:
        yield Finding(
            policy="local-refetchable",
            level="mandatory",
            tier="local",
            required=0,
            planned=1,
            unit="count",
            message=f"{load}: its newest copy stands on the drives of one GPU node only; 1 such load, 0 are allowed",
            remedy="land it on the hot tier, or copy it to a peer (first_landing: peer)",
        )


NO_RACK = "no count of nodes helps: take a product that spreads or mirrors data over racks, or write racks: 0 (survive)"


def losses(nodes: int, racks: int) -> str:
    """``1 node and 2 racks``."""
    counted = [(nodes, "node"), (racks, "rack")]
    return " and ".join(f"{count} {word}{'s' if count > 1 else ''}" for count, word in counted if count) or "nothing"


def _survived(case: TierCase) -> Degraded | None:
    """The state after the losses that the stack wants survived."""
    wanted = case.need.survive
    for state in case.delivered.degraded:
        if (state.nodes, state.racks) == (wanted.nodes, wanted.racks):
            return state
    return None


def survive_losses(*, racks: bool) -> Callable[[TierCase], Iterator[Finding]]:
    """No data is lost with the nodes (or racks) that the stack wants survived."""
    word = "racks" if racks else "nodes"

    def check(case: TierCase) -> Iterator[Finding]:
        wanted = case.need.survive
        count = wanted.racks if racks else wanted.nodes
        state = _survived(case)
        if count and state is not None and state.data_lost:
            layout, tier, kept = case.config.layout, case.need.tier, case.delivered.protection
            bound = kept.rack_bound if kept is not None and racks else ""
            why = bound or f"layout {layout} over failure domain {layout.failure_domain} does not survive that"
            remedy = f"more parity units or replicas, failure domain {word.removesuffix('s')}, or more {word}"
            if case.delivered.cloud is not None:
                why, remedy = f"{case.delivered.cloud} is not replicated", "take a class that is replicated"
            yield Finding(
                policy=f"survive-{word}",
                level="mandatory",
                tier=case.need.tier,
                required=count,
                planned=0,
                unit="count",
                message=f"{tier}: data is lost with {losses(wanted.nodes, wanted.racks)} gone at once; {why}",
                remedy=NO_RACK if bound else remedy,
            )

    return check


def survive_bandwidth(case: TierCase) -> Iterator[Finding]:
    """After the losses that are survived, `degraded_fraction` of the requirement (before headroom) is still there."""
    state = _survived(case)
    if state is None:
        return
    for direction, required, planned in (
        ("read", case.need.degraded_read, state.read),
        ("write", case.need.degraded_write, state.write),
    ):
        if short(required * case.factor, planned):
            yield Finding(
                policy="survive-bandwidth",
                level="mandatory",
                tier=case.need.tier,
                required=required.base * case.factor,
                planned=planned.base,
                unit="bytes_per_s",
                message=f"{case.need.tier} {direction} bandwidth with {losses(state.nodes, state.racks)} lost: "
                f"{planned.show()} planned, {(required * case.factor).show()} required",
                remedy=_count(case, "degraded") + "add storage nodes",
            )


CORE: tuple[Rule, ...] = (
    tier_rule("hot-read-bandwidth", "high", "The hot tier reads as fast as the workloads ask.", HOT, read_bandwidth),
    tier_rule("hot-write-bandwidth", "high", "The hot tier writes as fast as the workloads ask.", HOT, write_bandwidth),
    tier_rule(
        "hot-op-rate", "high", "The hot tier opens, creates and stats as fast as the workloads ask.", HOT, op_rate
    ),
    tier_rule("hot-phases", "high", "Reads and writes of each phase fit the hot tier together.", HOT, phases),
    tier_rule("hot-capacity", "high", "The hot tier holds what is stored, at planned fill.", HOT, capacity),
    tier_rule(
        "hot-layout", "critical", "The hot tier's layout is one that the product allows.", HOT, illegal("hot-layout")
    ),
    tier_rule(
        "hot-node", "high", "The storage nodes have the cores, memory and ports they need.", HOT, illegal("hot-node")
    ),
    tier_rule(
        "local-refetchable", "critical", "Nothing irreplaceable stands on local drives only.", LOCAL, refetchable
    ),
    tier_rule("local-capacity", "high", "The local drives hold what is placed on them.", LOCAL, capacity),
    tier_rule("local-write-bandwidth", "high", "The local drives take what lands on them.", LOCAL, write_bandwidth),
    tier_rule("local-read-bandwidth", "high", "The local drives feed what is read from them.", LOCAL, read_bandwidth),
    tier_rule("local-phases", "high", "Reads and writes of each phase fit the local drives together.", LOCAL, phases),
    tier_rule("cold-capacity", "high", "The cold tier holds what is archived, at planned fill.", COLD, capacity),
    tier_rule("cold-ingest", "high", "The cold tier takes in what is archived.", COLD, write_bandwidth),
    tier_rule("cold-read-bandwidth", "high", "The cold tier reads as fast as the workloads ask.", COLD, read_bandwidth),
    tier_rule("cold-op-rate", "high", "The cold tier answers as many requests as the workloads ask.", COLD, op_rate),
    tier_rule("cold-phases", "high", "Reads and writes of each phase fit the cold tier together.", COLD, phases),
    tier_rule(
        "cold-layout",
        "critical",
        "The cold tier's layout is one that the product allows.",
        COLD,
        illegal("cold-layout"),
    ),
    tier_rule(
        "cold-node", "high", "The object storage nodes have the cores and memory they need.", COLD, illegal("cold-node")
    ),
    tier_rule("survive-nodes", "critical", "No data is lost with the nodes lost.", SERVED, survive_losses(racks=False)),
    tier_rule("survive-racks", "critical", "No data is lost with the racks lost.", SERVED, survive_losses(racks=True)),
    tier_rule("survive-bandwidth", "high", "Enough bandwidth is left after the losses.", SERVED, survive_bandwidth),
    tier_rule("local-layout", "high", "The local tier's options are known ones.", LOCAL, illegal("local-layout")),
    tier_rule("advice-override", "medium", "Measured figures stand in for the catalogue's.", ANY, override),
    tier_rule("advice-node", "low", "The nodes are what the product's vendor advises.", SERVED, illegal("advice-node")),
    tier_rule(
        "advice-narrow-layout",
        "low",
        "The layout leaves no room to rebuild.",
        SERVED,
        illegal("advice-narrow-layout"),
    ),
)

RULES: tuple[Rule, ...] = (
    *CORE,
    *rules_local.RULES,
    *rules_cold.RULES,
    *rules_lifecycle.RULES,
    *rules_survive.RULES,
    *rules_cloud.RULES,
)


def judge_tier(case: TierCase) -> Iterator[Finding]:
    """Every rule of the case's tier, in the order of `RULES`."""
    for rule in RULES:
        if case.need.tier in rule.tiers:
            yield from rule.check(case)
