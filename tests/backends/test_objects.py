"""Object stores of the clouds: quotas by region, requests by prefix, what may not be pinned, honest fill."""

from __future__ import annotations

import importlib
from dataclasses import replace

import pytest

from tierplan import backends
from tierplan.backends import _object_limits as objects
from tierplan.backends import module_name
from tierplan.backends._choosing import Relied
from tierplan.backends._object_stores import storage_classes
from tierplan.domain.need import Phase
from tierplan.domain.stack import LayoutPins, NodePins, Quote, Site, TierPins
from tierplan.domain.tiers import Layout
from tierplan.plan.rule import TierCase
from tierplan.plan.rules import judge_tier
from tierplan.units import Bandwidth, Duration, OpRate, Size, bandwidth, size

STORES = {
    "s3": "aws",
    "gcs": "google",
    "azure-blob": "azure",
    "oci-object": "oci",
    "oss": "alibaba",
    "cos": "tencent",
    "obs": "huawei",
}
CAPPED = ("azure-blob", "oss", "cos", "obs")
GB = 1e9


@pytest.fixture
def store(facts_of, make_need):
    """A store asked and answered: id, region and options -> configuration, delivered."""

    def ask(name, *, region=None, options=None, need=None, **pins):
        facts, need = facts_of(name), need or make_need("cold", capacity=size("1 PB"))
        site = Site(kind=STORES[name], region=region)
        made = TierPins(backend=name, options=options or {}, **pins)
        (config,) = backends.load(name).choices(need, made, site, facts)
        return config, backends.load(name).deliver(config, need, facts)

    return ask


def limits_of(name, facts):
    described = importlib.import_module(f"tierplan.backends.{module_name(name)}").STORE
    config = next(backends.load(name).choices(_need(), TierPins(backend=name), Site(kind=STORES[name]), facts))
    return objects.limits(described, config, facts, Relied(facts))


def _need():
    from tierplan.domain.need import Clients, TierNeed  # noqa: PLC0415

    zero = Bandwidth.zero()
    clients = Clients(gpu_nodes=1, ports=1, port_rate=zero, transport="tcp", cpu_cores=1)
    return TierNeed(
        tier="cold", read=zero, write=zero, op_rate=OpRate.zero(), capacity=Size.zero(), phases=(), clients=clients
    )


def test_golden_figure(objects_case, store, facts_of):
    case = objects_case
    match case["of"]:
        case "rates":
            options = {"prefixes": case["prefixes"]} if "prefixes" in case else {}
            healthy = store(case["store"], region=case["region"], options=options)[1].healthy
            assert healthy.read.base / GB == pytest.approx(case["read"], rel=case["tolerance"])
            assert healthy.write.base / GB == pytest.approx(case["write"], rel=case["tolerance"])
        case "part":
            part = objects.part_size(Size(case["gb"] * GB), least=Size(5 * 2.0**20))
            assert part.base / 1e6 == pytest.approx(case["mb"], rel=case["tolerance"])
        case "in_flight":
            part, latency = Size(case["part_mib"] * 2.0**20), Duration(case["latency_s"])
            rate = Bandwidth(case["gb_per_s"] * GB)
            assert objects.uploads_at_once(rate, latency=latency, part=part) == case["count"]
        case "prefixes":
            known = limits_of(case["store"], facts_of(case["store"]))
            read, write = Bandwidth(case["read"] * GB), Bandwidth(case["write"] * GB)
            assert objects.prefixes_needed(read=read, write=write, limits=known) == case["count"]
        case unknown:
            pytest.fail(unknown)


@pytest.mark.parametrize("name", STORES)
def test_one_configuration_with_every_choice_settled(name, store):
    config, given = store(name, region="here")
    assert {"region", "storage_class", "warm_class", "cold_class", "versioning"} <= set(config.options)
    assert (config.nodes, config.layout) == (1, Layout(kind="none"))
    assert given.illegal == ()
    assert given.cloud.service
    assert given.cloud.size == given.counts["capacity"] == 1_000_000  # GB


@pytest.mark.parametrize("name", STORES)
def test_fill_means_what_it_means_elsewhere(name, store):
    """No size to fill: what is stored is the planned fill of it, and a note says so."""
    given = store(name)[1]
    assert given.planned.base == pytest.approx(1e15)
    assert given.usable == given.raw
    assert any("no size to fill" in note for note in given.notes)


@pytest.mark.parametrize("name", STORES)
def test_the_loss_of_a_node_of_ours_is_nothing_to_a_service(name, store):
    given = store(name)[1]
    assert all(not state.data_lost for state in given.degraded)
    assert given.degraded[0].read == given.healthy.read


@pytest.mark.parametrize("name", CAPPED)
def test_default_quotas_refuse_a_large_checkpoint(name, store, make_need):
    """18.1 GB/s cannot go straight to any of these; the finding says default, need and what to write."""
    need = make_need("cold", write=bandwidth("18.1 GB/s"))
    given = store(name, need=need)[1]
    (fault,) = given.illegal
    assert fault.policy == "cold-quota"
    assert fault.required == pytest.approx(18.1e9)
    assert fault.planned == given.healthy.write.base < 18.1e9
    assert "quota_raised" in fault.remedy
    assert given.healthy.write_limited_by == "quota"
    assert any("to be raised" in line for line in given.cloud.beyond_quota)


@pytest.mark.parametrize("name", CAPPED)
def test_a_stated_raise_is_what_counts(name, store, make_need):
    need = make_need("cold", write=bandwidth("18.1 GB/s"))
    given = store(name, need=need, options={"quota_raised": "200 Gbit/s"})[1]
    assert given.illegal == ()
    assert need.write <= given.healthy.write <= bandwidth("25 GB/s")
    assert any("stated as raised to 25 GB/s" in line for line in given.cloud.beyond_quota)


@pytest.mark.parametrize("name", CAPPED)
def test_a_raise_to_less_than_everybody_has_is_a_slip(name, store):
    (fault,) = store(name, options={"quota_raised": "1 Mbit/s"})[1].illegal
    assert fault.policy == "cold-quota"


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize(
    ("word", "pins"),
    [
        ("nodes", {"nodes": 12}),
        ("node", {"node": NodePins(drives=12)}),
        ("layout", {"layout": LayoutPins(data_units=4, parity_units=2)}),
        ("quote", {"quote": Quote(read=Bandwidth(1e9), write=Bandwidth(1e9), usable=Size(1e15), source="x")}),
    ],
)
def test_what_the_service_decides_cannot_be_pinned(name, word, pins, store):
    (fault,) = store(name, **pins)[1].illegal
    assert fault.policy == "cold-layout"
    assert f"tiers.cold.{word}" in fault.remedy


@pytest.mark.parametrize("name", STORES)
@pytest.mark.parametrize("word", ["storage_class", "warm_class", "cold_class"])
def test_a_class_of_another_store_is_told(name, word, store):
    (fault,) = store(name, options={word: "PAPER"})[1].illegal
    assert fault.policy == "cold-layout"
    assert "PAPER" in fault.message


def test_prefixes_are_counted_for_what_runs_at_once(store, make_need):
    """44 GB/s of reads and 28 GB/s of writes at once take two prefixes; each alone takes one."""
    read, write = bandwidth("44 GB/s"), bandwidth("28 GB/s")
    phase = Phase(name="both", read=read, write=write, op_rate=OpRate.zero())
    need = make_need("cold", read=read, write=write, phases=(phase,))
    assert store("s3", need=need)[0].options["prefixes"] == 2
    assert store("s3", need=replace(need, phases=()))[0].options["prefixes"] == 1


def test_pinned_prefixes_are_judged_not_corrected(store, make_need):
    need = make_need("cold", read=bandwidth("400 GB/s"))
    config, given = store("s3", need=need, options={"prefixes": 1})
    assert config.options["prefixes"] == 1
    assert given.healthy.read == bandwidth("44 GB/s")
    assert given.healthy.read_limited_by == "protocol"


def test_the_bill_is_what_is_stored_and_put(store, make_need):
    """2 PB, and 980 GB a day in parts of 8 MB: 3.7 million requests a month."""
    need = make_need("cold", capacity=size("2 PB"), written_per_day=size("980 GB"))
    storage, puts = store("s3", need=need)[1].bill
    assert (storage.items, storage.quantity, storage.per) == (("s3.STANDARD",), 2e6, "GB-month")
    assert puts.quantity == pytest.approx(980e9 * 30 / 8e6 / 1000)


@pytest.mark.parametrize("name", STORES)
def test_every_class_that_has_to_be_restored_says_how_long(name, facts_of):
    described = importlib.import_module(f"tierplan.backends.{module_name(name)}").STORE
    classes = {one.name: one for one in storage_classes(described, facts_of(name))}
    offline = {word for word, one in classes.items() if one.readable_within}
    assert (
        offline
        == {
            "s3": {"GLACIER", "DEEP_ARCHIVE"},
            "gcs": set(),
            "azure-blob": {"Archive"},
            "oci-object": {"Archive"},
            "oss": {"Archive", "ColdArchive", "DeepColdArchive"},
            "cos": {"ARCHIVE", "DEEP_ARCHIVE"},
            "obs": {"COLD", "DEEP_ARCHIVE"},
        }[name]
    )
    assert all(
        one.least_days or one is next(iter(classes.values())) or "INTELLIGENT" in one.name for one in classes.values()
    )


@pytest.mark.parametrize("name", CAPPED)
def test_the_rules_refuse_by_the_quota_and_by_what_it_leaves(name, store, make_need):
    """The quota's own rule says what to ask for; the bandwidth rule says what the plan gives; a raise clears both."""
    need = make_need("cold", write=bandwidth("18.1 GB/s"))

    def refused(options):
        config, given = store(name, need=need, options=options)
        case = TierCase(need=need, config=config, delivered=given)
        return {finding.policy for finding in judge_tier(case) if finding.level == "mandatory"}

    assert refused({}) == {"cold-quota", "cold-ingest"}
    assert refused({"quota_raised": "200 Gbit/s"}) == set()
