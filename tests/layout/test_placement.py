"""Racks and placement groups; losses are counted against every way to place a few nodes."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tierplan.layout import placement

counts = st.integers(1, 12)


def _gone(nodes, racks, lost_nodes, lost_racks):
    """The most nodes that any choice of racks and single nodes takes, by trying all of them."""
    rack_of = {node: node % racks for node in range(nodes)}
    worst = 0
    for down in combinations(range(racks), min(lost_racks, racks)):
        in_racks = sum(rack_of[node] in down for node in rack_of)
        worst = max(worst, min(nodes, in_racks + lost_nodes))
    return worst


@given(nodes=st.integers(0, 14), racks=st.integers(1, 5), lost_nodes=st.integers(0, 3), lost_racks=st.integers(0, 3))
def test_nodes_lost_is_never_below_the_worst_of_all_choices(nodes, racks, lost_nodes, lost_racks):
    counted = placement.nodes_lost(nodes=nodes, racks=racks, lost_nodes=lost_nodes, lost_racks=lost_racks)
    worst = _gone(nodes, racks, lost_nodes, lost_racks)
    assert worst <= counted <= nodes
    if lost_racks <= 1:  # with several racks the fullest size counts for each of them: careful, not exact
        assert counted == worst


@given(remaining=st.integers(0, 60), racks=counts, lost_nodes=st.integers(0, 4), lost_racks=st.integers(0, 3))
def test_nodes_to_keep_is_the_smallest_count(remaining, racks, lost_nodes, lost_racks):
    kept = placement.nodes_to_keep(remaining=remaining, racks=racks, lost_nodes=lost_nodes, lost_racks=lost_racks)

    def left(nodes):
        return nodes - placement.nodes_lost(nodes=nodes, racks=racks, lost_nodes=lost_nodes, lost_racks=lost_racks)

    if kept is None:
        assert lost_racks >= racks
        return
    assert left(kept) >= remaining
    assert all(left(nodes) < remaining for nodes in range(kept))


@given(osds=st.integers(1, 20_000), size=st.integers(1, 20), target=st.sampled_from([50, 100, 200]))
def test_placement_groups_are_the_nearest_power_of_two(osds, size, target):
    groups = placement.placement_groups(osds=osds, size=size, target=target)
    wanted = osds * target / size
    assert groups & (groups - 1) == 0
    nearest = min((2**power for power in range(25)), key=lambda candidate: (abs(candidate - wanted), -candidate))
    assert groups == nearest


def test_pool_without_copies_has_one_group():
    assert placement.placement_groups(osds=10, size=0, target=100) == 1
