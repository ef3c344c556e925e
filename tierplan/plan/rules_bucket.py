"""The rules over buckets of anybody's program, whatever cloud they are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tierplan.domain.plan import Finding, Level
from tierplan.plan._buckets import CLOUDS, Check, Cloud
from tierplan.plan.rule import ProgramRule, Registered, Severity, Spotted

TOKENS = tuple(token for cloud in CLOUDS for token in (*cloud.tokens, *cloud.companions))
REMEDIES = {
    "bucket-private": "block every public access; who may read and write is said by roles",
    "bucket-encrypted": "encrypt with the service's keys or with your own",
    "bucket-versioned": "keep old versions, with a rule that ends them after some days",
    "bucket-abort-uploads": "add a rule that ends incomplete multipart uploads after some days: they cost, unseen",
}


def _rule(
    name: str, level: Level, severity: Severity, title: str, pick: Callable[[Cloud], Check | None]
) -> ProgramRule:
    """The rule that asks every bucket the one thing that `pick` names."""

    def check(resources: tuple[Registered, ...]) -> Iterator[Spotted]:
        for bucket in resources:
            for cloud in CLOUDS:
                asked = pick(cloud) if bucket.token in cloud.tokens else None
                words = asked(bucket, resources) if asked is not None else ""
                if words:
                    finding = Finding(
                        policy=name, level=level, message=f"{bucket.name}: {words}", remedy=REMEDIES[name]
                    )
                    yield Spotted(finding=finding, urn=bucket.urn)

    return ProgramRule(name=name, level=level, severity=severity, title=title, tokens=TOKENS, check=check)


PROGRAM_RULES: tuple[ProgramRule, ...] = (
    _rule("bucket-private", "mandatory", "critical", "No bucket is public.", lambda cloud: cloud.private),
    _rule("bucket-encrypted", "mandatory", "critical", "Every bucket is encrypted.", lambda cloud: cloud.encrypted),
    _rule(
        "bucket-versioned",
        "advisory",
        "medium",
        "A bucket keeps what was overwritten or deleted, for a while.",
        lambda cloud: cloud.versioned,
    ),
    _rule(
        "bucket-abort-uploads",
        "advisory",
        "low",
        "Uploads that were never completed go away.",
        lambda cloud: cloud.uploads,
    ),
)
