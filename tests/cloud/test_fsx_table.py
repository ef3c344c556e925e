"""Every row of the legality table against published limits, and the sizes that it leads to."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tierplan.backends._fsx_table import CLASSES, Sizes, row_key, table
from tierplan.load import catalogue
from tierplan.units import Size

TABLE = table(catalogue().backend("fsx-lustre"))
PRICES = "tierplan/catalogue/prices.yaml"


def sizes_of(inputs) -> Sizes:
    if inputs["class"] == "tiering":
        return TABLE.tiering
    return TABLE.row(*inputs["class"]).sizes_with(efa=inputs.get("efa", False))


def test_a_size_is_legal_or_has_legal_neighbours(size_case):
    sizes, size = sizes_of(size_case["inputs"]), size_case["inputs"]["size"]
    assert [sizes.legal(size), sizes.below(size), sizes.above(size)] == size_case["expected"]


def test_a_class_gives_what_its_drives_sustain(rate_case):
    row = TABLE.row(*rate_case["inputs"]["class"])
    given_ = [(density * Size(2.0**40)).show("MB/s", 5) for density in (row.read, row.write)]
    assert given_ == [f"{rate:,} MB/s" for rate in rate_case["expected"]]


def test_a_metadata_rate_is_legal_or_has_legal_neighbours(iops_case):
    iops, storage = iops_case["inputs"]["iops"], iops_case["inputs"]["storage"]
    known = TABLE.metadata
    assert [known.legal(iops, storage=storage), *known.around(iops, storage=storage)] == iops_case["expected"]


def test_a_size_brings_a_metadata_rate_by_itself(automatic_case):
    assert TABLE.metadata.automatic(automatic_case["inputs"]["size"]) == automatic_case["expected"]


def test_every_class_of_the_table_has_golden_sizes_and_rates(lab):
    cases = [case["inputs"] for case in lab("golden")("size")]
    named = {tuple(case["class"]) for case in cases if case["class"] != "tiering"}
    rated = {tuple(case["inputs"]["class"]) for case in lab("golden")("rate")}
    assert named == rated == set(CLASSES)
    with_efa = {tuple(case["class"]) for case in cases if case.get("efa")}
    assert with_efa == {(row.deployment, row.storage, row.per_unit) for row in TABLE.rows if row.efa_sizes}


ALL_SIZES = [
    TABLE.tiering,
    *(row.sizes for row in TABLE.rows),
    *(row.efa_sizes for row in TABLE.rows if row.efa_sizes),
]


@pytest.mark.parametrize("sizes", ALL_SIZES)
@given(asked=st.floats(0, 1_999_999))
def test_the_smallest_legal_size_is_the_next_one_that_is_no_less(sizes, asked):
    found = sizes.at_least(asked)
    assert sizes.legal(found)
    assert found >= asked * (1 - 1e-8)
    smaller = sizes.below(found)
    assert smaller is None or smaller < asked or sizes.least == found
    above, below = sizes.above(asked), sizes.below(asked)
    assert above is None or (sizes.legal(above) and above > asked)
    assert below is None or (sizes.legal(below) and below < asked)


@given(asked=st.floats(1, 190_000))
def test_a_metadata_rate_is_brought_by_the_size_that_is_named_for_it(asked):
    size = TABLE.metadata.size_for(asked)
    assert TABLE.metadata.automatic(size) >= asked * (1 - 1e-8)


def test_prices_by_which_classes_are_ranked_are_those_of_the_bill(pytestconfig):
    """One fact in two places: here they may not drift apart."""
    text = (pytestconfig.rootpath / PRICES).read_text(encoding="utf-8")
    prices = yaml.safe_load(text)
    items = prices.get("items", prices)
    facts = catalogue().backend("fsx-lustre")
    compared = 0
    for deployment, storage, per_unit in CLASSES:
        words = (deployment, "HDD" if storage == "HDD" else None, per_unit)
        name = f"fsx-lustre.{'-'.join(str(word) for word in words if word is not None)}"
        key = f"{row_key(deployment, storage, per_unit)}_price"
        if name in items:
            assert facts[key] == items[name]["price"]
            compared += 1
    assert compared == len(CLASSES) - 1  # SCRATCH_1 has no price
    assert facts["metadata_price"] == items["fsx-lustre.metadata-iops"]["price"]
    assert facts["tiering_price"] == items["fsx-lustre.throughput"]["price"]
