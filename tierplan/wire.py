"""
Nouns <-> resource properties: what components register, policies read and other languages write.

A resource's inputs are choices, spelt by the codec in ``wire`` (`read_bytes_per_s` is `readBytesPerS`); what is
computed from them are outputs.  Numbers arrive as doubles: counts are read back as whole numbers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from tierplan.codec import decode, encode
from tierplan.domain.need import Requirement, Tier, TierNeed
from tierplan.domain.prices import Price, PriceList
from tierplan.domain.stack import StorageNode
from tierplan.domain.tiers import Rejection, TierConfig, TierPlan
from tierplan.errors import InputError

Properties = dict[str, object]

NAMESPACE = "tierplan:"
STORAGE = "tierplan:index:TieredStorage"
REQUIREMENT = "tierplan:index:StorageRequirement"
NODE_GROUP = "tierplan:index:StorageNodeGroup"
ARTIFACT = "tierplan:index:ConfigArtifact"
FABRIC = "tierplan:index:StorageFabric"
LIFECYCLE = "tierplan:index:Lifecycle"
TIER_TOKENS: Mapping[Tier, str] = MappingProxyType(
    {
        "local": "tierplan:index:LocalTier",
        "hot": "tierplan:index:HotTier",
        "cold": "tierplan:index:ColdTier",
    }
)
TIER_OF: Mapping[str, Tier] = MappingProxyType({token: tier for tier, token in TIER_TOKENS.items()})
TEXTS = ("assumptions", "notes")  # of what a tier delivers: for readers of the plan, not of its resources
CHOICES = ("tier", "backend", "nodes", "node", "layout", "racks", "quote", "measured", "options", "rejections")
"""The properties of a tier that somebody chose, or that say why nothing is chosen."""
TOKENS = (STORAGE, REQUIREMENT, *TIER_TOKENS.values(), NODE_GROUP, FABRIC, LIFECYCLE, ARTIFACT)


@dataclass(frozen=True, slots=True, kw_only=True)
class TierInputs:
    """
    What a tier resource holds: its choices and the need that it was sized for.

    Without a fitting choice `config` is None; then `rejections` say why.
    """

    tier: Tier
    backend: str
    config: TierConfig | None = None
    need: TierNeed | None = None
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeGroup:
    """Identical storage nodes of one tier."""

    tier: Tier
    backend: str
    nodes: int
    node: StorageNode
    racks: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One rendered file: where it belongs, the digest of what it holds, which template made it."""

    path: str
    sha256: str
    template: str


def stack_document(config: Mapping[str, object]) -> Properties:
    """
    The stack form out of a Pulumi stack's configuration: every key of the namespace, without it.

    Structured values arrive as JSON text, plain ones as they were written.
    """
    return {
        key.removeprefix(NAMESPACE): _structured(value) for key, value in config.items() if key.startswith(NAMESPACE)
    }


def _structured(value: object) -> object:
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except ValueError:
            return value  # text that only looks like it; the loader says what is wrong
    return value


def tier_properties(inputs: TierInputs) -> Properties:
    """The inputs of a tier resource."""
    found: Properties = {"tier": inputs.tier, "backend": inputs.backend}
    if inputs.config is not None:
        found |= encode(inputs.config, "wire")
    if inputs.need is not None:
        found["need"] = encode(inputs.need, "wire")
    if inputs.rejections:
        found["rejections"] = [encode(rejection, "wire") for rejection in inputs.rejections]
    return found


def tier_inputs(token: str, properties: Mapping[str, object]) -> TierInputs:
    """
    The inputs of a tier resource read back; `tier` may be left out, the token says it.

    Raises:   InputError with one line for each property that is unknown, missing or of a wrong type
    """
    tier = TIER_OF[token]
    choices = {key: value for key, value in properties.items() if key not in ("need", "rejections")}
    if choices.setdefault("tier", tier) != tier:
        message = f"tier: {choices['tier']!r}; a {token.rpartition(':')[2]} holds {tier!r}"
        raise InputError(message)
    need = properties.get("need")
    rejections = properties.get("rejections")
    return TierInputs(
        tier=tier,
        backend=str(choices.get("backend", "")),
        config=decode(TierConfig, choices, "wire") if "nodes" in choices else None,
        need=None if need is None else tier_need(tier, need),
        rejections=_rejections(rejections),
    )


def tier_need(tier: Tier, value: object) -> TierNeed:
    """
    A tier's need out of properties; `tier` may be left out.

    Raises:   InputError with one line for each property that is unknown, missing or of a wrong type
    """
    if not isinstance(value, Mapping):
        message = f"need: {value!r} is no map of keys"
        raise InputError(message)
    return decode(TierNeed, {"tier": tier, **value}, "wire", "need")


def _rejections(value: object) -> tuple[Rejection, ...]:
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        message = f"rejections: {value!r} is no list"
        raise InputError(message)
    return tuple(decode(Rejection, item, "wire", f"rejections[{index}]") for index, item in enumerate(value))


def tier_outputs(inputs: TierInputs, plan: TierPlan | None) -> Properties:
    """The outputs of a tier resource: its choices again, and the figures of what they give."""
    found = tier_properties(inputs)
    found.pop("need", None)
    if plan is not None:
        figures = encode(plan.delivered, "wire")
        found |= {key: value for key, value in figures.items() if key not in TEXTS}
        found |= {"boundBy": plan.delivered.bound_by, "plannedBytes": plan.delivered.planned.base}
    return found


def chosen(token: str, outputs: Mapping[str, object]) -> TierInputs:
    """
    The choices out of a tier's outputs, which hold figures as well: those are left aside.

    Raises:   InputError with one line for each choice that is missing or of a wrong type
    """
    return tier_inputs(token, {key: value for key, value in outputs.items() if key in CHOICES})


def price_properties(prices: PriceList) -> Properties:
    """A price list as a property: what a bill is made of, handed on to those who judge it."""
    items = {item: encode(price, "wire") for item, price in prices.items.items()}
    return {"currency": prices.currency, "years": prices.years, "name": prices.name, "items": items}


def price_list(value: object) -> PriceList:
    """
    A price list read back.

    Raises:   InputError with one line for each property that is unknown, missing or of a wrong type
    """
    rows = value.get("items") if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping) or not isinstance(rows, Mapping):
        message = "prices: no map with currency, years and items"
        raise InputError(message)
    head = decode(PriceList, {key: item for key, item in value.items() if key != "items"}, "wire", "prices")
    items = {str(item): decode(Price, row, "wire", f"prices.items.{item}") for item, row in rows.items()}
    return replace(head, items=items)


def requirement_properties(requirement: Requirement) -> Properties:
    """The inputs of the requirement: every figure by its id, in its base unit."""
    return {"figures": {name: figure.number for name, figure in requirement.figures.items()}}


def group_properties(config: TierConfig) -> Properties:
    """The inputs of the group that a tier's storage nodes make."""
    group = NodeGroup(
        tier=config.tier, backend=config.backend, nodes=config.nodes, node=config.node, racks=config.racks
    )
    return encode(group, "wire")


def group_outputs(config: TierConfig) -> Properties:
    """The outputs of a group: all its raw bytes, and all its ports in one direction."""
    raw, network = config.node.raw * config.nodes, config.node.network * config.nodes
    return group_properties(config) | {"rawBytes": raw.base, "networkBytesPerS": network.base}
