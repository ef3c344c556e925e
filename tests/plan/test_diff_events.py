"""
Events of real previews (engine 3.274.1, a stand-in for the `aws` provider): one file system is replaced, one grows, a
bucket is deleted, another is kept by `retainOnDelete`, a setting of a bucket and a cold tier go.
"""

import json
from pathlib import Path

import pytest

from tierplan.plan._diff_events import read_preview, stateful

EVENTS = Path(__file__).parent / "events"


def lines(name):
    return [json.loads(line) for line in (EVENTS / name).read_text(encoding="utf-8").splitlines()]


FORMS = {
    "event log": lines("replace.jsonl"),
    "event stream": lines("stream.jsonl"),
    "one document": [json.loads((EVENTS / "digest.json").read_text(encoding="utf-8"))],
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_what_would_be_lost(form):
    found = read_preview(FORMS[form])
    assert {one.resource: one.because for one in found.replaced} == {
        "scratch": "replaced by the preview: subnetIds changes (aws:fsx/lustreFileSystem:LustreFileSystem)",
        "archive": "deleted by the preview (aws:s3/bucket:Bucket)",
        "old-cold": "deleted by the preview (tierplan:index:ColdTier)",
    }
    assert (found.stack, found.whole, found.faults) == ("prod", True, ())
    assert found.counts == {"delete": 4, "replace": 1, "same": 1, "update": 2}


@pytest.mark.parametrize("last", range(9))
def test_a_cut_stream_is_not_whole(last):
    assert not read_preview(FORMS["event log"][:last]).whole


@pytest.mark.parametrize(
    "token",
    [
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "aws:fsx/openZfsVolume:OpenZfsVolume",
        "aws:s3/bucket:Bucket",
        "aws:s3/bucketV2:BucketV2",
        "aws:ebs/volume:Volume",
        "aws:rds/instance:Instance",
        "aws:rds/cluster:Cluster",
        "aws:elasticache/replicationGroup:ReplicationGroup",
        "aws:kms/key:Key",
        "azure-native:storagecache:AmlFilesystem",
        "azure-native:storage:StorageAccount",
        "azure-native:storage:BlobContainer",
        "gcp:lustre/instance:Instance",
        "gcp:storage/bucket:Bucket",
        "gcp:kms/cryptoKey:CryptoKey",
        "oci:LustreFileStorage/lustreFileSystem:LustreFileSystem",
        "oci:ObjectStorage/bucket:Bucket",
        "alicloud:nas/fileSystem:FileSystem",
        "alicloud:oss/bucket:Bucket",
        "kubernetes:core/v1:PersistentVolumeClaim",
        "tierplan:index:HotTier",
        "tierplan:index:TieredStorage",
    ],
)
def test_these_hold_data(token):
    assert stateful(token)


@pytest.mark.parametrize(
    "token",
    [
        "aws:ec2/securityGroup:SecurityGroup",
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        "aws:s3/bucketPolicy:BucketPolicy",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        "aws:fsx/dataRepositoryAssociation:DataRepositoryAssociation",
        "aws:rds/subnetGroup:SubnetGroup",
        "aws:iam/role:Role",
        "gcp:storage/bucketIAMBinding:BucketIAMBinding",
        "tierplan:index:ConfigArtifact",
        "tierplan:index:LocalTier",
        "kubernetes:apps/v1:Deployment",
        "pulumi:pulumi:Stack",
    ],
)
def test_these_hold_none(token):
    assert not stateful(token)


def test_unjudged_policies_refuse():
    events = [
        {
            "policyEvent": {
                "resourceUrn": "urn:pulumi:demo::tierplan::tierplan:index:HotTier::hot",
                "message": "<{%reset%}>can't run policy 'hot-capacity' from policy pack",
                "policyName": "hot-capacity",
                "enforcementLevel": "advisory",
            }
        }
    ]
    (finding,) = read_preview(events).findings
    assert (finding.level, finding.policy) == ("mandatory", "hot-capacity")


def test_what_the_engine_itself_refuses_is_a_replacement_and_no_fault():
    """A protected file system whose subnet changes: an error of the engine beside the steps."""
    found = read_preview(lines("protected.jsonl"))
    (one,) = found.replaced
    assert one.resource == "aws-fsx-hot-fsx"
    assert one.because.startswith("replaced by the preview: subnetIds changes (aws:fsx/lustreFileSystem")
    assert one.because.endswith("it is protected, and the engine refuses until it is unprotected")
    assert (found.faults, found.whole) == ((), True)


def test_what_is_protected_counts_without_a_step():
    events = [event for event in lines("protected.jsonl") if "resourcePreEvent" not in event]
    (one,) = read_preview(events).replaced
    assert (one.resource, "to be replaced or deleted" in one.because) == ("aws-fsx-hot-fsx", True)


def test_strange_text_in_an_event_stays_printable():
    message = "<{%fg 1%}>red\x1b[31m \x07bell \ud800 half"
    event = {"policyEvent": {"policyName": "hot-capacity", "enforcementLevel": "mandatory", "message": message}}
    (finding,) = read_preview([event]).findings
    assert finding.message == "red bell ? half"
