"""Leafs, spines and uplinks: the fewest that hold every port and carry what they must, within the stack's pins."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from tierplan.domain.fabric import Serves
from tierplan.fabric.topology import Group, Member, Topology
from tierplan.units import Bandwidth, count_for

LEAST_SPINES = 2  # one may fail
NOISE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """
    What is given: ports of a leaf and of a spine, and how an uplink differs from a port.

    `oversubscription` is pinned, or None: then no leaf goes beyond `most_oversubscription`.
    """

    leaf_ports: int
    spine_ports: int
    rail_optimised: bool
    uplink_share: float
    most_oversubscription: float
    oversubscription: float | None = None

    @property
    def ratio(self) -> float:
        """Node ports' rate over uplinks' rate of a leaf, at most."""
        return self.oversubscription or self.most_oversubscription


Wanted = Callable[[Group], Bandwidth]
"""What the busiest uplinks of a group's leafs must carry, in one direction."""


def single_leaf(members: tuple[Member, ...], switches: Switches) -> Topology | None:
    """One leaf for everything, where every port fits on it."""
    if sum(member.nodes * member.ports for member in members) > switches.leaf_ports:
        return None
    rate = max(member.port_rate for member in members)
    group = Group(serves="all", members=members, sets=1, rails=1, uplinks=0, uplink_rate=rate, uplink=Bandwidth.zero())
    return Topology(storage=group, gpu=group, leaf_ports=switches.leaf_ports, spine_ports=switches.spine_ports)


def leafs_and_spines(
    storage: tuple[Member, ...], gpu: tuple[Member, ...], switches: Switches, wanted: tuple[Wanted, Wanted]
) -> Topology | None:
    """
    Leafs of two groups and the fewest spines that take their uplinks evenly; None where no leaf fits.

    Each leaf has as many links to one spine as to another.  Where one layer of spines has too few ports, a third layer
    joins them without an oversubscription of its own.
    """
    spines = LEAST_SPINES
    least = groups = _groups(storage, gpu, switches, wanted, spines)
    while groups is not None:
        links = sum(group.leafs * group.uplinks for group in groups)
        if links <= spines * switches.spine_ports:
            return _topology(groups, switches, spines=spines)
        spines = max(spines + 1, -(-links // switches.spine_ports))
        if spines > switches.leaf_ports or max(group.leafs for group in groups) > switches.spine_ports:
            break
        groups = _groups(storage, gpu, switches, wanted, spines)
    return None if least is None else _three_layers(least, switches)


def _three_layers(groups: tuple[Group, Group], switches: Switches) -> Topology | None:
    """Spines keep half their ports for cores: pods of them, at most as many leafs as half a spine's ports squared."""
    half = switches.spine_ports // 2
    if half < 1 or sum(group.leafs for group in groups) > half * switches.spine_ports:
        return None
    links = sum(group.leafs * group.uplinks for group in groups)
    return _topology(groups, switches, spines=-(-links // half), cores=-(-links // switches.spine_ports))


def _topology(groups: tuple[Group, Group], switches: Switches, *, spines: int, cores: int = 0) -> Topology:
    return Topology(
        storage=groups[0],
        gpu=groups[1],
        leaf_ports=switches.leaf_ports,
        spine_ports=switches.spine_ports,
        spines=spines,
        cores=cores,
    )


def _groups(
    storage: tuple[Member, ...],
    gpu: tuple[Member, ...],
    switches: Switches,
    wanted: tuple[Wanted, Wanted],
    spines: int,
) -> tuple[Group, Group] | None:
    first = leaf_group("storage", storage, switches, wanted[0], spines)
    second = leaf_group("gpu", gpu, switches, wanted[1], spines)
    return None if first is None or second is None else (first, second)


def leaf_group(
    serves: Serves, members: tuple[Member, ...], switches: Switches, wanted: Wanted, spines: int
) -> Group | None:
    """The fewest leafs that hold these machines and their own uplinks; None where not even one node fits on a leaf."""
    rails = min(member.ports for member in members) if switches.rail_optimised else 1
    rate = max(member.port_rate for member in members)
    on_rail = [(member.nodes, -(-member.ports // rails), member.port_rate / rate) for member in members]
    room = switches.leaf_ports * switches.ratio / (1 + switches.ratio)
    first = max(1, math.floor(sum(nodes * ports for nodes, ports, _ in on_rail) / max(1.0, room)))
    for sets in range(first, max(member.nodes for member in members) + 1):
        fullest = [(-(-nodes // sets) * ports, share) for nodes, ports, share in on_rail]
        node_ports = sum(ports for ports, _ in fullest)
        least = whole_number(sum(ports * share for ports, share in fullest) / switches.ratio)
        if node_ports + least > switches.leaf_ports:
            continue
        group = Group(
            serves=serves,
            members=members,
            sets=sets,
            rails=rails,
            uplinks=0,
            uplink_rate=rate,
            uplink=rate * switches.uplink_share,
        )
        if switches.oversubscription is None:
            least = max(least, count_for(wanted(group), group.uplink))
        uplinks = -(-max(1, least) // spines) * spines  # as many to one spine as to another
        if node_ports + uplinks <= switches.leaf_ports:
            return replace(group, uplinks=uplinks)
    return None


def whole_number(ratio: float) -> int:
    """
    Uplinks that keep a leaf within an oversubscription.

    Formula:  uplinks = ceil(rate of its node ports / rate of an uplink / oversubscription); float noise buys nothing

    >>> whole_number(24 / 1.5), whole_number(25 / 1.5)
    (16, 17)
    """
    return math.ceil(ratio - NOISE)
