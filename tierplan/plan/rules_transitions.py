"""The rule over life cycles of anybody's buckets: objects move to colder classes, and never back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from tierplan.domain.plan import Finding
from tierplan.plan.rule import UNKNOWN, ProgramRule, Registered, Spotted

TOKENS = (
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:s3/bucketLifecycleConfigurationV2:BucketLifecycleConfigurationV2",
)
FIRST = "STANDARD"


@cache
def may_come_from() -> Mapping[str, tuple[str, ...]]:
    """Each class of S3 with those that objects may move to it from."""
    from tierplan.backends.s3 import STORE  # noqa: PLC0415  # asked only where somebody has such a rule

    return {row.name: row.comes_from for row in STORE.classes}


def order(resources: tuple[Registered, ...]) -> Iterator[Spotted]:
    """Each transition leads to a class that objects of the class before may move to."""
    for one in resources:
        if one.token not in TOKENS:
            continue
        for index, rule in enumerate(_maps(one.inputs.get("rules"))):
            for message in _faults(rule):
                finding = Finding(
                    policy="bucket-lifecycle",
                    level="mandatory",
                    message=f"{one.name}: rule {rule.get('id', index)}: {message}",
                    remedy="order the classes from warm to cold, by age",
                )
                yield Spotted(finding=finding, urn=one.urn)


def _faults(rule: Mapping[str, object]) -> Iterator[str]:
    if rule.get("status") == "Disabled":
        return
    steps = []
    for step in _maps(rule.get("transitions")):
        days, name = step.get("days"), step.get("storageClass")
        if days is UNKNOWN or name is UNKNOWN:
            yield "its transitions cannot be judged, they are not known at preview"
            return
        if isinstance(days, int | float):  # the others move at a date
            steps.append((days, str(name)))
    before = FIRST
    for days, name in sorted(steps):
        if before not in may_come_from().get(name, (before,)):
            yield f"after {days:g} days objects would move from {before} to {name}, which S3 does not allow"
        before = name


def _maps(value: object) -> Iterator[Mapping[str, object]]:
    for item in value if isinstance(value, list | tuple) else ():
        if isinstance(item, Mapping):
            yield item


PROGRAM_RULES: tuple[ProgramRule, ...] = (
    ProgramRule(
        name="bucket-lifecycle",
        level="mandatory",
        severity="high",
        title="Objects move to colder classes, and never back.",
        tokens=TOKENS,
        check=order,
        alone=True,
    ),
)
