"""File systems of Oracle and Alibaba Cloud in somebody's own program: judged by the pack, where they are ours."""

from __future__ import annotations

import json

import pytest
from pulumi_policy import proxy

from judging import judge_resource, mandatory
from recording import Registered
from tierplan.plan.program_cloud import protection
from tierplan.plan.rule import Registered as Seen

OCI = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
NAS = "alicloud:nas/fileSystem:FileSystem"
GOOD: dict[str, dict[str, object]] = {
    OCI: {
        "capacityInGbs": 52000.0,
        "performanceTier": "MBPS_PER_TB_125",
        "fileSystemName": "data",
        "rootSquashConfiguration": {"identitySquash": "ROOT"},
    },
    NAS: {"fileSystemType": "cpfs", "protocolType": "cpfs", "storageType": "advance_100", "capacity": 3600.0},
}
TOTALS = {"readBytesPerS": 5e9, "writeBytesPerS": 5e9, "opRateOpsPerS": 1000, "capacityBytes": 20e12}


@pytest.fixture(autouse=True)
def unconfigured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", json.dumps({"oci:region": "us-ashburn-1"}))


def resource(token: str, **changes: object) -> Registered:
    inputs = {key: value for key, value in {**GOOD[token], **changes}.items() if value is not None}
    return Registered(
        token=token, name="data", urn=f"urn:pulumi:dev::site::{token}::data", parent="", inputs=inputs, protected=True
    )


@pytest.mark.parametrize("token", GOOD)
def test_what_is_legal_passes_and_nothing_says_what_it_must_carry(token: str) -> None:
    assert set(judge_resource(resource(token))) == {"advice-requirement"}


@pytest.mark.parametrize(
    ("token", "changes", "policy", "said"),
    [
        (OCI, {"capacityInGbs": 140000.0}, "cloud-size", "124,800 GB below and 166,400 GB above"),
        (OCI, {"capacityInGbs": 31.2}, "cloud-size", "31,200 GB above"),
        (OCI, {"performanceTier": "MBPS_PER_TB_2000"}, "cloud-class", "MBPS_PER_TB_125"),
        (NAS, {"capacity": 4000.0}, "cloud-size", "3,600 GiB below and 4,800 GiB above"),
        (NAS, {"storageType": "Performance"}, "cloud-class", "advance_100, advance_200"),
        (NAS, {"redundancyType": "XRS"}, "cloud-class", "LRS, ZRS"),
        (OCI, {"capacityInGbs": proxy.UNKNOWN_NUMBER_VALUE}, "hot-capacity", "not known at preview"),
    ],
)
def test_what_is_not_sold_is_refused(token: str, changes: dict[str, object], policy: str, said: str) -> None:
    reports = judge_resource(resource(token, **changes))
    assert policy in mandatory(reports)
    assert said in reports[policy][0]


def test_what_the_policies_configuration_asks_is_compared() -> None:
    config = {name: {"required": TOTALS} for name in ("hot-read-bandwidth", "hot-capacity", "advice-requirement")}
    assert set(judge_resource(resource(OCI, capacityInGbs=62400.0), config)) == set()
    assert "hot-read-bandwidth" in judge_resource(resource(OCI, capacityInGbs=31200.0), config)


@pytest.mark.parametrize("kind", ["standard", "extreme", None])
def test_nas_of_another_type_is_left_alone(kind: str | None) -> None:
    assert judge_resource(resource(NAS, fileSystemType=kind, storageType="Performance", capacity=None)) == {}


def test_a_type_that_is_not_known_yet_is_not_let_through() -> None:
    reports = judge_resource(resource(NAS, fileSystemType=proxy.UNKNOWN_STRING_VALUE))
    assert "not known at preview" in reports["cloud-size"][0]


@pytest.mark.parametrize("token", GOOD)
def test_a_file_system_is_protected(token: str) -> None:
    urn = f"urn:pulumi:dev::site::{token}::data"
    assert len(list(protection((Seen(token=token, name="data", urn=urn, inputs=GOOD[token]),)))) == 1
    assert not list(protection((Seen(token=token, name="data", urn=urn, inputs=GOOD[token], protected=True),)))
    other = Seen(token=NAS, name="data", urn=urn, inputs={"fileSystemType": "standard"})
    assert not list(protection((other,)))
