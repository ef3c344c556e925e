"""The starter is a stack that reads, for any size and preset."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.errors import InputError
from tierplan.load import catalogue, stack_from_text, starter

PRESETS = sorted(catalogue().rows("nodes"))


@given(
    gpu_nodes=st.integers(1, 10_000_000),
    gpus_per_node=st.integers(1, 64),
    node=st.none() | st.sampled_from(PRESETS),
    name=st.from_regex(r"[A-Za-z0-9_.-]{1,30}", fullmatch=True),
)
def test_starter_reads(gpu_nodes: int, gpus_per_node: int, node: str | None, name: str) -> None:
    gpus = gpu_nodes * gpus_per_node
    if gpus > 1_000_000_000:
        return
    text = starter(name=name, gpu_nodes=gpu_nodes, gpus_per_node=gpus_per_node, node=node)
    stack = stack_from_text(text, name=name, where="starter")
    assert (stack.cluster.gpu_nodes, stack.cluster.gpus, stack.cluster.node) == (gpu_nodes, gpus, node)
    assert (stack.tiers.hot.backend, stack.tiers.cold.backend) == ("auto", "auto")


def test_every_block_is_explained() -> None:
    """Somebody who never saw a stack file can go on from here."""
    lines = starter().splitlines()
    assert 40 <= len(lines) <= 65
    assert max(map(len, lines)) <= 120
    for index, line in enumerate(lines):
        if line.startswith("  tierplan:") and "site" not in line and "operations" not in line:
            assert lines[index - 1].startswith("  # "), line


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"site": "on-premm"}, 'site "on-premm" is unknown; did you mean on-prem? allowed: on-prem'),
        ({"node": "dgx-h10"}, 'node "dgx-h10" is not in the catalogue; did you mean dgx-h100? allowed: aws-p4d'),
        ({"name": "a/b"}, 'name "a/b" is no stack name; use letters, digits, hyphen, underscore and point'),
    ],
)
def test_what_no_starter_can_be_made_of(words: dict[str, str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        starter(**words)  # type: ignore[arg-type]
    (line,) = caught.value.faults
    assert line.startswith(message)


def test_a_size_that_no_stack_can_have_is_refused() -> None:
    with pytest.raises(InputError, match=r"gpu_nodes: 0 is too small; the least is 1"):
        starter(gpu_nodes=0)
    with pytest.raises(InputError, match=r"gpu_nodes: 100000000 is too large"):
        starter(gpu_nodes=100_000_000)
