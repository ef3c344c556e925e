"""
What the policies do: one for each rule of the core, so that a gate and a command line can never disagree.

A resource policy judges what one tier, one raw resource or the requirement says of itself, before anything is
created; a stack policy what only the whole can tell.  The rule's own name, title, level and severity are the policy's.

    python policies/rules.py        after a change of the rules: writes policies/index.json
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import parts
import waiving
from evidence import choices, configuration, configured, judged, plain, stated, whole
from foreign import found, is_ours, owned_tokens
from pack import Entry, Kind, Validate, ValidateStack, write_index
from parts import parts_findings
from program import alone, together
from reporting import factor_of, known_config, report_findings, report_spotted
from tamper import requirement_findings
from tierplan import wire
from tierplan.domain.plan import Finding, Level
from tierplan.domain.tiers import TierPlan
from tierplan.plan.program_rules import PROGRAM_RULES
from tierplan.plan.rule import PlanCase, ProgramRule, Registered, Rule, Severity, Spotted, StackRule, TierCase
from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES, judge_stack
from tierplan.plan.waivers import HOLDER

if TYPE_CHECKING:
    from pulumi_policy import PolicyResource, ReportViolation, ResourceValidationArgs, StackValidationArgs

OURS = "stack-requirement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a policy says of itself that has no rule in the core."""

    name: str
    level: Level
    severity: Severity
    title: str


WAIVERS = Words(name=HOLDER, level="mandatory", severity="high", title="Every waiver is in force and may be given.")
WAIVED = Words(name="advice-waived", level="advisory", severity="medium", title="What is waived, by whom and why.")
PARTS = Words(
    name=parts.PARTS, level="mandatory", severity="high", title="The parts of a storage follow from its tiers."
)
UNSTATED = Words(
    name="advice-requirement",
    level="advisory",
    severity="medium",
    title="Something says what a file system or object store must carry.",
)


def tier_policy(rule: Rule) -> Validate:
    """What judges a tier's inputs, or a raw resource that is a tier, by one rule."""

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if is_ours(args):
            report_findings(report, partial(_foreign_findings, rule, args), args.name)
        elif wire.TIER_OF.get(args.resource_type) in rule.tiers:
            report_findings(report, partial(_tier_findings, rule, args), args.name)
        else:
            args.not_applicable("another kind of resource")

    return validate


def _tier_findings(rule: Rule, args: ResourceValidationArgs) -> Iterator[Finding]:
    config = known_config(args.get_config(), ("factor", "required"))
    factor = factor_of(config.get("factor", 1))
    properties = plain(args.props)
    if "nodes" not in properties and properties.get("rejections"):
        args.not_applicable("no product fits; stack-tiers says why")
    yield from rule.check(_case(judged(args.resource_type, properties, config.get("required")), factor))


def _foreign_findings(rule: Rule, args: ResourceValidationArgs) -> Iterator[Finding]:
    """What the rule says of a raw resource, and has not said of the tier of ours that it is a part of."""
    config = known_config(args.get_config(), ("factor", "required"))
    factor, one = factor_of(config.get("factor", 1)), found(args, config.get("required"))
    if one.plan.config.tier in rule.tiers:
        said = {finding.message for finding in rule.check(_case(one.above, factor))} if one.above else set()
        yield from (finding for finding in rule.check(_case(one.plan, factor)) if finding.message not in said)


def _case(tier: TierPlan, factor: float) -> TierCase:
    return TierCase(need=tier.need, config=tier.config, delivered=tier.delivered, factor=factor)


def unstated_policy(args: ResourceValidationArgs, report: ReportViolation) -> None:
    """Tell that nothing says what a raw file system or object store must carry."""
    if not is_ours(args):
        args.not_applicable("another kind of resource")
    report_findings(report, partial(_unstated_findings, args), args.name)


def _unstated_findings(args: ResourceValidationArgs) -> Iterator[Finding]:
    one = found(args, known_config(args.get_config(), ("factor", "required")).get("required"))
    if not one.stated:
        gives = one.plan.delivered.healthy
        yield Finding(
            policy=UNSTATED.name,
            level=UNSTATED.level,
            message=f"{args.name}: nothing says what it must carry, so only its legality is judged; it reads "
            f"{gives.read.show()}, writes {gives.write.show()} and holds {one.plan.delivered.usable.show()}",
            remedy=f"plan it with a {wire.NAMESPACE} configuration, or state `required` in the policies' configuration",
        )


def requirement_policy(rule: StackRule) -> Validate:
    """What judges that which a `TieredStorage` asks for; under the name of `OURS` also that nobody states it easier."""
    tokens = (wire.STORAGE, wire.REQUIREMENT, *wire.TIER_OF) if rule.name == OURS else (wire.STORAGE,)

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if args.resource_type not in tokens:
            args.not_applicable("another kind of resource")
        report_findings(report, partial(_requirement_findings, rule, args), args.name)

    return validate


def _requirement_findings(rule: StackRule, args: ResourceValidationArgs) -> Iterator[Finding]:
    known_config(args.get_config(), ())
    properties = plain(args.props)
    if rule.name == OURS:
        yield from requirement_findings(args.resource_type, properties)
    if args.resource_type == wire.STORAGE:
        stack, requirement = configured() or stated(properties.get("spec"))
        case = PlanCase(stack=stack, requirement=requirement, tiers={}, outcome={})
        yield from of_level(rule.check(case), rule.level)


def of_level(findings: Iterator[Finding], level: Level) -> Iterator[Finding]:
    """The findings that a policy of this level may report: it gives all of them its own level."""
    return (finding for finding in findings if finding.level == level)


def other_findings(level: Level) -> Callable[[PlanCase], Iterator[Finding]]:
    """What the whole plan has on this level that no rule of the level reports: nothing is lost between two levels."""
    known = {rule.name for rule in STACK_RULES if rule.level == level}

    def check(case: PlanCase) -> Iterator[Finding]:
        for finding in judge_stack(case):
            if finding.policy not in known:
                yield replace(finding, message=f"{finding.policy}: {finding.message}")

    return check


OTHER = (
    StackRule(
        name="stack-other",
        level="mandatory",
        severity="high",
        title="Nothing else stands against the plan.",
        check=other_findings("mandatory"),
    ),
    StackRule(
        name="advice-other",
        level="advisory",
        severity="low",
        title="What else is worth knowing.",
        check=other_findings("advisory"),
    ),
)


def stack_policy(rule: StackRule) -> ValidateStack:
    """What judges a whole plan by one rule: all tiers of each `TieredStorage`."""

    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        storages: list[PolicyResource | None] = [one for one in args.resources if one.resource_type == wire.STORAGE]
        if not storages and not configuration():
            args.not_applicable("nothing of ours")
        for storage in storages or [None]:
            urn = storage.urn if storage else None
            findings = partial(_stack_findings, rule, storage, args)
            report_findings(report, findings, storage.name if storage else "the stack", urn)

    return validate


def _stack_findings(rule: StackRule, storage: PolicyResource | None, args: StackValidationArgs) -> Iterator[Finding]:
    known_config(args.get_config(), ())
    yield from of_level(rule.check(_plan_case(storage, args)), rule.level)


def _plan_case(storage: PolicyResource | None, args: StackValidationArgs) -> PlanCase:
    tiers = [one for one in args.resources if one.resource_type in wire.TIER_OF and _belongs(one, storage)]
    said = ("prices",) if configuration() else ("spec", "prices")  # the configuration comes before the spec
    asked = {key: value for key in said if storage and (value := storage.props.get(key)) is not None}
    return whole(plain(asked), tuple((one.resource_type, choices(one.props)) for one in tiers))


def _belongs(resource: PolicyResource, storage: PolicyResource | None) -> bool:
    return storage is None or (resource.parent is not None and resource.parent.urn == storage.urn)


def parts_policy(args: StackValidationArgs, report: ReportViolation) -> None:
    """What judges the parts that each `TieredStorage` registers beside its tiers."""
    storages = [one for one in args.resources if one.resource_type == wire.STORAGE]
    if not storages:
        args.not_applicable("no storage of ours")
    for storage in storages:
        report_findings(report, partial(_parts, storage, args), storage.name, storage.urn)


def _parts(storage: PolicyResource, args: StackValidationArgs) -> Iterator[Finding]:
    known_config(args.get_config(), ())
    children = [one for one in args.resources if _belongs(one, storage)]
    yield from parts_findings(_plan_case(storage, args), together(children))


def program_policy(rule: ProgramRule) -> ValidateStack:
    """What judges all resources of a program by one rule."""

    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        if not any(one.resource_type in rule.tokens for one in args.resources):
            args.not_applicable("nothing that it judges")
        report_spotted(report, lambda: _spotted(rule, args.get_config(), together(args.resources)), "the program")

    return validate


def alone_policy(rule: ProgramRule) -> Validate:
    """What judges one resource of a program by one rule, before it is made."""

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if args.resource_type not in rule.tokens:
            args.not_applicable("another kind of resource")
        report_spotted(report, lambda: _spotted(rule, args.get_config(), (alone(args),)), args.name)

    return validate


def _spotted(rule: ProgramRule, config: Mapping[str, object], resources: tuple[Registered, ...]) -> Iterator[Spotted]:
    known_config(config, ())
    return (one for one in rule.check(resources) if one.finding.level == rule.level)


def waivers_policy(args: ResourceValidationArgs, report: ReportViolation) -> None:
    """Keep the waivers for the other policies, and tell once which of them are refused."""
    config = args.get_config()
    waiving.configure(config.get("waivers", []), args.urn)
    if not waiving.first_time():
        args.not_applicable("told with the first resource")
    report_findings(report, lambda: _refused(config), "the list of waivers")


def _refused(config: Mapping[str, object]) -> Iterator[Finding]:
    known_config(config, ("waivers",))
    return waiving.refused()


def waived_policy(args: StackValidationArgs, report: ReportViolation) -> None:
    """Show every finding that was waived: the last policy of the pack."""
    known_config(args.get_config(), ())
    report_findings(report, waiving.shown, "the list of waivers")


BY_REQUIREMENT = tuple(rule for rule in STACK_RULES if rule.from_requirement)
BY_WHOLE = (*(rule for rule in STACK_RULES if not rule.from_requirement), *OTHER)
ALONE = tuple(rule for rule in PROGRAM_RULES if rule.alone)
TOGETHER = tuple(rule for rule in PROGRAM_RULES if not rule.alone)
RESOURCE: Mapping[str, Validate] = {
    WAIVERS.name: waivers_policy,
    **{rule.name: tier_policy(rule) for rule in RULES},
    UNSTATED.name: unstated_policy,
    **{rule.name: requirement_policy(rule) for rule in BY_REQUIREMENT},
    **{rule.name: alone_policy(rule) for rule in ALONE},
}
STACK: Mapping[str, ValidateStack] = {
    **{rule.name: stack_policy(rule) for rule in BY_WHOLE},
    **{rule.name: program_policy(rule) for rule in TOGETHER},
    PARTS.name: parts_policy,
    WAIVED.name: waived_policy,
}


def index() -> list[Entry]:
    """What the pack must say of its policies before it judges anything, in the order in which they are asked."""
    kinds: list[tuple[Kind, Iterable[Words | Rule | StackRule | ProgramRule]]] = [
        ("waivers", [WAIVERS]),
        ("tier", RULES),
        ("foreign", [UNSTATED]),
        ("requirement", BY_REQUIREMENT),
        ("alone", ALONE),
        ("stack", BY_WHOLE),
        ("program", TOGETHER),
        ("parts", [PARTS]),
        ("waived", [WAIVED]),
    ]
    return [
        Entry(name=rule.name, kind=kind, level=rule.level, severity=rule.severity, title=rule.title)
        for kind, rules in kinds
        for rule in rules
    ]


if __name__ == "__main__":
    write_index(index(), owned_tokens())
