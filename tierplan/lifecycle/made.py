"""The life cycle of a plan: rules, retention, and what every hand-over moves in a day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tierplan.domain.lifecycle import Downward, HandOver, LifecyclePlan, ObjectRule, Retention, StorageClass
from tierplan.domain.need import Load, Requirement, Tier
from tierplan.domain.stack import LifecyclePins, Stack, Training
from tierplan.domain.tiers import TierPlan
from tierplan.lifecycle.rules import bucket_rules, landing_class, word
from tierplan.units import Bandwidth, Duration, Size

DAY = Duration(86400.0)
INSIDE = "lifecycle.inside"  # the load that changes of class make, where the store is our own


def lifecycle_plan(
    stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan], downward: Downward | None
) -> LifecyclePlan | None:
    """
    The rules between the tiers; None without a cold tier, and where neither stack nor service has any rules.

    A bucket of a cloud has some whatever the stack says: unfinished uploads and old versions cost money unseen.

    `downward` is what the hot product has to move data with; None if it has nothing.
    """
    pins, cold, hot = stack.tiers.lifecycle, tiers.get("cold"), tiers.get("hot")
    if cold is None or (pins is None and cold.delivered.cloud is None):
        return None
    pins = pins or LifecyclePins()
    options, classes = cold.config.options, cold.delivered.classes
    rules = bucket_rules(stack, pins, options, classes)
    moves = [move for rule in rules for move in rule.transitions]
    made = LifecyclePlan(
        store=cold.config.backend,
        hot=hot.config.backend if hot is not None else "",
        warm_after=pins.warm_after,
        cold_after=pins.cold_after,
        delete_after=pins.delete_after,
        downward=downward if hot is not None and pins.warm_after is not None else None,
        landing_class=landing_class(options, classes),
        warm_class=word(options, "warm_class") if classes and pins.warm_after else "",
        cold_class=word(options, "cold_class") if classes and pins.cold_after else "",
        rules=rules,
        retention=tuple(_retention(stack, requirement)),
        notes=tuple(_notes(stack, requirement, pins, rules, classes)),
    )
    between = tuple(_between_tiers(requirement.loads, made))
    own = any(load.id == INSIDE for load in requirement.loads)
    inside = tuple(_inside_store(between, made, own=own)) if moves else ()
    return replace(made, hand_overs=(*between, *inside))


def _between_tiers(loads: Sequence[Load], made: LifecyclePlan) -> Iterator[HandOver]:
    """Every continuous write to the cold tier is a hand-over; demand has counted it as a load of both tiers."""
    for load in loads:
        if load.tier != "cold" or load.when != "continuous" or not load.write or load.id == INSIDE:
            continue
        outside = load.id.endswith(".ingest")
        aged = load.id.startswith("lifecycle.") and not outside
        yield HandOver(
            id=load.id,
            what=load.because.partition(": ")[2] or load.id,
            source="outside" if outside else "hot",
            target=f"cold {made.landing_class}".strip(),
            daily=load.write * DAY,
            bandwidth=load.write,
            mechanism=made.downward.mechanism if aged and made.downward else "copy by the archive job",
            counted=True,
        )


def _inside_store(arriving: Sequence[HandOver], made: LifecyclePlan, *, own: bool) -> Iterator[HandOver]:
    """From class to class: in steady state as much as arrives; a service moves it itself, our store by its disks."""
    daily = sum(one.daily.bytes for one in arriving)
    chain = next((rule.transitions for rule in made.rules if rule.transitions), ())
    now = made.landing_class
    for move in chain:
        yield HandOver(
            id=f"lifecycle.{now}-{move.storage_class}",
            what=f"objects older than {move.after_days} days",
            source=f"cold {now}",
            target=f"cold {move.storage_class}",
            daily=Size(daily),
            bandwidth=Bandwidth(daily / DAY.s),
            mechanism="rule of the bucket",
            counted=own,
            because="read and written again by the store's disks" if own else "the service moves it inside itself",
        )
        now = move.storage_class


def _retention(stack: Stack, requirement: Requirement) -> Iterator[Retention]:
    for work in stack.workloads:
        saved = work.checkpoint if isinstance(work, Training) else None
        if saved is None:
            continue

        def found(name: str, work_name: str = work.name) -> float:
            known = requirement.figures.get(f"{work_name}.{name}")
            return known.number if known is not None else 0.0

        keep = saved.retain
        yield Retention(
            workload=work.name,
            last=saved.keep if keep is None else keep.last,
            best=0 if keep is None else keep.best,
            weekly=0 if keep is None else keep.weekly,
            interval=Duration(found("checkpoint.interval_s")),
            archive_every=saved.archive_every,
            kept_bytes=Size(found("checkpoint.kept_bytes")),
            deleted_daily=Size(found("checkpoint.written_bytes_per_day") * found("jobs.running")),
        )


def _notes(
    stack: Stack,
    requirement: Requirement,
    pins: LifecyclePins,
    rules: Sequence[ObjectRule],
    classes: Sequence[StorageClass],
) -> Iterator[str]:
    by_name = {one.name: one for one in classes}
    yield "a rule counts days from the upload of an object, once a day; what a hot tier hands over starts at day 0"
    for rule in rules:
        yield from _billed(rule, by_name)
    used = {move.storage_class for rule in rules for move in rule.transitions}
    for name in sorted(used):
        if name in by_name and by_name[name].least_size:
            least = by_name[name].least_size.show("kB")
            yield f"{name} bills each object as {least} or more: pack small files before they are archived"
    if not classes:
        yield "this store has one class: objects stay where they land until they are deleted"
    for name, time in (
        ("warm_after", pins.warm_after),
        ("cold_after", pins.cold_after),
        ("delete_after", pins.delete_after),
    ):
        if time is not None and time.s % DAY.s:
            yield f"{name} {time.show()} is rounded up to whole days: a bucket's rule knows no hours"
    yield from _archive_growth(stack, requirement, pins)


def _billed(rule: ObjectRule, classes: Mapping[str, StorageClass]) -> Iterator[str]:
    """What leaves a class before its least time is billed for the whole of it."""
    ends = [move.after_days for move in rule.transitions[1:]]
    ends += [rule.delete_after_days] if rule.delete_after_days is not None and rule.transitions else []
    for move, end in zip(rule.transitions, ends, strict=False):
        one = classes.get(move.storage_class)
        if one is not None and end - move.after_days < one.least_days:
            yield (
                f"rule {rule.id}: {one.name} is billed for {one.least_days} days, and objects leave it after "
                f"{end - move.after_days}"
            )


def _archive_growth(stack: Stack, requirement: Requirement, pins: LifecyclePins) -> Iterator[str]:
    """Whether the archive of checkpoints ends where the capacity says."""
    planned = stack.capacity.archived_checkpoints
    running = {name: figure.number for name, figure in requirement.figures.items() if name.endswith(".jobs.running")}
    each_day = sum(
        running.get(f"{work.name}.jobs.running", 1.0) * (DAY / work.checkpoint.archive_every)
        for work in stack.workloads
        if isinstance(work, Training) and work.checkpoint is not None and work.checkpoint.archive_every
    )
    if not each_day:
        return
    if pins.delete_after is None:
        days = f"; capacity.archived_checkpoints {planned} is reached after {planned / each_day:.0f} days"
        yield f"archived checkpoints are never deleted: {each_day:.3g} come each day{days if planned else ''}"
        return
    kept = each_day * (pins.delete_after / DAY)
    if kept > planned:
        yield (
            f"delete_after {pins.delete_after.show()} keeps {kept:.0f} archived checkpoints, and "
            f"capacity.archived_checkpoints plans space for {planned}"
        )
