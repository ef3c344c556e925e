"""Golden figures of the layout room."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

GOLDEN = Path(__file__).parents[1] / "golden"


def pytest_generate_tests(metafunc):
    """A test with `durability_case` runs over every case of tests/golden/durability.yaml."""
    if "durability_case" in metafunc.fixturenames:
        groups = yaml.safe_load((GOLDEN / "durability.yaml").read_text())
        cases = [
            {"source": group["source"], "tolerance": group.get("tolerance", 0), **case}
            for group in groups
            for case in group["cases"]
        ]
        metafunc.parametrize("durability_case", cases, ids=lambda case: f"{case['of']}-{case['inputs']}")


@pytest.fixture(scope="session")
def random_groups():
    """Seed -> that many random groups of a width over the members."""

    def make(seed, *, count, width, members):
        dice = random.Random(seed)  # noqa: S311  # a test, no secret
        return [tuple(dice.sample(range(members), width)) for _ in range(count)]

    return make
