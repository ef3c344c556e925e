"""The same mutations in the real policy host: one process of the pack, asked over the engine's own protocol."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import mutation_run
import recording
from judging import PACK, level
from mutation_table import TABLE
from mutation_words import WORDS
from mutations import Case, Mutation
from policyhost import Host, serving
from recording import Registered

EVERY = 23  # a prime: of each mutation some, of each stack some
DESCRIBED = {name: policy.description for name, policy in PACK.items()}


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A program with no configuration of ours: each tier's own need is what counts."""
    with serving({"aws:region": "us-east-1"}) as found:
        yield found


@pytest.fixture
def foreign(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", "{}")


def sample() -> Iterator[tuple[Case, Mutation, Registered]]:
    applied = (
        (case, mutation, one)
        for stack in recording.stack_names()
        for case in mutation_run.bench(stack).cases()
        for mutation in (*TABLE, *WORDS)
        if (one := mutation.of(case)) is not None
    )
    yield from (found for index, found in enumerate(applied) if index % EVERY == 0)


def test_the_host_serves_every_policy_on_its_level(host: Host) -> None:
    assert host.policies() == {name: level(name).upper() for name in PACK}


@pytest.mark.usefixtures("foreign")
def test_the_host_says_what_the_functions_say(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the wire each number is a double, each value a copy, each policy asked in its turn."""
    found = list(sample())
    assert len(found) > 100
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"aws:region": "us-east-1"}))
    for case, mutation, one in found:
        said = {(name, message.removeprefix(f"{DESCRIBED[name]}\n")) for name, message in host.analyze(one)}
        assert said == mutation_run.ask_resource(one), (case.stack, case.tier, mutation.path, mutation.words)


@pytest.mark.usefixtures("foreign")
def test_the_host_judges_a_whole_program(host: Host) -> None:
    for stack, refused in (("demo", False), ("refused-slow", True)):
        resources = mutation_run.bench(stack).recorded.resources
        said = [host.analyze(one) for one in resources] + [host.analyze_stack(resources)]
        assert any(level(name) == "mandatory" for names in said for name, _ in names) == refused
