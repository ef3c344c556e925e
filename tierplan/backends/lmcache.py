"""LMCache: sessions of vLLM and SGLang in host memory, then on the node's drives, then in a store beneath."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import OptionKind, Relied, option
from tierplan.backends._local import COMMON, LocalProduct, local_model, media, range_fault, reads_at_most, word_fault
from tierplan.backends._sizing import Model
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig, TierPlan

OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    "chunk_tokens": int,
    "cache_policy": str,
    "remote_url": str,
    "model": str,
    "engine": str,
}
CHUNK = 256
POLICIES = ("LRU", "LFU", "FIFO", "MRU")
ENGINES = ("vllm", "sglang")


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The arrays, of which chunks that pass the host memory on their way to the GPU get a part."""
    drives, share = media(config, used), used["chunk_read_fraction"]
    high = drives.read if drives.read_high is None else drives.read_high
    chunks = reads_at_most(drives, "protocol", drives.read * share, read_high=high * share)
    return local_model(config, need, used, chunks)


def faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:  # noqa: ARG001  # as every product's
    """LMCache's own words in range."""
    yield from word_fault(config, "cache_policy", POLICIES)
    yield from word_fault(config, "engine", ENGINES)
    yield from range_fault(config, "chunk_tokens", option(config.options, "chunk_tokens", int), least=16, most=8192)


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:  # noqa: ARG001  # as every product's
    """What a reader should know beside the figures."""
    chunk = option(config.options, "chunk_tokens", int) or CHUNK
    return (
        f"sessions are stored in chunks of {chunk} tokens; a started chunk is computed again",
        "hits are assumed: every session comes back equally often, whole, to the node that served it before",
    )


def context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    """What LMCache's file and the server's command need: chunk_tokens, cache_policy, remote_url, model, engine."""
    options = plan.config.options
    return {
        "chunk_tokens": option(options, "chunk_tokens", int) or CHUNK,
        "cache_policy": option(options, "cache_policy", str) or POLICIES[0],
        "remote_url": option(options, "remote_url", str) or "",
        "model": option(options, "model", str) or "",
        "engine": option(options, "engine", str) or ENGINES[0],
    }


BACKEND: Backend = LocalProduct(
    id="lmcache", options=OPTIONS, arrays="raid0", model=model, faults=faults, notes=notes, context=context
)
