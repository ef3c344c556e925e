"""OCI File Storage with Lustre: its sizes, what they give, what is refused, and a resource of anybody's program."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tierplan import backends
from tierplan.backends._oci_lustre import bands
from tierplan.backends.oci_lustre import TOKENS, from_inputs
from tierplan.domain.stack import NodePins, Site, TierPins
from tierplan.errors import InputError
from tierplan.load import catalogue
from tierplan.units import op_rate, size

FACTS = catalogue().backend("oci-lustre")
GROUPS = yaml.safe_load((Path(__file__).parents[1] / "golden" / "oci.yaml").read_text(encoding="utf-8"))
LEGAL = {"performance_tier": "MBPS_PER_TB_250", "size": "52000 GB"}


def cases(kind):
    return [
        {"tolerance": group.get("tolerance", 0), **one}
        for group in GROUPS
        for one in group["cases"]
        if one["of"] == kind
    ]


def choose(words, need, **pins):
    (config,) = backends.load("oci-lustre").choices(need, TierPins(options=words, **pins), Site(kind="oci"), FACTS)
    return config


@pytest.mark.parametrize("case", cases("size"), ids=str)
def test_a_size_is_legal_or_has_legal_neighbours(case):
    asked, sizes = case["inputs"]["size"], bands(FACTS)
    assert [sizes.legal(asked), sizes.below(asked), sizes.above(asked)] == case["expected"]


@pytest.mark.parametrize("case", cases("chosen"), ids=str)
def test_the_oracles_are_chosen(case, lab):
    """The published rate is the high end; a tenth of it is kept back, and the choice does not change by it."""
    need = lab("need")(capacity=size("100 TB"))
    config = choose(case["inputs"], need)
    found, expected = lab("give")(config, need), case["expected"]
    assert (found.cloud.size, found.bound_by) == (expected["size"], expected["bound_by"])
    assert found.healthy.write_high.base / 1e6 == pytest.approx(expected["mb_per_s"], rel=case["tolerance"])
    assert found.healthy.write.base == pytest.approx(found.healthy.write_high.base * 0.9)
    assert lab("mandatory")(config, need) == set()


@pytest.mark.parametrize(
    ("words", "policy", "said", "remedy"),
    [
        ({"size": "140000 GB"}, "cloud-size", "124,800 GB below and 166,400 GB above", '"166400 GB"'),
        ({"size": "31.2 TiB"}, "cloud-size", "31,200 GB below and 41,600 GB above", '"41600 GB"'),
        ({"size": "5 TB"}, "cloud-size", "31,200 GB above", '"31200 GB"'),
        ({"size": None}, "cloud-size", "size is missing", '"31200 GB"'),
        ({"performance_tier": "MBPS_PER_TB_300"}, "cloud-class", "MBPS_PER_TB_125, MBPS_PER_TB_250", "MBPS_PER_TB_125"),
        ({"performance_tier": None}, "cloud-class", "performance_tier missing", "write"),
        ({"file_system_name": "ninechars"}, "cloud-class", "1 to 8 letters", "file_system_name: hot"),
        ({"file_system_name": "a-b"}, "cloud-class", "letters, digits and _", "hot"),
        ({"root_squash": "ALL"}, "cloud-class", "NONE, ROOT", "NONE"),
        ({"object_links": ({"bucket": "b"},)}, "cloud-repository", "map of path", "object_links"),
        ({"object_links": ({"path": "/a"}, {"path": "/a/"})}, "cloud-repository", "linked twice", "apart"),
    ],
)
def test_what_the_service_forbids_is_refused_with_the_nearest_legal(words, policy, said, remedy, lab):
    given = {key: value for key, value in {**LEGAL, **words}.items() if value is not None}
    found = lab("give")(lab("config_of")(given, backend="oci-lustre"), lab("nothing")())
    (fault,) = [one for one in found.illegal if not one.policy.startswith("advice-")]
    assert fault.policy == policy
    assert said in fault.message
    assert remedy in fault.remedy


def test_what_is_legal_is_not_refused(lab):
    words = {**LEGAL, "object_links": ({"path": "/a", "bucket": "b/x"}, {"path": "/b"}), "root_squash": "ROOT"}
    assert lab("mandatory")(lab("config_of")(words, backend="oci-lustre"), lab("nothing")()) == set()


def test_nodes_cannot_be_pinned(lab):
    config = choose({}, lab("nothing")(), nodes=3, node=NodePins(drives=12))
    assert "hot-layout" in lab("mandatory")(config, lab("nothing")())


def test_the_class_can_never_change_and_the_size_only_grows(lab):
    found = lab("give")(lab("config_of")(LEGAL, backend="oci-lustre"), lab("nothing")())
    assert "performance_tier" in found.cloud.replaces_on_change
    assert found.cloud.changes_in_place[0] == "size, upwards"
    assert found.cloud.growth_ceiling is None


@pytest.mark.parametrize(("pinned", "tier"), [("41600 GB", 500), ("166400 GB", 125), ("31200 GB", 1000)])
def test_a_pinned_size_takes_the_slowest_class_that_does(pinned, tier, lab):
    need = lab("nothing")(write=lab("need")().write)
    config = choose({"size": pinned}, need)
    assert config.options["performance_tier"] == f"MBPS_PER_TB_{tier}"
    assert lab("mandatory")(config, need) == set()


def test_more_file_operations_take_a_larger_size(lab):
    need = lab("need")()
    many = replace(need, op_rate=op_rate("100 kops/s"))
    small, large = (lab("give")(choose({}, one), one).cloud.size for one in (need, many))
    assert small < large


@pytest.mark.parametrize("words", [LEGAL, {"performance_tier": "MBPS_PER_TB_125", "size": "166400 GB"}])
def test_a_resource_reads_back_as_the_words_it_was_made_of(words):
    inputs = {
        "availabilityDomain": "AD-1",
        "capacityInGbs": float(words["size"].split()[0]),
        "performanceTier": words["performance_tier"],
        "fileSystemName": "hot",
        "rootSquashConfiguration": {"identitySquash": "NONE"},
    }
    read = from_inputs(TOKENS[0], inputs).options
    assert read == {**words, "file_system_name": "hot", "root_squash": "NONE"}


def test_what_cannot_be_read_is_said():
    with pytest.raises(InputError) as caught:
        from_inputs(TOKENS[0], {"capacityInGbs": "many", "performanceTier": 3.0})
    assert len(caught.value.faults) == 2
    with pytest.raises(InputError, match="no resource of File Storage with Lustre"):
        from_inputs("oci:FileStorage/fileSystem:FileSystem", {})
