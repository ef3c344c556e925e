"""
Waivers: findings that somebody answers for until a date, kept apart from the stack that they concern.

A waiver names one rule and one stack.  It is refused when its date has passed, when there is no such rule, and when
the rule guards against the loss of data.  A finding that is waived is still shown, with who waived it and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date

from tierplan.domain.plan import Finding
from tierplan.errors import InputError
from tierplan.plan.program_rules import PROGRAM_RULES
from tierplan.plan.rule import ProgramRule, Rule, Severity, StackRule
from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES

HOLDER = "stack-waivers"
"""The policy in whose configuration waivers are written, and that reports those which are refused."""
NEVER_WAIVED: Severity = "critical"
DURABILITY = frozenset({"survive-durability", "cold-durability"})
"""Rules over how likely data is lost: a lower target is for the stack to say, not for a waiver."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """Who answers for which finding of which stack, why, and until what day (that day included)."""

    rule: str
    stack: str
    reason: str
    owner: str
    until: date

    def __str__(self) -> str:
        return f"waived until {self.until} by {self.owner}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waived:
    """A finding with the waiver that covers it."""

    finding: Finding
    waiver: Waiver


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The findings that count, and those that are waived."""

    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...]
    unused: tuple[Waiver, ...]
    """In force, but there is nothing to waive."""


def read_waivers(configuration: object) -> tuple[Waiver, ...]:
    """
    The waivers of a policy configuration: ``{"stack-waivers": {"waivers": [{rule, stack, reason, owner, until}]}}``.

    Raises:   InputError with one line for each fault
    """
    holder = configuration.get(HOLDER, {}) if isinstance(configuration, Mapping) else None
    if not isinstance(holder, Mapping | str):
        message = f"{HOLDER}: not a map; write {{{HOLDER!r}: {{'waivers': [...]}}}}"
        raise InputError(message)
    return waivers_of(holder.get("waivers", ()) if isinstance(holder, Mapping) else ())


def waivers_of(rows: object) -> tuple[Waiver, ...]:
    """
    The waivers of a list of rows.

    Raises:   InputError with one line for each fault
    """
    if not isinstance(rows, list | tuple):
        message = f"{HOLDER}.waivers: {rows!r} is no list"
        raise InputError(message)
    faults: list[str] = []
    found = [_waiver(row, f"{HOLDER}.waivers[{index}]", faults) for index, row in enumerate(rows)]
    if faults:
        raise InputError(faults)
    return tuple(one for one in found if one is not None)


def _waiver(row: object, path: str, faults: list[str]) -> Waiver | None:
    names = [field.name for field in fields(Waiver)]
    if not isinstance(row, Mapping):
        faults.append(f"{path}: {row!r} is no map with the keys {', '.join(names)}")
        return None
    before = len(faults)
    faults.extend(f"{path}.{key}: unknown key; allowed: {', '.join(names)}" for key in row if key not in names)
    for name in names:
        value = row.get(name)
        if not isinstance(value, str) or not value.strip():
            faults.append(f"{path}.{name}: {'missing' if value is None else f'{value!r} is no text'}")
    until = None if len(faults) > before else _day(row["until"])
    if until is None:
        if len(faults) == before:
            faults.append(f'{path}.until: {row["until"]!r} is no day; write e.g. "2027-01-31"')
        return None
    return Waiver(rule=row["rule"], stack=row["stack"], reason=row["reason"], owner=row["owner"], until=until)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def severities() -> Mapping[str, Severity]:
    """Each rule's severity by its name."""
    rules: tuple[Rule | StackRule | ProgramRule, ...] = (*RULES, *STACK_RULES, *PROGRAM_RULES)
    return {rule.name: rule.severity for rule in rules}


def never_waived(rule: str, severity: Severity) -> bool:
    """Whether a rule guards against the loss of data, or of a whole tier."""
    return severity == NEVER_WAIVED or rule in DURABILITY


def fault_of(waiver: Waiver, *, today: date, severity: Mapping[str, Severity]) -> str | None:
    """Why a waiver is refused, or None."""
    if waiver.rule not in severity:
        return f"there is no rule {waiver.rule}"
    if never_waived(waiver.rule, severity[waiver.rule]):
        return f"{waiver.rule} guards against the loss of data or of a whole tier, and is never waived"
    if waiver.until < today:
        return f"it ended on {waiver.until}"
    return None


def refused(
    waivers: Iterable[Waiver], *, stack: str, today: date, severity: Mapping[str, Severity]
) -> Iterator[Finding]:
    """A finding for each waiver of this stack that does not hold."""
    for one in waivers:
        reason = fault_of(one, today=today, severity=severity) if one.stack == stack else None
        if reason:
            yield Finding(
                policy=HOLDER,
                level="mandatory",
                message=f"the waiver of {one.rule} for {stack} by {one.owner} is refused: {reason}",
                remedy="mend what the rule finds, or have the waiver reviewed anew; else take it out",
            )


def in_force(
    waivers: Iterable[Waiver], *, stack: str, today: date, severity: Mapping[str, Severity]
) -> Mapping[str, Waiver]:
    """The waivers of this stack that hold, by rule."""
    return {
        one.rule: one for one in waivers if one.stack == stack and fault_of(one, today=today, severity=severity) is None
    }


def settle(findings: Iterable[Finding], waivers: Iterable[Waiver], *, stack: str, today: date) -> Settled:
    """Take out of the findings what is waived, and add what is wrong with the waivers themselves."""
    severity, listed = severities(), tuple(waivers)
    holding = in_force(listed, stack=stack, today=today, severity=severity)
    kept, waived = [], []
    for finding in findings:
        if finding.policy in holding:
            waived.append(Waived(finding=finding, waiver=holding[finding.policy]))
        else:
            kept.append(finding)
    used = {one.finding.policy for one in waived}
    wrong = refused(listed, stack=stack, today=today, severity=severity)
    return Settled(
        findings=(*wrong, *kept),
        waived=tuple(waived),
        unused=tuple(waiver for rule, waiver in holding.items() if rule not in used),
    )
