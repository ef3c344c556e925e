"""YAML text -> values and lines; what is a trap is one fault."""

from __future__ import annotations

import pytest

from tierplan.load.document import MOST_VALUES, UnreadableError, read_document


def test_lines_are_those_of_the_keys_and_items() -> None:
    document = read_document("a:\n  b: 1\n  c:\n    - d: 2\n    - 3\ne: {f: 4,\n  g: 5}\n")
    assert document.value == {"a": {"b": 1, "c": [{"d": 2}, 3]}, "e": {"f": 4, "g": 5}}
    assert document.lines == {
        "a": 1,
        "a.b": 2,
        "a.c": 3,
        "a.c[0]": 4,
        "a.c[0].d": 4,
        "a.c[1]": 5,
        "e": 6,
        "e.f": 6,
        "e.g": 7,
    }


def test_duplicate_key_is_a_fault_with_both_lines_and_the_first_stays() -> None:
    document = read_document("a: 1\nb: 2\na: 3\nc: {d: 1, d: 2}\n")
    assert document.value == {"a": 1, "b": 2, "c": {"d": 1}}
    assert [(fault.path, fault.line, "line 1" in fault.message) for fault in document.faults] == [
        ("a", 3, True),
        ("c.d", 4, False),
    ]


def test_keys_become_text() -> None:
    assert read_document("1: a\ntrue: b\n1.0: c\n0x10: d\nyes: e\n").value == {
        "1": "a",
        "true": "b",
        "16": "d",
        "yes": "e",
    }


def test_quoted_and_tagged_scalars_stay_text() -> None:
    document = read_document("a: '1'\nb: \"yes\"\nc: !!str 010\nd: ! 5\ne: |\n  70e9\nf: !!int '5'\n")
    assert document.value == {"a": "1", "b": "yes", "c": "010", "d": "5", "e": "70e9\n", "f": 5}


def test_anchors_and_merge_keys_work_and_own_keys_win() -> None:
    document = read_document("x: &x {p: 1, q: 2}\ny: {<<: *x, q: 3}\nz: {<<: [{q: 8}, *x]}\nw: {'<<': 1}\nv: *x\n")
    assert document.value == {
        "x": {"p": 1, "q": 2},
        "y": {"p": 1, "q": 3},
        "z": {"p": 1, "q": 8},
        "w": {"<<": 1},
        "v": {"p": 1, "q": 2},
    }
    assert document.faults == []


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("", "is empty", None),
        ("# only a comment\n", "is empty", None),
        ("a: 1\n---\nb: 2\n", "several documents", 2),
        ("a: 1\n--- \n", "several documents", 2),
        ("a: &x [*x]", "loop", 1),
        ("a: &x {<<: *x}", "loop", 1),
        ("a: 1\nb: *x", "no anchor", 2),
        ("a: !!python/object/apply:os.system [x]", "tag !!python/object/apply:os.system", 1),
        ("a: !Thing {x: 1}", "tag !Thing", 1),
        ("a: !!binary aGk=", "tag !!binary", 1),
        ("a: !!set {x}", "tag !!set", 1),
        ("a:\n  ? [x]\n  : 1", "no text", 2),
        ("a: {<<: 5}", "no map", 1),
        ("a: [1, 2", "no YAML", 1),
        ("a: b: c", "no YAML", 1),
        ("a:\n\tb: 1", "no YAML", 2),
        ("a: \x01", "no YAML", None),
        ("[" * 100_000, "", 1),
        ("a: {" * 100_000, "levels deep", 1),
        ("- " * 100_000, "levels deep", 1),
    ],
)
def test_traps_are_one_fault_with_its_line(text: str, words: str, line: int | None) -> None:
    with pytest.raises(UnreadableError, match=r".") as caught:
        read_document(text)
    assert words in caught.value.fault.message
    assert caught.value.fault.line == line


@pytest.mark.parametrize("bomb", ["a{n}: &a{n} [{stars}]", "a{n}: &a{n} {{<<: [{stars}]}}"])
def test_aliases_of_aliases_do_not_explode(bomb: str) -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += (bomb.format(n=n, stars=", ".join([f"*a{n - 1}"] * 10)) for n in range(1, 12))
    with pytest.raises(UnreadableError, match=f"{MOST_VALUES:,} values"):
        read_document("\n".join(lines))


def test_pure_python_reader_gives_the_same(monkeypatch: pytest.MonkeyPatch, good: str) -> None:
    """PyYAML without its C part is a slower way to the same values."""
    import yaml  # noqa: PLC0415

    from tierplan.load import document  # noqa: PLC0415

    fast = read_document(good)
    monkeypatch.setattr(document, "_LOADER", yaml.SafeLoader)
    slow = read_document(good)
    assert (slow.value, slow.lines, slow.faults) == (fast.value, fast.lines, fast.faults)
