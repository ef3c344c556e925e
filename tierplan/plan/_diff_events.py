"""
What a preview would replace or delete, and what its policies say, read from the engine's events.

Three forms are read: the event stream of `pulumi preview --json`, the same events in an `--event-log`, and the single
document that plain `pulumi preview --json` prints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias, cast

from tierplan.domain.plan import Finding
from tierplan.plan._diff_replaced import Replacement

Event: TypeAlias = Mapping[str, object]

REPLACES = ("replace", "create-replacement", "delete-replaced", "import-replacement", "discard-replaced")
DELETES = ("delete",)
STATEFUL = re.compile(
    r"tierplan:index:(TieredStorage|HotTier|ColdTier)$"
    r"|:[^:]*(file_?system|bucket|blob_?container|storage_?account|volume(claim)?|lustre|filestore"
    r"|database|db_?(instance|cluster|system)|rds|redis|cache_?cluster|replication_?group|dynamodb|cosmos"
    r"|snapshot|backup|vault|key_?ring|crypto_?key|objectstorage)[^:]*$"
    r"|:(kms|keyvault)/?[^:]*:[^:]*key$"
    r"|:(rds|lustre|filestore|redis|elasticache|memorystore|sql|docdb|kvstore)/[^:]*:[^:]*(instance|cluster)$"
    r"|:fsx/[^:]*:[^:]*(volume|filesystem)$|:(nas|cpfs|dfs)/[^:]*:file[^:]*$",
    re.IGNORECASE,
)
"""Types whose loss is a loss of data, or of the key to it."""
ABOUT_DATA_ONLY = re.compile(
    r"(policy|acl|ownershipcontrols?|publicaccessblock|versioning|lifecycle[a-z]*|encryption[a-z0-9]*|notification|cors"
    r"|attachment|parametergroup|subnetgroup|securitygroup|mounttarget|iam[a-z]*|logging[a-z]*|website[a-z0-9]*"
    r"|objectstoragelink|repositoryassociation|datarepositoryassociation|configuration[a-z0-9]*)$",
    re.IGNORECASE,
)
"""Settings of such a resource: replacing them moves no data."""
COLOUR = re.compile(r"<\{%.*?%\}>|\x1b\[[0-9;]*m")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
UNJUDGED = "can't run policy"
PROTECTED = "as it is currently marked for protection"
"""In the error of an engine that refuses to replace or delete a protected resource: no fault, but a refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What one preview says."""

    stack: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    replaced: tuple[Replacement, ...] = ()
    findings: tuple[Finding, ...] = ()
    faults: tuple[str, ...] = ()
    whole: bool = False
    """Whether the engine came to its end; what a broken run does not show proves nothing."""


def read_preview(events: Iterable[Event]) -> Preview:
    """The events of one preview, or its one document, in words."""
    kept = list(events)
    if len(kept) == 1 and "steps" in kept[0]:
        return _digest(kept[0])
    steps = [_record(body.get("metadata")) for body in _bodies(kept, "resourcePreEvent")]
    ends = list(_bodies(kept, "summaryEvent"))
    return Preview(
        stack=_stack_of(steps) or _stack_of(_bodies(kept, "policyEvent"), key="resourceUrn"),
        counts=_counts(_record(ends[-1].get("resourceChanges")) if ends else {}),
        replaced=tuple(_stopped(steps, _protected(_bodies(kept, "diagnosticEvent")))),
        findings=tuple(_findings(kept)),
        faults=tuple(_faults(_bodies(kept, "diagnosticEvent"))),
        whole=bool(ends),
    )


def _digest(document: Event) -> Preview:
    steps = [_record(step) for step in cast("list[object]", document.get("steps") or [])]
    said = [_record(one) for one in cast("list[object]", document.get("diagnostics") or [])]
    faults = tuple(_faults(said))
    return Preview(
        stack=_stack_of(steps),
        counts=_counts(_record(document.get("changeSummary"))),
        replaced=tuple(_stopped(steps, _protected(said))),
        faults=faults,
        whole="changeSummary" in document and not document.get("maybeCorrupt"),
    )


def _stopped(steps: Iterable[Event], protected: frozenset[str]) -> Iterator[Replacement]:
    """One entry a resource: a replacement comes as up to three steps, and what is protected may come without any."""
    found: dict[str, tuple[str, str]] = {}
    for step in steps:
        operation, urn = _text(step, "op"), _text(step, "urn")
        if operation in (*REPLACES, *DELETES) and stateful(_type_of(step, urn)) and not _kept_on_delete(step):
            word = "replaced" if operation in REPLACES else "deleted"
            reasons = ", ".join(_words(step.get("keys")) or _words(step.get("replaceReasons")))
            before = found.get(urn, ("", ""))
            found[urn] = (before[0] or word, before[1] or reasons)
    for urn in dict.fromkeys((*found, *sorted(protected))):
        word, reasons = found.get(urn, ("to be replaced or deleted", ""))
        because = f"{word} by the preview{f': {reasons} changes' if reasons else ''} ({_type_of({}, urn)})"
        because += "; it is protected, and the engine refuses until it is unprotected" if urn in protected else ""
        yield Replacement(resource=urn.rpartition("::")[2], because=because)


def _protected(diagnostics: Iterable[Event]) -> frozenset[str]:
    """The resources that the engine refuses to touch."""
    return frozenset(
        _text(body, "urn") for body in diagnostics if PROTECTED in _text(body, "message") and _text(body, "urn")
    )


def stateful(token: str) -> bool:
    """
    Whether a resource of this type holds data.

    >>> stateful("aws:fsx/lustreFileSystem:LustreFileSystem"), stateful("aws:ec2/securityGroup:SecurityGroup")
    (True, False)
    """
    return bool(STATEFUL.search(token)) and not ABOUT_DATA_ONLY.search(token)


def _type_of(step: Event, urn: str) -> str:
    """The type of a resource: as the event says it, else the last of the types in its URN."""
    return _text(step, "type") or urn.split("::")[2].rpartition("$")[2] if urn.count("::") >= 3 else _text(step, "type")


def _kept_on_delete(step: Event) -> bool:
    """Whether the cloud's resource stays when Pulumi forgets it."""
    states = (_record(step.get(name)) for name in ("old", "oldState"))
    return any(state.get("retainOnDelete") is True for state in states)


def _findings(events: Iterable[Event]) -> Iterator[Finding]:
    """What the policies said; a policy that met a value that is unknown at preview did not judge, which refuses."""
    for body in _bodies(events, "policyEvent"):
        message, level = _text(body, "message").strip(), _text(body, "enforcementLevel")
        unjudged = message.startswith(UNJUDGED)
        name = _text(body, "resourceUrn").rpartition("::")[2]
        yield Finding(
            policy=_text(body, "policyName"),
            level="mandatory" if unjudged or level == "mandatory" else "advisory",
            message=f"{name}: {' '.join(message.split())}" if name else " ".join(message.split()),
        )


def _faults(diagnostics: Iterable[Event]) -> Iterator[str]:
    """Errors other than the one that the engine adds to every refusal."""
    for body in diagnostics:
        message = _text(body, "message").strip()
        if _text(body, "severity") == "error" and message not in ("preview failed", "") and PROTECTED not in message:
            yield message.splitlines()[-1]


def _counts(changes: Event) -> dict[str, int]:
    return {name: count for name, count in sorted(changes.items()) if isinstance(count, int) and count}


def _stack_of(steps: Iterable[Event], key: str = "urn") -> str:
    for step in steps:
        parts = _text(step, key).split(":")
        if len(parts) > 2 and parts[:2] == ["urn", "pulumi"]:
            return parts[2]
    return ""


def _bodies(events: Iterable[Event], kind: str) -> Iterator[Event]:
    for event in events:
        body = event.get(kind)
        if isinstance(body, Mapping):
            yield body


def _record(value: object) -> Event:
    return value if isinstance(value, Mapping) else {}


def _words(value: object) -> tuple[str, ...]:
    return tuple(str(word) for word in value) if isinstance(value, list) else ()


def _text(body: Event, key: str) -> str:
    """What a terminal and a file can hold of it."""
    value = body.get(key)
    if not isinstance(value, str):
        return ""
    return CONTROL.sub("", COLOUR.sub("", value)).encode("utf-8", "replace").decode("utf-8")
