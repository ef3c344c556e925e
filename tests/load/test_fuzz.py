"""Whatever a file or a document holds, it is a stack or `InputError` with lines; nothing else comes out."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import cast

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load import stack_from_document, stack_from_text, stack_text
from tierplan.load.document import read_document
from tierplan.load.namespaces import form_document

SLOW_MACHINE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)
WORDS = ["", "auto", "none", "weka", "dgx-h100", "llama-3-70b", "unet3d-h100", "1 TB", "0 B", "1 GB/s", "5 min", "-1 s"]
KEYS = ["gpus", "model", "catalogue", "name", "kind", "size", "a.b", "x[y]", "[0]", "__x", "\x00", "Größe", "data"]
PIECES = ["", "{", "]", "&a ", "*a", "!!x ", "\n", "  ", ": ", "- ", "'", "0", "\t", "<<: ", "?"]
PATHS = ("cluster", "workloads", "tiers", "capacity")

junk = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([0, 1, 8, 10**400, -1, 1e300, float("nan"), float("inf")])
    | st.floats()
    | st.sampled_from(WORDS)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner, max_size=3),
    max_leaves=6,
)


def places(value: object) -> Iterator[tuple[dict[object, object], object]]:
    """Every place of a document: its container and its key."""
    if isinstance(value, dict):
        for key, item in list(value.items()):
            yield value, key
            yield from places(item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield cast("dict[object, object]", value), index  # as good as a map of numbers
            yield from places(item)


def judge(read: Callable[[], Stack]) -> None:
    """A stack that can be written out and read again, or lines."""
    lines: tuple[str, ...] = ("x: none",)
    try:
        stack = read()
    except InputError as error:
        lines = error.faults
    else:
        assert stack_from_text(stack_text(stack), name=stack.name, where="x") == stack
    assert lines
    for line in lines:
        assert line.startswith("x")
        assert line == line.strip()
        assert line.isprintable(), line
        assert len(line) < 1500


@st.composite
def mutated(draw: st.DrawFn, text: str) -> dict[object, object]:
    """The good document with a few places replaced, removed, renamed or added to."""
    document = copy.deepcopy(cast("dict[object, object]", form_document(read_document(text)).value))
    for _ in range(draw(st.integers(1, 4))):
        container, key = draw(st.sampled_from(list(places(document)) or [(document, "x")]))
        action = draw(st.sampled_from(["replace", "replace", "remove", "rename", "add"]))
        if action == "replace":
            container[key] = draw(junk)
        elif action == "remove":
            del container[key]
        elif isinstance(container, dict):
            name = draw(st.sampled_from(KEYS))
            container[name] = container.pop(key, None) if action == "rename" else draw(junk)
    return document


@SLOW_MACHINE
@given(data=st.data())
def test_any_mutation_of_a_document(data: st.DataObject, good: str) -> None:
    document = cast("dict[str, object]", data.draw(mutated(good)))
    judge(lambda: stack_from_document(document, name="x", where="x"))


@SLOW_MACHINE
@given(document=st.dictionaries(st.sampled_from([*PATHS, "site", "targets", "operations", "zz"]), junk, max_size=5))
def test_any_document(document: dict[str, object]) -> None:
    judge(lambda: stack_from_document(document, name="x", where="x"))


@SLOW_MACHINE
@given(data=st.data())
def test_any_mutation_of_a_text(data: st.DataObject, good: str) -> None:
    text = good
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 20)))
        put = data.draw(
            st.sampled_from(["", "{", "]", "&a ", "*a", "!!x ", "\n", "  ", ": ", "- ", "'", "0", "\t", "<<: ", "?"])
        )
        text = text[:start] + put + text[end:]
    judge(lambda: stack_from_text(text, name="x", where="x"))


@SLOW_MACHINE
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text(text: str) -> None:
    judge(lambda: stack_from_text(text, name="x", where="x"))
