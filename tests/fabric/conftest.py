"""Small fabrics of any shape, and the facts of links."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tierplan.domain.facts import Fact
from tierplan.fabric.topology import Group, Member, Topology
from tierplan.load import catalogue
from tierplan.units import Bandwidth

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "fabric.yaml"


@pytest.fixture(scope="session")
def figures() -> Mapping[str, Fact]:
    return catalogue().figures("fabric")


@pytest.fixture(scope="session")
def golden() -> Mapping[str, list[dict[str, object]]]:
    """The oracles, each with its source."""
    return yaml.safe_load(GOLDEN.read_text(encoding="utf-8"))


def random_fabric(seed: int) -> Topology:
    """Any two-layer fabric, or one leaf; uneven nodes over leafs, uneven ports over rails, whole bytes per second."""
    draw = random.Random(seed)  # noqa: S311  # the same shapes in every run

    def member(name: str, nodes: int, ports: int) -> Member:
        return Member(
            name=name,
            nodes=nodes,
            ports=ports,
            port_rate=Bandwidth(100.0),
            port=Bandwidth(float(draw.randint(5, 60) * 1000)),
            read=Bandwidth(float(nodes * draw.randint(5, 90) * 1000)),
            write=Bandwidth(float(nodes * draw.randint(5, 90) * 1000)),
            client_read=Bandwidth(float(draw.randint(50, 900) * 1000)),
            client_write=Bandwidth(float(draw.randint(50, 900) * 1000)),
            inner_read=draw.choice((0.0, 1.0)),
            inner_write=draw.choice((0.0, 1.0)),
        )

    hot = member("hot", draw.randint(1, 4), draw.randint(1, 3))
    gpu = member("gpu", draw.randint(1, 5), draw.randint(1, 3))
    cold = (member("cold", draw.randint(1, 5), draw.randint(1, 3)),) if draw.random() < 0.5 else ()
    if draw.random() < 0.2:
        one = group("all", (hot, *cold, gpu), sets=1, rails=1, uplinks=0, uplink=0)
        return Topology(storage=one, gpu=one, leaf_ports=64, spine_ports=64)
    spines = draw.randint(1, 2)

    def leafs(serves: str, *machines: Member) -> Group:
        return group(
            serves,
            machines,
            sets=draw.randint(1, max(member.nodes for member in machines)),
            rails=draw.randint(1, min(member.ports for member in machines)),
            uplinks=spines * draw.randint(1, 2),
            uplink=draw.randint(4, 60) * 1000,
        )

    return Topology(
        storage=leafs("storage", hot, *cold), gpu=leafs("gpu", gpu), leaf_ports=64, spine_ports=64, spines=spines
    )


def group(serves: str, members: tuple[Member, ...], *, sets: int, rails: int, uplinks: int, uplink: int) -> Group:
    return Group(
        serves=serves,
        members=members,
        sets=sets,
        rails=rails,
        uplinks=uplinks,
        uplink_rate=Bandwidth(100.0),
        uplink=Bandwidth(float(uplink)),
    )


@pytest.fixture(scope="session")
def fabrics() -> list[Topology]:
    """Two hundred of them, the same in every run."""
    return [random_fabric(seed) for seed in range(200)]
