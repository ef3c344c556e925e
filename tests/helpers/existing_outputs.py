"""Outputs as the products write them: recorded ones, and texts made after their documented formats."""

from __future__ import annotations

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMO = (ROOT / "stacks" / "Pulumi.demo.yaml").read_text()
AWS = (ROOT / "stacks" / "Pulumi.aws-fsx.yaml").read_text()
SITES = {site: (ROOT / "stacks" / f"Pulumi.{site}-lustre.yaml").read_text() for site in ("azure", "google", "oci")}

LFS_DF = """\
UUID                   1K-blocks        Used   Available Use% Mounted on
scratch-MDT0000_UUID  2861214720     8123456  2813091264   1% /mnt/scratch[MDT:0]
scratch-MDT0001_UUID  2861214720     8123456  2813091264   1% /mnt/scratch[MDT:1]
scratch-OST0000_UUID 58593750000  8789062500 49804687500  15% /mnt/scratch[OST:0]
scratch-OST0001_UUID 58593750000 52734375000  5859375000  90% /mnt/scratch[OST:1]
scratch-OST0002_UUID 58593750000  8789062500 49804687500  15% /mnt/scratch[OST:2]
scratch-OST0003_UUID 58593750000  8789062500 49804687500  15% /mnt/scratch[OST:3]

filesystem_summary:  234375000000 79101562500 155273437500  33% /mnt/scratch
"""
OST_SERVERS = """\
osc.scratch-OST0000-osc-ffff93af0c638800.ost_conn_uuid=192.168.0.205@o2ib
osc.scratch-OST0001-osc-ffff93af0c638800.ost_conn_uuid=192.168.0.206@o2ib
osc.scratch-OST0002-osc-ffff93af0c638800.ost_conn_uuid=192.168.0.207@o2ib
osc.scratch-OST0003-osc-ffff93af0c638800.ost_conn_uuid=192.168.0.208@o2ib
"""
"""The form of the Lustre manual, 14.11."""

WEKA_STATUS = json.dumps(
    {
        "hot_spare": 1,
        "io_status": "STARTED",
        "drives": {"active": 144, "total": 144},
        "name": "demo",
        "servers": {"active": 16, "backends": {"active": 12, "degraded": 0, "total": 12}, "total": 16},
        "stripe_data_drives": 5,
        "stripe_protection_drives": 2,
        "capacity": {
            "total_bytes": 651_000_000_000_000,
            "hot_spare_bytes": 0,
            "unprovisioned_bytes": 300_000_000_000_000,
        },
        "licensing": {"usage": {"drive_capacity_gb": 1_105_920, "usable_capacity_gb": 651_000}},
    },
    indent=4,
)
WEKA_DEPLOYMENT = json.dumps(
    {
        "initial_size": 6,
        "weka_status": {
            "hot_spare": 1,
            "drives": {"active": 6, "total": 6},
            "hosts": {"active_count": 18, "backends": {"active": 18, "total": 18}, "total_count": 18},
            "stripe_data_drives": 3,
            "stripe_protection_drives": 2,
            "capacity": {"total_bytes": 5182871000000, "hot_spare_bytes": 1036429300000, "unprovisioned_bytes": 0},
            "licensing": {"usage": {"drive_capacity_gb": 11522, "usable_capacity_gb": 5182, "obs_capacity_gb": 0}},
        },
    }
)
"""docs.weka.io, deployment on Azure 4.1: 18 containers on 6 servers, which this output does not count."""
WEKA_DRIVES = json.dumps(
    [
        {"disk_id": f"DiskId<{index}>", "uuid": f"u{index}", "hostname": f"weka{index // 12}", "status": "ACTIVE"}
        for index in range(144)
    ]
)
WEKA_CONTAINERS = json.dumps(
    [{"hostname": f"weka{index // 2}", "mode": "backend", "status": "UP"} for index in range(24)]
    + [{"hostname": "gpu1", "mode": "client", "status": "UP"}]
)


def osd_tree(hosts=8, drives=12, weight=6.98630, medium="nvme"):
    nodes = [{"id": -1, "name": "default", "type": "root", "type_id": 11, "children": [-2 - h for h in range(hosts)]}]
    for host in range(hosts):
        ids = [host * drives + one for one in range(drives)]
        nodes.append({"id": -2 - host, "name": f"ceph{host}", "type": "host", "type_id": 1, "children": ids})
        nodes += [
            {"id": one, "device_class": medium, "name": f"osd.{one}", "type": "osd", "type_id": 0,
             "crush_weight": weight, "depth": 2, "exists": 1, "status": "up", "reweight": 1}
            for one in ids
        ]  # fmt: skip
    return {"nodes": nodes, "stray": []}


PROFILE = {
    "crush-device-class": "nvme",
    "crush-failure-domain": "host",
    "crush-root": "default",
    "k": "4",
    "m": "2",
    "plugin": "isa",
    "technique": "reed_sol_van",
}
OSD_DUMP = {
    "epoch": 812,
    "pools": [
        {"pool_name": ".mgr", "type": 1, "size": 3, "erasure_code_profile": "", "application_metadata": {"mgr": {}}},
        {"pool_name": "meta", "type": 1, "size": 3, "erasure_code_profile": "",
         "application_metadata": {"cephfs": {"metadata": "hot"}}},
        {"pool_name": "data", "type": 3, "size": 6, "erasure_code_profile": "ec42",
         "application_metadata": {"cephfs": {"data": "hot"}}},
    ],
    "osds": [],
    "erasure_code_profiles": {"ec42": PROFILE},
}  # fmt: skip
RGW_DUMP = {
    "pools": [
        {"pool_name": ".rgw.root", "type": 1, "size": 3, "application_metadata": {"rgw": {}}},
        {"pool_name": "default.rgw.buckets.data", "type": 3, "size": 11, "erasure_code_profile": "wide",
         "application_metadata": {"rgw": {}}},
    ],
    "erasure_code_profiles": {"wide": {**PROFILE, "k": "8", "m": "3", "plugin": "jerasure", "stripe_unit": "16K"}},
}  # fmt: skip
OSD_DF = {
    "nodes": [
        {"id": one, "device_class": "nvme", "name": f"osd.{one}", "type": "osd", "crush_weight": 6.9863,
         "kb": 7_501_465_920, "kb_used": (6_000_000_000 if one == 7 else 2_000_000_000), "utilization": 26.7}
        for one in range(96)
    ],
    "stray": [],
    "summary": {"total_kb": 720_140_728_320},
}  # fmt: skip
CEPH_DF = {
    "stats": {
        "total_bytes": 737_424_105_799_680,
        "total_avail_bytes": 5e14,
        "total_used_raw_bytes": 200_704_000_000_000,
    },
    "pools": [{"name": "data", "id": 3, "stats": {"stored": 1, "percent_used": 0.3, "max_avail": 2}}],
}

MMVDISK_SERVERS = """\

 node
number  server                            active   remarks
------  --------------------------------  -------  -------
     1  ece01.gpfs.net                    yes      serving rg1
     2  ece02.gpfs.net                    yes      serving rg1
     3  ece03.gpfs.net                    yes      serving rg1
     4  ece04.gpfs.net                    yes      serving rg1
     5  ece05.gpfs.net                    yes      serving rg1
     6  ece06.gpfs.net                    no       unresponsive
"""
MMVDISK_ARRAYS = """\

declustered   needs          vdisks      pdisks     replace        capacity
   array     service  type  user  log  total  spare  threshold  total raw   free raw  background task
-----------  -------  ----  ----  ---  -----  -----  ---------  ---------  ---------  ---------------
DA1          no       HDD     12    0    120      4          2   1660 TiB      0 GiB  scrub 14d (86%)
DA2          no       NVMe    12   13     72      4          2    468 TiB     12 TiB  scrub 14d (87%)

mmvdisk: Total capacity is the raw space before any vdisk set definitions.
mmvdisk: Free capacity is what remains for additional vdisk set definitions.
"""
"""Form: IBM Documentation, Storage Scale ECE 5.2.3, declustered array capacity."""
MMLSPOOL = """\
Storage pools in file system at '/ibm/fs1':
Name                    Id   BlkSize Data Meta Total Data in (KB)   Free Data in (KB)   Total Meta in (KB)    Free Meta in (KB)
system                   0      1 MB   no  yes              0              0 (  0%)        5242880        1167360 ( 22%)
data                 65537      4 MB  yes   no   360000000000    90000000000 ( 25%)              0              0 (  0%)
"""  # noqa: E501  # as the command writes it

BEEGFS_7 = """\
TargetID     Reachability  Consistency        Total         Free    %      ITotal       IFree    %   NodeID
========     ============  ===========        =====         ====    =      ======       =====    =   ======
    1011           Online         Good   61035.2GiB   51035.2GiB  83%     6429.1M     6400.0M  99%   beegfs-storage stor1 [ID: 101]
    1012           Online         Good   61035.2GiB    6103.5GiB  10%     6429.1M     6400.0M  99%   beegfs-storage stor1 [ID: 101]
    1021           Online         Good   61035.2GiB   51035.2GiB  83%     6429.1M     6400.0M  99%   beegfs-storage stor2 [ID: 102]
    1022           Online         Good   61035.2GiB   51035.2GiB  83%     6429.1M     6400.0M  99%   beegfs-storage stor2 [ID: 102]
"""  # noqa: E501  # as the command writes it
BEEGFS_7_STATE = """\
TargetID     Reachability  Consistency   NodeID
========     ============  ===========   ======
    1011           Online         Good      101
    1012           Online         Good      101
    1021          Offline Needs-resync      102
    1031           Online         Good      103
"""
BEEGFS_DF = """\
METADATA SERVERS:
TargetID   Cap. Pool        Total         Free    %      ITotal       IFree    %
========   =========        =====         ====    =      ======       =====    =
       1      normal     662.9GiB     531.7GiB  80%     1327.4M     1064.3M  80%

STORAGE TARGETS:
TargetID   Cap. Pool        Total         Free    %      ITotal       IFree    %
========   =========        =====         ====    =      ======       =====    =
     313         low    1023.5GiB    1016.3GiB  99%      107.4M      107.4M 100%
     314      normal    1589.2GiB    1578.1GiB  99%      166.7M      166.7M 100%
"""
BEEGFS_8 = """\
ID     TYPE     ALIAS           NODE  STORAGE_POOL
s:101  storage  s101_default_0  s:1   s:1
s:102  storage  s102_archive_0  s:1   s:2
s:201  storage  s201_default_0  s:2   s:1
s:301  storage  s301_default_0  s:3   s:1
s:401  storage  s401_default_0  s:4   s:1
m:1    meta     target_meta_1   m:1   (n/a)
m:2    meta     target_meta_2   m:2   (n/a)
"""

JUICEFS = json.dumps(
    {
        "Setting": {
            "Name": "mine",
            "UUID": "165ab7e7-badf-4f23-8de2-075f4382ab1a",
            "Storage": "s3",
            "Bucket": "http://rgw.example:7480/volume-1",
            "BlockSize": 4096,
            "Compression": "none",
            "TrashDays": 1,
        },
        "Sessions": [],
        "Stat": {"UsedSpace": 5_000_000_000_000, "AvailableSpace": 1125899906842624, "UsedInodes": 7},
    },
    indent=2,
)
JUICEFS_AWS = JUICEFS.replace("http://rgw.example:7480/volume-1", "https://volume-1.s3.us-east-1.amazonaws.com")

FSX = {
    "FileSystems": [
        {
            "FileSystemId": "fs-0123456789abcdef0",
            "FileSystemType": "LUSTRE",
            "Lifecycle": "AVAILABLE",
            "StorageCapacity": 115200,
            "StorageType": "SSD",
            "VpcId": "vpc-0a1b2c3d4e5f60718",
            "SubnetIds": ["subnet-0a1b2c3d4e5f60718"],
            "ResourceARN": "arn:aws:fsx:us-east-1:111122223333:file-system/fs-0123456789abcdef0",
            "FileSystemTypeVersion": "2.15",
            "LustreConfiguration": {
                "DeploymentType": "PERSISTENT_2",
                "PerUnitStorageThroughput": 250,
                "MountName": "abcdefgh",
                "AutomaticBackupRetentionDays": 0,
                "DataCompressionType": "NONE",
                "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": 96000},
                "EfaEnabled": True,
            },
        },
        {"FileSystemId": "fs-windows", "FileSystemType": "WINDOWS", "StorageCapacity": 300},
    ]
}
AZURE = {
    "id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.StorageCache/amlFilesystems/fs1",
    "location": "eastus",
    "name": "fs1",
    "sku": {"name": "AMLFS-Durable-Premium-250"},
    "zones": ["1"],
    "properties": {"storageCapacityTiB": 16, "filesystemSubnet": "/subscriptions/s/subnets/n"},
}
GOOGLE = {
    "name": "projects/p/locations/us-central1-a/instances/lustre1",
    "capacityGib": "18000",
    "perUnitStorageThroughput": "1000",
    "filesystem": "scratch",
    "gkeSupportEnabled": True,
    "state": "ACTIVE",
}
OCI = {"data": {"capacity-in-gbs": 31200, "performance-tier": "MBPS_PER_TB_125", "display-name": "lustre1"}}

TERRAFORM = {
    "version": 4,
    "terraform_version": "1.9.5",
    "serial": 3,
    "resources": [
        {"mode": "data", "type": "aws_vpc", "name": "v", "instances": [{"attributes": {"id": "vpc-1"}}]},
        {
            "mode": "managed",
            "type": "aws_fsx_lustre_file_system",
            "name": "hot",
            "instances": [
                {
                    "schema_version": 0,
                    "attributes": {
                        "storage_capacity": 115200,
                        "storage_type": "SSD",
                        "deployment_type": "PERSISTENT_2",
                        "per_unit_storage_throughput": 250,
                        "throughput_capacity": 0,
                        "metadata_configuration": [{"iops": 96000, "mode": "USER_PROVISIONED"}],
                        "data_read_cache_configuration": [],
                        "efa_enabled": True,
                        "drive_cache_type": None,
                        "import_path": "",
                        "data_compression_type": "NONE",
                        "automatic_backup_retention_days": 0,
                        "file_system_type_version": "2.15",
                    },
                }
            ],
        },
        {
            "mode": "managed",
            "type": "aws_s3_bucket",
            "name": "cold",
            "instances": [{"attributes": {"bucket": "acme-cold", "force_destroy": False}}],
        },
    ],
}
TERRAFORM_SHOW = {
    "format_version": "1.0",
    "terraform_version": "1.9.5",
    "values": {
        "root_module": {
            "child_modules": [
                {
                    "address": "module.storage",
                    "resources": [
                        {
                            "mode": "managed",
                            "type": "aws_fsx_lustre_file_system",
                            "name": "hot",
                            "values": TERRAFORM["resources"][1]["instances"][0]["attributes"],
                        }
                    ],
                }
            ]
        }
    },
}
PULUMI = (ROOT / "tests" / "existing" / "recorded" / "pulumi-demo.json").read_text()
"""`pulumi stack export` of the demo, made by the engine on this project; needs and outputs taken out."""
PULUMI_FOREIGN = {
    "version": 3,
    "deployment": {
        "manifest": {},
        "resources": [
            {"urn": "urn:pulumi:s::p::pulumi:pulumi:Stack::p-s", "type": "pulumi:pulumi:Stack"},
            {
                "urn": "urn:pulumi:s::p::aws:fsx/lustreFileSystem:LustreFileSystem::scratch",
                "type": "aws:fsx/lustreFileSystem:LustreFileSystem",
                "inputs": {
                    "storageCapacity": 2400,
                    "deploymentType": "SCRATCH_2",
                    "subnetIds": "subnet-1",
                    "region": "us-east-1",
                    "__defaults": [],
                },
            },
        ],
    },
}
