"""Mooncake Store: one pool of sessions over the host memory and the drives of all serving nodes, by RDMA."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option
from tierplan.backends._local import COMMON, LocalProduct, local_model, media, reads_at_most, word_fault
from tierplan.backends._sizing import Model
from tierplan.domain.hosts import host_name_ok
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig, TierPlan
from tierplan.units import Size

OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    "master": str,
    "protocol": str,
    "devices": str,
    "segment_size": Size,
    "local_buffer": Size,
    "eviction": str,
    "model": str,
    "engine": str,
}
PROTOCOLS = ("rdma", "tcp")
EVICTION = ("fifo", "lru")
ENGINES = ("vllm", "sglang")
LOCAL_BUFFER = Size(1.0 * 2**30)
SEGMENT_SHARE = 0.5
"""Of the host memory: what the plan gives sessions there."""


def protocol(config: TierConfig, need: TierNeed) -> str:
    """The stack's word, else RDMA where the storage ports have it."""
    word = option(config.options, "protocol", str)
    return word if word in PROTOCOLS else ("tcp" if need.clients.transport == "tcp" else "rdma")


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The arrays, of which objects get a part, and what the transfer engine moves between nodes."""
    drives, share = media(config, used), used["object_read_fraction"]
    high = drives.read if drives.read_high is None else drives.read_high
    objects = reads_at_most(drives, "protocol", drives.read * share, read_high=high * share)
    by = {"rdma": used["rdma_network_share"], "tcp": used["tcp_network_share"]}
    ports = reads_at_most(drives, "node ports", need.clients.network * by[protocol(config, need)])
    return local_model(config, need, used, objects, ports)


def faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:  # noqa: ARG001  # as every product's
    """Mooncake's own words: a transport that is there, a segment that fits, a master that has a name."""
    policy = f"{config.tier}-layout"
    yield from word_fault(config, "protocol", PROTOCOLS)
    yield from word_fault(config, "eviction", EVICTION)
    yield from word_fault(config, "engine", ENGINES)
    if option(config.options, "protocol", str) == "rdma" and need.clients.transport == "tcp":
        message = "mooncake: protocol rdma over storage ports of transport tcp"
        yield Illegal(policy=policy, message=message, remedy="write protocol: tcp, or state infiniband or roce")
    master = option(config.options, "master", str)
    if master is not None and not host_name_ok(master):
        message = f"mooncake: master {master[:60]!r} is no host name"
        yield Illegal(policy=policy, message=message, remedy="write the host name or the address of the master")
    segment = option(config.options, "segment_size", Size)
    if segment is not None and segment > config.node.memory * SEGMENT_SHARE:
        most = config.node.memory * SEGMENT_SHARE
        yield Illegal(
            policy=policy,
            message=f"mooncake: segment_size {segment.show()} a node; sessions get {most.show()} of the host memory",
            remedy=f'write segment_size: "{int(most.bytes / 2**30)} GiB" or less',
            required=most.bytes,
            planned=segment.bytes,
            unit="bytes",
        )


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:  # noqa: ARG001  # as every product's
    """What a reader should know beside the figures."""
    return (
        f"one pool over all serving nodes by {protocol(config, need)}: a session may lie on another node",
        "hits are assumed: every session comes back equally often, and whole",
        "a lost node takes its sessions with it; they are computed again (kv_load_failure_policy recompute)",
    )


def context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    """What Mooncake's files need: master, protocol, devices, segment_bytes, local_buffer_bytes, eviction, …"""
    options, need = plan.config.options, plan.need
    segment = option(options, "segment_size", Size)
    buffer = option(options, "local_buffer", Size) or LOCAL_BUFFER
    master = option(options, "master", str)
    return {
        "master": master or "mooncake-master",
        "software_examples": [] if master else ["master"],
        "protocol": protocol(plan.config, need),
        "devices": option(options, "devices", str) or "",
        "segment_bytes": int(segment.bytes) if segment is not None else 0,
        "local_buffer_bytes": int(buffer.bytes),
        "eviction": option(options, "eviction", str) or "lru",
        "model": option(options, "model", str) or "",
        "engine": option(options, "engine", str) or ENGINES[0],
    }


BACKEND: Backend = LocalProduct(
    id="mooncake", options=OPTIONS, arrays="raid0", model=model, faults=faults, notes=notes, context=context
)
