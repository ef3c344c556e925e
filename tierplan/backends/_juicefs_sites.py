"""Clouds that JuiceFS is planned in: the store beneath, its quotas by region, and what keeps the metadata there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What runs a metadata engine: its classes by memory, each a figure of the catalogue."""

    title: str
    engine: str
    name: str
    """How a class is called: ``cache.r7g.{}``."""
    key: str
    """The beginning of the figures of its memory."""
    sizes: tuple[str, ...]
    durable: bool = False
    """Whether Redis keeps what it has acknowledged through a takeover."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloud:
    """One kind of site."""

    store: str
    """The object store beneath: a catalogue id."""
    title: str
    key: str
    """The beginning of the store's figures: request rates, quotas, partitions."""
    item: str
    """The name under which a price list knows what is stored."""
    per_prefix: bool = False
    """Request rates are of a key prefix; else of the account or of the bucket."""
    quotas: bool = False
    """Whether the bandwidth of an account is capped."""
    regions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Group of regions with quotas of their own -> regions."""
    services: Mapping[str, Service]
    network: tuple[str, ...]
    """Keys of `site.network` of what must exist before bucket and engine are made."""
    templates: str


R7G = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
VCPUS = ("2", "4", "8", "16", "32", "48", "64")
"""Of classes with 8 GiB for each virtual processor."""
GB = ("8", "16", "32", "64", "128", "256", "512")
"""Classes that a service sells by memory alone."""
ELSEWHERE = "juicefs_elsewhere"
LARGE = ("cn-hangzhou", "cn-shanghai", "cn-beijing", "cn-shenzhen", "ap-southeast-1")
MAINLAND = ("cn-qingdao", "cn-huhehaote", "cn-wulanchabu", "cn-heyuan", "cn-guangzhou", "cn-chengdu")
TENCENT_MAINLAND = ("ap-beijing", "ap-nanjing", "ap-shanghai", "ap-guangzhou", "ap-chengdu", "ap-chongqing")


def _by_memory(title: str, engine: str, *, least: int = 0, most: int = len(GB)) -> Service:
    return Service(title=title, engine=engine, name="{}GB", key="gb_class_", sizes=GB[least:most])


CLOUDS: Mapping[str, Cloud] = {
    "aws": Cloud(
        store="s3",
        title="S3",
        key="s3",
        item="s3.STANDARD",
        per_prefix=True,
        services={
            "elasticache": Service(
                title="ElastiCache", engine="redis", name="cache.r7g.{}", key="elasticache_r7g_", sizes=R7G
            ),
            "memorydb": Service(
                title="MemoryDB", engine="redis", name="db.r7g.{}", key="elasticache_r7g_", sizes=R7G, durable=True
            ),
            "rds": Service(
                title="RDS for PostgreSQL", engine="postgresql", name="db.r7g.{}", key="instance_r7g_", sizes=R7G
            ),
            "aurora": Service(
                title="Aurora PostgreSQL", engine="postgresql", name="db.r7g.{}", key="instance_r7g_", sizes=R7G
            ),
            "ec2": Service(title="TiKV on instances", engine="tikv", name="r7g.{}", key="instance_r7g_", sizes=R7G),
        },
        network=("subnets", "client_security_group"),
        templates="juicefs_cloud",
    ),
    "azure": Cloud(
        store="azure-blob",
        title="Blob Storage",
        key="azure_blob",
        item="azure-blob.Hot",
        quotas=True,
        services={
            "managed-redis": Service(
                title="Azure Managed Redis",
                engine="redis",
                name="Balanced_B{}",
                key="azure_b_",
                sizes=("5", "10", "20"),
            ),
            "flexible-server": Service(
                title="Azure Database for PostgreSQL",
                engine="postgresql",
                name="MO_Standard_E{}ds_v5",
                key="azure_e_",
                sizes=VCPUS,
            ),
            "vm": Service(
                title="TiKV on virtual machines", engine="tikv", name="Standard_E{}ds_v5", key="azure_e_", sizes=VCPUS
            ),
        },
        network=("resource_group", "engine_subnet", "private_dns_zone"),
        templates="juicefs_azure",
    ),
    "google": Cloud(
        store="gcs",
        title="Cloud Storage",
        key="gcs",
        item="gcs.STANDARD",
        per_prefix=True,
        quotas=True,
        services={
            "memorystore": _by_memory("Memorystore for Redis", "redis", most=6),
            "cloud-sql": Service(
                title="Cloud SQL for PostgreSQL",
                engine="postgresql",
                name="db-perf-optimized-N-{}",
                key="gcp_n2_",
                sizes=VCPUS,
            ),
            "gce": Service(title="TiKV on instances", engine="tikv", name="n2-highmem-{}", key="gcp_n2_", sizes=VCPUS),
        },
        network=("network",),
        templates="juicefs_google",
    ),
    "oci": Cloud(
        store="oci-object",
        title="OCI Object Storage",
        key="oci",
        item="oci-object.Standard",
        services={
            "oci-cache": _by_memory("OCI Cache", "redis", most=6),
            "oci-postgresql": _by_memory("OCI Database with PostgreSQL", "postgresql", least=2),
            "oci-compute": _by_memory("TiKV on instances", "tikv", least=2),
        },
        network=("compartment", "subnet", "namespace"),
        templates=ELSEWHERE,
    ),
    "alibaba": Cloud(
        store="oss",
        title="OSS",
        key="oss",
        item="oss.Standard",
        quotas=True,
        regions={"large": LARGE, "zhangjiakou": ("cn-zhangjiakou",), "mainland": MAINLAND},
        services={
            "tair": Service(
                title="Tair (Redis OSS-compatible)",
                engine="redis",
                name="redis.master.{}.default",
                key="tair_",
                sizes=("large", "2xlarge", "4xlarge", "8xlarge"),
            ),
            "apsaradb": Service(
                title="ApsaraDB RDS for PostgreSQL",
                engine="postgresql",
                name="pg.x8.{}.2c",
                key="apsaradb_x8_",
                sizes=("medium", "large", "xlarge", "2xlarge", "4xlarge"),
            ),
            "ecs": _by_memory("TiKV on instances", "tikv", least=2),
        },
        network=("vpc", "vswitch", "client_network"),
        templates=ELSEWHERE,
    ),
    "tencent": Cloud(
        store="cos",
        title="COS",
        key="cos",
        item="cos.STANDARD",
        quotas=True,
        regions={"mainland": TENCENT_MAINLAND},
        services={
            "tencentdb-redis": _by_memory("TencentDB for Redis", "redis", most=4),
            "tencentdb-postgresql": _by_memory("TencentDB for PostgreSQL", "postgresql", least=1, most=6),
            "cvm": _by_memory("TiKV on instances", "tikv", least=2),
        },
        network=("vpc", "subnet", "security_group", "app_id"),
        templates=ELSEWHERE,
    ),
    "huawei": Cloud(
        store="obs",
        title="OBS",
        key="obs",
        item="obs.STANDARD",
        quotas=True,
        services={
            "dcs": _by_memory("Distributed Cache Service", "redis", most=4),
            "huawei-rds": _by_memory("RDS for PostgreSQL", "postgresql", least=1, most=6),
            "ecs-huawei": _by_memory("TiKV on instances", "tikv", least=2),
        },
        network=("vpc", "subnet", "security_group"),
        templates=ELSEWHERE,
    ),
}
"""Kind of site -> its cloud."""
OF_STORE: Mapping[str, Cloud] = {cloud.store: cloud for cloud in CLOUDS.values()}
"""Object store -> its cloud: what a configuration says of itself."""
SERVICES: Mapping[str, Service] = {name: one for cloud in CLOUDS.values() for name, one in cloud.services.items()}


def quota_group(cloud: Cloud, region: str | None) -> str:
    """The end of the names of a region's quotas; of a region that is in no group the careful figures."""
    return next((f"_{group}" for group, regions in cloud.regions.items() if region in regions), "")


def default_service(cloud: Cloud, engine: str, *, durable: bool) -> str:
    """The service of an engine; of Redis one with a durable log where writes must outlive a takeover, if there is."""
    fitting = {name: one for name, one in cloud.services.items() if one.engine == engine}
    kept = [name for name, one in fitting.items() if one.durable == durable]
    return (kept or list(fitting) or list(cloud.services))[0]
