"""Storage Scale's own formulas: codes, what they survive, spares, vdisks, capacity. Each is IBM's with its source."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from tierplan.domain.tiers import Layout
from tierplan.units import Bandwidth, Size

LARGEST_GROUP, FEWEST_SERVERS = 32, 3
KIB, MIB, GIB = 2**10, 2**20, 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One code of mmvdisk: its name there, data and parity strips, the vdisk block sizes that it takes."""

    name: str
    data: int
    parity: int
    blocks_mib: tuple[float, ...]

    @property
    def layout(self) -> Layout:
        """The same as a layout over nodes."""
        if self.data == 1:
            return Layout(kind="replicas", replicas=1 + self.parity)
        return Layout(kind="erasure-code", data_units=self.data, parity_units=self.parity)


_COPIES, _NARROW, _WIDE = (0.25, 0.5, 1, 2), (0.5, 1, 2, 4, 8), (0.5, 1, 2, 4, 8, 16)
CODES: Mapping[str, Code] = {
    word: Code(name=name, data=data, parity=parity, blocks_mib=blocks)
    for word, name, data, parity, blocks in (
        ("3way", "3WayReplication", 1, 2, _COPIES),
        ("4way", "4WayReplication", 1, 3, _COPIES),
        ("4+2p", "4+2p", 4, 2, _NARROW),
        ("4+3p", "4+3p", 4, 3, _NARROW),
        ("8+2p", "8+2p", 8, 2, _WIDE),
        ("8+3p", "8+3p", 8, 3, _WIDE),
        ("16+2p", "16+2p", 16, 2, _WIDE),
        ("16+3p", "16+3p", 16, 3, _WIDE),
    )
}
_BY_STRIPS = {(code.data, code.parity): code for code in CODES.values()}


def strips(layout: Layout) -> tuple[int, int]:
    """Data and parity strips of a stripe; whole copies are one data strip and its repetitions."""
    if layout.kind == "erasure-code":
        return layout.data_units, layout.parity_units
    return (1, layout.replicas - 1) if layout.kind == "replicas" else (1, 0)


def code_of(layout: Layout) -> Code | None:
    """The code of mmvdisk that a layout is, if it is one."""
    code = _BY_STRIPS.get(strips(layout))
    return code if code is not None and (layout.kind == "replicas") == (code.data == 1) else None


@lru_cache(maxsize=4096)
def tolerance(nodes: int, *, data: int, parity: int) -> tuple[int, int]:
    """
    Nodes, and drives beyond them, that a recovery group may lose at once without losing data, at the worst.

    Formula:  the largest k whose k fullest nodes hold at most `parity` strips, and `parity` less those strips; at most
              1 node and 1 drive with 3 or 4 nodes, 2 nodes with 5 to 8, 3 nodes above
    Assumes:  data + parity strips lie as evenly over the nodes as they can; the caps from 6 nodes on are on the safe
              side, IBM's cells there were not seen
    Source:   IBM Storage Scale ECE 5.2.3, recommendations and understanding fault tolerance (2026-11-29)

    >>> tolerance(4, data=4, parity=3), tolerance(10, data=8, parity=3)
    ((1, 1), (2, 0))
    """
    if nodes < 1 or parity < 1:
        return 0, 0
    each, fuller = divmod(data + parity, nodes)
    lost, gone = 0, 0
    while gone < nodes and lost + each + (gone < fuller) <= parity:
        lost += each + (gone < fuller)
        gone += 1
    if nodes <= 4 and gone > 1:
        return 1, 1
    cap = 1 if nodes <= 4 else 2 if nodes <= 8 else 3
    return (cap, 0) if gone > cap else (gone, parity - lost)


def not_recommended(nodes: int, *, data: int, parity: int) -> bool:
    """
    Whether IBM writes "not recommended" for this code over so many nodes.

    Formula:  tolerance < (1 node, 1 drive)
    Assumes:  inferred from IBM's cells for 3 to 5 nodes, and in line with its list for more
    Source:   IBM Storage Scale ECE 5.2.3, recommendations (2026-11-29)

    >>> not_recommended(9, data=8, parity=2), not_recommended(10, data=8, parity=2)
    (True, False)
    """
    return tolerance(nodes, data=data, parity=parity) < (1, 1)


@lru_cache(maxsize=1024)
def fewest_domains(*, data: int, parity: int, survived: int) -> int:
    """
    Fewest nodes (or racks) of one recovery group that a code is recommended for and that survive so many lost.

    Formula:  smallest n of 3 to 32 with tolerance(n) >= max((1 node, 1 drive), (survived, 0))
    Assumes:  where no count survives so many, what is recommended counts alone

    >>> fewest_domains(data=8, parity=3, survived=1), fewest_domains(data=8, parity=3, survived=2)
    (6, 10)
    """
    sizes = range(FEWEST_SERVERS, LARGEST_GROUP + 1)
    given = {size: tolerance(size, data=data, parity=parity) for size in sizes}
    for least in (max((1, 1), (survived, 0)), (1, 1)):
        found = next((size for size in sizes if given[size] >= least), None)
        if found is not None:
            return found
    return max(FEWEST_SERVERS, data + parity)


def group_sizes(nodes: int, *, largest: int = LARGEST_GROUP) -> tuple[tuple[int, int], ...]:
    """
    Recovery groups that so many servers make: (servers in each, number of such groups), the larger first.

    Formula:  ceil(nodes / largest) groups as even as they can be
    Source:   IBM Storage Scale ECE 5.2.3, introduction: 3 to 32 servers a group, several groups a cluster (2026-11-29)

    >>> group_sizes(20), group_sizes(33)
    (((20, 1),), ((17, 1), (16, 1)))
    """
    groups = -(-nodes // largest)
    if groups < 1:
        return ()
    each, more = divmod(nodes, groups)
    return tuple(pair for pair in ((each + 1, more), (each, groups - more)) if pair[1])


def default_spares(nodes: int, *, drives: int) -> float:
    """
    Spare drives' worth of space in a declustered array, as mmvdisk sets it aside.

    Formula:  most if nodes > full else max(least, most * nodes / full); least, most and full by drives a node
    Source:   github.com/IBM/SpectrumScaleTools, ece_capacity_estimator v1.3 (2026-11-29)

    >>> default_spares(11, drives=24)
    5.5
    """
    if drives == 1:
        least, most, full = 2, 4, 24
    elif drives < 5:
        least, most, full = 2, 2 * drives, 16
    else:
        least, most, full = 3, 2 * drives, 4 * drives
    return most if nodes > full else max(least, most * nodes / full)


def fewest_drives(*, data: int, parity: int, spares: float, vcd_spares: int = 2) -> float:
    """
    Drives that a declustered array needs for a code.

    Formula:  max(data + parity + spares, 9 + vcd_spares)
    Source:   IBM Storage Scale ECE 6.0.1, declustered arrays (2026-11-29)

    >>> fewest_drives(data=8, parity=3, spares=2)
    13
    """
    return max(data + parity + spares, 9 + vcd_spares)


def vdisks(nodes: int, *, sets: int) -> int:
    """
    Vdisks of one recovery group: of the sets, of the user log homes and of the root log home.

    Formula:  sets * 2 * nodes + 2 * nodes + 1
    Source:   IBM Storage Scale ECE 5.2.3, introduction: two user log groups a server (2026-11-29)

    >>> vdisks(11, sets=18)
    419
    """
    return sets * 2 * nodes + 2 * nodes + 1


def quorum_nodes(nodes: int) -> int:
    """
    Quorum nodes: an odd number, so that a majority is left after what the cluster survives.

    Formula:  3 up to 4 nodes, 5 up to 6, 7 above
    Source:   github.com/IBM/ibm-spectrum-scale-install-infra, roles/core_configure (2026-11-29)

    >>> quorum_nodes(4), quorum_nodes(6), quorum_nodes(20)
    (3, 5, 7)
    """
    return 3 if nodes <= 4 else 5 if nodes <= 6 else 7


def checksum_granule(*, data: int, block: int, flash: bool) -> int:
    """
    Bytes of a strip that one checksum covers.

    Formula:  8 KiB on flash with 4 data strips and blocks to 2 MiB, or 8 data strips and blocks to 4 MiB; else 32 KiB
    Source:   github.com/IBM/SpectrumScaleTools, ece_capacity_estimator v1.3 (2026-11-29)

    >>> checksum_granule(data=8, block=4 * 2**20, flash=True)
    8192
    """
    return 8 * KIB if flash and block <= {4: 2 * MIB, 8: 4 * MIB}.get(data, 0) else 32 * KIB


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """A declustered array as the estimator divides it: partitions of `partition` bytes, and how many hold vdisks."""

    partition: int
    usable: float

    @property
    def size(self) -> Size:
        """What vdisks may take of it, raw."""
        return Size(float(max(0.0, self.usable)) * self.partition)


@lru_cache(maxsize=8192)
def array(nodes: int, *, drives: int, drive: Size, spares: float) -> Array:
    """
    The declustered array of one recovery group.

    Formula:  usable = partitions * drives - reserve - prefix and overflow of data drives - spare drives - log homes,
              with partitions of 4 MiB doubled until a drive has at most 2,048 of them
    Assumes:  IBM's tool is within 1 % by its own word
    Source:   github.com/IBM/SpectrumScaleTools, ece_capacity_estimator v1.3 (2026-11-29)

    >>> int(array(12, drives=12, drive=Size(4e12), spares=6).size.bytes // 2**30)
    508454
    """
    size = int(drive.bytes // GIB) * GIB - (4 * MIB + 2 * 16 * 4096)
    if nodes < 1 or drives < 1 or size <= 0:
        return Array(partition=4 * MIB, usable=0.0)
    partition = 4 * MIB
    while size > 2048 * partition:
        partition *= 2
    each, all_drives = size // partition, nodes * drives
    prefix = -(-(17 * 256 * KIB + 3 * GIB) // partition) + 4
    home = 4 * -(-(32 * GIB + -(-2 * GIB // nodes)) // partition)
    total = each * all_drives
    usable = total - -(-total // 1000) - (all_drives - spares) * prefix - spares * each - 2 * nodes * home
    return Array(partition=partition, usable=max(0.0, usable))


@lru_cache(maxsize=8192)
def capacity(of: Array, nodes: int, *, data: int, parity: int, block: int, granule: int, percent: float = 100) -> Size:
    """
    Bytes that a file system gets from one vdisk set over a declustered array.

    Formula:  (tracks - unassigned) * block * 2 * nodes; tracks = partition groups * floor(partition / raw strip),
              raw strip = block / data + its checksums rounded up to 4 KiB
    Assumes:  Reed-Solomon codes; IBM's tool is within 1 % by its own word
    Source:   github.com/IBM/SpectrumScaleTools, ece_capacity_estimator v1.3 (2026-11-29)

    >>> found = array(12, drives=12, drive=Size(4e12), spares=6)
    >>> capacity(found, 12, data=8, parity=2, block=4 * 2**20, granule=32 * 2**10).show("TB", 5)
    '432.82 TB'
    """
    if nodes < 1 or data < 1 or parity < 0 or block < data:
        return Size.zero()
    groups = math.floor(math.floor(of.usable / (2 * nodes)) * percent / 100 / (data + parity))
    strip = block // data
    checksums = 64 * -(-strip // (granule - 64))
    tracks = groups * (of.partition // (strip + -(-checksums // 4096) * 4096))
    unassigned = min(4096, max(32, -(-tracks // 1000)))
    return Size(float(max(0, tracks - unassigned)) * block * 2 * nodes)


def quick_capacity(*, drives: float, drive: Size, data: int, parity: int, fraction: float) -> Size:
    """
    As `capacity`, by the drives that hold data; for copies, which IBM's tool does not know.

    Formula:  drives * drive * data / (data + parity) * fraction
    Source:   fitted to `capacity` over 4 to 32 nodes of 4 to 24 drives (2026-11-29)

    >>> quick_capacity(drives=8 * 24 - 4, drive=Size(15.36e12), data=8, parity=3, fraction=0.985).show("TB", 5)
    '2,068.6 TB'
    """
    return drive * (max(0.0, drives) * data / max(1, data + parity) * fraction) if data > 0 else Size.zero()


def write_factor(*, data: int, parity: int) -> float:
    """
    Bytes that the storage network carries for each byte written: to the log group's server, then as strips.

    Formula:  1 + (data + parity) / data
    Assumes:  no strip happens to stay on the server that sends it
    Source:   IBM Spectrum Scale ECE 5.0.4, network requirements (2026-11-29)

    >>> write_factor(data=8, parity=3)
    2.375
    """
    return 1 + (data + parity) / data if data > 0 else math.inf


def network_bandwidth(network: Bandwidth, *, factor: float, share: float) -> Bandwidth:
    """
    What the ports of one server carry for clients.

    Formula:  network * share / factor
    Source:   IBM Spectrum Scale ECE 5.0.4, network requirements: factor 2 for reads (2026-11-29)

    >>> network_bandwidth(Bandwidth(25e9), factor=2.0, share=0.8).show()
    '10 GB/s'
    """
    return network * (share / factor)
