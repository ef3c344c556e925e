"""Sessions kept off the GPU as loads: where they are placed, how they come back, what is written."""

from __future__ import annotations

from dataclasses import dataclass

from tierplan.demand import checkpoint, kv_cache
from tierplan.demand.sheet import Asked, Sheet, Stored, together
from tierplan.domain.figures import Known
from tierplan.domain.need import Load, Tier, TimeTarget
from tierplan.domain.stack import KvCache
from tierplan.errors import InputError
from tierplan.units import Bandwidth, Size


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """How much of the sessions each place holds."""

    nodes: Known[int]
    token: Known[Size]
    session: Known[Size]
    total: Known[Size]
    host: Known[Size]
    local: Known[Size]
    shared: Known[Size]


def kv_caches(sheet: Sheet, work: KvCache, *, room: Known[Size], staged: Known[Size]) -> Asked:
    """
    What sessions ask of the tiers.

    `room` is what a GPU node's drives have for them, `staged` what checkpoints take of its host memory.
    """
    placed = _placed(sheet, work, room, staged)
    _hits(sheet, work, placed)
    write = sheet.figure(
        "kv_cache.write_bytes_per_s",
        kv_cache.write_bandwidth,
        new_tokens_per_s=sheet.given(work.new_tokens_per_s, "new_tokens_per_s"),
        bytes_per_token=placed.token,
    )
    local = _local(sheet, work, placed, write.value)
    shared = _shared(sheet, work, placed, write.value)
    return together(local, shared)


def bytes_per_token(sheet: Sheet, work: KvCache) -> Known[Size]:
    """
    The figure of what one token leaves behind, by the kind of attention.

    Raises:   InputError if the model's shape is not complete
    """
    shape = work.model
    layers = sheet.given(shape.layers, "model.layers")
    element = sheet.given(shape.bytes_per_element, "model.bytes_per_element")
    if shape.latent_dimension is not None:
        return sheet.figure(
            "kv_cache.bytes_per_token",
            kv_cache.latent_token_bytes,
            layers=layers,
            latent_dimension=sheet.given(shape.latent_dimension, "model.latent_dimension"),
            bytes_per_element=element,
        )
    if shape.kv_heads is None or shape.head_dimension is None:
        message = f"{sheet.path}.model: give kv_heads and head_dimension, or latent_dimension"
        raise InputError(message)
    return sheet.figure(
        "kv_cache.bytes_per_token",
        kv_cache.token_bytes,
        layers=layers,
        kv_heads=sheet.given(shape.kv_heads, "model.kv_heads"),
        head_dimension=sheet.given(shape.head_dimension, "model.head_dimension"),
        bytes_per_element=element,
    )


def _placed(sheet: Sheet, work: KvCache, room: Known[Size], staged: Known[Size]) -> Placed:
    token = bytes_per_token(sheet, work)
    context, sessions = sheet.given(work.context, "context"), sheet.given(work.sessions, "sessions")
    session = sheet.figure("kv_cache.session_bytes", kv_cache.session_bytes, bytes_per_token=token, context=context)
    total = sheet.figure("kv_cache.working_set_bytes", kv_cache.working_set, session_bytes=session, sessions=sessions)
    cluster = sheet.stack.cluster
    nodes = (
        sheet.given(work.gpu_nodes, "gpu_nodes")
        if work.gpu_nodes is not None
        else sheet.of_stack(cluster.gpu_nodes, "cluster.gpu_nodes")
    )
    host = _in_host(sheet, work, total, nodes, staged)
    local = _on_local(sheet, work, total=total, host=host, nodes=nodes, room=room)
    shared = sheet.figure(
        "kv_cache.shared_bytes", kv_cache.remaining, working_set=total, host_bytes=host, local_bytes=local
    )
    return Placed(nodes=nodes, token=token, session=session, total=total, host=host, local=local, shared=shared)


def _in_host(sheet: Sheet, work: KvCache, total: Known[Size], nodes: Known[int], staged: Known[Size]) -> Known[Size]:
    if "host-memory" not in work.placement:
        return Known(Size.zero(), sheet.stack.origin(f"{sheet.path}.placement"))
    space = sheet.figure(
        "kv_cache.host_space_bytes",
        kv_cache.host_space,
        host_memory=sheet.of_stack(sheet.stack.cluster.host_memory, "cluster.host_memory"),
        gpu_nodes=nodes,
        share=Known(kv_cache.HOST_SHARE, "constant"),
        staged=staged,
    )
    return sheet.figure("kv_cache.host_bytes", kv_cache.placed, rest=total, space=space)


def _on_local(
    sheet: Sheet, work: KvCache, *, total: Known[Size], host: Known[Size], nodes: Known[int], room: Known[Size]
) -> Known[Size]:
    if "local" not in work.placement or not sheet.permits("kv-cache"):
        return Known(Size.zero(), sheet.stack.origin(f"{sheet.path}.placement"))
    nothing = Known(Size.zero(), "constant")
    rest = sheet.figure(
        "kv_cache.below_host_bytes", kv_cache.remaining, working_set=total, host_bytes=host, local_bytes=nothing
    )
    space = sheet.figure("kv_cache.local_space_bytes", kv_cache.local_space, node_space=room, gpu_nodes=nodes)
    return sheet.figure("kv_cache.local_bytes", kv_cache.placed, rest=rest, space=space)


def _local(sheet: Sheet, work: KvCache, placed: Placed, write: Bandwidth) -> Asked:
    """What the local drives hold and carry: the first place below the host memory takes every new token."""
    if not placed.local.value:
        return Asked()
    nodes = placed.nodes.value
    held = sheet.figure(
        "kv_cache.local_bytes_per_node", kv_cache.node_share, local_bytes=placed.local, gpu_nodes=placed.nodes
    )
    read = sheet.figure(
        "kv_cache.local_read_bytes_per_s",
        kv_cache.read_bandwidth,
        resumes=sheet.given(work.resumes, "resumes"),
        session_bytes=placed.session,
        held=placed.local,
        working_set=placed.total,
    )
    load_id = f"{work.name}.kv_cache"
    reads = Load(
        id=load_id,
        tier="local",
        when="continuous",
        node_read=read.value / nodes,
        nodes=nodes,
        because=f"{load_id}: {held.value.show()} of sessions on each of {nodes} serving nodes",
    )
    writes = Load(
        id=f"{load_id}.write",
        tier="local",
        when="continuous",
        node_write=write / nodes,
        nodes=nodes,
        because=f"{load_id}: {write.show()} of new tokens over {nodes} serving nodes",
    )
    last = not placed.shared.value
    return Asked(
        loads=(reads, writes, *_burst(sheet, work, placed, reads)),
        on_node={load_id: held},
        targets=(_target(work, placed, "local"),) if last else (),
        written={"local": write / nodes * checkpoint.DAY},
    )


def _shared(sheet: Sheet, work: KvCache, placed: Placed, write: Bandwidth) -> Asked:
    """What the shared tier holds and carries: the sessions that no place above has room for."""
    tier, load_id, nodes = sheet.shared, f"{work.name}.kv_cache", placed.nodes.value
    held = placed.shared if "hot" in work.placement else Known(Size.zero(), "constant")
    read = sheet.figure(
        "kv_cache.read_bytes_per_s",
        kv_cache.read_bandwidth,
        resumes=sheet.given(work.resumes, "resumes"),
        session_bytes=placed.session,
        held=held,
        working_set=placed.total,
    )
    if not held.value:
        return Asked()
    share = held.value / placed.total.value if placed.local.value else 1.0
    reads = Load(
        id=load_id,
        tier=tier,
        when="continuous",
        read=read.value,
        node_read=read.value / nodes,
        because=f"{load_id}: {held.value.show()} of {placed.total.value.show()} of sessions lie on the {tier} tier",
    )
    writes = Load(
        id=f"{load_id}.write",
        tier=tier,
        when="continuous",
        write=write * share,
        node_write=write * (share / nodes),
        because=f"{load_id}: {(write * share).show()} of new tokens",
    )
    return Asked(
        loads=(reads, writes, *_burst(sheet, work, placed, reads)),
        stored=(Stored(kind="kv_cache", tier=tier, workload=work.name, size=held),),
        targets=(_target(work, placed, tier),),
        written={tier: write * share * checkpoint.DAY},
    )


def _burst(sheet: Sheet, work: KvCache, placed: Placed, reads: Load) -> tuple[Load, ...]:
    """One session comes back in time, also where resumes are so rare that their mean asks for less."""
    one = sheet.figure(
        "kv_cache.local_one_session_bytes_per_s" if reads.tier == "local" else "kv_cache.one_session_bytes_per_s",
        kv_cache.one_session_bandwidth,
        session_bytes=placed.session,
        reload_within=sheet.given(work.reload_within, "reload_within"),
        first_byte=Known(kv_cache.FIRST_BYTE[reads.tier], "constant"),
    )
    if one.value <= reads.node_read:
        return ()
    local = reads.tier == "local"
    return (
        Load(
            id=f"{reads.id}.reload",
            tier=reads.tier,
            when="burst",
            phase="kv_reload",
            read=Bandwidth.zero() if local else max(one.value, reads.read),
            node_read=one.value,
            nodes=reads.nodes,
            pauses=(reads.id,),
            because=f"{reads.id}: one session of {placed.session.value.show()} within {work.reload_within.show()}",
        ),
    )


def _hits(sheet: Sheet, work: KvCache, placed: Placed) -> None:
    """The figures of what each place is assumed to serve, and of the rate above which loading pays at all."""
    shared = placed.shared if "hot" in work.placement else Known(Size.zero(), "constant")
    for place, held in (("host", placed.host), ("local", placed.local), ("shared", shared)):
        if held.value:
            sheet.figure(f"kv_cache.{place}_hit_fraction", kv_cache.held_fraction, held=held, working_set=placed.total)
    if work.prefill_tokens_per_s is not None:
        sheet.figure(
            "kv_cache.break_even_bytes_per_s",
            kv_cache.break_even,
            bytes_per_token=placed.token,
            prefill_tokens_per_s=sheet.given(work.prefill_tokens_per_s, "prefill_tokens_per_s"),
        )


def _target(work: KvCache, placed: Placed, tier: Tier) -> TimeTarget:
    return TimeTarget(
        policy="kv-reload-time",
        figure=f"{work.name}.kv_cache.reload_s",
        within_s=work.reload_within.s,
        volume=placed.session.value,
        tier=tier,
    )
