"""What the services of AWS share: where they are made, in whose network, and the rules that let traffic through."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi
import pulumi_aws

from tierplan.domain.plan import Plan

with warnings.catch_warnings():  # the SDK warns of its own old names while it loads, whoever uses them
    warnings.simplefilter("ignore", DeprecationWarning)
    vpc = pulumi_aws.vpc
    vpc.SecurityGroupIngressRule  # noqa: B018  # loaded on first use

Span = tuple[str, str, int | None, int | None]
"""Label, protocol, first and last port."""
Spans = tuple[Span, ...]
LUSTRE: Spans = (("988", "tcp", 988, 988), ("1018", "tcp", 1018, 1023))
"""Guard: the file system cannot be mounted without 1018 to 1023; older texts name 1021 to 1023 only."""
EVERYTHING: Spans = (("all", "-1", None, None),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a service is made: a region, and ids of what exists there."""

    region: str
    ids: Mapping[str, str]
    tags: Mapping[str, str]

    @property
    def subnets(self) -> list[str]:
        """All subnets that the stack names."""
        named = self.ids.get("subnets") or self.ids.get("subnet") or ""
        return [one.strip() for one in named.split(",") if one.strip()]


def place_of(name: str, plan: Plan, *, needed: Sequence[str]) -> Place:
    """
    The stack's region and network.

    Raises:   RunError in one line that says what the stack does not name, or names differently from the provider
    """
    site = plan.stack.site
    missing = [] if site.region else ["site.region"]
    missing += [f"site.network.{key}" for key in needed if key not in site.network]
    if missing:
        message = f"{name}: nothing can be created without {', '.join(missing)}; write the ids of what exists"
        raise pulumi.RunError(message)
    region = site.region or ""
    own = pulumi.Config("aws").get("region")
    if own is not None and own != region:
        message = f"{name}: aws:region is {own} and site.region is {region}; write one region in both"
        raise pulumi.RunError(message)
    return Place(region=region, ids=site.network, tags=dict(plan.stack.operations.tags))


def names(place: Place, name: str) -> dict[str, str]:
    """The stack's tags, and a name that people find in the console."""
    return {"Name": name, **place.tags}


def rule(
    name: str,
    group: pulumi.Input[str],
    peer: pulumi.Input[str],
    span: Span,
    opts: pulumi.ResourceOptions,
    *,
    ingress: bool,
) -> pulumi.Resource:
    """One rule of one group: ports of a protocol, in from a group or out to it."""
    _, protocol, low, high = span
    kind = vpc.SecurityGroupIngressRule if ingress else vpc.SecurityGroupEgressRule
    made: pulumi.Resource = kind(
        name,
        security_group_id=group,
        referenced_security_group_id=peer,
        ip_protocol=protocol,
        from_port=low,
        to_port=high,
        opts=opts,
    )
    return made


def both_ways(
    name: str,
    pairs: Sequence[tuple[str, pulumi.Input[str], pulumi.Input[str]]],
    spans: Spans,
    opts: pulumi.ResourceOptions,
) -> list[pulumi.Resource]:
    """Rules in and out for each pair (label, group, peer); a pair of one group with itself is written once."""
    return [
        rule(f"{name}-{label}-{way}-{span[0]}", group, peer, span, opts, ingress=way == "in")
        for label, group, peer in pairs
        for way in ("in", "out")
        for span in spans
    ]


def new_group(name: str, place: Place, purpose: str, opts: pulumi.ResourceOptions) -> pulumi.Output[str]:
    """A security group without rules, in the stack's VPC."""
    with warnings.catch_warnings():  # slow to load, so only where a group is made
        warnings.simplefilter("ignore", DeprecationWarning)
        kind = pulumi_aws.ec2.SecurityGroup
    group = kind(name, vpc_id=place.ids["vpc"], description=purpose, tags=names(place, name), opts=opts)
    made: pulumi.Output[str] = group.id
    return made
