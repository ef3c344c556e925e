"""WEKA's own formulas: stripe, metadata, memory, cores. Each is the vendor's planning rule with its source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import option
from tierplan.domain.stack import OptionValue
from tierplan.units import Duration, Size, duration

RETENTION, CUE = duration("1 d"), duration("900 s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cores:
    """WEKA processes of one server; each owns a core."""

    drive: int
    compute: int
    frontend: int

    @property
    def total(self) -> int:
        """Cores that WEKA takes."""
        return self.drive + self.compute + self.frontend


def default_data_units(failure_domains: int, *, parity_units: int) -> int:
    """
    Data units of a stripe where nobody chooses: as wide as it goes with one failure domain left over.

    Formula:  min(16, max(3, failure_domains - parity_units - 1))
    Source:   github.com/weka/wekaconfig (2026-11-29)

    >>> default_data_units(8, parity_units=2)
    5
    """
    return min(16, max(3, failure_domains - parity_units - 1))


def advised_data_units(failure_domains: int, *, parity_units: int) -> int:
    """
    As `default_data_units`, but a stripe takes no more than a quarter of a large cluster.

    Formula:  min(default, max(3, failure_domains // 4 - parity_units)) from 40 failure domains on
    Source:   WEKA documentation 4.4, optimize redundancy (2026-11-29)

    >>> advised_data_units(40, parity_units=2)
    8
    """
    data_units = default_data_units(failure_domains, parity_units=parity_units)
    return min(data_units, max(3, failure_domains // 4 - parity_units)) if failure_domains >= 40 else data_units


def minimum_healthy(*, data_units: int, parity_units: int) -> int:
    """
    Servers that must be up for the cluster to serve.

    Formula:  ceil((data_units + parity_units) / parity_units)
    Source:   WEKA documentation 4.4, optimize redundancy (2026-11-29)

    >>> minimum_healthy(data_units=16, parity_units=2)
    9
    """
    return -(-(data_units + parity_units) // parity_units) if parity_units > 0 else data_units


def metadata_units(file: Size) -> int:
    """
    Units of 4 KiB of SSD and 20 B of memory that one file takes.

    Formula:  1 below 0.5 MB, 2 up to 1 MB, then one more for each started MB
    Source:   WEKA documentation 4.4, SSD capacity management (2026-11-29)

    >>> metadata_units(Size(1.5e6))
    3
    """
    megabytes = file.bytes / 1e6
    if megabytes < 0.5:
        return 1
    return 2 + max(0, math.ceil(megabytes - 1))


def server_memory(
    *,
    cores: Cores,
    ssd: Size,
    memory: Size,
    metadata_units_per_server: float,
    protocols: bool = False,
    rdma: bool = True,
    data_services: bool = False,
) -> Size:
    """
    Memory that one server needs, in GB of the formula.

    Formula:  2.8 + 2.2 frontend + 3.9 compute + 2 drive + ssd / 2000 + 3 (frontend + compute + drive)
              + max(8, 0.02 memory) + 16 protocols + 2 rdma + 20e-9 metadata_units_per_server + 5.5 data_services
    Source:   WEKA documentation 4.4, memory resource planning (2026-11-29)

    >>> server_memory(cores=Cores(drive=6, compute=13, frontend=1), ssd=Size(61437.5e9), memory=Size(256e9),
    ...               metadata_units_per_server=94e6, protocols=True).show("GB", 6)
    '186.299 GB'
    """
    gigabytes = (
        2.8
        + 2.2 * cores.frontend
        + 3.9 * cores.compute
        + 2 * cores.drive
        + ssd.bytes / 1e9 / 2000
        + 3 * cores.total
        + max(8, 0.02 * memory.bytes / 1e9)
        + 16 * protocols
        + 2 * rdma
        + 20e-9 * metadata_units_per_server
        + 5.5 * data_services
    )
    return Size(gigabytes * 1e9)


def drive_cores(*, drives: int, available: int, compute_per_drive: float, frontend: int) -> int:
    """
    Cores for the drives: one for each where the cores allow, else one for two.

    Formula:  drives, where drives * (1 + compute_per_drive) + frontend <= available; else max(6, ceil(drives / 2))
    Assumes:  up to six drives get a core each in any case
    Source:   WEKA documentation 4.4, planning an installation (2026-11-29)

    >>> drive_cores(drives=24, available=60, compute_per_drive=2, frontend=1)
    12
    """
    if drives <= 6 or drives * (1 + compute_per_drive) + frontend <= available:
        return drives
    return max(6, -(-drives // 2))


def object_capacity(tiered: Size, *, reclaim_factor: float) -> Size:
    """
    Room in the object store for data that is tiered out, at the worst of the reclaim band.

    Formula:  tiered * reclaim_factor
    Source:   WEKA documentation 4.4, tiering (2026-11-29)

    >>> object_capacity(Size(1000e12), reclaim_factor=1.13).show("TB", 4)
    '1,130 TB'
    """
    return tiered * reclaim_factor


def containers(parts: Mapping[str, float]) -> list[dict[str, str | int]]:
    """The containers of one server: each role split evenly, none above the most cores of one container."""
    most, made = int(parts["cores_per_container"]), []
    for role in ("drive", "compute", "frontend"):
        cores = int(parts[f"{role}_cores"])
        pieces = -(-cores // most)
        for index in range(pieces):
            name = f"{role}{'s' if role == 'drive' else ''}{index}"
            size = cores // pieces + (index < cores % pieces)
            made.append({"name": name, "role": role, "cores": size, "resources_file": f"{name}.json"})
    return made


def tiering_times(options: Mapping[str, OptionValue]) -> tuple[Duration, Duration]:
    """Tiering cue and SSD retention; releases differ in the default cue, so both are always written out."""
    retention = option(options, "tiering.retention", Duration) or RETENTION
    return option(options, "tiering.cue", Duration) or Duration(min(CUE.s, retention.s / 3)), retention
