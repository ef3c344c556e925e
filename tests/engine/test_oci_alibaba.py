"""Every stack of Oracle and Alibaba Cloud on the real engine, with a stand-in: made, judged and taken away again."""

from __future__ import annotations

import pytest

import cloudrun
import pulumi_run

pytest.importorskip("pulumi_oci")
pytest.importorskip("pulumi_alicloud")
pytestmark = pytest.mark.engine
OCI_LUSTRE = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
OCI_BUCKET, OSS = "oci:ObjectStorage/bucket:Bucket", "alicloud:oss/bucket:Bucket"
CPFS = "alicloud:nas/fileSystem:FileSystem"
OCI_RULES = "oci:ObjectStorage/objectLifecyclePolicy:ObjectLifecyclePolicy"
PROVIDERS = {"oci": {"oci"}, "alibaba": {"alicloud"}, "tencent": set()}


CASES = [
    ("oci-lustre", {OCI_LUSTRE, OCI_BUCKET}, {"oci:Lustre/fileStorageObjectStorageLink:FileStorageObjectStorageLink"}),
    ("oci-juicefs", {"oci:Redis/redisCluster:RedisCluster", OCI_BUCKET}, {OCI_RULES}),
    ("alibaba-cpfs", {CPFS, OSS}, {"alicloud:nas/mountTarget:MountTarget", "alicloud:nas/dataFlow:DataFlow"}),
    ("alibaba-juicefs", {"alicloud:rds/instance:Instance", OSS}, {"alicloud:rds/database:Database"}),
    ("tencent-juicefs", set(), set()),  # no provider that is kept well: Terraform is rendered, as for Huawei
]


@pytest.mark.parametrize(("name", "kept", "made"), CASES, ids=[case[0] for case in CASES])
def test_what_is_made_can_be_taken_away_and_leaves_nothing(
    project: pulumi_run.Project, name: str, kept: set[str], made: set[str]
) -> None:
    types = cloudrun.made_and_gone(project, name, kept=kept, with_secret=name == "alibaba-juicefs")
    assert made <= types
    assert {one.partition(":")[0] for one in types} <= {
        "pulumi",
        "tierplan",
        "kubernetes",
        *PROVIDERS[name.partition("-")[0]],
    }
