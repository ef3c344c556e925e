"""CephFS: its metadata servers, and what small files cost in its pools."""

from __future__ import annotations

from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Factor, Layout, TierConfig
from tierplan.units import OpRate, Size

STRIPE_UNIT, OPTIMIZED_STRIPE_UNIT = Size(4.0 * 2**10), Size(16.0 * 2**10)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetadataServers:
    """Active and standby metadata servers, one on a host at most, and the cache of each."""

    active: int
    standby: int
    cache: Size
    memory: Size
    """What one daemon takes, cache included."""


def active_mds(*, op_rate: OpRate, per_mds: OpRate, cached: Size, cache: Size) -> int:
    """
    Active metadata servers that carry an op rate and keep the files in use in memory.

    Formula:  max(1, ceil(op_rate / per_mds), ceil(cached / cache))
    Assumes:  directories are spread over the ranks by pins, so that the op rate grows with their number

    >>> active_mds(op_rate=OpRate(20_000.0), per_mds=OpRate(3000.0), cached=Size(40e9), cache=Size(32e9))
    7
    """
    return max(1, nodes_for(op_rate, per_mds), nodes_for(cached, cache))


def cached_metadata(*, files: float, inode_memory: Size) -> Size:
    """
    Memory of the files that are in use at one time.

    Formula:  files * inode_memory
    Source:   github.com/ceph/ceph, doc/cephfs/cache-configuration.rst; bytes of one file assumed (2026-11-29)

    >>> cached_metadata(files=50e6, inode_memory=Size(4000.0)).show("GB")
    '200 GB'
    """
    return inode_memory * files


def mds_memory(*, cached: Size, actives: int, cache_share: float) -> Size:
    """
    Memory of one metadata server: its cache is a share of what the daemon takes.

    Formula:  cached / (actives * cache_share)
    Source:   github.com/ceph/ceph, doc/cephfs/cache-configuration.rst; Rook, CephFilesystem (2026-11-29)

    >>> mds_memory(cached=Size(200e9), actives=2, cache_share=0.6).show("GB", 3)
    '167 GB'
    """
    return cached / (max(1, actives) * cache_share)


def padded_fraction(*, file: Size, step: Size) -> float:
    """
    Share of the space of files that their bytes take: each file fills its last step only in part.

    Formula:  file / (file + step / 2)
    Assumes:  file sizes end anywhere within a step

    >>> round(padded_fraction(file=Size(1e6), step=Size(16384.0)), 4)
    0.9919
    """
    return file.bytes / (file.bytes + step.bytes / 2) if file.bytes > 0 else 1.0


def stripe_unit(config: TierConfig) -> Size:
    """The stack's word, else Ceph's default, which is four times as large for an optimized code."""
    optimized = option(config.options, "optimized_code", bool) or False
    return option(config.options, "stripe_unit", Size) or (OPTIMIZED_STRIPE_UNIT if optimized else STRIPE_UNIT)


def padding_step(config: TierConfig) -> Size:
    """What a file's last bytes are rounded up to: a stripe; a stripe unit where the code is optimized or copies lie."""
    layout: Layout = config.layout
    if layout.kind != "erasure-code":
        return STRIPE_UNIT
    whole = 1 if option(config.options, "optimized_code", bool) else max(1, layout.data_units)
    return stripe_unit(config) * whole


def padding(config: TierConfig, need: TierNeed) -> tuple[Factor, ...]:
    """The step of `padded_fraction`, where the need says how many files there are."""
    if need.files <= 0 or need.capacity.bytes <= 0:
        return ()
    file = need.capacity / need.files
    fraction = padded_fraction(file=file, step=padding_step(config))
    return (Factor(name=f"padding of files of {file.show()}", fraction=fraction, basis="derived"),)


def metadata_servers(config: TierConfig, need: TierNeed, used: Relied) -> MetadataServers:
    """The stack's word for the counts, else as many as op rate and files in use ask for."""
    cached = cached_metadata(
        files=need.files * used["hot_file_share"], inode_memory=used.quantity(Size, "inode_memory")
    )
    largest, least = used.quantity(Size, "mds_cache"), used.quantity(Size, "least_mds_cache")
    active = option(config.options, "active_mds", int)
    if active is None:
        per_mds = used.quantity(OpRate, "mds_op_rate")
        active = active_mds(op_rate=need.op_rate, per_mds=per_mds, cached=cached, cache=largest)
    standby = option(config.options, "standby_mds", int)
    if standby is None:  # one for each that may be lost
        standby = max(int(used["least_standby_mds"]), need.survive.nodes + need.survive.racks)
    cache = min(largest, max(least, cached / max(1, active)))
    memory = mds_memory(cached=cache, actives=1, cache_share=used["mds_cache_share"])
    return MetadataServers(active=max(0, active), standby=max(0, standby), cache=cache, memory=memory)
