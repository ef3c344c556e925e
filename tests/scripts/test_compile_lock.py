"""The lock file holds every direct dependency by hash and names no place."""

from __future__ import annotations

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import compile_lock

LOCK = compile_lock.LOCK.read_text()
PINS = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK, re.MULTILINE))


@pytest.mark.parametrize("wanted", compile_lock.ranges())
def test_every_range_of_the_project_is_locked_within_it(wanted: str) -> None:
    requirement = Requirement(wanted)
    assert requirement.specifier.contains(PINS[canonicalize_name(requirement.name)])


def test_lock_file_is_as_it_is_kept() -> None:
    assert compile_lock.tidy(LOCK) == LOCK


def test_every_package_has_hashes() -> None:
    blocks = re.split(r"^(?=[a-z0-9-]+==)", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(PINS) > 30
    assert all("--hash=sha256:" in block for block in blocks)


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://example.org/simple",
        "--extra-index-url example",
        "-i example",
        "--find-links /wheels",
        "-f /wheels",
        "--trusted-host example",
        "one @ https://example.org/one.whl",
    ],
)
def test_line_that_names_a_place_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="would name a place"):
        compile_lock.tidy(f"one==1 \\\n    --hash=sha256:00\n{line}\n")


def test_ranges_cover_running_building_and_developing() -> None:
    names = {Requirement(line).name for line in compile_lock.ranges()}
    assert {"pyyaml", "pulumi", "pulumi-policy", "hatchling", "pytest"} <= names
