"""A stack written out reads back as itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tierplan.domain.stack import OptionValue, Stack
from tierplan.load import read_stack, stack_from_text, stack_text

ROOT = Path(__file__).resolve().parent.parent.parent
SHIPPED = sorted((ROOT / "stacks").glob("Pulumi.*.yaml"))


def reread(stack: Stack) -> Stack:
    return stack_from_text(stack_text(stack), name=stack.name, where="written")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_stack_reads_back_as_itself(path: Path) -> None:
    stack = read_stack(path)
    assert reread(stack) == stack


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("model: {parameters: 70e9, bytes_per_parameter: 14}", "model: {catalogue: deepseek-v3-671b}"),
        ("model: {layers: 80, kv_heads: 8, head_dimension: 128}", "model: {catalogue: llama-3-70b}"),
        ("keep: 10", "retain: {last: 5, best: 1}"),
        ('"30 min"', "auto"),
        ("samples_per_s_per_gpu: 50", "profile: unet3d-h100"),
        ("headroom: 1.3", "headroom: 1.2999999999999998"),
        ('"10 TB"', '"9.123456789012345 TB"'),
        ("name: chat", "name: 0x10"),
        ("name: chat", "name: 'yes'"),
        ("name: chat", "name: '010'"),
        ("env: prod", '"a: b": "#\\n\\"\\\\\\x7f\\u0085\\U0001f600\\ufeff"'),
        ("env: prod", "'': null, 'true': 'null', '<<': x, '~': ' '"),
        ("backend: ceph-rgw", "backend: auto, options: {a: [], b: {}, c: [1, [2, {d: 0.5}]], e: '12', f: 1e300}"),
        ("growth: [{year: 2, gpu_nodes: 256}]", "growth: []"),
    ],
)
def test_stack_reads_back_as_itself(
    spoil: Callable[..., str], read: Callable[[str], Stack], old: str, new: str
) -> None:
    stack = read(spoil((old, new)))
    assert reread(stack) == stack


def test_nothing_is_a_default_any_more(good: str, read: Callable[[str], Stack]) -> None:
    """A pinned stack says all that it was planned with."""
    written = stack_text(read(good))
    origins = stack_from_text(written, name="x", where="x").origins
    assert {path for path, origin in origins.items() if origin != "stack"} <= {
        "tiers.hot.options",
        "tiers.cold.options",
        "operations.tags",
        "site.network",
        "cluster.growth",
    }
    assert "null" not in written


def test_text_is_made_for_people(good: str, read: Callable[[str], Stack]) -> None:
    written = stack_text(read(good))
    assert written.startswith("config:\n  tierplan:site:\n    kind: on-prem\n    racks: 8\n")
    assert "model: {parameters: 70e9, bytes_per_parameter: 14," in written
    assert 'local_nvme: {drives: 4, size: "7.68 TB", read: "6.5 GB/s", write: "3.5 GB/s"}' in written
    assert max(map(len, written.splitlines())) <= 120


values: st.SearchStrategy[OptionValue] = st.recursive(
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda number: not number.is_integer())
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda key: key[:2] != "__"),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@example(options={"a": {"0" * 96: ()}})  # too long for one line, and nothing to write below
@given(options=st.dictionaries(st.sampled_from(["a", "b", "tags", "growth"]), values))
def test_any_options_read_back_as_they_are(options: dict[str, OptionValue]) -> None:
    """The product's own words: texts, numbers, flags, lists and maps of any content."""
    stack = read_stack(SHIPPED[0])
    hot = replace(stack.tiers.hot, backend="auto", options=options)  # no product yet whose words they must be
    stack = replace(stack, tiers=replace(stack.tiers, hot=hot))
    assert reread(stack).tiers.hot.options == options
