"""The rules of the local tier, its caches and the KV cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tierplan.domain.plan import Finding
from tierplan.domain.stack import KvCache, Training
from tierplan.plan.rule import TOLERANCE, PlanCase, Rule, StackRule, noticed, stack_rule
from tierplan.units import Bandwidth, Duration

DATASETS = ("juicefs", "alluxio", "fluid")
SESSIONS = ("lmcache", "mooncake")


def in_time(policy: str, what: str, remedy: str) -> Callable[[PlanCase], Iterator[Finding]]:
    """The rule that holds what moves between local drives and the shared tier against its time; takes no headroom."""

    def check(case: PlanCase) -> Iterator[Finding]:
        yield from noticed(policy)(case)
        for target in case.requirement.time_targets:
            figure = case.outcome.get(target.figure)
            if target.policy != policy or figure is None or figure.number <= target.within_s * (1 + TOLERANCE):
                continue
            yield Finding(
                policy=policy,
                level="mandatory",
                tier="local",
                required=target.within_s,
                planned=figure.number,
                unit="s",
                message=f"{target.figure}: {what} {target.volume.show()} takes {Duration(figure.number).show()}, "
                f"{Duration(target.within_s).show()} are allowed",
                remedy=remedy,
            )

    return check


def software_works(case: PlanCase) -> Iterator[Finding]:
    """The cache software that the stack names has something to cache, and runs where it is to run."""
    stack = case.stack
    local, name = stack.tiers.local, stack.tiers.local.software
    if name in DATASETS:
        cached = [work for work in stack.workloads if isinstance(work, Training) and work.dataset is not None]
        if "dataset-cache" not in local.use or not any(work.dataset.cache != "none" for work in cached if work.dataset):
            yield _software(
                f"{name} caches datasets, and no dataset is cached on local drives",
                "add dataset-cache to tiers.local.use and name the dataset's cache, or write software: none",
            )
    if name in SESSIONS:
        kept = [work for work in stack.workloads if isinstance(work, KvCache)]
        if not kept:
            yield _software(
                f"{name} keeps sessions, and there is no workload of kind kv-cache",
                "add the sessions that are served, or write software: none",
            )
        both = [work.name for work in kept if {"local", "hot"} <= set(work.placement)]
        if name == "mooncake" and both and "kv-cache" in local.use:
            yield _software(
                f"{both[0]}: mooncake keeps what its memory has no room for on local drives or on a shared file "
                "system, not on both",
                "take local or hot out of the placement, or let lmcache stand above mooncake's pool",
            )
    if name == "fluid" and not stack.operations.kubernetes:
        yield _software("fluid runs on Kubernetes only", "write operations.kubernetes: true, or software: alluxio")


def _software(message: str, remedy: str) -> Finding:
    return Finding(
        policy="local-software",
        level="mandatory",
        tier="local",
        required=0,
        planned=1,
        unit="count",
        message=f"{message}; 1 such fault, 0 are allowed",
        remedy=remedy,
    )


def peer_copies(case: PlanCase) -> Iterator[Finding]:
    """What a GPU node sends to its peer fits its ports beside what it writes to the shared tier."""
    stack = case.stack
    shared = case.requirement.needs.get("hot" if stack.tiers.hot.backend != "none" else "cold")
    for work in stack.workloads:
        figure = case.requirement.figures.get(f"{work.name}.checkpoint.peer_bytes_per_s")
        if figure is None or shared is None:
            continue
        network, beside = shared.clients.network, shared.clients.node_write
        asked = Bandwidth(figure.number) * stack.targets.headroom + beside
        if asked.base > network.base * (1 + TOLERANCE):
            yield Finding(
                policy="local-peer",
                level="mandatory",
                tier="local",
                required=asked.base,
                planned=network.base,
                unit="bytes_per_s",
                message=f"{work.name}: a peer's copy and the shared tier ask {asked.show()} of the ports "
                f"of a GPU node (headroom included), which have {network.show()}",
                remedy="more time for the copy, more or faster ports, more GPU nodes, or first_landing: hot",
            )


def remote_share(case: PlanCase) -> float:
    """Share of the local tier's reads that pass the ports of a GPU node: of other nodes' caches, of NVMe-oF targets."""
    stack = case.stack
    local, nodes = stack.tiers.local, stack.cluster.gpu_nodes
    if local.remote is not None and not stack.cluster.local_nvme.drives:
        return 1.0
    shares = local.software in ("alluxio", "mooncake") or (
        local.software == "fluid" and local.options.get("runtime", "alluxio") == "alluxio"
    )
    return (nodes - 1) / nodes if shares else 0.0


def shared_ports(case: PlanCase) -> Iterator[Finding]:
    """What a GPU node reads of others' caches or of remote drives fits its ports beside the shared tier's reads."""
    share, network = remote_share(case), case.stack.cluster.storage_network
    most = network.rate * network.ports
    for work in case.stack.workloads if share else ():
        steady = [
            load
            for load in case.requirement.loads
            if load.when == "continuous" and load.id.partition(".")[0] == work.name
        ]
        cached = sum(load.node_read.base for load in steady if load.tier == "local") * share
        beside = sum(load.node_read.base for load in steady if load.tier != "local")
        asked = Bandwidth((cached + beside) * case.stack.targets.headroom)
        if cached and asked.base > most.base * (1 + TOLERANCE):
            yield Finding(
                policy="local-ports",
                level="mandatory",
                tier="local",
                required=asked.base,
                planned=most.base,
                unit="bytes_per_s",
                message=f"{work.name}: reads of others' drives and of the shared tier ask {asked.show()} of the "
                f"ports of a GPU node (headroom included), which have {most.show()}",
                remedy="more or faster ports, or on each node what it reads (cache: sticky), or more GPU nodes",
            )


def reload_pays(case: PlanCase) -> Iterator[Finding]:
    """Loading a session back from where it lies is faster than computing it again."""
    for work in case.stack.workloads:
        reload = case.outcome.get(f"{work.name}.kv_cache.reload_s")
        again = case.outcome.get(f"{work.name}.kv_cache.prefill_s")
        even = case.requirement.figures.get(f"{work.name}.kv_cache.break_even_bytes_per_s")
        if reload is None or again is None or reload.number <= again.number:
            continue
        rate = f"; loading pays above {Bandwidth(even.number).show()} a session" if even is not None else ""
        yield Finding(
            policy="advice-kv-reload",
            level="advisory",
            required=again.number,
            planned=reload.number,
            unit="s",
            message=f"{work.name}: a session is back after {Duration(reload.number).show()}, computing it again takes "
            f"{Duration(again.number).show()}{rate}",
            remedy="hold sessions higher up (host memory, local drives), or drop them",
        )


def unfinished_store(case: PlanCase) -> Iterator[Finding]:
    """Where sessions rest on a plugin that its own project calls experimental, the plan says so."""
    stack, hot = case.stack, case.tiers.get("hot")
    kept = [work for work in stack.workloads if isinstance(work, KvCache) and "hot" in work.placement]
    if stack.tiers.local.software == "mooncake" and kept and hot is not None and hot.config.backend == "3fs":
        yield Finding(
            policy="advice-kv-store",
            level="advisory",
            message=f"{kept[0].name}: mooncake reaches 3fs by a plugin that its project calls experimental and "
            "incomplete: files are not always removed, and the build needs USE_3FS",
            remedy="evaluate it first, watch the folder's size, or let lmcache write to 3fs",
        )


RULES: tuple[Rule, ...] = ()
STACK_RULES: tuple[StackRule, ...] = (
    stack_rule(
        "local-drain",
        "mandatory",
        "high",
        "What lands locally is drained in time.",
        in_time("local-drain", "draining", "a faster shared tier, a longer interval, or a smaller checkpoint"),
    ),
    stack_rule(
        "cache-fill-time",
        "mandatory",
        "high",
        "The caches are filled before training starts.",
        in_time("cache-fill-time", "filling the caches with", "more time, a faster shared tier, or a shared cache"),
    ),
    stack_rule("local-software", "mandatory", "high", "The cache software has something to cache.", software_works),
    stack_rule("advice-kv-store", "advisory", "medium", "Sessions rest on a finished store.", unfinished_store),
    stack_rule(
        "local-ports", "mandatory", "high", "Reads of other nodes' drives fit a GPU node's ports.", shared_ports
    ),
    stack_rule("local-peer", "mandatory", "high", "A copy on a peer fits the ports of a GPU node.", peer_copies),
    stack_rule("advice-kv-reload", "advisory", "low", "A session comes back before it is computed again.", reload_pays),
)
