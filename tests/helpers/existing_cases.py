"""What each importer is given, and what a stack then pins."""

from __future__ import annotations

import json
from dataclasses import dataclass

from existing_outputs import (
    AWS,
    AZURE,
    BEEGFS_7,
    BEEGFS_8,
    CEPH_DF,
    DEMO,
    FSX,
    GOOGLE,
    JUICEFS,
    JUICEFS_AWS,
    LFS_DF,
    MMLSPOOL,
    MMVDISK_ARRAYS,
    MMVDISK_SERVERS,
    OCI,
    OSD_DF,
    OSD_DUMP,
    OST_SERVERS,
    PROFILE,
    PULUMI,
    PULUMI_FOREIGN,
    RGW_DUMP,
    SITES,
    TERRAFORM,
    TERRAFORM_SHOW,
    WEKA_CONTAINERS,
    WEKA_DEPLOYMENT,
    WEKA_DRIVES,
    WEKA_STATUS,
    osd_tree,
)


@dataclass(frozen=True)
class Case:
    """What one importer is given, and what a stack then pins."""

    files: dict
    pins: dict
    base: str = DEMO
    words: tuple = ()


def on_prem(hot, cold="{backend: auto}"):
    """The demo with its hot tier written anew."""
    head, rest = DEMO.split("    hot:\n")
    tail = rest[rest.index("    cold:") :].replace("cold: {backend: ceph-rgw}", f"cold: {cold}")
    return f"{head}    hot: {hot}\n{tail}"


CASES = {
    "lustre": Case(
        {"df.txt": LFS_DF, "servers.txt": OST_SERVERS},
        {"hot.backend": "lustre", "hot.nodes": 4, "hot.options.fsname": "scratch", "hot.options.mds.nodes": 2},
        on_prem("{backend: auto}"),
    ),
    "weka": Case(
        {"status.json": WEKA_STATUS, "drives.json": WEKA_DRIVES, "containers.json": WEKA_CONTAINERS},
        {"hot.backend": "weka", "hot.nodes": 12, "hot.node.drives": 12, "hot.layout.data_units": 5,
         "hot.layout.parity_units": 2, "hot.layout.hot_spares": 1, "hot.node.drive.size": "7.68 TB"},
        on_prem("{backend: auto}"),
    ),
    "ceph": Case(
        {"tree.json": json.dumps(osd_tree()), "dump.json": json.dumps(OSD_DUMP), "osd-df.json": json.dumps(OSD_DF),
         "df.json": json.dumps(CEPH_DF)},
        {"hot.backend": "cephfs", "hot.nodes": 8, "hot.node.drives": 12, "hot.node.drive.size": "7.682 TB",
         "hot.node.medium": "nvme", "hot.layout.data_units": 4, "hot.layout.parity_units": 2,
         "hot.layout.failure_domain": "node", "hot.options.plugin": "isa"},
        on_prem("{backend: auto}"),
    ),
    "ceph-copies": Case(
        {"tree.json": json.dumps(osd_tree()),
         "dump.json": json.dumps(
             {"pools": [{**OSD_DUMP["pools"][2], "type": 1, "size": 3}], "erasure_code_profiles": {}}
         )},
        {"hot.backend": "cephfs", "hot.layout.replicas": 3},
        on_prem("{backend: auto}"),
    ),
    "weka-deployment": Case(
        {"status.json": WEKA_DEPLOYMENT},
        {"hot.backend": "weka", "hot.layout.data_units": 3, "hot.layout.hot_spares": 1,
         "hot.node.drive.size": "1.92 TB"},
        on_prem("{backend: auto}"),
    ),
    "ceph-cold": Case(
        {"tree.json": json.dumps(osd_tree(14, 24, 18.19, "hdd")), "dump.json": json.dumps(RGW_DUMP)},
        {"cold.backend": "ceph-rgw", "cold.nodes": 14, "cold.node.medium": "hdd", "cold.layout.data_units": 8,
         "cold.layout.parity_units": 3, "cold.options.plugin": "jerasure", "cold.options.stripe_unit": "16 KiB"},
    ),
    "ceph-profile": Case(
        {"tree.json": json.dumps(osd_tree()), "profile.json": json.dumps(PROFILE)},
        {"hot.backend": "cephfs", "hot.layout.data_units": 4},
        on_prem("{backend: auto}"),
        ("--tier", "hot"),
    ),
    "storage-scale": Case(
        {"servers.txt": MMVDISK_SERVERS, "arrays.txt": MMVDISK_ARRAYS, "pools.txt": MMLSPOOL},
        {"hot.backend": "storage-scale", "hot.nodes": 6, "hot.node.drives": 12, "hot.node.drive.size": "7.567 TB",
         "hot.node.medium": "nvme", "hot.options.spare_drives": 4, "hot.options.block_size": "4 MiB"},
        on_prem("{backend: auto}"),
    ),
    "beegfs-7": Case(
        {"targets.txt": BEEGFS_7},
        {"hot.backend": "beegfs", "hot.nodes": 2, "hot.options.version": 7},
        on_prem("{backend: auto}"),
    ),
    "beegfs-8": Case(
        {"targets.txt": BEEGFS_8},
        {"hot.backend": "beegfs", "hot.nodes": 4, "hot.options.version": 8, "hot.options.meta.nodes": 2},
        on_prem("{backend: auto}"),
    ),
    "juicefs": Case(
        {"status.json": JUICEFS},
        {"hot.backend": "juicefs", "hot.options.block_size": "4 MiB", "hot.options.bucket": "volume-1"},
        on_prem("{backend: auto}"),
    ),
    "juicefs-aws": Case(
        {"status.json": JUICEFS_AWS},
        {"hot.backend": "juicefs", "hot.options.block_size": "4 MiB", "hot.options.object_store": "s3",
         "hot.options.bucket": "volume-1"},
        AWS.replace("      options: {data_repositories: [{path: /archive}]}\n", "").replace("fsx-lustre", "auto"),
    ),
    "azure": Case(
        {"amlfs.json": json.dumps(AZURE)},
        {
            "hot.backend": "azure-lustre",
            "hot.options.size": "16 TiB",
            "hot.options.sku": "AMLFS-Durable-Premium-250",
            "hot.options.zones": ["1"],
        },
        SITES["azure"],
    ),
    "google": Case(
        {"instance.json": json.dumps(GOOGLE)},
        {
            "hot.backend": "google-lustre",
            "hot.options.size": "18000 GiB",
            "hot.options.per_unit_throughput": 1000,
            "hot.options.filesystem": "scratch",
            "hot.options.gke_support": True,
        },
        SITES["google"],
    ),
    "oci": Case(
        {"lustre.json": json.dumps(OCI)},
        {
            "hot.backend": "oci-lustre",
            "hot.options.size": "31200 GB",
            "hot.options.performance_tier": "MBPS_PER_TB_125",
        },
        SITES["oci"],
    ),
    "fsx": Case(
        {"fsx.json": json.dumps(FSX, indent=4)},
        {"hot.backend": "fsx-lustre", "hot.options.size": "115200 GiB", "hot.options.per_unit_throughput": 250,
         "hot.options.metadata_iops": 96000, "hot.options.efa": True, "hot.options.deployment_type": "PERSISTENT_2"},
        AWS,
    ),
    "terraform": Case(
        {"terraform.tfstate": json.dumps(TERRAFORM)},
        {"hot.options.size": "115200 GiB", "hot.options.metadata_mode": "USER_PROVISIONED",
         "hot.options.backup_days": 0, "cold.options.bucket": "acme-cold"},
        AWS,
    ),
    "terraform-show": Case({"show.json": json.dumps(TERRAFORM_SHOW)}, {"hot.options.size": "115200 GiB"}, AWS),
    "pulumi": Case(
        {"export.json": PULUMI},
        {"hot.backend": "weka", "hot.nodes": 12, "hot.node.cores": 64, "hot.layout.hot_spares": 1,
         "cold.backend": "ceph-rgw", "cold.nodes": 12, "cold.node.drives": 24},
        on_prem("{backend: auto}"),
    ),
    "pulumi-foreign": Case(
        {"export.json": json.dumps(PULUMI_FOREIGN)},
        {"hot.options.size": "2400 GiB", "hot.options.deployment_type": "SCRATCH_2"},
        AWS,
    ),
}  # fmt: skip
