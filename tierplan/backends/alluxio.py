"""Alluxio 2.9: one cache over the drives of all GPU nodes, in front of a store beneath, read through FUSE."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue, _cache_alluxio
from tierplan.backends._choosing import OptionKind, Relied, option
from tierplan.backends._local import COMMON, LocalProduct, local_model, path_fault, word_fault
from tierplan.backends._sizing import Model
from tierplan.domain.hosts import host_name_ok
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig, TierPlan
from tierplan.units import Size

OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    "masters": tuple,
    "workers": tuple,
    "under_store": str,
    "s3_endpoint": str,
    "worker_memory": Size,
    "eviction": str,
    "fuse_mount": str,
}
EVICTION = ("LRU", "LRFU")
FUSE_MOUNT = "/mnt/alluxio"


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The arrays, below what one FUSE mount and the ports between the nodes carry."""
    return local_model(config, need, used, *_cache_alluxio.ceilings(config, need, used))


def faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:  # noqa: ARG001  # as every product's
    """Alluxio's own words: masters that agree, names that are some, memory that is there."""
    policy = f"{config.tier}-layout"
    yield from word_fault(config, "eviction", EVICTION)
    yield from path_fault(config, "fuse_mount")
    for path in ("masters", "workers"):
        names = option(config.options, path, tuple)
        wrong = [one for one in names or () if not isinstance(one, str) or not host_name_ok(one)]
        if wrong:
            message = f"alluxio: {path}: {str(wrong[0])[:60]!r} is no host name"
            yield Illegal(policy=policy, message=message, remedy=f"write {path} as a list of host names")
    masters = option(config.options, "masters", tuple)
    if masters is not None and len(masters) not in _cache_alluxio.MASTERS:
        yield Illegal(
            policy=policy,
            message=f"alluxio: {len(masters)} masters; the embedded journal needs an odd number, 1, 3 or 5",
            remedy="name 3 masters: one may then be lost",
            required=3,
            planned=len(masters),
        )
    memory = option(config.options, "worker_memory", Size)
    if memory is not None and memory > config.node.memory:
        yield Illegal(
            policy=policy,
            message=f"alluxio: worker_memory {memory.show()} of a host memory of {config.node.memory.show()}",
            remedy="leave worker_memory out: the drives are the cache",
            required=config.node.memory.bytes,
            planned=memory.bytes,
            unit="bytes",
        )


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:  # noqa: ARG001  # as every product's
    """What a reader should know beside the figures."""
    share = _cache_alluxio.remote_share(nodes=config.nodes)
    return (
        f"one cache over all nodes: {share:.0%} of a node's reads come from other nodes, through its storage ports",
        "the FUSE figure is of the enterprise edition; 2.9 is planned to reach it: measure before relying on it",
        "no GPUDirect Storage through FUSE; torch.load reads the mount, not alluxio:// addresses",
    )


def context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    """What Alluxio's files need: masters, workers, under_store, s3_endpoint, memory_mib, eviction, fuse_mount."""
    options = plan.config.options
    masters = [one for one in option(options, "masters", tuple) or () if isinstance(one, str)]
    workers = [one for one in option(options, "workers", tuple) or () if isinstance(one, str)]
    examples = [path for path, names in (("masters", masters), ("workers", workers)) if not names]
    memory = option(options, "worker_memory", Size)
    return {
        "masters": masters or [f"alluxio-master-{index + 1}" for index in range(3)],
        "workers": workers or [f"gpu-{index + 1}" for index in range(plan.config.nodes)],
        "software_examples": examples,
        "under_store": option(options, "under_store", str) or "",
        "s3_endpoint": option(options, "s3_endpoint", str) or "",
        "memory_mib": int(memory.bytes / 2**20) if memory is not None else 0,
        "eviction": option(options, "eviction", str) or "LRU",
        "fuse_mount": option(options, "fuse_mount", str) or FUSE_MOUNT,
    }


BACKEND: Backend = LocalProduct(
    id="alluxio", options=OPTIONS, arrays="per-drive", model=model, faults=faults, notes=notes, context=context
)
