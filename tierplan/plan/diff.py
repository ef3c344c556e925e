"""
Two plans side by side: what changes, what is replaced, which findings are new and which are gone.

Both plans are whole, so a refused one is compared like any other.  A plan is compared by what it says (`plan_document`)
and by the settled stack, so that nothing that changes is left out; `rows` are the lines that a reviewer reads first.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal, TypeAlias, cast

from tierplan import __version__
from tierplan.codec import encode
from tierplan.domain.plan import Finding, Plan
from tierplan.plan._diff_findings import FindingsDiff, findings_diff
from tierplan.plan._diff_leaves import Change, changes
from tierplan.plan._diff_replaced import Replacement, removed, replacements
from tierplan.plan._diff_rows import Row, Sense, rows
from tierplan.plan.waivers import Waived
from tierplan.plan.walk import verdict

__all__ = [
    "Change",
    "Judged",
    "PlanDiff",
    "Replacement",
    "Row",
    "compare",
    "diff_document",
    "diff_schema",
    "only_new",
    "only_old",
    "with_preview",
]

SCHEMA = "tierplan/diff/1"
Direction: TypeAlias = Literal["same", "better", "worse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A plan with what is found against it, and what people call it: ``main``, a path."""

    plan: Plan
    findings: tuple[Finding, ...]
    called: str
    waived: tuple[Waived, ...] = ()
    """Findings that do not count, with who answers for them."""

    @property
    def verdict(self) -> str:
        """``pass`` or ``refused``."""
        return verdict(self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDiff:
    """What becomes different. `old` or `new` is None where there is no such stack on that side."""

    stack: str
    old: Judged | None
    new: Judged | None
    changed: tuple[Change, ...] = ()
    rows: tuple[Row, ...] = ()
    replaced: tuple[Replacement, ...] = ()
    findings: FindingsDiff
    verdict: Direction
    notes: tuple[str, ...] = ()
    broken: bool = False
    """Whether the preview broke off, so that what it does not show proves nothing."""

    @property
    def same(self) -> bool:
        """Whether nothing at all is different."""
        found = self.findings
        return not (self.changed or self.replaced or found.new or found.gone or self.notes or self.waived)

    @property
    def waived(self) -> tuple[Waived, ...]:
        """What does not count on the new side."""
        return self.new.waived if self.new is not None else ()

    @property
    def stopped(self) -> tuple[Replacement, ...]:
        """What is replaced or deleted without having been allowed by name."""
        return tuple(one for one in self.replaced if not one.allowed)

    @property
    def refused(self) -> bool:
        """Whether the change is to be refused: the new plan is, or something that holds data would be replaced."""
        against = any(finding.level == "mandatory" for finding in self.findings.new)
        return bool(self.stopped) or against or (self.new is not None and self.new.verdict == "refused")


def compare(old: Judged, new: Judged, *, allowed: Collection[str] = ()) -> PlanDiff:
    """
    What becomes different from `old` to `new`; `allowed` names what may be replaced.

    A plan beside itself is the same; what is new in one direction is gone in the other.
    """
    found = findings_diff(old.findings, new.findings, plans=(old.plan, new.plan))
    lines = tuple(rows(old.plan, new.plan))
    replaced = _allow(replacements(old.plan, new.plan), allowed)
    return PlanDiff(
        stack=new.plan.stack.name,
        old=old,
        new=new,
        changed=changes((old.plan, old.findings), (new.plan, new.findings)),
        rows=lines,
        replaced=replaced,
        findings=found,
        verdict=_direction(old, new, found, lines, replaced),
    )


def only_new(new: Judged, *, notes: Iterable[str] = ()) -> PlanDiff:
    """A stack that was not there before."""
    found = FindingsDiff(new=new.findings)
    return PlanDiff(
        stack=new.plan.stack.name,
        old=None,
        new=new,
        rows=tuple(rows(None, new.plan)),
        findings=found,
        verdict="worse" if new.verdict == "refused" else "same",
        notes=("new stack", *notes),
    )


def only_old(old: Judged, *, allowed: Collection[str] = ()) -> PlanDiff:
    """A stack that is taken away: every tier that holds data goes with it."""
    return PlanDiff(
        stack=old.plan.stack.name,
        old=old,
        new=None,
        rows=tuple(rows(old.plan, None)),
        replaced=_allow(removed(old.plan), allowed),
        findings=FindingsDiff(gone=old.findings),
        verdict="worse",
        notes=("stack removed",),
    )


def with_preview(
    found: PlanDiff | None,
    *,
    stack: str,
    replaced: Iterable[Replacement],
    findings: tuple[Finding, ...] = (),
    notes: Iterable[str] = (),
    broken: bool = False,
    allowed: Collection[str] = (),
) -> PlanDiff:
    """The comparison with what a preview's events say beside it; without a comparison the events alone."""
    base = found or PlanDiff(stack=stack, old=None, new=None, findings=FindingsDiff(), verdict="same")
    known = {one.resource for one in base.replaced}
    more = _allow((one for one in replaced if one.resource not in known), allowed)
    kinds = {finding.policy for finding in (*base.findings.new, *base.findings.kept)}
    said = tuple(finding for finding in findings if finding.policy not in kinds)
    merged = replace(
        base,
        replaced=(*base.replaced, *more),
        findings=replace(base.findings, new=(*base.findings.new, *said)),
        notes=(*base.notes, *notes),
        broken=broken,
    )
    worse = bool(more) or any(finding.level == "mandatory" for finding in said)
    return replace(merged, verdict="worse") if worse else merged


def diff_schema() -> dict[str, object]:
    """The JSON Schema that every diff document obeys."""
    text = files("tierplan").joinpath("schemas/diff.json").read_text(encoding="utf-8")
    return cast("dict[str, object]", json.loads(text))


def diff_document(found: PlanDiff) -> dict[str, object]:
    """The contract ``tierplan/diff/1``; quantities in the base unit that their path names."""
    return {
        "schema": SCHEMA,
        "tierplan": __version__,
        "stack": found.stack,
        "old": _side(found.old),
        "new": _side(found.new),
        "verdict": found.verdict,
        "refused": found.refused,
        "broken": found.broken,
        "changed": [{"path": one.path, "before": one.before, "after": one.after} for one in found.changed],
        "replaced": [
            {"resource": one.resource, "because": one.because, "allowed": one.allowed} for one in found.replaced
        ],
        "findings": {
            "new": [encode(one, "plain") for one in found.findings.new],
            "gone": [encode(one, "plain") for one in found.findings.gone],
            "kept": [encode(one, "plain") for one in found.findings.kept],
        },
        "waived": [_waived(one) for one in found.waived],
        "notes": list(found.notes),
    }


def _waived(one: Waived) -> dict[str, object]:
    words = {"owner": one.waiver.owner, "reason": one.waiver.reason, "until": one.waiver.until.isoformat()}
    return encode(one.finding, "plain") | {"waiver": words}


def _side(judged: Judged | None) -> dict[str, object] | None:
    if judged is None:
        return None
    return {"called": judged.called, "stack": judged.plan.stack.name, "verdict": judged.verdict}


def _allow(replaced: Iterable[Replacement], allowed: Collection[str]) -> tuple[Replacement, ...]:
    return tuple(replace(one, allowed=one.allowed or one.resource in allowed) for one in replaced)


def _direction(
    old: Judged, new: Judged, found: FindingsDiff, lines: tuple[Row, ...], replaced: tuple[Replacement, ...]
) -> Direction:
    """By the verdicts; then by mandatory findings; then by what the plan gives; then by what it costs or replaces."""
    if old.verdict != new.verdict:
        return "worse" if new.verdict == "refused" else "better"
    if any(finding.level == "mandatory" for finding in found.new):
        return "worse"
    if any(finding.level == "mandatory" for finding in found.gone):
        return "better"
    steps: tuple[Callable[[Row], bool], ...] = (lambda row: not row.money, lambda row: row.money)
    for counts in steps:
        senses: set[Sense] = {row.sense for row in lines if counts(row)}
        if "worse" in senses:
            return "worse"
        if "better" in senses:
            return "better"
    return "worse" if replaced else "same"
