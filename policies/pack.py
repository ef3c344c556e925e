"""
The policies as the engine sees them: names, levels and limits out of ``index.json``, without the core.

The engine waits for the pack before it starts the program.  So the pack answers at once, and loads the rules while
the program starts; a policy that is asked waits for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal, Protocol, TypedDict

from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    Severity,
    StackValidationArgs,
    StackValidationPolicy,
)

from seen import INPUTS

INDEX = Path(__file__).with_name("index.json")
Kind = Literal["waivers", "tier", "foreign", "requirement", "alone", "stack", "program", "parts", "waived"]
"""What a policy is asked about: one tier; a raw resource that is one; what is required; one resource of a token; the
plan as a whole; all resources of a program together; the parts of a storage.
The waivers are read before all others and shown after them."""
OVER_ALL = ("stack", "program", "parts", "waived")
STEPS = (
    "Each message ends with what to change. `tierplan plan STACK` finds the same without an engine; "
    "`tierplan explain STACK FIGURE` says where a figure comes from."
)
AMOUNT = {"type": "number", "minimum": 0}
TOTALS = ("readBytesPerS", "writeBytesPerS", "opRateOpsPerS", "capacityBytes")
LIMITS = PolicyConfigSchema(
    properties={
        "factor": {
            "type": "number",
            "minimum": 1,
            "default": 1,
            "description": "Multiplies what is required, headroom included.",
        },
        "required": {
            "type": "object",
            "description": "What the tier must carry, for programs that state it nowhere else.",
            "properties": {**dict.fromkeys(TOTALS, AMOUNT), "maxFill": {**AMOUNT, "maximum": 1}},
            "required": list(TOTALS),
            "additionalProperties": False,
        },
    }
)

TEXT = {"type": "string", "minLength": 1}
WAIVERS = PolicyConfigSchema(
    properties={
        "waivers": {
            "type": "array",
            "description": "Findings that somebody answers for: of one rule, in one stack, until a day.",
            "items": {
                "type": "object",
                "properties": {
                    **dict.fromkeys(("rule", "stack", "reason", "owner"), TEXT),
                    "until": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
                },
                "required": ["rule", "stack", "reason", "owner", "until"],
                "additionalProperties": False,
            },
        }
    }
)
SCHEMAS = {"waivers": WAIVERS, "tier": LIMITS, "foreign": LIMITS}

Validate = Callable[[ResourceValidationArgs, ReportViolation], None]
ValidateStack = Callable[[StackValidationArgs, ReportViolation], None]


class Entry(TypedDict):
    """One policy: its rule's own words, and what it is asked about."""

    name: str
    kind: Kind
    level: str
    severity: Literal["low", "medium", "high", "critical"]
    title: str


class Rules(Protocol):
    """The module of the rules, as far as the pack asks it."""

    RESOURCE: Mapping[str, Validate]
    STACK: Mapping[str, ValidateStack]


class Index(TypedDict):
    """What the pack knows before it loads the rules."""

    policies: list[Entry]
    tokens: dict[str, str]
    """Type of a cloud's resource -> the backend that reads it as a tier."""


def read_index() -> list[Entry]:
    """The policies of the pack."""
    return _index()["policies"]


def read_tokens() -> dict[str, str]:
    """The raw resources that are judged as tiers, each with its backend."""
    return _index()["tokens"]


def _index() -> Index:
    found: Index = json.loads(INDEX.read_text(encoding="utf-8"))
    return found


def write_index(entries: Iterable[Entry], tokens: Mapping[str, str]) -> None:
    """Keep what the rules say of themselves."""
    index = Index(policies=list(entries), tokens=dict(tokens))
    INDEX.write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")


def policies() -> list[Policy]:
    """Every policy of the pack, in the order of the index."""
    return [_stack_policy(entry) if entry["kind"] in OVER_ALL else _resource_policy(entry) for entry in read_index()]


def _resource_policy(entry: Entry) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        INPUTS[args.urn] = args.props
        rules().RESOURCE[entry["name"]](args, report)

    return ResourceValidationPolicy(
        entry["name"],
        entry["title"],
        validate,
        enforcement_level=EnforcementLevel(entry["level"]),
        severity=Severity(entry["severity"]),
        config_schema=SCHEMAS.get(entry["kind"]),
        remediation_steps=STEPS,
    )


def _stack_policy(entry: Entry) -> StackValidationPolicy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        rules().STACK[entry["name"]](args, report)

    return StackValidationPolicy(
        entry["name"],
        entry["title"],
        validate,
        enforcement_level=EnforcementLevel(entry["level"]),
        severity=Severity(entry["severity"]),
        remediation_steps=STEPS,
    )


@cache
def rules() -> Rules:
    """
    The rules themselves, loaded when first asked for.

    Raises:   RuntimeError if the index is not theirs: a rule that the engine does not know would never be asked
    """
    import rules as loaded  # noqa: PLC0415  # see above

    if loaded.index() != read_index():
        message = "policies/index.json is not that of the rules; run: python policies/rules.py"
        raise RuntimeError(message)
    return loaded


def warm() -> None:
    """Load the rules and do what all of them need, while the engine starts the program."""
    from evidence import prepare  # noqa: PLC0415  # see above

    rules()
    prepare()
