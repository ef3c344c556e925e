"""Lustre's own arithmetic: inodes, metadata targets and servers, data on MDT, memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.backends._beside import given
from tierplan.backends._choosing import Relied, option
from tierplan.backends._pairs import even
from tierplan.backends._raid import mirrored_space
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import OpRate, Size

MOST_MDTS = 256
MOST_OSTS = 8150
DRAID_DRIVES = 255
MDT_INODES = 4e9  # of one ldiskfs MDT
MDT_SIZE = {"ldiskfs": Size(8.0 * 2**40), "zfs": Size(64.0 * 2**40)}
OST_SIZE = Size(256.0 * 2**40)
SMALL_FILE = Size(2.0**20)  # files below it on average gain from data on MDT
DOM_SIZE = Size(64.0 * 2**10)
UNIT = Size(64.0 * 2**10)  # stripe and DoM sizes are multiples of it
OST_BYTES_PER_INODE = ((16 * 2**40, 2**20), (4 * 2**40, 512 * 2**10), (2**40, 256 * 2**10), (0, 69905))


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata servers of a plan: one MDT on each."""

    servers: int
    drives: int
    drive: Size
    mdt: Size
    """What one MDT holds."""
    needed: Size
    inodes: float
    rate: OpRate

    @property
    def holds(self) -> Size:
        """What all MDTs hold."""
        return self.mdt * self.servers


def mdt_inodes(mdt: Size, *, bytes_per_inode: float) -> int:
    """
    Inodes that an ldiskfs MDT is made with.

    Formula:  floor(mdt / bytes_per_inode)
    Source:   github.com/lustre/lustre-release, mkfs_lustre: inode size + 1536 bytes (2026-08, checked 2026-11-29)

    >>> mdt_inodes(Size(2.0**40), bytes_per_inode=2560)
    429496729
    """
    return int(mdt.bytes / bytes_per_inode)


def mdt_size(*, inodes: float, bytes_per_inode: float, growth: float) -> Size:
    """
    MDT space that so many files ask for.

    Formula:  inodes * bytes_per_inode * growth
    Assumes:  growth 2 is the manual's head-room
    Source:   Lustre operations manual, determining MDT space requirements (2019-07, checked 2026-11-29)

    >>> mdt_size(inodes=100e6, bytes_per_inode=2560, growth=2).show("GiB", 4)
    '476.8 GiB'
    """
    return Size(inodes * bytes_per_inode * growth)


def dom_space(*, files: float, mean_file: Size, dom: Size) -> Size:
    """
    What data on MDT adds to the metadata targets.

    Formula:  files * min(mean_file, dom)

    >>> dom_space(files=100e6, mean_file=Size(1e6), dom=Size(65536.0)).show("TB", 4)
    '6.554 TB'
    """
    return min(mean_file, dom) * files


def ost_inode_share(ost: Size, *, inode_bytes: float) -> float:
    """
    Share of an ldiskfs OST that its inode tables leave.

    Formula:  1 - inode_bytes / bytes_per_inode, by the size of the OST
    Source:   github.com/lustre/lustre-release, mkfs_lustre (2026-08, checked 2026-11-29)

    >>> round(ost_inode_share(Size(160e12), inode_bytes=512), 5)
    0.99951
    """
    per_inode = next(ratio for above, ratio in OST_BYTES_PER_INODE if ost.bytes > above or above == 0)
    return 1 - inode_bytes / per_inode


def server_memory(*, targets: int, base: Size, each: Size) -> Size:
    """
    Memory of one object storage server that may carry its partner's targets too.

    Formula:  base + targets * each
    Source:   Lustre operations manual, OSS memory requirements: 2 GB, and 2 GB an OST (2019-07, checked 2026-11-29)

    >>> server_memory(targets=4, base=Size(2e9), each=Size(2e9)).show()
    '10 GB'
    """
    return base + each * targets


def mean_file(need: TierNeed, used: Relied) -> Size:
    """Bytes of a file on average: by the count that is known, else the manual's example."""
    assumed = used.quantity(Size, "mean_file")
    return need.capacity / need.files if need.files > 0 else assumed


def dom_size(config: TierConfig, need: TierNeed, used: Relied) -> Size:
    """Data on MDT for each file: the stack's word, else 64 KiB where files are known to be small, else none."""
    word = option(config.options, "dom", Size)
    if word is not None:
        return word
    small = need.files > 0 and mean_file(need, used) < SMALL_FILE
    return DOM_SIZE if small else Size.zero()


def metadata(config: TierConfig, need: TierNeed, used: Relied, *, paired: bool) -> Metadata:
    """The metadata servers: the stack's count, else what files and op rate ask for, in pairs."""
    options, rate = config.options, used.quantity(OpRate, "create_rate")
    drives = given(option(options, "mds.drives", int), int(used["mds_drives"]))
    drive = given(option(options, "mds.drive_size", Size), used.quantity(Size, "mds_drive_size"))
    backfs = option(options, "backfs", str) or "ldiskfs"
    reserve = used["ldiskfs_reserve"]
    mdt = min(mirrored_space(drives=drives, drive=drive), MDT_SIZE.get(backfs, MDT_SIZE["ldiskfs"])) * (1 - reserve)
    average = mean_file(need, used)
    inodes = need.capacity / average if average else 0.0
    needed = mdt_size(inodes=inodes, bytes_per_inode=used["mdt_bytes_per_inode"], growth=used["mdt_growth"])
    needed += dom_space(files=inodes, mean_file=average, dom=dom_size(config, need, used))
    by_inodes = -(-int(inodes) // int(MDT_INODES))
    least = 2 if paired else 1
    sized = min(MOST_MDTS, max(least, nodes_for(needed, mdt), nodes_for(need.op_rate, rate), by_inodes))
    servers = given(option(options, "mds.nodes", int), even(sized) if paired else sized)
    return Metadata(
        servers=max(0, servers),
        drives=max(0, drives),
        drive=drive,
        mdt=mdt,
        needed=needed,
        inodes=inodes,
        rate=rate,
    )


def metadata_faults(config: TierConfig, meta: Metadata, *, paired: bool) -> Iterator[Illegal]:
    """Metadata servers that cannot be, or that do not hold the files."""
    policy, name = f"{config.tier}-layout", config.backend
    if not 1 <= meta.servers <= MOST_MDTS:
        yield Illegal(
            policy=policy,
            message=f"{name}: {meta.servers} MDTs; a file system has 1 to {MOST_MDTS}",
            remedy="write mds: {nodes: 2}",
            required=MOST_MDTS if meta.servers > MOST_MDTS else 1,
            planned=meta.servers,
        )
    elif paired and meta.servers % 2:
        yield Illegal(
            policy=policy,
            message=f"{name}: {meta.servers} metadata servers; they stand in pairs, so the count is even",
            remedy=f"write mds: {{nodes: {meta.servers + 1}}}",
            required=meta.servers + 1,
            planned=meta.servers,
        )
    if meta.holds.bytes < meta.needed.bytes * (1 - 1e-9):
        yield Illegal(
            policy=f"{config.tier}-node",
            message=f"{name}: {meta.servers} MDTs hold {meta.holds.show()}; "
            f"{meta.inodes:.3g} files with growth ask for {meta.needed.show()}",
            remedy="add metadata servers or drives to them, or keep less data on MDT (dom)",
            required=meta.needed.bytes,
            planned=meta.holds.bytes,
            unit="bytes",
        )
