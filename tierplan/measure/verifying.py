"""Measured against planned: proven, not proven, contradicts, and what probably limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from tierplan.domain.plan import Plan
from tierplan.measure.nouns import Measurement
from tierplan.measure.steps import Step

Judgement: TypeAlias = Literal["proven", "not proven", "contradicts", "not measured"]
CLOSE = 0.9  # of what is promised: nearer is noise of a run, not a proof
MEMORY_FACTOR = 2.0  # data must be twice what the hosts' memory holds, or be read without it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the lowest run of a step says of the plan."""

    step: Step
    judgement: Judgement
    measured: float | None
    """Of the hosts of the plan; scaled from fewer where `extrapolated`."""
    runs: int
    extrapolated: bool
    reasons: tuple[str, ...]
    files: tuple[str, ...]
    tool: str = ""
    date: str = ""

    @property
    def fraction(self) -> float | None:
        """Measured over promised."""
        return None if self.measured is None or not self.step.expected else self.measured / self.step.expected


def verify(
    plan: Plan, planned: Sequence[Step], measured: Sequence[Measurement], *, rehearsal: bool = False
) -> tuple[Verdict, ...]:
    """
    Each run of the kit with what was measured of it.

    Of the repetitions the lowest counts.  Runs that cannot count (an error, a cache that answered) prove nothing;
    fewer hosts than planned are scaled up for each host and prove nothing either, but they can contradict.
    """
    return tuple(
        _judged(plan, step, [one for one in measured if _is_of(one, step)], rehearsal=rehearsal) for step in planned
    )


def unknown(planned: Sequence[Step], measured: Sequence[Measurement]) -> tuple[str, ...]:
    """Labels of runs that no step of this plan has."""
    return tuple(dict.fromkeys(one.label for one in measured if not any(_is_of(one, step) for step in planned)))


def bottleneck(verdicts: Sequence[Verdict]) -> str:
    """What most probably limits, from which runs fall short and which do not; empty where nothing does."""
    short = {one.step.label for one in verdicts if one.judgement == "contradicts"}
    reached = {one.step.label for one in verdicts if one.fraction is not None and one.fraction >= CLOSE}
    streams = {"restore-read", "dataset-read"}
    causes = (
        (not short, ""),
        (bool({"local-write", "local-read"} & short), "media of the GPU nodes: their drives give less than planned"),
        (short <= {"small-create", "small-stat"}, "metadata: bandwidth is there, creating or looking up files is slow"),
        (
            "checkpoint-write" in short and bool(streams & reached),
            "media or code of the storage nodes: reads are as planned, writes are not",
        ),
        (
            bool(streams & short) and "checkpoint-write" in reached,
            "clients or read-ahead: writes are as planned, reads are not",
        ),
        (
            {"checkpoint-write", "restore-read"} <= short,
            "clients or fabric: both directions fall short alike; measure one client, then two",
        ),
    )
    otherwise = f"unclear from {', '.join(sorted(short))} alone; run the other steps of the kit"
    return next((words for holds, words in causes if holds), otherwise)


def _is_of(one: Measurement, step: Step) -> bool:
    return one.label == step.label and one.quantity == step.quantity


def _judged(plan: Plan, step: Step, runs: Sequence[Measurement], *, rehearsal: bool) -> Verdict:
    if not runs:
        return Verdict(
            step=step, judgement="not measured", measured=None, runs=0, extrapolated=False, reasons=(), files=()
        )
    lowest = min(runs, key=lambda one: _scaled(one, step))
    against = [*_against(plan, lowest, step), *(("it was a rehearsal: too little was moved",) if rehearsal else ())]
    value = _scaled(lowest, step)
    fewer = 0 < lowest.hosts < step.hosts
    judgement, reasons = _judgement(step, value, against=against, fewer=fewer)
    return Verdict(
        step=step,
        judgement=judgement,
        measured=value,
        runs=len(runs),
        extrapolated=fewer,
        reasons=(*reasons, *lowest.about),
        files=tuple(dict.fromkeys(one.file for one in runs)),
        tool=lowest.tool,
        date=lowest.date,
    )


def _scaled(one: Measurement, step: Step) -> float:
    """What the planned hosts would reach if each did what these did."""
    fewer = 0 < one.hosts < step.hosts
    return one.value * step.hosts / one.hosts if fewer else one.value


def _judgement(step: Step, value: float, *, against: Sequence[str], fewer: bool) -> tuple[Judgement, tuple[str, ...]]:
    if against:
        return "not proven", tuple(against)
    if value < step.required * (1 - 1e-9):
        return "contradicts", ("less than the workloads ask",)
    if value < step.expected * CLOSE:
        return "contradicts", (f"less than {CLOSE:.0%} of what the plan promises",)
    if fewer:
        return "not proven", ("fewer hosts than planned, scaled up for each host: the tier's own limit was not met",)
    if value < step.expected:
        return "not proven", (f"between {CLOSE:.0%} and all of what the plan promises",)
    return "proven", ()


def _against(plan: Plan, one: Measurement, step: Step) -> Iterator[str]:
    yield from one.against
    if one.quantity == "write" and one.durable is False:
        yield "it was not flushed to stable storage (end_fsync, --sync, -e)"
    memory = plan.stack.cluster.host_memory.base * max(1, one.hosts)
    if one.direct is False and one.quantity in ("read", "write") and one.total_bytes < MEMORY_FACTOR * memory:
        yield "it went through the page cache, with less data than twice the hosts' memory"
    if step.quantity == "ops" and one.hosts == 1 and step.hosts > 1:
        yield "it is of one client"
