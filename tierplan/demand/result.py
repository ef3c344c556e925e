"""What a plan gives to the workloads: stalls, goodput, restore, epochs, loads, reloads, and when it is full."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from tierplan.demand import capacity, jobs, kv_cache, model_load
from tierplan.demand.share import Given, given, left
from tierplan.demand.sheet import shared_tier
from tierplan.domain.figures import Known, Ledger, Value
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import KvCache, ModelLoad, Stack
from tierplan.domain.tiers import TierPlan
from tierplan.units import Bandwidth, Quantity, Size

R = TypeVar("R", bound=Value)
Q = TypeVar("Q", bound=Quantity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One workload of a planned stack, with what was required of it."""

    stack: Stack
    requirement: Requirement
    ledger: Ledger
    path: str
    name: str

    def given(self, value: R, key: str) -> Known[R]:
        """A value of the workload, by its key."""
        return Known(value, self.stack.origin(f"{self.path}.{key}"))

    def required(self, quantity: str, kind: type[Q]) -> Known[Q] | None:
        """A figure of the requirement; None where the workload has none."""
        figure = self.requirement.figures.get(f"{self.name}.{quantity}")
        return Known(kind(figure.number), f"figure {figure.id}") if figure else None

    def count(self, quantity: str) -> Known[int]:
        """A whole number of the requirement."""
        figure = self.requirement.figures[f"{self.name}.{quantity}"]
        return Known(int(figure.number), f"figure {figure.id}")

    def figure(self, quantity: str, formula: Callable[..., R], /, **inputs: Known[Value]) -> Known[R]:
        """Work out one figure of the workload and write it down."""
        return self.ledger.figure(f"{self.name}.{quantity}", formula, **inputs)

    def read_left(self, tier: Given, phase: str, load: str, quantity: str) -> Known[Bandwidth] | None:
        """The figure of what a load reads beside the others; None where it reads nothing or the tier gives nothing."""
        load_id = f"{self.name}.{load}"
        moment = tier.steady if phase == "" else tier.moment(phase, load_id)
        if moment is None or not tier.plan.delivered.healthy.read:
            return None
        healthy, others, wanted = tier.read_left(moment, load_id)
        found = self.figure(quantity, left, healthy=healthy, others=others, wanted=wanted)
        return found if found.value else None

    def write_left(self, tier: Given, phase: str, load: str, quantity: str) -> Known[Bandwidth] | None:
        """The figure of what a load writes beside the others; None where the tier gives nothing."""
        load_id = f"{self.name}.{load}"
        moment = tier.steady if phase == "" else tier.moment(phase, load_id)
        if moment is None or not tier.plan.delivered.healthy.write:
            return None
        healthy, others, wanted = tier.write_left(moment, load_id)
        found = self.figure(quantity, left, healthy=healthy, others=others, wanted=wanted)
        return found if found.value else None


def loaded(result: Result, work: ModelLoad, shared: Given) -> None:
    """The figure of the time until all replicas have their weights."""
    available = result.read_left(shared, "model_load", "model_load", "model_load.available_read_bytes_per_s")
    weights = result.required("model_load.weights_bytes", Size)
    volume = result.required("model_load.total_bytes_with_fan_out", Size) or result.required(
        "model_load.total_bytes", Size
    )
    if available is None or weights is None or volume is None:
        return
    node = weights
    if work.fan_out == "none" and work.replicas_per_node > 1:
        each = result.given(work.replicas_per_node, "replicas_per_node")
        node = result.figure("model_load.node_bytes", model_load.total, weights=weights, replicas=each)
    result.figure(
        "model_load.duration_s",
        model_load.duration,
        read=volume,
        bandwidth=available,
        node_read=node,
        client=shared.client(),
    )


def reloaded(result: Result, work: KvCache, tiers: Mapping[Tier, Given]) -> None:
    """The figure of the time until a session is back from where it lies."""
    figure_id = f"{work.name}.kv_cache.reload_s"
    target = next((one for one in result.requirement.time_targets if one.figure == figure_id), None)
    tier = tiers.get(target.tier) if target else None
    session = result.required("kv_cache.session_bytes", Size)
    if tier is None or session is None:
        return
    available = result.read_left(tier, "", "kv_cache", "kv_cache.available_read_bytes_per_s")
    if available is None:
        return
    quantity, client = "kv_cache.read_bytes_per_s", tier.client()
    if tier.tier == "local":
        quantity, nodes = "kv_cache.local_read_bytes_per_s", _nodes(tier)
        available = result.figure(
            "kv_cache.available_node_read_bytes_per_s", jobs.per_node, bandwidth=available, nodes=nodes
        )
        client = available
    asked = result.required(quantity, Bandwidth)
    if asked is None:
        return
    serving = Known(1, "constant")
    if tier.tier == "local":
        key = "cluster.gpu_nodes" if work.gpu_nodes is None else f"{result.path}.gpu_nodes"
        serving = Known(work.gpu_nodes or result.stack.cluster.gpu_nodes, result.stack.origin(key))
    result.figure(
        "kv_cache.reload_s",
        kv_cache.reload_time,
        session_bytes=session,
        bandwidth=available,
        client=client,
        resumes=result.figure(
            "kv_cache.reloads_ops_per_s", kv_cache.reload_rate, read=asked, session_bytes=session, places=serving
        ),
        reload_within=result.given(work.reload_within, "reload_within"),
        first_byte=Known(kv_cache.FIRST_BYTE[tier.tier], "constant"),
    )


def computed_again(result: Result, work: KvCache) -> None:
    """The figure of the time to compute a session again, where a rate is given."""
    if work.prefill_tokens_per_s is not None:
        result.figure(
            "kv_cache.prefill_s",
            kv_cache.prefill_time,
            context=result.given(work.context, "context"),
            prefill_tokens_per_s=result.given(work.prefill_tokens_per_s, "prefill_tokens_per_s"),
        )


def _nodes(tier: Given) -> Known[int]:
    return Known(max(1, tier.plan.config.nodes), f"plan tiers.{tier.tier}.node_count")


def full(stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan], ledger: Ledger) -> None:
    """The figures of the years until a tier is full, where something grows."""
    growth = Known(stack.capacity.growth_per_year, stack.origin("capacity.growth_per_year"))
    for tier, name in (("hot", "capacity.full_in_years"), ("cold", "capacity.cold_full_in_years")):
        plan = tiers.get("hot" if tier == "hot" else "cold")
        growing = requirement.figures.get(f"capacity.growing_{tier}_bytes")
        today = requirement.figures.get(f"capacity.{tier}_bytes.year_0")
        if plan is None or growing is None or today is None or not growing.number or not growth.value:
            continue
        ledger.figure(
            name,
            capacity.full_in_years,
            planned=Known(plan.delivered.planned, f"plan tiers.{tier}.planned_bytes"),
            fixed=ledger.figure(
                f"capacity.fixed_{tier}_bytes",
                capacity.fixed,
                stored=Known(Size(today.number), f"figure {today.id}"),
                growing=Known(Size(growing.number), f"figure {growing.id}"),
            ),
            growing=Known(Size(growing.number), f"figure {growing.id}"),
            growth_per_year=growth,
        )


def planned(stack: Stack, requirement: Requirement, tiers: Mapping[Tier, TierPlan]) -> dict[Tier, Given]:
    """Every planned tier with today's moments."""
    return {tier: given(stack, requirement, plan) for tier, plan in tiers.items()}


def shared_of(stack: Stack, tiers: Mapping[Tier, Given]) -> Given | None:
    """The planned tier that all GPU nodes share."""
    return tiers.get(shared_tier(stack))
