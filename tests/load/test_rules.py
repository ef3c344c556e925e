"""What several keys say together: one rule, one line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tierplan.domain.stack import KvCache, ModelLoad, Stack, Training

Faults = Callable[[str], tuple[str, ...]]
Spoil = Callable[..., str]
MODEL = "model: {parameters: 70e9, bytes_per_parameter: 14}"
KV = "model: {layers: 80, kv_heads: 8, head_dimension: 128}"
SHAPE = "{layers: 80, hidden: 8192, ffn: 28672, heads: 64, kv_heads: 8, vocabulary: 128256}"

REFUSED = [
    # cluster
    ("    node: dgx-h100\n", "", "cluster.gpus_per_node: missing; write it, or name a preset as node: aws-p4d"),
    ("node: dgx-h100", "node: dgx-h10", '"dgx-h10" is not in the catalogue; did you mean dgx-h100? allowed: aws-p4d'),
    ("{year: 2, gpu_nodes: 256}", "{year: 2, gpu_nodes: 9}, {year: 2, gpu_nodes: 10}", "growth[1].year: year 2 does"),
    ("{year: 2, gpu_nodes: 256}", "{year: 3, gpu_nodes: 9}, {year: 2, gpu_nodes: 10}", "year 2 does not come after"),
    ("{year: 2, gpu_nodes: 256}", "{year: 0, gpu_nodes: 9}", "growth[0].year: 0 is too small; the least is 1"),
    # names and sizes
    ("name: chat", "name: users", 'workloads[3].name: "users" is the name of workloads[1] too; names are unique'),
    ("gpu_nodes: 50", "gpu_nodes: 129", "workloads[1].gpu_nodes: 129 nodes are more than the cluster's 128"),
    ("gpu_nodes: 16", "gpu_nodes: 500", "workloads[2].gpu_nodes: 500 nodes are more than the cluster's 128"),
    # parallelism
    ("{tensor: 8,", "{tensor: 3,", "parallelism: tensor 3 x pipeline 1 = 3 does not divide gpus 1024"),
    (
        "{tensor: 8,",
        "{tensor: 8, data: 100,",
        "data: tensor 8 x pipeline 1 x data 100 = 800 is not gpus 1024; write data: 128",
    ),
    # model
    (MODEL, "model: {bytes_per_parameter: 14}", "model: nothing says how many parameters there are; write one of"),
    (MODEL, f"model: {{parameters: 70e9, shape: {SHAPE}}}", "shape: parameters and shape both say how many parameters"),
    (MODEL, f"model: {{catalogue: llama-3-8b, shape: {SHAPE}}}", "shape: catalogue and shape both say how many"),
    (MODEL, "model: {catalogue: llama-3-70b, parameters: 70e9}", "70000000000 is not the 70553706496 of catalogue"),
    (MODEL, "model: {catalogue: llama-70b}", '"llama-70b" is not in the catalogue; did you mean llama-3-70b?'),
    (MODEL, "model: {catalogue: llama-2-70b}", "llama-2-70b has no number of parameters in the catalogue; write"),
    (MODEL, "model: {parameters: 70e9, training_state: bf16-adan}", "did you mean bf16-adam?"),
    (
        MODEL,
        "model: {parameters: 70e9, bytes_per_parameter: 14, training_state: bf16-adam}",
        "bytes_per_parameter: 14 is not the 6 of training_state bf16-adam; keep one of the two keys",
    ),
    (MODEL, "model: {parameters: 70e9, experts: {active_parameters: 71e9}}", "71000000000 is more than all parameters"),
    (MODEL, f"model: {{shape: {SHAPE.replace('kv_heads: 8', 'kv_heads: 65')}}}", "kv_heads: 65 is more than heads 64"),
    (MODEL, f"model: {{shape: {SHAPE.replace('hidden: 8192', 'hidden: 8')}}}", "hidden: 8 is less than heads 64"),
    (MODEL, "model: {parameters: 70e9, adapters: {}}", "adapters: nothing says how many parameters the adapters have"),
    (MODEL, "model: {parameters: 70e9, adapters: {rank: 16}}", "adapters.rank: needs shape beside it"),
    (
        MODEL,
        "model: {parameters: 70e9, adapters: {rank: 16, parameters: 1e8}}",
        "rank and parameters both say how many",
    ),
    # checkpoint
    ("keep: 10", "keep: 10\n        retain: {last: 5, best: 1, weekly: 3}", "keep 10 and retain (9 in all) disagree"),
    # dataset
    (
        "samples_per_s_per_gpu: 50",
        "tokens: {per_s_per_gpu: 1, bytes_per_token: 4}\n        profile: unet3d-h100",
        "tokens: tokens and profile both say how fast",
    ),
    (
        "format: webdataset",
        "tokens: {per_s_per_gpu: 1, bytes_per_token: 4}",
        "tokens and samples_per_s_per_gpu both say",
    ),
    ('sample_size: "4 kB"', "cache_copies: 1", "sample_size: missing beside samples_per_s_per_gpu"),
    ('sample_size: "4 kB"', 'sample_size: "11 TB"', '"11 TB" is larger than the whole dataset, "10 TB"'),
    ("cache: preload", "profile: unet3d-h10", "did you mean unet3d-h100?"),
    # model load
    ('weights: "140 GB"', "fan_out: peer", "workloads[1]: nothing says how many bytes the weights have; write one of"),
    (
        'weights: "140 GB"',
        'weights: "140 GB"\n      model: {parameters: 7e9}',
        "weights and model both say how many bytes",
    ),
    ('weights: "140 GB"', "model: {weight_bytes_per_parameter: 1}", "workloads[1].model: nothing says how many param"),
    # KV cache
    (KV, "model: {}", "workloads[2].model.layers: missing; a token's cache needs layers, kv_heads, head_dimension, or"),
    (KV, "model: {layers: 80, kv_heads: 8}", "head_dimension: missing; a token's cache needs layers, kv_heads"),
    (KV, "model: {latent_dimension: 576}", "layers: missing; a token's cache needs layers, latent_dimension, or"),
    (KV, "model: {layers: 61, latent_dimension: 576, kv_heads: 8}", "latent_dimension and kv_heads are two kinds of"),
    (KV, "model: {catalogue: gpt-neox-20b}", "gpt-neox-20b has no KV shape in the catalogue; write layers"),
    (KV, "model: {catalogue: llama-3-70}", "did you mean llama-3-70b?"),
    # general
    (
        'read: "2 GB/s"\n      write: "1 GB/s"\n      operations: "20000 ops/s"',
        "write: 0 B/s",
        "workloads[3]: asks nothing",
    ),
    # tiers
    ("hot_spares: 1", "hot_spares: 1, replicas: 3", "replicas beside data_units and parity_units: data is kept as"),
    ("backend: weka", "backend: none", "tiers.hot.backend: none takes no nodes, node, layout, options; leave them out"),
    ("backend: ceph-rgw", "backend: weka", '"weka" is unknown; allowed: auto, ceph-rgw, minio'),
]


@pytest.mark.parametrize(("old", "new", "message"), REFUSED)
def test_contradictions_are_one_line(spoil: Spoil, faults: Faults, old: str, new: str, message: str) -> None:
    (line,) = faults(spoil((old, new)))
    assert message in line


ACCEPTED = [
    ("{tensor: 8,", "{tensor: 8, data: 128,"),
    ("{tensor: 8, sharding: zero-3}", "{}"),
    ("concurrent_jobs: 4", "concurrent_jobs: 40"),
    ("mode: sync", "mode: async\n        blocking: 1 s"),
    ('interval: "30 min"', "interval: auto"),
    ("keep: 10", "retain: {last: 5, best: 1, weekly: 4}"),
    ("keep: 10", "keep: 10\n        retain: {last: 5, best: 1, weekly: 4}"),
    (MODEL, f"model: {{shape: {SHAPE}}}"),
    (MODEL, "model: {catalogue: llama-3-70b}"),
    (MODEL, "model: {catalogue: llama-3-70b, parameters: 70553706496}"),
    (MODEL, "model: {catalogue: llama-2-70b, parameters: 69e9}"),
    (MODEL, "model: {parameters: 70e9, training_state: bf16-adam}"),
    (MODEL, "model: {parameters: 70e9, training_state: bf16-adam, bytes_per_parameter: 6}"),
    (MODEL, "model: {parameters: 70e9, experts: {active_parameters: 7e9}}"),
    (MODEL, "model: {parameters: 70e9, adapters: {parameters: 2e8}}"),
    (MODEL, f"model: {{shape: {SHAPE}, adapters: {{rank: 16}}}}"),
    ("samples_per_s_per_gpu: 50", "tokens: {per_s_per_gpu: 1602, bytes_per_token: 4}"),
    ("samples_per_s_per_gpu: 50", "profile: unet3d-h100"),
    ('weights: "140 GB"', "model: {catalogue: llama-3-70b}"),
    (KV, "model: {catalogue: deepseek-v3-671b, bytes_per_element: 1}"),
    (KV, "model: {layers: 61, latent_dimension: 576}"),
    ("data_units: 5, parity_units: 2,", "replicas: 3,"),
    ("backend: weka", "backend: auto"),
    ("backend: weka", "backend: hdfs"),
    ("backend: ceph-rgw", "backend: hdfs"),
    ("overhead: 0.03", "overhead: 0.03\n        first_landing: peer"),
    ("racks: 0", "racks: 1"),
]


@pytest.mark.parametrize(("old", "new"), ACCEPTED)
def test_what_agrees_is_accepted(spoil: Spoil, faults: Faults, old: str, new: str) -> None:
    assert faults(spoil((old, new))) == ()


def test_overhead_zero_is_allowed_where_it_is_ignored(spoil: Spoil, faults: Faults) -> None:
    """An asynchronous checkpoint ignores `overhead`."""
    assert faults(spoil(("mode: sync", "mode: async"), ("overhead: 0.03", "overhead: 0"))) == ()


def test_no_hot_tier_is_allowed(good: str, faults: Faults) -> None:
    start, end = good.index("    hot:"), good.index("    cold:")
    assert faults(good[:start] + "    hot: {backend: none}\n" + good[end:]) == ()


def test_a_preset_that_is_unknown_is_one_fault_even_where_it_was_needed(spoil: Spoil, faults: Faults) -> None:
    """GPUs per node came from the preset: jobs are not measured against a cluster of unknown size."""
    (line,) = faults(spoil(("node: dgx-h100", "node: dgx"), ("gpus: 1024", "gpus: 8000")))
    assert "cluster.node" in line


def test_every_kind_of_workload_is_read(good: str, read: Callable[[str], Stack]) -> None:
    assert [type(workload) for workload in read(good).workloads][:3] == [Training, ModelLoad, KvCache]
