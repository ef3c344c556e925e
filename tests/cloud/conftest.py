"""What the tests of managed services share: the oracle's need, and any need; configurations chosen and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tierplan import backends
from tierplan.backends._choosing import NO_NODE
from tierplan.domain.need import Clients, Phase, TierNeed
from tierplan.domain.plan import Finding
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Illegal, Layout, TierConfig
from tierplan.load import catalogue
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import judge_tier
from tierplan.units import Bandwidth, OpRate, Size, bandwidth, op_rate, size

GOLDEN = Path(__file__).parents[1] / "golden" / "aws.yaml"
TCP = Clients(gpu_nodes=128, ports=32, port_rate=bandwidth("100 Gbit/s"), transport="tcp", cpu_cores=96)


def golden(*kinds: str) -> list[Mapping[str, Any]]:
    """The cases of these kinds, with tolerance."""
    groups = yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))
    return [
        {"tolerance": group.get("tolerance", 0), **case}
        for group in groups
        for case in group["cases"]
        if case["of"] in kinds
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test with `<kind>_case` runs over the golden cases of that kind."""
    for fixture in metafunc.fixturenames:
        if fixture.endswith("_case"):
            cases = golden(fixture.removesuffix("_case"))
            metafunc.parametrize(fixture, cases, ids=[str(case["inputs"]) for case in cases])


def need(**changes: Any) -> TierNeed:
    """100 TiB, and 980 GB within 54 s: what the oracles ask; fill and headroom are not in them."""
    write = Bandwidth(980e9 / 54)
    asked = {
        "read": Bandwidth.zero(),
        "write": write,
        "op_rate": op_rate("1000 ops/s"),
        "capacity": size("100 TiB"),
        "max_fill": 1.0,
        "phases": (Phase(name="checkpoint", read=Bandwidth.zero(), write=write, op_rate=OpRate.zero()),),
        "clients": TCP,
    }
    return TierNeed(tier="hot", **{**asked, **changes})


def nothing(**changes: Any) -> TierNeed:
    """A need of nothing."""
    none = {"write": Bandwidth.zero(), "op_rate": OpRate.zero(), "capacity": Size.zero(), "phases": ()}
    return need(**{**none, **changes})


def choose(
    words: Mapping[str, Any], asked: TierNeed, *, backend: str = "fsx-lustre", region: str | None = None
) -> TierConfig:
    """What the backend settles on."""
    pins, site = TierPins(backend=backend, options=dict(words)), Site(kind="aws", region=region)
    (config,) = backends.load(backend).choices(asked, pins, site, catalogue().backend(backend))
    return config


def config_of(words: Mapping[str, Any], *, backend: str = "fsx-lustre") -> TierConfig:
    """A configuration of these words and nothing else."""
    return TierConfig(
        tier="hot", backend=backend, nodes=1, node=NO_NODE, layout=Layout(kind="none"), options=dict(words)
    )


def give(config: TierConfig, asked: TierNeed) -> Delivered:
    """What a configuration gives."""
    return backends.load(config.backend).deliver(config, asked, catalogue().backend(config.backend))


def judged(config: TierConfig, asked: TierNeed) -> Iterator[Finding]:
    """What the rules of the tier say."""
    return judge_tier(TierCase(need=asked, config=config, delivered=give(config, asked)))


def mandatory(config: TierConfig, asked: TierNeed) -> set[str]:
    """The mandatory rules that fire."""
    return {finding.policy for finding in judged(config, asked) if finding.level == "mandatory"}


def illegal(words: Mapping[str, Any], asked: TierNeed | None = None) -> list[Illegal]:
    """What is against these words, advice aside."""
    found = give(config_of(words), asked or nothing()).illegal
    return [one for one in found if not one.policy.startswith("advice-")]


@pytest.fixture(scope="session")
def lab() -> Callable[..., Any]:
    """The functions of this file by name: `lab("choose")(…)`."""
    return lambda name: globals()[name]
