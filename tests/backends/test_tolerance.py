"""Data loss by brute force: every stripe and every loss of small clusters against the closed form."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from tierplan.domain.stack import Survive
from tierplan.domain.tiers import Layout


def _can_lose_data(nodes, racks, layout, loss):
    """
    Whether any loss of this size takes more units of any stripe than its code bears.

    Tries every stripe and every loss: a stripe puts one unit into each of its failure domains, on any node there.
    """
    rack_of = {node: node % racks for node in range(nodes)}
    domain_of = rack_of if layout.failure_domain == "rack" else {node: node for node in range(nodes)}
    stripes = [
        stripe
        for stripe in combinations(range(nodes), layout.width)
        if len({domain_of[node] for node in stripe}) == layout.width
    ]
    for down_racks in combinations(range(racks), min(loss.racks, racks)):
        for down_nodes in combinations(range(nodes), min(loss.nodes, nodes)):
            gone = {node for node in range(nodes) if rack_of[node] in down_racks or node in down_nodes}
            if any(len(gone & set(stripe)) > layout.tolerated for stripe in stripes):
                return True
    return False


@pytest.mark.parametrize("failure_domain", ["node", "rack"])
@pytest.mark.parametrize("code", [(2, 1), (2, 2), (3, 2), (4, 2)])
@pytest.mark.parametrize(("nodes", "racks"), [(6, 2), (7, 2), (6, 4), (7, 4), (6, 6), (7, 6)])
def test_tolerance_by_brute_force(nodes, racks, code, failure_domain, lab):
    """The closed form of data loss against every stripe and every loss, for small clusters."""
    layout = Layout(kind="erasure-code", data_units=code[0], parity_units=code[1], failure_domain=failure_domain)
    for loss in (Survive(nodes=1), Survive(nodes=0, racks=1), Survive(nodes=1, racks=1), Survive(nodes=2)):
        need = lab.need("ceph-rgw", {"survive": loss})
        config = replace(lab.choose("ceph-rgw", need)[0], nodes=nodes, racks=racks, layout=layout)
        state = next(
            one for one in lab.give(config, need).degraded if (one.nodes, one.racks) == (loss.nodes, loss.racks)
        )
        exact = _can_lose_data(nodes, racks, layout, loss)
        assert state.data_lost >= exact  # never silent about a loss
        fits = layout.width <= (racks if failure_domain == "rack" else nodes)
        if fits and layout.tolerated < layout.width:
            assert state.data_lost == exact
