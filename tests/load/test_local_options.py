"""The local tier's software and its own words: read, judged by the software's schema, written back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load import stack_from_text, stack_text

LINE = "local: {use: [dataset-cache, kv-cache], software: none}"


def local(software: str, options: str = "{}") -> tuple[str, str]:
    return LINE, f"local: {{use: [dataset-cache, kv-cache], software: {software}, options: {options}}}"


@pytest.mark.parametrize("software", ["none", "juicefs", "alluxio", "fluid", "lmcache", "mooncake"])
def test_every_software_of_the_form_is_read(spoil: Callable[..., str], software: str) -> None:
    stack = stack_from_text(spoil(local(software, "{arrays: raid0}")), name="x", where="x")
    assert (stack.tiers.local.software, stack.tiers.local.options["arrays"]) == (software, "raid0")


@pytest.mark.parametrize(
    ("software", "options", "words"),
    [
        ("alluxio", "{mastres: [a]}", "tiers.local.options.mastres: unknown key; did you mean masters?"),
        ("none", "{masters: [a]}", "tiers.local.options.masters: unknown key"),
        ("juicefs", "{free_space_ratio: much}", "tiers.local.options.free_space_ratio: "),
        ("lmcache", "{chunk_tokens: [1]}", "tiers.local.options.chunk_tokens: "),
        ("juicfs", "{}", "tiers.local.software: "),
    ],
)
def test_words_that_the_software_does_not_have_are_named(
    spoil: Callable[..., str], software: str, options: str, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        stack_from_text(spoil(local(software, options)), name="x", where="x")
    (line,) = caught.value.faults
    assert words in line


def test_options_are_written_back(spoil: Callable[..., str], read: Callable[[str], Stack]) -> None:
    stack = read(spoil(local("alluxio", "{masters: [a, b, c], eviction: LRFU}")))
    assert read(stack_text(stack)).tiers.local == stack.tiers.local
    assert "masters: [a, b, c]" in stack_text(stack)


def test_a_time_to_fill_the_cache_is_a_duration(spoil: Callable[..., str], read: Callable[[str], Stack]) -> None:
    stack = read(spoil(("        cache: preload", '        cache: preload\n        preload_within: "2 h"')))
    (seconds,) = [
        work.dataset.preload_within.s
        for work in stack.workloads
        if getattr(work, "dataset", None) is not None and work.dataset.preload_within is not None  # type: ignore[union-attr]
    ]
    assert seconds == 7200
