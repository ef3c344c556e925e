"""Golden figures of the layout room."""

from __future__ import annotations

from pathlib import Path

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
