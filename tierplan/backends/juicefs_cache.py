"""JuiceFS client cache: blocks of a JuiceFS volume on the drives of one GPU node, for that node alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option
from tierplan.backends._local import COMMON, LocalProduct, local_model, media, path_fault, range_fault, reads_at_most
from tierplan.backends._sizing import Model
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue
from tierplan.domain.tiers import Illegal, TierConfig, TierPlan
from tierplan.units import Bandwidth, Duration, Size

OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    "volume": str,
    "metadata_url": str,
    "storage": str,
    "bucket": str,
    "volume_mount": str,
    "free_space_ratio": float,
    "write_back": bool,
    "buffer_size": Size,
    "client_cores": int,
}
BUFFER = Size(4.0 * 2**30)
FREE_SPACE = 0.1
STAGING_FREE_SPACE = 0.05
VOLUME_MOUNT = "/mnt/juicefs"


def full_limit(*, free_space_ratio: float) -> float:
    """
    Share of a cache drive that JuiceFS fills with cached blocks.

    Formula:  1 - free_space_ratio
    Assumes:  blocks that wait for their upload (write-back) may take half of the rest
    Source:   github.com/juicedata/juicefs, docs/en/guide/cache.md (checked 2026-11-29)

    >>> full_limit(free_space_ratio=0.1)
    0.9
    """
    return 1 - min(1.0, max(0.0, free_space_ratio))


def client_bandwidth(*, per_core: Bandwidth, cores: int, most: Bandwidth) -> Bandwidth:
    """
    What one mount reads from its warm cache.

    Formula:  min(per_core * cores, most)
    Assumes:  the mount process is bound by its cores; above `most` nothing was measured
    Source:   derived from elbencho on juicefs 1.4.2 with two cores (checked 2026-11-29)

    >>> client_bandwidth(per_core=Bandwidth(1e9), cores=8, most=Bandwidth(10e9)).show()
    '8 GB/s'
    """
    return min(per_core * max(0, cores), most)


def warm_up_time(*, size: Size, bandwidth: Bandwidth) -> Duration:
    """
    Time in which `juicefs warmup` fills the cache of one node.

    Formula:  size / bandwidth
    Assumes:  bandwidth is what one client gets of the store: see `concurrent_bandwidth` of the volume

    >>> warm_up_time(size=Size(10e12), bandwidth=Bandwidth(2e9)).show()
    '1.39 h'
    """
    return size / bandwidth


def free_space_ratio(options: Mapping[str, OptionValue]) -> float:
    """The stack's word, else the product's default."""
    word = option(options, "free_space_ratio", float)
    return FREE_SPACE if word is None else word


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The arrays, below what one mount process reads."""
    cores = option(config.options, "client_cores", int)
    cores = int(used["client_cores"]) if cores is None else cores
    drives, most = media(config, used), used.quantity(Bandwidth, "client_bandwidth")
    mount = reads_at_most(
        drives,
        "cpu",
        client_bandwidth(per_core=used.quantity(Bandwidth, "client_per_core"), cores=cores, most=most),
        read_high=client_bandwidth(per_core=used.quantity_high(Bandwidth, "client_per_core"), cores=cores, most=most),
    )
    limit = full_limit(free_space_ratio=free_space_ratio(config.options))
    return local_model(config, need, used, mount, full_limit=limit)


def faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:  # noqa: ARG001  # as every product's
    """JuiceFS's own words in range, and writes that one drive alone would hold."""
    yield from range_fault(
        config, "free_space_ratio", option(config.options, "free_space_ratio", float), least=0.0, most=0.99
    )
    yield from range_fault(config, "client_cores", option(config.options, "client_cores", int), least=1, most=1024)
    yield from path_fault(config, "volume_mount")
    volume = option(config.options, "volume", str)
    if volume is not None and not volume_ok(volume):
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"juicefs-cache: volume {volume[:70]!r}; 3 to 63 letters, digits and hyphens",
            remedy="write volume: data",
        )
    if option(config.options, "write_back", bool):
        yield Illegal(
            policy="local-refetchable",
            message="juicefs-cache: write_back acknowledges what one drive of one GPU node alone holds until it is "
            "uploaded; 1 such place, 0 are allowed",
            remedy="write write_back: false; the store then has it before the writer goes on",
            required=0,
            planned=1,
        )


def volume_ok(name: str) -> bool:
    """
    Whether JuiceFS takes this as the name of a volume.

    >>> volume_ok("data"), volume_ok("ab"), volume_ok("a_b")
    (True, False, False)
    """
    plain = all(part.isalnum() and part.isascii() for part in name.split("-"))
    return 3 <= len(name) <= 63 and plain


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:  # noqa: ARG001  # as every product's
    """What a reader should know beside the figures."""
    share = full_limit(free_space_ratio=free_space_ratio(config.options))
    return (
        "the cache of the community edition belongs to one client: each node reads its own copy of a dataset once",
        f"cached blocks fill {share:.0%} of each drive at most; no GPUDirect Storage through FUSE",
    )


def context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    """What format, mount and warm-up need: volume, storage, bucket, volume_mount, buffer_mib, free_space_ratio, …"""
    options = plan.config.options
    return {
        "volume": option(options, "volume", str) or "data",
        "metadata_url": option(options, "metadata_url", str) or "",
        "storage": option(options, "storage", str) or "s3",
        "bucket": option(options, "bucket", str) or "",
        "volume_mount": option(options, "volume_mount", str) or VOLUME_MOUNT,
        "buffer_mib": math.floor((option(options, "buffer_size", Size) or BUFFER).bytes / 2**20),
        "free_space_ratio": f"{free_space_ratio(options):g}",
        "write_back": option(options, "write_back", bool) or False,
        "quota_percent": math.ceil(100 / max(0.01, full_limit(free_space_ratio=free_space_ratio(options)))),
    }


BACKEND: Backend = LocalProduct(
    id="juicefs-cache",
    options=OPTIONS,
    arrays="per-drive",
    model=model,
    faults=faults,
    notes=notes,
    context=context,
)
