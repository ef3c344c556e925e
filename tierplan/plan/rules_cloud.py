"""The rules of managed services, and of the raw resources of a cloud in anybody's program."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan import backends
from tierplan.domain.plan import Finding
from tierplan.domain.stack import Stack, Training
from tierplan.plan.program_cloud import PROGRAM_RULES
from tierplan.plan.rule import SERVED, PlanCase, Rule, StackRule, illegal, stack_rule, tier_rule

__all__ = ["PROGRAM_RULES", "RULES", "STACK_RULES"]


def scratch(case: PlanCase) -> Iterator[Finding]:
    """Nothing that exists nowhere else stands on a file system that is not replicated."""
    hot = case.tiers.get("hot")
    kind = "" if hot is None or hot.delivered.cloud is None else hot.delivered.cloud.class_name
    if not kind.startswith("SCRATCH"):
        return
    for what in _only_copies(case.stack):
        yield Finding(
            policy="cloud-scratch",
            level="mandatory",
            tier="hot",
            required=0,
            planned=1,
            unit="count",
            message=f"{what} would stand on {kind}, which is not replicated: a lost file server loses its files",
            remedy="write deployment_type: PERSISTENT_2, or keep only what can be fetched again on the hot tier",
        )


def _only_copies(stack: Stack) -> Iterator[str]:
    """What the hot tier holds that cannot be fetched again."""
    for work in stack.workloads:
        if isinstance(work, Training) and work.checkpoint is not None:
            yield f"the newest checkpoint of {work.name}"
    if stack.capacity.home:
        yield f"home ({stack.capacity.home.show()})"


def network_ids(case: PlanCase) -> Iterator[Finding]:
    """The stack names the network that the service is made in."""
    site, hot = case.stack.site, case.tiers.get("hot")
    if hot is None or hot.delivered.cloud is None or site.kind == "on-prem":
        return
    missing = [key for key in backends.needed_ids(hot.config) if key not in site.network]
    if missing:
        yield Finding(
            policy="advice-network",
            level="advisory",
            tier="hot",
            required=len(missing),
            planned=0,
            unit="count",
            message=f"site.network names no {', '.join(missing)}: the plan holds, but nothing can be created",
            remedy=f"write site.network: {{{', '.join(f'{key}: …' for key in missing)}}} with the ids of what exists",
        )


def quotas(case: PlanCase) -> Iterator[Finding]:
    """What goes beyond an account's default quotas is said: it takes days to have them raised."""
    for tier, chosen in case.tiers.items():
        cloud = chosen.delivered.cloud
        for line in cloud.beyond_quota if cloud is not None else ():
            yield Finding(
                policy="advice-quota",
                level="advisory",
                tier=tier,
                message=f"{chosen.config.backend}: default quota exceeded: {line}",
                remedy="ask for a higher quota before `pulumi up`",
            )


def copies(case: PlanCase) -> Iterator[Finding]:
    """Home directories on a managed file system have a second copy: a backup, or a bucket."""
    hot = case.tiers.get("hot")
    told = backends.second_copy(hot.config) if hot is not None and case.stack.capacity.home else None
    if told is not None and not told[0]:
        yield Finding(
            policy="advice-backup",
            level="advisory",
            tier="hot",
            message="home stands on the file system alone: no backups, no linked bucket",
            remedy=told[1],
        )


RULES: tuple[Rule, ...] = (
    tier_rule("cloud-size", "high", "The size is one that the service sells.", SERVED, illegal("cloud-size")),
    tier_rule("cloud-class", "high", "The class and its words go together.", SERVED, illegal("cloud-class")),
    tier_rule(
        "cloud-growth",
        "high",
        "What is chosen on the first day can become the last year's.",
        SERVED,
        illegal("cloud-growth"),
    ),
    tier_rule("cloud-efa", "high", "EFA is set where it is wanted.", SERVED, illegal("cloud-efa")),
    tier_rule("cloud-backup", "high", "Backups are ones that the service makes.", SERVED, illegal("cloud-backup")),
    tier_rule(
        "cloud-repository", "high", "Linked buckets and directories are apart.", SERVED, illegal("cloud-repository")
    ),
    tier_rule("advice-efa", "low", "A fast file system is reached over EFA.", SERVED, illegal("advice-efa")),
    tier_rule("advice-cloud", "low", "Where sources disagree, both are known.", SERVED, illegal("advice-cloud")),
)
STACK_RULES: tuple[StackRule, ...] = (
    stack_rule("cloud-scratch", "mandatory", "critical", "Nothing irreplaceable stands on scratch.", scratch),
    stack_rule("advice-network", "advisory", "low", "The network of the service is named.", network_ids),
    stack_rule("advice-quota", "advisory", "medium", "The account's quotas allow the plan.", quotas),
    stack_rule("advice-backup", "advisory", "low", "Home directories have a second copy.", copies),
)
