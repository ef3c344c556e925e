"""MinIO against its own tables and source, its claims of loss by brute force, and each rule at its boundary."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.backends import _set_store, _sets, minio, rustfs
from tierplan.domain.stack import LayoutPins, NodePins, Site, Survive, TierPins
from tierplan.domain.tiers import Layout, TierPlan
from tierplan.units import Size, bandwidth, op_rate, size

SITE = Site(kind="on-prem", racks=8)


@pytest.fixture
def hdd(facts_of):
    return facts_of("minio").nodes["hdd-24x20"]


@pytest.fixture
def deliver(facts_of, make_need):
    def run(config, need=None):
        return minio.BACKEND.deliver(config, need or make_need("cold"), facts_of("minio"))

    return run


@pytest.fixture
def store(hdd, make_config, stripe):
    """Servers with the set that the store makes of them, or the layout given."""

    def make(servers, drives=24, *, layout=None, node=hdd, **changes):
        made = _sets.set_size(servers=servers, drives=drives) or 16
        parity = _sets.default_parity(made)
        changes = {"tier": "cold", "racks": 8, **changes}
        node = replace(node, drives=drives)
        return make_config("minio", node, nodes=servers, layout=layout or stripe(made - parity, parity), **changes)

    return make


def policies(delivered):
    """What is against a configuration, but for what is against every one."""
    return [fault.policy for fault in delivered.illegal if fault.policy != "advice-unmaintained"]


def choices(need, facts_of, backend="minio", **pins):
    module = {"minio": minio, "rustfs": rustfs}[backend]
    return list(module.BACKEND.choices(need, TierPins(backend=backend, **pins), SITE, facts_of(backend)))


# --- golden figures -------------------------------------------------------------------------------------------


def test_golden_figure(minio_case, store, deliver):
    """Every row of MinIO's sizing table, and what its source and documentation say."""

    def pool(servers, drives):
        made = _sets.set_size(servers=servers, drives=drives)
        return made and _sets.Pool(servers=servers, drives=drives, size=made, parity=_sets.default_parity(made))

    def sizing_row(**inputs):
        one = pool(**inputs)
        return [one.size, one.parity, one.servers_to_read, one.servers_to_write]

    def sets(**inputs):
        one = pool(**inputs)
        return one and [one.size, one.sets, one.parity]

    def usable_tb(*, servers, drives, drive_tb):
        config = store(servers, drives)
        drive = replace(config.node.drive, size=Size(drive_tb * 1e12))
        return deliver(replace(config, node=replace(config.node, drive=drive))).usable.bytes / 1e12

    def network(**inputs):
        costs = _set_store.costs(store(**inputs))
        return [costs.network_read, costs.network_write]

    formulas = {
        "sizing_row": sizing_row,
        "sets": sets,
        "usable_tb": usable_tb,
        "network": network,
        "requests": lambda gib, drives: _sets.requests_held(memory=Size(gib * 2.0**30), drives=drives),
        "memory": lambda tib: _sets.memory_advised(Size(tib * 2.0**40)).bytes / 2**30,
    }
    got = formulas[minio_case["of"]](**minio_case["inputs"])
    if minio_case["expected"] is None:
        assert got is None
    else:
        assert got == pytest.approx(minio_case["expected"], rel=minio_case["tolerance"], abs=0)


# --- losses by brute force ------------------------------------------------------------------------------------


def dealt(servers, drives, size):
    """The sets of a pool as the server deals them: host 1 drive 1, host 2 drive 1, …, cut every `size` drives."""
    ends = [server for _ in range(drives) for server in range(servers)]
    return [ends[first : first + size] for first in range(0, len(ends), size)]


@pytest.mark.parametrize("servers", range(1, 13))
def test_tolerated_servers_by_brute_force(servers):
    """Every pool of up to 12 servers and 8 drives each: the claim is the largest loss that no set notices."""
    for drives in range(1, 9):
        made = _sets.set_size(servers=servers, drives=drives)
        if made is None:
            continue
        pool = _sets.Pool(servers=servers, drives=drives, size=made, parity=_sets.default_parity(made))
        groups = dealt(servers, drives, made)
        assert len(groups) == pool.sets
        for claimed, needed in (
            (pool.servers_to_read, pool.size - pool.parity),
            (pool.servers_to_write, pool.write_quorum),
        ):
            survived = 0
            for lost in range(1, servers + 1):
                losses = combinations(range(servers), lost)
                if any(sum(end not in gone for end in group) < needed for gone in losses for group in groups):
                    break
                survived = lost
            assert min(claimed, servers) == survived, (servers, drives, needed)


@pytest.mark.parametrize("pool", [(4, 4, 4), (8, 2, 4), (8, 6, 8), (12, 2, 4), (12, 8, 3), (6, 2, 2)])
def test_racks_by_brute_force(pool, store, deliver, make_need):
    """Servers named in turn over the racks: what is said to be lost is lost, and nothing else."""
    servers, drives, racks = pool
    config = store(servers, drives, racks=racks)
    made = _set_store.pool(config)
    groups = dealt(servers, drives, made.size)
    for loss in (Survive(nodes=1), Survive(nodes=0, racks=1), Survive(nodes=1, racks=1), Survive(nodes=2)):
        given = deliver(config, make_need("cold", survive=loss))
        state = next(one for one in given.degraded if (one.nodes, one.racks) == (loss.nodes, loss.racks))
        worst = 0
        for down in combinations(range(racks), loss.racks):
            for more in combinations(range(servers), loss.nodes):
                gone = {one for one in range(servers) if one % racks in down or one in more}
                worst = max(worst, *(sum(end in gone for end in group) for group in groups))
        assert state.data_lost == (worst > made.parity), (loss, worst)
        assert bool(state.read) == (made.size - worst >= made.write_quorum)


# --- what it gives --------------------------------------------------------------------------------------------


def test_parts_and_notes_are_those_of_the_pool(store, deliver):
    given = deliver(store(8, 16))
    assert (given.parts["sets"], given.parts["drives_per_set"], given.parts["servers_per_set"]) == (8, 16, 8)
    assert (given.parts["servers_lost_readable"], given.parts["write_quorum_drives"]) == (2, 12)
    text = " ".join(given.notes)
    assert "grows by whole pools: any new one needs 8 drives or more a set" in text
    assert "knows no racks" in text
    assert "pool" in given.cannot_change_later[0]


def test_two_pools_are_two_of_the_same(store, deliver):
    given = deliver(
        store(16, 16, layout=Layout(kind="erasure-code", data_units=12, parity_units=4), options={"pools": 2})
    )
    assert (given.parts["pools"], given.parts["sets"], policies(given)) == (2, 16, [])


def test_unmaintained_upstream_is_always_said(store, deliver):
    fault = next(one for one in deliver(store(8)).illegal if one.policy == "advice-unmaintained")
    assert "no longer maintained" in fault.message
    for heir in ("ceph-rgw", "AIStor", "SeaweedFS", "Garage", "RustFS"):
        assert heir in fault.remedy


def test_hard_disks_limit(store, deliver):
    rates = deliver(store(16)).healthy
    assert (rates.read_limited_by, rates.write_limited_by) == ("media", "cpu")
    assert rates.read.base == pytest.approx(16 * 24 * 100e6)
    assert rates.op_rate.base == pytest.approx(16 * 24 * 100 / 16)


# --- what is illegal ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ((8, 16, (12, 4)), []),
        ((8, 16, (8, 8)), []),
        ((8, 16, (7, 9)), ["cold-layout"]),
        ((8, 16, (15, 1)), ["advice-narrow-layout"]),
        ((8, 16, (8, 4)), ["cold-layout"]),
        ((17, 4, (12, 4)), ["cold-layout"]),
        ((3, 4, (8, 4)), ["cold-layout"]),
    ],
)
def test_sets_at_their_boundaries(store, deliver, stripe, pool, expected):
    servers, drives, code = pool
    assert policies(deliver(store(servers, drives, layout=stripe(*code)))) == expected


def test_an_uneven_pool_names_the_nearest_counts(store, deliver):
    fault = next(one for one in deliver(store(17, 4)).illegal if one.policy == "cold-layout")
    assert "17 servers × 4 drives make no even sets" in fault.message
    assert fault.remedy == "use 16 or 18 nodes"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"set_drive_count": 8}, ["cold-layout"]),  # the layout still says 16
        ({"set_drive_count": 7}, ["cold-layout"]),
        ({"pools": 3}, ["cold-layout"]),
        ({"pools": 4}, ["cold-layout"]),
        ({"pool": 1}, ["cold-layout"]),
        ({"bucket": "b", "versioning": True}, []),
    ],
)
def test_options(store, deliver, options, expected):
    assert policies(deliver(store(8, 16, options=options))) == expected


def test_a_set_size_of_ones_own(store, deliver, stripe):
    assert policies(deliver(store(8, 16, layout=stripe(4, 4), options={"set_drive_count": 8}))) == []


def test_copies_and_foreign_words(store, deliver):
    assert policies(deliver(store(8, layout=Layout(kind="replicas", replicas=3)))) == ["cold-layout"]
    spare = Layout(kind="erasure-code", data_units=12, parity_units=4, hot_spares=1, failure_domain="rack")
    assert policies(deliver(store(8, layout=spare))) == ["advice-narrow-layout", "cold-layout"]
    assert policies(deliver(store(16, layout=spare, racks=16))) == ["advice-narrow-layout"] * 2


@pytest.mark.parametrize(
    ("change", "required"),
    [({"cores": 9}, 10), ({"memory": size("60 GiB")}, 64 * 2.0**30), ({"ports": 0}, 1)],
    ids=["cores", "memory", "ports"],
)
def test_server_without_what_it_takes(store, deliver, hdd, change, required):
    fault = deliver(store(8, node=replace(hdd, **change))).illegal[0]
    assert (fault.policy, fault.required) == ("cold-node", required)


# --- what it tries --------------------------------------------------------------------------------------------


def brute_fewest(need, facts_of):
    """The fewest servers, tried one by one, that the store starts with and that meet every count."""
    facts = facts_of("minio")
    for servers in range(4, 400):
        (config,) = choices(need, facts_of, nodes=servers)
        given = minio.BACKEND.deliver(config, need, facts)
        state = next(
            one for one in given.degraded if (one.nodes, one.racks) == (need.survive.nodes, need.survive.racks)
        )
        if not policies(given) and max(given.counts.values()) <= servers and not state.data_lost:
            return servers
    return None


@pytest.mark.parametrize("petabytes", [0.1, 1, 2.5, 7, 20])
@pytest.mark.parametrize("nodes", [1, 2])
def test_search_finds_the_fewest_servers(make_need, facts_of, petabytes, nodes):
    need = make_need("cold", capacity=Size(petabytes * 1e15), write=bandwidth("6 GB/s"), survive=Survive(nodes=nodes))
    (config,) = choices(need, facts_of)
    assert config.nodes == brute_fewest(need, facts_of)


@given(size=st.integers(2, 16), drives=st.integers(1, 60), start=st.integers(1, 120))
def test_server_counts_are_those_that_make_such_sets(size, drives, start):
    """The first one of the generator is the first one found by trying every count."""
    found = next(_sets.server_counts(size=size, drives=drives, start=start), None)
    tried = (count for count in range(start, start + 400) if _sets.set_size(servers=count, drives=drives) == size)
    assert found == next(tried, None) or (found is not None and found >= start + 400)


@given(servers=st.integers(1, 64), drives=st.integers(1, 60))
def test_sets_use_every_drive_and_no_server_more_than_another(servers, drives):
    made = _sets.set_size(servers=servers, drives=drives)
    if made is None or made == 1:
        return
    groups = dealt(servers, drives, made)
    assert {len(group) for group in groups} == {made}
    for group in groups:
        counts = {group.count(server) for server in group}
        assert len(counts) == 1


def test_pins_narrow_the_sets(make_need, facts_of):
    need = make_need("cold", capacity=Size(3e15))
    (eight,) = choices(need, facts_of, layout=LayoutPins(data_units=8, parity_units=4))
    assert (str(eight.layout), eight.nodes % 12, policies(deliver_of(eight, need, facts_of))) == ("8+4", 0, [])
    (safer,) = choices(need, facts_of, layout=LayoutPins(parity_units=6))
    assert (safer.layout.parity_units, policies(deliver_of(safer, need, facts_of))) == (6, [])
    (copies,) = choices(need, facts_of, layout=LayoutPins(replicas=3))
    assert copies.layout.kind == "replicas"
    (pools,) = choices(need, facts_of, options={"pools": 2})
    assert (pools.nodes % 2, policies(deliver_of(pools, need, facts_of))) == (0, [])


def deliver_of(config, need, facts_of):
    return minio.BACKEND.deliver(config, need, facts_of("minio"))


def test_a_node_of_one_drive_makes_sets_of_servers(make_need, facts_of):
    (config,) = choices(make_need("cold", op_rate=op_rate("1 ops/s")), facts_of, node=NodePins(drives=1))
    assert (config.nodes, str(config.layout)) == (4, "2+2")


# --- RustFS -----------------------------------------------------------------------------------------------------


def test_rustfs_follows_the_same_sets_and_is_refused_but_for_trials(make_need, facts_of):
    need = make_need("cold", capacity=Size(1e15))
    (one,), (other,) = choices(need, facts_of), choices(need, facts_of, backend="rustfs")
    assert (one.nodes, one.layout) == (other.nodes, other.layout)
    refused = rustfs.BACKEND.deliver(other, need, facts_of("rustfs")).illegal
    assert [fault.policy for fault in refused] == ["cold-layout"]
    assert "release candidate" in refused[0].message
    trial = replace(other, options={"evaluation": True})
    assert [fault.policy for fault in rustfs.BACKEND.deliver(trial, need, facts_of("rustfs")).illegal] == [
        "advice-unmaintained"
    ]


def test_template_context_names_the_pools(store, deliver, make_need):
    config = store(16, 16, layout=Layout(kind="erasure-code", data_units=12, parity_units=4), options={"pools": 2})
    plan = TierPlan(need=make_need("cold"), config=config, delivered=deliver(config))
    context = minio.BACKEND.template_context(plan, {})
    assert context["pools"] == [{"first": 1, "last": 8}, {"first": 9, "last": 16}]
    assert (context["servers_per_pool"], context["parity_drives"], context["set_drive_count"]) == (8, 4, 0)
