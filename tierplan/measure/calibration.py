"""What later plans must not promise more than: measured over promised, by product and storage node."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tierplan.domain.plan import Plan
from tierplan.domain.stack import Calibration
from tierplan.measure.verifying import Verdict
from tierplan.plan.measured import node_words

SCHEMA = "tierplan/calibration/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The share of its promise that a product on this node was measured to give; never above 1."""

    backend: str
    node: str
    quantity: str
    fraction: float
    source: str


def calibrated(plan: Plan, verdicts: Sequence[Verdict], known: Sequence[Calibration] = ()) -> dict[str, object]:
    """
    An overrides file: the lowest measured share of each product, node and direction.

    Only runs that count go in: what was not proven for a reason of the run itself proves no shortfall either.  What is
    `known` stays, unless a new run of the same product, node and direction counts: the newer one then stands for it.
    """
    lowest: dict[tuple[str, str, str], Entry] = {}
    for verdict in verdicts:
        entry = _entry(plan, verdict)
        if entry is None:
            continue
        key = (entry.backend, entry.node, entry.quantity)
        if key not in lowest or entry.fraction < lowest[key].fraction:
            lowest[key] = entry
    for one in known:
        entry = Entry(
            backend=one.backend, node=one.node, quantity=one.quantity, fraction=one.fraction, source=one.source
        )
        lowest.setdefault((one.backend, one.node, one.quantity), entry)
    return {
        "schema": SCHEMA,
        "measured": [_row(entry) for _, entry in sorted(lowest.items())],
    }


def _entry(plan: Plan, verdict: Verdict) -> Entry | None:
    chosen = plan.tiers.get(verdict.step.tier)
    fraction = verdict.fraction
    if chosen is None or fraction is None or verdict.judgement not in ("proven", "contradicts"):
        return None
    quantity = {"write": "write", "read": "read"}.get(verdict.step.quantity, "op_rate")
    known = chosen.config.measured
    before = 1.0 if known is None else float(getattr(known, f"{quantity}_fraction"))  # the plan promised no more
    source = f"{', '.join(verdict.files)}, {verdict.tool}" + (f", {verdict.date}" if verdict.date else "")
    return Entry(
        backend=chosen.config.backend,
        node=node_words(chosen.config.node),
        quantity=quantity,
        fraction=min(1.0, fraction * before),
        source=source,
    )


def _row(entry: Entry) -> Mapping[str, object]:
    return {
        "backend": entry.backend,
        "node": entry.node,
        "quantity": entry.quantity,
        "fraction": max(1e-4, math.floor(entry.fraction * 1e4) / 1e4),
        "source": entry.source,
    }
