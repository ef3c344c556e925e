"""
File systems and object stores of somebody's own, judged as the tier that they are.

The backend that owns a token (`TOKENS`) reads the resource's inputs (`from_inputs`), and its `deliver` says what they
give.  What they must carry comes from, in this order: the tier of ours that the resource is a part of, the stack's
``tierplan:`` configuration, the policy's configuration.  With none of them only legality is judged.
"""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

from evidence import ANY_CLIENTS, Unjudged, configuration, configured, delivered, judged, plain, stated_need
from pack import read_tokens
from program import Inputs, inputs_of, read, text_of
from seen import INPUTS
from tierplan import backends, wire
from tierplan.domain.need import Tier, TierNeed
from tierplan.domain.stack import Survive
from tierplan.domain.tiers import TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate, Size

if TYPE_CHECKING:
    from pulumi_policy import ResourceValidationArgs

TOKENS: Mapping[str, str] = read_tokens()


class Owner(Protocol):
    """A backend's module that owns tokens of real resources."""

    TOKENS: tuple[str, ...]

    def from_inputs(self, token: str, inputs: Mapping[str, object]) -> TierConfig:
        """The choices that such a resource holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A foreign resource as a tier; without `stated` nothing says what it must carry."""

    plan: TierPlan
    stated: bool
    above: TierPlan | None = None
    """The tier of ours that it is a part of."""


def owned_tokens() -> dict[str, str]:
    """Each token that a backend owns, with the backend's id: what the index keeps."""
    from tierplan.load import catalogue  # noqa: PLC0415  # asked only when the index is written

    ids = {backends.module_name(one): one for one in catalogue().known()}
    found = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(backends.__path__) if not one.name.startswith("_")):
        for token in getattr(import_module(f"{backends.__name__}.{module}"), "TOKENS", ()):
            found[str(token)] = ids[module]
    return dict(sorted(found.items()))


def found(args: ResourceValidationArgs, required: object) -> Found:
    """
    The resource as a tier.

    Raises:   Unjudged if it cannot be read; UnknownValueError if that takes a value that is not known at preview
    """
    text = text_of(inputs_of(args.props))
    return _found(args.resource_type, text, _above(args.opts.parent or ""), json.dumps(required), configuration())


def is_ours(args: ResourceValidationArgs) -> bool:
    """Whether a backend owns the resource: its token, and where that serves other kinds too (`is_ours`), its inputs."""
    if args.resource_type not in TOKENS:
        return False
    owner = import_module(f"{backends.__name__}.{backends.module_name(TOKENS[args.resource_type])}")
    tell = getattr(owner, "is_ours", None)
    return tell is None or bool(tell(read(text_of(inputs_of(args.props)))))


def _above(urn: str) -> tuple[str, str] | None:
    """Token and inputs of the tier of ours that has this URN."""
    token = urn.split("::")[2].rpartition("$")[2] if urn.count("::") > 2 else ""
    if token not in wire.TIER_OF or urn not in INPUTS:
        return None
    properties = plain(INPUTS[urn])
    return (token, text_of(properties)) if "nodes" in properties else None


@lru_cache(maxsize=64)
def _found(
    token: str, text: str, above: tuple[str, str] | None, required: str, _configuration: tuple[tuple[str, str], ...]
) -> Found:
    config = config_of(token, read(text))
    tier = judged(above[0], read(above[1])) if above else None
    need = tier.need if tier is not None and tier.config.tier == config.tier else _need(config.tier, required)
    inputs = wire.TierInputs(tier=config.tier, backend=config.backend, config=config)
    plan = delivered(inputs, need or nothing_asked(config.tier))
    return Found(plan=plan, stated=need is not None, above=tier)


def config_of(token: str, inputs: Mapping[str, object]) -> TierConfig:
    """The choices of a raw resource, as its backend reads them."""
    owner = cast("Owner", import_module(f"{backends.__name__}.{backends.module_name(TOKENS[token])}"))
    try:
        return owner.from_inputs(token, Inputs(inputs))
    except (KeyError, TypeError, ValueError) as fault:
        message = f"its inputs are not those of a {token.rpartition(':')[2]}: {fault}"
        raise Unjudged(message) from fault


def _need(tier: Tier, required: str) -> TierNeed | None:
    ours = configured()
    if ours is not None and tier in ours[1].needs:
        return ours[1].needs[tier]
    asked = json.loads(required)
    return None if asked is None else stated_need(tier, asked)


def nothing_asked(tier: Tier) -> TierNeed:
    """A need that every legal configuration meets."""
    return TierNeed(
        tier=tier,
        read=Bandwidth.zero(),
        write=Bandwidth.zero(),
        op_rate=OpRate.zero(),
        capacity=Size.zero(),
        phases=(),
        max_fill=1.0,
        survive=Survive(nodes=0),
        clients=ANY_CLIENTS,
    )
