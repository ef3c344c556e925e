"""Every published oracle against the formula that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import pytest
from conftest import goldens, quantity

from tierplan.domain.figures import base_number


@pytest.mark.parametrize("case", goldens(), ids=lambda case: str(case["id"]))
def test_formula_gives_the_published_figure(case: Mapping[str, object]) -> None:
    module, _, name = str(case["formula"]).partition(".")
    formula = getattr(import_module(f"tierplan.demand.{module}"), name)
    inputs = {key: quantity(value) if isinstance(value, str) else value for key, value in case["inputs"].items()}
    result = base_number(formula(**inputs))
    tolerance = {"rel": case.get("relative", 0), "abs": case.get("absolute", 0)}
    assert result == pytest.approx(case["expected"], **tolerance)


def test_every_case_names_its_source() -> None:
    assert all(case["source"] for case in goldens())
    ids = [case["id"] for case in goldens()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("number", [*range(1, 17), 18, 19, 20, 21, 22])
def test_every_oracle_of_the_demand_side_is_here(number: int) -> None:
    """W-17 is a storage product's capacity: the backends' goldens have it."""
    assert any(f"W-{number:02}" in str(case["id"]) for case in goldens())
