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

INDEX = Path(__file__).with_name("index.json")
Kind = Literal["tier", "requirement", "stack"]
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


Validate = Callable[[ResourceValidationArgs, ReportViolation], None]
ValidateStack = Callable[[StackValidationArgs, ReportViolation], None]


class Entry(TypedDict):
    """One policy: its rule's own words, and what it is asked about."""

    name: str
    kind: Kind
    level: str
    severity: str
    title: str


class Rules(Protocol):
    """The module of the rules, as far as the pack asks it."""

    RESOURCE: Mapping[str, Validate]
    STACK: Mapping[str, ValidateStack]


def read_index() -> list[Entry]:
    """The policies of the pack."""
    found: list[Entry] = json.loads(INDEX.read_text(encoding="utf-8"))
    return found


def write_index(entries: Iterable[Entry]) -> None:
    """Keep what the rules say of themselves."""
    INDEX.write_text(json.dumps(list(entries), indent=1) + "\n", encoding="utf-8")


def policies() -> list[Policy]:
    """Every policy of the pack, in the order of the index."""
    return [_stack_policy(entry) if entry["kind"] == "stack" else _resource_policy(entry) for entry in read_index()]


def _resource_policy(entry: Entry) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        rules().RESOURCE[entry["name"]](args, report)

    return ResourceValidationPolicy(
        entry["name"],
        entry["title"],
        validate,
        enforcement_level=EnforcementLevel(entry["level"]),
        severity=Severity(entry["severity"]),
        config_schema=LIMITS if entry["kind"] == "tier" else None,
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
