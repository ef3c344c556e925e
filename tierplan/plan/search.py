"""The search for a tier: every configuration that the stack's pins leave open, delivered and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from tierplan import backends
from tierplan.cost import priced, tier_bill
from tierplan.domain.facts import Catalogue
from tierplan.domain.need import Tier, TierNeed
from tierplan.domain.plan import Finding
from tierplan.domain.prices import PriceList
from tierplan.domain.stack import DrivePins, LayoutPins, NodePins, Stack, TierPins
from tierplan.domain.tiers import Candidate, Rejection, TierConfig, TierPlan
from tierplan.plan.measured import lowered, measured_of, scaled, with_measured
from tierplan.plan.path import path_named
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import judge_tier
from tierplan.plan.rules_survive import lost_too_likely

ALWAYS_REJECTED = {
    "hdfs": "HDFS is no storage for GPU clusters: no POSIX writes, small files load its single name node, "
    "and training frameworks reach it through a Java client only",
    "cfs-turbo": "CFS Turbo of Tencent Cloud publishes no bandwidth by size: a file system takes at most 2,000 clients "
    "and 100 GiB/s, one client 10 GiB/s (limits page), and sizing it would be a guess; JuiceFS on COS can be planned",
}
UNSIZED: Mapping[str, tuple[str, ...]] = {"tencent": ("cfs-turbo",)}
"""Kind of site -> what is sold there for this and cannot be sized."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSearch:
    """What the search found: the choice (the least bad one where nothing fits), all that fits, all that does not."""

    chosen: TierPlan | None
    candidates: tuple[Candidate, ...] = ()
    rejections: tuple[Rejection, ...] = ()

    def also(self, rejections: Iterable[Rejection]) -> TierSearch:
        """The same with further rejections."""
        return replace(self, rejections=(*self.rejections, *rejections))


@dataclass(frozen=True, slots=True)
class _Tried:
    """One configuration with the mandatory findings against it; `monthly` where every price of it is known."""

    plan: TierPlan
    against: tuple[Finding, ...]
    monthly: float | None = None
    unproven: int = 0  # the catalogue's `suits.unproven`

    def rank(self, *, by_money: bool, path: tuple[str, ...]) -> tuple[int, float, int, float, int, float, int, str]:
        """
        What is best: no finding; the least missing; proven; money or machines; the decision path; raw bytes; stripe.

        The last ties go by name.
        """
        config = self.plan.config
        missing = sum(1 - (finding.planned or 0) / finding.required for finding in self.against if finding.required)
        machines = float(config.nodes + self.plan.delivered.beside)
        return (
            len(self.against),
            missing,
            self.unproven,
            (self.monthly or 0.0) if by_money else machines,
            path.index(config.backend) if config.backend in path else len(path),
            self.plan.delivered.raw.base,
            config.layout.width,
            config.backend,
        )


class _Recent:
    """The last searches: the same question about a tier is asked again when another tier's choice is varied."""

    MOST = 6

    def __init__(self) -> None:
        self._found: list[tuple[Catalogue, object, TierSearch]] = []

    def forget(self) -> None:
        """Nothing is kept."""
        self._found = []

    def get(self, catalogue: Catalogue, asked: object, search: Callable[[], TierSearch]) -> TierSearch:
        """What was found for this question, or what is found now."""
        for known, question, found in self._found:
            if known is catalogue and question == asked:
                return found
        found = search()
        self._found = [(catalogue, asked, found), *self._found[: self.MOST - 1]]
        return found


_recent = _Recent()


def forget_searches() -> None:
    """Search anew: for those who measure how long that takes."""
    _recent.forget()


def search_tier(
    tier: Tier, *, stack: Stack, need: TierNeed, catalogue: Catalogue, prices: PriceList | None = None
) -> TierSearch:
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
    unsized = UNSIZED.get(stack.site.kind, ()) if tier == "hot" and pins.backend == "auto" else ()
    named = path_named(stack, tier)
    asked = (pins, stack.site, stack.calibrated, need, named, prices, ids)
    return _recent.get(
        catalogue,
        asked,
        lambda: _ranked(
            {one: tuple(_tried(one, pins, stack=stack, need=need, catalogue=catalogue, prices=prices)) for one in ids},
            tier,
            named,
        ).also(_always_rejected(one, tier) for one in unsized),
    )


def _ranked(tried: Mapping[str, tuple[_Tried, ...]], tier: Tier, path: tuple[str, ...]) -> TierSearch:
    """The best of each backend, ranked; by money only if that of each configuration that passes is known."""
    passing = [one for every in tried.values() for one in every if not one.against]
    by_money = bool(passing) and all(one.monthly is not None for one in passing)

    def rank(one: _Tried) -> tuple[int, float, int, float, int, float, int, str]:
        return one.rank(by_money=by_money, path=path)

    best = sorted((min(every, key=rank) for every in tried.values() if every), key=rank)
    rejections = [
        Rejection(backend=backend_id, tier=tier, reason="no configuration fits its own rules")
        for backend_id, every in tried.items()
        if not every
    ]
    rejections += [
        _rejection(one, tier) for one in sorted(best, key=lambda one: one.plan.config.backend) if one.against
    ]
    chosen = best[0].plan if best else None
    candidates = tuple(_candidate(one, best[0], by_money=by_money) for one in best if not one.against)
    return TierSearch(chosen=chosen, candidates=candidates, rejections=tuple(rejections))


def tier_pins(stack: Stack, tier: Tier) -> TierPins:
    """The stack's pins for a tier; the local tier's are the GPU nodes themselves."""
    if tier == "hot":
        return stack.tiers.hot
    if tier == "cold":
        return stack.tiers.cold
    cluster = stack.cluster
    nvme, network = stack.local_drives, cluster.storage_network
    node = NodePins(
        drives=nvme.drives,
        drive=DrivePins(size=nvme.size, read=nvme.read, write=nvme.write),
        ports=network.ports,
        port_rate=network.rate,
        cores=cluster.cpu_cores,
        memory=cluster.host_memory,
        medium="nvme",
    )
    local = stack.tiers.local
    options = dict(local.options)
    if local.remote is not None and not cluster.local_nvme.drives:
        options["remote"] = {
            "targets": local.remote.targets,
            "ports": local.remote.ports,
            "port_rate": local.remote.port_rate.text(),
            "transport": local.remote.transport,
            "addresses": local.remote.addresses,
        }
    return TierPins(backend=local.backend, nodes=cluster.gpu_nodes, node=node, options=options, measured=local.measured)


def pins_of(config: TierConfig) -> TierPins:
    """A configuration as pins with nothing left open: choosing from them gives the configuration back."""
    node, layout = config.node, config.layout
    if layout.kind == "none" and not node.drives and not node.ports:  # a managed service has nothing else to pin
        return TierPins(
            backend=config.backend,
            nodes=config.nodes if config.nodes != 1 else None,
            quote=config.quote,
            measured=config.measured,
            options=config.options,
        )
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
        measured=config.measured,
        options=config.options,
    )


def deliver(config: TierConfig, need: TierNeed, catalogue: Catalogue) -> TierPlan:
    """What one configuration gives, by the backend's own arithmetic."""
    facts, backend = catalogue.backend(config.backend), backends.load(config.backend)
    if config.measured is None:
        delivered = backend.deliver(config, need, facts)
    else:
        delivered = lowered(backend.deliver(config, scaled(need, config.measured), facts), config.measured)
    return TierPlan(need=need, config=config, delivered=delivered, suits=facts.suits)


def configs(pins: TierPins, *, stack: Stack, need: TierNeed, catalogue: Catalogue) -> Iterator[TierConfig]:
    """What the backend would try; where its like was measured, sized for what that gives."""
    if pins.measured is None and not stack.calibrated:
        yield from choose(pins, stack=stack, need=need, catalogue=catalogue)
        return
    if pins.measured is not None:
        for config in choose(pins, stack=stack, need=scaled(need, pins.measured), catalogue=catalogue):
            yield with_measured(config, pins.measured)
        return
    measured = dict.fromkeys(
        found
        for config in choose(pins, stack=stack, need=need, catalogue=catalogue)
        if (found := measured_of(stack.calibrated, backend=config.backend, node=config.node)) is not None
    )
    for config in choose(pins, stack=stack, need=need, catalogue=catalogue):
        if measured_of(stack.calibrated, backend=config.backend, node=config.node) is None:
            yield config
    for one in measured:
        for config in choose(pins, stack=stack, need=scaled(need, one), catalogue=catalogue):
            if measured_of(stack.calibrated, backend=config.backend, node=config.node) == one:
                yield with_measured(config, one)


def choose(pins: TierPins, *, stack: Stack, need: TierNeed, catalogue: Catalogue) -> Iterator[TierConfig]:
    """What the backend would try under these pins."""
    facts = catalogue.backend(pins.backend)
    return backends.load(pins.backend).choices(need, pins, stack.site, facts)


def _tried(
    backend_id: str,
    pins: TierPins,
    *,
    stack: Stack,
    need: TierNeed,
    catalogue: Catalogue,
    prices: PriceList | None,
) -> Iterator[_Tried]:
    named = TierPins(
        backend=backend_id,
        nodes=pins.nodes,
        node=pins.node,
        layout=pins.layout,
        quote=pins.quote,
        measured=pins.measured,
        options=pins.options,
    )
    unproven = catalogue.backend(backend_id).suits.get("unproven", 0)
    for config in configs(named, stack=stack, need=need, catalogue=catalogue):
        plan = deliver(config, need, catalogue)
        case = TierCase(need=need, config=config, delivered=plan.delivered)
        against = tuple(finding for finding in judge_tier(case) if finding.level == "mandatory")
        if need.annual_loss_probability is not None:
            against = (*against, *_durability(plan, catalogue))
        yield _Tried(plan, against, _monthly(plan, prices), unproven if isinstance(unproven, int) else 0)


def _durability(plan: TierPlan, catalogue: Catalogue) -> Iterator[Finding]:
    """What stands against a tier whose data is lost more often than the stack allows."""
    from tierplan.survival.tiers import of_tier  # noqa: PLC0415  # only where a target asks

    survival = of_tier(plan, catalogue.failures())
    if survival is not None:
        yield from lost_too_likely(plan.need, survival.risk)


def _monthly(plan: TierPlan, prices: PriceList | None) -> float | None:
    """What the tier costs a month; None where a price is missing."""
    if prices is None or not prices.items:
        return None
    found = priced(tier_bill(plan.config, plan.delivered), prices)
    return None if found.unknown or not found.lines else found.monthly


def _wins_if(tried: _Tried, best: _Tried, *, by_money: bool) -> str:
    """What would have to be true for a candidate that passes to be the best one."""
    if tried.unproven > best.unproven:
        return "published figures of systems of this size, from a release that somebody maintains"
    if by_money:
        return f"less than {best.monthly or 0:,.0f} a month instead of {tried.monthly or 0:,.0f}"
    needs = tried.plan.config.nodes + tried.plan.delivered.beside
    least = best.plan.config.nodes + best.plan.delivered.beside
    if needs > least:
        return f"{least} machines instead of {needs}"
    return "an earlier place on the decision path, or less raw capacity"


def _candidate(tried: _Tried, best: _Tried, *, by_money: bool) -> Candidate:
    plan, chosen = tried.plan, best.plan
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
        monthly=tried.monthly,
        wins_if="" if plan is chosen else _wins_if(tried, best, by_money=by_money),
    )


def _rejection(tried: _Tried, tier: Tier) -> Rejection:
    figures = {
        f"{finding.policy} {side}": value
        for finding in tried.against
        for side, value in (("required", finding.required), ("planned", finding.planned))
        if value is not None
    }
    forbidden = [one for one in tried.against if one.policy.endswith(("-layout", "-node"))]
    reason = "; ".join(dict.fromkeys(finding.message for finding in forbidden or tried.against))
    remedies = dict.fromkeys(one.remedy for one in forbidden or tried.against if one.remedy)
    return Rejection(
        backend=tried.plan.config.backend, tier=tier, reason=reason, figures=figures, wins_if="; ".join(remedies)
    )


def _elsewhere(backend_id: str, tier: Tier, site: str, planned: tuple[str, ...]) -> Rejection:
    reason = f"{backend_id} is not planned at a site of kind {site}; allowed there: auto, {', '.join(planned)}"
    return Rejection(backend=backend_id, tier=tier, reason=reason)


def _always_rejected(backend_id: str, tier: Tier) -> Rejection:
    return Rejection(backend=backend_id, tier=tier, reason=ALWAYS_REJECTED[backend_id])
