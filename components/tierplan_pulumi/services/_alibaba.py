"""What the services of Alibaba Cloud share: place, tags, and a bucket that is safe from the start."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule
from tierplan.domain.plan import Plan
from tierplan.lifecycle.rules import ABORT_AFTER_DAYS, OLD_VERSIONS_AFTER_DAYS
from tierplan_pulumi.services._place import Place, place_of, same_place

with warnings.catch_warnings():  # the SDK warns of its own old names while it loads, whoever uses them
    warnings.simplefilter("ignore", DeprecationWarning)
    import pulumi_alicloud

    sdk, oss = pulumi_alicloud, pulumi_alicloud.oss
    oss.Bucket  # noqa: B018  # loaded on first use

MOST_TAGS = 20
FLOW_TAG = {"cpfs-dataflow": "true"}
"""Without it a data flow of CPFS cannot be made on a bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketHandle:
    """A bucket, made here or somebody's own, and what to wait for before data is written."""

    name: pulumi.Output[str]
    ready: tuple[pulumi.Resource, ...] = ()


def place(name: str, plan: Plan, needed: tuple[str, ...], *words: str) -> Place:
    """
    The stack's region, zone and network.

    Raises:   RunError if something is missing, or the provider's own region is another
    """
    found = place_of(name, plan, needed=needed, words=("region", *words))
    same_place(name, "alicloud:region", pulumi.Config("alicloud").get("region"), found.region, "site.region")
    return found


def tags(words: Mapping[str, str]) -> dict[str, str]:
    """
    Tags in Alibaba's rules: at most twenty, keys that begin neither with aliyun nor acs:.

    >>> tags({"acs:owner": "x", "owner": "storage"})
    {'owner': 'storage'}
    """
    mine = {key[:128]: value[:128] for key, value in sorted(words.items()) if not key.startswith(("aliyun", "acs:"))}
    return dict(list(mine.items())[:MOST_TAGS])


def safe_bucket(
    name: str,
    where: Place,
    *,
    bucket_id: str | None,
    lifecycle: LifecyclePlan | None,
    opts: pulumi.ResourceOptions,
    versioning: bool = True,
    more_tags: Mapping[str, str] | None = None,
) -> BucketHandle:
    """
    The bucket of this name, left as it is; without one a new private, encrypted bucket, with its rules of age.

    lifecycle:   None for a bucket whose objects only their writer may touch (the data of JuiceFS)
    """
    if bucket_id is not None:
        return BucketHandle(name=pulumi.Output.from_input(bucket_id))
    key = where.ids.get("kms_key")
    words: dict[str, Any] = {
        "server_side_encryption_rule": {"sse_algorithm": "KMS", "kms_master_key_id": key}
        if key
        else {"sse_algorithm": "AES256"},
        "versioning": {"status": "Enabled"} if versioning else None,
        "lifecycle_rules": [rule_args(one) for one in _rules(lifecycle, versioning=versioning)],
        "tags": {**tags(where.tags), **(more_tags or {})},
    }
    bucket = oss.Bucket(
        name,
        storage_class="Standard",  # Guard: a change of it replaces the bucket; classes are the rules' affair
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True)),
        **words,
    )
    private = oss.BucketPublicAccessBlock(
        f"{name}-private",
        bucket=bucket.bucket,
        block_public_access=True,
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=False)),
    )
    return BucketHandle(name=bucket.bucket, ready=(bucket, private))


def _rules(lifecycle: LifecyclePlan | None, *, versioning: bool) -> tuple[ObjectRule, ...]:
    """The plan's rules, and those without which a bucket keeps what nobody sees."""
    rules = lifecycle.rules if lifecycle is not None else ()
    least = [ObjectRule(id="abort-incomplete-uploads", abort_uploads_after_days=ABORT_AFTER_DAYS)]
    if versioning:
        least.append(ObjectRule(id="drop-old-versions", old_versions_after_days=OLD_VERSIONS_AFTER_DAYS))
    missing = [
        one
        for one in least
        if not any(
            (rule.abort_uploads_after_days if one.abort_uploads_after_days else rule.old_versions_after_days)
            for rule in rules
        )
    ]
    return (*rules, *missing)


def rule_args(rule: ObjectRule) -> dict[str, Any]:
    """One rule in the provider's words; what it does not do is left out."""
    found: dict[str, Any] = {"id": rule.id, "enabled": True, "prefix": rule.prefix}
    if rule.transitions:
        found["transitions"] = [
            {"days": move.after_days, "storage_class": move.storage_class} for move in rule.transitions
        ]
    if rule.delete_after_days is not None:
        found["expirations"] = [{"days": rule.delete_after_days}]
    if rule.abort_uploads_after_days is not None:
        found["abort_multipart_uploads"] = [{"days": rule.abort_uploads_after_days}]
    if rule.old_versions_after_days is not None:
        found["noncurrent_version_expirations"] = [{"days": rule.old_versions_after_days}]
    return found
