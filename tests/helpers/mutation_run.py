"""Ask the pack about one mutation after another, and the plan about the same choices; without an engine."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pulumi_policy import (
    PolicyResource,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.policy import _NotApplicableError

import recording
from judging import PACK, _options, _proxied, level
from mutations import SERVED, Case, Mutation, Rules
from pack import read_index
from recording import Recording, Registered
from reporting import message_of
from seen import INPUTS
from tierplan import demand, load, plan, wire
from tierplan.codec import encode
from tierplan.domain.need import Requirement
from tierplan.domain.plan import Plan
from tierplan.domain.stack import Stack
from tierplan.domain.tiers import TierPlan
from tierplan.load import prices_of
from tierplan.plan.search import deliver
from tierplan.plan.walk import whole_plan
from tierplan_pulumi import preview_stack

Said = frozenset[tuple[str, str]]
RESOURCE = [policy for policy in PACK.values() if isinstance(policy, ResourceValidationPolicy)]
STACK = [policy for policy in PACK.values() if isinstance(policy, StackValidationPolicy)]
OWN = {"stack-requirement", "stack-parts", "stack-waivers"}
"""Rules of the pack alone: whether what is registered was tampered with."""
PROGRAM = {entry["name"] for entry in read_index() if entry["kind"] in ("alone", "program", "foreign", "waived")}
"""Rules over raw resources, of which a plan knows nothing."""


@dataclass(slots=True)
class Bench:
    """One shipped stack: what it registers, what the pack says of it, its plan."""

    name: str
    recorded: Recording
    stack: Stack
    requirement: Requirement
    planned: Plan
    base: Mapping[str, Said] = field(default_factory=dict)
    """URN -> what the resource policies say of it."""
    whole: Said = frozenset()

    def cases(self) -> Iterator[Case]:
        """Each tier of the stack."""
        for one in self.recorded.resources:
            tier = wire.TIER_OF.get(one.token)
            if tier is not None and "nodes" in one.inputs:
                yield Case(
                    stack=self.name,
                    tier=tier,
                    one=one,
                    times=frozenset(target.policy for target in self.requirement.time_targets if target.tier == tier),
                    before=mandatory(self.all_of(one, self.base[one.urn], self.whole)),
                    managed=self.planned.tiers[tier].delivered.cloud is not None,
                )

    def all_of(self, one: Registered, said: Said, whole: Said) -> Said:
        """All that is said, with this resource's part in place of what is said of it as it is."""
        others = (found for urn, found in self.base.items() if urn != one.urn)
        return said.union(whole, *others)


_BENCHES: dict[str, Bench] = {}


def bench(name: str) -> Bench:
    """A shipped stack with its configuration, judged as it is, once. The configuration stays set."""
    os.environ["PULUMI_CONFIG"] = json.dumps(recording.stack_config(name))
    if name not in _BENCHES:
        _BENCHES[name] = _made(name)
    return _BENCHES[name]


def _made(name: str) -> Bench:
    recorded = recording.record(preview_stack, stack=name)
    document = wire.stack_document(recording.stack_config(name))
    stack = load.stack_from_document(document, name=name, where=name)
    prices = prices_of(stack, recording.STACKS / stack.prices if stack.prices else None)
    found = Bench(
        name=name,
        recorded=recorded,
        stack=stack,
        requirement=demand.requirement(stack),
        planned=plan.make_plan(stack, load.catalogue(), prices),
    )
    INPUTS.clear()
    found.base = {one.urn: ask_resource(one) for one in recorded.resources}
    found.whole = ask_stack(recorded.resources)
    return found


def mandatory(said: Said) -> Rules:
    """The names of the mandatory policies in it."""
    return frozenset(name for name, _ in said if level(name) == "mandatory")


def ask_resource(one: Registered) -> Said:
    """What the resource policies say of a resource."""
    props, options, said = _plain(one, one.inputs), _options(one), set[tuple[str, str]]()
    for policy in RESOURCE:
        args = ResourceValidationArgs(one.token, props, one.urn, one.name, options, None, None)  # type: ignore[arg-type]
        try:
            policy.validate(args, lambda message, _urn=None, name=policy.name: said.add((name, message)))
        except _NotApplicableError:
            continue
    return frozenset(said)


_SHOWN: dict[int, tuple[Registered, PolicyResource]] = {}
"""What is shown of resources that do not change from one mutation to the next."""


def _plain(one: Registered, properties: Mapping[str, object]) -> Mapping[str, object]:
    """Of ours nothing is unknown, so the policy SDK's proxies would only cost time."""
    return properties if one.token.startswith(wire.NAMESPACE) else _proxied(properties)


def _shown(key: int, one: Registered) -> PolicyResource:
    if key not in _SHOWN:
        outputs = _plain(one, one.outputs)
        shown = PolicyResource(one.token, outputs, one.urn, one.name, _options(one), None, None, [], {})
        _SHOWN[key] = (one, shown)  # held, so that no other resource gets its id
    return _SHOWN[key][1]


def ask_stack(resources: Sequence[Registered]) -> Said:
    """What the stack policies say of all of them."""
    said = set[tuple[str, str]]()
    made = {one.urn: _shown(id(one), one) for one in resources}
    for one in resources:
        made[one.urn].parent = made.get(one.parent)
        links = {key: [made[urn] for urn in urns if urn in made] for key, urns in one.links.items()}
        made[one.urn].property_dependencies = links
        INPUTS[one.urn] = _plain(one, one.inputs)
    for policy in STACK:
        try:
            policy.validate(
                StackValidationArgs(list(made.values()), None),
                lambda message, _urn=None, name=policy.name: said.add((name, message)),
            )
        except _NotApplicableError:
            continue
    return frozenset(said)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one mutation."""

    label: str
    mutation: Mutation
    case: Case
    fired: Rules
    disagreement: str = ""

    @property
    def missing(self) -> Rules:
        """Rules that had to fire and did not: the gate was fooled."""
        return self.mutation.must(self.case) - self.fired

    @property
    def alarms(self) -> Rules:
        """Rules that fire besides: false alarms."""
        return self.fired - self.case.before - self.mutation.must(self.case) - self.mutation.may(self.case)


def run(held: Bench, case: Case, mutation: Mutation) -> Outcome | None:
    """Change one choice, let the parts follow it, and ask; None where the mutation does not apply."""
    one = mutation.of(case)
    if one is None:
        return None
    made = _plan_of(held, one)
    resources = [_following(made, other, one) for other in held.recorded.resources]
    said = held.all_of(one, ask_resource(one), ask_stack(resources))
    return Outcome(
        label=f"{held.name}: {case.tier} {mutation.path}: {mutation.words}",
        mutation=mutation,
        case=case,
        fired=mandatory(said),
        disagreement="" if made is None else _disagreement(said, made),
    )


def _plan_of(held: Bench, one: Registered) -> Plan | None:
    """The plan with this tier as it was registered; None where nobody could plan it."""
    try:
        inputs = wire.tier_inputs(one.token, one.inputs)
        need = held.requirement.needs[inputs.tier]
        if inputs.config is None or inputs.config.tier != inputs.tier:
            return None
        tier: TierPlan = deliver(inputs.config, need, load.catalogue())
    except Exception:  # noqa: BLE001  # whatever it is: there is nothing to compare with
        return None
    prices = prices_of(held.stack, recording.STACKS / held.stack.prices if held.stack.prices else None)
    tiers = {**held.planned.tiers, inputs.tier: tier}
    made = whole_plan(held.stack, held.requirement, tiers, prices, load.catalogue())
    return replace(made, rejections=())


def _following(made: Plan | None, other: Registered, one: Registered) -> Registered:
    """A resource as the component would register it beside the changed tier."""
    if other.urn == one.urn:
        return one
    if made is None:
        return other
    nouns = {wire.FABRIC: made.fabric, wire.LIFECYCLE: made.lifecycle}
    inputs = None
    if other.token == wire.NODE_GROUP and other.inputs["tier"] in SERVED:
        inputs = wire.group_properties(made.tiers[other.inputs["tier"]].config)  # type: ignore[index]
    elif nouns.get(other.token) is not None:
        inputs = encode(nouns[other.token], "wire")
    return other if inputs is None else replace(other, inputs=inputs, outputs=inputs)


def _disagreement(said: Said, made: Plan) -> str:
    """Where the pack and the plan differ; empty where they agree to the letter."""
    plans = {(finding.level, message_of(finding)) for finding in plan.judge(made)}
    ours = {
        (level(name), _words(name, message))
        for name, message in said
        if name not in PROGRAM and (name not in OWN or (level(name), message) in plans)
    }
    return "; ".join(f"{where}: {words}" for where, words in _apart(ours, plans))


def _apart(ours: set[tuple[str, str]], plans: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    yield from (("only the pack", message) for _, message in sorted(ours - plans))
    yield from (("only the plan", message) for _, message in sorted(plans - ours))


def _words(name: str, message: str) -> str:
    """A message without the name that the policies for other findings put in front."""
    return message.split(": ", 1)[1] if name.endswith("-other") else message
