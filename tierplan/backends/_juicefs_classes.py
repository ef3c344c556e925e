"""Services that keep JuiceFS's metadata on AWS, and the classes that they come in, by memory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied
from tierplan.backends._juicefs import Engine
from tierplan.units import Size

SIZES = ("large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge")
SERVICES: Mapping[str, tuple[str, str]] = {
    "elasticache": ("ElastiCache", "redis"),
    "memorydb": ("MemoryDB", "redis"),
    "rds": ("RDS for PostgreSQL", "postgresql"),
    "aurora": ("Aurora PostgreSQL", "postgresql"),
    "ec2": ("TiKV on instances", "tikv"),
}
"""Word of the stack -> its name, and the engine that it runs."""
CLASSES: Mapping[str, tuple[str, str]] = {
    "elasticache": ("cache.r7g.", "elasticache_r7g_"),
    "memorydb": ("db.r7g.", "elasticache_r7g_"),
    "rds": ("db.r7g.", "instance_r7g_"),
    "aurora": ("db.r7g.", "instance_r7g_"),
    "ec2": ("r7g.", "instance_r7g_"),
}
"""Word of the stack -> how its classes are called, and where the catalogue has their memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """One class of one service."""

    name: str
    gib: float


def default_service(engine: str, *, durable: bool) -> str:
    """The service of an engine; of Redis the one with a durable log where writes must outlive a takeover."""
    if engine == "redis":
        return "memorydb" if durable else "elasticache"
    return {"postgresql": "rds", "tikv": "ec2"}.get(engine, "elasticache")


def classes_of(service: str, used: Relied) -> tuple[Class, ...]:
    """The classes of a service, the smallest first."""
    if service not in CLASSES:
        return ()
    name, key = CLASSES[service]
    return tuple(Class(name=f"{name}{size}", gib=used[f"{key}{size}"]) for size in SIZES)


def metadata_gib(meta: Engine) -> int:
    """Whole GiB of memory that one server of the engine takes."""
    return math.ceil(meta.memory.bytes / 2**30 - 1e-9)


def database_disk(meta: Engine, used: Relied) -> Size:
    """Disk of one database server: metadata, indexes, logs."""
    return max(used.quantity(Size, "least_database_disk"), meta.disk * used["database_disk_factor"])
