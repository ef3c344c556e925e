"""Which hosts a tier's files name: those of the hosts file, checked against the plan, else marked examples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from tierplan.domain.hosts import Host, HostGroup, Hosts, HostTier, host_faults
from tierplan.domain.tiers import TierPlan
from tierplan.errors import RenderError
from tierplan.render.quoting import comment
from tierplan.units import count_for

# Addresses of the benchmark range (RFC 2544): nobody's, never routed.
_EXAMPLE_BLOCKS: Mapping[HostTier, str] = {"hot": "198.18", "cold": "198.19"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """The hosts of one tier, and what of them is only an example."""

    group: HostGroup
    examples: tuple[str, ...] = ()

    def mapping(self) -> dict[str, object]:
        """As templates read it; `turn` counts the hosts rack by rack, so that the first few stand far apart."""
        group = self.group
        turns = _turns(group.hosts)
        return {
            "hosts": [
                {
                    "name": host.name,
                    "addresses": list(host.addresses),
                    "rack": host.rack,
                    "turn": turns[host.name],
                    "ports": list(host.ports or group.ports),
                    "drives": list(host.drives or group.drives),
                    "db_drives": list(host.db_drives or group.db_drives),
                }
                for host in group.hosts
            ],
            "drive_sets": _drive_sets(group),
            "virtual_ips": list(group.virtual_ips),
            "s3_name": group.s3_name,
            "public_network": group.public_network,
            "cluster_network": group.cluster_network,
            "examples": list(self.examples),
        }


def _turns(hosts: tuple[Host, ...]) -> dict[str, int]:
    places: dict[str | None, int] = {}
    ranked = []
    for index, host in enumerate(hosts):
        place = places[host.rack] = places.get(host.rack, -1) + 1
        ranked.append((place, index, host.name))
    return {name: turn for turn, (_, _, name) in enumerate(sorted(ranked))}


def _drive_sets(group: HostGroup) -> list[dict[str, list[str]]]:
    """Hosts with the same drives together, in the order of the file."""
    sets: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for host in group.hosts:
        sets.setdefault((host.drives or group.drives, host.db_drives or group.db_drives), []).append(host.name)
    return [
        {"drives": list(drives), "db_drives": list(db_drives), "hosts": names}
        for (drives, db_drives), names in sets.items()
    ]


def crew(tier: HostTier, plan: TierPlan, hosts: Hosts | None, *, example_name: str) -> Crew:
    """
    The hosts of a tier, as many as its plan has nodes.

    Raises:   RenderError with one line for each fault: a name that is none, too few or too many hosts, drives or ports
    """
    group = hosts.group(tier) if hosts is not None else None
    if group is None:
        return Crew(group=_example_group(tier, plan, example_name), examples=("host names", "addresses", "racks"))
    faults = [*_spelling(hosts, tier), *_counts(tier, plan, group)]
    if faults:
        raise RenderError("\n".join(faults))
    return Crew(group=group)


def completed(known: Crew, plan: TierPlan, needs: Collection[str]) -> Crew:
    """The crew with examples for what the product needs of its hosts and nobody named: ports, drives, virtual_ips."""
    node, group, examples = plan.config.node, known.group, list(known.examples)
    if "ports" in needs and not all(host.ports or group.ports for host in group.hosts):
        group = replace(group, ports=tuple(f"port{index}" for index in range(node.ports)))
        examples.append("ports")
    if "drives" in needs and not all(host.drives or group.drives for host in group.hosts):
        group = replace(group, drives=tuple(f"/dev/example{index}" for index in range(node.drives)))
        examples.append("drives")
    if "virtual_ips" in needs and not group.virtual_ips:
        group = replace(group, virtual_ips=tuple(f"198.19.255.{n + 1}/16" for n in range(addresses_needed(plan))))
        examples.append("virtual addresses")
    return Crew(group=group, examples=tuple(examples))


def addresses_needed(plan: TierPlan) -> int:
    """
    Virtual addresses that carry what the tier is asked for: each leads through the ports of one host.

    Formula:  ceil(max(read, write) / ports of one host), at most 50
    Assumes:  the load spreads evenly over the addresses
    """
    need, network = plan.need, plan.config.node.network
    if not network:
        return 1
    return max(1, min(plan.config.nodes, 50, count_for(max(need.read, need.write), network)))


def _spelling(hosts: Hosts | None, tier: HostTier) -> Iterator[str]:
    for path, message in host_faults(hosts or Hosts()):
        if path.startswith((tier, "clients")):
            yield comment(f"hosts: {path}: {message}")


def _counts(tier: HostTier, plan: TierPlan, group: HostGroup) -> Iterator[str]:
    config, named = plan.config, len(group.hosts)
    if named != config.nodes:
        change = f"name {config.nodes - named} more" if named < config.nodes else f"take out {named - config.nodes}"
        remedy = f"{change}, or plan tiers.{tier}.nodes: {named}"
        yield f"hosts: {tier}: {named} hosts for a plan of {config.nodes} nodes; {remedy}"
    for host in group.hosts:
        for what, given, planned in (
            ("drives", len(host.drives or group.drives), config.node.drives),
            ("ports", len(host.ports or group.ports), config.node.ports),
        ):
            if given not in (0, planned):
                yield f"hosts: {tier}: {host.name}: {given} {what} for a plan of {planned} a node; name them all"
    yield from _racks(tier, plan, group)


def _racks(tier: HostTier, plan: TierPlan, group: HostGroup) -> Iterator[str]:
    layout = plan.config.layout
    if layout.failure_domain != "rack":
        return
    homeless = [host.name for host in group.hosts if host.rack is None]
    racks = {host.rack for host in group.hosts if host.rack is not None}
    if homeless:
        yield f"hosts: {tier}: {homeless[0]} has no rack, and the failure domain is the rack; write rack for every host"
    elif len(racks) < (wanted := min(_racks_touched(plan), plan.config.racks)):
        yield f"hosts: {tier}: {len(racks)} racks for a {layout} layout over {wanted} racks; spread the hosts"


def _racks_touched(plan: TierPlan) -> int:
    """Racks that one stripe touches: as many as it is wide, fewer where several units lie in each."""
    units = plan.config.options.get("units_per_rack")
    each = units if isinstance(units, int) and units > 1 else 1
    return -(-plan.config.layout.width // each)


def _example_group(tier: HostTier, plan: TierPlan, example_name: str) -> HostGroup:
    """Hosts that nobody has: addresses of blocks that are never routed."""
    config, block = plan.config, _EXAMPLE_BLOCKS[tier]
    racks = max(1, config.racks)
    return HostGroup(
        hosts=tuple(
            Host(
                name=f"{example_name}-{index + 1}",
                addresses=(f"{block}.{index // 250}.{index % 250 + 1}",),
                rack=f"rack-{index % racks + 1}",
            )
            for index in range(config.nodes)
        )
    )
