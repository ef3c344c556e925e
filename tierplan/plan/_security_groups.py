"""Security groups of a program on AWS: which ports each lets in and out, and to whom; in all ways to write it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tierplan.plan.rule import UNKNOWN, Registered

GROUP = "aws:ec2/securityGroup:SecurityGroup"
OLD_RULE = "aws:ec2/securityGroupRule:SecurityGroupRule"
IN_RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
OUT_RULE = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
TOKENS = (GROUP, OLD_RULE, IN_RULE, OUT_RULE)
EVERYWHERE = ("0.0.0.0/0", "::/0")
ALL_PORTS = range(65536)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """One rule of one group."""

    group: str
    """The id of the group, or the URN of the resource that makes it."""
    ingress: bool
    ports: range
    everything: bool
    """All protocols."""
    peers: frozenset[str]
    """Groups."""
    networks: frozenset[str]
    """Blocks of addresses."""
    urn: str

    @property
    def open(self) -> bool:
        """To everybody."""
        return any(block in EVERYWHERE for block in self.networks)

    def reaches(self, group: str) -> bool:
        """Whether it may cover traffic with this group: by name, or by addresses that it may have."""
        return group in self.peers or bool(self.networks)


def groups_of(one: Registered, key: str) -> frozenset[str]:
    """The groups that a property names: ids that are known, URNs where they come from a resource."""
    value = one.inputs.get(key)
    found = value if isinstance(value, list | tuple) else [value]
    return frozenset([*(item for item in found if isinstance(item, str)), *one.links.get(key, ())])


def openings(resources: Iterable[Registered]) -> tuple[Opening, ...]:
    """Every rule of every group of the program."""
    return tuple(found for one in resources for found in _of(one))


def _of(one: Registered) -> Iterator[Opening]:
    if one.token in (IN_RULE, OUT_RULE):
        yield from _rule(one, ingress=one.token == IN_RULE)
    elif one.token == OLD_RULE:
        yield from _old_rule(one)
    elif one.token == GROUP:
        for key in ("ingress", "egress"):
            blocks = one.inputs.get(key)
            for block in blocks if isinstance(blocks, list | tuple) else ():
                if isinstance(block, Mapping):
                    yield _inline(one, block, key)


def _rule(one: Registered, *, ingress: bool) -> Iterator[Opening]:
    networks = [one.inputs.get(key) for key in ("cidrIpv4", "cidrIpv6")]
    for group in groups_of(one, "securityGroupId"):
        yield Opening(
            group=group,
            ingress=ingress,
            ports=_ports(one.inputs, one.inputs.get("ipProtocol")),
            everything=_everything(one.inputs.get("ipProtocol")),
            peers=groups_of(one, "referencedSecurityGroupId"),
            networks=frozenset(block for block in networks if isinstance(block, str)),
            urn=one.urn,
        )


def _old_rule(one: Registered) -> Iterator[Opening]:
    for group in groups_of(one, "securityGroupId"):
        own = {group} if one.inputs.get("self") is True else set()
        yield Opening(
            group=group,
            ingress=one.inputs.get("type") == "ingress",
            ports=_ports(one.inputs, one.inputs.get("protocol")),
            everything=_everything(one.inputs.get("protocol")),
            peers=groups_of(one, "sourceSecurityGroupId") | own,
            networks=_blocks(one.inputs),
            urn=one.urn,
        )


def _inline(one: Registered, block: Mapping[str, object], key: str) -> Opening:
    """A rule inside its group; a linked group stands for every rule of that side, which is the kind reading."""
    named = block.get("securityGroups")
    peers = {item for item in named if isinstance(item, str)} if isinstance(named, list | tuple) else set()
    if block.get("self") is True:
        peers.add(one.urn)
    return Opening(
        group=one.urn,
        ingress=key == "ingress",
        ports=_ports(block, block.get("protocol")),
        everything=_everything(block.get("protocol")),
        peers=frozenset(peers | set(one.links.get(key, ()))),
        networks=_blocks(block),
        urn=one.urn,
    )


def _blocks(values: Mapping[str, object]) -> frozenset[str]:
    lists = [values.get(key) for key in ("cidrBlocks", "ipv6CidrBlocks")]
    return frozenset(block for one in lists if isinstance(one, list | tuple) for block in one if isinstance(block, str))


def _everything(protocol: object) -> bool:
    return str(protocol) in ("-1", "all")


def _ports(values: Mapping[str, object], protocol: object) -> range:
    """The TCP ports of a rule; those that are not known yet count as open, so that nothing is refused by mistake."""
    low, high = values.get("fromPort"), values.get("toPort")
    if _everything(protocol) or UNKNOWN in (low, high, protocol):
        return ALL_PORTS
    if (
        str(protocol).lower() not in ("tcp", "6")
        or not isinstance(low, int | float)
        or not isinstance(high, int | float)
    ):
        return range(0)
    return range(int(low), int(high) + 1)
