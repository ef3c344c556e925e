"""What the keys of one workload say together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.load.facts import Table, catalogue
from tierplan.load.faults import Fault, listed, shown
from tierplan.load.fill import kept_by
from tierplan.load.parts import Part, Rule, run
from tierplan.units import Size


def workload_faults(stack: Part) -> Iterator[Fault]:
    """What the rules of each workload's kind find."""
    if "workloads" in stack.spoilt:
        return
    for workload in stack.parts("workloads"):
        yield from run(_RULES.get(str(workload.block.get("kind")), ()), workload)


def gpus_of(cluster: Part | None) -> int | None:
    """GPUs of the whole cluster, where both counts are known."""
    if cluster is None:
        return None
    nodes, each = cluster.number("gpu_nodes"), cluster.number("gpus_per_node")
    return None if nodes is None or each is None else int(nodes * each)


def _degrees_make_the_job(workload: Part) -> Iterator[Fault]:
    gpus, degrees = workload.number("gpus"), workload.part("parallelism")
    if gpus is None or degrees is None:
        return
    tensor, pipeline = degrees.number("tensor") or 1, degrees.number("pipeline") or 1
    data = degrees.number("data")
    if gpus % (tensor * pipeline):
        message = f"tensor {tensor} x pipeline {pipeline} = {tensor * pipeline} does not divide gpus {gpus}"
        yield degrees.fault("", f"{message}; choose degrees whose product does")
    elif data is not None and tensor * pipeline * data != gpus:
        product = f"tensor {tensor} x pipeline {pipeline} x data {data} = {tensor * pipeline * data}"
        right = int(gpus // (tensor * pipeline))
        yield degrees.fault("data", f"{product} is not gpus {gpus}; write data: {right}, or leave it out")


def _model_has_one_size(workload: Part) -> Iterator[Fault]:
    model = workload.part("model")
    if model is None:
        return
    if model["catalogue"] is None or model["shape"] is not None:
        yield from model.only_one("parameters", "catalogue", "shape", of="how many parameters there are")
    else:
        yield from _agrees_with_row(model, "parameters", "catalogue", "models")
    experts = model.part("experts")
    active, whole = experts.number("active_parameters") if experts else None, model.number("parameters")
    if experts and active is not None and whole is not None and active > whole:
        yield experts.fault("active_parameters", f"{shown(active)} is more than all parameters, {shown(whole)}")


def _training_state_is_one(workload: Part) -> Iterator[Fault]:
    model = workload.part("model")
    if model is not None and model["training_state"] is not None:
        yield from _agrees_with_row(model, "bytes_per_parameter", "training_state", "training_states")


def _agrees_with_row(model: Part, key: str, named_by: str, table: Table) -> Iterator[Fault]:
    """A number beside the row that says it: the same, as in a pinned stack, or one of them is a mistake."""
    row = catalogue().row(table, model.text(named_by) or "")
    stated, value = row.values.get(key) if row else None, model.number(key)
    if isinstance(stated, int | float) and value is not None and value != stated:
        message = f"{shown(value)} is not the {shown(stated)} of {named_by} {model[named_by]}; keep one of the two keys"
        yield model.fault(key, message)


def _shape_is_possible(workload: Part) -> Iterator[Fault]:
    model = workload.part("model")
    shape = model.part("shape") if model else None
    if shape is None:
        return
    heads, kv_heads, hidden = shape.number("heads"), shape.number("kv_heads"), shape.number("hidden")
    if heads is not None and kv_heads is not None and kv_heads > heads:
        yield shape.fault("kv_heads", f"{kv_heads} is more than heads {heads}")
    if heads is not None and hidden is not None and hidden < heads:
        yield shape.fault("hidden", f"{hidden} is less than heads {heads}; a head needs one dimension at least")


def _adapters_have_a_size(workload: Part) -> Iterator[Fault]:
    model = workload.part("model")
    adapters = model.part("adapters") if model else None
    if model is None or adapters is None:
        return
    yield from adapters.only_one("rank", "parameters", of="how many parameters the adapters have")
    if adapters["rank"] is not None and adapters["parameters"] is None and model["shape"] is None:
        yield adapters.fault("rank", "needs shape beside it to count parameters; write shape, or adapters.parameters")


def _sync_allows_a_stall(workload: Part) -> Iterator[Fault]:
    checkpoint = workload.part("checkpoint")
    if checkpoint and checkpoint["mode"] == "sync" and checkpoint["overhead"] == 0:
        message = (
            "0 with mode sync allows no stall: the bandwidth would be the checkpoint's size divided by zero seconds; "
            "write more than 0, e.g. 0.03, or mode: async"
        )
        yield checkpoint.fault("overhead", message)


def _keeping_is_said_once(workload: Part) -> Iterator[Fault]:
    checkpoint = workload.part("checkpoint")
    kept = kept_by(checkpoint["retain"]) if checkpoint else None
    if checkpoint and kept is not None and checkpoint.number("keep") not in (None, kept):
        yield checkpoint.fault("keep", f"keep {checkpoint['keep']} and retain ({kept} in all) disagree; keep one")


def _dataset_has_one_rate(workload: Part) -> Iterator[Fault]:
    dataset = workload.part("dataset")
    if dataset is None:
        return
    if dataset["tokens"] is not None:
        others = dataset.given("samples_per_s_per_gpu", "profile")
        if others:
            yield dataset.fault("tokens", f"tokens and {' and '.join(others)} both say how fast it is read; keep one")
    elif dataset["samples_per_s_per_gpu"] is not None and dataset["sample_size"] is None:
        yield dataset.fault("sample_size", 'missing beside samples_per_s_per_gpu; write e.g. "110 kB"')
    sample, whole = dataset.text("sample_size"), dataset.text("size")
    if sample and whole and Size.parse(sample) > Size.parse(whole):
        yield dataset.fault("sample_size", f'"{sample}" is larger than the whole dataset, "{whole}"')


def _weights_are_said_once(workload: Part) -> Iterator[Fault]:
    yield from workload.only_one("weights", "model", of="how many bytes the weights have")


_KV_WAYS: Mapping[str, tuple[str, ...]] = {"heads": ("kv_heads", "head_dimension"), "latent": ("latent_dimension",)}


def _kv_shape_is_whole(workload: Part) -> Iterator[Fault]:
    model = workload.part("model")
    if model is None or model["catalogue"] == "":  # asked, so that an unknown row ends the rule
        return
    heads, latent = model.given(*_KV_WAYS["heads"]), model.given(*_KV_WAYS["latent"])
    if heads and latent:
        message = f"latent_dimension and {' and '.join(heads)} are two kinds of attention; keep one"
        yield model.fault("latent_dimension", message)
        return
    wanted = ("layers", *_KV_WAYS["latent" if latent else "heads"])
    missing = [key for key in wanted if model[key] is None]
    if missing:
        yield model.fault(missing[0], f"missing; a token's cache needs {listed(wanted)}, or catalogue")


def _something_is_asked(workload: Part) -> Iterator[Fault]:
    quantities = [workload.text(key) or "" for key in ("read", "write", "operations")]
    if all(text.split(maxsplit=1)[:1] and not float(text.split()[0]) for text in quantities):
        yield workload.fault("", "asks nothing; write read, write or operations above zero")


_RULES: Mapping[str, tuple[Rule, ...]] = {
    "training": (
        _degrees_make_the_job,
        _model_has_one_size,
        _training_state_is_one,
        _shape_is_possible,
        _adapters_have_a_size,
        _sync_allows_a_stall,
        _keeping_is_said_once,
        _dataset_has_one_rate,
    ),
    "model-load": (_weights_are_said_once, _model_has_one_size, _shape_is_possible),
    "kv-cache": (_kv_shape_is_whole,),
    "general": (_something_is_asked,),
}
