"""The raw resources of a cloud behind a plan, changed one at a time: each is a way in which a deployment goes wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import cast

import pytest
from pulumi_policy import proxy

import mutation_run
from mutation_run import Bench, Said, ask_resource, ask_stack
from mutations import changed
from recording import Registered

Change = Callable[[Registered], Registered | None]
FILE_SYSTEM, BUCKET = "aws-fsx-hot-fsx", "aws-fsx-cold-bucket"


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Bench:
    """The shipped stack of FSx for Lustre with S3, which passes."""
    monkeypatch.setenv("PULUMI_CONFIG", "{}")
    return mutation_run.bench("aws-fsx")


def to(path: str, value: object) -> Change:
    return lambda one: changed(one, path, value)


def gone(_one: Registered) -> None:
    return None


def moving(*steps: tuple[str, object]) -> Change:
    """One more rule, which moves objects from class to class."""

    def change(one: Registered) -> Registered:
        transitions = [{"storageClass": name, "days": days} for name, days in steps]
        rule = {"id": "move", "status": "Enabled", "filter": {"prefix": ""}, "transitions": transitions}
        return changed(one, "rules", [*cast("list[object]", one.inputs["rules"]), rule])

    return change


def unprotected(one: Registered) -> Registered:
    return replace(one, protected=False)


CASES: list[tuple[str, Change, set[str]]] = [
    (FILE_SYSTEM, to("storageCapacity", 115201.0), {"cloud-size"}),
    (FILE_SYSTEM, to("storageCapacity", 2400.0), {"hot-capacity"}),
    (FILE_SYSTEM, to("perUnitStorageThroughput", 333.0), {"cloud-class"}),
    (FILE_SYSTEM, to("perUnitStorageThroughput", 125.0), {"hot-write-bandwidth"}),
    (FILE_SYSTEM, to("deploymentType", "PERSISTENT_1"), {"cloud-class"}),
    (FILE_SYSTEM, to("storageType", "HDD"), {"cloud-class"}),
    (FILE_SYSTEM, to("efaEnabled", value=False), {"cloud-efa"}),
    (FILE_SYSTEM, to("automaticBackupRetentionDays", 100.0), {"cloud-backup"}),
    (FILE_SYSTEM, unprotected, {"cloud-protect"}),
    ("aws-fsx-hot-rule-self-in-all", gone, {"cloud-network"}),
    (BUCKET, unprotected, {"cloud-protect"}),
    (f"{BUCKET}-encryption", gone, {"bucket-encrypted"}),
    (f"{BUCKET}-private", gone, {"bucket-private"}),
    (f"{BUCKET}-private", to("blockPublicAcls", value=False), {"bucket-private"}),
    (f"{BUCKET}-private", to("blockPublicPolicy", value=False), {"bucket-private"}),
    (f"{BUCKET}-private", to("ignorePublicAcls", value=False), {"bucket-private"}),
    (f"{BUCKET}-private", to("restrictPublicBuckets", value=False), {"bucket-private"}),
    (f"{BUCKET}-versioning", to("versioningConfiguration", {"status": "Suspended"}), {"bucket-versioned"}),
    (f"{BUCKET}-lifecycle", gone, {"bucket-abort-uploads"}),
    (f"{BUCKET}-lifecycle", moving(("STANDARD_IA", 30), ("GLACIER", 90)), set()),
    (f"{BUCKET}-lifecycle", moving(("GLACIER", 30), ("STANDARD_IA", 90)), {"bucket-lifecycle"}),
    (f"{BUCKET}-lifecycle", moving(("GLACIER_IR", 30), ("STANDARD", 90)), {"bucket-lifecycle"}),
    (f"{BUCKET}-lifecycle", moving(("GLACIER", proxy.UNKNOWN_NUMBER_VALUE)), {"bucket-lifecycle"}),
]
# What else may fire, as the same choice feeds it.
BESIDE = {
    "storageCapacity": {"hot-read-bandwidth", "hot-write-bandwidth", "hot-phases", "survive-bandwidth", "cloud-size"},
    "perUnitStorageThroughput": {"hot-phases", "survive-bandwidth"},
    "deploymentType": {"cloud-efa", "hot-phases", "hot-write-bandwidth", "survive-bandwidth"},
    "storageType": {"hot-read-bandwidth", "hot-write-bandwidth", "hot-phases", "survive-bandwidth", "hot-capacity"},
}


def everything(held: Bench, name: str, change: Change) -> tuple[Said, str]:
    """What the pack says of the program with one resource changed or left out, and which property was changed."""
    (one,) = (one for one in held.recorded.resources if one.name == name)
    other = change(one)
    resources = [other if found is one else found for found in held.recorded.resources]
    kept = [found for found in resources if found is not None]
    said = held.all_of(one, ask_resource(other) if other else frozenset(), ask_stack(kept))
    differing = [key for key in one.inputs if other and one.inputs[key] != other.inputs.get(key)]
    return said, next(iter(differing), "")


def names(said: Said) -> set[str]:
    return {name for name, _ in said}


@pytest.mark.parametrize(
    ("name", "change", "expected"), CASES, ids=[f"{index}-{name}" for index, (name, _, _) in enumerate(CASES)]
)
def test_a_resource_that_is_not_what_was_planned_is_refused(
    held: Bench, name: str, change: Change, expected: set[str]
) -> None:
    as_it_is = names(held.whole.union(*held.base.values()))
    said, path = everything(held, name, change)
    fired = names(said) - as_it_is
    assert expected <= fired
    assert {one for one in fired if not one.startswith("advice-")} <= expected | BESIDE.get(path, set())


def test_the_deployment_as_planned_is_silent(held: Bench) -> None:
    said = names(held.whole.union(*held.base.values()))
    assert {name for name in said if not name.startswith("advice-")} == set()
