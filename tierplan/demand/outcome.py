"""The outcome: everything that a plan gives to its workloads, as figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tierplan.demand.outcome_cold import out_of_cold
from tierplan.demand.outcome_training import trained
from tierplan.demand.reference import referred
from tierplan.demand.result import Result, computed_again, full, loaded, planned, reloaded, shared_of
from tierplan.domain.figures import Figure, Ledger
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import KvCache, ModelLoad, Stack, Training, Workload
from tierplan.domain.tiers import TierPlan
from tierplan.units import Duration


def outcome(stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan]) -> Mapping[str, Figure]:
    """
    What this plan gives: stall, goodput, restore, epochs, loads and reloads, years until it is full.

    Figures of a tier that is absent, or that gives nothing at all, are absent.
    """
    ledger = Ledger()
    seen = planned(stack, requirement, tiers)
    shared = shared_of(stack, seen)
    for index, work in enumerate(stack.workloads):
        result = Result(stack=stack, requirement=requirement, ledger=ledger, path=f"workloads[{index}]", name=work.name)
        match work:
            case Training():
                trained(result, work, seen, shared)
                if shared is not None and shared.tier != "cold" and "cold" in seen:
                    out_of_cold(result, work, seen["cold"])
            case ModelLoad() if shared is not None:
                loaded(result, work, shared)
            case KvCache():
                computed_again(result, work)
                reloaded(result, work, seen)
            case _:
                pass
    full(stack, requirement, tiers, ledger)
    referred(stack, ledger)
    return {name: figure for name, figure in ledger.figures.items() if ".jobs." not in name}  # those are required


def settled(stack: Stack, requirement: Requirement) -> Stack:
    """
    The stack with each `auto` interval as the one that the requirement was worked out with.

    The overhead becomes the share of that interval which its stall takes, so that the settled stack asks for
    exactly the same bandwidth.
    """
    return replace(stack, workloads=tuple(_settled(work, requirement) for work in stack.workloads))


def _settled(work: Workload, requirement: Requirement) -> Workload:
    if not isinstance(work, Training) or work.checkpoint is None or work.checkpoint.interval != "auto":
        return work
    interval = Duration(requirement.figures[f"{work.name}.checkpoint.interval_s"].number)
    stall = Duration(requirement.figures[f"{work.name}.checkpoint.allowed_stall_s"].number)
    overhead = work.checkpoint.overhead if work.checkpoint.mode == "async" else stall / interval
    return replace(work, checkpoint=replace(work.checkpoint, interval=interval, overhead=overhead))
