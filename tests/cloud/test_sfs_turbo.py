"""SFS Turbo: sizes in steps of 1.2 TB rounded down, ceilings by class, refusals; CFS Turbo is always rejected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tierplan import backends, load, plan
from tierplan.backends._sfs_turbo import RATES, grades
from tierplan.domain.stack import Site, TierPins
from tierplan.load import catalogue
from tierplan.units import bandwidth

FACTS = catalogue().backend("sfs-turbo")
GROUPS = yaml.safe_load((Path(__file__).parents[1] / "golden" / "sfs_turbo.yaml").read_text(encoding="utf-8"))
LEGAL = {"bandwidth_per_tib": 250, "size": "8601 GiB"}


def cases(kind):
    return [
        {"tolerance": group.get("tolerance", 0), **one}
        for group in GROUPS
        for one in group["cases"]
        if one["of"] == kind
    ]


def choose(words, need):
    (config,) = backends.load("sfs-turbo").choices(need, TierPins(options=words), Site(kind="huawei"), FACTS)
    return config


@pytest.mark.parametrize("case", cases("size"), ids=str)
def test_a_size_is_legal_or_has_legal_neighbours(case):
    asked = case["inputs"]
    known = {one.name: one.bands for one in grades(FACTS, raised=asked.get("raised", False))}
    found = known[f"{asked['class']} MB/s/TiB"]
    assert [found.legal(asked["size"]), found.below(asked["size"]), found.above(asked["size"])] == case["expected"]


def test_every_class_has_golden_sizes_and_rates():
    for kind in ("size", "rate"):
        assert {case["inputs"]["class"] for case in cases(kind)} == set(RATES)


@pytest.mark.parametrize("case", cases("rate"), ids=str)
def test_a_rate_grows_with_the_size_between_a_floor_and_a_ceiling(case, lab):
    words = {"bandwidth_per_tib": case["inputs"]["class"], "size": f"{case['inputs']['size']} GiB"}
    need = lab("nothing")(clients=replace(lab("TCP"), gpu_nodes=100_000))
    given = lab("give")(lab("config_of")(words, backend="sfs-turbo"), need).healthy
    assert given.read.base / 1e6 == pytest.approx(case["expected"])


@pytest.mark.parametrize("case", cases("chosen"), ids=str)
def test_the_oracles_are_chosen(case, lab):
    need = lab("need")()
    config = choose(case["inputs"], need)
    found, expected = lab("give")(config, need), case["expected"]
    assert (found.cloud.size, found.bound_by) == (expected["size"], expected["bound_by"])
    assert found.healthy.write.base / 1e6 == pytest.approx(expected["mb_per_s"], rel=case["tolerance"])
    assert lab("mandatory")(config, need) == set()


@pytest.mark.parametrize(
    ("words", "policy", "said"),
    [
        ({"size": "8602 GiB"}, "cloud-size", "8,601 GiB below and 9,830 GiB above"),
        ({"size": "1.2 TB"}, "cloud-size", "1,228 GiB above"),
        ({"bandwidth_per_tib": 20, "size": "2457 GiB"}, "cloud-size", "3,686 GiB above"),
        ({"bandwidth_per_tib": 200}, "cloud-class", "20, 40, 125, 250, 500, 1000"),
        ({"size": None}, "cloud-size", "size is missing"),
    ],
)
def test_what_the_service_forbids_is_refused_with_the_nearest_legal(words, policy, said, lab):
    given = {key: value for key, value in {**LEGAL, **words}.items() if value is not None}
    found = lab("give")(lab("config_of")(given, backend="sfs-turbo"), lab("nothing")())
    (fault,) = found.illegal
    assert fault.policy == policy
    assert said in fault.message


def test_a_faster_class_or_a_ticket_is_named_where_a_class_ends(lab):
    need = lab("nothing")(read=bandwidth("50 GB/s"), clients=replace(lab("TCP"), gpu_nodes=1000))
    slow = choose({"bandwidth_per_tib": 125}, need)
    (fault,) = [one for one in lab("give")(slow, need).illegal if one.policy == "cloud-growth"]
    assert "never gives more than 20 GB/s" in fault.message
    assert "quota_raised: true" in fault.remedy
    assert choose({}, need).options["bandwidth_per_tib"] in (500, 1000)


def test_a_pinned_size_takes_a_class_that_is_sold_in_it(lab):
    assert choose({"size": "1228 GiB"}, lab("nothing")()).options["bandwidth_per_tib"] == 40
    assert choose({"size": "3686 GiB"}, lab("nothing")()).options["bandwidth_per_tib"] == 20


STACK = """
config:
  tierplan:site: {kind: tencent, region: ap-shanghai}
  tierplan:cluster: {gpu_nodes: 8, gpus_per_node: 8, local_nvme: {drives: 4}, storage_network: {ports: 1}}
  tierplan:workloads: [{name: users, kind: general, read: "1 GB/s", write: "0.1 GB/s"}]
  tierplan:capacity: {home: "10 TB", files: 1e6}
  tierplan:tiers: {hot: {backend: HOT}, cold: {backend: cos}}
"""


def test_cfs_turbo_is_rejected_with_the_reason_and_never_sized():
    stack = load.stack_from_text(STACK.replace("HOT", "cfs-turbo"), name="x", where="x")
    made = plan.make_plan(stack, catalogue())
    (rejection,) = [one for one in made.rejections if one.tier == "hot"]
    assert "no bandwidth by size" in rejection.reason
    assert "hot" not in made.tiers
