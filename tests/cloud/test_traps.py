"""What planners of storage on AWS most often get wrong, one test each; the numbers are those of a published list."""

from __future__ import annotations

import subprocess
import sys

import pytest

import recording
from tierplan import load, plan, wire
from tierplan.plan.program_cloud import PORTS

pytest.importorskip("pulumi_aws")
COLD_PLAN = """
import sys
from tierplan.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
loaded = sorted({name.partition(".")[0] for name in sys.modules if name.startswith(("pulumi", "grpc"))})
assert not loaded, loaded
"""
P2 = {"deployment_type": "PERSISTENT_2", "storage_type": "SSD"}


def registered(stack):
    """What the stack's program registers, without an engine."""
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415  # needs the mocks of the recording

    spec = wire.stack_document(recording.stack_config(stack))
    return recording.record(lambda: TieredStorage(stack, {"spec": spec})).resources


@pytest.fixture(scope="module")
def fsx():
    return registered("aws-fsx")


def test_trap_01_sizes_come_in_steps_and_efa_makes_them_larger(lab):
    steps = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}
    for rate, step in steps.items():
        words = {**P2, "per_unit_throughput": rate, "metadata_mode": "AUTOMATIC"}
        assert lab("illegal")({**words, "size": "2400 GiB"}) == []
        (fault,) = lab("illegal")({**words, "size": "2400 GiB", "efa": True})
        assert f'"{step} GiB"' in fault.remedy


def test_trap_02_metadata_and_efa_are_choices_of_the_first_day(lab):
    words = {**P2, "per_unit_throughput": 125, "size": "38400 GiB"}
    found = lab("give")(lab("config_of")(words), lab("nothing")())
    assert "EFA and whether there is a metadata configuration" in found.cannot_change_later
    assert "efa" in found.cloud.replaces_on_change
    assert "metadata_iops, upwards" not in found.cloud.changes_in_place
    with_metadata = lab("give")(lab("config_of")({**words, "metadata_mode": "AUTOMATIC"}), lab("nothing")())
    assert "metadata_iops, upwards" in with_metadata.cloud.changes_in_place


def test_trap_03_intelligent_tiering_has_throughput_and_no_size(lab):
    (system,) = [one for one in registered("aws-fsx-it") if one.token.startswith("aws:fsx/")]
    assert system.inputs["throughputCapacity"] == 4000
    assert "storageCapacity" not in system.inputs
    assert "perUnitStorageThroughput" not in system.inputs
    assert system.inputs["metadataConfiguration"] == {"mode": "USER_PROVISIONED", "iops": 6000}
    assert system.inputs["dataReadCacheConfiguration"] == {"sizingMode": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"}
    assert {
        one.policy for one in lab("illegal")({**P2, "storage_type": "INTELLIGENT_TIERING", "size": "4800 GiB"})
    } == {
        "cloud-size",
        "cloud-class",
    }


def test_trap_04_988_and_1018_to_1023_both_ways_and_from_each_group_to_itself():
    assert PORTS == (988, 1018, 1019, 1020, 1021, 1022, 1023)
    rules = [one for one in registered("aws-fsx-it") if "securityGroup" in one.token]
    spans = sorted((one.token.rpartition(":")[2][13:], one.inputs["fromPort"], one.inputs["toPort"]) for one in rules)
    assert spans == [
        ("EgressRule", 988, 988),
        ("EgressRule", 1018, 1023),
        ("IngressRule", 988, 988),
        ("IngressRule", 1018, 1023),
    ]
    assert {one.inputs["securityGroupId"] for one in rules} == {
        one.inputs["referencedSecurityGroupId"] for one in rules
    }


def test_trap_05_the_subnet_is_one_text(fsx):
    (system,) = [one for one in fsx if one.token.startswith("aws:fsx/lustreFileSystem")]
    assert system.inputs["subnetIds"] == "subnet-0a1b2c3d4e5f60718"


def test_trap_09_infrequent_access_takes_thirty_days():
    stack = load.read_stack("aws-fsx-it")
    document = load.stack_text(stack).replace("tierplan:tiers:", 'tierplan:tiers:\n    lifecycle: {warm_after: "7 d"}')
    hasty = load.stack_from_text(document, name="hasty", where="hasty")
    found = [one for one in plan.judge(plan.make_plan(hasty, load.catalogue())) if one.policy == "lifecycle-order"]
    assert any("30" in one.message and "STANDARD_IA" in one.message for one in found)


def test_trap_10_a_plan_needs_no_sdk_and_a_program_without_an_engine_no_plugin(fsx):
    """Mocks run offline; that a preview needs the plugin is what tests/engine/test_aws.py is about."""
    assert {one.token.partition(":")[0] for one in fsx} >= {"aws", "tierplan"}
    done = subprocess.run(
        [sys.executable, "-c", COLD_PLAN, "plan", "aws-fsx", "aws-juicefs-redis"],
        cwd=recording.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
