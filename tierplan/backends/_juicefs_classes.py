"""Services that keep JuiceFS's metadata in a cloud: the classes that they come in, by memory."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierplan.backends._choosing import Relied
from tierplan.backends._juicefs import Engine
from tierplan.backends._juicefs_sites import SERVICES
from tierplan.units import Size


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """One class of one service."""

    name: str
    gib: float


def classes_of(service: str, used: Relied) -> tuple[Class, ...]:
    """The classes of a service, the smallest first."""
    known = SERVICES.get(service)
    if known is None:
        return ()
    return tuple(Class(name=known.name.format(size), gib=used[f"{known.key}{size}"]) for size in known.sizes)


def metadata_gib(meta: Engine) -> int:
    """Whole GiB of memory that one server of the engine takes."""
    return math.ceil(meta.memory.bytes / 2**30 - 1e-9)


def database_disk(meta: Engine, used: Relied) -> Size:
    """Disk of one database server: metadata, indexes, logs."""
    return max(used.quantity(Size, "least_database_disk"), meta.disk * used["database_disk_factor"])
