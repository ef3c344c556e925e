"""
Whether the parts of a `TieredStorage` are what follows from its tiers: node groups, fabric, life cycle, requirement.

Nobody plans by these figures, and yet people and other programs read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tamper import MOST_LINES, differing, word
from tierplan import wire
from tierplan.codec import encode
from tierplan.domain.plan import Finding
from tierplan.plan.rule import PlanCase, Registered

PARTS = "stack-parts"


def parts_findings(case: PlanCase, children: Sequence[Registered]) -> Iterator[Finding]:
    """A part that is missing, or that says something else than the tiers."""
    if not any(one.token == wire.REQUIREMENT for one in children):
        yield _finding("no StorageRequirement says what is required")
    for token, label, said in _expected(case):
        found = [one for one in children if one.token == token and one.inputs.get("tier") == said.get("tier")]
        if not found:
            yield _finding(f"there is no {label}")
        for one in found:
            yield from _differences(one, said)


def _expected(case: PlanCase) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    for tier, chosen in case.tiers.items():
        if tier != "local" and chosen.delivered.cloud is None:
            yield wire.NODE_GROUP, f"StorageNodeGroup of the {tier} tier", wire.group_properties(chosen.config)
    if case.fabric is not None:
        yield wire.FABRIC, "StorageFabric", encode(case.fabric, "wire")
    if case.lifecycle is not None:
        yield wire.LIFECYCLE, "Lifecycle", encode(case.lifecycle, "wire")


def _differences(one: Registered, expected: Mapping[str, object]) -> Iterator[Finding]:
    lines = [
        f"{path}: {word(path, said)} stated, {word(path, follows)} follows from the tiers"
        for path, said, follows in differing(one.inputs, expected)
    ]
    if lines:
        rest = [f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
        yield _finding("\n".join([f"{one.name} is not what follows from the tiers:", *lines[:MOST_LINES], *rest]))


def _finding(message: str) -> Finding:
    return Finding(
        policy=PARTS,
        level="mandatory",
        message=message,
        remedy="let TieredStorage register its parts; to change one, change the choice that it follows from",
    )
