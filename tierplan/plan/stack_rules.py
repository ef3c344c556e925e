"""The rules that one tier cannot answer alone: missing tiers, time targets, what the demand side noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tierplan.domain.need import Tier, TimeTarget
from tierplan.domain.plan import Finding
from tierplan.domain.stack import Stack
from tierplan.plan import (
    rules_budget,
    rules_cloud,
    rules_cold,
    rules_fabric,
    rules_lifecycle,
    rules_local,
    rules_survive,
)
from tierplan.plan.rule import TOLERANCE, PlanCase, StackRule, noticed, stack_rule
from tierplan.units import Bandwidth, Duration

LEAST_GOODPUT = 0.9  # Llama 3 405B on 16,384 GPUs kept above this: arXiv 2407.21783


def wanted_tiers(stack: Stack) -> tuple[Tier, ...]:
    """The tiers that a plan of this stack must have: all but those set to none."""
    pins: dict[Tier, str] = {"local": "local-nvme", "hot": stack.tiers.hot.backend, "cold": stack.tiers.cold.backend}
    return tuple(tier for tier, backend in pins.items() if backend != "none")


def missing_tiers(case: PlanCase) -> Iterator[Finding]:
    """Each tier that the stack wants is planned."""
    for tier in wanted_tiers(case.stack):
        if tier in case.tiers:
            continue
        reasons = [f"{r.backend}: {r.reason.removeprefix(f'{r.backend}: ')}" for r in case.rejections if r.tier == tier]
        yield Finding(
            policy="stack-tiers",
            level="mandatory",
            tier=tier,
            required=1,
            planned=0,
            unit="count",
            message=f"the {tier} tier cannot be planned; {'; '.join(reasons) or 'no backend fills it'}",
            remedy="change what the reasons name, or pin another backend",
        )


def client_bandwidth(case: PlanCase) -> Iterator[Finding]:
    """The busiest GPU node gets its share of the hot tier through its own ports and client."""
    hot = case.tiers.get("hot")
    if hot is None:
        return
    clients, ceiling = hot.need.clients, hot.delivered.healthy.client
    ports = case.fabric.client if case.fabric is not None and case.fabric.client is not None else clients.network
    given = ports if ceiling is None else min(ceiling, ports)
    for direction, wanted in (("read", clients.node_read), ("write", clients.node_write)):
        if given.base < wanted.base * (1 - TOLERANCE):
            yield Finding(
                policy="hot-client",
                level="mandatory",
                tier="hot",
                required=wanted.base,
                planned=given.base,
                unit="bytes_per_s",
                message=f"one GPU node gets at most {given.show()} of the hot tier, and {wanted.show()} of {direction} "
                f"are required of the busiest one (headroom included); {clients.ports} × "
                f"{clients.port_rate.show('Gbit/s')} {clients.transport}: more storage nodes do not help",
                remedy="more or faster storage ports or another transport for the GPU nodes, more nodes for the job, "
                "more time, or asynchronous checkpoints",
            )


def shared_network(case: PlanCase) -> Iterator[Finding]:
    """Ports that carry compute traffic too: what is planned for storage is said, unless the stack says it."""
    network, fabric = case.stack.cluster.storage_network, case.fabric
    if not network.shared_with_compute or (case.stack.fabric and case.stack.fabric.storage_share):
        return
    planned = (
        f"the fabric counts {fabric.storage_share:.0%} of them for storage (assumed)"
        if fabric is not None and fabric.known
        else "storage is planned as if it had them alone"
    )
    yield Finding(
        policy="advice-shared-network",
        level="advisory",
        message=f"the {network.ports} × {network.rate.show('Gbit/s')} of each GPU node carry compute traffic too; "
        f"what that takes is not known, and {planned}",
        remedy="write as fabric.storage_share what is left for storage"
        if fabric is not None and fabric.known
        else "write as storage_network.rate what is left for storage",
    )


def staff(case: PlanCase) -> Iterator[Finding]:
    """The people who run the storage are as many as the products ask for, and can read code where that is needed."""
    operations = case.stack.operations
    for tier, chosen in case.tiers.items():
        wanted, reads = chosen.suits.get("storage_engineers"), chosen.suits.get("reads_code")
        have = operations.storage_engineers
        if reads and not operations.can_read_storage_code:
            yield Finding(
                policy="advice-staff",
                level="advisory",
                tier=tier,
                required=1,
                planned=0,
                unit="count",
                message=f"{chosen.config.backend} is run by people who read and patch its code; the stack has none",
                remedy="hire them first, or take a system with a vendor behind it (tierplan compare)",
            )
        elif have is not None and isinstance(wanted, int | float) and have < wanted:
            yield Finding(
                policy="advice-staff",
                level="advisory",
                tier=tier,
                required=float(wanted),
                planned=float(have),
                unit="count",
                message=f"{chosen.config.backend} asks for {wanted:g} storage engineers, {have:g} are there",
                remedy="count the missing people as cost, or take a system that asks for fewer (tierplan compare)",
            )


def goodput(case: PlanCase) -> Iterator[Finding]:
    """A job whose goodput is poor at this interval is told so, with the interval that would be best."""
    for work in case.stack.workloads:
        found = case.outcome.get(f"{work.name}.checkpoint.goodput_fraction")
        best = case.outcome.get(f"{work.name}.checkpoint.optimal_interval_s")
        if found is not None and best is not None and found.number < LEAST_GOODPUT:
            yield Finding(
                policy="advice-goodput",
                level="advisory",
                required=LEAST_GOODPUT,
                planned=found.number,
                unit="fraction",
                message=f"{work.name}: {found.number:.0%} of the time is useful work; with this plan's stall an "
                f"interval of {Duration(best.number).show()} would lose least",
                remedy="write that interval, save asynchronously, or ask why the cluster is interrupted so often",
            )


def within_time(policy: str) -> Callable[[PlanCase], Iterator[Finding]]:
    """The rule that holds the planned duration against the time that the stack gives, without headroom."""

    def check(case: PlanCase) -> Iterator[Finding]:
        for target in case.requirement.time_targets:
            planned = _planned_time(case, target)
            if target.policy != policy or planned is None or planned <= target.within_s * (1 + TOLERANCE):
                continue
            endless, within = planned == float("inf"), Duration(target.within_s)
            yield Finding(
                policy=policy,
                level="mandatory",
                tier=target.tier,
                required=target.within_s,
                planned=None if endless else planned,
                unit="s",
                message=f"{target.figure}: {'it never ends' if endless else f'{Duration(planned).show()} planned'}, "
                f"{within.show()} allowed for {target.volume.show()} from the {target.tier} tier",
                remedy="add storage nodes, allow more time, or read less (restore once, fan out to peers)",
            )

    return check


def _planned_time(case: PlanCase, target: TimeTarget) -> float | None:
    """How long this plan takes, in seconds; without end where the tier reads nothing; None where it is not known."""
    figure, tier = case.outcome.get(target.figure), case.tiers.get(target.tier)
    if figure is not None:
        return figure.number
    return float("inf") if tier is not None and target.volume and not tier.delivered.healthy.read else None


def reference_bandwidth(case: PlanCase) -> Iterator[Finding]:
    """The hot tier gives what the chosen reference architecture names for a cluster of this size."""
    hot = case.tiers.get("hot")
    for direction in ("read", "write"):
        figure = case.outcome.get(f"reference.{direction}_bytes_per_s")
        if hot is None or figure is None:
            continue
        given = hot.delivered.healthy.read if direction == "read" else hot.delivered.healthy.write
        if given.base < figure.number * (1 - TOLERANCE):
            reference = case.stack.targets.reference
            name = (reference.catalogue if reference else None) or "the reference"
            yield Finding(
                policy="advice-reference",
                level="advisory",
                tier="hot",
                required=figure.number,
                planned=given.base,
                unit="bytes_per_s",
                message=f"{name} names {Bandwidth(figure.number).show()} of hot {direction} bandwidth for "
                f"{case.stack.cluster.gpus:,} GPUs, {given.show()} planned: a check, not the workloads' requirement",
                remedy="nothing, if the workloads are known; else plan for the reference until they are",
            )


CORE: tuple[StackRule, ...] = (
    stack_rule("stack-tiers", "mandatory", "critical", "Every tier that the stack wants is planned.", missing_tiers),
    stack_rule("hot-client", "mandatory", "high", "One GPU node gets its share of the hot tier.", client_bandwidth),
    stack_rule(
        "advice-shared-network", "advisory", "medium", "The storage ports carry storage traffic only.", shared_network
    ),
    stack_rule("advice-staff", "advisory", "medium", "There are the people that the products ask for.", staff),
    stack_rule("advice-goodput", "advisory", "medium", "Most of the time is useful work.", goodput),
    stack_rule("stack-requirement", "mandatory", "high", "The requirement is whole and means what it says."),
    stack_rule("advice-weights-only", "advisory", "high", "A checkpoint holds more than the weights."),
    stack_rule(
        "hot-restore-time",
        "mandatory",
        "high",
        "A job comes back within its time.",
        within_time("hot-restore-time"),
    ),
    stack_rule(
        "cold-restore-time",
        "mandatory",
        "high",
        "A job comes back from the archive within its time.",
        within_time("cold-restore-time"),
    ),
    stack_rule(
        "hot-load-time", "mandatory", "high", "A model is loaded within its time.", within_time("hot-load-time")
    ),
    stack_rule(
        "kv-reload-time", "mandatory", "high", "A session is back within its time.", within_time("kv-reload-time")
    ),
    stack_rule("local-memory", "mandatory", "high", "Staging fits the host memory."),
    stack_rule("local-endurance", "mandatory", "medium", "The local drives last under what is written to them."),
    stack_rule("cache-mode", "mandatory", "medium", "A claimed cache hit is backed by the cache mode."),
    stack_rule("kv-capacity", "mandatory", "high", "The KV cache fits where it is placed."),
    stack_rule("advice-async-checkpoint", "advisory", "low", "Asynchronous checkpoints would need less bandwidth."),
    stack_rule("advice-pack-files", "advisory", "low", "Small files belong in shards."),
    stack_rule("advice-local-nvme", "advisory", "low", "Each GPU node has four or more local drives."),
    stack_rule("advice-fan-out", "advisory", "low", "Peers can pass a model on."),
    stack_rule("advice-restore-once", "advisory", "low", "A restore reads each byte once."),
    stack_rule("advice-kv-recompute", "advisory", "low", "Reloading a session beats computing it anew."),
    stack_rule("advice-format", "advisory", "low", "The data format fits the access pattern."),
    stack_rule("advice-loader", "advisory", "low", "The data loader's workers and prefetch fit the node."),
    stack_rule("advice-activations", "advisory", "low", "What is not modelled is said."),
    stack_rule(
        "advice-reference",
        "advisory",
        "low",
        "The chosen reference architecture is reached.",
        reference_bandwidth,
    ),
    stack_rule("advice-stall-cost", "advisory", "low", "What the accepted stall costs is known."),
)

STACK_RULES: tuple[StackRule, ...] = (
    *CORE,
    *rules_local.STACK_RULES,
    *rules_cold.STACK_RULES,
    *rules_lifecycle.STACK_RULES,
    *rules_fabric.STACK_RULES,
    *rules_survive.STACK_RULES,
    *rules_cloud.STACK_RULES,
    *rules_budget.STACK_RULES,
)


def judge_stack(case: PlanCase) -> Iterator[Finding]:
    """Every stack rule; advice under a name that no rule has is passed on as well, so that nothing is lost."""
    for rule in STACK_RULES:
        yield from rule.check(case)
    known = {rule.name for rule in STACK_RULES}
    for policy in sorted({advice.policy for advice in case.requirement.advice} - known):
        yield from noticed(policy)(case)
