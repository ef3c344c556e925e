"""
How data moves down the tiers, as templates read it: the bucket's rules, which checkpoints stay, what the hot tier does.

    80-lifecycle/     rules in the store's own form, the job that keeps and archives checkpoints, the hot tier's part
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule, Retention
from tierplan.domain.plan import Plan
from tierplan.lifecycle import documents
from tierplan.render.engine import SUFFIX, template_names
from tierplan.units import Duration

Job = tuple[str, str, Mapping[str, object]]
Values = dict[str, object]
FOLDER, TEMPLATES = "80-lifecycle", "lifecycle"
DEFAULT_BUCKET = "checkpoint-archive"
NOTHING: Values = {
    "stated": False,
    "rules": [],
    "warm_after_days": 0,
    "cold_after_days": 0,
    "delete_after_days": 0,
    "document": {},
}


def lifecycle_jobs(plan: Plan, common: Mapping[str, object]) -> Iterator[Job]:
    """Path, template and values of every file of the life cycle; none where there is none."""
    if plan.lifecycle is None:
        return
    values = {**common, "crew": {"hosts": [], "examples": []}}
    for template in template_names(TEMPLATES):
        yield f"{FOLDER}/{template.partition('/')[2].removesuffix(SUFFIX)}", template, values


def lifecycle_values(plan: Plan) -> Values:
    """What every template may read under ``lifecycle``; days are whole, 0 means never."""
    made = plan.lifecycle
    if made is None:
        return NOTHING
    return {
        "stated": plan.stack.tiers.lifecycle is not None,
        "store": made.store,
        "hot": made.hot,
        "landing_class": made.landing_class,
        "warm_class": made.warm_class,
        "cold_class": made.cold_class,
        "warm_after_days": _days(made.warm_after),
        "cold_after_days": _days(made.cold_after),
        "delete_after_days": _days(made.delete_after),
        "rules": [_rule(rule) for rule in made.rules],
        "document": _document(plan, made),
        "jobs": [_retention(one) for one in made.retention],
        "jobs_text": json.dumps({one.workload: _retention(one) for one in made.retention}),
        "hand_overs": list(_hand_overs(made)),
        "mechanism": made.downward.mechanism if made.downward is not None else "",
        "notes": list(made.notes),
    }


def _document(plan: Plan, made: LifecyclePlan) -> object:
    """The rules as JSON, in the form of the store; stores that take XML have a template of their own."""
    if made.store == "gcs":
        return documents.gcs(made.rules)
    if made.store == "azure-blob":
        container = plan.tiers["cold"].config.options.get("bucket") if "cold" in plan.tiers else None
        return documents.azure(made.rules, str(container or DEFAULT_BUCKET))
    if made.store == "oci-object":
        return documents.oci(made.rules)
    return documents.s3(made.rules)


def _days(time: Duration | None) -> int:
    return 0 if time is None else math.ceil(time.s / 86400 - 1e-9)


def _rule(rule: ObjectRule) -> Values:
    return {
        "id": rule.id,
        "name": "".join(word.title() for word in rule.id.split("-")),
        "prefix": rule.prefix,
        "transitions": [{"days": one.after_days, "storage_class": one.storage_class} for one in rule.transitions],
        "delete_days": rule.delete_after_days or 0,
        "abort_days": rule.abort_uploads_after_days or 0,
        "old_days": rule.old_versions_after_days or 0,
    }


def _retention(one: Retention) -> Values:
    return {
        "name": one.workload,
        "last": one.last,
        "best": one.best,
        "weekly": one.weekly,
        "interval_s": round(one.interval.s),
        "archive_every_s": round(one.archive_every.s) if one.archive_every is not None else 0,
    }


def _hand_overs(made: LifecyclePlan) -> Iterator[Values]:
    for one in made.hand_overs:
        yield {
            "what": one.what,
            "source": one.source,
            "target": one.target,
            "daily_text": one.daily.show(),
            "bandwidth_text": one.bandwidth.show(),
            "mechanism": one.mechanism,
        }
