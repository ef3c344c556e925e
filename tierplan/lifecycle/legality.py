"""What a store forbids about rules, and what nobody could read in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule, StorageClass
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Stack, Training
from tierplan.lifecycle.rules import CHECKPOINTS
from tierplan.units import Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """Something about the life cycle that cannot be, with both figures where there are any."""

    message: str
    remedy: str
    required: float | None = None
    planned: float | None = None
    unit: str = "count"


def faults(
    plan: LifecyclePlan, stack: Stack, need: TierNeed, classes: Sequence[StorageClass], landing: str
) -> tuple[Fault, ...]:
    """Everything that is wrong with a life cycle: days, classes, their order, and what has to be read in time."""
    by_name = {one.name: one for one in classes}
    found = [*_order(plan), *_unmoved(plan), *_one_class(plan, by_name)]
    for rule in plan.rules:
        found += rule_faults(rule, by_name, landing=landing, store=plan.store)
    found += _too_slow(plan, stack, by_name, landing)
    found += _read_offline(plan, need, by_name, landing)
    return tuple(dict.fromkeys(found))


def rule_faults(rule: ObjectRule, classes: Mapping[str, StorageClass], *, landing: str, store: str) -> Iterator[Fault]:
    """One rule against the store's table: days, gaps, and where a class may be reached from."""
    now, since = landing, 0
    for move in rule.transitions:
        target = classes.get(move.storage_class)
        if target is None:
            yield Fault(
                message=f"{store}: rule {rule.id} moves to {move.storage_class}, which is no class of this store",
                remedy=f"write one of {', '.join(classes)}",
            )
            return
        least = max(target.not_before_days, since + (target.after_previous_days if now in target.gap_after else 0))
        if now not in target.comes_from:
            yield Fault(
                message=f"{store}: rule {rule.id} moves from {now} to {target.name}; a rule moves to colder classes "
                f"only, to {target.name} from {', '.join(target.comes_from) or 'none'}",
                remedy="order the classes from warm to cold",
            )
        elif move.after_days < least:
            yield Fault(
                message=f"{store}: rule {rule.id} moves to {target.name} after {move.after_days} days; "
                f"{least} is the least" + (f" ({target.after_previous_days} after {now})" if since else ""),
                remedy=f'write at least "{least} d"',
                required=least,
                planned=move.after_days,
                unit="days",
            )
        now, since = target.name, move.after_days
    if rule.delete_after_days is not None and rule.delete_after_days <= since and rule.transitions:
        yield Fault(
            message=f"{store}: rule {rule.id} deletes after {rule.delete_after_days} days what it moves after {since}",
            remedy=f'write delete_after: "{since + 1} d" or later, or leave out the move before it',
            required=since + 1,
            planned=rule.delete_after_days,
            unit="days",
        )


def _order(plan: LifecyclePlan) -> Iterator[Fault]:
    """Warm comes before cold, both before the end."""
    named = [("warm_after", plan.warm_after), ("cold_after", plan.cold_after), ("delete_after", plan.delete_after)]
    given = [(name, time) for name, time in named if time is not None]
    for (name, time), (later, end) in pairwise(given):
        if end <= time:
            yield Fault(
                message=f"tiers.lifecycle: {later} {end.show()} is not after {name} {time.show()}",
                remedy=f"write {later} later than {name}",
                required=time.s,
                planned=end.s,
                unit="s",
            )


def _unmoved(plan: LifecyclePlan) -> Iterator[Fault]:
    """Data leaves the hot tier by something that its product has, at an age that it can follow."""
    after, down = plan.warm_after, plan.downward
    if after is None or not plan.hot:
        return
    if down is None:
        yield Fault(
            message=f"tiers.lifecycle.warm_after {after.show()}: {plan.hot} has nothing that moves data to an object "
            "store by its age, so nothing would move",
            remedy="leave out warm_after (archive_every copies checkpoints, cold_after holds for what lies there), or "
            "take a hot tier that tiers: weka, storage-scale, lustre or juicefs",
        )
        return
    if down.missing:
        yield Fault(
            message=f"tiers.lifecycle.warm_after {after.show()}: {down.missing}", remedy=down.remedy or "write it"
        )
    elif down.at is not None and abs(down.at.s - after.s) > 1:
        yield Fault(
            message=f"tiers.lifecycle.warm_after is {after.show()}, and {plan.hot} is told to move data after "
            f"{down.at.show()}",
            remedy=down.remedy or "write both alike",
            required=after.s,
            planned=down.at.s,
            unit="s",
        )


def _one_class(plan: LifecyclePlan, classes: Mapping[str, StorageClass]) -> Iterator[Fault]:
    """A store with one class has nowhere to move objects to."""
    after = plan.cold_after
    if after is None or any(rule.transitions for rule in plan.rules):
        return
    hint = "write tiers.cold.options.cold_class, or " if plan.store == "ceph-rgw" else ""
    known = ", ".join(classes) or "one"
    yield Fault(
        message=f"tiers.lifecycle.cold_after {after.show()}: nothing would move; {plan.store} has {known} as storage "
        "class here, or nothing that is archived",
        remedy=f"{hint}leave out cold_after",
    )


def recovery_time(stack: Stack) -> tuple[str, Duration] | None:
    """The job that has to come back soonest of those whose checkpoints are archived, and its time."""
    found = [
        (work.name, within)
        for work in stack.workloads
        if isinstance(work, Training)
        and work.checkpoint is not None
        and work.checkpoint.archive_every is not None
        and work.restore is not None
        and (within := work.restore.cold_within or work.restore.within) is not None
    ]
    return min(found, key=lambda one: one[1], default=None)


def _too_slow(plan: LifecyclePlan, stack: Stack, classes: Mapping[str, StorageClass], landing: str) -> Iterator[Fault]:
    """No class that has to be restored first under checkpoints that a job must come back from in minutes."""
    soonest = recovery_time(stack)
    if soonest is None:
        return
    name, within = soonest
    moves = [move.storage_class for rule in plan.rules if rule.prefix == CHECKPOINTS for move in rule.transitions]
    for word in dict.fromkeys([landing, *moves]):
        one = classes.get(word)
        if one is not None and one.readable_within > within:
            yield Fault(
                message=f"{plan.store}: archived checkpoints of {name} lie in class {word}, readable after "
                f"{one.readable_within.show()}; the job has to be back within {within.show()}",
                remedy=f"use a class that is read at once ({_instant(classes)}) for what a job comes back from",
                required=within.s,
                planned=one.readable_within.s,
                unit="s",
            )


def _read_offline(
    plan: LifecyclePlan, need: TierNeed, classes: Mapping[str, StorageClass], landing: str
) -> Iterator[Fault]:
    """Nothing that is read every day lands in a class that has to be restored first."""
    one = classes.get(landing)
    if one is not None and one.readable_within.s > 0 and need.read:
        yield Fault(
            message=f"{plan.store}: {need.read.show()} are read from the cold tier, and data lands in class {landing}, "
            f"readable after {one.readable_within.show()}",
            remedy=f"let data land in a class that is read at once: {_instant(classes)}",
            required=0.0,
            planned=one.readable_within.s,
            unit="s",
        )


def _instant(classes: Mapping[str, StorageClass]) -> str:
    return ", ".join(name for name, one in classes.items() if not one.readable_within)
