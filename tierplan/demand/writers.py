"""Who writes a checkpoint: how many files, and how much the busiest GPU node writes."""

from __future__ import annotations

from tierplan.errors import InputError
from tierplan.units import Size


def one_file() -> int:
    """
    Files of a checkpoint that one rank writes.

    Formula:  1
    Assumes:  rank 0 gathers everything and writes one file
    Source:   DistributedDataParallel, FSDP with a full state dict (checked 2026-11-29)

    >>> one_file()
    1
    """
    return 1


def layer_files(*, layers: int, tensor: int, ranks: int) -> int:
    """
    Files of a ZeRO-1 checkpoint in the DeepSpeed layout.

    Formula:  (layers + 3) * tensor + ranks
    Assumes:  model files by layer and tensor-parallel rank, one optimizer file a rank
    Source:   argonne-lcf/dlio_benchmark: dlio_benchmark/checkpointing/base_checkpointing.py (checked 2026-11-29)

    >>> layer_files(layers=126, tensor=8, ranks=512)
    1544
    """
    return (layers + 3) * tensor + ranks


def partition_files(*, tensor: int, pipeline: int, ranks: int) -> int:
    """
    Files of a ZeRO-1 checkpoint where the number of layers is unknown.

    Formula:  tensor * pipeline + ranks
    Assumes:  one model file for each model-parallel rank, one optimizer file a rank; a layout by layers has more
    Source:   argonne-lcf/dlio_benchmark: dlio_benchmark/checkpointing/base_checkpointing.py (checked 2026-11-29)

    >>> partition_files(tensor=8, pipeline=4, ranks=512)
    544
    """
    return tensor * pipeline + ranks


def two_files_a_rank(*, ranks: int) -> int:
    """
    Files of a ZeRO-3 checkpoint in the DeepSpeed layout.

    Formula:  2 * ranks
    Assumes:  one model file and one optimizer file a rank
    Source:   argonne-lcf/dlio_benchmark: dlio_benchmark/checkpointing/base_checkpointing.py (checked 2026-11-29)

    >>> two_files_a_rank(ranks=64)
    128
    """
    return 2 * ranks


def file_a_rank(*, ranks: int) -> int:
    """
    Files of a checkpoint in the PyTorch distributed layout.

    Formula:  ranks + 1
    Assumes:  one writer thread a rank, and one metadata file
    Source:   torch 2.14.1: torch/distributed/checkpoint FileSystemWriter defaults (checked 2026-11-29)

    >>> file_a_rank(ranks=1024)
    1025
    """
    return ranks + 1


def imbalance(*, data: int, weight_bytes: float = 2.0, bytes_per_parameter: float = 14.0) -> float:
    """
    How much more the busiest rank writes than the average, under ZeRO-1 without parallel save.

    Formula:  (weight_bytes*data + bytes_per_parameter - weight_bytes) / bytes_per_parameter
    Assumes:  data-parallel rank 0 writes the weights, every rank its share of the optimizer
    Source:   derived from the DeepSpeed layout (checked 2026-11-29)

    >>> imbalance(data=8)
    2.0
    """
    return (weight_bytes * data + bytes_per_parameter - weight_bytes) / bytes_per_parameter


def even_node_bytes(*, size: Size, gpus: int, gpus_per_node: int) -> Size:
    """
    What one GPU node writes where every rank writes its own shard.

    Formula:  size * min(gpus_per_node, gpus) / gpus
    Assumes:  ZeRO-3, FSDP or a fully parallel save: equal shards
    Source:   NVIDIA/Megatron-LM: megatron/training/config/training_config.py, fully parallel save is the default
              (checked 2026-11-29)
    Raises:   InputError if the job has no GPUs

    >>> even_node_bytes(size=Size(980e9), gpus=1024, gpus_per_node=8).show("GB", digits=4)
    '7.656 GB'
    """
    if gpus <= 0:
        message = f"gpus: {gpus}; a job has at least one GPU"
        raise InputError(message)
    return size * (min(gpus_per_node, gpus) / gpus)


def single_node_bytes(*, size: Size) -> Size:
    """
    What the busiest GPU node writes where rank 0 writes everything.

    Formula:  size
    Assumes:  its host memory holds the whole checkpoint
    Source:   DistributedDataParallel, FSDP with a full state dict (checked 2026-11-29)

    >>> single_node_bytes(size=Size(14e9)).show()
    '14 GB'
    """
    return size


def zero1_node_bytes(*, size: Size, weights: Size, gpus: int, gpus_per_node: int, tensor: int, pipeline: int) -> Size:
    """
    What the busiest GPU node writes under ZeRO-1, where data-parallel rank 0 writes the weights.

    Formula:  weights / (tensor*pipeline) * min(gpus_per_node, gpus, tensor*pipeline)
              + (size - weights) / gpus * min(gpus_per_node, gpus)
    Assumes:  the ranks that write weights are neighbours, data parallelism outermost: the careful order
    Source:   argonne-lcf/dlio_benchmark: dlio_benchmark/checkpointing/base_checkpointing.py (checked 2026-11-29)
    Raises:   InputError if a degree or the job's GPUs are zero

    >>> zero1_node_bytes(size=Size(14e12), weights=Size(2e12), gpus=512, gpus_per_node=8,
    ...                  tensor=8, pipeline=32).show()
    '250 GB'
    """
    if min(gpus, tensor, pipeline) <= 0:
        message = f"parallelism: gpus {gpus}, tensor {tensor}, pipeline {pipeline}; none may be 0"
        raise InputError(message)
    node = min(gpus_per_node, gpus)
    parts = tensor * pipeline
    return weights * (min(node, parts) / parts) + (size - weights) * (node / gpus)
