"""Which line of a stack file a finding is about: the key that a person would change."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tierplan.domain.plan import Finding
from tierplan.domain.stack import Stack

OF_A_TIER = {
    "-layout": "layout",
    "-durability": "layout",
    "-node": "node",
    "-quota": "options",
    "-size": "options.size",
    "-class": "options",
}
OF_THE_STACK = {
    "hot-client": "cluster.storage_network",
    "advice-shared-network": "cluster.storage_network",
    "advice-local-nvme": "cluster.local_nvme",
    "advice-reference": "targets.reference",
    "advice-staff": "operations.storage_engineers",
    "advice-stall-cost": "cluster.price",
    "budget-monthly": "targets.budget.monthly",
    "cloud-network": "site.network",
    "survive-durability": "targets.annual_loss_probability",
    "local-memory": "cluster.host_memory",
    "local-software": "tiers.local.software",
    "local-ports": "cluster.storage_network",
    "advice-kv-store": "tiers.local.software",
}
OF_A_SCOPE = {
    "fabric": ("fabric", "cluster.storage_network"),
    "lifecycle": ("tiers.lifecycle",),
    "bucket": ("tiers.cold.options", "tiers.cold"),
    "cloud": ("tiers.hot.options", "tiers.hot"),
    "local": ("cluster.local_nvme",),
    "kv": ("tiers.local",),
    "cache": ("tiers.local",),
    "cold": ("tiers.cold",),
    "hot": ("tiers.hot",),
    "budget": ("targets.budget",),
}
OF_A_JOB = {
    "hot-restore-time": "restore.within",
    "hot-load-time": "within",
    "kv-reload-time": "reload_within",
    "kv-capacity": "placement",
    "cache-mode": "dataset.cache",
    "local-drain": "checkpoint.drain_fraction",
    "local-peer": "checkpoint.first_landing",
    "cache-fill-time": "dataset.preload_within",
    "advice-kv-reload": "placement",
    "local-refetchable": "checkpoint.first_landing",
    "local-memory": "checkpoint.staging",
    "local-endurance": "checkpoint.interval",
    "advice-async-checkpoint": "checkpoint.mode",
    "advice-goodput": "checkpoint.interval",
    "advice-weights-only": "model",
    "advice-activations": "model",
    "advice-pack-files": "dataset.samples_per_shard",
    "advice-format": "dataset.format",
    "advice-loader": "dataset.loader",
    "advice-fan-out": "fan_out",
    "advice-restore-once": "restore.reads",
    "advice-kv-recompute": "resumes",
}


def line_of(finding: Finding, stack: Stack) -> int:
    """The line of the nearest key that the finding is about, or of the block around it; 1 where there is none."""
    for path in _paths(finding, stack):
        if path in stack.lines:
            return stack.lines[path]
    return 1


def _paths(finding: Finding, stack: Stack) -> Iterator[str]:
    """Key paths from the nearest to the widest."""
    policy = finding.policy
    job = _job(finding, stack)
    if job and policy in OF_A_JOB:
        yield from _around(f"{job}.{OF_A_JOB[policy]}", stop=job)
    if policy in OF_THE_STACK:
        yield from _around(OF_THE_STACK[policy])
    if job and finding.tier is None:
        yield job
    if finding.tier in ("hot", "cold"):
        tier = f"tiers.{finding.tier}"
        word = next((key for ending, key in OF_A_TIER.items() if policy.endswith(ending)), None)
        if word is None and policy == "survive-bandwidth":
            word = "nodes"
        if word is None and policy.startswith("survive-"):
            word = "layout"
        yield from _around(f"{tier}.{word or 'nodes'}", stop=tier)
        yield from (f"{tier}.{key}" for key in ("options.size", "quote", "backend"))
        yield tier
    for path in OF_A_SCOPE.get(policy.partition("-")[0], ()):
        yield from _around(path)
    yield from ("tiers", "workloads", "")


def _around(path: str, stop: str = "") -> Iterator[str]:
    """A key and the blocks around it, but no wider than one below the root."""
    while path and path != stop:
        yield path
        path = path[: max(0, path.rfind("."), path.rfind("["))]
    if stop:
        yield stop


def _job(finding: Finding, stack: Stack) -> str:
    """The workload that a message speaks of; the first that could be meant where it names none and there is but one."""
    for index, work in enumerate(stack.workloads):
        if re.search(rf"(?<![\w-]){re.escape(work.name)}(?![\w-])", finding.message):
            return f"workloads[{index}]"
    return "workloads[0]" if len(stack.workloads) == 1 and finding.policy in OF_A_JOB else ""
