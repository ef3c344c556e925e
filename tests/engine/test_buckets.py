"""Buckets in a program without a word of ours, on the real engine, judged by our pack alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import enginerun
import pulumi_run

pytest.importorskip("pulumi_aws")
pytestmark = pytest.mark.engine

PROGRAM = """
import pulumi
import pulumi_aws as aws

bucket = aws.s3.Bucket("archive", opts=pulumi.ResourceOptions(protect=True))
aws.s3.BucketPublicAccessBlock(
    "private", bucket=bucket.id, block_public_acls=True, block_public_policy={policy}, ignore_public_acls=True,
    restrict_public_buckets=True,
)
if {encrypted}:
    aws.s3.BucketServerSideEncryptionConfiguration(
        "encryption", bucket=bucket.id,
        rules=[{{"apply_server_side_encryption_by_default": {{"sse_algorithm": "AES256"}}}}],
    )
if {versioned}:
    aws.s3.BucketVersioning("versions", bucket=bucket.id, versioning_configuration={{"status": "Enabled"}})
aws.s3.BucketLifecycleConfiguration(
    "rules", bucket=bucket.id,
    rules=[{{"id": "x", "status": "{uploads}", "abort_incomplete_multipart_upload": {{"days_after_initiation": 7}}}}],
)
"""
GOOD = {"policy": True, "encrypted": True, "versioned": True, "uploads": "Enabled"}


@pytest.fixture
def judged(project: pulumi_run.Project, tmp_path: Path) -> Any:
    """A preview of the program with one word changed."""

    def run(**changes: object) -> enginerun.Run:
        source = PROGRAM.format(**{**GOOD, **changes})
        mine = enginerun.program(replace(project), tmp_path, source)
        return enginerun.preview(mine, "dev", "config: {aws:region: us-east-1}")

    return run


def test_a_safe_bucket_passes_although_its_name_is_not_known_yet(judged: Any) -> None:
    run = judged()
    assert run.said("mandatory") == set(), run.errors
    assert not {name for name in run.said("advisory") if name.startswith("bucket-")}
    assert run.code == 0


def test_a_public_and_unencrypted_bucket_is_refused(judged: Any) -> None:
    run = judged(policy=False, encrypted=False, versioned=False, uploads="Disabled")
    assert run.code == 1
    assert run.said("mandatory") == {"bucket-private", "bucket-encrypted"}
    assert {"bucket-versioned", "bucket-abort-uploads"} <= run.said("advisory")
    assert "blockPublicPolicy is not true" in run.messages("bucket-private")
