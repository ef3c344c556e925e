"""The decision path: which system experience would take first, before any arithmetic."""

from __future__ import annotations

from tierplan.domain.facts import Catalogue
from tierplan.domain.plan import Plan
from tierplan.domain.stack import Operations, Stack

SMALL, LARGE = 64, 1000  # GPUs
ENOUGH_ENGINEERS = 2.0


def path_row(gpus: int, operations: Operations, *, cloud: bool) -> tuple[str, tuple[str, ...]]:
    """The row of the decision path in words, and the backends that it names, the first choice first."""
    if cloud:
        managed = ("fsx-lustre", "azure-lustre", "google-lustre", "oci-lustre", "cpfs", "juicefs")
        return "in a cloud: the managed parallel file system, or JuiceFS on the object store", managed
    if gpus < SMALL:
        return "below 64 GPUs: local NVMe with CephFS, JuiceFS or an all-flash NAS", ("cephfs", "juicefs", "nfs")
    engineers = operations.storage_engineers or 0.0
    if gpus <= LARGE:
        if engineers < ENOUGH_ENGINEERS:
            return "64 to 1,000 GPUs with few storage engineers: a VAST class appliance", ("vast",)
        return "64 to 1,000 GPUs with enough storage engineers: Storage Scale ECE or WEKA", ("storage-scale", "weka")
    if operations.can_read_storage_code:
        return "above 1,000 GPUs with people who read storage code: 3FS, a commercial system as fallback", ("3fs",)
    return (
        "above 1,000 GPUs without people who read storage code: WEKA, Storage Scale or VAST at scale",
        ("weka", "storage-scale", "vast"),
    )


def path_choice(stack: Stack, plan: Plan, catalogue: Catalogue) -> tuple[str, str | None]:
    """The path's row for this stack, and where the plan's hot tier disagrees with it (with the reason)."""
    words, named = path_row(stack.cluster.gpus, stack.operations, cloud=stack.site.kind != "on-prem")
    hot = plan.tiers.get("hot")
    if hot is None or hot.config.backend in named:
        return words, None
    planned = sorted(set(named) & set(catalogue.ids("hot")))
    why = "pinned by the stack" if stack.tiers.hot.backend != "auto" else "it needs the fewest nodes of those that pass"
    return words, f"{hot.config.backend} is planned ({why}); the path names {', '.join(planned or named)}"
