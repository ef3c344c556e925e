"""Presets, then defaults; what the stack says always wins."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tierplan.domain.stack import KvCache, ModelLoad, Stack, Training
from tierplan.load import catalogue, stack_from_document
from tierplan.units import bandwidth, size

Read = Callable[[str], Stack]
Spoil = Callable[..., str]
MODEL = "model: {parameters: 70e9, bytes_per_parameter: 14}"


def least() -> dict[str, object]:
    """The least that a stack must say."""
    return {
        "site": {"kind": "on-prem"},
        "cluster": {"gpu_nodes": 4, "gpus_per_node": 8},
        "workloads": [{"name": "a", "kind": "training", "gpus": 32, "model": {"parameters": 7e9}}],
    }


def stack_of(document: dict[str, object]) -> Stack:
    return stack_from_document(document, name="x", where="x")


def training(stack: Stack) -> Training:
    (job,) = (workload for workload in stack.workloads if isinstance(workload, Training))
    return job


def test_the_least_stack_is_read_with_defaults() -> None:
    stack = stack_of(least())
    assert (stack.targets.headroom, stack.targets.max_fill, stack.targets.degraded_fraction) == (1.3, 0.8, 0.8)
    assert (stack.targets.survive.nodes, stack.targets.survive.racks) == (1, 0)
    assert stack.cluster.interrupts.per_gpu.s == 50_000 * 3600
    assert (stack.tiers.hot.backend, stack.tiers.cold.backend, stack.tiers.local.use) == ("auto", "auto", ())
    assert training(stack).model.bytes_per_parameter == 14
    assert training(stack).parallelism.data == 32


def test_unnamed_hardware_is_the_careful_end() -> None:
    """What nobody named is not planned with: no local drives, one port, no RDMA."""
    cluster = stack_of(least()).cluster
    assert cluster.local_nvme.drives == 0
    assert (cluster.storage_network.ports, cluster.storage_network.transport) == (1, "tcp")


def test_blocks_that_change_the_need_are_not_made_up() -> None:
    stack = stack_of(least())
    job = training(stack)
    assert (job.checkpoint, job.restore, job.dataset) == (None, None, None)
    assert (stack.cluster.price, stack.tiers.lifecycle, stack.fabric, stack.prices) == (None, None, None, None)
    hot = stack.tiers.hot
    assert (hot.nodes, hot.node, hot.layout, hot.quote, dict(hot.options)) == (None, None, None, None, {})


def test_inside_a_block_that_is_there_its_defaults_are_filled() -> None:
    document = least()
    document["workloads"] = [{**least()["workloads"][0], "checkpoint": {}, "restore": {}, "dataset": {"size": "1 TB"}}]  # type: ignore[index]
    job = training(stack_of(document))
    assert job.checkpoint is not None
    assert (job.checkpoint.mode, job.checkpoint.overhead, job.checkpoint.keep) == ("sync", 0.03, 10)
    assert (job.checkpoint.blocking.s, job.checkpoint.drain_fraction) == (5.0, 0.8)
    assert (job.checkpoint.staging.copies, job.checkpoint.staging.slack) == (2, 0.15)
    assert job.checkpoint.retain is None
    assert job.restore is not None
    assert (job.restore.within, job.restore.reads) == (None, "once")
    assert job.dataset is not None
    assert (job.dataset.format, job.dataset.cache, job.dataset.tokens) == ("files", "none", None)


def test_every_value_has_an_origin() -> None:
    stack = stack_of(least())
    assert stack.origins["cluster.gpu_nodes"] == "stack"
    assert stack.origins["targets.headroom"] == "default"
    assert stack.origins["workloads[0].model.bytes_per_parameter"] == "catalogue training_states/bf16-adam-fp32-master"
    assert set(stack.origins.values()) == {"stack", "default", "catalogue training_states/bf16-adam-fp32-master"}


@pytest.mark.parametrize("preset", sorted(catalogue().rows("nodes")))
def test_preset_fills_the_cluster_and_the_stack_wins(preset: str) -> None:
    document = least()
    document["cluster"] = {"gpu_nodes": 64, "node": preset, "local_nvme": {"drives": 1}, "cpu_cores": 7}
    stack = stack_of(document)
    facts = catalogue().rows("nodes")[preset].facts
    assert stack.cluster.gpus_per_node == facts["gpus_per_node"].value
    assert stack.cluster.host_memory == facts["host_memory"].quantity
    assert stack.cluster.storage_network.rate == facts["storage_network.rate"].quantity
    assert (stack.cluster.local_nvme.drives, stack.cluster.cpu_cores) == (1, 7)
    assert stack.origins["cluster.local_nvme.drives"] == "stack"
    assert stack.origins["cluster.local_nvme.size"] == f"catalogue nodes/{preset}"
    assert stack.origins["cluster.gpus_per_node"] == f"catalogue nodes/{preset}"


def test_model_of_the_catalogue(spoil: Spoil, read: Read) -> None:
    job = training(read(spoil((MODEL, "model: {catalogue: deepseek-v3-671b, training_state: fp32-adam}"))))
    assert job.model.parameters == 671e9
    assert job.model.experts is not None
    assert job.model.experts.active_parameters == 37e9
    assert job.model.bytes_per_parameter == 12


def test_model_load_needs_no_training_state(spoil: Spoil, read: Read) -> None:
    stack = read(spoil(('weights: "140 GB"', "model: {catalogue: llama-3-70b}")))
    (served,) = (workload for workload in stack.workloads if isinstance(workload, ModelLoad))
    assert served.model is not None
    assert served.model.parameters == 70553706496
    assert (served.model.training_state, served.model.bytes_per_parameter) == (None, None)
    assert served.model.weight_bytes_per_parameter == 2


def test_own_bytes_leave_the_training_state_open(good: str, read: Read) -> None:
    model = training(read(good)).model
    assert (model.bytes_per_parameter, model.training_state) == (14, None)


@pytest.mark.parametrize(
    ("catalogue_id", "layers", "kv_heads", "latent"),
    [("llama-3-70b", 80, 8, None), ("qwen3-235b-a22b", 94, 4, None), ("deepseek-v3-671b", 61, None, 576)],
)
def test_kv_shape_of_the_catalogue(
    spoil: Spoil, read: Read, *, catalogue_id: str, layers: int, kv_heads: int | None, latent: int | None
) -> None:
    shape = "model: {layers: 80, kv_heads: 8, head_dimension: 128}"
    stack = read(spoil((shape, f"model: {{catalogue: {catalogue_id}}}")))
    (served,) = (workload for workload in stack.workloads if isinstance(workload, KvCache))
    assert (served.model.layers, served.model.kv_heads, served.model.latent_dimension) == (layers, kv_heads, latent)
    assert stack.origins["workloads[2].model.layers"] == f"catalogue models/{catalogue_id}"


def test_profile_fills_rates_and_sizes(spoil: Spoil, read: Read) -> None:
    text = spoil(
        (
            'sample_size: "4 kB"\n        samples_per_s_per_gpu: 50\n        samples_per_shard: 1000',
            "profile: resnet50-h100",
        )
    )
    dataset = training(read(text)).dataset
    assert dataset is not None
    assert dataset.samples_per_s_per_gpu == pytest.approx(1607.142857)
    assert (dataset.sample_size, dataset.samples_per_shard) == (size("114660.07 B"), 1251)


def test_keep_follows_from_retain(spoil: Spoil, read: Read) -> None:
    stack = read(spoil(("keep: 10", "retain: {last: 5, weekly: 4}")))
    checkpoint = training(stack).checkpoint
    assert checkpoint is not None
    assert checkpoint.keep == 9
    assert stack.origins["workloads[0].checkpoint.keep"] == "stack workloads[0].checkpoint.retain"


def test_drive_rates_have_a_default_beside_given_drives() -> None:
    document = least()
    document["cluster"] = {"gpu_nodes": 4, "gpus_per_node": 8, "local_nvme": {"drives": 4, "size": "7.68 TB"}}
    drives = stack_of(document).cluster.local_nvme
    assert (drives.read, drives.write) == (bandwidth("6.5 GB/s"), bandwidth("3.5 GB/s"))
