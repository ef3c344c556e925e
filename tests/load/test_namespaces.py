"""What of a Pulumi stack file is tierplan's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tierplan.load.document import read_document
from tierplan.load.namespaces import form_document

Faults = Callable[[str], tuple[str, ...]]


def test_only_our_namespace_is_taken_and_lines_follow() -> None:
    form = form_document(
        read_document(
            "encryptionsalt: v1\nconfig:\n  aws:region: x\n  tierplan:site:\n    racks: 8\n  cluster: {node: a}\n"
        )
    )
    assert form.value == {"site": {"racks": 8}, "cluster": {"node": "a"}}
    assert form.lines == {"": 2, "site": 4, "site.racks": 5, "cluster": 6, "cluster.node": 6}
    assert form.faults == []


@pytest.mark.parametrize("key", ["encryptionsalt", "encryptedkey", "secretsprovider", "environment"])
def test_pulumis_own_keys_are_left_alone(good: str, faults: Faults, key: str) -> None:
    text = good.removeprefix("encryptionsalt: v1:abc\n")
    assert faults(f"{key}: [anything]\n{text}") == ()


def test_bare_keys_belong_to_the_project(good: str, read: Callable[[str], object]) -> None:
    """Pulumi puts the project's name before a key without a namespace."""
    assert read(good.replace("tierplan:", "")) == read(good)


def test_other_namespaces_hold_what_they_like(good: str, faults: Faults) -> None:
    assert faults(good.replace("aws:region: us-east-1", "other:cluster: {gpu_nodes: many}")) == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("encryptionsalt: v1\n", "x.yaml: no config:; write config: and under it tierplan:cluster and the other keys"),
        ("config:\n", "x.yaml:1: no config:; write config: and under it tierplan:cluster and the other keys"),
        ("config: 5\n", "x.yaml:1: config: holds 5; write a map"),
        ("- a\n", "x.yaml: holds a list; a stack file is a map with config:"),
        (
            "confg:\n  tierplan:site: {}\n",
            (
                "x.yaml:1: confg: unknown key; did you mean config? "
                "allowed: config, encryptionsalt, encryptedkey, secretsprovider, environment"
            ),
        ),
    ],
)
def test_a_file_without_config_is_one_line(faults: Faults, text: str, line: str) -> None:
    assert faults(text) == (line,)


def test_keys_outside_config_are_one_line_and_are_read_all_the_same(good: str, faults: Faults) -> None:
    outside = good.replace("config:\n", "").replace("\n  ", "\n").replace("  aws:", "aws:", 1)
    assert faults(outside) == (
        (
            "x.yaml:3: tierplan:site, tierplan:cluster, tierplan:workloads, tierplan:capacity, tierplan:tiers, "
            "tierplan:targets, tierplan:operations, tierplan:expect: outside config:; indent under it as tierplan:site"
        ),
    )
    both = faults(outside.replace("headroom: 1.3", "headroom: 0.5"))
    assert [line.split(":")[1] for line in both] == ["3", "73"]


def test_one_key_outside_is_named(good: str, faults: Faults) -> None:
    moved = good.replace("  tierplan:expect: pass\n", "") + "expect: pass\n"
    assert faults(moved) == ("x.yaml:83: expect: outside config:; indent under it as tierplan:expect",)


@pytest.mark.parametrize("namespace", ["tierpaln", "tier-plan", "Tierplan", "tireplan"])
def test_a_misspelt_namespace_is_seen(good: str, faults: Faults, namespace: str) -> None:
    assert faults(good.replace("tierplan:cluster", f"{namespace}:cluster")) == (
        f"x.yaml:5: {namespace}:cluster: unknown namespace {namespace}; did you mean tierplan:cluster?",
    )


def test_a_key_in_two_spellings_is_a_duplicate(good: str, faults: Faults) -> None:
    assert faults(good.replace("config:\n", "config:\n  expect: pass\n")) == (
        "x.yaml:84: expect: duplicate key, first at line 3 as expect; keep one",
    )


def test_config_twice_is_a_duplicate(good: str, faults: Faults) -> None:
    assert faults(f"{good}config: {{}}\n") == ("x.yaml:84: config: duplicate key, first at line 2; keep one",)


def test_a_key_without_a_name_is_unknown(good: str, faults: Faults) -> None:
    (line,) = faults(good.replace("config:\n", "config:\n  'tierplan:': 5\n"))
    assert line.startswith("x.yaml:3: tierplan:: unknown key;")
