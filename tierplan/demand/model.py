"""How many parameters a model has, and how many bytes a checkpoint keeps of each."""

from __future__ import annotations

from tierplan.errors import InputError
from tierplan.units import Size

DEFAULT_BYTES_PER_PARAMETER = 14.0  # bf16 weights, fp32 master copy, both Adam moments


def parameters(*, layers: int, hidden: int, ffn: int, heads: int, kv_heads: int, vocabulary: int) -> int:
    """
    Parameters of a transformer with a gated MLP, grouped-query attention and untied embeddings.

    Formula:  2*vocabulary*hidden + hidden
              + layers * (2*hidden + hidden*(hidden + 2*(hidden // heads)*kv_heads) + hidden**2 + 3*hidden*ffn)
    Assumes:  no biases; one norm before attention, one before the MLP, one at the end
    Source:   argonne-lcf/dlio_benchmark: dlio_benchmark/checkpointing/base_checkpointing.py (checked 2026-11-29)
    Raises:   InputError if there are no heads

    >>> parameters(layers=32, hidden=4096, ffn=14336, heads=32, kv_heads=8, vocabulary=128_256)
    8030261248
    """
    if heads <= 0:
        message = f"shape.heads: {heads}; a model has at least one attention head"
        raise InputError(message)
    key_value = hidden // heads * kv_heads
    layer = 2 * hidden + hidden * (hidden + 2 * key_value) + hidden**2 + 3 * hidden * ffn
    return 2 * vocabulary * hidden + hidden + layers * layer


def biased_parameters(*, layers: int, hidden: int, vocabulary: int) -> int:
    """
    Parameters of a transformer of the GPT-2 kind: biases, an MLP of four times the width, untied embeddings.

    Formula:  layers * (12*hidden**2 + 13*hidden) + 2*vocabulary*hidden + 2*hidden
    Assumes:  multi-head attention, no position embedding
    Source:   EleutherAI/gpt-neox: README.md; 20,554,567,680 for GPT-NeoX-20B (checked 2026-11-29)

    >>> biased_parameters(layers=44, hidden=6144, vocabulary=50_432)
    20554567680
    """
    return layers * (12 * hidden**2 + 13 * hidden) + 2 * vocabulary * hidden + 2 * hidden


def adapter_parameters(*, rank: int, layers: int, hidden: int, ffn: int, heads: int, kv_heads: int) -> int:
    """
    Parameters that low-rank adapters (LoRA) add to all seven matrices of each layer.

    Formula:  rank * layers * (4*hidden + 2*(hidden + (hidden // heads)*kv_heads) + 3*(hidden + ffn))
    Assumes:  adapters on q, k, v, o, gate, up and down; fewer matrices need less
    Source:   sum of rank * (inputs + outputs) of each matrix; 207,093,760 for Llama-3-70B at rank 16
    Raises:   InputError if there are no heads

    >>> adapter_parameters(rank=16, layers=80, hidden=8192, ffn=28672, heads=64, kv_heads=8)
    207093760
    """
    if heads <= 0:
        message = f"shape.heads: {heads}; a model has at least one attention head"
        raise InputError(message)
    key_value = hidden // heads * kv_heads
    return rank * layers * (4 * hidden + 2 * (hidden + key_value) + 3 * (hidden + ffn))


def bytes_per_parameter(
    *, weights: float, master: float = 0.0, first_moment: float = 0.0, second_moment: float = 0.0
) -> float:
    """
    Bytes that a full checkpoint keeps of each parameter.

    Formula:  weights + master + first_moment + second_moment
    Assumes:  gradients are not saved; sharding changes who writes, not how much
    Source:   bigscience-workshop/bigscience: train/tr11-176B-ml/README.md states 14 and checks it with du;
              NVIDIA/Megatron-LM: docs/user-guide/features/dist_optimizer.md (checked 2026-11-29)

    >>> bytes_per_parameter(weights=2, master=4, first_moment=4, second_moment=4)
    14
    """
    return weights + master + first_moment + second_moment


def weights(*, parameters: float, weight_bytes: float) -> Size:
    """
    Size of the weights alone, as they are served.

    Formula:  parameters * weight_bytes
    Assumes:  2 bytes for bf16, 1 for fp8, 0.5 for 4 bits; scales of quantised weights are left out
    Source:   bigscience-workshop/bigscience: 329 GiB of bf16 weights for 176 B parameters (checked 2026-11-29)

    >>> weights(parameters=70e9, weight_bytes=2).show()
    '140 GB'
    """
    return Size(parameters * weight_bytes)
