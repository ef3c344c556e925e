"""The bucket that the components make: every setting that keeps it safe, in the provider's own words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

import pulumi
import pytest
from pulumi.runtime import mocks

import recording
from tierplan.domain.lifecycle import LifecyclePlan, ObjectRule, Transition

pytest.importorskip("pulumi_aws")

from tierplan_pulumi.services import bucket_aws

Inputs = Mapping[str, Any]
MOVES = LifecyclePlan(
    store="s3",
    rules=(
        ObjectRule(
            id="data",
            prefix="data/",
            transitions=(
                Transition(after_days=30, storage_class="STANDARD_IA"),
                Transition(after_days=90, storage_class="GLACIER_IR"),
            ),
            delete_after_days=400,
        ),
        ObjectRule(id="abort", abort_uploads_after_days=3),
    ),
)


class _Known(mocks.Mocks):
    """Ids and ARNs as after a run, so that what is made of them is seen too."""

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, dict[Any, Any]]:
        return f"{args.name}-1a2b3c4", {**args.inputs, "arn": f"arn:aws:s3:::{args.name}-1a2b3c4"}

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[Any, Any], None]:
        raise NotImplementedError(args.token)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Mapping[str, Inputs]]:
    """What `safe_bucket` registers: short token -> inputs."""
    monkeypatch.setattr(recording, "_Mocks", _Known)

    def run(**given: Any) -> Mapping[str, Inputs]:
        given = {"lifecycle": None, "opts": pulumi.ResourceOptions(), **given}
        recorded = recording.record(lambda: bucket_aws.safe_bucket("cold", **given))
        return {one.token.rpartition(":")[2]: cast("Inputs", one.inputs) for one in recorded.resources}

    return run


def test_a_bucket_comes_with_everything_that_keeps_it_safe(made) -> None:
    found = made()
    assert sorted(found) == [
        "Bucket",
        "BucketLifecycleConfiguration",
        "BucketPolicy",
        "BucketPublicAccessBlock",
        "BucketServerSideEncryptionConfiguration",
        "BucketVersioning",
    ]
    assert all(
        found["BucketPublicAccessBlock"][key] is True
        for key in ("blockPublicAcls", "blockPublicPolicy", "ignorePublicAcls", "restrictPublicBuckets")
    )
    assert found["BucketVersioning"]["versioningConfiguration"] == {"status": "Enabled"}
    assert found["Bucket"]["forceDestroy"] is False
    assert {one["bucket"] for kind, one in found.items() if kind != "Bucket"} == {"cold-1a2b3c4"}


def test_nothing_is_an_inline_setting_of_the_bucket(made) -> None:
    """Version 7 of the provider deprecates them, and then two resources own one setting."""
    assert set(made(tags={"owner": "storage"})["Bucket"]) == {"forceDestroy", "tags"}


def test_the_plans_rules_arrive_in_the_services_words(made) -> None:
    first, second, third = made(lifecycle=MOVES)["BucketLifecycleConfiguration"]["rules"]
    assert first == {
        "id": "data",
        "status": "Enabled",
        "filter": {"prefix": "data/"},
        "transitions": [{"days": 30, "storageClass": "STANDARD_IA"}, {"days": 90, "storageClass": "GLACIER_IR"}],
        "expiration": {"days": 400},
    }
    assert second["abortIncompleteMultipartUpload"] == {"daysAfterInitiation": 3}
    assert third["noncurrentVersionExpiration"] == {"noncurrentDays": bucket_aws.OLD_VERSIONS_AFTER_DAYS}


def test_without_a_plan_nothing_that_is_stored_moves(made) -> None:
    """The blocks of JuiceFS are opaque: a rule of age would take them from under it."""
    configuration = made()["BucketLifecycleConfiguration"]
    assert not any("transitions" in rule or "expiration" in rule for rule in configuration["rules"])
    assert any("abortIncompleteMultipartUpload" in rule for rule in configuration["rules"])
    assert configuration["transitionDefaultMinimumObjectSize"] == "all_storage_classes_128K"


def test_only_encrypted_transport_and_only_the_named_roles(made) -> None:
    role = "arn:aws:iam::123456789012:role/gpu"
    statements = json.loads(made(principals=[role])["BucketPolicy"]["policy"])["Statement"]
    assert statements[0]["Effect"] == "Deny"
    assert statements[0]["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert all(one["Principal"] == {"AWS": [role]} for one in statements[1:])
    assert not any(action == "s3:*" for one in statements[1:] for action in one["Action"])
    assert [one["Effect"] for one in json.loads(made()["BucketPolicy"]["policy"])["Statement"]] == ["Deny"]


@pytest.mark.parametrize(
    ("key", "algorithm"), [(None, "AES256"), ("arn:aws:kms:us-east-1:123456789012:key/1", "aws:kms")]
)
def test_encryption_by_the_service_or_by_an_existing_key(made, key: str | None, algorithm: str) -> None:
    (rule,) = made(kms_key=key)["BucketServerSideEncryptionConfiguration"]["rules"]
    default = rule["applyServerSideEncryptionByDefault"]
    assert default["sseAlgorithm"] == algorithm
    assert default.get("kmsMasterKeyId") == key
    assert rule["bucketKeyEnabled"] is (key is not None)


def test_an_existing_bucket_is_used_and_left_as_it_is(made) -> None:
    assert made(bucket_id="acme-data") == {}


def test_without_versions_no_rule_for_old_ones(made) -> None:
    found = made(versioning=False)
    assert found["BucketVersioning"]["versioningConfiguration"] == {"status": "Disabled"}
    rules = found["BucketLifecycleConfiguration"]["rules"]
    assert not any("noncurrentVersionExpiration" in rule for rule in rules)
