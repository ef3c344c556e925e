"""How the policies report: with both figures and what to change; what cannot be judged and what is waived as well."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import waiving
from evidence import Unjudged, judging
from tierplan.domain.plan import Finding
from tierplan.plan.rule import Spotted

if TYPE_CHECKING:
    from pulumi_policy import ReportViolation

Config = Mapping[str, object]


def report_findings(
    report: ReportViolation, findings: Callable[[], Iterator[Finding]], name: str, urn: str | None = None
) -> None:
    """Report each finding against one resource."""
    report_spotted(report, lambda: (Spotted(finding=finding, urn=urn) for finding in findings()), name, urn)


def report_spotted(
    report: ReportViolation, spotted: Callable[[], Iterator[Spotted]], name: str, urn: str | None = None
) -> None:
    """Report each finding against its resource; what cannot be judged is a finding too, and no waiver covers it."""
    try:
        with judging():
            for one in spotted():
                finding = one.finding
                if waiving.covering(finding.policy, finding.message) is None:
                    report(message_of(finding), one.urn)
    except Unjudged as reason:
        lines = str(reason).splitlines()
        report("\n".join([f"{name} cannot be judged: {lines[0]}", *lines[1:]]), urn)


def message_of(finding: Finding) -> str:
    """What people read of a finding."""
    return f"{finding.message}\nChange: {finding.remedy}" if finding.remedy else finding.message


def known_config(config: Config, names: tuple[str, ...]) -> Config:
    """The policy's configuration; a misspelt name in it would otherwise be ignored in silence."""
    unknown = sorted(set(config) - set(names))
    if unknown:
        allowed = ", ".join(names) or "none"
        message = f"the policy's configuration has {', '.join(unknown)}; allowed: {allowed}"
        raise Unjudged(message)
    return config


def factor_of(value: object) -> float:
    """The policy configuration's `factor`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 1:
        message = f"factor: {value!r}; a number from 1 up multiplies what is required"
        raise Unjudged(message)
    return float(value)
