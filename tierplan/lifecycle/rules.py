"""The bucket's rules: what becomes of archived checkpoints and of data, prefix by prefix."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tierplan.domain.lifecycle import ObjectRule, StorageClass, Transition
from tierplan.domain.stack import LifecyclePins, OptionValue, Stack, Training
from tierplan.units import Duration

# Both are tierplan's own choices (assumed): longer than any upload of one checkpoint; long enough to undo a mistake.
ABORT_AFTER_DAYS = 7
OLD_VERSIONS_AFTER_DAYS = 7
CHECKPOINTS, DATA = "checkpoints/", "data/"


def whole_days(time: Duration) -> int:
    """
    Days as a bucket's rule counts them.

    Formula:  ceil(time / 1 d)
    Assumes:  nothing moves or goes before its time

    >>> whole_days(Duration(36 * 3600.0))
    2
    """
    return math.ceil(time.s / 86400 - 1e-9)


def word(options: Mapping[str, OptionValue], name: str) -> str:
    """One of the store's words, or nothing."""
    value = options.get(name)
    return value if isinstance(value, str) else ""


def landing_class(options: Mapping[str, OptionValue], classes: Sequence[StorageClass]) -> str:
    """The class that objects are written to."""
    return word(options, "storage_class") or (classes[0].name if classes else "")


def archives_checkpoints(stack: Stack) -> bool:
    """Whether checkpoints come to the cold tier at all."""
    every = (
        work.checkpoint.archive_every for work in stack.workloads if isinstance(work, Training) and work.checkpoint
    )
    return stack.capacity.archived_checkpoints > 0 or any(one is not None for one in every)


def bucket_rules(
    stack: Stack, pins: LifecyclePins, options: Mapping[str, OptionValue], classes: Sequence[StorageClass]
) -> tuple[ObjectRule, ...]:
    """
    The rules of the bucket, whether the store allows them or not.

    Raw and processed data are never deleted by age: nobody can fetch them again.  Only archived checkpoints are.
    """
    moves = tuple(_transitions(pins, options, classes))
    versions = OLD_VERSIONS_AFTER_DAYS if options.get("versioning") is True else None
    return tuple(_rules(stack, pins, moves, versions))


def _rules(
    stack: Stack, pins: LifecyclePins, moves: tuple[Transition, ...], versions: int | None
) -> Iterator[ObjectRule]:
    if archives_checkpoints(stack):
        delete = None if pins.delete_after is None else whole_days(pins.delete_after)
        if moves or delete is not None:
            yield ObjectRule(id="archived-checkpoints", prefix=CHECKPOINTS, transitions=moves, delete_after_days=delete)
    if moves and (stack.capacity.raw_data or stack.capacity.processed_data):
        yield ObjectRule(id="raw-and-processed-data", prefix=DATA, transitions=moves)
    yield ObjectRule(id="abort-incomplete-uploads", abort_uploads_after_days=ABORT_AFTER_DAYS)
    if versions is not None:
        yield ObjectRule(id="drop-old-versions", old_versions_after_days=versions)


def _transitions(
    pins: LifecyclePins, options: Mapping[str, OptionValue], classes: Sequence[StorageClass]
) -> Iterator[Transition]:
    """To the warm class, then to the cold one; a class in which objects are already is no move."""
    if not classes:
        return
    now = landing_class(options, classes)
    for after, name in ((pins.warm_after, word(options, "warm_class")), (pins.cold_after, word(options, "cold_class"))):
        if after is not None and name and name != now:
            yield Transition(after_days=whole_days(after), storage_class=name)
            now = name


def longest_retrieval(
    stack: Stack, options: Mapping[str, OptionValue], classes: Sequence[StorageClass]
) -> StorageClass | None:
    """Of the classes that archived checkpoints lie in, now or later, the one that is read last; None without any."""
    pins = stack.tiers.lifecycle or LifecyclePins()
    rules = bucket_rules(stack, pins, options, classes)
    moves = [move.storage_class for rule in rules if rule.prefix == CHECKPOINTS for move in rule.transitions]
    lying = {landing_class(options, classes), *moves}
    return max((one for one in classes if one.name in lying), key=lambda one: one.readable_within, default=None)
