"""FSx for Lustre: what a stack's words ask for, and what a file system of these words gives."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._fsx_table import DEPLOYMENTS, HDD, SSD, STORAGES, TIERING, Row, Sizes, Table
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.stack import OptionValue
from tierplan.domain.tiers import NEVER, Rates
from tierplan.units import Bandwidth, BandwidthDensity, OpRate, Size

GIB, MB = 2.0**30, 1e6
AUTOMATIC, USER = "AUTOMATIC", "USER_PROVISIONED"
VERSION = "2.15"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One file system in the service's own words; what is left out is as the service would take it."""

    deployment: str
    storage: str
    per_unit: int | None
    size: float | None
    """GiB."""
    throughput: int | None
    """MB/s, of Intelligent-Tiering."""
    mode: str | None
    iops: int | None
    efa: bool
    drive_cache: str | None
    read_cache: str | None
    version: str
    region: str | None

    @property
    def tiering(self) -> bool:
        """Whether throughput is bought instead of size."""
        return self.storage == TIERING


def choice_of(options: Mapping[str, OptionValue]) -> Choice:
    """
    The words of a configuration.

    Without a deployment type the service makes SCRATCH_1, and without a storage type SSD.
    """
    size = option(options, "size", Size)
    return Choice(
        deployment=option(options, "deployment_type", str) or DEPLOYMENTS[0],
        storage=option(options, "storage_type", str) or SSD,
        per_unit=option(options, "per_unit_throughput", int),
        size=None if size is None else size.bytes / GIB,
        throughput=option(options, "throughput_capacity", int),
        mode=option(options, "metadata_mode", str),
        iops=option(options, "metadata_iops", int),
        efa=option(options, "efa", bool) or False,
        drive_cache=option(options, "drive_cache_type", str),
        read_cache=option(options, "read_cache", str),
        version=option(options, "version", str) or VERSION,
        region=option(options, "region", str),
    )


def class_bandwidth(*, size: Size, density: BandwidthDensity) -> Bandwidth:
    """
    Sustained bandwidth of a size: what its drives give, without bursts and without the servers' memory.

    Formula:  density * size
    Assumes:  a TiB is 1,024 GiB; the service's own examples count 1,000 and promise 2 % more
    Source:   botocore service model fsx/2018-03-01, PerUnitStorageThroughput; FSx for Lustre User Guide (2026-11-29)

    >>> class_bandwidth(size=Size(148800 * 2.0**30), density=BandwidthDensity.parse("125 MB/s/TiB")).show("MB/s", 5)
    '18,164 MB/s'
    """
    return density * size


def size_for_bandwidth(*, bandwidth: Bandwidth, density: BandwidthDensity) -> float:
    """
    GiB that give a bandwidth.

    Formula:  bandwidth / density

    >>> round(size_for_bandwidth(bandwidth=Bandwidth(18.148e9), density=BandwidthDensity.parse("250 MB/s/TiB")))
    74334
    """
    return bandwidth.bytes_per_s / density.base / GIB if density.base else math.inf


def iops_for(*, operations: OpRate, operations_per_iops: float) -> float:
    """
    Metadata IOPS that carry a rate of file operations.

    Formula:  operations / operations_per_iops
    Assumes:  mixed operations add up as if each were the dearest
    Source:   note FSx for Lustre architecture (2026-08-06), quoting the user guide (2026-11-29)

    >>> iops_for(operations=OpRate(12000.0), operations_per_iops=1.0)
    12000.0
    """
    return operations.ops_per_s / operations_per_iops


def sized_row(known: Table, choice: Choice) -> Row | None:
    """The class by which a choice is weighed: its own, else the next slower one, so that nothing is promised."""
    rows = known.rows_of(choice.deployment, choice.storage)
    asked = choice.per_unit
    slower = [row for row in rows if row.per_unit is None or (asked is not None and row.per_unit <= asked)]
    return known.row(choice.deployment, choice.storage, asked) or (slower[-1] if slower else next(iter(rows), None))


def sizes_of(known: Table, choice: Choice) -> Sizes | None:
    """The sizes (GiB, or MB/s of Intelligent-Tiering) that can be bought of a choice's class."""
    if choice.tiering:
        return known.tiering
    row = sized_row(known, choice)
    return None if row is None else row.sizes_with(efa=choice.efa)


def iops_of(known: Table, choice: Choice) -> int | None:
    """Metadata IOPS of a file system; None without a metadata configuration, of which no rate is published."""
    if choice.deployment != "PERSISTENT_2" or choice.mode is None:
        return None
    return known.metadata.automatic(choice.size or 0.0) if choice.mode == AUTOMATIC else choice.iops


def servers(known: Table, choice: Choice) -> int:
    """File servers of a choice."""
    if choice.tiering:
        return max(1, math.ceil((choice.throughput or 0) / known.tiering.step))
    row = sized_row(known, choice)
    return 1 if row is None else row.servers(choice.size or 0.0, efa=choice.efa)


def densities(row: Row, used: Relied) -> tuple[BandwidthDensity, BandwidthDensity]:
    """Read and write of each byte of a class."""
    read = used.quantity(BandwidthDensity, f"{row.key}_read")
    return read, used.quantity(BandwidthDensity, f"{row.key}_write")


def space(choice: Choice, used: Relied) -> Size:
    """What the file system holds: its size, or the most that its throughput may store."""
    if choice.tiering:
        return used.quantity(Size, "tiering_data") * ((choice.throughput or 0) / used["tiering_step"])
    return Size(max(0.0, choice.size or 0.0) * GIB)


def file_system_rates(known: Table, choice: Choice, used: Relied) -> tuple[Bandwidth, Bandwidth]:
    """Read and write of the file system itself, whoever asks."""
    if choice.tiering:
        steps = max(0.0, (choice.throughput or 0) / used["tiering_step"])
        return Bandwidth(steps * used["tiering_read"] * MB), Bandwidth(steps * used["tiering_write"] * MB)
    row = sized_row(known, choice)
    if row is None:
        return Bandwidth.zero(), Bandwidth.zero()
    (read, write), size = densities(row, used), space(choice, used)
    return class_bandwidth(size=size, density=read), class_bandwidth(size=size, density=write)


def client_bandwidth(clients: Clients, *, efa: bool, file_servers: int, used: Relied) -> Bandwidth:
    """What one GPU node takes: its ports, the most of one client and, over TCP, of one client with each server."""
    over_tcp = min(used.quantity(Bandwidth, "client_tcp"), used.quantity(Bandwidth, "client_server_tcp") * file_servers)
    return min(clients.network, used.quantity(Bandwidth, "client_efa") if efa else over_tcp)


def efa_wanted(clients: Clients, used: Relied) -> str:
    """Why clients need EFA; empty where TCP does."""
    most = used.quantity(Bandwidth, "client_tcp")
    if clients.transport != "tcp":
        return f"the stack's storage network is {clients.transport}, which is EFA on AWS"
    node = max(clients.node_read, clients.node_write)
    return f"one GPU node needs {node.show()}, and {most.show()} is the most without EFA" if node > most else ""


def rates(known: Table, choice: Choice, need: TierNeed, used: Relied) -> Rates:
    """What all GPU nodes together get, and what limits it."""
    read, write = file_system_rates(known, choice, used)
    one = client_bandwidth(need.clients, efa=choice.efa, file_servers=servers(known, choice), used=used)
    taken, iops = one * need.clients.gpu_nodes, iops_of(known, choice)
    careful, best = used["operations_per_iops"], used.high("operations_per_iops")
    unconfigured = used.quantity(OpRate, "unconfigured_op_rate")
    return Rates(
        read=min(read, taken),
        write=min(write, taken),
        op_rate=unconfigured if iops is None else OpRate(max(0.0, iops) * careful),
        read_limited_by="clients" if taken < read else "class",
        write_limited_by="clients" if taken < write else "class",
        op_rate_limited_by="metadata",
        op_rate_high=None if iops is None else OpRate(max(0.0, iops) * best),
        client=one,
    )


def counts(known: Table, choice: Choice, need: TierNeed, used: Relied) -> dict[str, int]:
    """Constraint -> legal size that it asks for, in the service's unit; NEVER where no size does."""
    legal = sizes_of(known, choice)
    row = sized_row(known, choice)
    if legal is None or (row is None and not choice.tiering):
        return {"class": NEVER}
    asked = _tiering_asked(need, used) if choice.tiering else _asked(row, need, used)
    found = {name: _legal(legal, size) for name, size in asked.items()}
    return {**found, "metadata": _metadata_count(known, choice, need, used), "minimum": legal.least}


def _asked(row: Row | None, need: TierNeed, used: Relied) -> dict[str, float]:
    if row is None:
        return {}
    (read, write), fill = densities(row, used), max(need.max_fill, 1e-9)
    held = need.capacity.bytes / fill / used["usable_fraction"] / GIB
    phases = [
        size_for_bandwidth(bandwidth=phase.read, density=read)
        + size_for_bandwidth(bandwidth=phase.write, density=write)
        for phase in need.phases
    ]
    return {
        "capacity": held,
        "read": size_for_bandwidth(bandwidth=need.read, density=read),
        "write": size_for_bandwidth(bandwidth=need.write, density=write),
        "phases": max(phases, default=0.0),
    }


def _tiering_asked(need: TierNeed, used: Relied) -> dict[str, float]:
    step, fill = used["tiering_step"], max(need.max_fill, 1e-9)
    read, write = used["tiering_read"] * MB / step, used["tiering_write"] * MB / step
    phases = [phase.read.bytes_per_s / read + phase.write.bytes_per_s / write for phase in need.phases]
    return {
        "capacity": need.capacity / fill / used.quantity(Size, "tiering_data") * step,
        "read": need.read.bytes_per_s / read,
        "write": need.write.bytes_per_s / write,
        "phases": max(phases, default=0.0),
    }


def _legal(sizes: Sizes, size: float) -> int:
    if size <= 0:
        return 0
    return NEVER if size > min(sizes.most, NEVER / 2) else sizes.at_least(size)


def _metadata_count(known: Table, choice: Choice, need: TierNeed, used: Relied) -> int:
    """0 where the metadata rate is there, in mode AUTOMATIC the size that brings it; NEVER where none does."""
    iops = iops_of(known, choice)
    wanted = iops_for(operations=need.op_rate, operations_per_iops=used["operations_per_iops"])
    if iops is None:
        return NEVER if need.op_rate > used.quantity(OpRate, "unconfigured_op_rate") else 0
    sizes = sizes_of(known, choice)
    if choice.mode == AUTOMATIC and sizes is not None and wanted > 0:
        size = known.metadata.size_for(wanted)
        return NEVER if size is None else sizes.at_least(size)
    return 0 if iops >= wanted * (1 - 1e-9) else NEVER


def price_of(known: Table, choice: Choice, used: Relied) -> float | None:
    """
    List price of a month in USD, without stored data of Intelligent-Tiering; None where no price is known.

    Formula:  size * class price + (IOPS - automatic IOPS) * IOPS price, or throughput * its price
    """
    if choice.tiering:
        return (choice.throughput or 0) * used["tiering_price"]
    row = known.row(choice.deployment, choice.storage, choice.per_unit)
    if row is None or row.price is None or choice.size is None:
        return None
    extra = max(0, (iops_of(known, choice) or 0) - known.metadata.automatic(choice.size))
    return choice.size * used[f"{row.key}_price"] + extra * used["metadata_price"]


def is_known(choice: Choice) -> bool:
    """Whether deployment and storage type are words of the service that go together."""
    if choice.tiering:
        return choice.deployment == "PERSISTENT_2"
    pairs = {"PERSISTENT_1": (SSD, HDD)}.get(choice.deployment, (SSD,))
    return choice.deployment in DEPLOYMENTS and choice.storage in STORAGES and choice.storage in pairs
