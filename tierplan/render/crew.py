"""Which hosts a tier's files name: those of the hosts file, checked against the plan, else marked examples."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from tierplan.domain.hosts import Host, HostGroup, Hosts, HostTier, host_faults
from tierplan.domain.tiers import TierPlan
from tierplan.errors import RenderError
from tierplan.render.quoting import comment

# Addresses of the benchmark range (RFC 2544): nobody's, never routed.
_EXAMPLE_BLOCKS: Mapping[HostTier, str] = {"hot": "198.18", "cold": "198.19"}
_EXAMPLE_VIRTUAL_IP = "198.19.255.250/16"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crew:
    """The hosts of one tier, and what of them is only an example."""

    group: HostGroup
    examples: tuple[str, ...] = ()

    def mapping(self) -> dict[str, object]:
        """As templates read it."""
        group = self.group
        return {
            "hosts": [
                {
                    "name": host.name,
                    "addresses": list(host.addresses),
                    "rack": host.rack,
                    "ports": list(host.ports or group.ports),
                    "drives": list(host.drives or group.drives),
                    "db_drives": list(host.db_drives or group.db_drives),
                }
                for host in group.hosts
            ],
            "virtual_ip": group.virtual_ip,
            "s3_name": group.s3_name,
            "public_network": group.public_network,
            "cluster_network": group.cluster_network,
            "examples": list(self.examples),
        }


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
    """The crew with examples for what the product needs of its hosts and nobody named: ports, drives, virtual_ip."""
    node, group, examples = plan.config.node, known.group, list(known.examples)
    if "ports" in needs and not all(host.ports or group.ports for host in group.hosts):
        group = replace(group, ports=tuple(f"port{index}" for index in range(node.ports)))
        examples.append("ports")
    if "drives" in needs and not all(host.drives or group.drives for host in group.hosts):
        group = replace(group, drives=tuple(f"/dev/example{index}" for index in range(node.drives)))
        examples.append("drives")
    if "virtual_ip" in needs and group.virtual_ip is None:
        group = replace(group, virtual_ip=_EXAMPLE_VIRTUAL_IP)
        examples.append("virtual_ip")
    return Crew(group=group, examples=tuple(examples))


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
    elif len(racks) < layout.width:
        yield f"hosts: {tier}: {len(racks)} racks for a {layout} layout over {layout.width} racks; spread the hosts"


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
