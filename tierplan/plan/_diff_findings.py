"""Which findings are new, which are gone, and which stand on, though their figures may differ."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from tierplan.domain.plan import Finding, Plan

NUMBER = re.compile(r"(?<![\w-])\d[\d,.]*(?:e[+-]?\d+)?\s*(?:[kMGTPE]i?)?(?:B/s|B|bit/s|ops/s|%|s\b|min\b|h\b|d\b)?")
"""A figure with its unit; not the digits of a name such as ``pretrain-70b``."""
FORBIDDEN = ("-layout", "-node", "-class", "-size")
"""What a product forbids: two such findings are two things, even of one policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingsDiff:
    """`kept` are those of the new side."""

    new: tuple[Finding, ...] = ()
    gone: tuple[Finding, ...] = ()
    kept: tuple[Finding, ...] = ()


def findings_diff(old: Sequence[Finding], new: Sequence[Finding], *, plans: tuple[Plan, Plan]) -> FindingsDiff:
    """
    Findings that stand on are paired by policy, level and tier, and by what they speak of.

    First by their words without the figures; then, where a figure is missed, by the names in them: another limit or
    another remedy does not make a shortfall a new one.  Swapping the sides swaps `new` and `gone`.
    """
    names = _names(plans)
    keys: tuple[Callable[[Finding], Hashable | None], ...] = (
        lambda finding: (finding.policy, finding.level, finding.tier, NUMBER.sub("#", finding.message)),
        lambda finding: _subject(finding, names),
    )
    left, right, kept = list(old), list(new), list[Finding]()
    for key in keys:
        left, right, paired = _paired(left, right, key)
        kept += paired
    order = {id(finding): place for place, finding in enumerate(new)}
    kept.sort(key=lambda finding: order[id(finding)])
    return FindingsDiff(new=tuple(right), gone=tuple(left), kept=tuple(kept))


def _paired(
    left: Sequence[Finding], right: Sequence[Finding], key: Callable[[Finding], Hashable | None]
) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """What is left on either side, and of the right what has a partner; the first of equals are partners."""
    counts: dict[Hashable, int] = defaultdict(int)
    for finding in left:
        counts[key(finding)] += 1
    matched: dict[Hashable, int] = defaultdict(int)
    alone, kept = [], []
    for finding in right:
        name = key(finding)
        if name is not None and matched[name] < counts[name]:
            matched[name] += 1
            kept.append(finding)
        else:
            alone.append(finding)
    remaining = []
    for finding in left:
        name = key(finding)
        if name is not None and matched[name]:
            matched[name] -= 1
        else:
            remaining.append(finding)
    return remaining, alone, kept


def _subject(finding: Finding, names: frozenset[str]) -> Hashable | None:
    if finding.required is None or finding.policy.endswith(FORBIDDEN):
        return None
    words = re.findall(r"[a-z0-9][a-z0-9_-]*", finding.message.lower())
    spoken_of = tuple(word for word in words if word in names)
    return finding.policy, finding.level, finding.tier, finding.unit, spoken_of


def _names(plans: tuple[Plan, Plan]) -> frozenset[str]:
    """The names that findings speak of: jobs, phases, and the two directions."""
    found = {"read", "write"}
    for plan in plans:
        found |= {work.name for work in plan.stack.workloads}
        found |= {phase.name for need in plan.requirement.needs.values() for phase in need.phases}
    return frozenset(found)
