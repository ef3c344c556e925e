"""A stack file that uses every kind of workload and most keys, to be spoilt one line at a time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load import stack_from_text

GOOD = """\
encryptionsalt: v1:abc
config:
  aws:region: us-east-1
  tierplan:site: {kind: on-prem, racks: 8}
  tierplan:cluster:
    node: dgx-h100
    gpu_nodes: 128
    local_nvme: {drives: 4, size: "7.68 TB"}
    interrupts: {per_gpu: "50000 h"}
    price: {per_gpu_hour: 3.0}
    growth: [{year: 2, gpu_nodes: 256}]
  tierplan:workloads:
    - name: pretrain-70b
      kind: training
      gpus: 1024
      model: {parameters: 70e9, bytes_per_parameter: 14}
      parallelism: {tensor: 8, sharding: zero-3}
      checkpoint:
        interval: "30 min"
        mode: sync
        overhead: 0.03
        keep: 10
        concurrent_jobs: 4
        coincide: false
        archive_every: "1 d"
      restore: {within: "5 min"}
      dataset:
        size: "10 TB"
        sample_size: "4 kB"
        samples_per_s_per_gpu: 50
        samples_per_shard: 1000
        format: webdataset
        cache: preload
        loader: {workers: 8, prefetch: 2, batch: 32}
    - name: chat
      kind: model-load
      weights: "140 GB"
      replicas: 50
      within: "60 s"
      gpu_nodes: 50
    - name: long-context
      kind: kv-cache
      model: {layers: 80, kv_heads: 8, head_dimension: 128}
      context: 131072
      sessions: 500
      resumes: "20 ops/s"
      reload_within: "2 s"
      gpu_nodes: 16
      new_tokens_per_s: 20000
      placement: [host-memory, local, hot]
    - name: users
      kind: general
      read: "2 GB/s"
      write: "1 GB/s"
      operations: "20000 ops/s"
  tierplan:capacity:
    home: "50 TB"
    raw_data: "2 PB"
    processed_data: "500 TB"
    archived_checkpoints: 100
    files: 200e6
    growth_per_year: 0.4
    years: 3
  tierplan:tiers:
    local: {use: [dataset-cache, kv-cache], software: none}
    hot:
      backend: weka
      nodes: 12
      node: {drives: 12, drive: {size: "7.68 TB", read: "6.5 GB/s", write: "3.5 GB/s"}, ports: 2, cores: 64}
      layout: {data_units: 5, parity_units: 2, hot_spares: 1, failure_domain: node}
      options: {drive_cores: 12, tiering: {ssd_share: 0.5, retention: "7 d"}}
    cold: {backend: ceph-rgw}
  tierplan:targets:
    headroom: 1.3
    max_fill: 0.8
    survive: {nodes: 1, racks: 0}
    degraded_fraction: 0.8
    budget: {monthly: null, currency: USD}
  tierplan:operations:
    storage_engineers: 2
    kubernetes: true
    tags: {owner: storage, env: prod}
  tierplan:expect: pass
"""

Spoil = Callable[..., str]


@pytest.fixture(scope="session")
def good() -> str:
    """The text of a good stack file."""
    return GOOD


@pytest.fixture
def spoil() -> Spoil:
    """The good text with some of it replaced: each replacement must hit something."""

    def spoilt(*replacements: tuple[str, str]) -> str:
        text = GOOD
        for old, new in replacements:
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    return spoilt


@pytest.fixture
def read() -> Callable[[str], Stack]:
    """Read a text as the file x.yaml."""
    return lambda text: stack_from_text(text, name="x", where="x.yaml")


@pytest.fixture
def faults(read: Callable[[str], Stack]) -> Callable[[str], tuple[str, ...]]:
    """The lines that a text is refused with; none if it is good."""

    def lines(text: str) -> tuple[str, ...]:
        try:
            read(text)
        except InputError as error:
            return error.faults
        return ()

    return lines
