"""BeeGFS's own arithmetic: metadata space and servers, buddy mirrors, RDMA buffers; what its templates read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tierplan.backends import TemplateValue
from tierplan.backends._beside import given, named_servers
from tierplan.backends._choosing import Relied, option
from tierplan.backends._pairs import even
from tierplan.backends._raid import mirrored_space
from tierplan.backends._sizing import Ceiling
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import NEVER, Illegal, TierConfig, TierPlan
from tierplan.units import OpRate, Size

CHUNK = Size(2.0**20)
LEAST_CHUNK = Size(64.0 * 2**10)
STRIPE_TARGETS = 4
RDMA_BUFFER_KIB = 8
DEFAULT_RDMA_BUFFERS = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata servers of a plan; mirrored ones hold everything twice."""

    servers: int
    drives: int
    drive: Size
    needed: Size
    holds: Size
    rate: OpRate
    """Of all together."""


def meta_space(*, files: float, bytes_per_file: float) -> Size:
    """
    Metadata space of so many files.

    Formula:  files * bytes_per_file
    Source:   BeeGFS documentation, system design: 500 GB hold about 150 million files (2026-11-29)

    >>> meta_space(files=1e9, bytes_per_file=3333).show()
    '3.33 TB'
    """
    return Size(files * bytes_per_file)


def rdma_buffers(chunk: Size) -> int:
    """
    RDMA buffers of one connection that hold a whole chunk and its header.

    Formula:  max(70, chunk / 8192 + 1)
    Source:   github.com/ThinkParQ/beegfs, beegfs-client.conf: connRDMABufNum 70 of 8192 bytes (2026-03)

    >>> rdma_buffers(Size(2.0**20)), rdma_buffers(Size(2.0**19))
    (129, 70)
    """
    return max(DEFAULT_RDMA_BUFFERS, math.ceil(chunk.bytes / (RDMA_BUFFER_KIB * 2**10)) + 1)


def primary_share(targets: int) -> float:
    """
    Share of a server's ports and cores that reads use, when the primaries of a pair lie as evenly as they can.

    Formula:  targets / (2 * ceil(targets / 2))
    Assumes:  reads come from the primary target alone; of an odd number one server has one primary more

    >>> primary_share(1), primary_share(2), primary_share(3)
    (0.5, 1.0, 0.75)
    """
    return targets / (2 * math.ceil(targets / 2)) if targets > 0 else 0.0


def mirrored_ceilings(ceilings: Iterable[Ceiling], *, media_read: float, server_read: float) -> tuple[Ceiling, ...]:
    """
    What one server gives its clients where two servers hold each file.

    Formula:  write / 2 of ports, drives and server; read * media_read of drives, read * server_read of the others
    Assumes:  the primary forwards every byte written
    Source:   BeeGFS documentation, system design, mirroring (2026-11-29)
    """
    return tuple(
        replace(
            one,
            read=one.read * (media_read if one.limited_by == "media" else server_read),
            write=one.write / 2,
        )
        for one in ceilings
    )


def metadata(config: TierConfig, need: TierNeed, used: Relied, *, mirrored: bool) -> Metadata:
    """The metadata servers: the stack's count, else what files and op rate ask for, in pairs where mirrored."""
    options, rate = config.options, used.quantity(OpRate, "create_rate")
    drives = max(0, given(option(options, "meta.drives", int), int(used["meta_drives"])))
    drive = given(option(options, "meta.drive_size", Size), used.quantity(Size, "meta_drive_size"))
    per_file, share = used["meta_bytes_per_file"], used["meta_share"]
    needed = meta_space(files=need.files, bytes_per_file=per_file) if need.files > 0 else need.capacity * share
    copies = 2 if mirrored else 1
    one = mirrored_space(drives=drives, drive=drive)
    sized = max(copies, copies * nodes_for(needed, one), copies * nodes_for(need.op_rate, rate))
    sized = min(NEVER, even(sized) if mirrored else sized)
    servers = max(0, given(option(options, "meta.nodes", int), sized))
    return Metadata(
        servers=servers,
        drives=drives,
        drive=drive,
        needed=needed,
        holds=one * (servers / copies),
        rate=rate * (servers / copies),
    )


def metadata_faults(config: TierConfig, meta: Metadata, *, mirrored: bool) -> Iterator[Illegal]:
    """Metadata servers that cannot be, or that do not hold the files."""
    if meta.servers < 1 or (mirrored and meta.servers % 2):
        wanted = max(2 if mirrored else 1, meta.servers + meta.servers % 2)
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"beegfs: {meta.servers} metadata servers; "
            + ("mirrored ones stand in pairs, so the count is even" if mirrored else "it takes one or more"),
            remedy=f"write meta: {{nodes: {wanted}}}",
            required=wanted,
            planned=meta.servers,
        )
    if meta.holds.bytes < meta.needed.bytes * (1 - 1e-9):
        yield Illegal(
            policy=f"{config.tier}-node",
            message=f"beegfs: metadata servers hold {meta.holds.show()}; the files ask for {meta.needed.show()}",
            remedy="add metadata servers or drives to them (meta: {nodes, drives, drive_size})",
            required=meta.needed.bytes,
            planned=meta.holds.bytes,
            unit="bytes",
        )


def context(
    plan: TierPlan, hosts: Mapping[str, object], *, version: int, mirrored: bool
) -> Mapping[str, TemplateValue]:
    """
    What the set-up commands need.

    cluster:   version (7 or 8), mirrored, quota, rdma
    servers:   meta (name, address, drives of each), meta_drives, meta_examples (what of them is an example);
               the first metadata server runs the management service too
    targets:   targets_per_node, targets, group_width, parity_units, hot_spares, chunk_kib (of the RAID), stripe_units
    layout:    file_chunk_kib, stripe_targets, shared_targets
    client:    rdma_buffers, rdma_buffer_bytes, connections
    """
    config, parts = plan.config, {name: int(count) for name, count in plan.delivered.parts.items()}
    servers, missing = named_servers(config, "meta", count=parts["meta_servers"], drives=parts["meta_drives"])
    return {
        **parts,
        "version": version,
        "mirrored": mirrored,
        "quota": option(config.options, "quota", bool) or False,
        "rdma": plan.need.clients.transport != "tcp",
        "meta": servers,
        "meta_examples": missing,
        "group_width": config.layout.width,
        "data_units": config.layout.data_units,
        "parity_units": config.layout.parity_units,
        "hot_spares": config.layout.hot_spares,
        "rdma_buffer_bytes": RDMA_BUFFER_KIB * 2**10,
        "connections": 12,
        "hosts": hosts,
        "host_needs": ["ports", "drives"],
    }
