"""Survival of the tiers of a plan: states, rebuilds, quorums, risk and availability put together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from tierplan.domain.fabric import FabricPlan, LeafGroup
from tierplan.domain.figures import Figure, Known, Ledger
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import Stack, Training
from tierplan.domain.survival import Failures, Rebuild, State, Survival
from tierplan.domain.tiers import TierPlan
from tierplan.layout import tolerance
from tierplan.survival import availability
from tierplan.survival.book import Book
from tierplan.survival.rebuilds import rebuilds
from tierplan.survival.risk import risk
from tierplan.survival.services import services
from tierplan.survival.states import states
from tierplan.units import Duration, Size

SERVED: tuple[Tier, ...] = ("hot", "cold")


def survival_of_all(
    stack: Stack,
    requirement: Requirement,
    tiers: Mapping[Tier, TierPlan],
    failures: Failures,
    *,
    outcome: Mapping[str, Figure],
    fabric: FabricPlan | None,
) -> dict[Tier, Survival]:
    """Survival of each tier that protects data itself."""
    leafs, found = storage_leafs(fabric), dict[Tier, Survival]()
    for tier in SERVED:
        plan = tiers.get(tier)
        survival = of_tier(plan, failures, leafs=leafs) if plan else None
        if survival is not None:
            found[tier] = survival
    if "hot" in found:
        stalls, read = _stalled(stack, outcome), _restored(stack, requirement)
        waiting = _waiting(tiers["hot"], found["hot"], gpus=stack.cluster.gpus, stalls=stalls, read=read)
        found["hot"] = replace(found["hot"], figures={**found["hot"].figures, **waiting})
    return found


def storage_leafs(fabric: FabricPlan | None) -> LeafGroup | None:
    """The leaf switches of the storage nodes, where a fabric is planned."""
    groups = fabric.leafs if fabric is not None and fabric.known else ()
    return next((group for group in groups if group.serves in ("storage", "all")), None)


def of_tier(plan: TierPlan, failures: Failures, *, leafs: LeafGroup | None = None) -> Survival | None:
    """Survival of one tier; None where a service keeps the data, or nobody."""
    kept = plan.delivered.protection
    if kept is None:
        return None
    book = Book(plan=plan, kept=kept, failures=failures, ledger=Ledger(), leafs=leafs)
    made = rebuilds(book)
    drive = next((one for one in made if one.of == "drive"), None)
    node = next((one for one in made if one.of == "node"), None)
    return Survival(
        states=states(book),
        rebuilds=made,
        services=tuple(services(plan.config, plan.delivered)),
        risk=risk(book, drive=drive, node=node),
        degraded_fraction=_degraded(book, drive=drive, node=node),
        down_fraction=_down(book),
        fatal_beyond=fatal_beyond(book),
        rack_bound=kept.rack_bound,
        figures=book.ledger.figures,
    )


def fatal_beyond(book: Book) -> float:
    """
    Of all losses of one node more than is borne, the share that loses data.

    Pairs are tried one by one where they are few; groups that are counted lie at random, by symmetry; where stripes lie
    on any nodes, every such loss is fatal.
    """
    nodes, kept = book.config.nodes, book.kept
    lost = book.nodes_tolerated + 1
    if lost > nodes:
        return 1.0
    if kept.keeps_on_loss:
        pairs = [(one, one + 1) for one in range(0, nodes - 1, 2)]
        if math.comb(nodes, lost) <= tolerance.MOST_TRIED:
            return tolerance.fatal_share(pairs, members=nodes, tolerated=1, lost=lost)
        return len(pairs) / math.comb(nodes, lost)
    if kept.groups is None or kept.domains != nodes:
        return 1.0
    groups = kept.groups
    if kept.repair == "replacement":  # chains: the same sets of nodes for each place of a drive in its node
        groups = max(1, groups // max(1, book.node.drives))
    return tolerance.fatal_share_of_random(
        groups=groups, width=min(nodes, kept.domains_needed), members=nodes, tolerated=lost - 1, lost=lost
    )


def _degraded(book: Book, *, drive: Rebuild | None, node: Rebuild | None) -> float:
    facts, origin = book.failures.node, f"figure {book.tier}.survival"
    exposed = Known(drive.exposed, f"{origin}.drive_exposed_s") if drive else Known(Duration.zero(), "constant")
    again = Known(node.loaded, f"{origin}.node_rebuild_loaded_s") if node else Known(Duration.zero(), "constant")
    return book.figure(
        "degraded_fraction",
        availability.degraded_fraction,
        drives=Known(book.drives, f"plan tiers.{book.tier}"),
        annual_failures=book.fact(book.drive.annual_failures, book.medium),
        drive_exposed=exposed,
        nodes=book.chosen(book.config.nodes, "node_count"),
        outages_per_year=book.fact(facts.per_year, "node"),
        outage=book.fact(facts.duration, "node"),
        node_rebuild=again,
    ).value


def _down(book: Book) -> float:
    facts, kept, origin = book.failures, book.kept, f"plan tiers.{book.tier}"
    by_rack = book.config.layout.failure_domain == "rack"
    serving = kept.serving
    if book.config.layout.failure_domain == "drive" and not kept.keeps_on_loss:
        serving //= max(1, book.node.drives)
    fatal = (1 if by_rack else book.nodes_in_a_rack) > serving
    if kept.copies > 1:
        fatal = book.racks < 2
    fatal = fatal or bool(kept.rack_bound)
    return book.figure(
        "down_fraction",
        availability.down_fraction,
        groups=Known(max(1, book.config.nodes // 2) if kept.keeps_on_loss else 1, origin),
        domains=Known(min(2, book.config.nodes) if kept.keeps_on_loss else book.config.nodes, f"{origin}.node_count"),
        serving=Known(serving, f"{origin}.layout"),
        outages_per_year=book.fact(facts.node.per_year, "node"),
        outage=book.fact(facts.node.duration, "node"),
        fatal_racks=Known(book.racks if fatal else 0, f"{origin}.racks"),
        rack_outages_per_year=book.fact(facts.rack.per_year, "rack"),
        rack_outage=book.fact(facts.rack.duration, "rack"),
    ).value


def _waiting(plan: TierPlan, survival: Survival, *, gpus: int, stalls: float, read: Size) -> Mapping[str, Figure]:
    """The figures of GPU-hours that wait for the hot tier, and of the time until all jobs are back at once."""
    ledger = Ledger()
    ledger.figure(
        "hot.survival.lost_gpu_hours_per_year",
        availability.lost_gpu_hours,
        gpus=Known(gpus, "stack cluster"),
        down_fraction=Known(survival.down_fraction, "figure hot.survival.down_fraction"),
        degraded_fraction=Known(survival.degraded_fraction, "figure hot.survival.degraded_fraction"),
        stall_gpu_hours_per_30d=Known(stalls, "figure <workload>.checkpoint.stall_gpu_hours_per_30d"),
        slowdown=Known(_slowdown(plan, survival.states), "plan tiers.hot.degraded"),
    )
    bandwidth = plan.delivered.healthy.read
    if read and bandwidth:
        ledger.figure(
            "hot.survival.restart_storm_s",
            availability.restart_storm,
            read=Known(read, "figure <workload>.restore.read_bytes"),
            bandwidth=Known(bandwidth, "plan tiers.hot.healthy"),
        )
    return ledger.figures


def _stalled(stack: Stack, outcome: Mapping[str, Figure]) -> float:
    """GPU-hours in 30 days that wait for synchronous checkpoints on the hot tier."""
    total = 0.0
    for work in stack.workloads:
        if isinstance(work, Training) and work.checkpoint is not None:
            figure = outcome.get(f"{work.name}.checkpoint.stall_gpu_hours_per_30d")
            if figure is not None and work.checkpoint.mode == "sync" and work.checkpoint.first_landing == "hot":
                total += figure.number
    return total


def _slowdown(plan: TierPlan, known: tuple[State, ...]) -> float:
    """How many times longer a write takes with one node lost; 1 where nothing is left: that counts as down."""
    state = next((one for one in known if one.lost == "node"), None)
    if state is None or not state.write:
        return 1.0
    return max(1.0, plan.delivered.healthy.write / state.write)


def _restored(stack: Stack, requirement: Requirement) -> Size:
    """What all running jobs read to come back."""
    figures, total = requirement.figures, Size.zero()
    for work in stack.workloads:
        if not isinstance(work, Training):
            continue
        volume = figures.get(f"{work.name}.restore.read_bytes") or figures.get(f"{work.name}.checkpoint.size_bytes")
        running = figures.get(f"{work.name}.jobs.running")
        if volume is not None:
            total += Size(volume.number * (running.number if running is not None else 1))
    return total
