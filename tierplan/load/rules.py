"""What several keys of a stack say together; one rule a function, workload rules in `rules_workload`."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.load.facts import catalogue
from tierplan.load.faults import Fault, listed
from tierplan.load.fill import Draft
from tierplan.load.parts import Part, Rule, run
from tierplan.load.rules_site import site_faults
from tierplan.load.rules_workload import gpus_of, workload_faults

_UNPLANNED = ("auto", "none", "hdfs", "cfs-turbo")  # the last two: known, and rejected by the plan with the reason
_PINS = ("nodes", "node", "layout", "quote", "options")


def stack_faults(draft: Draft) -> list[Fault]:
    """What the rules find in a completed document."""
    faults = list(run(_RULES, Part(draft.document, "", frozenset(draft.spoilt))))
    spoilt = draft.spoilt | {fault.path for fault in faults}
    return [*faults, *workload_faults(Part(draft.document, "", frozenset(spoilt)))]


def _gpus_per_node_is_known(stack: Part) -> Iterator[Fault]:
    cluster = stack.part("cluster")
    if cluster and cluster["node"] is None and cluster["gpus_per_node"] is None:
        presets = listed(sorted(catalogue().rows("nodes")))
        yield cluster.fault("gpus_per_node", f"missing; write it, or name a preset as node: {presets}")


def _growth_ascends(stack: Part) -> Iterator[Fault]:
    cluster = stack.part("cluster")
    before = 0
    for step in cluster.parts("growth") if cluster else ():
        year = step.number("year") or 0
        if year <= before:
            yield step.fault("year", f"year {year:g} does not come after year {before}; write the years in order")
        before = int(max(year, before))


def _names_are_unique(stack: Part) -> Iterator[Fault]:
    first: dict[str, str] = {}
    for workload in stack.parts("workloads"):
        if f"{workload.path}.name" in workload.spoilt:
            continue
        name = workload.text("name") or ""
        if name in first:
            yield workload.fault("name", f'"{name}" is the name of {first[name]} too; names are unique')
        first.setdefault(name, workload.path)


def _jobs_fit_the_cluster(stack: Part) -> Iterator[Fault]:
    """One job's GPUs; more jobs than fit at once are no fault."""
    cluster = stack.part("cluster")
    most = gpus_of(cluster)
    for workload in stack.parts("workloads"):
        if cluster is None or most is None or f"{workload.path}.gpus" in workload.spoilt:
            continue
        gpus = workload.number("gpus") or 0
        if gpus > most:
            nodes = f"{cluster['gpu_nodes']} nodes of {cluster['gpus_per_node']}"
            yield workload.fault("gpus", f"{gpus} GPUs are more than the cluster's {most} ({nodes}); lower gpus")


def _serving_nodes_fit_the_cluster(stack: Part) -> Iterator[Fault]:
    cluster = stack.part("cluster")
    most = cluster.number("gpu_nodes") if cluster else None
    for workload in stack.parts("workloads"):
        if most is None or f"{workload.path}.gpu_nodes" in workload.spoilt:
            continue
        nodes = workload.number("gpu_nodes") or 0
        if nodes > most:
            yield workload.fault("gpu_nodes", f"{nodes} nodes are more than the cluster's {most}; lower gpu_nodes")


def _site_words_fit_its_kind(stack: Part) -> Iterator[Fault]:
    site = stack.part("site")
    if site and site["kind"] == "on-prem":
        for key in site.given("region", "zone", "network"):
            if site[key]:
                yield site.fault(key, f"an on-prem site has no {key}; leave it out, or name the cloud as kind")


def _backends_are_planned(stack: Part) -> Iterator[Fault]:
    tiers = stack.part("tiers")
    for tier in ("hot", "cold"):
        pins = tiers.part(tier) if tiers and f"tiers.{tier}" not in tiers.spoilt else None
        if pins is None or f"{pins.path}.backend" in pins.spoilt:
            continue
        backend = pins.text("backend")
        if backend and backend not in _UNPLANNED and backend not in catalogue().known():
            planned = listed(catalogue().ids(tier))
            message = f'"{backend}" is not yet honoured: this release does not plan it; allowed: auto, {planned}'
            yield pins.fault("backend", message)


def _no_backend_has_no_pins(stack: Part) -> Iterator[Fault]:
    tiers = stack.part("tiers")
    hot = tiers.part("hot") if tiers else None
    if hot and hot["backend"] == "none" and (pins := hot.given(*_PINS)):
        yield hot.fault("backend", f"none takes no {listed(pins)}; leave them out, or name a backend")


def _remote_drives_stand_in_for_own_ones(stack: Part) -> Iterator[Fault]:
    cluster, tiers = stack.part("cluster"), stack.part("tiers")
    nvme = cluster.part("local_nvme") if cluster else None
    local = tiers.part("local") if tiers else None
    drives = nvme.number("drives") if nvme else None
    if local and local.block.get("remote") is not None and drives:
        yield local.fault(
            "remote",
            f"the GPU nodes have {drives:g} drives of their own; write cluster.local_nvme.drives: 0, "
            "or leave remote out",
        )


def _layouts_say_one_thing(stack: Part) -> Iterator[Fault]:
    tiers = stack.part("tiers")
    for tier in ("hot", "cold"):
        pins = tiers.part(tier) if tiers and f"tiers.{tier}" not in tiers.spoilt else None
        layout = pins.part("layout") if pins and f"tiers.{tier}.layout" not in pins.spoilt else None
        if layout is None:
            continue
        units = [key for key in ("data_units", "parity_units") if layout.block.get(key) is not None]
        if units and layout.block.get("replicas") is not None:
            message = f"replicas beside {' and '.join(units)}: data is kept as copies or by a code; keep one"
            yield layout.fault("replicas", message)


_RULES: tuple[Rule, ...] = (
    _gpus_per_node_is_known,
    _growth_ascends,
    _names_are_unique,
    _jobs_fit_the_cluster,
    _serving_nodes_fit_the_cluster,
    _site_words_fit_its_kind,
    site_faults,
    _backends_are_planned,
    _no_backend_has_no_pins,
    _remote_drives_stand_in_for_own_ones,
    _layouts_say_one_thing,
)
