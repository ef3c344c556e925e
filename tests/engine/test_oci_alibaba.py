"""Every stack of Oracle and Alibaba Cloud on the real engine, with a stand-in: made, judged and taken away again."""

from __future__ import annotations

from typing import Any

import pytest

import cloudrun
import pulumi_run

pytest.importorskip("pulumi_oci")
pytest.importorskip("pulumi_alicloud")
pytestmark = pytest.mark.engine
OCI_LUSTRE = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
OCI_BUCKET, OSS = "oci:ObjectStorage/bucket:Bucket", "alicloud:oss/bucket:Bucket"
CPFS = "alicloud:nas/fileSystem:FileSystem"


@pytest.mark.parametrize(
    ("name", "kept", "made"),
    [
        (
            "oci-lustre",
            {OCI_LUSTRE, OCI_BUCKET},
            {"oci:Lustre/fileStorageObjectStorageLink:FileStorageObjectStorageLink"},
        ),
        ("alibaba-cpfs", {CPFS, OSS}, {"alicloud:nas/mountTarget:MountTarget", "alicloud:nas/dataFlow:DataFlow"}),
    ],
)
def test_what_is_made_can_be_taken_away_and_leaves_nothing(
    project: pulumi_run.Project, name: str, kept: set[str], made: set[Any]
) -> None:
    types = cloudrun.made_and_gone(project, name, kept=kept)
    assert made <= types
