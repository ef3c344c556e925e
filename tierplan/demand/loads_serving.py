"""Serving as loads on the tiers: replicas that start, and stated loads of users."""

from __future__ import annotations

from tierplan.demand import general, model, model_load
from tierplan.demand.job import total_parameters
from tierplan.demand.sheet import Asked, Sheet, Stored
from tierplan.domain.figures import Known
from tierplan.domain.need import Load, Tier, TimeTarget
from tierplan.domain.stack import General, ModelLoad
from tierplan.errors import InputError
from tierplan.units import Bandwidth, Size


def model_loads(sheet: Sheet, work: ModelLoad) -> Asked:
    """What starting all replicas asks of the shared tier, and what stays there."""
    weights = _weights(sheet, work)
    replicas = sheet.given(work.replicas, "replicas")
    within = sheet.given(work.within, "within")
    total = sheet.figure("model_load.total_bytes", model_load.total, weights=weights, replicas=replicas)
    rate = sheet.figure("model_load.read_bytes_per_s", model_load.read_bandwidth, total=total, within=within)
    volume = total
    if work.fan_out != "none":
        volume = _fan_out_volume(sheet, work, weights)
        rate = sheet.figure(
            "model_load.read_bytes_per_s_with_fan_out", model_load.read_bandwidth, total=volume, within=within
        )
    load_id = f"{work.name}.model_load"
    node = weights.value * (work.replicas_per_node if work.fan_out == "none" else 1)
    load = Load(
        id=load_id,
        tier=sheet.shared,
        when="burst",
        phase="model_load",
        read=rate.value,
        node_read=node / work.within,
        because=f"{load_id}: {volume.value.show()} within {work.within.show()} (fan-out {work.fan_out})",
    )
    target = TimeTarget(
        policy="hot-load-time",
        figure=f"{load_id}.duration_s",
        within_s=work.within.s,
        volume=volume.value,
        tier=sheet.shared,
    )
    stored = Stored(kind="weights", tier=sheet.shared, workload=work.name, size=weights)
    kept = _kept_on_node(sheet, work, weights)
    return Asked(
        loads=(load, *kept.loads), stored=(stored,), on_node=kept.on_node, targets=(target,), because=kept.because
    )


def _weights(sheet: Sheet, work: ModelLoad) -> Known[Size]:
    if work.weights is not None:
        given = sheet.given(work.weights, "weights")
        return sheet.figure("model_load.weights_bytes", model_load.stated_weights, weights=given)
    if work.model is None:
        message = f"{sheet.path}: nothing says how large the weights are; give weights or model"
        raise InputError(message)
    return sheet.figure(
        "model_load.weights_bytes",
        model.weights,
        parameters=total_parameters(sheet, work.model),
        weight_bytes=sheet.given(work.model.weight_bytes_per_parameter, "model.weight_bytes_per_parameter"),
    )


def _fan_out_volume(sheet: Sheet, work: ModelLoad, weights: Known[Size]) -> Known[Size]:
    """The figure of what is read from storage when not every replica reads for itself."""
    quantity = "model_load.total_bytes_with_fan_out"
    if work.fan_out == "peer":
        seeds = Known(1, sheet.stack.origin(f"{sheet.path}.fan_out"))
        return sheet.figure(quantity, model_load.total_by_seeds, weights=weights, seeds=seeds)
    nodes = sheet.figure(
        "model_load.nodes",
        model_load.reading_nodes,
        replicas=sheet.given(work.replicas, "replicas"),
        replicas_per_node=sheet.given(work.replicas_per_node, "replicas_per_node"),
        gpu_nodes=_serving_nodes(sheet, work.gpu_nodes),
    )
    return sheet.figure(quantity, model_load.total_by_node, weights=weights, nodes=nodes)


def _kept_on_node(sheet: Sheet, work: ModelLoad, weights: Known[Size]) -> Asked:
    """Where the local drives may hold models: one copy on each node, written while it is loaded."""
    if not sheet.permits("model-cache"):
        return Asked()
    load_id = f"{work.name}.model_load"
    load = Load(
        id=load_id,
        tier="local",
        when="burst",
        phase="model_load",
        node_write=weights.value / work.within,
        because=f"{load_id}: {weights.value.show()} kept on each node",
    )
    line = f"{load_id}: a copy on local drives helps restarts on the same node; the first load is required in full"
    return Asked(loads=(load,), on_node={load_id: weights}, because={"local": (line,)})


def _serving_nodes(sheet: Sheet, gpu_nodes: int | None) -> Known[int]:
    """GPU nodes that serve: stated, or all."""
    if gpu_nodes is not None:
        return sheet.given(gpu_nodes, "gpu_nodes")
    return sheet.of_stack(sheet.stack.cluster.gpu_nodes, "cluster.gpu_nodes")


def general_loads(sheet: Sheet, work: General) -> Asked:
    """Stated loads, over all GPU nodes evenly; without a hot tier on local scratch where that may be used."""
    read = sheet.figure("general.read_bytes_per_s", general.read_bandwidth, read=sheet.given(work.read, "read"))
    write = sheet.figure("general.write_bytes_per_s", general.write_bandwidth, write=sheet.given(work.write, "write"))
    ops = sheet.figure(
        "general.op_rate_ops_per_s", general.op_rate, operations=sheet.given(work.operations, "operations")
    )
    nodes = sheet.stack.cluster.gpu_nodes
    tier: Tier = "local" if sheet.local_instead and sheet.permits("scratch") else sheet.shared
    load = Load(
        id=f"{work.name}.general",
        tier=tier,
        when="continuous",
        read=read.value,
        write=write.value,
        op_rate=ops.value,
        node_read=_each(read.value, nodes),
        node_write=_each(write.value, nodes),
        because=f"{work.name}.general: reads {read.value.show()}, writes {write.value.show()}, stated",
    )
    return Asked(loads=(load,))


def _each(bandwidth: Bandwidth, nodes: int) -> Bandwidth:
    return bandwidth / max(1, nodes)
