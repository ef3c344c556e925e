"""RAID groups inside one server: how many fit, what they leave to data, how a file system is aligned to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends import _rules as rules
from tierplan.backends._space import code_step
from tierplan.domain.stack import StorageNode, TierPins
from tierplan.domain.tiers import Factor, Illegal, Layout, TierConfig
from tierplan.units import Bandwidth, Size, count_for

USUAL = Layout(kind="erasure-code", data_units=8, parity_units=2, failure_domain="drive")
SMALL = Layout(kind="erasure-code", data_units=4, parity_units=2, failure_domain="drive")
ONE_DRIVE = Layout(kind="none", failure_domain="drive")
MOST_SPARES = 2  # left-over drives beyond these belong to no group


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """What mkfs is told of a group, in blocks of 4 KiB, and the chunk of one drive."""

    stride: int
    stripe_width: int

    @property
    def chunk_kib(self) -> int:
        """Consecutive KiB on one drive."""
        return self.stride * 4


def groups(*, drives: int, hot_spares: int, width: int) -> int:
    """
    Whole RAID groups of one server.

    Formula:  floor((drives - hot_spares) / width)

    >>> groups(drives=42, hot_spares=2, width=10)
    4
    """
    return max(0, (drives - hot_spares) // width) if width > 0 else 0


def alignment(*, data_drives: int, rpc_kib: int) -> Alignment:
    """
    Chunk and stripe that one full RPC fills.

    Formula:  stride = rpc_kib / data_drives / 4; stripe_width = stride * data_drives
    Assumes:  blocks of 4 KiB; the data drives are a power of two, else the chunk is rounded down to one
    Source:   Lustre operations manual, configuring storage (2019-07, checked 2026-11-29)

    >>> alignment(data_drives=8, rpc_kib=1024)
    Alignment(stride=32, stripe_width=256)
    """
    blocks = max(1, rpc_kib // 4 // max(1, data_drives))
    stride: int = 2 ** (blocks.bit_length() - 1)
    return Alignment(stride=stride, stripe_width=stride * data_drives)


def draid_usable(*, data: int, parity: int, children: int, spares: int, drive: Size) -> Size:
    """
    Space of one ZFS dRAID, before the pool's own reserve.

    Formula:  (children - spares) * data / (data + parity) * drive
    Source:   OpenZFS documentation, dRAID how-to (2026-07, checked 2026-11-29)

    >>> draid_usable(data=8, parity=2, children=42, spares=2, drive=Size(20e12)).show()
    '640 TB'
    """
    return drive * (max(0, children - spares) * data / (data + parity))


def grouped_drives(config: TierConfig, *, declustered: bool) -> int:
    """Drives of one server that hold data or parity: whole groups, or all but the spares where they are declustered."""
    layout, drives = config.layout, config.node.drives
    if declustered:
        return max(0, drives - layout.hot_spares)
    count = groups(drives=drives, hot_spares=layout.hot_spares, width=layout.width)
    return count * layout.width


def raid_steps(config: TierConfig, *, declustered: bool = False) -> tuple[Factor, Factor]:
    """Raw -> what the groups leave to data: drives outside groups first, then the code."""
    drives, held = config.node.drives, grouped_drives(config, declustered=declustered)
    outside = drives - held
    name = f"hot spare and drives outside a group ({outside} of {drives} a node)"
    inside = Factor(name=name, fraction=held / drives if drives > 0 else 0.0, basis="layout")
    return inside, code_step(config.layout)


def data_drives(config: TierConfig, *, declustered: bool = False) -> float:
    """
    Drives' worth of data of one server.

    Formula:  drives in groups * data units / (data units + parity units)
    """
    return grouped_drives(config, declustered=declustered) * code_step(config.layout).fraction


def raid_bandwidth(drive: Bandwidth, *, data_drives: float, eta: float) -> Bandwidth:
    """
    What the groups of one server stream.

    Formula:  data_drives * drive * eta
    Assumes:  whole stripes; parity drives add nothing

    >>> raid_bandwidth(Bandwidth(0.12e9), data_drives=32, eta=0.9).show()
    '3.46 GB/s'
    """
    return drive * (data_drives * eta)


def stripe_count(*, file: Bandwidth, target: Bandwidth, targets: int) -> int:
    """
    Targets that one file is striped over, so that it is as fast as asked; as few as that allows.

    Formula:  ceil(file / target), at most targets
    Source:   Lustre operations manual, managing file layout (2019-07, checked 2026-11-29)

    >>> stripe_count(file=Bandwidth(20e9), target=Bandwidth(0.864e9), targets=100)
    24
    """
    wanted = count_for(file, target) if target and file else 1
    return max(1, min(targets, wanted))


def default_layout(node: StorageNode, pins: TierPins) -> Layout:
    """8+2 where it fits, else 4+2; what is left over is a spare, up to two."""
    pinned = pins.layout
    base = USUAL if node.drives >= USUAL.width else SMALL
    data = base.data_units if pinned is None or pinned.data_units is None else pinned.data_units
    parity = base.parity_units if pinned is None or pinned.parity_units is None else pinned.parity_units
    width = data + parity
    left = node.drives % width if 0 < width <= node.drives else 0
    return Layout(
        kind="erasure-code",
        data_units=data,
        parity_units=parity,
        hot_spares=min(MOST_SPARES, left),
        failure_domain="drive",
    )


def raid_faults(config: TierConfig, *, parities: tuple[int, ...], spare: bool = True) -> Iterator[Illegal]:
    """What a RAID inside one server cannot be, and what somebody would regret."""
    layout, drives = config.layout, config.node.drives
    policy, product = f"{config.tier}-layout", config.backend
    if layout.kind != "erasure-code" or layout.failure_domain != "drive":
        yield Illegal(
            policy=policy,
            message=f"{product}: {layout} over {layout.failure_domain}s; data lies in RAID groups inside a server",
            remedy="write data_units: 8, parity_units: 2, failure_domain: drive",
        )
        return
    yield from rules.not_allowed(config, "data_units", layout.data_units, allowed=tuple(range(2, 64)))
    yield from rules.not_allowed(config, "parity_units", layout.parity_units, allowed=parities)
    wanted = layout.width + layout.hot_spares
    if wanted > drives:
        spares = f" and {layout.hot_spares} hot spare" if layout.hot_spares else ""
        narrower = "4+2" if drives >= SMALL.width + layout.hot_spares and layout.width > SMALL.width else ""
        yield Illegal(
            policy=policy,
            message=f"{product}: {drives} drives a node cannot hold a {layout} group{spares} (needs {wanted})",
            remedy=f"add {wanted - drives} drives a node" + (f" or write {narrower}" if narrower else ""),
            required=wanted,
            planned=drives,
        )
        return
    yield from _advice(config, spare=spare)


def _advice(config: TierConfig, *, spare: bool) -> Iterator[Illegal]:
    layout, product = config.layout, config.backend
    if layout.parity_units == 1:
        message = f"{product}: one parity unit bears no unreadable sector while a drive is rebuilt"
        yield rules.advice(message, remedy="write parity_units: 2", required=2, planned=1)
    if layout.data_units & (layout.data_units - 1):
        nearest = 1 << (layout.data_units.bit_length() - 1)
        message = f"{product}: {layout.data_units} data units; a stripe fills whole RPCs with a power of two"
        yield rules.advice(message, remedy=f"write data_units: {nearest}", required=nearest, planned=layout.data_units)
    if spare and layout.hot_spares < 1:
        message = f"{product}: no hot spare drive in a node; a rebuild waits for somebody with a drive"
        yield rules.advice(message, remedy="write hot_spares: 1 or keep spares on site", required=1, planned=0)


def mirrored_space(*, drives: int, drive: Size) -> Size:
    """
    Space of RAID 1 or 10 over so many drives.

    Formula:  floor(drives / 2) * drive

    >>> mirrored_space(drives=4, drive=Size(3.84e12)).show()
    '7.68 TB'
    """
    return drive * max(0, drives // 2)


def raid_parts(config: TierConfig, *, rpc_kib: int) -> Mapping[str, int]:
    """Geometry in the words of mkfs: chunk, stride, stripe width."""
    aligned = alignment(data_drives=max(1, config.layout.data_units), rpc_kib=rpc_kib)
    return {
        "chunk_kib": aligned.chunk_kib,
        "stride": aligned.stride,
        "stripe_width_blocks": aligned.stripe_width,
    }
