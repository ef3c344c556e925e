"""The trail of what a fabric carries: each figure with its formula and inputs. Only where somebody asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.domain.fabric import Direction, FabricPath, FabricPlan, Segment
from tierplan.domain.facts import Fact
from tierplan.domain.figures import Figure, Known, Ledger
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import Stack
from tierplan.domain.tiers import TierPlan
from tierplan.fabric import paths, traffic
from tierplan.fabric.planning import topology_of
from tierplan.fabric.topology import Group, Member, Topology
from tierplan.units import Bandwidth

DIRECTIONS: tuple[Direction, ...] = ("read", "write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """Where the figures of one tier and direction are written down."""

    ledger: Ledger
    tier: Tier
    direction: Direction
    stack: Stack
    transport: str
    facts: Mapping[str, Fact]

    def id(self, name: str) -> str:
        """``fabric.hot.storage_ports_read_bytes_per_s``."""
        return f"fabric.{self.tier}.{name}_{self.direction}_bytes_per_s"

    def fact(self, name: str) -> Known[float]:
        """A figure of the catalogue for this transport: link or path."""
        row = f"{self.transport}_{name}"
        return Known(self.facts[row].value, f"catalogue fabric/{row}")


def figures(
    stack: Stack,
    requirement: Requirement,
    tiers: Mapping[Tier, TierPlan],
    fabric: FabricPlan | None,
    facts: Mapping[str, Fact],
) -> Mapping[str, Figure]:
    """Of each path what it carries in each direction, back to ports, uplinks and the catalogue; nothing at a cloud."""
    topology = None if fabric is None else topology_of(stack, requirement, tiers, facts)
    ledger = Ledger()
    if topology is None or fabric is None:
        return ledger.figures
    for path in fabric.paths:
        for direction in DIRECTIONS:
            sheet = Sheet(
                ledger=ledger,
                tier=path.tier,
                direction=direction,
                stack=stack,
                transport=fabric.transport,
                facts=facts,
            )
            _path(sheet, path, topology, tiers[path.tier])
    return ledger.figures


def _path(sheet: Sheet, path: FabricPath, topology: Topology, chosen: TierPlan) -> None:
    found = {segment.name: segment for segment in path.segments}
    member, gpu = topology.storage.member(path.tier), topology.gpu.member("gpu")
    stretches: dict[str, Known[Bandwidth]] = {}
    for name, origin in ((paths.DRIVES, "node.drive"), (paths.NODES, f"healthy.{sheet.direction}_bytes_per_s")):
        if name in found:
            rate = _rate(found[name], sheet.direction)
            stretches[name.replace(" ", "_")] = Known(rate, f"plan tiers.{path.tier}.{origin}")
    if member is not None and gpu is not None:
        inner = _inner(sheet, member, chosen)
        link = Known(member.port_rate, f"plan tiers.{path.tier}.node.port_rate")
        stretches["storage_ports"] = _ports(sheet, "storage", member, link, inner)
        if topology.levels > 1:
            stretches["storage_uplinks"] = _uplinks(sheet, "storage", topology.storage, member, inner)
            stretches["gpu_uplinks"] = _uplinks(sheet, "gpu", topology.gpu, gpu, Known(0.0, "constant"))
        own = Known(gpu.port_rate, sheet.stack.origin("cluster.storage_network.rate"))
        stretches["gpu_ports"] = _ports(sheet, "gpu", gpu, own, Known(0.0, "constant"))
        taken = _rate(found[paths.CLIENTS], sheet.direction)
        stretches["client_processes"] = Known(taken, f"plan tiers.{path.tier}.healthy.client_bytes_per_s")
    name = f"fabric.{path.tier}.{sheet.direction}_bytes_per_s"
    sheet.ledger.figure(name, paths.path_bandwidth, **stretches)


def _rate(segment: Segment, direction: Direction) -> Bandwidth:
    return segment.read if direction == "read" else segment.write


def _inner(sheet: Sheet, member: Member, chosen: TierPlan) -> Known[float]:
    """The figure of what storage nodes send one another, as the layout asks and as it fits the ports."""
    rates, layout = chosen.delivered.healthy, chosen.config.layout
    asked = traffic.inner(chosen, sheet.direction)
    planned = rates.read if sheet.direction == "read" else rates.write
    return sheet.ledger.figure(
        f"fabric.{sheet.tier}.inner_{sheet.direction}_factor",
        traffic.fitting,
        inner=Known(asked, f"plan tiers.{sheet.tier}.layout {layout}"),
        ports=Known(member.port * (member.nodes * member.ports), f"plan tiers.{sheet.tier}.node.ports"),
        planned=Known(planned, f"plan tiers.{sheet.tier}.healthy.{sheet.direction}_bytes_per_s"),
    )


def _ports(sheet: Sheet, side: str, member: Member, rate: Known[Bandwidth], inner: Known[float]) -> Known[Bandwidth]:
    ledger, place = sheet.ledger, f"plan tiers.{sheet.tier}" if side == "storage" else "stack cluster"
    share = sheet.fact("link")
    if side == "gpu":
        kept = member.port / member.port_rate / share.value  # what compute does not get of shared ports
        share = Known(share.value * kept, share.origin if kept == 1 else f"{share.origin} × plan fabric.storage_share")
    port = ledger.figure(sheet.id(f"{side}_port"), paths.link_bandwidth, rate=rate, link=share)
    return ledger.figure(
        sheet.id(f"{side}_ports"),
        paths.port_bandwidth,
        port=port,
        nodes=Known(member.nodes, f"{place}.node_count" if side == "storage" else "plan fabric.gpu_nodes"),
        ports=Known(member.ports, f"{place}.node.ports" if side == "storage" else f"{place}.storage_network.ports"),
        inner=inner,
    )


def _uplinks(sheet: Sheet, side: str, group: Group, member: Member, inner: Known[float]) -> Known[Bandwidth]:
    where = f"plan fabric.leafs {group.serves}"
    uplink = sheet.ledger.figure(
        sheet.id(f"{side}_uplink"),
        paths.trunk_bandwidth,
        rate=Known(group.uplink_rate, where),
        link=sheet.fact("link"),
        path=sheet.fact("path"),
    )
    return sheet.ledger.figure(
        sheet.id(f"{side}_uplinks"),
        paths.uplink_bandwidth,
        uplink=uplink,
        uplinks=Known(group.uplinks, where),
        share=Known(group.share(member), where),
        inner=inner,
        away=Known(group.away, where),
    )
