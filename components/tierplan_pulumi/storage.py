"""`TieredStorage`: a stack's whole storage, planned in plain Python and registered as choices and figures."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import pulumi

from tierplan import plan as planning
from tierplan import wire
from tierplan.codec import encode
from tierplan.domain.need import TIERS, Tier
from tierplan.domain.plan import Finding, Plan
from tierplan.errors import InputError, TierplanError
from tierplan.load import calibrated, catalogue, prices_of, stack_from_document
from tierplan.plan.search import tier_pins
from tierplan.plan.stack_rules import wanted_tiers
from tierplan_pulumi import services
from tierplan_pulumi.artifacts import rendered
from tierplan_pulumi.parts import (
    TIER_CLASSES,
    ConfigArtifact,
    Lifecycle,
    Part,
    StorageFabric,
    StorageNodeGroup,
    StorageRequirement,
)
from tierplan_pulumi.summary import outline, summary


class TieredStorageArgs(TypedDict):
    """The inputs of a `TieredStorage`."""

    spec: Mapping[str, Any]  # not `object`: other languages' hosts read the type
    """What the GPUs will do and what is chosen: the stack form without its namespace; keys stay snake_case."""
    folder: NotRequired[str]
    """The folder that file names in the spec are relative to; the program's own unless said."""


class TieredStorage(pulumi.ComponentResource):
    """
    Local, hot and cold storage of one cluster.

    What is required and what the choices give is computed before anything is registered, so that policies can
    judge all of it at preview.  A plan that misses a target, and one that no product can fill, are registered
    like any other: refusing is the policies' part.
    """

    verdict: pulumi.Output[str]
    """Pass, or refused with the rules that are missed."""
    local: pulumi.Output[str] | None
    """The local tier in one line."""
    hot: pulumi.Output[str] | None
    """The hot tier in one line."""
    cold: pulumi.Output[str] | None
    """The cold tier in one line."""

    def __init__(self, name: str, args: TieredStorageArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        try:
            inputs: wire.Properties = {"spec": (spec := _known_spec(args["spec"], name))}
            folder = Path(args.get("folder", "."))
            stack = calibrated(stack_from_document(spec, name=name, where=f"TieredStorage {name}"), folder)
            prices = prices_of(stack, folder / stack.prices if stack.prices else None)
            self._plan = planning.make_plan(stack, catalogue(), prices)
        except TierplanError as fault:
            raise pulumi.RunError(str(fault)) from fault
        if stack.prices:  # the policies cannot read the file, and the bill is made of it
            inputs["prices"] = wire.price_properties(prices)
        self._findings = planning.judge(self._plan)
        super().__init__(wire.STORAGE, name, inputs, opts)
        self._register_parts(name)
        self._register_artifacts(name, args.get("folder", "."))
        pulumi.info(summary(self._plan, self._findings), resource=self)
        lines = {key: pulumi.Output.from_input(line) for key, line in self.lines.items()}
        self.verdict = lines["verdict"]
        self.local, self.hot, self.cold = (lines.get(tier) for tier in TIERS)
        self.register_outputs({**inputs, **lines})

    @property
    def plan(self) -> Plan:
        """The whole plan."""
        return self._plan

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the plan misses, and what is worth knowing."""
        return self._findings

    @property
    def lines(self) -> Mapping[str, str]:
        """One line of text for the verdict and for each tier: small enough for a stack's outputs."""
        return outline(self._plan, self._findings)

    def _add(self, kind: type[Part], name: str, properties: wire.Properties, outputs: wire.Properties) -> Part:
        return kind(name, properties, outputs=outputs, opts=pulumi.ResourceOptions(parent=self))

    def _register_parts(self, name: str) -> None:
        required = wire.requirement_properties(self._plan.requirement)
        self._add(StorageRequirement, f"{name}-requirement", required, required)
        for tier in wanted_tiers(self._plan.stack):
            self._register_tier(f"{name}-{tier}", tier)
        for kind, suffix, noun in (
            (StorageFabric, "fabric", self._plan.fabric),
            (Lifecycle, "lifecycle", self._plan.lifecycle),
        ):
            if noun is not None:
                choices = encode(noun, "wire")
                self._add(kind, f"{name}-{suffix}", choices, choices)

    def _register_tier(self, name: str, tier: Tier) -> None:
        """A tier with its storage nodes, or with the resources of a cloud that it is made of."""
        inputs, chosen = _tier_inputs(self._plan, tier), self._plan.tiers.get(tier)
        part = self._add(TIER_CLASSES[tier], name, wire.tier_properties(inputs), wire.tier_outputs(inputs, chosen))
        if chosen is None:
            return
        services.register(name, chosen=chosen, plan=self._plan, opts=pulumi.ResourceOptions(parent=part))
        if tier != "local" and chosen.delivered.cloud is None:  # the local tier's nodes are the GPU nodes
            group = wire.group_properties(chosen.config)
            self._add(StorageNodeGroup, f"{name}-nodes", group, wire.group_outputs(chosen.config))

    def _register_artifacts(self, name: str, folder: str) -> None:
        """A hosts file that does not fit hides the files only, not the plan."""
        try:
            for artifact, text in list(rendered(self._plan, folder)):
                inputs = encode(artifact, "wire")
                ConfigArtifact(
                    f"{name}-{artifact.path}",
                    inputs,
                    outputs=inputs | {"text": text},
                    opts=pulumi.ResourceOptions(parent=self),
                )
        except TierplanError as fault:
            pulumi.warn(f"the rendered files are not shown: {fault}", resource=self)


def _tier_inputs(plan: Plan, tier: Tier) -> wire.TierInputs:
    """A tier's choices and need; without a fitting choice the reasons why there is none."""
    chosen = plan.tiers.get(tier)
    return wire.TierInputs(
        tier=tier,
        backend=chosen.config.backend if chosen else tier_pins(plan.stack, tier).backend,
        config=chosen.config if chosen else None,
        need=plan.requirement.needs.get(tier),
        rejections=() if chosen else tuple(rejection for rejection in plan.rejections if rejection.tier == tier),
    )


def _known_spec(spec: Mapping[str, object], name: str) -> dict[str, object]:
    """
    A plain copy of the spec.

    Raises:   InputError with one line for each value that is known only after the run
    """
    faults = [
        f"TieredStorage {name}: {path}: is an output of another resource; the plan needs values known at preview"
        for path in _unknown_paths(spec, "spec")
    ]
    if faults:
        raise InputError(faults)
    return {str(key): _plain(value) for key, value in spec.items()}


def _unknown_paths(value: object, path: str) -> Iterator[str]:
    if isinstance(value, pulumi.Output):
        yield path
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _unknown_paths(item, f"{path}.{key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for index, item in enumerate(value):
            yield from _unknown_paths(item, f"{path}[{index}]")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    return value
