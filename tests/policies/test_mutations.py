"""
The proof that the gate is not fooled: every choice of every shipped stack, changed one at a time.

What a change must do is written down by hand in `tests/helpers/mutation_table.py` and `mutation_words.py`.  The score
is printed at the end of the test run.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

import mutation_run
import recording
from mutation_run import Bench, Outcome, ask_resource, ask_stack, mandatory
from mutation_table import TABLE
from mutation_words import NEEDS, OPTIONS, WORDS
from mutations import changed, leaves
from recording import Recording, Registered
from tierplan import wire
from tierplan.plan.rules import RULES

Property = Callable[[str, object], None]
MUTATIONS = (*TABLE, *WORDS)
STACKS = recording.stack_names()
PARTS = (wire.NODE_GROUP, wire.FABRIC, wire.LIFECYCLE)


@pytest.fixture(autouse=True)
def configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    """What `bench` sets is set back after the test."""
    monkeypatch.setenv("PULUMI_CONFIG", "{}")


def outcomes(held: Bench) -> Iterator[Outcome]:
    for case in held.cases():
        for mutation in MUTATIONS:
            outcome = mutation_run.run(held, case, mutation)
            if outcome is not None:
                yield outcome


@pytest.mark.parametrize("stack", STACKS)
def test_every_change_is_noticed_by_its_rules_and_by_no_other(stack: str, record_property: Property) -> None:
    """Worse than is allowed: exactly the rules that the table names. Better, or all the same: silence."""
    held = mutation_run.bench(stack)
    found = list(outcomes(held))
    fooled = [f"{one.label}: {', '.join(sorted(one.missing))} did not fire" for one in found if one.missing]
    alarms = [f"{one.label}: {', '.join(sorted(one.alarms))} fired as well" for one in found if one.alarms]
    apart = [f"{one.label}: {one.disagreement}" for one in found if one.disagreement]
    harmful = [one for one in found if one.mutation.must(one.case)]
    record_property("mutations", [len(found), len(harmful), len(harmful) - len(fooled), len(alarms), len(apart)])
    assert not fooled, "\n".join(fooled)
    assert not alarms, "\n".join(alarms)
    assert not apart, "\n".join(apart)


def test_no_choice_is_left_out_and_every_rule_is_woken() -> None:
    """Each property of each tier of each stack is changed by some mutation; a rule that no change can wake is none."""
    left, asleep = set[str](), {rule.name for rule in RULES if rule.level == "mandatory"}
    for stack in STACKS:
        for case in mutation_run.bench(stack).cases():
            applied = [mutation for mutation in MUTATIONS if mutation.of(case) is not None]
            moved = {mutation.path for mutation in applied}
            own = {path for path in leaves(case.one.inputs) if not path.startswith(("need", "rejections"))}
            left |= {f"{case.backend} {path}" for path in own if not covered(path, moved)}
            asleep -= case.before.union(*(mutation.must(case) for mutation in applied))
    assert left <= LEFT_ALONE, sorted(left - LEFT_ALONE)
    assert asleep <= SHOWN_BY_NEED, sorted(asleep - SHOWN_BY_NEED)


def covered(path: str, moved: set[str]) -> bool:
    return any(path == one or path.startswith(f"{one}.") for one in moved)


# What the local tier holds of the GPU nodes and nobody chooses for storage.
LOCAL = ("local-nvme", "alluxio", "fluid", "lmcache", "mooncake", "juicefs-cache")
LEFT_ALONE = {
    f"{backend} {path}"
    for backend in LOCAL
    for path in (
        "racks",
        "node.medium",
        "layout.kind",
        "layout.failureDomain",
        "layout.hotSpares",
    )
}


# What is asked must change for these, not what is chosen: shown by `test_rules.py`.
SHOWN_BY_NEED = {"local-refetchable", "survive-racks", "cold-op-rate", "local-layout"}


def test_every_product_word_that_a_stack_sets_has_its_row() -> None:
    """A new option in a shipped stack needs a row in `OPTIONS`."""
    for stack in STACKS:
        for case in mutation_run.bench(stack).cases():
            rows = {path for path, *_ in OPTIONS.get(case.backend, ())}
            options = {path.removeprefix("options.") for path in leaves(case.one.inputs) if path.startswith("options.")}
            assert options <= rows, (stack, case.backend, options - rows)


@pytest.mark.parametrize("stack", STACKS)
def test_a_requirement_that_is_stated_easier_is_named(stack: str) -> None:
    """The configuration is there to compare with, so only the tampering is a finding."""
    held = mutation_run.bench(stack)
    for case in held.cases():
        for mutation in NEEDS:
            one = mutation.of(case)
            if one is not None:
                fired = mandatory(ask_resource(one)) - mandatory(held.base[one.urn])
                assert mutation.must(case) <= fired, mutation
                assert fired <= mutation.must(case) | mutation.may(case), (mutation, fired)


def spoilt(value: object) -> object:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value * 2 + 1
    return f"{value}x"


def spoilt_leaves(properties: object) -> Iterator[object]:
    """Copies of a document with one leaf changed in each."""
    if isinstance(properties, dict):
        for key, value in properties.items():
            yield from ({**properties, key: other} for other in spoilt_leaves(value))
    elif isinstance(properties, list):
        for index, value in enumerate(properties):
            for other in spoilt_leaves(value):
                yield [*properties[:index], other, *properties[index + 1 :]]
        yield [*properties, "one more"]
    else:
        yield spoilt(properties)


@pytest.mark.parametrize("stack", ["demo", "lifecycle"])
def test_a_part_that_does_not_follow_from_the_tiers_is_named(stack: str) -> None:
    held = mutation_run.bench(stack)
    resources = held.recorded.resources
    seen = set[str]()
    for index, one in enumerate(resources):
        if one.token not in PARTS:
            continue
        seen.add(one.token)
        for inputs in spoilt_leaves(copy.deepcopy(one.inputs)):
            other = replace(one, inputs=inputs, outputs=inputs)  # type: ignore[arg-type]
            fired = mandatory(ask_stack([*resources[:index], other, *resources[index + 1 :]]))
            assert fired - mandatory(held.whole) == {"stack-parts"}, inputs
    assert len(seen) >= 2


def without(recorded: Recording, *tokens: str) -> list[Registered]:
    return [one for one in recorded.resources if one.token not in tokens]


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        *((token, "stack-tiers") for token in wire.TIER_TOKENS.values()),
        (wire.REQUIREMENT, "stack-parts"),
        (wire.NODE_GROUP, "stack-parts"),
        (wire.FABRIC, "stack-parts"),
        (wire.LIFECYCLE, "stack-parts"),
    ],
)
def test_what_is_missing_is_named(token: str, expected: str) -> None:
    held = mutation_run.bench("lifecycle")
    fired = mandatory(ask_stack(without(held.recorded, token)))
    assert expected in fired
    assert fired <= {expected, "stack-parts", "stack-tiers"}


def test_every_figure_of_the_requirement_that_is_stated_lower_is_named() -> None:
    held = mutation_run.bench("demo")
    one = held.recorded.of(wire.REQUIREMENT)
    for name, value in one.inputs["figures"].items():  # type: ignore[attr-defined]
        if value:
            lower = changed(one, "figures", {**one.inputs["figures"], name: value / 2})  # type: ignore[dict-item]
            assert mandatory(ask_resource(lower)) == {"stack-requirement"}, name


def test_every_block_of_the_spec_counts() -> None:
    held = mutation_run.bench("demo")
    one = held.recorded.of(wire.STORAGE)
    for block in ("capacity", "tiers", "operations"):
        spec = {key: value for key, value in one.inputs["spec"].items() if key != block}  # type: ignore[attr-defined]
        assert mandatory(ask_resource(changed(one, "spec", spec))) == {"stack-requirement"}, block
