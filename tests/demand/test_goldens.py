"""Every published oracle against the formula that it belongs to."""

from importlib import import_module

import pytest

from tierplan.domain.figures import base_number


def test_formula_gives_the_published_figure(golden):
    module, _, name = golden.formula.partition(".")
    formula = getattr(import_module(f"tierplan.demand.{module}"), name)
    result = base_number(formula(**golden.inputs))
    assert result == pytest.approx(golden.expected, rel=golden.relative, abs=golden.absolute)


def test_every_case_names_its_source(golden_table):
    assert all(case.source for case in golden_table)
    ids = [case.id for case in golden_table]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("number", [*range(1, 17), *range(18, 23)])
def test_every_oracle_of_the_demand_side_is_here(golden_table, number):
    """W-17 is a storage product's capacity: the backends' goldens have it."""
    assert any(f"W-{number:02}" in case.id for case in golden_table)
