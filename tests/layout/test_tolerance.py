"""What may be lost at once: vendors' own tables, and trying every loss."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.layout import chains, tolerance

# Cells of IBM's table that its text shows (nodes 3 to 5, and 4+2P on 6): data, parity, nodes -> nodes, drives beyond
IBM = {
    (4, 2, 3): (1, 0),
    (4, 3, 3): (1, 0),
    (8, 2, 3): (0, 2),
    (8, 3, 3): (0, 3),
    (16, 2, 3): (0, 2),
    (16, 3, 3): (0, 3),
    (4, 2, 4): (1, 0),
    (4, 3, 4): (1, 1),
    (8, 2, 4): (0, 2),
    (8, 3, 4): (1, 0),
    (16, 2, 4): (0, 2),
    (16, 3, 4): (0, 3),
    (4, 2, 5): (1, 0),
    (4, 3, 5): (1, 1),
    (8, 2, 5): (1, 0),
    (4, 2, 6): (2, 0),
}


@pytest.mark.parametrize(("code", "expected"), IBM.items(), ids=str)
def test_ibm_fault_tolerance_table(code, expected):
    """ibm.com/docs/en/storage-scale-ece/5.2.3: recommendations, understanding fault tolerance."""
    data, parity, nodes = code
    assert tolerance.nodes_and_drives(strips=data + parity, parity=parity, nodes=nodes) == expected


@given(nodes=st.integers(2, 7), data=st.integers(1, 8), parity=st.integers(0, 3))
def test_nodes_and_drives_by_brute_force(nodes, data, parity):
    """Every choice of nodes, then the strips that are left: no worse loss, and one more drive loses data."""
    strips = tolerance.strips_on_nodes(strips=data + parity, nodes=nodes)
    lost, drives = tolerance.nodes_and_drives(strips=data + parity, parity=parity, nodes=nodes)
    assert sum(strips) == data + parity
    assert max(strips) - min(strips) <= 1
    for gone in combinations(strips, lost):
        assert sum(gone) + drives <= parity
    if lost < nodes:
        assert any(sum(gone) > parity for gone in combinations(strips, lost + 1))


@pytest.mark.parametrize(
    ("servers", "set_drives", "parity", "expected"),
    [
        (4, 16, 4, (1, 1)),  # one server of four carries four drives of each set
        (8, 16, 4, (2, 2)),
        (16, 16, 4, (4, 4)),
        (16, 16, 8, (8, 7)),  # half the set: one more for writes
        (4, 4, 2, (2, 1)),
        (32, 16, 4, (4, 4)),  # more servers than drives in a set
        (6, 12, 4, (2, 2)),
        (5, 5, 2, (2, 2)),
    ],
)
def test_minio_tolerance(servers, set_drives, parity, expected):
    """github.com/minio/minio, docs: reads need N - M drives of a set, writes N - M, one more where M = N / 2."""
    assert tolerance.set_tolerance(servers=servers, set_drives=set_drives, parity=parity) == expected


@pytest.mark.parametrize(
    ("data", "parity", "domains", "survives"),
    [
        (5, 2, 7, {1: True, 2: True, 3: False}),  # P = 2: two servers
        (16, 4, 20, {2: True, 4: True, 5: False}),  # P = 4: four drives
    ],
)
def test_weka_tolerance(data, parity, domains, survives):
    """WEKA documentation 4.4: P drives at once; one unit of a stripe in each failure domain."""
    for lost, kept in survives.items():
        share = tolerance.fatal_share(
            combinations(range(domains), data + parity) if domains < 10 else [tuple(range(data + parity))],
            members=domains,
            tolerated=parity,
            lost=lost,
        )
        assert (share == 0) == kept


def test_chain_recovery_balance():
    """3FS, deploy/data_placement: a balanced design of 7 nodes, 3 copies, 3 targets shares each lost node's reads."""
    for nodes, replicas, targets in ((7, 3, 3), (9, 3, 4), (13, 3, 6), (6, 3, 5), (5, 3, 6)):
        found = chains.balance(chains.design(nodes=nodes, replicas=replicas, targets=targets), nodes=nodes)
        assert found.even
        assert found.busiest_share == pytest.approx(found.even_share)


def test_two_copies_lose_data_exactly_where_two_nodes_share_a_chain():
    groups = chains.design(nodes=6, replicas=2, targets=2)
    shared = {tuple(sorted(group)) for group in groups}
    share = tolerance.fatal_share(groups, members=6, tolerated=1, lost=2)
    assert share == pytest.approx(len(shared) / 15)
    assert share < 1


@pytest.mark.parametrize(("racks", "hosts_a_rack", "width", "tolerated"), [(3, 2, 3, 2), (6, 2, 6, 2), (4, 2, 4, 1)])
def test_ceph_rack_rule_bears_as_many_racks_as_units(racks, hosts_a_rack, width, tolerated):
    """crush-failure-domain=rack: a group has one unit in each of `width` racks, on any host there."""
    hosts = range(racks * hosts_a_rack)
    groups = [group for group in combinations(hosts, width) if len({host % racks for host in group}) == width]
    for down in range(1, tolerated + 2):
        lost = [
            any(sum(host % racks in gone for host in group) > tolerated for group in groups)
            for gone in combinations(range(racks), down)
        ]
        assert any(lost) == (down > tolerated)


@given(members=st.integers(4, 9), width=st.integers(2, 4), seed=st.integers(0, 50))
def test_exact_share_is_what_symmetry_says_where_every_group_exists(members, width, seed):
    """All groups of a width: any loss beyond the tolerance is fatal, none within."""
    tolerated = seed % width
    groups = list(combinations(range(members), width))
    for lost in range(1, members + 1):
        exact = tolerance.fatal_share(groups, members=members, tolerated=tolerated, lost=lost)
        assert exact == (1.0 if lost > tolerated else 0.0)


def test_random_groups_agree_with_trying_all_on_average(random_groups):
    """The hypergeometric law against every loss of many random designs."""
    width, members, tolerated, lost, count = 4, 12, 2, 3, 20
    mean = (
        sum(
            tolerance.fatal_share(
                random_groups(seed, count=count, width=width, members=members),
                members=members,
                tolerated=tolerated,
                lost=lost,
            )
            for seed in range(60)
        )
        / 60
    )
    law = tolerance.fatal_share_of_random(groups=count, width=width, members=members, tolerated=tolerated, lost=lost)
    assert mean == pytest.approx(law, rel=0.03)


def test_too_many_losses_are_not_tried():
    with pytest.raises(ValueError, match="at most"):
        tolerance.fatal_share([(0, 1)], members=400, tolerated=1, lost=3)
