"""The table of legal rules, and what a life cycle may not do, each by one change of a stack that passes."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml

from tierplan.domain.lifecycle import ObjectRule, Transition
from tierplan.lifecycle.legality import rule_faults

GOLDEN = Path(__file__).parents[1] / "golden" / "lifecycle.yaml"
CASES = [case for group in yaml.safe_load(GOLDEN.read_text()) for case in group["cases"]]
STORES = ("s3", "gcs", "azure-blob", "oci-object", "oss", "cos", "obs")
Document = dict[str, Any]


def rule_of(moves: list[list[Any]], delete: int | None = None) -> ObjectRule:
    steps = tuple(Transition(after_days=days, storage_class=name) for days, name in moves)
    return ObjectRule(id="data", prefix="data/", transitions=steps, delete_after_days=delete)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['of']}-{case['moves']}")
def test_golden_legality(case: Document, classes_of) -> None:
    classes = classes_of(case["of"])
    found = list(rule_faults(rule_of(case["moves"]), classes, landing=next(iter(classes)), store=case["of"]))
    assert (not found) is case["legal"]
    if "least" in case:
        assert [fault.required for fault in found] == [case["least"]]
        assert f"{case['least']} d" in found[0].remedy


@pytest.mark.parametrize("store", STORES)
def test_a_rule_is_legal_only_from_warm_to_cold(store: str, classes_of) -> None:
    """Every pair of classes, years apart: the table lets a rule go down, never up, and never stay."""
    classes = classes_of(store)
    names = list(classes)
    for first, second in permutations(names[1:], 2):
        faults = list(rule_faults(rule_of([[400, first], [4000, second]]), classes, landing=names[0], store=store))
        assert not faults or names.index(second) < names.index(first) or first not in classes[second].comes_from
        if names.index(second) < names.index(first):
            assert faults


@pytest.mark.parametrize("store", STORES)
def test_the_classes_that_a_plan_takes_by_itself_are_legal_and_read_at_once(store: str, classes_of) -> None:
    from importlib import import_module  # noqa: PLC0415

    from tierplan.backends import module_name  # noqa: PLC0415

    described, classes = import_module(f"tierplan.backends.{module_name(store)}").STORE, classes_of(store)
    moves = [[30, described.warm], [90, described.cold]] if described.warm != described.cold else [[30, described.warm]]
    assert not list(rule_faults(rule_of(moves), classes, landing=next(iter(classes)), store=store))
    assert all(not classes[name].readable_within for _, name in moves)


@pytest.mark.parametrize(("delete", "faults"), [(91, 0), (90, 1), (30, 1)])
def test_nothing_is_deleted_before_it_has_moved(delete: int, faults: int, classes_of) -> None:
    rule = rule_of([[30, "STANDARD_IA"], [90, "GLACIER_IR"]], delete)
    assert len(list(rule_faults(rule, classes_of("s3"), landing="STANDARD", store="s3"))) == faults


def at(document: Document, path: str, value: object) -> None:
    """Set one key: ``tiers.lifecycle.cold_after``."""
    *parents, last = path.split(".")
    for key in parents:
        document = document[int(key)] if isinstance(document, list) else document.setdefault(key, {})
    document[last] = value


WORSE = [
    ("lifecycle", "tiers.lifecycle.cold_after", "20 d"),  # before warm_after
    ("lifecycle", "tiers.lifecycle.delete_after", "90 d"),  # with the move, not after it
    ("lifecycle", "tiers.lifecycle.delete_after", "60 d"),
    ("lifecycle", "tiers.lifecycle.warm_after", "40 d"),  # WEKA is told 30 d
    ("lifecycle", "tiers.hot.options", {"tiering": {"ssd_share": 0.5, "cue": "1 d", "retention": "10 d"}}),
    ("lifecycle", "tiers.hot.options", {}),  # WEKA without tiering
    ("lifecycle", "tiers.cold.options", {}),  # Ceph RGW with one class
    ("lifecycle-refused", "tiers.cold.options.cold_class", "DEEP_ARCHIVE"),
    ("lifecycle-refused", "tiers.cold.options.storage_class", "GLACIER"),
    ("aws-fsx", "tiers.cold.options", {"storage_class": "GLACIER"}),  # without any life cycle
    ("aws-fsx", "tiers.lifecycle", {"warm_after": "7 d"}),  # STANDARD_IA takes nothing younger than 30 days
    ("aws-fsx", "tiers.lifecycle", {"warm_after": "60 d", "cold_after": "30 d"}),
]
WELL = [
    ("lifecycle", "tiers.lifecycle.cold_after", "31 d"),
    ("lifecycle", "tiers.lifecycle.delete_after", "91 d"),
    ("lifecycle", "tiers.lifecycle.delete_after", None),
    ("lifecycle-refused", "tiers.cold.options.cold_class", "GLACIER_IR"),
    ("lifecycle-refused", "workloads.0.restore.within", "6 h"),  # GLACIER is read within 5 h
    ("lifecycle-refused", "workloads.0.restore", None),
    ("lifecycle-refused", "workloads.0.checkpoint.archive_every", None),  # nobody comes back from there
    ("aws-fsx", "tiers.lifecycle", {"warm_after": "30 d", "cold_after": "90 d"}),
    ("aws-fsx", "tiers.cold.options", {"storage_class": "STANDARD_IA"}),
]


@pytest.mark.parametrize(("stack", "path", "value"), WORSE)
def test_what_makes_it_worse_is_refused_by_this_rule_alone(stack, path, value, refused_by) -> None:
    assert refused_by(stack, lambda document: at(document, path, value)) == {"lifecycle-order"}


@pytest.mark.parametrize(("stack", "path", "value"), WELL)
def test_what_is_legal_passes(stack, path, value, refused_by) -> None:
    assert refused_by(stack, lambda document: at(document, path, value)) == set()


def test_data_that_is_read_every_day_does_not_land_in_an_archive(refused_by) -> None:
    """Without a hot tier the dataset is read from the object store."""

    def spoil(document: Document) -> None:
        at(document, "tiers.hot", {"backend": "none"})
        at(document, "tiers.cold.options", {"storage_class": "GLACIER"})
        at(document, "workloads.0.checkpoint.archive_every", None)
        at(document, "workloads.0.restore", None)
        document["workloads"][0]["dataset"]["cache"] = "none"

    assert "lifecycle-order" in refused_by("aws-fsx", spoil)


@pytest.mark.parametrize("hot", ["nfs", "beegfs", "cephfs", "3fs"])
def test_a_product_that_moves_nothing_is_not_asked_to(hot: str, planned) -> None:
    def spoil(document: Document) -> None:
        at(document, "tiers.hot", {"backend": hot})
        at(document, "tiers.lifecycle", {"warm_after": "30 d"})

    found = [finding for finding in planned("demo", spoil)[1] if finding.policy == "lifecycle-order"]
    assert any(hot in finding.message and "nothing would move" in finding.message for finding in found)


WARMER = {
    "STANDARD_IA": {"STANDARD"},
    "INTELLIGENT_TIERING": {"STANDARD", "STANDARD_IA"},
    "ONEZONE_IA": {"STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING"},
    "GLACIER_IR": {"STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING"},
    "GLACIER": {"STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR"},
    "DEEP_ARCHIVE": {"STANDARD", "STANDARD_IA", "INTELLIGENT_TIERING", "ONEZONE_IA", "GLACIER_IR", "GLACIER"},
}


def by_hand(first: str, start: int, second: str, end: int) -> bool:
    """The user guide's sentences, once more and in another way: is this pair of moves legal on S3?"""
    infrequent = ("STANDARD_IA", "ONEZONE_IA")
    late = all(days >= 30 for name, days in ((first, start), (second, end)) if name in infrequent)
    gap = first not in infrequent or second not in ("GLACIER", "DEEP_ARCHIVE", "ONEZONE_IA") or end - start >= 30
    return "STANDARD" in WARMER[first] and first in WARMER[second] and late and gap


def test_every_pair_of_moves_on_s3_is_judged_as_by_hand(classes_of) -> None:
    classes, days = classes_of("s3"), (1, 29, 30, 31, 59, 60, 61, 90)
    for first, second in permutations(WARMER, 2):
        for start, end in ((a, b) for a in days for b in days if a < b):
            rule = rule_of([[start, first], [end, second]])
            legal = not list(rule_faults(rule, classes, landing="STANDARD", store="s3"))
            assert legal is by_hand(first, start, second, end), (start, first, end, second)
