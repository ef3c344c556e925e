"""
What a policy judges by: the requirement and the choices, both recomputed, and never a figure that says "ok".

The requirement comes from, in this order: the stack's ``tierplan:`` configuration, the tier's own `need`, the
policy's configuration.  What cannot be read, or is not known at preview, is a reason to refuse: `Unjudged`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import lru_cache

from pulumi.runtime import get_config_env
from pulumi.runtime.config import CONFIG
from pulumi_policy import proxy

from tierplan import backends, demand, wire
from tierplan.codec import encode
from tierplan.domain.need import Clients, Phase, Requirement, Tier, TierNeed
from tierplan.domain.stack import Stack
from tierplan.domain.tiers import TierPlan
from tierplan.errors import TierplanError
from tierplan.load import catalogue, prices_of, stack_from_document
from tierplan.plan.rule import PlanCase
from tierplan.plan.search import deliver
from tierplan.plan.walk import case_of, whole_plan
from tierplan.units import bandwidth

Properties = Mapping[str, object]
ANY_CLIENTS = Clients(gpu_nodes=10**6, ports=1, port_rate=bandwidth("1 PB/s"), transport="tcp", cpu_cores=10**6)


class Unjudged(Exception):  # noqa: N818  # a finding, not a fault of the program
    """A resource that cannot be judged, with the reason."""


@contextmanager
def judging() -> Iterator[None]:
    """Turn what cannot be read, and what is not known at preview, into `Unjudged`."""
    try:
        yield
    except proxy.UnknownValueError as fault:
        message = f"{'.'.join(fault.props)} is not known at preview; give a plain value instead of an output"
        raise Unjudged(message) from fault
    except TierplanError as fault:
        raise Unjudged(str(fault)) from fault


def plain(properties: Properties) -> dict[str, object]:
    """The properties without the proxies of the policy SDK; raises on a value that is unknown at preview."""
    return {key: _plain(properties[key]) for key in properties}


def choices(outputs: Properties) -> dict[str, object]:
    """Of a tier's outputs the choices alone: of what is computed from them no rule reads anything."""
    return {key: _plain(outputs[key]) for key in wire.CHOICES if key in outputs}


def _plain(value: object) -> object:
    if isinstance(value, str | float | int | None):
        return value
    if isinstance(value, Mapping):
        return plain(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value


def configuration() -> tuple[tuple[str, str], ...]:
    """The stack's ``tierplan:`` configuration, as the engine hands it on."""
    config = {**get_config_env(), **CONFIG.get()}
    return tuple(sorted((key, str(value)) for key, value in config.items() if key.startswith(wire.NAMESPACE)))


def configured() -> tuple[Stack, Requirement] | None:
    """The stack of the ``tierplan:`` configuration with its requirement recomputed; None without such keys."""
    ours = configuration()
    return _computed(ours) if ours else None


@lru_cache(maxsize=4)
def _computed(config: tuple[tuple[str, str], ...]) -> tuple[Stack, Requirement]:
    stack = stack_from_document(wire.stack_document(dict(config)), name="stack", where="stack configuration")
    return stack, demand.requirement(stack)


def stated(spec: object) -> tuple[Stack, Requirement]:
    """The stack of a component's `spec`, with its requirement."""
    if not isinstance(spec, Mapping):
        message = "spec is missing"
        raise Unjudged(message)
    return _stated(json.dumps(spec))


@lru_cache(maxsize=4)
def _stated(spec: str) -> tuple[Stack, Requirement]:
    stack = stack_from_document(json.loads(spec), name="stack", where="spec")
    return stack, demand.requirement(stack)


def judged(token: str, properties: Mapping[str, object], required: object = None) -> TierPlan:
    """
    What a tier's choices give, by the backend's own arithmetic, and what it must carry.

    `required` is the policy's configuration.  Every rule asks for the same, so it is kept.
    """
    return _judged(token, json.dumps(properties), json.dumps(required), configuration())


@lru_cache(maxsize=16)
def _judged(token: str, properties: str, required: str, _configuration: tuple[tuple[str, str], ...]) -> TierPlan:
    inputs = wire.tier_inputs(token, json.loads(properties))
    return delivered(inputs, need_of(inputs, json.loads(required)))


def whole(storage: Mapping[str, object], tiers: tuple[tuple[str, Mapping[str, object]], ...]) -> PlanCase:
    """The whole plan out of the choices of its tiers (token, outputs), for the rules that no tier answers alone."""
    return _whole(
        json.dumps(storage.get("spec")), json.dumps(storage.get("prices")), json.dumps(tiers), configuration()
    )


@lru_cache(maxsize=4)
def _whole(spec: str, prices: str, tiers: str, _configuration: tuple[tuple[str, str], ...]) -> PlanCase:
    stack, requirement = configured() or stated(json.loads(spec))
    own = json.loads(prices)
    listed = prices_of(stack, None) if own is None else wire.price_list(own)
    parts = [wire.chosen(token, outputs) for token, outputs in json.loads(tiers)]
    plans: dict[Tier, TierPlan] = {
        part.tier: delivered(part, requirement.needs[part.tier])
        for part in parts
        if part.config is not None and part.tier in requirement.needs
    }
    rejections = tuple(rejection for part in parts for rejection in part.rejections)
    return replace(case_of(whole_plan(stack, requirement, plans, listed, catalogue())), rejections=rejections)


def need_of(inputs: wire.TierInputs, required: object) -> TierNeed:
    """What the tier must carry, from the first source that says it."""
    ours = configured()
    if ours is not None:
        need = ours[1].needs.get(inputs.tier)
        if need is None:
            message = f"the stack's configuration asks nothing of a {inputs.tier} tier"
            raise Unjudged(message)
        return need
    if inputs.need is not None:
        return inputs.need
    if required is not None:
        return stated_need(inputs.tier, required)
    message = (
        f"nothing says what is required: no {wire.NAMESPACE} configuration, no `need` in the tier, "
        "no `required` in the policy's configuration"
    )
    raise Unjudged(message)


def stated_need(tier: Tier, required: object) -> TierNeed:
    """
    A need out of a policy's configuration.

    It says totals only: they count all at once, which is the careful reading, and the clients are not judged.
    """
    if not isinstance(required, Mapping):
        message = f"required: {required!r} is no map of figures"
        raise Unjudged(message)
    need = wire.tier_need(tier, {"phases": (), "clients": encode(ANY_CLIENTS, "wire"), **required})
    phase = Phase(name="stated", read=need.read, write=need.write, op_rate=need.op_rate)
    return replace(need, phases=(phase,))


def delivered(inputs: wire.TierInputs, need: TierNeed) -> TierPlan:
    """What the tier's choices give, by the backend's own arithmetic."""
    if inputs.config is None:
        message = "it has no configuration"
        raise Unjudged(message)
    return deliver(inputs.config, need, catalogue())


def prepare() -> None:
    """Do ahead what every rule needs, while the engine starts the program; a fault comes back when it is asked for."""
    with suppress(Unjudged), judging():
        ours = configured()
        if ours is not None:
            for tier in (ours[0].tiers.hot, ours[0].tiers.cold):
                if tier.backend not in ("auto", "none"):
                    catalogue().backend(tier.backend)
                    backends.load(tier.backend)
