"""What the tests of every backend share: facts, a need, a node, a configuration."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path

import pytest
import yaml

from tierplan import backends
from tierplan.domain.facts import BackendFacts, Fact
from tierplan.domain.need import Clients, Phase, TierNeed
from tierplan.domain.stack import Drive, Site, StorageNode, Survive, TierPins
from tierplan.domain.tiers import Layout, TierConfig
from tierplan.units import QUANTITIES, Bandwidth, OpRate, bandwidth, op_rate, size
from tierplan.codec import decode

FOLDER = Path(backends.__file__).parents[1] / "catalogue" / "backends"


def _quantity(text):
    for kind in QUANTITIES:
        try:
            return kind.parse(text)
        except ValueError:
            continue
    return None


def _fact(name, row):
    row = dict(row)
    parsed = {key: _quantity(row[key]) for key in ("value", "low", "high") if isinstance(row.get(key), str)}
    row.update({key: quantity.base for key, quantity in parsed.items()})
    row["checked"] = str(row["checked"])
    return Fact(name=name, quantity=parsed.get("value"), **row)


@cache
def read_facts(backend_id: str) -> BackendFacts:
    data = yaml.safe_load((FOLDER / f"{backend_id}.yaml").read_text())
    nodes, node_facts = {}, {}
    for name, row in data["nodes"].items():
        about = {key: str(row.pop(key)) for key in ("basis", "source", "checked")}
        nodes[name] = decode(StorageNode, row, "form")
        node_facts[name] = Fact(name=name, value=0, **about)
    return BackendFacts(
        id=data["id"],
        name=data["name"],
        fills=tuple(data["fills"]),
        summary=data["summary"],
        suits=data["suits"],
        figures={name: _fact(name, row) for name, row in data["figures"].items()},
        nodes=nodes,
        node_facts=node_facts,
    )
