"""A bucket of Google Cloud Storage that is safe from the start: private, versioned, with its rules of age."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pulumi
import pulumi_gcp

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule
from tierplan.lifecycle.rules import ABORT_AFTER_DAYS, OLD_VERSIONS_AFTER_DAYS
from tierplan_pulumi.services import _google
from tierplan_pulumi.services._place import Place

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    storage = pulumi_gcp.storage
    storage.Bucket  # noqa: B018  # loaded on first use

LEAST_RULES = (
    ObjectRule(id="abort-incomplete-uploads", abort_uploads_after_days=ABORT_AFTER_DAYS),
    ObjectRule(id="drop-old-versions", old_versions_after_days=OLD_VERSIONS_AFTER_DAYS),
)
DATA_PATH = "roles/storage.objectAdmin"


def safe_bucket(
    name: str,
    place: Place,
    *,
    lifecycle: LifecyclePlan | None,
    opts: pulumi.ResourceOptions,
    bucket_id: str | None = None,
    versioning: bool = True,
    kms_key: str | None = None,
) -> pulumi.Output[str]:
    """
    The bucket of this name, left as it is; without a name a new one with everything that keeps it safe.

    lifecycle:  the plan's rules; None for a bucket whose objects only their writer may touch (the data of JuiceFS)
    """
    if bucket_id is not None:
        return pulumi.Output.from_input(bucket_id)
    rules = (*(lifecycle.rules if lifecycle else ()), *(LEAST_RULES if versioning else LEAST_RULES[:1]))
    bucket = storage.Bucket(
        name,
        location=place.region,
        project=_google.project(place),
        storage_class="STANDARD",
        force_destroy=False,
        uniform_bucket_level_access=True,
        public_access_prevention="enforced",
        versioning={"enabled": versioning},
        # blocks of a volume are written once: kept after deletion they would only cost
        soft_delete_policy=None if lifecycle else {"retention_duration_seconds": 0},
        encryption={"default_kms_key_name": kms_key} if kms_key else None,
        lifecycle_rules=[args for rule in rules for args in rule_args(rule)],
        labels=_google.labels(place.tags),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True)),
    )
    account = place.ids.get("client_service_account")
    if account is not None:
        storage.BucketIAMMember(
            f"{name}-access", bucket=bucket.name, role=DATA_PATH, member=f"serviceAccount:{account}", opts=opts
        )
    made: pulumi.Output[str] = bucket.name
    return made


def rule_args(rule: ObjectRule) -> Iterator[dict[str, Any]]:
    """One rule in the provider's words: an action each, with its condition."""
    for action, condition in _actions(rule):
        under = {"matches_prefixes": [rule.prefix]} if rule.prefix else {}
        yield {"action": action, "condition": {**condition, **under}}


def _actions(rule: ObjectRule) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for move in rule.transitions:
        yield {"type": "SetStorageClass", "storage_class": move.storage_class}, {"age": move.after_days}
    if rule.delete_after_days is not None:
        yield {"type": "Delete"}, {"age": rule.delete_after_days}
    if rule.abort_uploads_after_days is not None:
        yield {"type": "AbortIncompleteMultipartUpload"}, {"age": rule.abort_uploads_after_days}
    if rule.old_versions_after_days is not None:
        yield {"type": "Delete"}, {"days_since_noncurrent_time": rule.old_versions_after_days, "with_state": "ARCHIVED"}
