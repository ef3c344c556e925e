"""The search for a tier: every configuration that the stack's pins leave open, delivered and judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tierplan import backends
from tierplan.domain.facts import Catalogue
from tierplan.domain.need import Tier, TierNeed
from tierplan.domain.plan import Finding
from tierplan.domain.stack import DrivePins, LayoutPins, NodePins, Stack, TierPins
from tierplan.domain.tiers import Candidate, Rejection, TierConfig, TierPlan
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import judge_tier

ALWAYS_REJECTED = {
    "hdfs": "HDFS is no storage for GPU clusters: no POSIX writes, small files load its single name node, "
    "and training frameworks reach it through a Java client only"
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSearch:
    """What the search found: the choice (the least bad one where nothing fits), all that fits, all that does not."""

    chosen: TierPlan | None
    candidates: tuple[Candidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class _Tried:
    """One configuration with the mandatory findings against it."""

    plan: TierPlan
    against: tuple[Finding, ...]

    @property
    def rank(self) -> tuple[int, float, int, float, int, str]:
        """What is best: no finding; the least missing; few machines, raw bytes, stripe units. Ties go by name."""
        config = self.plan.config
        missing = sum(1 - (finding.planned or 0) / finding.required for finding in self.against if finding.required)
        return (
            len(self.against),
            missing,
            config.nodes + self.plan.delivered.beside,
            self.plan.delivered.raw.base,
            config.layout.width,
            config.backend,
        )


def search_tier(tier: Tier, *, stack: Stack, need: TierNeed, catalogue: Catalogue) -> TierSearch:
    """Every eligible backend with every choice that the pins leave open; the best that passes, or the least bad."""
    pins = tier_pins(stack, tier)
    if pins.backend == "none":
        return TierSearch(chosen=None)
    if pins.backend in ALWAYS_REJECTED:
        return TierSearch(chosen=None, rejections=(_always_rejected(pins.backend, tier),))
    planned = catalogue.ids(tier, stack.site.kind)
    if pins.backend not in ("auto", *planned):
        return TierSearch(chosen=None, rejections=(_elsewhere(pins.backend, tier, stack.site.kind, planned),))
    ids = planned if pins.backend == "auto" else (pins.backend,)
    best: list[_Tried] = []
    rejections: list[Rejection] = []
    for backend_id in ids:
        tried = min(_tried(backend_id, pins, stack, need, catalogue), key=lambda one: one.rank, default=None)
        if tried is None:
            rejections.append(Rejection(backend=backend_id, tier=tier, reason="no configuration fits its own rules"))
            continue
        best.append(tried)
        if tried.against:
            rejections.append(_rejection(tried, tier))
    best.sort(key=lambda one: one.rank)
    chosen = best[0].plan if best else None
    candidates = tuple(_candidate(one.plan, chosen) for one in best if not one.against)
    return TierSearch(chosen=chosen, candidates=candidates, rejections=tuple(rejections))


def tier_pins(stack: Stack, tier: Tier) -> TierPins:
    """The stack's pins for a tier; the local tier's are the GPU nodes themselves."""
    if tier == "hot":
        return stack.tiers.hot
    if tier == "cold":
        return stack.tiers.cold
    cluster = stack.cluster
    nvme, network = cluster.local_nvme, cluster.storage_network
    node = NodePins(
        drives=nvme.drives,
        drive=DrivePins(size=nvme.size, read=nvme.read, write=nvme.write),
        ports=network.ports,
        port_rate=network.rate,
        cores=cluster.cpu_cores,
        memory=cluster.host_memory,
        medium="nvme",
    )
    return TierPins(backend="local-nvme", nodes=cluster.gpu_nodes, node=node)


def pins_of(config: TierConfig) -> TierPins:
    """A configuration as pins with nothing left open: choosing from them gives the configuration back."""
    node, layout = config.node, config.layout
    return TierPins(
        backend=config.backend,
        nodes=config.nodes,
        node=NodePins(
            drives=node.drives,
            drive=DrivePins(size=node.drive.size, read=node.drive.read, write=node.drive.write),
            ports=node.ports,
            port_rate=node.port_rate,
            cores=node.cores,
            memory=node.memory,
            medium=node.medium,
        ),
        layout=LayoutPins(
            data_units=layout.data_units if layout.kind == "erasure-code" else None,
            parity_units=layout.parity_units if layout.kind == "erasure-code" else None,
            replicas=layout.replicas if layout.kind == "replicas" else None,
            hot_spares=layout.hot_spares,
            failure_domain=layout.failure_domain,
        ),
        quote=config.quote,
        options=config.options,
    )


def deliver(config: TierConfig, need: TierNeed, catalogue: Catalogue) -> TierPlan:
    """What one configuration gives, by the backend's own arithmetic."""
    delivered = backends.load(config.backend).deliver(config, need, catalogue.backend(config.backend))
    return TierPlan(need=need, config=config, delivered=delivered)


def choose(pins: TierPins, *, stack: Stack, need: TierNeed, catalogue: Catalogue) -> Iterator[TierConfig]:
    """What the backend would try under these pins."""
    facts = catalogue.backend(pins.backend)
    return backends.load(pins.backend).choices(need, pins, stack.site, facts)


def _tried(backend_id: str, pins: TierPins, stack: Stack, need: TierNeed, catalogue: Catalogue) -> Iterator[_Tried]:
    named = TierPins(
        backend=backend_id,
        nodes=pins.nodes,
        node=pins.node,
        layout=pins.layout,
        quote=pins.quote,
        options=pins.options,
    )
    for config in choose(named, stack=stack, need=need, catalogue=catalogue):
        plan = deliver(config, need, catalogue)
        case = TierCase(need=need, config=config, delivered=plan.delivered)
        yield _Tried(plan, tuple(finding for finding in judge_tier(case) if finding.level == "mandatory"))


def _candidate(plan: TierPlan, chosen: TierPlan | None) -> Candidate:
    rates = plan.delivered.healthy
    return Candidate(
        backend=plan.config.backend,
        tier=plan.need.tier,
        nodes=plan.config.nodes,
        layout=str(plan.config.layout),
        raw=plan.delivered.raw,
        read=rates.read,
        write=rates.write,
        bound_by=plan.delivered.bound_by,
        nodes_beside=plan.delivered.beside,
        options=plan.config.options,
        chosen=plan is chosen,
    )


def _rejection(tried: _Tried, tier: Tier) -> Rejection:
    figures = {
        f"{finding.policy} {side}": value
        for finding in tried.against
        for side, value in (("required", finding.required), ("planned", finding.planned))
        if value is not None
    }
    forbidden = [one for one in tried.against if one.policy.endswith(("-layout", "-node"))]
    reason = "; ".join(finding.message for finding in forbidden or tried.against)
    return Rejection(backend=tried.plan.config.backend, tier=tier, reason=reason, figures=figures)


def _elsewhere(backend_id: str, tier: Tier, site: str, planned: tuple[str, ...]) -> Rejection:
    reason = f"{backend_id} is not planned at a site of kind {site}; allowed there: auto, {', '.join(planned)}"
    return Rejection(backend=backend_id, tier=tier, reason=reason)


def _always_rejected(backend_id: str, tier: Tier) -> Rejection:
    return Rejection(backend=backend_id, tier=tier, reason=ALWAYS_REJECTED[backend_id])
