"""A file and a document that Pulumi delivers are one stack: sorted keys, whole floats as ints, top-level text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load import stack_from_document, stack_from_text
from tierplan.load.document import read_document
from tierplan.load.namespaces import form_document

Spoil = Callable[..., str]
SHIPPED = sorted((Path(__file__).resolve().parent.parent.parent / "stacks").glob("Pulumi.*.yaml"))


def delivered(text: str) -> dict[str, object]:
    """The form's part of a file as a Pulumi program gets it: JSON with sorted keys, whole floats as ints."""

    def spelt(value: object) -> object:
        if isinstance(value, Mapping):
            return {key: spelt(item) for key, item in value.items()}
        if isinstance(value, list):
            return [spelt(item) for item in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value

    document = cast("Mapping[str, object]", form_document(read_document(text)).value)
    arrived: dict[str, object] = {}
    for key, value in document.items():
        structured = isinstance(value, Mapping | list)
        arrived[key] = json.loads(json.dumps(spelt(value), sort_keys=True)) if structured else top_level(value)
    return dict(sorted(arrived.items()))


def top_level(value: object) -> str:
    """A scalar at the top is a text in a program; one without a value an empty text."""
    return "" if value is None else str(value)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_stack_is_the_same_from_file_and_from_pulumi(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert stack_from_document(delivered(text), name="x", where="x") == stack_from_text(text, name="x", where="x")


def test_there_are_shipped_stacks() -> None:
    assert {path.name for path in SHIPPED} >= {
        "Pulumi.demo.yaml",
        "Pulumi.refused-slow.yaml",
        "Pulumi.refused-small.yaml",
        "Pulumi.refused-layout.yaml",
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("parameters: 70e9", "parameters: 7.0e10"),
        ("owner: storage", "owner: 010"),
        ("owner: storage", "owner: yes"),
        ("owner: storage", "owner: 12:30"),
        ("owner: storage", "owner: 2026-01-31"),
        ("owner: storage", "owner: 1.0"),
        ("owner: storage", "owner: true"),
        ("drive_cores: 12", "drive_cores: 12.0"),
        ("backend: ceph-rgw", "backend: auto, options: {a: '12', b: [1.0, {c: 2.0, d: null}]}"),
        ("expect: pass", "prices:\n  tierplan:expect: pass"),
        ("expect: pass", "expect: pass\n  tierplan:fabric:"),
        ("headroom: 1.3", "headroom: 2.0"),
        ("kubernetes: true", "kubernetes: null"),
    ],
)
def test_file_and_pulumi_give_the_same_stack(spoil: Spoil, read: Callable[[str], Stack], old: str, new: str) -> None:
    text = spoil((old, new))
    assert stack_from_document(delivered(text), name="x", where="x") == read(text)


def test_numbers_that_arrive_as_doubles_make_the_same_stack(good: str, read: Callable[[str], Stack]) -> None:
    """A hosted component gets every number as a double."""

    def doubled(value: object) -> object:
        if isinstance(value, dict):
            return {key: doubled(item) for key, item in value.items()}
        if isinstance(value, list):
            return [doubled(item) for item in value]
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    document = cast("dict[str, object]", doubled(delivered(good)))
    assert stack_from_document(document, name="x", where="x") == read(good)


def test_faults_of_a_document_have_its_name_and_no_line(spoil: Spoil) -> None:
    document = delivered(spoil(('"30 min"', '"30"')))
    with pytest.raises(InputError) as caught:
        stack_from_document(document, name="demo", where="stack demo")
    (line,) = caught.value.faults
    assert line.startswith('stack demo: workloads[0].checkpoint.interval: "30" has no unit; write e.g. "30 min"')


@pytest.mark.parametrize("document", [[], "x", 5, None])
def test_a_document_that_is_no_map_is_one_line(document: object) -> None:
    with pytest.raises(InputError, match=r"^spec: holds .*; a stack is a map of keys$"):
        stack_from_document(cast("Mapping[str, object]", document), name="x", where="spec")


def test_objects_in_a_document_are_refused_by_type(good: str) -> None:
    document = delivered(good)
    cast("dict[str, object]", document["cluster"])["gpu_nodes"] = object()
    with pytest.raises(InputError) as caught:
        stack_from_document(document, name="x", where="spec")
    assert caught.value.faults == ("spec: cluster.gpu_nodes: holds a object, which is no plain value",)
