"""A commented stack file to start from (`tierplan init`)."""

from __future__ import annotations

import re

from tierplan.errors import InputError
from tierplan.load.facts import catalogue
from tierplan.load.faults import listed, nearest, shown
from tierplan.load.read import stack_from_text
from tierplan.load.schema import flat_schema, properties_of
from tierplan.load.site_words import site_kinds, site_words

_STARTER = """\
# {name}: {gpus} GPUs. Edit what is yours, delete what you do not need, then run: tierplan plan {name}
# Quantities are text with a unit ("7.68 TB", "200 Gbit/s", "30 min"); counts and fractions are bare numbers.
# Whatever is left out has a default, which the plan shows as a default.
config:
  tierplan:site:
{site}
  # The GPU nodes. A preset fills in what is not written here; what you write wins.
  tierplan:cluster:
{node}    gpu_nodes: {gpu_nodes}
    gpus_per_node: {gpus_per_node}
{hardware}
  # What the GPUs do: training, model-load, kv-cache, general. Names are yours.
  tierplan:workloads:
    - name: pretrain
      kind: training
      gpus: {gpus}
      model: {{parameters: 13e9, bytes_per_parameter: 14}}    # bf16 weights, fp32 master, two fp32 moments
      checkpoint:
        interval: "30 min"
        mode: sync                     # async asks for far less write bandwidth, and for host memory
        overhead: 0.03                 # share of the interval that the GPUs may wait
        keep: 5                        # on the hot tier; one more is being written
        archive_every: "1 d"           # one copy to the cold tier
      restore: {{within: "5 min"}}
      dataset:
        size: "10 TB"
        sample_size: "4 kB"
        samples_per_s_per_gpu: 50
        samples_per_shard: 1000        # packed: small files are packed, not bought
        format: webdataset
        cache: none                    # or preload, distributed, sticky; needs tiers.local.use: [dataset-cache]
    - name: users                      # home directories, code, logs: stated, not derived
      kind: general
      read: "500 MB/s"
      write: "200 MB/s"
      operations: "2000 ops/s"

  # Bytes beside datasets and checkpoints.
  tierplan:capacity: {{home: "10 TB", raw_data: "100 TB", processed_data: "50 TB", archived_checkpoints: 10}}

  # Everything beside a backend is a pin; left out, it is sized. auto: chosen, with the reasons for and against.
  tierplan:tiers:
    local: {{use: [dataset-cache, scratch]}}
    hot: {{backend: auto}}
    cold: {{backend: auto}}

  # What the plan is judged against.
  tierplan:targets:
    headroom: 1.3                      # multiplies bandwidth and op rate, once
    max_fill: 0.8                      # share of the usable capacity that may be filled
    survive: {{nodes: 1}}                # storage nodes lost at once without losing data
    degraded_fraction: 0.8             # share of the need that is still met then

  tierplan:operations: {{storage_engineers: 1, can_read_storage_code: false, kubernetes: false}}
"""

_OWN_SITE = """\
    kind: on-prem
    racks: {racks}                       # racks that storage nodes spread over
"""
_OWN_HARDWARE = """\
    local_nvme: {drives: 4, size: "7.68 TB", read: "6.5 GB/s", write: "3.5 GB/s"}     # data drives; rates of one
    storage_network: {ports: 2, rate: "200 Gbit/s", transport: infiniband}        # or roce, tcp
"""
_INSTANCES = """\
    # Drives and ports are the instance's own. EFA of AWS: storage_network: {transport: roce, ports: 32}
"""


def starter(
    *,
    name: str = "cluster",
    site: str = "on-prem",
    gpu_nodes: int = 16,
    gpus_per_node: int = 8,
    node: str | None = None,
) -> str:
    """
    A stack file for a cluster of this size, every block explained.

    Raises:   InputError if the site or the preset is unknown, or a count makes no stack
    """
    faults = [*_site_faults(site), *_name_faults(name), *_preset_faults(node)]
    if faults:
        raise InputError(faults)
    text = _STARTER.format(
        name=name,
        site=_site(site, racks=max(1, min(8, gpu_nodes // 4))),
        hardware=_OWN_HARDWARE if site == "on-prem" else _INSTANCES,
        node=f"    node: {node}\n" if node else "",
        gpu_nodes=gpu_nodes,
        gpus_per_node=gpus_per_node,
        gpus=gpu_nodes * gpus_per_node,
    )
    stack_from_text(text, name=name, where=f"starter {name}")  # counts are judged as in any stack
    return text


def _site(kind: str, *, racks: int) -> str:
    words = site_words(kind)
    return "".join(f"    {line}\n" for line in words.starter) if words else _OWN_SITE.format(racks=racks)


def _site_faults(site: str) -> list[str]:
    kind = properties_of(properties_of(flat_schema())["site"])["kind"]
    missing, known = kind.get("x-not-yet"), ["on-prem", *site_kinds()]
    if isinstance(missing, dict) and site in missing:
        return [f"site {shown(site)} is not yet honoured: {missing[site]}; allowed: {listed(known)}"]
    return [] if site in known else [f"site {shown(site)} is unknown; {nearest(site, known)}allowed: {listed(known)}"]


def _name_faults(name: str) -> list[str]:
    if re.fullmatch(r"[A-Za-z0-9_.-]{1,100}", name):
        return []
    return [f"name {shown(name)} is no stack name; use letters, digits, hyphen, underscore and point"]


def _preset_faults(node: str | None) -> list[str]:
    presets = sorted(catalogue().rows("nodes"))
    if node is None or node in presets:
        return []
    return [f"node {shown(node)} is not in the catalogue; {nearest(node, presets)}allowed: {listed(presets)}"]
