"""The rules of the fabric between drives and GPUs."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.domain.fabric import FabricPhase, FabricPlan
from tierplan.domain.plan import Finding
from tierplan.plan.rule import TOLERANCE, PlanCase, StackRule, stack_rule


def fabric_bandwidth(case: PlanCase) -> Iterator[Finding]:
    """Every link carries every phase, as far as the tiers themselves can serve it."""
    fabric = case.fabric
    if fabric is None:
        return
    for fault in fabric.faults:
        yield Finding(
            policy="fabric-bandwidth",
            level="mandatory",
            message=f"no fabric can be built: {fault}",
            remedy="switches with more ports, fewer or faster ports of machines, or another oversubscription",
            required=1,
            planned=0,
            unit="count",
        )
    for phase in fabric.phases:
        if phase.rebuilds is None and phase.load_fraction > 1 + TOLERANCE:
            yield _overloaded(fabric, phase)


def _overloaded(fabric: FabricPlan, phase: FabricPhase) -> Finding:
    return Finding(
        policy="fabric-bandwidth",
        level="mandatory",
        required=phase.required.base,
        planned=phase.carried.base,
        unit="bytes_per_s",
        message=f"phase {phase.name}: {phase.link}, must carry {phase.required.show()} (headroom included) and carry "
        f"{phase.carried.show()} over {fabric.transport}",
        remedy=_remedy(phase.link),
    )


def _remedy(link: str) -> str:
    if link.startswith("uplinks"):
        return "a lower oversubscription (more uplinks on each leaf), or leave fabric.oversubscription out"
    if "GPU node" in link:
        return "more or faster storage ports for the GPU nodes, or a larger storage_share of them"
    return "more or faster ports for the storage nodes, or more of them"


def fabric_cut(case: PlanCase) -> Iterator[Finding]:
    """The fabric carries all that the tiers give, and a rebuild beside the phases; times are planned with the cut."""
    phases = case.fabric.phases if case.fabric is not None else ()
    whole = all(phase.load_fraction <= 1 + TOLERANCE for phase in phases if phase.rebuilds is None)
    for phase in phases if whole else ():  # else the phase itself does not fit, and that is said
        if phase.rebuilds is not None and phase.load_fraction > 1 + TOLERANCE:
            yield Finding(
                policy="advice-fabric",
                level="advisory",
                tier=phase.rebuilds,
                required=phase.required.base,
                planned=phase.carried.base,
                unit="bytes_per_s",
                message=f"phase {phase.name}: {phase.link}, would carry {phase.required.show()} of "
                f"{phase.carried.show()}: a rebuild within a day does not fit beside it, and takes longer",
                remedy=_remedy(phase.link),
            )
    for path in case.fabric.paths if case.fabric is not None and case.fabric.known else ():
        rates = case.tiers[path.tier].delivered.healthy
        for cut, given in ((path.read, rates.read), (path.write, rates.write)):
            if cut.carries.base < given.base * (1 - TOLERANCE):
                yield Finding(
                    policy="advice-fabric",
                    level="advisory",
                    tier=path.tier,
                    required=given.base,
                    planned=cut.carries.base,
                    unit="bytes_per_s",
                    message=f"the {path.tier} tier gives {given.show()}; {cut.words}; times are planned with that",
                    remedy=f"one more {cut.one_more}, or fewer storage nodes",
                )


STACK_RULES: tuple[StackRule, ...] = (
    stack_rule("fabric-bandwidth", "mandatory", "high", "The fabric carries every phase.", fabric_bandwidth),
    stack_rule("advice-fabric", "advisory", "low", "The fabric carries all that the tiers give.", fabric_cut),
)
