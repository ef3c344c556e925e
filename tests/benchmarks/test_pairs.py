"""The arithmetic of the benchmarks; no time is judged here."""

from __future__ import annotations

import json

import pytest

from pairs import Bar, interleaved, ratio, report


def test_works_take_turns_after_one_uncounted_round() -> None:
    order: list[str] = []
    seconds = interleaved({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=3)
    assert order == ["a", "b"] * 4
    assert {name: len(times) for name, times in seconds.items()} == {"a": 3, "b": 3}


def test_ratio_is_of_the_least_times() -> None:
    assert ratio({"a": [9.0, 2.0], "b": [1.0, 5.0]}, "a", "b") == 2.0


@pytest.mark.parametrize(("met", "code"), [(True, 0), (False, 1)])
def test_report_is_one_line_of_json_and_a_missed_bar_shows(
    capsys: pytest.CaptureFixture[str],
    *,
    met: bool,
    code: int,
) -> None:
    assert report("x", {"a": [2.0, 1.0, 4.0]}, Bar(text="1 s", met=met), ratio=1.23456) == code
    (line,) = capsys.readouterr().out.splitlines()
    assert json.loads(line) == {
        "benchmark": "x",
        "least_s": {"a": 1.0},
        "median_s": {"a": 2.0},
        "ratio": 1.235,
        "bars": [{"bar": "1 s", "met": met}],
    }
