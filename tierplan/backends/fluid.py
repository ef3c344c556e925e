"""Fluid on Kubernetes: datasets as objects, cached by Alluxio or JuiceFS workers that it starts on GPU nodes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue, _cache_alluxio
from tierplan.backends._choosing import OptionKind, Relied, option
from tierplan.backends._local import COMMON, LocalProduct, local_model, media, reads_at_most, word_fault
from tierplan.backends._sizing import Model
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig, TierPlan
from tierplan.units import Bandwidth

OPTIONS: Mapping[str, OptionKind] = {
    **COMMON,
    "runtime": str,
    "namespace": str,
    "source": str,
    "secret": str,
    "placement": str,
    "policy": str,
    "schedule": str,
}
RUNTIMES = ("alluxio", "juicefs")
PLACEMENTS = ("Exclusive", "Shared")
POLICIES = ("Once", "Cron")
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def runtime(config: TierConfig) -> str:
    """What Fluid starts: the stack's word, else Alluxio, whose cache is one for all nodes."""
    word = option(config.options, "runtime", str)
    return word if word in RUNTIMES else RUNTIMES[0]


def model(config: TierConfig, need: TierNeed, used: Relied) -> Model:
    """The arrays, below what the runtime reads through FUSE."""
    mount = reads_at_most(
        media(config, used), "cpu", used.quantity(Bandwidth, "client_per_core") * used["client_cores"]
    )
    alluxio = _cache_alluxio.ceilings(config, need, used)  # both were weighed
    return local_model(config, need, used, *({"alluxio": alluxio, "juicefs": (mount,)}[runtime(config)]))


def faults(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:  # noqa: ARG001  # as every product's
    """Fluid's own words: enumerations of its objects, names that Kubernetes takes."""
    policy = f"{config.tier}-layout"
    yield from word_fault(config, "runtime", RUNTIMES)
    yield from word_fault(config, "placement", PLACEMENTS)
    yield from word_fault(config, "policy", POLICIES)
    for path in ("namespace", "secret"):
        name = option(config.options, path, str)
        if name is not None and not NAME.fullmatch(name):
            message = f"fluid: {path} {name[:60]!r} is no name of Kubernetes"
            yield Illegal(policy=policy, message=message, remedy=f"write {path} in lower case, digits and hyphens")
    if option(config.options, "policy", str) == "Cron" and not option(config.options, "schedule", str):
        message = "fluid: policy Cron without a schedule"
        yield Illegal(policy=policy, message=message, remedy='write schedule: "0 2 * * *", or policy: Once')


def notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:  # noqa: ARG001  # as every product's
    """What a reader should know beside the figures."""
    if runtime(config) == "juicefs":
        shared = "workers of the community edition share nothing: each node's cache is its own (one dataset, one mount)"
    else:
        share = _cache_alluxio.remote_share(nodes=config.nodes)
        shared = f"one cache over all nodes: {share:.0%} of a node's reads come from other nodes, through its ports"
    return (shared, "pods read a claim of the dataset's name; no GPUDirect Storage through FUSE")


def context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    """What the objects need: runtime, namespace, source, secret, placement, policy, schedule."""
    options = plan.config.options
    return {
        "runtime": runtime(plan.config),
        "namespace": option(options, "namespace", str) or "default",
        "source": option(options, "source", str) or "",
        "secret": option(options, "secret", str) or "dataset-source",
        "placement": option(options, "placement", str) or "Exclusive",
        "policy": option(options, "policy", str) or "Once",
        "schedule": option(options, "schedule", str) or "",
    }


BACKEND: Backend = LocalProduct(
    id="fluid", options=OPTIONS, arrays="per-drive", model=model, faults=faults, notes=notes, context=context
)
