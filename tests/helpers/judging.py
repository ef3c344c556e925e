"""Ask the policies of the pack as the engine would, without one."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

from pulumi_policy import (
    Policy,
    PolicyCustomTimeouts,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
    proxy,
)
from pulumi_policy.policy import _NotApplicableError

import waiving
from pack import policies
from recording import Recording, Registered
from seen import INPUTS

Reports = dict[str, list[str]]
Config = Mapping[str, Mapping[str, object]]
PACK: Mapping[str, Policy] = {policy.name: policy for policy in policies()}


def _options(one: Registered) -> PolicyResourceOptions:
    return PolicyResourceOptions(
        protect=one.protected,
        ignore_changes=[],
        delete_before_replace=None,
        aliases=[],
        custom_timeouts=PolicyCustomTimeouts(0, 0, 0),
        additional_secret_outputs=[],
        parent=one.parent,
    )


def _proxied(properties: Mapping[str, object]) -> Mapping[str, object]:
    found: Mapping[str, object] = cast("Any", proxy).unknown_checking_proxy(copy.deepcopy(properties))
    return found


def level(name: str) -> str:
    """The level of a policy."""
    found = PACK[name].enforcement_level
    assert found is not None
    return found.value


def mandatory(reports: Reports) -> set[str]:
    """The names of the mandatory policies that reported something."""
    return {name for name in reports if level(name) == "mandatory"}


def judge_resource(one: Registered, config: Config | None = None, *, only: Iterable[str] = PACK) -> Reports:
    """What the resource policies say of one resource's inputs."""
    reports: Reports = {}
    for name in only:
        policy = PACK[name]
        if isinstance(policy, ResourceValidationPolicy):
            args = ResourceValidationArgs(
                one.token,
                _proxied(one.inputs),
                one.urn,
                one.name,
                _options(one),
                None,
                (config or {}).get(policy.name),
            )
            _ask(policy, args, reports)
    return reports


def judge_stack(resources: Iterable[Registered], config: Config | None = None) -> Reports:
    """What the stack policies say of all outputs."""
    resources = list(resources)
    made = {one.urn: _policy_resource(one) for one in resources}
    for one in resources:
        made[one.urn].parent = made.get(one.parent)
        made[one.urn].property_dependencies = {
            key: [made[urn] for urn in urns if urn in made] for key, urns in one.links.items()
        }
        INPUTS[one.urn] = _proxied(one.inputs)  # shown to the resource policies before
    reports: Reports = {}
    for policy in PACK.values():
        if isinstance(policy, StackValidationPolicy):
            _ask(policy, StackValidationArgs(list(made.values()), (config or {}).get(policy.name)), reports)
    return reports


def judge(recorded: Recording, config: Config | None = None) -> Reports:
    """What the whole pack says of a program, in a run of its own."""
    INPUTS.clear()
    waiving.forget()
    reports: Reports = {}
    for one in recorded.resources:
        for name, messages in judge_resource(one, config).items():
            reports.setdefault(name, []).extend(messages)
    return reports | judge_stack(recorded.resources, config)


def _policy_resource(one: Registered) -> PolicyResource:
    return PolicyResource(one.token, _proxied(one.outputs), one.urn, one.name, _options(one), None, None, [], {})


def _ask(policy: ResourceValidationPolicy | StackValidationPolicy, args: object, reports: Reports) -> None:
    def report(message: str, urn: str | None = None) -> None:
        assert urn is None or urn.startswith("urn:")
        reports.setdefault(policy.name, []).append(message)

    try:
        cast("Any", policy).validate(args, report)
    except _NotApplicableError:
        assert policy.name not in reports


def spoilt(one: Registered, path: str, value: object, *, outputs: bool = False) -> Registered:
    """The resource with one property changed: ``node.drives``; `None` takes it out."""
    properties = copy.deepcopy(one.outputs if outputs else one.inputs)
    *parents, last = path.split(".")
    place: Any = properties
    for key in parents:
        place = place[int(key)] if isinstance(place, list) else place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return replace(one, outputs=properties) if outputs else replace(one, inputs=properties)
