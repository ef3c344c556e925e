"""Rules over raw resources of AWS in anybody's program: data is protected, Lustre passes, nobody else does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tierplan.plan._security_groups import GROUP, IN_RULE, OLD_RULE, OUT_RULE
from tierplan.plan.program_cloud import BUCKET, ENGINES, LUSTRE, network, protection
from tierplan.plan.rule import UNKNOWN, Registered

FS, CLIENT = "sg-fs", "sg-client"


def made(token: str, name: str, inputs: Mapping[str, Any] | None = None, **more: Any) -> Registered:
    return Registered(token=token, name=name, urn=f"urn:pulumi:dev::p::{token}::{name}", inputs=inputs or {}, **more)


def lustre(**inputs: Any) -> Registered:
    return made(LUSTRE, "fs", {"securityGroupIds": [FS], "deploymentType": "PERSISTENT_2", **inputs})


def rule(way: str, low: float | None, high: float | None, *, protocol: str = "tcp", **more: Any) -> Registered:
    token = IN_RULE if way == "in" else OUT_RULE
    ports = {} if low is None else {"fromPort": low, "toPort": high}
    to = more or {"referencedSecurityGroupId": FS}
    name = f"{way}-{low}-{protocol}-{sorted(to.items())}"
    return made(token, name, {"securityGroupId": FS, "ipProtocol": protocol, **ports, **to})


def said(*resources: Registered) -> list[str]:
    return [spotted.finding.message for spotted in network(resources)]


BOTH = [rule(way, low, high) for way in ("in", "out") for low, high in ((988.0, 988.0), (1018.0, 1023.0))]
ALL = [rule(way, None, None, protocol="-1") for way in ("in", "out")]


def test_both_ports_both_ways_within_the_group_pass():
    assert said(lustre(), *BOTH) == []
    assert said(lustre(), rule("in", 0.0, 65535.0), rule("out", 0.0, 65535.0)) == []
    assert said(lustre(), *ALL) == []


@pytest.mark.parametrize("missing", range(4))
def test_each_missing_rule_is_named(missing):
    (message,) = said(lustre(), *(one for index, one in enumerate(BOTH) if index != missing))
    assert ("988" if missing % 2 == 0 else "1018-1023") in message
    assert ("in from" if missing < 2 else "out to") in message


def test_ports_of_older_texts_are_too_few():
    old = [rule(way, low, high) for way in ("in", "out") for low, high in ((988.0, 988.0), (1021.0, 1023.0))]
    assert len(said(lustre(), *old)) == 2
    assert all("TCP 1018-1020 " in message for message in said(lustre(), *old))


def test_udp_is_not_tcp():
    udp = [rule(way, 0.0, 65535.0, protocol="udp") for way in ("in", "out")]
    assert len(said(lustre(), *udp)) == 2


@pytest.mark.parametrize("block", ["0.0.0.0/0", "::/0"])
def test_everybody_may_not_come_in(block):
    key = "cidrIpv4" if "." in block else "cidrIpv6"
    wide = rule("in", 988.0, 1023.0, **{key: block})
    (message,) = said(lustre(), *BOTH, wide)
    assert f"lets everybody in ({block})" in message
    assert said(lustre(), *BOTH, rule("in", 22.0, 22.0, **{key: block})) == []
    assert said(lustre(), *BOTH, rule("out", 0.0, 65535.0, **{key: block})) == []


def test_efa_needs_everything_with_the_group_itself():
    efa = lustre(efaEnabled=True)
    assert said(efa, *ALL) == []
    assert len(said(efa, *BOTH)) == 2
    wide = [rule(way, None, None, protocol="-1", cidrIpv4="10.0.0.0/8") for way in ("in", "out")]
    assert len(said(efa, *wide)) == 2  # a block of addresses does not satisfy EFA


def test_groups_known_only_after_the_run_are_followed_by_their_links():
    group = made(GROUP, "group")
    fs = made(LUSTRE, "fs", {"securityGroupIds": UNKNOWN}, links={"securityGroupIds": (group.urn,)})
    links = {"securityGroupId": (group.urn,), "referencedSecurityGroupId": (group.urn,)}
    unknown = {"securityGroupId": UNKNOWN, "referencedSecurityGroupId": UNKNOWN, "ipProtocol": "-1"}
    inward, outward = (made(token, token[-11:], unknown, links=links) for token in (IN_RULE, OUT_RULE))
    assert said(fs, group, inward, outward) == []
    assert len(said(fs, group, inward)) == 1  # a group that the program makes has no rules of its own out


def test_groups_of_elsewhere_are_not_judged():
    assert said(lustre()) == []
    assert said(lustre(), BOTH[0], BOTH[1]) == []  # what goes out may be as AWS makes it


def test_rules_inside_a_group_and_in_the_older_way():
    block = {"protocol": "-1", "fromPort": 0.0, "toPort": 0.0, "self": True}
    group = made(GROUP, "group", {"ingress": [block], "egress": [block]})
    fs = made(LUSTRE, "fs", {"securityGroupIds": UNKNOWN, "efaEnabled": True}, links={"securityGroupIds": (group.urn,)})
    assert said(fs, group) == []
    shut = made(GROUP, "group", {"ingress": [{**block, "self": False, "cidrBlocks": ["0.0.0.0/0"]}], "egress": [block]})
    assert len(said(fs, shut)) == 2
    old = {"securityGroupId": FS, "protocol": "tcp", "fromPort": 988.0, "toPort": 1023.0, "self": True}
    rules = [made(OLD_RULE, way, {**old, "type": way}) for way in ("ingress", "egress")]
    assert said(lustre(), *rules) == []


def test_what_keeps_data_is_protected():
    assert len(list(protection((lustre(),)))) == 1
    safe = made(LUSTRE, "fs", {"deploymentType": "PERSISTENT_2"}, protected=True)
    assert list(protection((safe, lustre(deploymentType="SCRATCH_2")))) == []
    ours = "urn:pulumi:dev::p::tierplan:index:TieredStorage$tierplan:index:HotTier::a-hot"
    for token in (BUCKET, *ENGINES):
        assert list(protection((made(token, "somebody's"),))) == []
        assert len(list(protection((made(token, "ours", parent=ours),)))) == 1
        assert list(protection((made(token, "ours", parent=ours, protected=True),))) == []
