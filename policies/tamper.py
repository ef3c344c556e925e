"""
Whether the requirement that resources state is the one that the stack's configuration asks for.

Figures may be stated higher, by somebody who is careful; lower ones, and other words, are findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evidence import Unjudged, configured, stated
from tierplan import wire
from tierplan.codec import encode
from tierplan.domain.need import Requirement
from tierplan.domain.plan import Finding
from tierplan.domain.stack import Stack
from tierplan.plan.rule import TOLERANCE
from tierplan.units import Bandwidth, OpRate, Quantity, Size

HARDER_WHEN_HIGHER = ("Bytes", "BytesPerS", "OpsPerS", "files", "survive.nodes", "survive.racks")
KINDS: tuple[tuple[tuple[str, ...], type[Quantity]], ...] = (
    (("BytesPerS", "bytes_per_s"), Bandwidth),
    (("OpsPerS", "ops_per_s"), OpRate),
    (("Bytes", "bytes"), Size),
)
MOST_LINES = 5
Leaf = str | float | bool | None


def requirement_findings(token: str, properties: Mapping[str, object]) -> Iterator[Finding]:
    """What this resource states otherwise than the configuration recomputed; nothing without a configuration."""
    ours = configured()
    if ours is None:
        yield from _without_configuration(token, properties)
        return
    stack, requirement = ours
    if token == wire.STORAGE:
        yield from _other_stack(stated(properties.get("spec"))[0], stack)
    elif token == wire.REQUIREMENT:
        figures = {name: figure.number for name, figure in requirement.figures.items()}
        yield from _lower({"figures": properties.get("figures")}, {"figures": figures})
    else:
        yield from _tier(token, properties, requirement)


def _without_configuration(token: str, properties: Mapping[str, object]) -> Iterator[Finding]:
    """Nothing to compare with; a tier without a choice and without a reason is a finding all the same."""
    if token in wire.TIER_OF:
        _whole(wire.tier_inputs(token, properties))
    yield from ()


def _whole(inputs: wire.TierInputs) -> None:
    if inputs.config is None and not inputs.rejections:
        message = "it has neither a configuration nor rejections"
        raise Unjudged(message)


def _tier(token: str, properties: Mapping[str, object], requirement: Requirement) -> Iterator[Finding]:
    inputs = wire.tier_inputs(token, properties)
    _whole(inputs)
    need = requirement.needs.get(inputs.tier)
    if inputs.need is not None and need is not None:
        yield from _lower(encode(inputs.need, "wire"), encode(need, "wire"))


def _other_stack(said: Stack, stack: Stack) -> Iterator[Finding]:
    if said != stack:
        blocks = [
            name
            for name in ("site", "cluster", "workloads", "capacity", "tiers", "targets", "operations")
            if getattr(said, name) != getattr(stack, name)
        ]
        yield _finding(
            f"spec is not the stack's configuration; it differs in {', '.join(blocks) or 'other keys'}",
            "hand the stack's configuration on as it is, or take it out of the stack file",
        )


def _lower(said: Mapping[str, object], asked: Mapping[str, object]) -> Iterator[Finding]:
    """One finding that lists what is stated easier than it is."""
    stated_leaves, leaves = dict(_leaves(said)), dict(_leaves(asked))
    lines = [
        f"{path}: {word(path, stated_leaves.get(path))} stated, {word(path, leaves.get(path))} asked"
        for path in dict.fromkeys([*leaves, *stated_leaves])
        if _easier(path, stated_leaves.get(path), leaves.get(path))
    ]
    if lines:
        rest = [f"and {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
        yield _finding(
            "\n".join(
                ["the stated requirement is not the one that the configuration asks:", *lines[:MOST_LINES], *rest]
            ),
            "take the need from the plan as it is; to ask less, change the stack file",
        )


def differing(said: Mapping[str, object], expected: Mapping[str, object]) -> Iterator[tuple[str, Leaf, Leaf]]:
    """Each place where two documents differ, float noise aside: its path, what is said, what was expected."""
    here, there = dict(_leaves(said)), dict(_leaves(expected))
    for path in dict.fromkeys([*there, *here]):
        one, other = here.get(path), there.get(path)
        if isinstance(one, float) and isinstance(other, float):
            if abs(one - other) > TOLERANCE * max(abs(one), abs(other)):
                yield path, one, other
        elif one != other:
            yield path, one, other


def _easier(path: str, said: Leaf, asked: Leaf) -> bool:
    figures = path.startswith("figures.")
    if isinstance(said, float) and isinstance(asked, float):
        margin = TOLERANCE * max(abs(said), abs(asked))
        harder = path.endswith(HARDER_WHEN_HIGHER) and not path.startswith("clients.")
        return said < asked - margin if harder or figures else abs(said - asked) > margin
    return said != asked and not figures  # of the figures, those that both have count


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, Leaf]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        yield f"{path}.length", float(len(value))
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}[{index}]")
    elif isinstance(value, bool | str) or value is None:
        yield path, value
    elif isinstance(value, int | float):
        yield path, float(value)
    else:
        yield path, "something unknown at preview"


def word(path: str, value: Leaf) -> str:
    """A value as people read it: with its unit, where the name says one."""
    if not isinstance(value, float):
        return "nothing" if value is None else str(value)
    kind = next((kind for suffix, kind in KINDS if path.endswith(suffix)), None)
    return kind(value).show() if kind else f"{value:.6g}"


def _finding(message: str, remedy: str) -> Finding:
    return Finding(policy="stack-requirement", level="mandatory", message=message, remedy=remedy)
