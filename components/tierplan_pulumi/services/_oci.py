"""What the services of Oracle Cloud share: compartment, tags, and a bucket that is safe from the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_oci

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule
from tierplan.domain.plan import Plan
from tierplan.lifecycle import documents
from tierplan.lifecycle.rules import ABORT_AFTER_DAYS, OLD_VERSIONS_AFTER_DAYS
from tierplan_pulumi.services._place import Place, place_of, same_place

MOST_TAGS = 10
ABORT = ObjectRule(id="abort-incomplete-uploads", abort_uploads_after_days=ABORT_AFTER_DAYS)
OLD_VERSIONS = ObjectRule(id="drop-old-versions", old_versions_after_days=OLD_VERSIONS_AFTER_DAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketHandle:
    """A bucket, made here or somebody's own, and what to wait for before data is written."""

    name: pulumi.Output[str]
    ready: tuple[pulumi.Resource, ...] = ()


def place(name: str, plan: Plan, needed: tuple[str, ...], *words: str) -> Place:
    """
    The stack's region, availability domain and network.

    Raises:   RunError if something is missing, or the provider's own region is another
    """
    found = place_of(name, plan, needed=needed, words=("region", *words))
    same_place(name, "oci:region", pulumi.Config("oci").get("region"), found.region, "site.region")
    return found


def tags(words: Mapping[str, str]) -> dict[str, str]:
    """
    Tags as free-form tags: at most ten of a resource, keys without points and blanks.

    >>> tags({"cost.centre": "42", "owner": "storage"})
    {'cost_centre': '42', 'owner': 'storage'}
    """
    found = {key.replace(".", "_").replace(" ", "_")[:100]: value[:256] for key, value in sorted(words.items())}
    return dict(list(found.items())[:MOST_TAGS])


def groups(where: Place) -> list[str] | None:
    """The network security groups that the stack names."""
    named = [one.strip() for one in where.ids.get("security_groups", "").split(",") if one.strip()]
    return named or None


def safe_bucket(
    name: str,
    where: Place,
    *,
    bucket_id: str | None,
    lifecycle: LifecyclePlan | None,
    opts: pulumi.ResourceOptions,
    versioning: bool = True,
) -> BucketHandle:
    """
    The bucket of this name, left as it is; without one a new private bucket, with its rules of age.

    Oracle encrypts always: with its own keys, or with the stack's.
    lifecycle:   None for a bucket whose objects only their writer may touch (the data of JuiceFS)
    """
    if bucket_id is not None:
        return BucketHandle(name=pulumi.Output.from_input(bucket_id))
    bucket = pulumi_oci.objectstorage.Bucket(
        name,
        compartment_id=where.ids["compartment"],
        namespace=where.ids["namespace"],
        name=name,
        access_type="NoPublicAccess",
        storage_tier="Standard",
        versioning="Enabled" if versioning else "Disabled",
        kms_key_id=where.ids.get("kms_key"),
        freeform_tags=tags(where.tags),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=True)),
    )
    policy = pulumi_oci.objectstorage.ObjectLifecyclePolicy(
        f"{name}-lifecycle",
        bucket=bucket.name,
        namespace=where.ids["namespace"],
        rules=[_rule(item) for item in documents.oci(_rules(lifecycle, versioning=versioning))],
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=False)),
    )
    return BucketHandle(name=bucket.name, ready=(bucket, policy))


def _rules(lifecycle: LifecyclePlan | None, *, versioning: bool) -> tuple[ObjectRule, ...]:
    """The plan's rules, and those without which a bucket keeps what nobody sees."""
    rules = lifecycle.rules if lifecycle is not None else ()
    least = [] if any(rule.abort_uploads_after_days for rule in rules) else [ABORT]
    if versioning and not any(rule.old_versions_after_days for rule in rules):
        least.append(OLD_VERSIONS)
    return (*rules, *least)


def _rule(item: documents.Document) -> Any:  # the provider's own types are not told apart here
    """One item of the policy in the provider's words; its number is text there."""
    found: dict[str, Any] = {
        "name": item["name"],
        "action": item["action"],
        "time_amount": str(item["timeAmount"]),  # Guard: text; the provider's own type
        "time_unit": item["timeUnit"],
        "is_enabled": item["isEnabled"],
        "target": item["target"],
    }
    names = item.get("objectNameFilter")
    if isinstance(names, Mapping):
        found["object_name_filter"] = {"inclusion_prefixes": list(names["inclusionPrefixes"])}
    return found
