"""Sessions kept off the GPU: bytes per token, where they fit, how fast they come back, when that pays."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, OpRate, Size

HOST_SHARE = 0.5
"""Share of the host memory that sessions may take: assumed."""
NO_TIME = Duration(0.0)
FIRST_BYTE: Mapping[str, Duration] = {"local": Duration(0.001), "hot": Duration(0.01), "cold": Duration(0.1)}
"""Until the first byte of a session comes: lookup, open, and the way to the place. Assumed."""


def token_bytes(*, layers: int, kv_heads: int, head_dimension: int, bytes_per_element: float) -> Size:
    """
    What one token leaves in the KV cache, with multi-head or grouped-query attention.

    Formula:  2 * layers * kv_heads * head_dimension * bytes_per_element
    Assumes:  keys and values of every layer, full attention
    Source:   definition; model configurations in pytorch/torchtitan: torchtitan/models (checked 2026-11-29)

    >>> token_bytes(layers=80, kv_heads=8, head_dimension=128, bytes_per_element=2).show("B", digits=6)
    '327,680 B'
    """
    return Size(2.0 * layers * kv_heads * head_dimension * bytes_per_element)


def latent_token_bytes(*, layers: int, latent_dimension: int, bytes_per_element: float) -> Size:
    """
    What one token leaves in the KV cache, with multi-latent attention.

    Formula:  layers * latent_dimension * bytes_per_element
    Assumes:  latent_dimension holds the compressed part and the rotary part (512 + 64 in DeepSeek-V3); stored once
    Source:   definition; model configurations in pytorch/torchtitan: torchtitan/models (checked 2026-11-29)

    >>> latent_token_bytes(layers=61, latent_dimension=576, bytes_per_element=2).show("B", digits=5)
    '70,272 B'
    """
    return Size(layers * latent_dimension * bytes_per_element)


def windowed_bytes(*, tokens: int, full_layers: int, window_layers: int, window: int, layer_bytes: Size) -> Size:
    """
    What a session leaves in the KV cache where some layers attend to a window only.

    Formula:  (full_layers*tokens + window_layers*min(tokens, window)) * layer_bytes
    Assumes:  layer_bytes is of one token and one layer
    Source:   definition; gpt-oss in pytorch/torchtitan: torchtitan/models (checked 2026-11-29)

    >>> windowed_bytes(tokens=131_072, full_layers=18, window_layers=18, window=128, layer_bytes=Size(2048)).show("GiB")
    '4.5 GiB'
    """
    return layer_bytes * (full_layers * tokens + window_layers * min(tokens, window))


def session_bytes(*, bytes_per_token: Size, context: int) -> Size:
    """
    What one session leaves in the KV cache.

    Formula:  bytes_per_token * context
    Assumes:  the context is full
    Source:   definition (checked 2026-11-29)

    >>> session_bytes(bytes_per_token=Size(327_680), context=131_072).show("GiB")
    '40 GiB'
    """
    return bytes_per_token * context


def working_set(*, session_bytes: Size, sessions: int) -> Size:
    """
    What all sessions kept off the GPU take.

    Formula:  session_bytes * sessions
    Assumes:  no prefix is shared between sessions
    Source:   definition (checked 2026-11-29)

    >>> working_set(session_bytes=Size(42_949_672_960), sessions=500).show()
    '21.5 TB'
    """
    return session_bytes * sessions


def host_space(*, host_memory: Size, gpu_nodes: int, share: float, staged: Size) -> Size:
    """
    What the host memory of the serving nodes holds of the sessions.

    Formula:  gpu_nodes * max(0, host_memory * share - staged)
    Assumes:  half of the host memory; the rest is the system, the server and its buffers
    Source:   assumed (checked 2026-11-29)

    >>> host_space(host_memory=Size(2 * 2**40), gpu_nodes=16, share=0.5, staged=Size(0)).show()
    '17.6 TB'
    """
    return Size(gpu_nodes * max(0.0, host_memory.bytes * share - staged.bytes))


def local_space(*, node_space: Size, gpu_nodes: int) -> Size:
    """
    What the drives of the serving nodes hold of the sessions.

    Formula:  node_space * gpu_nodes
    Assumes:  sessions are spread evenly, and stay on the node that serves them
    Source:   definition (checked 2026-11-29)

    >>> local_space(node_space=Size(24.6e12), gpu_nodes=16).show()
    '394 TB'
    """
    return node_space * gpu_nodes


def placed(*, rest: Size, space: Size) -> Size:
    """
    What one place takes of the sessions that places above it do not hold.

    Formula:  min(rest, space)
    Assumes:  a higher place is filled before a lower one
    Source:   definition (checked 2026-11-29)

    >>> placed(rest=Size(3.9e12), space=Size(393e12)).show()
    '3.9 TB'
    """
    return min(rest, space)


def remaining(*, working_set: Size, host_bytes: Size, local_bytes: Size) -> Size:
    """
    What is left for the shared tier.

    Formula:  max(0, working_set - host_bytes - local_bytes)
    Assumes:  no copy is kept below the place that holds a session
    Source:   definition (checked 2026-11-29)

    >>> remaining(working_set=Size(21.5e12), host_bytes=Size(17.6e12), local_bytes=Size(0)).show()
    '3.9 TB'
    """
    return Size(max(0.0, working_set.bytes - host_bytes.bytes - local_bytes.bytes))


def node_share(*, local_bytes: Size, gpu_nodes: int) -> Size:
    """
    What one serving node's drives hold of the sessions.

    Formula:  local_bytes / gpu_nodes
    Assumes:  sessions are spread evenly
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if there are no nodes

    >>> node_share(local_bytes=Size(16e12), gpu_nodes=16).show()
    '1 TB'
    """
    if gpu_nodes <= 0:
        message = f"gpu_nodes: {gpu_nodes}; sessions are served by at least one node"
        raise InputError(message)
    return local_bytes / gpu_nodes


def read_bandwidth(*, resumes: OpRate, session_bytes: Size, held: Size, working_set: Size) -> Bandwidth:
    """
    Bandwidth of the sessions that are loaded back from one place.

    Formula:  resumes * session_bytes * held / working_set
    Assumes:  every session is resumed equally often, wherever it lies; whole sessions
    Source:   kvcache-ai/Mooncake, FAST'25, section 2.2 (checked 2026-11-29)
    Raises:   InputError if there are no sessions

    >>> read_bandwidth(resumes=OpRate(20), session_bytes=Size(42.95e9), held=Size(1), working_set=Size(4)).show()
    '215 GB/s'
    """
    if not working_set:
        message = "sessions: none is kept off the GPU, so none is loaded back"
        raise InputError(message)
    return resumes * session_bytes * (held / working_set)


def held_fraction(*, held: Size, working_set: Size) -> float:
    """
    Share of the resumed sessions that one place serves: the hit fraction that is assumed for it.

    Formula:  held / working_set
    Assumes:  every session is resumed equally often, wherever it lies; a real cache keeps the newest and does better
    Source:   definition (checked 2026-11-29)

    >>> held_fraction(held=Size(16e12), working_set=Size(64e12))
    0.25
    """
    return min(1.0, held / working_set) if working_set else 0.0


def one_session_bandwidth(*, session_bytes: Size, reload_within: Duration, first_byte: Duration = NO_TIME) -> Bandwidth:
    """
    Bandwidth that brings one session back in time.

    Formula:  session_bytes / max(reload_within - first_byte, reload_within / 2)
    Assumes:  the whole session is read from one place; where the first byte takes most of the time, the plan is late
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the time is zero

    >>> one_session_bandwidth(session_bytes=Size(327_680 * 100_000), reload_within=Duration(2)).show()
    '16.4 GB/s'
    """
    if reload_within.s <= 0:
        message = "reload_within: 0 s; loading a session takes time"
        raise InputError(message)
    return session_bytes / Duration(max(reload_within.s - first_byte.s, reload_within.s / 2))


def write_bandwidth(*, new_tokens_per_s: float, bytes_per_token: Size) -> Bandwidth:
    """
    Bandwidth of what is written below the host memory.

    Formula:  new_tokens_per_s * bytes_per_token
    Assumes:  every new token is written once (write-through); selective policies write less
    Source:   definition (checked 2026-11-29)

    >>> write_bandwidth(new_tokens_per_s=5000, bytes_per_token=Size(327_680)).show()
    '1.64 GB/s'
    """
    return Bandwidth(new_tokens_per_s * bytes_per_token.bytes)


def reload_rate(*, read: Bandwidth, session_bytes: Size, places: int) -> OpRate:
    """
    Sessions that are loaded back from one place in a second.

    Formula:  read / session_bytes / places
    Assumes:  places are equal: the shared tier is one, each node's drives are one
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if a session has no size

    >>> reload_rate(read=Bandwidth(430e9), session_bytes=Size(43e9), places=1).show()
    '10 ops/s'
    """
    if not session_bytes or places <= 0:
        message = f"kv_cache: sessions of {session_bytes.show()} in {places} places; both must be above 0"
        raise InputError(message)
    return OpRate(read.bytes_per_s / session_bytes.bytes / places)


def reload_time(
    *,
    session_bytes: Size,
    bandwidth: Bandwidth,
    client: Bandwidth,
    resumes: OpRate,
    reload_within: Duration,
    first_byte: Duration = NO_TIME,
) -> Duration:
    """
    Time until one session is back.

    Formula:  first_byte + max(session_bytes / client,
              session_bytes * max(1, resumes * max(reload_within - first_byte, reload_within / 2)) / bandwidth)
    Assumes:  sessions that arrive meanwhile are under way at once and share the place's bandwidth
    Source:   Little's law (checked 2026-11-29)
    Raises:   InputError if nothing can be read

    >>> reload_time(session_bytes=Size(43e9), bandwidth=Bandwidth(430e9), client=Bandwidth(43e9), resumes=OpRate(5),
    ...             reload_within=Duration(2)).show()
    '1 s'
    """
    if not bandwidth or not client:
        message = "KV cache: the place reads at 0 B/s; a session never comes back"
        raise InputError(message)
    under_way = max(1.0, resumes.ops_per_s * max(reload_within.s - first_byte.s, reload_within.s / 2))
    return first_byte + max(session_bytes / client, session_bytes * under_way / bandwidth)


def prefill_time(*, context: int, prefill_tokens_per_s: float) -> Duration:
    """
    Time to compute a session again instead of loading it.

    Formula:  context / prefill_tokens_per_s
    Assumes:  the rate of one GPU node; attention's growth with length is in the rate
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if nothing is computed

    >>> prefill_time(context=131_072, prefill_tokens_per_s=28_271).show()
    '4.64 s'
    """
    if prefill_tokens_per_s <= 0:
        message = f"prefill_tokens_per_s: {prefill_tokens_per_s:g}; a prefill takes time"
        raise InputError(message)
    return Duration(context / prefill_tokens_per_s)


def prefill_rate(*, flops: float, utilisation: float, active_parameters: float) -> float:
    """
    Tokens per second of a prefill.

    Formula:  flops * utilisation / (2 * active_parameters)
    Assumes:  2 operations a parameter and token; attention left out
    Source:   kvcache-ai/Mooncake, FAST'25, section 2.2 (checked 2026-11-29)
    Raises:   InputError if there are no parameters

    >>> round(prefill_rate(flops=8 * 989.5e12, utilisation=0.5, active_parameters=70e9))
    28271
    """
    if active_parameters <= 0:
        message = f"model.parameters: {active_parameters:g}; there must be some"
        raise InputError(message)
    return flops * utilisation / (2 * active_parameters)


def break_even(*, bytes_per_token: Size, prefill_tokens_per_s: float) -> Bandwidth:
    """
    Bandwidth above which loading a session beats computing it again.

    Formula:  bytes_per_token * prefill_tokens_per_s
    Assumes:  attention left out: long contexts break even earlier
    Source:   derived; kvcache-ai/Mooncake, FAST'25, section 2.2 (checked 2026-11-29)

    >>> break_even(bytes_per_token=Size(327_680), prefill_tokens_per_s=28_271).show()
    '9.26 GB/s'
    """
    return Bandwidth(bytes_per_token.bytes * prefill_tokens_per_s)


def break_even_with_attention(
    *, flops: float, hidden: int, bytes_per_element: float, prefix: int, heads_per_kv_head: float
) -> Bandwidth:
    """
    Bandwidth above which loading a prefix beats computing it again, attention counted.

    Formula:  flops * 2*hidden*bytes_per_element / (heads_per_kv_head * (4*prefix*hidden + 22*hidden**2))
    Assumes:  the GPUs' full rate; layers cancel
    Source:   kvcache-ai/Mooncake, FAST'25, section 2.2, a = 4, b = 22 (checked 2026-11-29)

    >>> break_even_with_attention(flops=8 * 312e12, hidden=8192, bytes_per_element=2, prefix=8192,
    ...                           heads_per_kv_head=8).show()
    '5.86 GB/s'
    """
    work = heads_per_kv_head * (4.0 * prefix * hidden + 22.0 * hidden**2)
    return Bandwidth(flops * 2 * hidden * bytes_per_element / work)
