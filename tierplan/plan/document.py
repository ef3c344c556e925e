"""The plan as JSON: the contract ``tierplan/plan/1``. Additions are free; a rename is a new version."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from importlib.resources import files
from typing import cast

from tierplan import __version__
from tierplan.codec import encode
from tierplan.domain.fabric import FabricPlan
from tierplan.domain.figures import Figure, Value, base_number
from tierplan.domain.need import TierNeed
from tierplan.domain.plan import Finding, Plan
from tierplan.domain.survival import Survival
from tierplan.domain.tiers import CloudSize, Degraded, Rejection, TierPlan
from tierplan.plan.rules import phase_load
from tierplan.plan.walk import verdict

SCHEMA = "tierplan/plan/1"
MOST_LOAD = 1e9  # JSON has no infinity


def plan_schema() -> dict[str, object]:
    """The JSON Schema that every plan document obeys."""
    text = files("tierplan").joinpath("schemas/plan.json").read_text(encoding="utf-8")
    return cast("dict[str, object]", json.loads(text))


def plan_document(plan: Plan, findings: tuple[Finding, ...]) -> dict[str, object]:
    """The whole plan, each quantity in its base unit, which its key names."""
    requirement: dict[str, object] = {"figures": figures_document(plan.requirement.figures)}
    requirement |= {tier: _need(need) for tier, need in plan.requirement.needs.items()}
    return {
        "schema": SCHEMA,
        "tierplan": __version__,
        "stack": plan.stack.name,
        "verdict": verdict(findings),
        "requirement": requirement,
        "tiers": {tier: tier_document(chosen) for tier, chosen in plan.tiers.items()},
        "outcome": {"figures": figures_document(plan.given)},
        "findings": [encode(finding, "plain") for finding in findings],
        "candidates": [encode(candidate, "plain") for candidate in plan.candidates],
        "rejections": [rejection_document(rejection) for rejection in plan.rejections],
        "lifecycle": None if plan.lifecycle is None else encode(plan.lifecycle, "plain"),
        "path_choice": plan.path_choice,
        "path_disagreement": None if plan.path_disagreement is None else encode(plan.path_disagreement, "plain"),
        "assumptions": list(plan.assumptions),
        "fabric": fabric_document(plan.fabric),
        "survival": {tier: survival_document(found) for tier, found in plan.survival.items()},
        "cost": encode(plan.cost, "plain") | {"monthly": plan.cost.monthly},
    }


def survival_document(survival: Survival) -> dict[str, object]:
    """States after a loss, rebuilds, quorums, the chance of loss by cause, the share of the year degraded or down."""
    return encode(replace(survival, figures={}), "plain") | {"annual_loss_probability": survival.risk.total}


def fabric_document(fabric: FabricPlan | None) -> dict[str, object] | None:
    """Switches, paths with their cuts, and the busiest link of each phase."""
    if fabric is None:
        return None
    phases = [
        encode(phase, "plain") | {"load_fraction": min(phase.load_fraction, MOST_LOAD)} for phase in fabric.phases
    ]
    return encode(fabric, "plain") | {"switches": fabric.switches, "phases": phases}


def figures_document(figures: Mapping[str, Figure]) -> dict[str, object]:
    """Each figure with its value, formula, source and inputs."""
    return {
        name: {
            "value": figure.number,
            "formula": figure.formula,
            "assumes": figure.assumes,
            "source": figure.source,
            "inputs": [{"name": i.name, "value": _plain(i.value), "origin": i.origin} for i in figure.inputs],
        }
        for name, figure in figures.items()
    }


def tier_document(chosen: TierPlan) -> dict[str, object]:
    """One tier: the choice, the counts asked for, raw to usable, what it gives whole and after a loss."""
    config, delivered = chosen.config, chosen.delivered
    return {
        "backend": config.backend,
        "node_count": config.nodes,
        "nodes_beside": delivered.beside,
        "counts": dict(delivered.counts),
        "bound_by": delivered.bound_by,
        "layout": encode(config.layout, "plain"),
        "node": encode(config.node, "plain"),
        "racks": config.racks,
        "options": dict(config.options),
        "raw_bytes": delivered.raw.base,
        "usable_bytes": delivered.usable.base,
        "planned_bytes": delivered.planned.base,
        "planned_fill_fraction": delivered.planned_fill_fraction,
        "fill_fraction": fill_fraction(chosen),
        "waterfall": [encode(factor, "plain") for factor in delivered.waterfall],
        "healthy": _healthy(chosen),
        "degraded": [_degraded(state) for state in delivered.degraded],
        "illegal": [encode(fault, "plain") for fault in delivered.illegal],
        "cannot_change_later": list(delivered.cannot_change_later),
        "notes": list(delivered.notes),
        "cloud": _cloud(delivered.cloud),
    }


def _cloud(cloud: CloudSize | None) -> dict[str, object] | None:
    if cloud is None:
        return None
    found: dict[str, object] = encode(cloud, "plain")
    return found | {f"size_{cloud.unit.lower().replace('/', '_per_')}": cloud.size, "class": cloud.class_name}


def fill_fraction(chosen: TierPlan) -> float:
    """What the stack needs of the usable capacity; 0 where nothing is needed, 1 where nothing is usable."""
    need, usable = chosen.need.capacity, chosen.delivered.usable
    return (need / usable if usable else 1.0) if need else 0.0


def busiest_phase(chosen: TierPlan) -> tuple[str, float]:
    """The phase that takes most of the tier, and its share; ``("", 0)`` where nothing is asked."""
    rates = chosen.delivered.healthy
    loads = [(phase_load(rates, read=p.read, write=p.write), p.name) for p in chosen.need.phases]
    share, name = max(loads, key=lambda load: load[0], default=(0.0, ""))
    return name, share


def limited_by(chosen: TierPlan) -> str:
    """What limits the direction that the busiest phase asks more of."""
    rates, name = chosen.delivered.healthy, busiest_phase(chosen)[0]
    phase = next((phase for phase in chosen.need.phases if phase.name == name), None)
    if phase is None:
        return rates.read_limited_by
    reads = phase_load(rates, read=phase.read, write=phase.write * 0)
    writes = phase_load(rates, read=phase.read * 0, write=phase.write)
    return rates.write_limited_by if writes > reads else rates.read_limited_by


def rejection_document(rejection: Rejection) -> dict[str, object]:
    """One rejection with its figures."""
    return encode(rejection, "plain")


def _need(need: TierNeed) -> dict[str, object]:
    return encode(need, "plain")


def _healthy(chosen: TierPlan) -> dict[str, object]:
    rates = chosen.delivered.healthy
    name, share = busiest_phase(chosen)
    found = encode(rates, "plain")
    found["limited_by"] = limited_by(chosen)
    found["busiest_phase"] = name
    found["phase_load_fraction"] = min(share, 1e9)  # JSON has no infinity
    return found


def _degraded(state: Degraded) -> dict[str, object]:
    lost = {"nodes": state.nodes, "racks": state.racks}
    return {
        "loses": {word: count for word, count in lost.items() if count},
        "read_bytes_per_s": state.read.base,
        "write_bytes_per_s": state.write.base,
        **({} if state.op_rate is None else {"op_rate_ops_per_s": state.op_rate.base}),
        "data_lost": state.data_lost,
    }


def _plain(value: Value) -> float | int | str | bool:
    return value if isinstance(value, str | bool) else base_number(value)
