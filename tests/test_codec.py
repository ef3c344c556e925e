"""Nouns and documents are one, in three spellings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.codec import Spelling, camel, decode, encode, snake
from tierplan.domain.stack import Cluster, Stack, TierPins
from tierplan.domain.tiers import Delivered, TierConfig
from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, OpRate, Size, bandwidth, duration, op_rate, size

SPELLINGS: tuple[Spelling, ...] = ("form", "plain", "wire")


@dataclass(frozen=True, slots=True, kw_only=True)
class Disk:
    kind: Literal["disk"]
    space: Size
    read: Bandwidth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tape:
    kind: Literal["tape"]
    wind: Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    name: str
    slots: int
    share: float = 0.5
    open: bool = False
    mode: Literal["a", "b"] = "a"
    interval: Duration | Literal["auto"] = "auto"
    items: tuple[Disk | Tape, ...] = ()
    sizes: tuple[Size, ...] = ()
    first: Disk | None = None
    read_bytes_per_s: Bandwidth | None = None
    operations: OpRate = field(default_factory=OpRate.zero)
    options: Mapping[str, object] = field(default_factory=dict)


SHELF = Shelf(
    name="one",
    slots=3,
    interval=duration("30 min"),
    items=(Disk(kind="disk", space=size("1 TB")), Tape(kind="tape", wind=duration("5 s"))),
    sizes=(size("1 B"), size("2 B")),
    first=Disk(kind="disk", space=size("2 TB"), read=bandwidth("1 GB/s")),
    read_bytes_per_s=bandwidth("3 GB/s"),
    operations=op_rate("7 ops/s"),
    options={"a": {"b": (1, 2)}},
)


def test_form_spells_quantities_as_text() -> None:
    assert encode(SHELF, "form") == {
        "name": "one",
        "slots": 3,
        "share": 0.5,
        "open": False,
        "mode": "a",
        "interval": "30 min",
        "items": [{"kind": "disk", "space": "1 TB"}, {"kind": "tape", "wind": "5 s"}],
        "sizes": ["1 B", "2 B"],
        "first": {"kind": "disk", "space": "2 TB", "read": "1 GB/s"},
        "read_bytes_per_s": "3 GB/s",
        "operations": "7 ops/s",
        "options": {"a": {"b": [1, 2]}},
    }


def test_plain_puts_the_base_unit_into_the_key() -> None:
    plain = encode(SHELF, "plain")
    assert plain["first"] == {"kind": "disk", "space_bytes": 2e12, "read_bytes_per_s": 1e9}
    assert (plain["read_bytes_per_s"], plain["operations_ops_per_s"]) == (3e9, 7.0)
    assert plain["sizes_bytes"] == [1.0, 2.0]


def test_wire_is_plain_in_camel_case() -> None:
    wire = encode(SHELF, "wire")
    assert wire["first"] == {"kind": "disk", "spaceBytes": 2e12, "readBytesPerS": 1e9}
    assert (wire["readBytesPerS"], wire["operationsOpsPerS"]) == (3e9, 7.0)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_noun_comes_back_in_every_spelling(spelling: Spelling) -> None:
    kept = SHELF if spelling == "form" else Shelf(name="one", slots=3, items=SHELF.items, options={"a": 1})
    assert decode(Shelf, encode(kept, spelling), spelling) == kept


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_doubles_become_counts(spelling: Spelling) -> None:
    """Numbers that went through the engine are doubles."""
    shelf = decode(Shelf, {"name": "x", "slots": 3.0, "share": 1, "options": {"n": 4.0, "f": 0.5}}, spelling)
    assert (shelf.slots, type(shelf.slots)) == (3, int)
    assert (shelf.share, type(shelf.share)) == (1.0, float)
    assert (shelf.options["n"], type(shelf.options["n"]), shelf.options["f"]) == (4, int, 0.5)


def test_nones_are_left_out_and_may_be_given() -> None:
    assert "first" not in encode(Shelf(name="x", slots=1), "form")
    assert decode(Shelf, {"name": "x", "slots": 1, "first": None}, "form") == Shelf(name="x", slots=1)


def test_the_engines_own_keys_are_passed_over() -> None:
    assert decode(Shelf, {"name": "x", "slots": 1, "__defaults": []}, "wire").slots == 1


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"slots": 1}, "name: missing"),
        ({"name": "x", "slots": 1, "slot": 2}, "slot: unknown key"),
        ({"name": 5, "slots": 1}, "name: 5 is not text"),
        ({"name": "x", "slots": 1.5}, "slots: 1.5 is not a whole number"),
        ({"name": "x", "slots": True}, "slots: True is not a whole number"),
        ({"name": "x", "slots": "1"}, "slots: '1' is not a whole number"),
        ({"name": "x", "slots": 1, "share": float("nan")}, "share: nan is not a number"),
        ({"name": "x", "slots": 1, "open": 1}, "open: 1 is not true or false"),
        ({"name": "x", "slots": 1, "mode": "c"}, "mode: 'c'; allowed: a, b"),
        ({"name": "x", "slots": 1, "items": 5}, "items: 5 is no list"),
        ({"name": "x", "slots": 1, "items": "ab"}, "items: 'ab' is no list"),
        ({"name": "x", "slots": 1, "items": [{"kind": "tape", "wind": "5 GB"}]}, 'items[0].wind: "5 GB": GB is a unit'),
        ({"name": "x", "slots": 1, "first": 5}, "first: 5 is no map of keys"),
        ({"name": "x", "slots": 1, "first": {"kind": "disk", "space": 5}}, "first.space: 5 has no unit"),
    ],
)
def test_faults_name_the_key_path(document: Mapping[str, object], fault: str) -> None:
    with pytest.raises(InputError) as caught:
        decode(Shelf, document, "form")
    (line,) = caught.value.faults
    assert line.startswith(fault)


def test_all_faults_come_out_at_once_below_a_path() -> None:
    with pytest.raises(InputError) as caught:
        decode(Shelf, {"slots": "x", "zz": 1}, "plain", "tiers.hot")
    assert caught.value.faults == (
        "tiers.hot.zz: unknown key",
        "tiers.hot.name: missing",
        "tiers.hot.slots: 'x' is not a whole number",
    )


@pytest.mark.parametrize("spelling", ["plain", "wire"])
@pytest.mark.parametrize("value", ["1 TB", None, True, float("inf")])
def test_outside_the_form_quantities_are_numbers(spelling: Spelling, value: object) -> None:
    key = "spaceBytes" if spelling == "wire" else "space_bytes"
    with pytest.raises(InputError):
        decode(Disk, {"kind": "disk", key: value}, spelling)


def test_a_quantity_with_a_word_beside_it_takes_either() -> None:
    assert decode(Shelf, {"name": "x", "slots": 1, "interval": "auto"}, "form").interval == "auto"
    assert decode(Shelf, {"name": "x", "slots": 1, "interval": "5 s"}, "form").interval == duration("5 s")


@given(st.from_regex(r"[a-z]{1,4}(_[a-z]{1,4}[0-9]?){0,4}", fullmatch=True))
def test_camel_and_snake_undo_one_another(name: str) -> None:
    assert snake(camel(name)) == name
    assert "_" not in camel(name)


@pytest.mark.parametrize("noun", [Stack, Cluster, TierPins, TierConfig, Delivered])
def test_keys_of_nouns_are_unlike_in_every_spelling(noun: type) -> None:
    """Two fields that become one key would silently lose a value."""
    from tierplan.codec import _slots  # noqa: PLC0415  # the rule itself is under test

    for spelling in SPELLINGS:
        keys = [slot.key for slot in _slots(noun, spelling)]
        assert len(keys) == len(set(keys))
        assert [snake(key) for key in keys] == [snake(camel(key)) for key in keys]


KEYS = ["kind", "space", "space_bytes"]
plain_values = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False) | st.text(max_size=3)


@given(
    document=st.dictionaries(
        st.sampled_from(["name", "slots", "share", "open", "mode", "interval", "items", "first", "zz"]),
        plain_values | st.lists(plain_values, max_size=2) | st.dictionaries(st.sampled_from(KEYS), plain_values),
    ),
    spelling=st.sampled_from(SPELLINGS),
)
def test_any_document_is_a_noun_or_input_error(document: dict[str, object], spelling: Spelling) -> None:
    try:
        shelf = decode(Shelf, document, spelling)
    except InputError as error:
        faults = error.faults
    else:
        faults = ("none",)
        assert decode(Shelf, encode(shelf, spelling), spelling) == shelf
    assert all(faults)
