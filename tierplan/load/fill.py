"""
What a stack leaves out: presets of the catalogue, then defaults of the schema; the stack's own words always win.

Works on a document without faulty keys.  A key that was faulty stays out (`spoilt`), so that no default hides it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

from tierplan.load.facts import Table, catalogue
from tierplan.load.faults import Fault, join, listed, nearest
from tierplan.load.schema import Schema, branch, flat_schema, properties_of

Block = dict[str, object]


@dataclass(slots=True)
class Draft:
    """A document while it is completed, with the origin of every key path."""

    document: Block
    spoilt: set[str]
    origins: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def fault(self, path: str, message: str) -> None:
        """One more thing that is wrong; what hangs on this key is not judged."""
        self.faults.append(Fault(path=path, message=message))
        self.spoilt.add(path)

    def put(self, block: Block, path: str, key: str, value: object, origin: str) -> None:
        """Set a key that the stack leaves out; of a map, each key that is left out."""
        below = join(path, key)
        if below in self.spoilt:
            return
        if isinstance(value, Mapping):
            if key not in block:
                block[key] = {}
                self.origins[below] = origin
            inner = block[key]
            if isinstance(inner, dict):
                for name, item in value.items():
                    self.put(inner, below, name, item, origin)
        elif key not in block:
            block[key] = list(value) if isinstance(value, list) else value
            self.origins[below] = origin


def fill(draft: Draft) -> None:
    """Everything that the stack leaves out and that has a preset or a default."""
    draft.origins.update(dict.fromkeys(_paths(draft.document, ""), "stack"))
    cluster = draft.document.get("cluster")
    if isinstance(cluster, dict):
        _fill_node(draft, cluster)
    for path, workload in workloads(draft.document):
        _fill_workload(draft, workload, path)
    _fill_reference(draft)
    _fill_defaults(draft, draft.document, flat_schema(), "")
    for path, workload in workloads(draft.document):
        _fill_data_parallel(draft, workload, path)


def workloads(document: Block) -> Iterator[tuple[str, Block]]:
    """The workloads that could be read, with their paths."""
    listing = document.get("workloads")
    for index, workload in enumerate(listing if isinstance(listing, list) else ()):
        if isinstance(workload, dict):
            yield f"workloads[{index}]", workload


def _paths(value: object, path: str) -> Iterator[str]:
    children: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, dict):
        children = iter(value.items())
    elif isinstance(value, list):
        children = iter(enumerate(value))
    for key, child in children:
        below = join(path, key)
        yield below
        yield from _paths(child, below)


def _values(draft: Draft, table: Table, block: Block, path: str, key: str) -> Mapping[str, object] | None:
    """The values of the row that a key names; an unknown row is a fault."""
    row_id = block.get(key)
    if not isinstance(row_id, str):
        return None
    row = catalogue().row(table, row_id)
    if row is None:
        ids = sorted(catalogue().rows(table))
        message = f'"{row_id[:60]}" is not in the catalogue; {nearest(row_id, ids)}allowed: {listed(ids)}'
        draft.fault(join(path, key), message)
        return None
    return row.values


def _fill_node(draft: Draft, cluster: Block) -> None:
    values = _values(draft, "nodes", cluster, "cluster", "node")
    for key, value in (values or {}).items():
        draft.put(cluster, "cluster", key, value, f"catalogue nodes/{cluster['node']}")


def _fill_workload(draft: Draft, workload: Block, path: str) -> None:
    kind, model = workload.get("kind"), workload.get("model")
    if isinstance(model, dict) and kind == "kv-cache":
        _fill_kv_model(draft, model, join(path, "model"))
    elif isinstance(model, dict):
        _fill_model(draft, model, join(path, "model"))
        if kind == "training":
            _fill_training_state(draft, model, join(path, "model"))
    dataset = workload.get("dataset")
    if isinstance(dataset, dict):
        values = _values(draft, "profiles", dataset, join(path, "dataset"), "profile")
        for key, value in (values or {}).items():
            if "tokens" not in dataset:
                draft.put(dataset, join(path, "dataset"), key, value, f"catalogue profiles/{dataset['profile']}")
    checkpoint = workload.get("checkpoint")
    if isinstance(checkpoint, dict):
        _fill_keep(draft, checkpoint, join(path, "checkpoint"))


def _fill_reference(draft: Draft) -> None:
    targets = draft.document.get("targets")
    reference = targets.get("reference") if isinstance(targets, dict) else None
    if isinstance(reference, dict):
        values = _values(draft, "references", reference, "targets.reference", "catalogue")
        for key, value in (values or {}).items():
            draft.put(reference, "targets.reference", key, value, f"catalogue references/{reference['catalogue']}")
        for key in ("gpus", "read", "write"):
            path = join("targets.reference", key)
            if key not in reference and not {path, "targets.reference.catalogue"} & draft.spoilt:
                draft.fault(path, "missing; write it, or catalogue: with a row that has it")


def _fill_model(draft: Draft, model: Block, path: str) -> None:
    values = _values(draft, "models", model, path, "catalogue")
    if values is None or "shape" in model:
        return
    origin = f"catalogue models/{model['catalogue']}"
    if "parameters" in values:
        if "parameters" not in model and "active_parameters" in values:
            draft.put(model, path, "experts", {"active_parameters": values["active_parameters"]}, origin)
        draft.put(model, path, "parameters", values["parameters"], origin)
    elif "parameters" not in model and join(path, "parameters") not in draft.spoilt:
        message = f"{model['catalogue']} has no number of parameters in the catalogue; write parameters beside it"
        draft.fault(join(path, "catalogue"), message)


def _fill_training_state(draft: Draft, model: Block, path: str) -> None:
    if "bytes_per_parameter" not in model and join(path, "bytes_per_parameter") not in draft.spoilt:
        draft.put(model, path, "training_state", default_training_state(), "default")
    values = _values(draft, "training_states", model, path, "training_state")
    if values is not None:
        origin = f"catalogue training_states/{model['training_state']}"
        draft.put(model, path, "bytes_per_parameter", values["bytes_per_parameter"], origin)


def default_training_state() -> str:
    """The training state of a stack that says nothing of it."""
    training = branch(cast("Schema", properties_of(flat_schema())["workloads"]["items"]), {"kind": "training"})
    return str(properties_of(properties_of(training)["model"])["training_state"]["x-default"])


def _fill_kv_model(draft: Draft, model: Block, path: str) -> None:
    values = _values(draft, "models", model, path, "catalogue")
    if values is None:
        return
    origin = f"catalogue models/{model['catalogue']}"
    shape = cast("Mapping[str, object]", values.get("kv", {}))
    if not shape and "layers" not in model:
        draft.fault(join(path, "catalogue"), f"{model['catalogue']} has no KV shape in the catalogue; write layers, …")
    for key, value in shape.items():
        draft.put(model, path, key, value, origin)
    if "parameters" in values:
        draft.put(model, path, "parameters", values["parameters"], origin)


def _fill_keep(draft: Draft, checkpoint: Block, path: str) -> None:
    """With `retain`, as many stay as it names."""
    kept = kept_by(checkpoint.get("retain"))
    if kept is not None and not any(spoilt.startswith(join(path, "retain")) for spoilt in draft.spoilt):
        draft.put(checkpoint, path, "keep", kept, f"stack {join(path, 'retain')}")


def kept_by(retain: object) -> int | None:
    """How many checkpoints a `retain` block keeps."""
    if not isinstance(retain, dict):
        return None
    return sum(count for key in ("last", "best", "weekly") if isinstance(count := retain.get(key), int))


def _fill_defaults(draft: Draft, block: Block, schema: Schema, path: str) -> None:
    for key, wanted in properties_of(schema).items():
        if key not in block and "default" in wanted:
            draft.put(block, path, key, wanted["default"], "default")
        value = block.get(key)
        if isinstance(value, dict):
            _fill_defaults(draft, value, wanted, join(path, key))
        elif isinstance(value, list):
            items = cast("Schema", wanted.get("items", {}))
            for index, item in enumerate(value):
                if isinstance(item, dict):
                    _fill_defaults(draft, item, branch(items, item), join(join(path, key), index))


def _fill_data_parallel(draft: Draft, workload: Block, path: str) -> None:
    parallelism, gpus = workload.get("parallelism"), workload.get("gpus")
    if not isinstance(parallelism, dict) or not isinstance(gpus, int):
        return
    tensor, pipeline = parallelism.get("tensor"), parallelism.get("pipeline")
    if isinstance(tensor, int) and isinstance(pipeline, int) and gpus % (tensor * pipeline) == 0:
        data = gpus // (tensor * pipeline)
        draft.put(parallelism, join(path, "parallelism"), "data", data, "default")
