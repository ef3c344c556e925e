"""
What stands near the GPUs, as templates read it: how the local drives are shared, datasets, checkpoints, sessions, and
the way to the tiers beneath.

    50-local-<backend>/     set-up of drives and cache software
    60-train-io/            settings of loaders and checkpoint writers, and train_io.py that applies them
    70-data-path/           checks of the client's way to the hot tier
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import cast

import yaml

from tierplan import backends
from tierplan.domain.plan import Plan
from tierplan.domain.stack import Checkpoint, Dataset, KvCache, Training
from tierplan.domain.tiers import TierPlan
from tierplan.render.engine import SUFFIX, template_names
from tierplan.units import Bandwidth, Size

Job = tuple[str, str, Mapping[str, object]]
Values = dict[str, object]
LOCAL, TRAIN_IO, DATA_PATH = "50-local", "60-train-io", "70-data-path"
SHARED_MOUNT = "/mnt/hot"
USES = ("first_landing", "model_cache", "kv_cache", "dataset_cache", "other", "scratch")


def near_jobs(plan: Plan, common: Mapping[str, object]) -> Iterator[Job]:
    """Path, template and values of every file that is neither the hot tier's nor the cold tier's."""
    local = plan.tiers.get("local")
    if local is None:
        return
    near = near_values(plan, cast("Mapping[str, Values]", common.get("products", {})))
    base = {**common, "near": near, "crew": {"hosts": [], "examples": []}}
    if local.config.node.drives > 0 and plan.stack.tiers.local.use:
        folder, product = backends.module_name(local.config.backend), _product(local)
        values = {**base, "product": product, "tier": _tier(local)}
        yield from _folder(folder, f"{LOCAL}-{local.config.backend}", values)
    if near["training"]:
        yield from _folder("train_io", TRAIN_IO, base)
    if "hot" in plan.tiers:
        yield from _folder("data_path", DATA_PATH, base)


def near_values(plan: Plan, products: Mapping[str, Values]) -> Values:
    """Everything that templates read of the plan's workloads near the GPUs; sizes in bytes, counts whole."""
    stack = plan.stack
    training = [work for work in stack.workloads if isinstance(work, Training)]
    sessions = [work for work in stack.workloads if isinstance(work, KvCache)]
    shared = shared_place(plan, products)
    return {
        "shared": shared,
        "uses": {use: size for use in USES if (size := _bytes(plan, f"capacity.local_{use}_bytes_per_node"))},
        "gpu_nodes": stack.cluster.gpu_nodes,
        "gpus_per_node": stack.cluster.gpus_per_node,
        "cpu_cores": stack.cluster.cpu_cores,
        "host_memory_bytes": int(stack.cluster.host_memory.bytes),
        "ports": stack.cluster.storage_network.ports,
        "port_gbit": round(stack.cluster.storage_network.rate.bytes_per_s * 8 / 1e9),
        "transport": stack.cluster.storage_network.transport,
        "training": [_training(plan, work, str(shared["mount_point"])) for work in training],
        "datasets": [
            _dataset(plan, work.name, work.dataset, str(shared["mount_point"]))
            for work in training
            if work.dataset is not None and work.dataset.cache != "none"
        ],
        "sessions": [_sessions(plan, work) for work in sessions],
        "path": data_path(str(shared["backend"])),
    }


def shared_place(plan: Plan, products: Mapping[str, Values]) -> Values:
    """The tier that all GPU nodes share: its product, and where its clients find it."""
    tier = "hot" if "hot" in plan.tiers else "cold"
    chosen = plan.tiers.get("hot" if tier == "hot" else "cold")
    product = products.get(tier, {})
    mount = product.get("mount_point") or (
        f"/mnt/{product['filesystem_name']}" if "filesystem_name" in product else SHARED_MOUNT
    )
    need = chosen.need.clients if chosen is not None else None
    return {
        "tier": tier,
        "backend": chosen.config.backend if chosen is not None else "none",
        "mount_point": mount if tier == "hot" else "",
        "node_read_bytes_per_s": int(need.node_read.bytes_per_s) if need is not None else 0,
        "node_write_bytes_per_s": int(need.node_write.bytes_per_s) if need is not None else 0,
    }


def data_path(backend: str) -> Values:
    """What is known of a product's client: transports, GPUDirect Storage, versions; an empty row for others."""
    found = _paths().get(backend, _paths()["other"])
    return {"backend": backend, **found}


@cache
def _paths() -> Mapping[str, Mapping[str, object]]:
    text = files("tierplan").joinpath("catalogue/data_paths.yaml").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, object]]", yaml.safe_load(text)["paths"])


def _folder(templates: str, folder: str, values: Mapping[str, object]) -> Iterator[Job]:
    for template in template_names(templates):
        inner = template.partition("/")[2].removesuffix(SUFFIX)
        yield f"{folder}/{inner}", template, values


def _product(local: TierPlan) -> Values:
    product = dict(backends.load(local.config.backend).template_context(local, {}))
    named = cast("Sequence[str]", product.get("software_examples", ()))
    examples = [*named, *(() if product["drives_named"] else ("drive_paths",))]
    return {**product, "local_examples": examples}


def _tier(local: TierPlan) -> Values:
    given, nodes = local.delivered, max(1, local.config.nodes)
    return {
        "name": "local",
        "backend": local.config.backend,
        "nodes": local.config.nodes,
        "drive_bytes": int(local.config.node.drive.size.bytes * 0.99),  # sizes on labels are rounded
        "planned_fill_percent": round(given.planned_fill_fraction * 100),
        "planned_text": (given.planned / nodes).show(),
        "read_text": (given.healthy.read / nodes).show(),
        "write_text": (given.healthy.write / nodes).show(),
        "limited_by": given.healthy.read_limited_by,
        "need_read_text": (local.need.read / nodes).show(),
        "need_write_text": (local.need.write / nodes).show(),
        "notes": list(given.notes),
    }


def _number(plan: Plan, figure_id: str) -> float | None:
    figure = plan.requirement.figures.get(figure_id) or plan.outcome.get(figure_id)
    return figure.number if figure is not None else None


def _bytes(plan: Plan, figure_id: str) -> int:
    return int(_number(plan, figure_id) or 0)


def _training(plan: Plan, work: Training, mount: str) -> Values:
    nodes = _bytes(plan, f"{work.name}.jobs.nodes") or 1
    found: Values = {
        "name": work.name,
        "gpus": work.gpus,
        "gpus_per_node": plan.stack.cluster.gpus_per_node,
        "nodes": nodes,
        "dataset": None if work.dataset is None else _dataset(plan, work.name, work.dataset, mount),
        "checkpoint": None if work.checkpoint is None else _checkpoint(plan, work, work.checkpoint, mount),
    }
    return found


def _dataset(plan: Plan, name: str, asked: Dataset, mount: str) -> Values:
    def number(quantity: str) -> float | None:
        return _number(plan, f"{name}.dataset.{quantity}")

    loader = asked.loader
    shards = int(number("shards") or number("samples") or 0)
    return {
        "name": name,
        "path": f"{mount}/datasets/{name}",
        "read_from": _read_from(plan, name, asked, mount),
        "format": asked.format,
        "cache": asked.cache,
        "copies": asked.cache_copies,
        "size_bytes": int(asked.size.bytes),
        "size_text": asked.size.show(),
        "sample_bytes": int(asked.sample_size.bytes) if asked.sample_size is not None else 0,
        "samples_per_shard": int(number("samples_per_shard") or asked.samples_per_shard or 1),
        "shards": shards,
        "even_shards": int(number("even_shards") or shards),
        "nodes": _bytes(plan, f"{name}.jobs.nodes") or 1,
        "room_bytes_per_node": int(number("node_cache_bytes") or 0),
        "cached_bytes_per_node": int(number("cached_bytes_per_node") or 0),
        "hit_percent": round(100 * (number("hit_fraction") or 0.0), 1),
        "page_cache_bytes_per_node": int(number("page_cache_bytes_per_node") or 0),
        "preload_text": "" if number("preload_s") is None else _time(number("preload_s")),
        "workers": loader.workers if loader is not None else 0,
        "prefetch": loader.prefetch if loader is not None else 2,
        "batch": loader.batch if loader is not None else 0,
    }


def _read_from(plan: Plan, name: str, asked: Dataset, mount: str) -> str:
    """Where a job reads its dataset: through the cache software, from local drives, or from the shared tier."""
    stack, local = plan.stack, plan.tiers.get("local")
    shared = f"{mount}/datasets/{name}"
    if asked.cache == "none" or "dataset-cache" not in stack.tiers.local.use or local is None:
        return shared
    product = backends.load(local.config.backend).template_context(local, {})
    match stack.tiers.local.software:
        case "alluxio":
            return f"{product['fuse_mount']}/{name}"
        case "juicefs":
            hot = plan.tiers.get("hot")
            own = hot is not None and hot.config.backend == "juicefs"
            return shared if own else f"{product['volume_mount']}/datasets/{name}"
        case "fluid":
            return f"/data/{name}"
        case _:
            return f"{product['mount_point']}/datasets/{name}"


def _time(seconds: float | None) -> str:
    return f"{(seconds or 0) / 60:.1f} min"


def _checkpoint(plan: Plan, work: Training, asked: Checkpoint, mount: str) -> Values:
    def number(quantity: str) -> float:
        return _number(plan, f"{work.name}.checkpoint.{quantity}") or 0.0

    landing = asked.first_landing if "checkpoint-first-landing" in plan.stack.tiers.local.use else "hot"
    retain = asked.retain
    return {
        "path": f"{mount}/checkpoints/{work.name}",
        "local_path": f"{_local_mount(plan)}/checkpoints/{work.name}",
        "mode": asked.mode,
        "interval_s": round(number("interval_s")),
        "keep": asked.keep,
        "keep_last": retain.last if retain is not None else asked.keep,
        "keep_best": retain.best if retain is not None else 0,
        "keep_weekly": retain.weekly if retain is not None else 0,
        "landing": landing,
        "size_bytes": int(number("size_bytes")),
        "size_text": Size(number("size_bytes")).show(),
        "node_bytes": int(number("node_bytes")),
        "files": int(number("files")),
        "write_text": Bandwidth(number("write_bytes_per_s") or number("drain_bytes_per_s")).show(),
        "drain_window_s": round(number("drain_window_s")),
        "sharding": work.parallelism.sharding,
        "tensor": work.parallelism.tensor,
        "pipeline": work.parallelism.pipeline,
    }


def _local_mount(plan: Plan) -> str:
    local = plan.tiers.get("local")
    if local is None:
        return "/local"
    folders = backends.load(local.config.backend).template_context(local, {})["directories"]
    return str(cast("Sequence[str]", folders)[0]) if folders else "/local"


def _sessions(plan: Plan, work: KvCache) -> Values:
    def number(quantity: str) -> float:
        return _number(plan, f"{work.name}.kv_cache.{quantity}") or 0.0

    nodes = work.gpu_nodes or plan.stack.cluster.gpu_nodes
    return {
        "name": work.name,
        "nodes": nodes,
        "context": work.context,
        "placement": list(work.placement),
        "token_bytes": int(number("bytes_per_token")),
        "session_bytes": int(number("session_bytes")),
        "host_bytes_per_node": int(number("host_space_bytes") / nodes),
        "local_bytes_per_node": int(number("local_bytes_per_node")),
        "shared_bytes": int(number("shared_bytes")) if "hot" in work.placement else 0,
        "reload_text": f"{number('reload_s'):.3g} s",
        "within_text": work.reload_within.show(),
        "break_even_text": Bandwidth(number("break_even_bytes_per_s")).show(),
    }
