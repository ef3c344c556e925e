"""Buckets of anybody's program: one good program for each cloud, spoilt one setting at a time."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from tierplan.plan import program_rules
from tierplan.plan.rule import UNKNOWN, Registered
from tierplan.plan.rules_bucket import PROGRAM_RULES, TOKENS

NAMES = ("bucket-private", "bucket-encrypted", "bucket-versioned", "bucket-abort-uploads")


def one(token: str, inputs: dict[str, Any], of: str = "", key: str = "bucket") -> Registered:
    """A resource; its bucket is not known by name at preview, only by the link."""
    name = token.rpartition(":")[2]
    links = {key: (of,)} if of else {}
    given = {**inputs, key: UNKNOWN} if of else inputs
    return Registered(token=token, name=name, urn=f"urn::{name}", inputs=given, links=links)


B = "urn::Bucket"
AWS = (
    one("aws:s3/bucket:Bucket", {"forceDestroy": False}),
    one(
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        {
            "blockPublicAcls": True,
            "blockPublicPolicy": True,
            "ignorePublicAcls": True,
            "restrictPublicBuckets": True,
        },
        B,
    ),
    one(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        {"rules": [{"applyServerSideEncryptionByDefault": {"sseAlgorithm": "AES256"}}]},
        B,
    ),
    one("aws:s3/bucketVersioning:BucketVersioning", {"versioningConfiguration": {"status": "Enabled"}}, B),
    one(
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        {
            "rules": [
                {
                    "id": "x",
                    "status": "Enabled",
                    "filter": {"prefix": ""},
                    "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
                }
            ]
        },
        B,
    ),
)
GCP = (
    one(
        "gcp:storage/bucket:Bucket",
        {
            "name": "archive",
            "location": "EU",
            "publicAccessPrevention": "enforced",
            "uniformBucketLevelAccess": True,
            "versioning": {"enabled": True},
            "lifecycleRules": [{"action": {"type": "AbortIncompleteMultipartUpload"}, "condition": {"age": 7}}],
        },
    ),
    one("gcp:storage/bucketIAMMember:BucketIAMMember", {"member": "serviceAccount:gpu@x.iam"}, B),
)
AZURE = (
    one(
        "azure-native:storage:StorageAccount",
        {"accountName": "archive", "allowBlobPublicAccess": False, "enableHttpsTrafficOnly": True},
    ),
    one(
        "azure-native:storage:BlobServiceProperties",
        {"isVersioningEnabled": True},
        "urn::StorageAccount",
        "accountName",
    ),
)
ALIBABA = (
    one(
        "alicloud:oss/bucket:Bucket",
        {
            "bucket": "archive",
            "serverSideEncryptionRule": {"sseAlgorithm": "AES256"},
            "versioning": {"status": "Enabled"},
            "lifecycleRules": [{"id": "x", "enabled": True, "abortMultipartUploads": [{"days": 7}]}],
        },
    ),
    one("alicloud:oss/bucketPublicAccessBlock:BucketPublicAccessBlock", {"blockPublicAccess": True}, B),
)
ORACLE = (
    one(
        "oci:ObjectStorage/bucket:Bucket", {"name": "archive", "accessType": "NoPublicAccess", "versioning": "Enabled"}
    ),
    one(
        "oci:ObjectStorage/objectLifecyclePolicy:ObjectLifecyclePolicy",
        {"rules": [{"action": "ABORT", "isEnabled": True, "timeAmount": "7", "timeUnit": "DAYS"}]},
        B,
    ),
)
PROGRAMS = {"aws": AWS, "gcp": GCP, "azure": AZURE, "alibaba": ALIBABA, "oracle": ORACLE}


def found(resources: Iterable[Registered]) -> set[str]:
    """The rules that these resources miss."""
    every = tuple(resources)
    return {spotted.finding.policy for rule in PROGRAM_RULES for spotted in rule.check(every)}


def spoilt(cloud: str, kind: str, path: str, value: object) -> tuple[Registered, ...]:
    """The cloud's good program with one input of one resource set; None takes it away."""

    def change(resource: Registered) -> Registered:
        if resource.name != kind:
            return resource
        inputs = copy.deepcopy({key: item for key, item in resource.inputs.items() if item is not UNKNOWN})
        place: Any = inputs
        *parents, last = path.split(".")
        for key in parents:
            place = place[int(key)] if isinstance(place, list) else place[key]
        if value is None:
            place.pop(last)
        else:
            place[last] = value
        return replace(resource, inputs=inputs)

    return tuple(change(resource) for resource in PROGRAMS[cloud])


@pytest.mark.parametrize("cloud", PROGRAMS)
def test_a_good_program_misses_nothing(cloud: str) -> None:
    assert found(PROGRAMS[cloud]) == set()


@pytest.mark.parametrize(
    ("cloud", "kind", "path", "value", "rule"),
    [
        *(
            ("aws", "BucketPublicAccessBlock", flag, value, "bucket-private")
            for flag in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
            for value in (False, None, UNKNOWN)
        ),
        ("aws", "Bucket", "acl", "public-read", "bucket-private"),
        ("aws", "BucketServerSideEncryptionConfiguration", "rules", [], "bucket-encrypted"),
        ("aws", "BucketServerSideEncryptionConfiguration", "rules", UNKNOWN, "bucket-encrypted"),
        (
            "aws",
            "BucketServerSideEncryptionConfiguration",
            "rules.0.applyServerSideEncryptionByDefault",
            None,
            "bucket-encrypted",
        ),
        ("aws", "BucketVersioning", "versioningConfiguration.status", "Suspended", "bucket-versioned"),
        ("aws", "BucketVersioning", "versioningConfiguration.status", UNKNOWN, "bucket-versioned"),
        ("aws", "BucketLifecycleConfiguration", "rules.0.status", "Disabled", "bucket-abort-uploads"),
        ("aws", "BucketLifecycleConfiguration", "rules.0.filter.prefix", "x/", "bucket-abort-uploads"),
        ("aws", "BucketLifecycleConfiguration", "rules", UNKNOWN, "bucket-abort-uploads"),
        ("gcp", "Bucket", "publicAccessPrevention", "inherited", "bucket-private"),
        ("gcp", "Bucket", "uniformBucketLevelAccess", None, "bucket-private"),
        ("gcp", "BucketIAMMember", "member", "allUsers", "bucket-private"),
        ("gcp", "Bucket", "versioning.enabled", False, "bucket-versioned"),
        ("gcp", "Bucket", "lifecycleRules", [], "bucket-abort-uploads"),
        ("azure", "StorageAccount", "allowBlobPublicAccess", True, "bucket-private"),
        ("azure", "StorageAccount", "allowBlobPublicAccess", None, "bucket-private"),
        ("azure", "StorageAccount", "enableHttpsTrafficOnly", False, "bucket-private"),
        ("azure", "BlobServiceProperties", "isVersioningEnabled", False, "bucket-versioned"),
        ("alibaba", "BucketPublicAccessBlock", "blockPublicAccess", False, "bucket-private"),
        ("alibaba", "Bucket", "acl", "public-read-write", "bucket-private"),
        ("alibaba", "Bucket", "serverSideEncryptionRule", None, "bucket-encrypted"),
        ("alibaba", "Bucket", "versioning.status", "Suspended", "bucket-versioned"),
        ("alibaba", "Bucket", "lifecycleRules.0.enabled", False, "bucket-abort-uploads"),
        ("oracle", "Bucket", "accessType", "ObjectRead", "bucket-private"),
        ("oracle", "Bucket", "versioning", "Disabled", "bucket-versioned"),
        ("oracle", "ObjectLifecyclePolicy", "rules.0.isEnabled", False, "bucket-abort-uploads"),
    ],
)
def test_one_spoilt_setting_is_refused_by_its_rule_alone(cloud, kind, path, value, rule) -> None:
    assert found(spoilt(cloud, kind, path, value)) == {rule}


@pytest.mark.parametrize(
    ("missing", "rule"),
    [
        ("BucketPublicAccessBlock", "bucket-private"),
        ("BucketServerSideEncryptionConfiguration", "bucket-encrypted"),
        ("BucketVersioning", "bucket-versioned"),
        ("BucketLifecycleConfiguration", "bucket-abort-uploads"),
    ],
)
def test_on_aws_a_missing_companion_is_told(missing: str, rule: str) -> None:
    """Defaults of an account are not seen in a program, and can be switched off."""
    assert found(resource for resource in AWS if resource.name != missing) == {rule}


def test_companions_of_another_bucket_do_not_count() -> None:
    other = tuple(replace(resource, links={"bucket": ("urn::Other",)}) for resource in AWS[1:])
    assert found((AWS[0], *other)) == set(NAMES)


def test_companions_are_found_by_plain_name_too() -> None:
    named = replace(AWS[0], inputs={"bucket": "acme"})
    plain = tuple(replace(one, links={}, inputs={**one.inputs, "bucket": "acme"}) for one in AWS[1:])
    assert found((named, *plain)) == set()


def test_the_rules_are_in_the_pack_with_every_token() -> None:
    assert {rule.name for rule in program_rules.PROGRAM_RULES} >= set(NAMES)
    assert set(TOKENS) >= {resource.token for program in PROGRAMS.values() for resource in program}
    levels = {rule.name: rule.level for rule in PROGRAM_RULES}
    assert levels == {
        "bucket-private": "mandatory",
        "bucket-encrypted": "mandatory",
        "bucket-versioned": "advisory",
        "bucket-abort-uploads": "advisory",
    }
