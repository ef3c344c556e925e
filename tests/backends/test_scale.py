"""Storage Scale's formulas against IBM's tables and estimator, and by brute force."""

from __future__ import annotations

from itertools import combinations

import pytest

from tierplan.backends import _scale as scale
from tierplan.backends import storage_scale
from tierplan.units import Bandwidth, Size


@pytest.fixture
def refused_sets(facts_of, make_config, make_need):
    """Servers, vdisk sets -> whether that is refused; 4+3p does with any number of servers here."""

    def refused(nodes, sets):
        facts = facts_of("storage-scale")
        layout = scale.CODES["4+3p"].layout
        options = {"vdisk_sets": sets, "metadata": "with-data"}
        node = facts.nodes["nvme-12x7.68"]
        config = make_config("storage-scale", node, nodes=nodes, layout=layout, options=options)
        given = storage_scale.BACKEND.deliver(config, make_need(), facts)
        return any(fault.policy == "hot-layout" for fault in given.illegal)

    return refused


def estimated(*, nodes, pdisks, tb, data, parity, block_mib, disk, spares=None):
    spares = scale.default_spares(nodes, drives=pdisks) if spares is None else spares
    array = scale.array(nodes, drives=pdisks, drive=Size(tb * 1e12), spares=spares)
    block = block_mib * scale.MIB
    granule = scale.checksum_granule(data=data, block=block, flash=disk == "ssd")
    found = scale.capacity(array, nodes, data=data, parity=parity, block=block, granule=granule)
    return {
        "spares": spares,
        "da_gib": int(array.size.bytes // scale.GIB),
        "fs_gib": int(found.bytes // scale.GIB),
        "fs_tb": round(found.bytes / 1e12, 2),
    }


def net_bandwidth(*, nodes, nic_gbps, eta, data, parity):
    factors = {"read": 2.0, "write": scale.write_factor(data=data, parity=parity)}
    network = Bandwidth(nic_gbps * 1e9)
    found = {way: scale.network_bandwidth(network, factor=factor, share=eta) for way, factor in factors.items()}
    return {way: rate.base * nodes / 1e9 for way, rate in found.items()}


def test_golden_figure(storage_scale_case, refused_sets):
    """IBM's tables and IBM's own tool."""

    def vdisks(*, nodes, sets):
        return "hot-layout" if refused_sets(nodes, sets) else scale.vdisks(nodes, sets=sets)

    formulas = {
        "efficiency": lambda data, parity: data / (data + parity),
        "block_ok": lambda code, block: (
            float(block.removesuffix("M")) in {one.name: one for one in scale.CODES.values()}[code].blocks_mib
        ),
        "tolerance": lambda nodes, **code: list(scale.tolerance(nodes, **code)),
        "not_recommended": scale.not_recommended,
        "spares": lambda nodes, pdisks: scale.default_spares(nodes, drives=pdisks),
        "da_min_pdisks": lambda data, parity, spares, vcd: scale.fewest_drives(
            data=data, parity=parity, spares=spares, vcd_spares=vcd
        ),
        "vdisks": vdisks,
        "capacity": estimated,
        "capacity_quick_tb": lambda *, nodes, pdisks, tb, data, parity, spares: (
            scale.quick_capacity(
                drives=nodes * pdisks - spares, drive=Size(tb * 1e12), data=data, parity=parity, fraction=0.985
            ).bytes
            / 1e12
        ),
        "net_factor": lambda **code: {"read": 2.0, "write": scale.write_factor(**code)},
        "net_bw": net_bandwidth,
    }
    got = formulas[storage_scale_case["of"]](**storage_scale_case["inputs"])
    expected, tolerance = storage_scale_case["expected"], storage_scale_case["tolerance"]
    if storage_scale_case["of"] == "capacity":
        assert (got["da_gib"], got["fs_gib"]) == (expected["da_gib"], expected["fs_gib"])  # the tool's integers
    assert got == (expected if isinstance(expected, str) else pytest.approx(expected, rel=tolerance, abs=0))


@pytest.mark.parametrize("code", sorted(scale.CODES))
@pytest.mark.parametrize("nodes", range(3, 13))
def test_tolerance_by_brute_force(nodes, code):
    """Strips dealt out evenly; every set of lost nodes: no loss that the closed form allows takes too many strips."""
    data, parity = scale.CODES[code].data, scale.CODES[code].parity
    held = [(data + parity) // nodes + (index < (data + parity) % nodes) for index in range(nodes)]
    most, drives = scale.tolerance(nodes, data=data, parity=parity)
    worst = {
        lost: max(sum(held[index] for index in gone) for gone in combinations(range(nodes), lost))
        for lost in range(nodes + 1)
    }
    assert worst[most] + drives <= parity
    exact = max(lost for lost in worst if worst[lost] <= parity)
    cap = 1 if nodes <= 4 else 2 if nodes <= 8 else 3
    assert most == min(exact, cap)
    left = data + parity - worst[most]
    if most == exact and left > drives:  # each strip left on a drive of its own: one drive more is one too many
        assert worst[most] + drives + 1 > parity
