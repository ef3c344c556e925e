"""The requirement: loads of every year become what each tier must carry, with the sentence why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tierplan.demand import growth, near
from tierplan.demand.advice import advice
from tierplan.demand.combine import Moment, largest, moments
from tierplan.demand.loads import asked_by
from tierplan.demand.loads_capacity import Capacities, capacities
from tierplan.demand.sheet import Asked, shared_tier
from tierplan.domain.figures import Ledger
from tierplan.domain.need import TIERS, Clients, Load, Requirement, Tier, TierNeed
from tierplan.domain.stack import Stack, Training
from tierplan.units import Bandwidth, OpRate, Size


def requirement(stack: Stack) -> Requirement:
    """
    Everything that the workloads of a stack ask of its tiers, every figure with its trail.

    Raises:   InputError, by name, where a formula has no answer (a stall of no time, a model of no size)
    """
    ledger = Ledger()
    asked: dict[int, Asked] = {}
    for year in growth.years(stack):
        now = growth.stack_in(stack, year, ledger)
        asked[year] = asked_by(now, ledger, f".year_{year}" if year else "")
    stored = capacities(stack, ledger, asked)
    return Requirement(
        figures=ledger.figures,
        loads=_in_order(stack, asked[0]),
        needs={tier: _need(stack, tier, asked, stored) for tier in TIERS},
        time_targets=asked[0].targets,
        advice=advice(stack, ledger.figures, asked[0]),
    )


def _in_order(stack: Stack, asked: Asked) -> tuple[Load, ...]:
    """Today's loads workload by workload; those of the local tier with what all nodes that carry them do together."""
    place = {work.name: index for index, work in enumerate(stack.workloads)}

    def whole_load(load: Load) -> Load:
        nodes = stack.cluster.gpu_nodes if load.nodes is None else min(load.nodes, stack.cluster.gpu_nodes)
        return replace(load, read=load.node_read * nodes, write=load.node_write * nodes)

    whole = [whole_load(load) if load.tier == "local" else load for load in asked.loads]
    return tuple(sorted(whole, key=lambda load: place.get(load.id.partition(".")[0], len(place))))


def base_phase(stack: Stack, tier: Tier) -> str:
    """The name of the moment without any burst."""
    if tier == "cold" and shared_tier(stack) != "cold":
        return "archive"
    return "training" if any(isinstance(work, Training) for work in stack.workloads) else "serving"


def _need(stack: Stack, tier: Tier, asked: Mapping[int, Asked], stored: Capacities) -> TierNeed:
    headroom, local = stack.targets.headroom, tier == "local"
    nodes = {year: stack.cluster.gpu_nodes if local else growth.nodes_in(stack, year) for year in asked}
    base = base_phase(stack, tier)
    years = [moments(asked[year].loads, tier, gpu_nodes=nodes[year], base=base) for year in asked]
    busy = largest(years)
    phases = tuple(moment.after(headroom) for moment in busy)
    degraded = 0.0 if local else stack.targets.degraded_fraction
    by_year = tuple(size * (stack.cluster.gpu_nodes if local else 1) for size in stored.by_year[tier])
    written = max(one.written.get(tier, Size.zero()) for one in asked.values())
    return TierNeed(
        tier=tier,
        read=max(phase.read for phase in phases),
        write=max(phase.write for phase in phases),
        op_rate=max(phase.op_rate for phase in phases),
        capacity=max(by_year),
        phases=phases,
        capacity_by_year=by_year,
        files=stored.files if tier == shared_tier(stack) else 0.0,
        degraded_read=max(moment.read for moment in busy) * degraded,
        degraded_write=max(moment.write for moment in busy) * degraded,
        max_fill=stack.targets.max_fill,
        survive=stack.targets.survive,
        racks=stack.site.racks,
        clients=_clients(stack, busy, gpu_nodes=max(nodes.values())),
        irreplaceable=asked[0].irreplaceable if local else (),
        written_per_day=written * (stack.cluster.gpu_nodes if local else 1),
        annual_loss_probability=None if local else stack.targets.annual_loss_probability,
        because=(
            *_why(busy, headroom),
            *_which_year(list(asked), years),
            *_placed(stack, tier),
            *_alike(tier, asked[0]),
            *asked[0].because.get(tier, ()),
        ),
    )


def _clients(stack: Stack, busy: Sequence[Moment], *, gpu_nodes: int) -> Clients:
    network, headroom = stack.cluster.storage_network, stack.targets.headroom
    return Clients(
        gpu_nodes=gpu_nodes,
        ports=network.ports,
        port_rate=network.rate,
        transport=network.transport,
        cpu_cores=stack.cluster.cpu_cores,
        node_read=max(moment.node_read for moment in busy) * headroom,
        node_write=max(moment.node_write for moment in busy) * headroom,
    )


def _why(busy: Sequence[Moment], headroom: float) -> Iterator[str]:
    """For each direction the moment that decides, and what loads it is made of."""
    for word, pick in (("read", _read), ("write", _write), ("op rate", _op_rate)):
        top = max(busy, key=pick)
        rate = pick(top)
        if not rate:
            continue
        parts = dict.fromkeys(load.because for load in top.loads if load.because and _part(load, word))
        listed = "; ".join(parts)
        yield f"{word} {(rate * headroom).show()} = {rate.show()} in phase {top.name} × headroom {headroom:g}: {listed}"


def _part(load: Load, word: str) -> bool:
    """Whether a load asks anything in this direction."""
    if word == "read":
        return bool(load.read or load.node_read)
    return bool(load.write or load.node_write) if word == "write" else bool(load.op_rate)


def _read(moment: Moment) -> Bandwidth:
    return moment.read


def _write(moment: Moment) -> Bandwidth:
    return moment.write


def _op_rate(moment: Moment) -> OpRate:
    return moment.op_rate


def _which_year(numbers: Sequence[int], years: Sequence[tuple[Moment, ...]]) -> Iterator[str]:
    """The year that asks for most, where there are several."""
    if len(numbers) == 1:
        return
    for word, pick in (("read", _read), ("write", _write)):
        tops = [max(pick(moment).base for moment in year) for year in years]
        if max(tops) > tops[0]:
            yield f"{word}: year {numbers[tops.index(max(tops))]} asks for most"


def _alike(tier: Tier, asked: Asked) -> Iterator[str]:
    """How one node's drives are shared, and that no node borrows drives of another."""
    words = near.share_words(asked) if tier == "local" else ""
    if words:
        yield f"the drives of one GPU node hold: {words}"
        yield "counted as if every GPU node were as busy as the busiest: no node borrows the drives of another"


def _placed(stack: Stack, tier: Tier) -> Iterator[str]:
    """What the absence of a hot tier brings to this one."""
    if shared_tier(stack) != "cold":
        return
    words = {
        "local": "no hot tier: its loads come here as far as tiers.local.use permits",
        "cold": "no hot tier: what the local drives may not hold is read and written here",
        "hot": "no hot tier: tiers.hot.backend is none",
    }
    yield words[tier]
