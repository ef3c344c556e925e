"""
The JSON Schema of every resource, made from the nouns' own types: ``tierplan/schemas/resources.json``.

    python -m tierplan.wire_schema > tierplan/schemas/resources.json
"""

from __future__ import annotations

import json
import sys
import types
import typing
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Literal, get_args, get_origin

from tierplan import wire
from tierplan.codec import HIDDEN, wire_key
from tierplan.domain.fabric import FabricPlan
from tierplan.domain.lifecycle import LifecyclePlan
from tierplan.domain.need import Tier, TierNeed
from tierplan.domain.tiers import Rejection, TierConfig
from tierplan.units import Quantity

Schema = dict[str, object]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
PLAIN: Mapping[object, str] = {int: "integer", float: "number", str: "string", bool: "boolean"}


def document() -> Schema:
    """Every token with the schema of its inputs; nouns that several hold stand once, under ``$defs``."""
    nouns: dict[str, Schema] = {}
    tokens: Schema = {
        wire.STORAGE: _closed(
            "The whole storage of one cluster.", {"spec": {"type": "object"}, "prices": {"type": "object"}}, ["spec"]
        ),
        wire.REQUIREMENT: _closed(
            "Every required figure by its id, in its base unit.",
            {"figures": {"type": "object", "additionalProperties": {"type": "number"}}},
            ["figures"],
        ),
        wire.NODE_GROUP: _noun(wire.NodeGroup, nouns),
        wire.FABRIC: _noun(FabricPlan, nouns),
        wire.LIFECYCLE: _noun(LifecyclePlan, nouns),
        wire.ARTIFACT: _noun(wire.Artifact, nouns),
    }
    tokens |= {token: _tier(tier, nouns) for tier, token in wire.TIER_TOKENS.items()}
    return {
        "$schema": DIALECT,
        "title": "tierplan resources: the inputs of each",
        "properties": {token: tokens[token] for token in wire.TOKENS},
        "additionalProperties": False,
        "$defs": dict(sorted(nouns.items())),
    }


def _tier(tier: Tier, nouns: dict[str, Schema]) -> Schema:
    """A tier's choices with the need they were sized for, or the reasons why there are none."""
    found = _noun(TierConfig, nouns)
    properties = typing.cast("Schema", found["properties"])
    properties |= {
        "tier": {"const": tier},
        "need": _reference(TierNeed, nouns),
        "rejections": {"type": "array", "items": _reference(Rejection, nouns)},
    }
    choices = [key for key in typing.cast("list[str]", found["required"]) if key not in ("tier", "backend")]
    chosen: Schema = {"required": choices}
    rejected: Schema = {"required": ["rejections"], "not": {"required": ["nodes"]}}
    return {**found, "properties": properties, "required": ["backend"], "anyOf": [chosen, rejected]}


def _noun(kind: type, nouns: dict[str, Schema]) -> Schema:
    """A dataclass: its fields are the properties, nothing else is one."""
    hints = typing.get_type_hints(kind)
    properties: Schema = {}
    required = []
    for field in fields(kind):
        if field.name in HIDDEN:
            continue
        key = wire_key(field.name, hints[field.name])
        properties[key] = _schema(hints[field.name], nouns)
        if field.default is MISSING and field.default_factory is MISSING:
            required.append(key)
    return _closed(_first_sentence(kind), properties, required)


def _closed(description: str, properties: Schema, required: list[str]) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _first_sentence(kind: type) -> str:
    return (kind.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")


def _reference(kind: type, nouns: dict[str, Schema]) -> Schema:
    if kind.__name__ not in nouns:
        nouns[kind.__name__] = {}  # its own place, should it hold itself
        nouns[kind.__name__] = _noun(kind, nouns)
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _schema(hint: object, nouns: dict[str, Schema]) -> Schema:
    """A field's value by its type."""
    if isinstance(hint, type) and get_origin(hint) is None:
        if issubclass(hint, Quantity):
            return {"type": "number", "minimum": 0}
        return _reference(hint, nouns) if is_dataclass(hint) else {"type": PLAIN[hint]}
    return _compound(get_origin(hint), tuple(part for part in get_args(hint) if part is not type(None)), nouns)


def _compound(origin: object, parts: tuple[object, ...], nouns: dict[str, Schema]) -> Schema:
    """A union, a choice of words, a list or a map."""
    if origin in (types.UnionType, typing.Union):
        return _schema(parts[0], nouns) if len(parts) == 1 else {"anyOf": [_schema(part, nouns) for part in parts]}
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is tuple:
        return {"type": "array", "items": _schema(parts[0], nouns)}
    values = PLAIN.get(parts[1]) if len(parts) > 1 else None  # a map: of one plain kind, or open
    return {"type": "object"} | ({"additionalProperties": {"type": values}} if values else {})


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")
