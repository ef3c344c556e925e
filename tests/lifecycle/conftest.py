"""What the tests of the life cycle share: stores' classes, shipped stacks with a change, plans of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tierplan import plan as planning
from tierplan.backends import module_name
from tierplan.backends._object_stores import storage_classes
from tierplan.domain.lifecycle import StorageClass
from tierplan.domain.plan import Finding, Plan
from tierplan.load import catalogue, stack_from_document

ROOT = Path(__file__).parents[2]
Change = Callable[[dict[str, Any]], object]


def document_of(name: str) -> dict[str, Any]:
    """A shipped stack as a plain document of the form."""
    config = yaml.safe_load((ROOT / "stacks" / f"Pulumi.{name}.yaml").read_text())["config"]
    return {key.removeprefix("tierplan:"): value for key, value in config.items() if key.startswith("tierplan:")}


@pytest.fixture
def planned() -> Callable[..., tuple[Plan, tuple[Finding, ...]]]:
    """A shipped stack, changed, as a plan with its findings."""

    def run(name: str, change: Change = lambda _: None) -> tuple[Plan, tuple[Finding, ...]]:
        document = document_of(name)
        change(document)
        made = planning.make_plan(stack_from_document(document, name=name, where="test"), catalogue())
        return made, planning.judge(made)

    return run


@pytest.fixture
def refused_by(planned) -> Callable[..., set[str]]:
    """The mandatory rules that a changed stack misses."""

    def run(name: str, change: Change = lambda _: None) -> set[str]:
        return {finding.policy for finding in planned(name, change)[1] if finding.level == "mandatory"}

    return run


@pytest.fixture(scope="session")
def classes_of() -> Callable[[str], Mapping[str, StorageClass]]:
    """Store id -> its classes by name, warm to cold."""

    def run(store: str) -> Mapping[str, StorageClass]:
        from importlib import import_module  # noqa: PLC0415

        described = import_module(f"tierplan.backends.{module_name(store)}").STORE
        return {one.name: one for one in storage_classes(described, catalogue().backend(store))}

    return run
