"""A bucket of Amazon S3 that is safe from the start: private, encrypted, versioned, without forgotten uploads."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws

from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule
from tierplan.lifecycle.rules import ABORT_AFTER_DAYS, OLD_VERSIONS_AFTER_DAYS

with warnings.catch_warnings():  # the SDK warns of its own old names while it loads, whoever uses them
    warnings.simplefilter("ignore", DeprecationWarning)
    s3 = pulumi_aws.s3
    s3.Bucket  # noqa: B018  # loaded on first use

LEAST_RULES = (
    ObjectRule(id="abort-incomplete-uploads", abort_uploads_after_days=ABORT_AFTER_DAYS),
    ObjectRule(id="drop-old-versions", old_versions_after_days=OLD_VERSIONS_AFTER_DAYS),
)
DATA_PATH = (
    "s3:GetObject",
    "s3:PutObject",
    "s3:DeleteObject",
    "s3:AbortMultipartUpload",
    "s3:ListMultipartUploadParts",
)
LISTING = ("s3:ListBucket", "s3:ListBucketMultipartUploads", "s3:GetBucketLocation")


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketHandle:
    """A bucket, made here or somebody's own: its name, its ARN, and what to wait for before data is written."""

    name: pulumi.Output[str]
    arn: pulumi.Output[str]
    ready: tuple[pulumi.Resource, ...] = ()

    @property
    def url(self) -> pulumi.Output[str]:
        """``s3://name``."""
        return pulumi.Output.concat("s3://", self.name)


def safe_bucket(
    name: str,
    *,
    lifecycle: LifecyclePlan | None,
    opts: pulumi.ResourceOptions,
    bucket_id: str | None = None,
    tags: Mapping[str, str] | None = None,
    versioning: bool = True,
    kms_key: str | None = None,
    principals: Sequence[str] = (),
    protect: bool = True,
    region: str | None = None,
) -> BucketHandle:
    """
    The bucket of this id, left as it is; without an id a new one with everything that keeps it safe.

    lifecycle:   the plan's rules for what is stored; None for a bucket whose objects only their writer may touch
                 (the data of JuiceFS): then only forgotten uploads and old versions go
    kms_key:     ARN of an existing key; else the service's own keys encrypt (AES256)
    principals:  ARNs of the roles that read and write the data; without them the account's own policies decide
    region:      of the bucket and its settings; the provider's own where it is left out
    protect:     the bucket itself cannot be destroyed by mistake; its settings can
    """
    if bucket_id is not None:
        return BucketHandle(
            name=pulumi.Output.from_input(bucket_id), arn=pulumi.Output.from_input(f"arn:aws:s3:::{bucket_id}")
        )
    kept = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=protect))
    bucket = s3.Bucket(name, force_destroy=False, tags=dict(tags or {}), region=region, opts=kept)
    # The bucket's own options come down to its settings but for the protection: they can be made again.
    mine = pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(protect=False))
    settings = _settings(name, bucket, mine, versioning=versioning, kms_key=kms_key, region=region)
    after = pulumi.ResourceOptions.merge(mine, pulumi.ResourceOptions(depends_on=list(settings)))
    rules = _rules(lifecycle, versioning=versioning)
    policy = s3.BucketPolicy(
        f"{name}-access",
        bucket=bucket.id,
        region=region,
        policy=bucket.arn.apply(lambda arn: json.dumps(access_policy(str(arn), principals))),
        opts=after,
    )
    moves = s3.BucketLifecycleConfiguration(
        f"{name}-lifecycle",
        bucket=bucket.id,
        region=region,
        rules=[_rule_args(rule) for rule in rules],
        # Guard: without it the service decides which small objects a rule leaves where they are.
        transition_default_minimum_object_size="all_storage_classes_128K",
        opts=after,
    )
    return BucketHandle(name=bucket.id, arn=bucket.arn, ready=(bucket, *settings, policy, moves))


def access_policy(arn: str, principals: Sequence[str]) -> Mapping[str, object]:
    """Nothing without TLS; the named roles on the data path, and no other action for them here."""
    both = [arn, f"{arn}/*"]
    deny: Mapping[str, object] = {
        "Sid": "OnlyEncryptedTransport",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "s3:*",
        "Resource": both,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    if not principals:
        return {"Version": "2012-10-17", "Statement": [deny]}
    who = {"AWS": sorted(principals)}
    data = {"Sid": "DataPath", "Effect": "Allow", "Principal": who, "Action": list(DATA_PATH), "Resource": both[1]}
    listing = {"Sid": "Listing", "Effect": "Allow", "Principal": who, "Action": list(LISTING), "Resource": arn}
    return {"Version": "2012-10-17", "Statement": [deny, data, listing]}


def _settings(
    name: str,
    bucket: pulumi_aws.s3.Bucket,
    opts: pulumi.ResourceOptions,
    *,
    versioning: bool,
    kms_key: str | None,
    region: str | None,
) -> tuple[pulumi.Resource, ...]:
    """Private, encrypted, versioned: resources of their own, as the provider wants it since version 7."""
    default: dict[str, str] = {"sse_algorithm": "aws:kms" if kms_key else "AES256"}
    if kms_key:
        default["kms_master_key_id"] = kms_key
    private = s3.BucketPublicAccessBlock(
        f"{name}-private",
        bucket=bucket.id,
        region=region,
        block_public_acls=True,
        block_public_policy=True,
        ignore_public_acls=True,
        restrict_public_buckets=True,
        opts=opts,
    )
    encrypted = s3.BucketServerSideEncryptionConfiguration(
        f"{name}-encryption",
        bucket=bucket.id,
        region=region,
        rules=[{"apply_server_side_encryption_by_default": default, "bucket_key_enabled": kms_key is not None}],
        opts=opts,
    )
    status = "Enabled" if versioning else "Disabled"
    versions = s3.BucketVersioning(
        f"{name}-versioning",
        bucket=bucket.id,
        region=region,
        versioning_configuration={"status": status},
        opts=opts,
    )
    return private, encrypted, versions


def _rules(lifecycle: LifecyclePlan | None, *, versioning: bool) -> tuple[ObjectRule, ...]:
    """The plan's rules, and those without which a bucket keeps what nobody sees."""
    rules = lifecycle.rules if lifecycle is not None else ()
    missing = [
        least
        for least in LEAST_RULES
        if (versioning or least.old_versions_after_days is None)
        and not any(
            (rule.abort_uploads_after_days if least.abort_uploads_after_days else rule.old_versions_after_days)
            for rule in rules
        )
    ]
    return (*rules, *missing)


def _rule_args(rule: ObjectRule) -> dict[str, object]:
    """One rule in the provider's words; what it does not do is left out."""
    args: dict[str, object] = {"id": rule.id, "status": "Enabled", "filter": {"prefix": rule.prefix}}
    if rule.transitions:
        args["transitions"] = [
            {"days": move.after_days, "storage_class": move.storage_class} for move in rule.transitions
        ]
    if rule.delete_after_days is not None:
        args["expiration"] = {"days": rule.delete_after_days}
    if rule.abort_uploads_after_days is not None:
        args["abort_incomplete_multipart_upload"] = {"days_after_initiation": rule.abort_uploads_after_days}
    if rule.old_versions_after_days is not None:
        args["noncurrent_version_expiration"] = {"noncurrent_days": rule.old_versions_after_days}
    return args
