"""
What the policies do: one for each rule of the core, so that a gate and a command line can never disagree.

A resource policy judges what one tier, or the requirement, says of itself, before anything is created; a stack
policy what only the whole can tell.  The rule's own name, title, level and severity are the policy's.

    python policies/rules.py        after a change of the rules: writes policies/index.json
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evidence import Unjudged, configuration, configured, judged, judging, plain, stated, whole
from pack import Entry, Kind, Validate, ValidateStack, write_index
from tamper import requirement_findings
from tierplan import wire
from tierplan.domain.plan import Finding, Level
from tierplan.plan.rule import PlanCase, Rule, StackRule, TierCase
from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES, judge_stack

if TYPE_CHECKING:
    from pulumi_policy import PolicyResource, ReportViolation, ResourceValidationArgs, StackValidationArgs

OURS = "stack-requirement"
Config = Mapping[str, object]


def tier_policy(rule: Rule) -> Validate:
    """What judges a tier's inputs by one rule."""

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if wire.TIER_OF.get(args.resource_type) not in rule.tiers:
            args.not_applicable("another kind of resource")
        _report(report, partial(_tier_findings, rule, args), args.name)

    return validate


def _tier_findings(rule: Rule, args: ResourceValidationArgs) -> Iterator[Finding]:
    config = _known(args.get_config(), ("factor", "required"))
    factor = _factor(config.get("factor", 1))
    properties = plain(args.props)
    if "nodes" not in properties and properties.get("rejections"):
        args.not_applicable("no product fits; stack-tiers says why")
    tier = judged(args.resource_type, properties, config.get("required"))
    yield from rule.check(TierCase(need=tier.need, config=tier.config, delivered=tier.delivered, factor=factor))


def requirement_policy(rule: StackRule) -> Validate:
    """What judges that which a `TieredStorage` asks for; under the name of `OURS` also that nobody states it easier."""
    tokens = (wire.STORAGE, wire.REQUIREMENT, *wire.TIER_OF) if rule.name == OURS else (wire.STORAGE,)

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if args.resource_type not in tokens:
            args.not_applicable("another kind of resource")
        _report(report, partial(_requirement_findings, rule, args), args.name)

    return validate


def _requirement_findings(rule: StackRule, args: ResourceValidationArgs) -> Iterator[Finding]:
    _known(args.get_config(), ())
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
            _report(report, findings, storage.name if storage else "the stack", urn)

    return validate


def _stack_findings(rule: StackRule, storage: PolicyResource | None, args: StackValidationArgs) -> Iterator[Finding]:
    _known(args.get_config(), ())
    tiers = [one for one in args.resources if one.resource_type in wire.TIER_OF and _belongs(one, storage)]
    spec = plain(storage.props).get("spec") if storage else None
    case = whole(spec, tuple((one.resource_type, plain(one.props)) for one in tiers))
    yield from of_level(rule.check(case), rule.level)


def _belongs(resource: PolicyResource, storage: PolicyResource | None) -> bool:
    return storage is None or (resource.parent is not None and resource.parent.urn == storage.urn)


def _known(config: Config, names: tuple[str, ...]) -> Config:
    """The policy's configuration; a misspelt name in it would otherwise be ignored in silence."""
    unknown = sorted(set(config) - set(names))
    if unknown:
        allowed = ", ".join(names) or "none"
        message = f"the policy's configuration has {', '.join(unknown)}; allowed: {allowed}"
        raise Unjudged(message)
    return config


def _factor(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        message = f"factor: {value!r}; a number from 1 up multiplies what is required"
        raise Unjudged(message)
    return float(value)


def _report(
    report: ReportViolation, findings: Callable[[], Iterator[Finding]], name: str, urn: str | None = None
) -> None:
    """Report each finding; what cannot be judged is a finding too."""
    try:
        with judging():
            for finding in findings():
                report(_message(finding), urn)
    except Unjudged as reason:
        lines = str(reason).splitlines()
        report("\n".join([f"{name} cannot be judged: {lines[0]}", *lines[1:]]), urn)


def _message(finding: Finding) -> str:
    return f"{finding.message}\nChange: {finding.remedy}" if finding.remedy else finding.message


BY_REQUIREMENT = tuple(rule for rule in STACK_RULES if rule.from_requirement)
BY_WHOLE = (*(rule for rule in STACK_RULES if not rule.from_requirement), *OTHER)
RESOURCE: Mapping[str, Validate] = {rule.name: tier_policy(rule) for rule in RULES} | {
    rule.name: requirement_policy(rule) for rule in BY_REQUIREMENT
}
STACK: Mapping[str, ValidateStack] = {rule.name: stack_policy(rule) for rule in BY_WHOLE}


def index() -> list[Entry]:
    """What the pack must say of its policies before it judges anything: see `pack.py`."""
    kinds: list[tuple[Kind, Iterable[Rule | StackRule]]] = [
        ("tier", RULES),
        ("requirement", BY_REQUIREMENT),
        ("stack", BY_WHOLE),
    ]
    return [
        Entry(name=rule.name, kind=kind, level=rule.level, severity=rule.severity, title=rule.title)
        for kind, rules in kinds
        for rule in rules
    ]


if __name__ == "__main__":
    write_index(index())
