"""The decision path: which system experience would take first, before any arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.domain.need import Tier
from tierplan.domain.plan import Disagreement, Plan
from tierplan.domain.stack import Operations, Stack
from tierplan.domain.tiers import Candidate, Rejection

SMALL, LARGE = 64, 1000  # GPUs
SINGLE_SERVER = 4  # GPUs
ENOUGH_ENGINEERS = 2.0
COLD_PATH = ("ceph-rgw",)
SINGLE_ROW = ("a single server of up to 4 GPUs: local SSD and NFS", ("nfs",))
SMALL_ROW = ("below 64 GPUs: local NVMe with CephFS, JuiceFS or an all-flash NAS", ("cephfs", "juicefs", "nfs"))
APPLIANCE_ROW = ("64 to 1,000 GPUs with few storage engineers: a VAST class appliance", ("vast",))
STAFFED_ROW = (
    "64 to 1,000 GPUs with enough storage engineers: Storage Scale ECE or WEKA",
    ("storage-scale", "weka"),
)
CODE_ROW = ("above 1,000 GPUs with people who read storage code: 3FS, a commercial system as fallback", ("3fs",))
LARGE_ROW = (
    "above 1,000 GPUs without people who read storage code: WEKA, Storage Scale or VAST at scale",
    ("weka", "storage-scale", "vast"),
)
MANAGED = ("fsx-lustre", "azure-lustre", "google-lustre", "oci-lustre", "cpfs", "sfs-turbo", "juicefs")


def path_row(gpus: int, operations: Operations, *, cloud: bool) -> tuple[str, tuple[str, ...]]:
    """The row of the decision path in words, and the backends that it names, the first choice first."""
    if cloud:
        return "in a cloud: the managed parallel file system, or JuiceFS on the object store", MANAGED
    if gpus < SMALL:
        return SINGLE_ROW if gpus <= SINGLE_SERVER else SMALL_ROW
    if gpus <= LARGE:
        enough = (operations.storage_engineers or 0.0) >= ENOUGH_ENGINEERS
        return STAFFED_ROW if enough else APPLIANCE_ROW
    return CODE_ROW if operations.can_read_storage_code else LARGE_ROW


def path_named(stack: Stack, tier: Tier) -> tuple[str, ...]:
    """The backends that the path names for a tier: of equal candidates the earlier one is taken."""
    if tier == "hot":
        return path_row(stack.cluster.gpus, stack.operations, cloud=stack.site.kind != "on-prem")[1]
    return COLD_PATH if tier == "cold" else ()


def path_choice(
    stack: Stack, plan: Plan, *, candidates: tuple[Candidate, ...], rejections: tuple[Rejection, ...]
) -> tuple[str, Disagreement | None]:
    """The path's row for this stack, and where the plan's hot tier disagrees with it: why, with figures."""
    words, named = path_row(stack.cluster.gpus, stack.operations, cloud=stack.site.kind != "on-prem")
    hot = plan.tiers.get("hot")
    if hot is None or hot.config.backend in named:
        return words, None
    chosen = next((one for one in candidates if one.tier == "hot" and one.chosen), None)
    reasons, figures = list[str](), dict[str, float]()
    for backend in named:
        said, found = _against(backend, chosen, candidates, rejections)
        if said:
            reasons.append(f"{backend} {said}")
            figures |= {f"{backend}.{name}": value for name, value in found.items()}
    if stack.tiers.hot.backend != "auto":
        reasons.insert(0, f"{hot.config.backend} is pinned by the stack; tierplan compare shows the others")
    figures |= _figures(chosen) if chosen else {f"{hot.config.backend}.nodes": float(hot.config.nodes)}
    return words, Disagreement(
        chosen=hot.config.backend, named=named, reason="; ".join(reasons) or "the path names none here", figures=figures
    )


def _against(
    backend: str,
    chosen: Candidate | None,
    candidates: tuple[Candidate, ...],
    rejections: tuple[Rejection, ...],
) -> tuple[str, Mapping[str, float]]:
    """What speaks against a backend that the path names; nothing where it was not looked at."""
    for one in candidates:
        if one.tier == "hot" and one.backend == backend:
            return _dearer(one, chosen), _own(one)
    for rejection in rejections:
        if rejection.tier == "hot" and rejection.backend == backend:
            return f"is rejected: {rejection.reason}", rejection.figures
    return "", {}


def _dearer(one: Candidate, chosen: Candidate | None) -> str:
    machines = one.nodes + one.nodes_beside
    if chosen is None:
        return f"would take {machines} machines"
    if one.monthly is not None and chosen.monthly is not None:
        return f"would cost {one.monthly:,.0f} a month, {chosen.backend} {chosen.monthly:,.0f}"
    return f"would take {machines} machines, {chosen.backend} {chosen.nodes + chosen.nodes_beside}"


def _figures(one: Candidate) -> dict[str, float]:
    return {f"{one.backend}.{name}": value for name, value in _own(one).items()}


def _own(one: Candidate) -> dict[str, float]:
    money = {} if one.monthly is None else {"monthly": one.monthly}
    return {"nodes": float(one.nodes), "machines": float(one.nodes + one.nodes_beside), **money}
