"""A training job as its loads see it: GPUs, nodes, parameters, and what of them is saved."""

from __future__ import annotations

from dataclasses import dataclass

from tierplan.demand import checkpoint, jobs, model, writers
from tierplan.demand.sheet import Sheet
from tierplan.domain.figures import Known
from tierplan.domain.stack import Model, Training
from tierplan.errors import InputError
from tierplan.units import Size


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One training job; `running` of its kind run at once."""

    sheet: Sheet
    work: Training
    gpus: Known[int]
    gpus_per_node: Known[int]
    running: Known[int]
    nodes: Known[int]
    node_gpus: Known[int]
    """GPUs of the job on its busiest node."""
    data: Known[int]


def job_of(sheet: Sheet, work: Training) -> Job:
    """What all loads of a training workload start from."""
    gpus = sheet.given(work.gpus, "gpus")
    gpus_per_node = sheet.of_stack(sheet.stack.cluster.gpus_per_node, "cluster.gpus_per_node")
    shards = work.parallelism.tensor * work.parallelism.pipeline
    jobs_asked = work.checkpoint.concurrent_jobs if work.checkpoint else 1
    return Job(
        sheet=sheet,
        work=work,
        gpus=gpus,
        gpus_per_node=gpus_per_node,
        running=sheet.figure(
            "jobs.running",
            jobs.running,
            concurrent_jobs=sheet.given(jobs_asked, "checkpoint.concurrent_jobs"),
            gpu_nodes=sheet.of_stack(sheet.stack.cluster.gpu_nodes, "cluster.gpu_nodes"),
            gpus_per_node=gpus_per_node,
            gpus=gpus,
        ),
        nodes=sheet.figure("jobs.nodes", jobs.nodes, gpus=gpus, gpus_per_node=gpus_per_node),
        node_gpus=sheet.figure("jobs.node_gpus", jobs.node_gpus, gpus_per_node=gpus_per_node, gpus=gpus),
        data=sheet.given(work.parallelism.data or max(1, work.gpus // shards), "parallelism.data"),
    )


def total_parameters(sheet: Sheet, asked: Model) -> Known[float]:
    """
    All parameters of a model: given, from the catalogue, or from its shape.

    Raises:   InputError if nothing says how many there are
    """
    if asked.parameters is not None:
        return sheet.given(asked.parameters, "model.parameters")
    shape = asked.shape
    if shape is None:
        message = f"{sheet.path}.model: nothing says how many parameters it has; give parameters, shape or catalogue"
        raise InputError(message)
    return sheet.figure(
        "model.parameters",
        model.parameters,
        layers=sheet.given(shape.layers, "model.shape.layers"),
        hidden=sheet.given(shape.hidden, "model.shape.hidden"),
        ffn=sheet.given(shape.ffn, "model.shape.ffn"),
        heads=sheet.given(shape.heads, "model.shape.heads"),
        kv_heads=sheet.given(shape.kv_heads or shape.heads, "model.shape.kv_heads"),
        vocabulary=sheet.given(shape.vocabulary, "model.shape.vocabulary"),
    )


def saved_parameters(sheet: Sheet, asked: Model) -> Known[float]:
    """
    The parameters that train and are saved: all, or those of the adapters.

    Raises:   InputError if nothing says how many there are
    """
    adapters, shape = asked.adapters, asked.shape
    if adapters is None:
        return total_parameters(sheet, asked)
    if adapters.parameters is not None:
        return sheet.given(adapters.parameters, "model.adapters.parameters")
    if adapters.rank is None or shape is None:
        message = f"{sheet.path}.model.adapters: give parameters, or rank together with model.shape"
        raise InputError(message)
    return sheet.figure(
        "model.adapter_parameters",
        model.adapter_parameters,
        rank=sheet.given(adapters.rank, "model.adapters.rank"),
        layers=sheet.given(shape.layers, "model.shape.layers"),
        hidden=sheet.given(shape.hidden, "model.shape.hidden"),
        ffn=sheet.given(shape.ffn, "model.shape.ffn"),
        heads=sheet.given(shape.heads, "model.shape.heads"),
        kv_heads=sheet.given(shape.kv_heads or shape.heads, "model.shape.kv_heads"),
    )


def saved_bytes(sheet: Sheet, asked: Model) -> Known[float]:
    """Bytes that a checkpoint keeps of each parameter."""
    given = asked.bytes_per_parameter
    return sheet.given(model.DEFAULT_BYTES_PER_PARAMETER if given is None else given, "model.bytes_per_parameter")


def checkpoint_size(job: Job) -> Known[Size]:
    """The figure of one full checkpoint."""
    return job.sheet.figure(
        "checkpoint.size_bytes",
        checkpoint.size,
        parameters=saved_parameters(job.sheet, job.work.model),
        bytes_per_parameter=saved_bytes(job.sheet, job.work.model),
    )


def weights_size(job: Job) -> Known[Size]:
    """The figure of the weights within a checkpoint; never more than the checkpoint itself."""
    bytes_saved = saved_bytes(job.sheet, job.work.model)
    weight = job.work.model.weight_bytes_per_parameter
    smaller = bytes_saved if bytes_saved.value < weight else job.sheet.given(weight, "model.weight_bytes_per_parameter")
    return job.sheet.figure(
        "checkpoint.weights_bytes",
        model.weights,
        parameters=saved_parameters(job.sheet, job.work.model),
        weight_bytes=smaller,
    )


def checkpoint_files(job: Job) -> Known[int]:
    """The figure of the files that one checkpoint consists of, by who writes."""
    sheet, parallelism, shape = job.sheet, job.work.parallelism, job.work.model.shape
    tensor = sheet.given(parallelism.tensor, "parallelism.tensor")
    match parallelism.sharding:
        case "ddp":
            return sheet.figure("checkpoint.files", writers.one_file)
        case "zero-1" if shape is not None:
            layers = sheet.given(shape.layers, "model.shape.layers")
            return sheet.figure("checkpoint.files", writers.layer_files, layers=layers, tensor=tensor, ranks=job.gpus)
        case "zero-1":
            pipeline = sheet.given(parallelism.pipeline, "parallelism.pipeline")
            return sheet.figure(
                "checkpoint.files", writers.partition_files, tensor=tensor, pipeline=pipeline, ranks=job.gpus
            )
        case "zero-3":
            return sheet.figure("checkpoint.files", writers.two_files_a_rank, ranks=job.gpus)
        case _:
            return sheet.figure("checkpoint.files", writers.file_a_rank, ranks=job.gpus)


def checkpoint_node_bytes(job: Job, size: Known[Size]) -> Known[Size]:
    """The figure of what the busiest GPU node writes of one checkpoint, by who writes."""
    sheet, parallelism = job.sheet, job.work.parallelism
    match parallelism.sharding:
        case "ddp":
            return sheet.figure("checkpoint.node_bytes", writers.single_node_bytes, size=size)
        case "zero-1":
            return sheet.figure(
                "checkpoint.node_bytes",
                writers.zero1_node_bytes,
                size=size,
                weights=weights_size(job),
                gpus=job.gpus,
                gpus_per_node=job.gpus_per_node,
                tensor=sheet.given(parallelism.tensor, "parallelism.tensor"),
                pipeline=sheet.given(parallelism.pipeline, "parallelism.pipeline"),
            )
        case _:
            return sheet.figure(
                "checkpoint.node_bytes",
                writers.even_node_bytes,
                size=size,
                gpus=job.gpus,
                gpus_per_node=job.gpus_per_node,
            )
