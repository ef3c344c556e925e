"""The rules of what is archived on premises: durability, restore, products that nobody maintains, small objects."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.domain.plan import Finding
from tierplan.domain.stack import Training
from tierplan.plan.packing import SMALL_SHARE, packed
from tierplan.plan.rule import COLD, PlanCase, Rule, StackRule, illegal, stack_rule, tier_rule
from tierplan.plan.rules_survive import durability_of
from tierplan.units import Duration


def small_objects(case: PlanCase) -> Iterator[Finding]:
    """A dataset of many small files is told what it costs as objects, and what packing saves."""
    cold = case.tiers.get("cold")
    if cold is None or "object_step_bytes" not in cold.delivered.parts:
        return
    for work in case.stack.workloads:
        data = work.dataset if isinstance(work, Training) else None
        if data is None or data.sample_size is None or data.format != "files":
            continue
        saved = packed(cold, size=data.size, sample=data.sample_size, samples_per_shard=data.samples_per_shard)
        if saved.padding < data.size * SMALL_SHARE and saved.requests_time.s < 3600:
            continue
        yield Finding(
            policy="advice-small-objects",
            level="advisory",
            tier="cold",
            required=saved.objects_packed,
            planned=saved.objects,
            unit="count",
            message=f"{work.name}.dataset: {saved.objects:,} objects of {data.sample_size.show()} take "
            f"{saved.padding.show()} of padding and {Duration(saved.requests_time.s).show()} of requests to read once; "
            f"packed by {saved.samples_per_shard:,} they are {saved.objects_packed:,} objects",
            remedy="pack them into shards (webdataset, tfrecord, parquet) before they are archived",
        )


RULES: tuple[Rule, ...] = (
    tier_rule(
        "advice-unmaintained",
        "medium",
        "The object store has an upstream that is maintained, and a release.",
        COLD,
        illegal("advice-unmaintained"),
    ),
)
STACK_RULES: tuple[StackRule, ...] = (
    stack_rule(
        "cold-durability",
        "mandatory",
        "high",
        "What is archived is hardly lost within a year: as the target says.",
        durability_of("cold"),
    ),
    stack_rule(
        "advice-small-objects", "advisory", "low", "Small files are packed before they are archived.", small_objects
    ),
)
