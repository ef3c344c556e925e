"""
A fabric as groups of identical leafs and the machines on them: what graphs are made of, and closed forms.

A group's leafs stand in sets of `rails`: the ports of one node go to the leafs of one set, port i to leaf i modulo
`rails`.  The nodes of each kind spread over the sets as evenly as whole nodes can.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierplan.domain.fabric import Direction, Serves
from tierplan.units import Bandwidth

NOTHING = Bandwidth.zero()


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """
    Machines of one kind: the nodes of a tier, machines beside them, or the GPU nodes.

    `port` is what one port carries in one direction.  Of a tier: `read` and `write` are what all its nodes together
    serve, `client_...` what all client processes together take of it, `inner_...` the bytes that its nodes send one
    another for each byte of a client, `rebuild` what they send while `lost` of them are rebuilt.  Machines without
    traffic of clients, and GPU nodes, have none of these.
    """

    name: str
    nodes: int
    ports: int
    port_rate: Bandwidth
    port: Bandwidth
    read: Bandwidth = NOTHING
    write: Bandwidth = NOTHING
    client_read: Bandwidth = NOTHING
    client_write: Bandwidth = NOTHING
    inner_read: float = 0.0
    inner_write: float = 0.0
    rebuild: Bandwidth = NOTHING
    lost: int = 0

    def serves(self, direction: Direction) -> Bandwidth:
        """What its nodes together serve."""
        return self.read if direction == "read" else self.write

    def taken(self, direction: Direction) -> Bandwidth:
        """What all client processes together take of it."""
        return self.client_read if direction == "read" else self.client_write

    def inner(self, direction: Direction) -> float:
        """Bytes between storage nodes for each byte of a client."""
        return self.inner_read if direction == "read" else self.inner_write


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Identical leafs with the machines on them; `uplink` is what one of a leaf's uplinks carries in one direction."""

    serves: Serves
    members: tuple[Member, ...]
    sets: int
    rails: int
    uplinks: int
    uplink_rate: Bandwidth
    uplink: Bandwidth

    @property
    def leafs(self) -> int:
        """Leaf switches of the group."""
        return self.sets * self.rails

    @property
    def node_ports(self) -> int:
        """Ports to machines on the fullest leaf."""
        return sum(self.fullest(member) for member in self.members)

    def fullest(self, member: Member) -> int:
        """Ports of this kind of machine on the fullest leaf."""
        return -(-member.nodes // self.sets) * -(-member.ports // self.rails)

    def share(self, member: Member) -> float:
        """The share of all that this kind of machine sends that crosses the fullest leaf, spread evenly over ports."""
        return self.fullest(member) / (member.nodes * member.ports) if member.nodes and member.ports else 0.0

    def member(self, name: str) -> Member | None:
        """The machines of this name."""
        return next((member for member in self.members if member.name == name), None)

    @property
    def away(self) -> float:
        """The share of what storage nodes send one another that leaves the leaf."""
        return 1 - 1 / self.leafs if self.leafs > 1 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """Storage leafs, GPU leafs and spines; or one leaf for all (then both groups are the same one)."""

    storage: Group
    gpu: Group
    leaf_ports: int
    spine_ports: int
    spines: int = 0
    cores: int = 0

    @property
    def groups(self) -> tuple[Group, ...]:
        """Its groups of leafs."""
        return (self.storage,) if self.storage is self.gpu else (self.storage, self.gpu)

    @property
    def levels(self) -> int:
        """Layers of switches."""
        return 1 + bool(self.spines) + bool(self.cores)

    @property
    def node_cables(self) -> int:
        """Cables between machines and leafs."""
        return sum(member.nodes * member.ports for group in self.groups for member in group.members)

    @property
    def trunk_cables(self) -> int:
        """Cables between switches; a third layer has as many again as the second."""
        return sum(group.leafs * group.uplinks for group in self.groups) * (1 + bool(self.cores))


def rail_ports(member: Member, rails: int) -> list[int]:
    """How many ports of one node go to each leaf of its set: port i to leaf i modulo `rails`."""
    return [member.ports // rails + (rail < member.ports % rails) for rail in range(rails)]


def set_sizes(nodes: int, sets: int) -> list[tuple[int, int]]:
    """(nodes, how many sets have so many): as even as whole nodes can be; sets without a node are left out."""
    few, more = divmod(nodes, sets)
    return [(size, count) for size, count in ((few + 1, more), (few, sets - more)) if size and count]


def max_flow(topology: Topology, tier: str, direction: Direction) -> Bandwidth:
    """
    The most that can flow between a tier's drives and the GPU nodes, in bytes of clients.

    Formula:  min over both sides of sum over sets of min(nodes * of one, sum over rails of min(nodes * ports * port,
              uplinks * uplink)), each link divided by the bytes that cross it for a byte of a client
    Assumes:  each leaf has as many uplinks to one spine as to another, so that spines cut nothing
    Source:   max-flow min-cut theorem on a tree of classes; tests hold it against networkx and brute force
    """
    member, gpu = topology.storage.member(tier), topology.gpu.member("gpu")
    if member is None or gpu is None:
        return Bandwidth.zero()
    inner = member.inner(direction)
    return Bandwidth(
        min(
            _side(topology.storage, member, every=member.serves(direction), inner=inner),
            _side(topology.gpu, gpu, every=member.taken(direction), inner=0.0),
        )
    )


def _side(group: Group, member: Member, *, every: Bandwidth, inner: float) -> float:
    """What one side of the spines gives or takes; `every` is what all its nodes would."""
    if not member.nodes:
        return 0.0
    each, port = every.base / member.nodes, member.port.base / (1 + inner)
    trunk = group.uplinks * group.uplink.base / (1 + inner * group.away) if group.uplinks else math.inf
    total = 0.0
    for size, count in set_sizes(member.nodes, group.sets):
        through = sum(min(size * ports * port, trunk) for ports in rail_ports(member, group.rails))
        total += count * min(size * each, through)
    return total
