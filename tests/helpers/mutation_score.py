"""The mutation score, summed over all tests that ran mutations, at the end of the test run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line: what was changed, what had to be noticed and was, false alarms, disagreements."""
    counts = list(_counts(terminalreporter))
    if not counts:
        return
    changed, harmful, noticed, alarms, apart = (sum(column) for column in zip(*counts, strict=True))
    terminalreporter.write_line(
        f"mutations of {len(counts)} stacks: {changed} changes of one choice; {noticed} of {harmful} that must be "
        f"noticed were ({noticed / harmful:.1%}), {alarms} false alarms, {apart} where plan and pack disagree"
    )


def _counts(reporter: pytest.TerminalReporter) -> Iterator[list[int]]:
    for reports in reporter.stats.values():
        for report in reports:
            for name, value in getattr(report, "user_properties", ()):
                if name == "mutations" and getattr(report, "when", "") == "call":
                    yield cast("list[int]", value)
