"""
What one preview came to, read from the engine's event stream.

The engine's exit code is 1 for a refusal and for a crash alike, and a policy that meets an unknown value is only a
note with exit code 0; the events tell them apart.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Event: TypeAlias = dict[str, object]

UNJUDGED = "can't run policy"
"""How the policy SDK's note begins where a policy met a value that is unknown at preview."""
PROTECTED = "as it is currently marked for protection"
"""In the engine's error where a preview would replace or delete a protected resource: a refusal, not a fault."""
COLOUR = re.compile(r"<\{%.*?%\}>|\x1b\[[0-9;]*m")


class Verdict(Enum):
    """The outcome and its exit code."""

    ACCEPTED = 0
    REFUSED = 1
    FAULT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One policy that speaks of one resource."""

    policy: str
    level: str
    resource: str
    message: str
    severity: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The verdict, and what it rests on."""

    verdict: Verdict
    reason: str
    refusals: tuple[Violation, ...] = ()
    unjudged: tuple[Violation, ...] = ()
    advice: tuple[Violation, ...] = ()
    faults: tuple[str, ...] = field(default_factory=tuple)


def read(lines: Iterable[str]) -> Iterator[Event]:
    """Events, one JSON object a line; a line cut off by a killed engine ends the stream."""
    for line in lines:
        try:
            event: object = json.loads(line)
        except ValueError:
            return
        if isinstance(event, dict):
            yield event


def judge(events: Iterable[Event], *, exit_code: int) -> Outcome:
    """
    Weigh the events of one preview.

    A fault comes first: a run that broke off proves nothing, whatever the policies said until then. A run is whole
    when a policy pack was loaded and the stack policies have run, which they only do after the whole program.
    """
    kept = list(events)
    said = [_violation(body) for body in _bodies(kept, "policyEvent")]
    unjudged = tuple(one for one in said if one.message.startswith(UNJUDGED))
    refusals = tuple(one for one in said if one.level == "mandatory" and one not in unjudged) + tuple(_protected(kept))
    advice = tuple(one for one in said if one not in unjudged and one not in refusals)
    faults = tuple(_faults(kept))
    verdict, reason = _weigh(kept, faults, refusals, unjudged, exit_code)
    return Outcome(verdict=verdict, reason=reason, refusals=refusals, unjudged=unjudged, advice=advice, faults=faults)


def _weigh(
    events: list[Event],
    faults: tuple[str, ...],
    refusals: tuple[Violation, ...],
    unjudged: tuple[Violation, ...],
    exit_code: int,
) -> tuple[Verdict, str]:
    if faults:
        return Verdict.FAULT, faults[0].strip().splitlines()[-1]
    if not _has(events, "summaryEvent"):
        return Verdict.FAULT, f"the engine ended early (exit code {exit_code})"
    protected = any(one.policy == "protect" for one in refusals)  # then the engine leaves the stack policies out
    if not protected and not _has(events, "policyAnalyzeStackSummaryEvent"):
        return Verdict.FAULT, "the policy pack did not run to its end"
    if refusals or unjudged:
        return Verdict.REFUSED, _why(refusals, unjudged)
    if exit_code:
        return Verdict.FAULT, f"the engine's exit code is {exit_code}, and nothing says why"
    return Verdict.ACCEPTED, "every policy passed"


def _why(refusals: tuple[Violation, ...], unjudged: tuple[Violation, ...]) -> str:
    parts = []
    if refusals:
        parts.append("by " + _names(refusals))
    if unjudged:
        parts.append(f"cannot be judged, a value is unknown at preview: {_names(unjudged)}")
    return "; ".join(parts)


def _names(violations: tuple[Violation, ...]) -> str:
    return ", ".join(dict.fromkeys(one.policy for one in violations))


def _faults(events: list[Event]) -> Iterator[str]:
    """Errors other than the one that the engine adds to every refusal."""
    for body in _bodies(events, "diagnosticEvent"):
        message = _text(body, "message").strip()
        if _text(body, "severity") == "error" and message != "preview failed" and PROTECTED not in message:
            yield message or "an error without a message"


def _protected(events: list[Event]) -> Iterator[Violation]:
    for body in _bodies(events, "diagnosticEvent"):
        message = _text(body, "message").strip()
        if PROTECTED in message:
            yield Violation(policy="protect", level="mandatory", resource=_text(body, "urn"), message=message)


def _violation(body: Event) -> Violation:
    return Violation(
        policy=_text(body, "policyName"),
        level=_text(body, "enforcementLevel"),
        resource=_text(body, "resourceUrn"),
        message=_text(body, "message").strip(),
        severity=_text(body, "severity"),
    )


def _bodies(events: list[Event], kind: str) -> Iterator[Event]:
    for event in events:
        body = event.get(kind)
        if isinstance(body, dict):
            yield body


def _has(events: list[Event], kind: str) -> bool:
    return next(_bodies(events, kind), None) is not None


def _text(body: Event, key: str) -> str:
    value = body.get(key)
    return COLOUR.sub("", value) if isinstance(value, str) else ""
