"""Keys set in the text of a stack file: that key and nothing else, whatever way the file is written."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import existing_outputs as outputs
from existing_cases import on_prem
from tierplan.errors import InputError
from tierplan.existing.editing import line_of, set_value
from tierplan.existing.gathering import systems
from tierplan.existing.merging import merged
from tierplan.existing.nouns import Found

HOT = ("config", "tierplan:tiers", "hot")


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("a: {b: 1}  # x\n", ("a", "b"), 2, "a: {b: 2}  # x\n"),
        ("a: {b: 1,}\n", ("a", "c"), "7.68 TB", 'a: {b: 1, c: "7.68 TB",}\n'),
        ("a: {}\n", ("a", "c"), True, "a: {c: true}\n"),
        ("a:\n  b: 1 # x\n  # y\n\nz: 1\n", ("a", "c", "d"), 3, "a:\n  b: 1 # x\n  c:\n    d: 3\n  # y\n\nz: 1\n"),
        ("a:\nz: 1\n", ("a", "c"), 3, "a: {c: 3}\nz: 1\n"),
        ("a: null # x\n", ("a", "c"), 3, "a: {c: 3} # x\n"),
        ("a:\n- b\n", ("z", "c"), 3, "a:\n- b\nz:\n  c: 3\n"),
        ("a: 'x'\r\nb: 2\r\n", ("a",), "yes", 'a: "yes"\r\nb: 2\r\n'),
        ("a:\r\n  b: 2\r\n", ("a", "c"), 1, "a:\r\n  b: 2\r\n  c: 1\r\n"),
        ("a:\n  b: 2", ("a", "c"), 1, "a:\n  b: 2\n  c: 1"),
        ("a: {\n  b: 1,   # x\n  c: 2    # y\n}\n", ("a", "d"), 1, "a: {\n  b: 1,   # x\n  c: 2, d: 1    # y\n}\n"),
    ],
)
def test_a_key_is_set_and_nothing_else(before, path, value, after):
    assert set_value(before, path, value) == after


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [("a: 1\n", ("a", "b"), "is no map of keys"), ("a:\n  - 1\n", ("a",), "written over several lines")],
)
def test_what_is_no_place_for_a_key_is_told(text, path, message):
    with pytest.raises(InputError, match=message):
        set_value(text, path, 1)


def test_lines_are_found():
    assert line_of(outputs.DEMO, (*HOT, "nodes")) == outputs.DEMO.splitlines().index("      nodes: 12")
    assert line_of(outputs.DEMO, (*HOT, "quote")) is None


KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.one_of(st.integers(0, 99), st.booleans(), st.sampled_from(["x", "7 TB", "y: {z}", "#", "null", "12"]))
TREES = st.dictionaries(KEYS, st.one_of(VALUES, st.dictionaries(KEYS, VALUES, min_size=1)), min_size=1)


@settings(max_examples=150, deadline=None)
@given(tree=TREES, flow=st.booleans(), path=st.lists(KEYS, min_size=1, max_size=2), value=VALUES)
def test_any_document_keeps_all_other_values(tree, flow, path, value):
    text = "# first\n" + yaml.safe_dump(tree, default_flow_style=flow)
    block = tree.get(path[0])
    if isinstance(block, dict) and len(path) == 1:
        path = [*path, "a"]
    if len(path) == 2 and path[0] in tree and not isinstance(block, dict):
        with pytest.raises(InputError):
            set_value(text, path, value)
        return
    made = set_value(text, path, value)
    expected = {**tree, path[0]: value if len(path) == 1 else {**(block or {}), path[1]: value}}
    assert yaml.safe_load(made) == expected
    assert made.startswith("# first\n")
    assert set_value(made, path, value) == made


def weka(**pins):
    found = Found(product="WEKA", tool="weka status", file="w.json", backends={"hot": "weka"}, pins=pins)
    return systems([found], tier=None, names=(), planned={})


@pytest.mark.parametrize(
    "tiers",
    [
        "  tierplan:tiers: {hot: {backend: auto}, cold: {backend: auto}}   # mine\n",
        "  tierplan:tiers:\n    hot:\n      backend: weka\n      node: {drives: 4}\n    cold: {backend: auto}\n",
        "  tierplan:tiers:\n    cold: {backend: auto}\n",
        "  tiers:\n    hot: {backend: auto}\n",
        "",
    ],
)
def test_tiers_are_found_in_every_way_of_writing_them(tiers):
    head, rest = outputs.DEMO.split("  tierplan:tiers:\n")
    text = head + tiers + rest[rest.index("  tierplan:targets") :]
    made = merged(text, weka(nodes=9), name="x", where="x")
    again = merged(made.text, weka(nodes=9), name="x", where="x")
    assert (again.text, again.changes) == (made.text, ())
    assert "nodes: 9" in made.text
    assert [line for line in text.splitlines() if "#" in line and "mine" not in line] == [
        line for line in made.text.splitlines() if "#" in line and "mine" not in line and "# not known" not in line
        and "# imported" not in line
    ]  # fmt: skip


def test_line_ends_and_a_byte_order_mark_stay():
    text = "\ufeff" + on_prem("{backend: auto}").replace("\n", "\r\n")
    made = merged(text, weka(nodes=9), name="x", where="x").text
    assert made.startswith("\ufeff")
    assert made.replace("\r\n", "").count("\n") == 0


def test_anchors_of_others_are_not_changed_by_the_way():
    hot, cold = "{backend: auto, layout: &code {data_units: 5, parity_units: 2}}", "{backend: auto, layout: *code}"
    text = on_prem(hot, cold)
    with pytest.raises(InputError, match=r"would change tiers\.cold"):
        merged(text, weka(**{"layout.data_units": 6}), name="x", where="x")


def test_pins_that_the_form_refuses_are_not_written():
    with pytest.raises(InputError, match="after the import: x:"):
        merged(on_prem("{backend: auto}"), weka(**{"options.colour": "blue"}), name="x", where="x")
