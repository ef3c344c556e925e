"""Rules over all resources of a program: what they are shown, and that what they find is reported where it belongs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

import pytest
from pulumi_policy import ResourceValidationArgs, StackValidationArgs, proxy
from pulumi_policy.policy import _NotApplicableError

import rules
from judging import INPUTS, _options, _policy_resource, _proxied
from recording import Registered
from tierplan.domain.plan import Finding
from tierplan.plan.rule import UNKNOWN, ProgramRule, Spotted
from tierplan.plan.rule import Registered as Shown

BUCKET, BLOCK = "acme:index:Bucket", "acme:index:Block"
NOT_KNOWN = proxy.UNKNOWN_STRING_VALUE
SEEN: list[Shown] = []


def every(resources: tuple[Shown, ...]) -> Iterator[Spotted]:
    """Each bucket is linked from a block."""
    SEEN[:] = resources
    linked = {urn for one in resources if one.token == BLOCK for urn in one.links.get("bucket", ())}
    for one in resources:
        if one.token == BUCKET and one.urn not in linked:
            finding = Finding(policy="bucket-private", level="mandatory", message=f"{one.name} is open", remedy="shut")
            yield Spotted(finding=finding, urn=one.urn)


def rule(*, alone: bool = False) -> ProgramRule:
    return ProgramRule(
        name="bucket-private",
        level="mandatory",
        severity="high",
        title="Shut.",
        tokens=(BUCKET,),
        check=every,
        alone=alone,
    )


def resource(token: str, name: str, inputs: Mapping[str, object], **more: Any) -> Registered:
    urn = f"urn:pulumi:dev::site::{token}::{name}"
    return Registered(token=token, name=name, urn=urn, parent="", inputs=dict(inputs), **more)


def ask(*resources: Registered, shown: bool = True) -> list[tuple[str, str | None]]:
    """What a stack policy reports; the inputs were shown to the resource policies before."""
    reports: list[tuple[str, str | None]] = []
    made = {one.urn: _policy_resource(one) for one in resources}
    INPUTS.clear()
    for one in resources:
        made[one.urn].parent = made.get(one.parent)
        made[one.urn].property_dependencies = {k: [made[urn] for urn in urns] for k, urns in one.links.items()}
        if shown:
            INPUTS[one.urn] = _proxied(one.inputs)
    rules.program_policy(rule())(
        StackValidationArgs(list(made.values()), {}), lambda message, urn=None: reports.append((message, urn))
    )
    return reports


def test_a_finding_names_its_resource() -> None:
    data = resource(BUCKET, "data", {})
    assert ask(data) == [("data is open\nChange: shut", data.urn)]


def test_links_show_what_a_value_comes_from() -> None:
    data = resource(BUCKET, "data", {})
    block = resource(BLOCK, "shut", {"bucket": NOT_KNOWN}, links={"bucket": [data.urn]})
    assert ask(data, block) == []
    assert SEEN[1].inputs == {"bucket": UNKNOWN}
    assert SEEN[1].links == {"bucket": (data.urn,)}


def test_inputs_are_shown_and_not_what_the_provider_will_answer() -> None:
    """At preview each answer of a provider is unknown: a rule would have to refuse whatever nobody wrote."""
    data = resource(BUCKET, "data", {"acl": "private"}, outputs={"acl": "private", "policy": NOT_KNOWN})
    ask(data)
    assert SEEN[0].inputs == {"acl": "private"}
    ask(data, shown=False)  # a state file of which only outputs are left
    assert SEEN[0].inputs == {"acl": "private", "policy": UNKNOWN}


def test_parent_and_protection_are_shown() -> None:
    site = resource("acme:index:Site", "site", {})
    data = resource(BUCKET, "data", {"deep": [{"a": [NOT_KNOWN, 1.0]}], "__defaults": []}, protected=True)
    data.parent = site.urn
    ask(site, data)
    assert (SEEN[1].parent, SEEN[1].protected, SEEN[0].parent) == (site.urn, True, None)
    assert SEEN[1].inputs == {"deep": [{"a": [UNKNOWN, 1.0]}]}


def test_without_such_a_resource_it_does_not_apply() -> None:
    with pytest.raises(_NotApplicableError):
        ask(resource(BLOCK, "shut", {}))


def test_one_that_answers_for_itself_is_judged_before_it_is_made() -> None:
    data = resource(BUCKET, "data", {"acl": NOT_KNOWN})
    reports: list[tuple[str, str | None]] = []
    policy = rules.alone_policy(rule(alone=True))

    def asked(one: Registered) -> None:
        args = ResourceValidationArgs(
            one.token, cast("Any", _proxied(one.inputs)), one.urn, one.name, _options(one), None
        )
        policy(args, lambda message, urn=None: reports.append((message, urn)))

    asked(data)
    assert reports == [("data is open\nChange: shut", data.urn)]
    assert SEEN[0] == Shown(token=BUCKET, name="data", urn=data.urn, inputs={"acl": UNKNOWN})
    with pytest.raises(_NotApplicableError):
        asked(resource(BLOCK, "shut", {}))
