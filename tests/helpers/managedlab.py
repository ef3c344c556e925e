"""A managed file system asked and answered: the oracles' need, any need, what is chosen and what is against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from tierplan import backends
from tierplan.domain.need import Clients, Phase, TierNeed
from tierplan.domain.stack import Site, SiteKind, TierPins
from tierplan.domain.tiers import Delivered, Illegal, TierConfig
from tierplan.load import catalogue
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import judge_tier
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

GOLDEN = Path(__file__).parents[1] / "golden"
CLIENTS = Clients(gpu_nodes=128, ports=4, port_rate=bandwidth("100 Gbit/s"), transport="tcp", cpu_cores=96)


def golden(file: str, kind: str) -> list[dict[str, Any]]:
    """The cases of one kind, with tolerance."""
    groups = yaml.safe_load((GOLDEN / f"{file}.yaml").read_text(encoding="utf-8"))
    return [
        {"tolerance": group.get("tolerance", 0), **case}
        for group in groups
        for case in group["cases"]
        if case["of"] == kind
    ]


def need(**changes: Any) -> TierNeed:
    """100 TiB, and 980 GB within 54 s: what the oracles ask; fill and headroom are not in them."""
    write = Bandwidth(980e9 / 54)
    asked = TierNeed(
        tier="hot",
        read=Bandwidth.zero(),
        write=write,
        op_rate=op_rate("1000 ops/s"),
        capacity=size("100 TiB"),
        max_fill=1.0,
        phases=(Phase(name="checkpoint", read=Bandwidth.zero(), write=write, op_rate=OpRate.zero()),),
        clients=CLIENTS,
    )
    return replace(asked, **changes)


def nothing(**changes: Any) -> TierNeed:
    """A need of nothing."""
    none = {"write": Bandwidth.zero(), "op_rate": OpRate.zero(), "capacity": Size.zero(), "phases": ()}
    return need(**{**none, **changes})


@dataclass(frozen=True, slots=True)
class Lab:
    """One backend on its own site."""

    backend: str
    kind: SiteKind

    def choose(self, words: Mapping[str, Any], asked: TierNeed, **pins: Any) -> TierConfig:
        """What the backend settles on."""
        made = TierPins(backend=self.backend, options=dict(words), **pins)
        facts = catalogue().backend(self.backend)
        (config,) = backends.load(self.backend).choices(asked, made, Site(kind=self.kind), facts)
        return config

    def give(self, config: TierConfig, asked: TierNeed) -> Delivered:
        """What a configuration gives."""
        return backends.load(self.backend).deliver(config, asked, catalogue().backend(self.backend))

    def illegal(self, words: Mapping[str, Any], asked: TierNeed | None = None, **pins: Any) -> list[Illegal]:
        """What is against these words on an else empty configuration, advice aside."""
        asked = asked or nothing()
        found = self.give(self.choose(words, asked, **pins), asked).illegal
        return [one for one in found if not one.policy.startswith("advice-")]

    def mandatory(self, config: TierConfig, asked: TierNeed) -> set[str]:
        """The mandatory rules that fire."""
        case = TierCase(need=asked, config=config, delivered=self.give(config, asked))
        return {finding.policy for finding in judge_tier(case) if finding.level == "mandatory"}
