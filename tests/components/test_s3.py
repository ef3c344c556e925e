"""The cold tier on Amazon S3: its bucket under the tier with the rules of the plan, or none where one exists."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import pytest

import recording
from tierplan import wire
from tierplan_pulumi import TieredStorage

pytest.importorskip("pulumi_aws")

S3 = "aws:s3/"


@pytest.fixture
def aws_spec() -> Mapping[str, Any]:
    """The shipped stack on AWS, as somebody would write it into a program."""
    return {
        key.removeprefix("tierplan:"): json.loads(value)
        for key, value in recording.stack_config("aws-fsx").items()
        if value.startswith(("{", "["))
    }


@pytest.fixture
def cold_resources(aws_spec) -> Callable[..., Mapping[str, recording.Registered]]:
    """What hangs under the cold tier, with these pins of it: short token -> resource."""

    def run(lifecycle: Mapping[str, str] | None = None, **options: object) -> Mapping[str, recording.Registered]:
        spec = json.loads(json.dumps(aws_spec))
        del spec["site"]["network"]["vpc"]  # what the hot tier makes in it is not looked at here
        spec["tiers"]["cold"] = {"backend": "s3", "options": options}
        spec["tiers"]["lifecycle"] = lifecycle
        recorded = recording.record(lambda: TieredStorage("mine", {"spec": spec}))
        cold = recorded.of(wire.TIER_TOKENS["cold"])
        return {
            one.token.rpartition(":")[2]: one
            for one in recorded.resources
            if one.token.startswith(S3) and one.parent == cold.urn
        }

    return run


def test_the_bucket_hangs_under_the_cold_tier_with_its_settings(cold_resources) -> None:
    found = cold_resources()
    assert {kind: one.name for kind, one in found.items()} == {
        "Bucket": "mine-cold-bucket",
        "BucketPublicAccessBlock": "mine-cold-bucket-private",
        "BucketServerSideEncryptionConfiguration": "mine-cold-bucket-encryption",
        "BucketVersioning": "mine-cold-bucket-versioning",
        "BucketPolicy": "mine-cold-bucket-access",
        "BucketLifecycleConfiguration": "mine-cold-bucket-lifecycle",
    }
    assert found["Bucket"].inputs["tags"] == {"owner": "storage", "env": "prod"}


def test_the_rules_are_those_of_the_plan(cold_resources) -> None:
    rules = cold_resources({"warm_after": None, "cold_after": "90 d"})["BucketLifecycleConfiguration"].inputs["rules"]
    by_id = {rule["id"]: rule for rule in cast("list[dict[str, Any]]", rules)}
    assert by_id["archived-checkpoints"]["transitions"] == [{"days": 90, "storageClass": "GLACIER_IR"}]
    assert by_id["raw-and-processed-data"]["filter"] == {"prefix": "data/"}
    assert by_id["abort-incomplete-uploads"]["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 7}
    assert by_id["drop-old-versions"]["noncurrentVersionExpiration"] == {"noncurrentDays": 7}
    assert len(by_id) == len(rules) == 4


def test_without_a_life_cycle_uploads_and_old_versions_end_all_the_same(cold_resources) -> None:
    rules = cast("list[dict[str, Any]]", cold_resources()["BucketLifecycleConfiguration"].inputs["rules"])
    assert [rule["id"] for rule in rules] == ["abort-incomplete-uploads", "drop-old-versions"]


def test_a_bucket_that_exists_is_left_alone(cold_resources) -> None:
    assert cold_resources(bucket="acme-archive") == {}


def test_an_existing_key_encrypts(cold_resources) -> None:
    key = "arn:aws:kms:us-east-1:111122223333:key/1"
    encryption = cold_resources(encryption_key=key)["BucketServerSideEncryptionConfiguration"].inputs
    (rule,) = cast("list[dict[str, Any]]", encryption["rules"])
    assert rule["applyServerSideEncryptionByDefault"] == {"kmsMasterKeyId": key, "sseAlgorithm": "aws:kms"}
