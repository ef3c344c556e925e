"""CPFS: its sizes and ceilings by class, what is refused, and a resource of anybody's program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tierplan import backends
from tierplan.backends._cpfs import CLASSES, sizes
from tierplan.backends.cpfs import TOKENS, from_inputs, is_ours
from tierplan.domain.need import Phase
from tierplan.domain.stack import Site, TierPins
from tierplan.errors import InputError
from tierplan.load import catalogue
from tierplan.units import Bandwidth, bandwidth, op_rate, size

FACTS = catalogue().backend("cpfs")
GROUPS = yaml.safe_load((Path(__file__).parents[1] / "golden" / "cpfs.yaml").read_text(encoding="utf-8"))
LEGAL = {"file_system_type": "cpfs", "storage_type": "advance_200", "size": "7200 GiB"}
LINGJUN = {"file_system_type": "lingjun", "storage_type": "lingjun_400", "size": "100 TiB"}


def cases(kind):
    return [
        {"tolerance": group.get("tolerance", 0), **one}
        for group in GROUPS
        for one in group["cases"]
        if one["of"] == kind
    ]


def edition_of(name):
    return next(edition for edition, names in CLASSES.items() if name in names)


def choose(words, need, *, region=None):
    site = Site(kind="alibaba", region=region)
    (config,) = backends.load("cpfs").choices(need, TierPins(options=words), site, FACTS)
    return config


@pytest.mark.parametrize("case", cases("size"), ids=str)
def test_a_size_is_legal_or_has_legal_neighbours(case):
    asked = case["inputs"]
    found = sizes(edition_of(asked["class"]), FACTS, raised=asked.get("raised", False))
    assert [found.legal(asked["size"]), found.below(asked["size"]), found.above(asked["size"])] == case["expected"]


def test_every_class_has_golden_sizes_and_rates():
    every = {name for names in CLASSES.values() for name in names}
    for kind in ("size", "rate"):
        assert {case["inputs"]["class"] for case in cases(kind)} == every


@pytest.mark.parametrize("case", cases("chosen"), ids=str)
def test_the_oracles_are_chosen(case, lab):
    need = lab("need")(clients=replace(lab("TCP"), gpu_nodes=1000))
    config = choose(case["inputs"], need)
    found, expected = lab("give")(config, need), case["expected"]
    assert (found.cloud.size, found.cloud.unit, found.bound_by) == (
        expected["size"],
        expected["unit"],
        expected["bound_by"],
    )
    assert found.healthy.write.base / 1e6 == pytest.approx(expected["mb_per_s"], rel=case["tolerance"])
    assert lab("mandatory")(config, need) == set()


@pytest.mark.parametrize("case", cases("rate"), ids=str)
def test_a_rate_grows_with_the_size_up_to_a_figure_of_the_service(case, lab):
    asked = case["inputs"]
    unit = "TiB" if asked["class"] == "lingjun_400" else "GiB"
    words = {
        "storage_type": asked["class"],
        "size": f"{asked['size']} {unit}",
        "quota_raised": asked.get("raised", False),
    }
    need = lab("nothing")(clients=replace(lab("TCP"), gpu_nodes=100_000))
    given = lab("give")(lab("config_of")(words, backend="cpfs"), need).healthy
    assert [given.read.base / 1e6, given.write.base / 1e6] == pytest.approx(case["expected"])


@pytest.mark.parametrize(
    ("words", "policy", "said", "remedy"),
    [
        ({"size": "4000 GiB"}, "cloud-size", "3,600 GiB below and 4,800 GiB above", '"4800 GiB"'),
        ({"size": "1200 GiB"}, "cloud-size", "3,600 GiB above", '"3600 GiB"'),
        ({"size": "7.2 TB"}, "cloud-size", "6,000 GiB below and 7,200 GiB above", '"7200 GiB"'),
        ({"size": None}, "cloud-size", "size is missing", '"3600 GiB"'),
        ({**LINGJUN, "size": "95 TiB"}, "cloud-size", "90 TiB below and 100 TiB above", '"100 TiB"'),
        ({"storage_type": "advance_400"}, "cloud-class", "advance_100, advance_200", "advance_100"),
        ({"storage_type": "lingjun_400"}, "cloud-class", "cpfs has advance_100", "advance_100"),
        ({**LINGJUN, "storage_type": "cpfs_p400"}, "cloud-class", "10 GB/s read and 5 GB/s written", "lingjun_400"),
        ({"file_system_type": "extreme"}, "cloud-class", "cpfs, lingjun", "file_system_type: cpfs"),
        ({"redundancy_type": "XRS"}, "cloud-class", "LRS, ZRS", "leave"),
        ({"redundancy_type": "ZRS"}, "cloud-class", "no POSIX client", "protocol_service: true"),
        ({**LINGJUN, "protocol_service": True}, "cloud-class", "belongs to General-purpose", "false"),
        ({"region": "cn-shenzhen"}, "cloud-class", "not offered in cn-shenzhen", "cn-hangzhou"),
        ({"data_flows": ({"path": "/a", "throughput": 800},)}, "cloud-class", "600, 1200, 1500", "600"),
        ({"data_flows": ({"path": "a"},)}, "cloud-repository", "map of path", "data_flows"),
        ({"data_flows": ({"path": "/"},)}, "cloud-repository", "map of path", "data_flows"),
        ({"data_flows": ({"path": "/a"}, {"path": "/a/"})}, "cloud-repository", "flows twice", "apart"),
    ],
)
def test_what_the_service_forbids_is_refused_with_the_nearest_legal(words, policy, said, remedy, lab):
    given = {key: value for key, value in {**LEGAL, **words}.items() if value is not None}
    found = lab("give")(lab("config_of")(given, backend="cpfs"), lab("nothing")())
    (fault,) = [one for one in found.illegal if not one.policy.startswith("advice-")]
    assert fault.policy == policy
    assert said in fault.message
    assert remedy in fault.remedy


def test_what_is_legal_is_not_refused(lab):
    for words in (
        LEGAL,
        LINGJUN,
        {**LEGAL, "redundancy_type": "ZRS", "protocol_service": True, "region": "cn-beijing"},
        {**LEGAL, "data_flows": ({"path": "/a", "bucket": "b", "throughput": 1200}, {"path": "/c"})},
    ):
        assert lab("mandatory")(lab("config_of")(words, backend="cpfs"), lab("nothing")()) == set()


def test_what_no_size_of_a_class_gives_is_refused_as_growth(lab):
    need = lab("nothing")(write=bandwidth("40 GB/s"))
    config = choose({"storage_type": "advance_100"}, need)
    assert "cloud-growth" in lab("mandatory")(config, need)
    (fault,) = [one for one in lab("give")(config, need).illegal if one.policy == "cloud-growth"]
    assert "never gives more than 30 GB/s" in fault.message
    assert choose({}, need).options["storage_type"] == "advance_200"
    raised = choose({"storage_type": "advance_200", "quota_raised": True}, replace(need, write=bandwidth("90 GB/s")))
    assert lab("give")(raised, need).cloud.beyond_quota == (
        "read bandwidth: 90 GB/s by size, 45 GB/s by default",
        "write bandwidth: 90 GB/s by size, 45 GB/s by default",
    )


def test_reads_and_writes_at_once_take_a_size_that_carries_both(lab):
    """Above a ceiling a larger size brings nothing: the phase asks for more than the sum of its parts."""
    both = Phase(name="training", read=bandwidth("20 GB/s"), write=bandwidth("20 GB/s"), op_rate=op_rate("1 ops/s"))
    need = lab("nothing")(phases=(both,), clients=replace(lab("TCP"), gpu_nodes=1900))
    found = lab("give")(choose({"storage_type": "advance_200"}, need), need)
    assert found.counts["phases"] == found.cloud.size == 200400
    more = replace(both, read=bandwidth("30 GB/s"))
    assert (
        lab("give")(choose({"storage_type": "advance_200"}, need), replace(need, phases=(more,))).counts["phases"] > 1e8
    )


def test_files_and_clients_are_limited(lab):
    many = lab("nothing")(files=100e6, clients=replace(lab("TCP"), gpu_nodes=10))
    assert lab("give")(choose({}, many), many).cloud.size == 6000
    small = lab("config_of")({**LEGAL, "size": "3600 GiB"}, backend="cpfs")
    assert "cloud-size" in lab("mandatory")(small, many)
    endless = replace(many, files=5e9)
    assert "cloud-growth" in lab("mandatory")(choose({}, endless), endless)
    crowd = lab("nothing")(read=Bandwidth(1e9), clients=replace(lab("TCP"), gpu_nodes=2001))
    assert "cloud-class" in lab("mandatory")(choose({}, crowd), crowd)


def test_lingjun_is_taken_only_where_it_is_named(lab):
    assert choose({}, lab("need")(capacity=size("1 TiB"))).options["file_system_type"] == "cpfs"
    found = lab("give")(lab("config_of")(LINGJUN, backend="cpfs"), lab("nothing")())
    assert any("made by hand" in note for note in found.notes)


@pytest.mark.parametrize("kind", ["cpfs", "standard", "extreme", None])
def test_a_resource_is_ours_by_its_type(kind):
    inputs = {"protocolType": "cpfs", "storageType": "advance_200", "capacity": 7200.0}
    assert is_ours(inputs if kind is None else {**inputs, "fileSystemType": kind}) == (kind == "cpfs")


def test_a_resource_reads_back_as_the_words_it_was_made_of():
    inputs = {"protocolType": "cpfs", "fileSystemType": "cpfs", "storageType": "advance_200", "capacity": 7200.0}
    assert from_inputs(TOKENS[0], inputs).options == {**LEGAL, "protocol_service": False}
    with pytest.raises(InputError) as caught:
        from_inputs(TOKENS[0], {**inputs, "capacity": "x"})
    assert "capacity" in caught.value.faults[0]
