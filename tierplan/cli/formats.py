"""
Findings in the forms that reviews show beside the lines of a change: SARIF 2.1.0, GitLab's code quality, JUnit.

A stack that says of itself `tierplan:expect: refused`, and is checked against that, has its findings told as expected.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree as ET

from tierplan import __version__
from tierplan.cli.anchors import line_of
from tierplan.domain.plan import Finding, Plan
from tierplan.plan.rule import Severity
from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES
from tierplan.plan.waivers import Waived

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
INPUT = "stack-input"
EXPECTED = "the stack says tierplan:expect: refused"
NOT_REFUSED = f"{EXPECTED}, and it passes → change the stack, or what it says of itself"
FAULT = re.compile(r"(?P<file>.+?):(?:(?P<line>\d+):)? (?P<message>.*)", re.DOTALL)
GITLAB: Mapping[Severity, str] = {"low": "minor", "medium": "major", "high": "critical", "critical": "blocker"}
UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """One stack that was judged."""

    file: str
    plan: Plan
    findings: tuple[Finding, ...]
    waived: tuple[Waived, ...] = ()
    expected: bool = False
    """Whether the stack is to be refused, and that is what is checked."""
    wrong: bool = False
    """Whether the verdict is not what it has to be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Result:
    """One finding at its line, or one fault of a file that could not be read."""

    policy: str
    level: str
    message: str
    file: str
    line: int
    stack: str
    accepted: str = ""  # why it does not count


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    title: str
    severity: Severity
    level: str


def sarif(reported: Sequence[Reported], faults: Sequence[str], *, strict: bool) -> str:
    """SARIF 2.1.0: one run; findings that do not count are suppressed, with the reason."""
    known = _rules()
    results = list(_results(reported, faults))
    names = sorted(known.keys() | {result.policy for result in results})
    places = {name: index for index, name in enumerate(names)}
    document = {
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "tierplan",
                        "semanticVersion": __version__,
                        "rules": [_sarif_rule(name, known) for name in names],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder that tierplan was run in."}}},
                "results": [_sarif_result(result, places[result.policy], strict=strict) for result in results],
            }
        ],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def gitlab(reported: Sequence[Reported], faults: Sequence[str], *, strict: bool) -> str:
    """GitLab's code quality report: a list; a finding that does not count is `info`."""
    known, seen, issues = _rules(), set[str](), list[dict[str, object]]()
    for result in _results(reported, faults):
        rule = known.get(result.policy)
        severity = GITLAB[rule.severity if rule else "high"]
        if result.level == "advisory" and not strict:
            severity = "minor"
        issues.append(
            {
                "description": _told(result),
                "check_name": result.policy,
                "fingerprint": _unused(_fingerprint(result), seen),
                "severity": "info" if result.accepted else severity,
                "location": {"path": result.file, "lines": {"begin": result.line}},
            }
        )
    return json.dumps(issues, indent=1, ensure_ascii=False)


def junit(reported: Sequence[Reported], faults: Sequence[str], *, strict: bool) -> str:
    """JUnit: a suite for each stack, a case for each rule; what is expected or waived is skipped with the reason."""
    suites = [_suite(one, strict=strict) for one in reported]
    suites += [_input_suite(file, group) for file, group in _by_file(faults).items()]
    root = ET.Element("testsuites", name="tierplan")
    for name in ("tests", "failures", "errors", "skipped"):
        root.set(name, str(sum(int(suite.get(name, "0")) for suite in suites)))
    root.extend(suites)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode")


WRITERS: Mapping[str, Callable[..., str]] = {"sarif": sarif, "gitlab": gitlab, "junit": junit}


def _rules() -> dict[str, _Rule]:
    found = {rule.name: _Rule(title=rule.title, severity=rule.severity, level=rule.level) for rule in RULES}
    found |= {rule.name: _Rule(title=rule.title, severity=rule.severity, level=rule.level) for rule in STACK_RULES}
    return found | {INPUT: _Rule(title="The stack file can be read.", severity="critical", level="mandatory")}


def _results(reported: Iterable[Reported], faults: Iterable[str]) -> Iterator[_Result]:
    for one in reported:
        for finding in one.findings:
            expected = one.expected and finding.level == "mandatory" and not one.wrong
            yield _result(one, finding, EXPECTED if expected else "")
        for waived in one.waived:
            yield _result(one, waived.finding, str(waived.waiver))
        if one.wrong and one.expected:
            yield _Result(
                policy="stack-expect",
                level="mandatory",
                message=NOT_REFUSED,
                file=one.file,
                line=one.plan.stack.lines.get("expect", 1),
                stack=one.plan.stack.name,
            )
    for fault in faults:
        file, line, message = _place(fault)
        yield _Result(policy=INPUT, level="mandatory", message=message, file=file, line=line, stack=file)


def _result(one: Reported, finding: Finding, accepted: str) -> _Result:
    return _Result(
        policy=finding.policy,
        level=finding.level,
        message=f"{finding.message}{f' → {finding.remedy}' if finding.remedy else ''}",
        file=one.file,
        line=line_of(finding, one.plan.stack),
        stack=one.plan.stack.name,
        accepted=accepted,
    )


def _place(fault: str) -> tuple[str, int, str]:
    """File, line and message of a fault as the reader of stacks words it."""
    match = FAULT.fullmatch(fault)
    return (match["file"], int(match["line"] or 1), match["message"]) if match else ("stdin", 1, fault)


def _told(result: _Result) -> str:
    return f"{result.message}{f' (does not count: {result.accepted})' if result.accepted else ''}"


def _sarif_rule(name: str, known: Mapping[str, _Rule]) -> dict[str, object]:
    rule = known.get(name)
    level = "warning" if rule is not None and rule.level == "advisory" else "error"
    found: dict[str, object] = {"id": name, "defaultConfiguration": {"level": level}}
    return found | ({"shortDescription": {"text": rule.title}} if rule else {})


def _sarif_result(result: _Result, place: int, *, strict: bool) -> dict[str, object]:
    level = "error" if result.level == "mandatory" or strict else "warning"
    location = {
        "artifactLocation": {"uri": _uri(result.file), "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": result.line},
    }
    found: dict[str, object] = {
        "ruleId": result.policy,
        "ruleIndex": place,
        "level": level,
        "message": {"text": result.message},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {"tierplanFinding/v1": _fingerprint(result)},
    }
    if result.accepted:
        kind = "inSource" if result.accepted == EXPECTED else "external"
        found["suppressions"] = [{"kind": kind, "justification": result.accepted}]
    return found


def _uri(file: str) -> str:
    return quote(file.replace("\\", "/"))


def _fingerprint(result: _Result) -> str:
    """The same finding in the next run, though its figures or its line may differ."""
    words = re.sub(r"(?<![\w-])[\d.,]+", "#", result.message)
    return _hash(f"{result.policy}\n{result.stack}\n{result.file}\n{words}")


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _unused(fingerprint: str, seen: set[str]) -> str:
    """GitLab drops the second of two equal fingerprints."""
    while fingerprint in seen:
        fingerprint = _hash(fingerprint)
    seen.add(fingerprint)
    return fingerprint


def _suite(one: Reported, *, strict: bool) -> ET.Element:
    name = one.plan.stack.name
    suite = ET.Element("testsuite", name=name, file=one.file)
    results = list(_results([one], []))
    for policy in sorted(_rules().keys() - {INPUT} | {result.policy for result in results}):
        said = [result for result in results if result.policy == policy]
        suite.append(_case(name, policy, said, strict=strict))
    return _counted(suite)


def _case(stack: str, policy: str, said: Sequence[_Result], *, strict: bool) -> ET.Element:
    case = ET.Element("testcase", classname=f"tierplan.{stack}", name=policy, time="0")
    if said:
        case.set("file", said[0].file)
        case.set("line", str(said[0].line))
    against = [one for one in said if not one.accepted and (one.level == "mandatory" or strict)]
    accepted = [one for one in said if one.accepted]
    if against:
        failure = ET.SubElement(case, "failure", type=against[0].level, message=_xml(against[0].message))
        failure.text = _xml("\n".join(f"{one.file}:{one.line}: {one.message}" for one in against))
    elif accepted:
        ET.SubElement(case, "skipped", message=_xml(_told(accepted[0])))
    elif said:
        ET.SubElement(case, "system-out").text = _xml("\n".join(f"{one.level}: {one.message}" for one in said))
    return case


def _input_suite(file: str, faults: Sequence[str]) -> ET.Element:
    suite = ET.Element("testsuite", name=_xml(file), file=_xml(file))
    case = ET.SubElement(suite, "testcase", classname="tierplan.input", name=INPUT, time="0", file=_xml(file))
    error = ET.SubElement(case, "error", type="InputError", message=_xml(_place(faults[0])[2]))
    error.text = _xml("\n".join(faults))
    return _counted(suite)


def _by_file(faults: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for fault in faults:
        found.setdefault(_place(fault)[0], []).append(fault)
    return found


def _counted(suite: ET.Element) -> ET.Element:
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(name, str(sum(1 for _ in suite.iter(tag))))
    suite.set("tests", str(len(suite)))
    return suite


def _xml(text: str) -> str:
    """What XML 1.0 can hold."""
    return UNPRINTABLE.sub("?", text)
