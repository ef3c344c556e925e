"""
Erasure sets of MinIO and of what follows its rules: how many drives one takes, and what a loss leaves of it.

A pool is H servers of d drives each.  Its N = H * d drives are dealt out server by server, so that s of them in a row
make a set; an object lies in one set.  A pool never changes: a store grows by whole pools.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.units import Size

SIZES = tuple(range(2, 17))
MEBI = 2.0**20
HOST_MEMORY = ((1, 8), (10, 16), (100, 32), (1024, 64))  # TiB of drives up to which so many GiB are advised
MOST_MEMORY = 128


def symmetric(*, servers: int, size: int) -> bool:
    """
    Whether every server gives the same number of drives to the sets that it takes part in.

    Formula:  servers mod size = 0 where servers > size, else size mod servers = 0
    Source:   github.com/minio/minio, cmd/endpoint-ellipses.go, possibleSetCountsWithSymmetry (2026-11-29)

    >>> symmetric(servers=32, size=16), symmetric(servers=6, size=16)
    (True, False)
    """
    if servers < 1:
        return False
    return servers % size == 0 if servers > size else size % servers == 0


def set_size(*, servers: int, drives: int) -> int | None:
    """
    Drives of one erasure set as the server itself chooses; None where it refuses to start.

    Formula:  largest s of 2 to 16 with servers * drives mod s = 0 and symmetric(servers, s); 1 for a single drive
    Source:   github.com/minio/minio, cmd/endpoint-ellipses.go, getSetIndexes (2026-11-29)

    >>> set_size(servers=8, drives=16), set_size(servers=10, drives=24), set_size(servers=17, drives=4)
    (16, 10, None)
    """
    total = servers * drives
    if total == 1:
        return 1
    fitting = (size for size in reversed(SIZES) if total % size == 0 and symmetric(servers=servers, size=size))
    return next(fitting, None) if total > 0 else None


def default_parity(size: int) -> int:
    """
    Parity drives of a set where nothing is said: EC:4 from eight drives on.

    Formula:  0, 1, 2, 3, 4 for sets of 1, 2-3, 4-5, 6-7, 8-16 drives
    Source:   github.com/minio/minio, internal/config/storageclass/storage-class.go, DefaultParityBlocks (2026-11-29)

    >>> [default_parity(size) for size in (1, 3, 4, 7, 16)]
    [0, 1, 2, 3, 4]
    """
    return min(4, size // 2) if size > 1 else 0


def write_quorum(*, size: int, parity: int) -> int:
    """
    Drives of a set that must take a write: all data units, one more where data and parity are alike.

    Formula:  size - parity, plus 1 where 2 * parity = size
    Source:   github.com/minio/minio, cmd/erasure-object.go (2026-11-29)

    >>> write_quorum(size=16, parity=4), write_quorum(size=8, parity=4)
    (12, 5)
    """
    return size - parity + (1 if 2 * parity == size and parity > 0 else 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Servers with equal drives, cut into sets of one size."""

    servers: int
    drives: int
    size: int
    parity: int

    @property
    def sets(self) -> int:
        """Erasure sets of the pool."""
        return self.servers * self.drives // self.size if self.size > 0 else 0

    @property
    def servers_per_set(self) -> int:
        """Servers that one set lies on."""
        return max(1, min(self.servers, self.size))

    @property
    def drives_on_server(self) -> int:
        """Drives of one set on one server, at most."""
        return -(-self.size // self.servers_per_set)

    @property
    def write_quorum(self) -> int:
        """Drives of a set that must take a write."""
        return write_quorum(size=self.size, parity=self.parity)

    def drives_lost(self, *, servers: int, racks_lost: int = 0, racks: int = 1) -> int:
        """
        Drives of one set that losses take at the worst.

        Formula:  drives_on_server * (servers + racks_lost * ceil(servers_per_set / racks)), at most all
        Assumes:  servers named in turn over the racks, so that neighbours in a set stand apart
        """
        in_rack = -(-self.servers_per_set // max(1, racks))
        whole = racks_lost > 0 and racks_lost >= racks
        return self.size if whole else min(self.size, self.drives_on_server * (servers + racks_lost * in_rack))

    @property
    def servers_to_read(self) -> int:
        """
        Servers that may be lost at once with all data readable.

        Formula:  parity // drives_on_server
        Source:   github.com/minio/minio, docs/distributed/SIZING.md (2026-11-29)
        """
        return self.parity // self.drives_on_server

    @property
    def servers_to_write(self) -> int:
        """
        Servers that may be lost at once while writes go on.

        Formula:  (size - write_quorum) // drives_on_server
        Source:   github.com/minio/minio, docs/distributed/SIZING.md (2026-11-29)
        """
        return (self.size - self.write_quorum) // self.drives_on_server


def server_counts(*, size: int, drives: int, start: int, override: bool = False) -> Iterator[int]:
    """
    Server counts from `start` on of which the store makes sets of this size, upwards; a few hundred looked at.

    With `override` (MINIO_ERASURE_SET_DRIVE_COUNT) any count will do whose drives the size divides.

    >>> list(server_counts(size=16, drives=24, start=5))[:4]
    [8, 16, 32, 48]
    """
    if size not in SIZES or drives < 1:
        return
    if override:
        step = next(count for count in range(1, size + 1) if count * drives % size == 0)
        first = max(1, -(-start // step)) * step
        yield from range(first, first + 64 * step, step)
        return
    for servers in range(max(1, start), size):
        if size % servers == 0 and set_size(servers=servers, drives=drives) == size:
            yield servers
    first = max(1, -(-start // size)) * size
    for servers in range(first, first + 64 * size, size):
        if set_size(servers=servers, drives=drives) == size:
            yield servers


def legal_near(*, servers: int, drives: int) -> tuple[int, int]:
    """
    The nearest server counts below and above that a store starts with; 0 where there is none.

    >>> legal_near(servers=17, drives=4)
    (16, 18)
    """
    fits = [count for count in range(max(1, servers - 16), servers + 17) if set_size(servers=count, drives=drives)]
    below = max((count for count in fits if count < servers), default=0)
    return below, min((count for count in fits if count > servers), default=0)


def memory_advised(raw: Size) -> Size:
    """
    Memory of a server by the drives in it.

    Formula:  8, 16, 32, 64 GiB up to 1, 10, 100, 1024 TiB, else 128 GiB
    Source:   github.com/minio/docs, source/operations/checklists/hardware.rst (2026-11-29)

    >>> memory_advised(Size(480e12)).show("GiB")
    '64 GiB'
    """
    gib = next((gib for tib, gib in HOST_MEMORY if raw.bytes <= tib * 2.0**40), MOST_MEMORY)
    return Size(gib * 2.0**30)


def requests_held(*, memory: Size, drives: int) -> int:
    """
    Requests that one server serves at once in the memory that it has.

    Formula:  memory / ((2 MiB + 128 KiB) * drives + 2 * 10 MiB + 2 * 1 MiB)
    Source:   github.com/minio/docs, source/operations/checklists/hardware.rst (2026-11-29)

    >>> requests_held(memory=Size(64 * 2.0**30), drives=4)
    2149
    """
    return round(memory.bytes / ((2 + 0.125) * MEBI * drives + 22 * MEBI))
