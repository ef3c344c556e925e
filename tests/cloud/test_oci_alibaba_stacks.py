"""Stacks of Oracle, Alibaba, Tencent and Huawei Cloud: what planners get wrong there, and what is registered."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

import recording
from tierplan import load, plan, wire
from tierplan.errors import InputError
from tierplan.plan._diff_replaced import replacements

pytest.importorskip("pulumi_oci")
pytest.importorskip("pulumi_alicloud")
STACKS = [
    "oci-lustre",
    "oci-juicefs",
    "alibaba-cpfs",
    "alibaba-juicefs",
    "tencent-juicefs",
    "huawei-juicefs",
    "huawei-sfs-turbo",
]
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
LUSTRE = "oci:Lustre/fileStorageLustreFileSystem:FileStorageLustreFileSystem"
CPFS = "alicloud:nas/fileSystem:FileSystem"


def changed(stack, **blocks):
    """A shipped stack with keys of its blocks changed: `site={"region": None}`."""
    document = yaml.safe_load(load.stack_text(load.read_stack(stack)))
    for name, keys in blocks.items():
        document["config"].setdefault(f"tierplan:{name}", {}).update(keys)
    return load.stack_from_text(yaml.safe_dump(document), name=stack, where=stack)


def findings(stack):
    return plan.judge(plan.make_plan(stack, load.catalogue()))


def registered(stack, **hot):
    """What the stack's program registers, without an engine."""
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415  # needs the mocks of the recording

    spec = wire.stack_document(recording.stack_config(stack))
    spec["tiers"]["hot"].setdefault("options", {}).update(hot)
    return recording.record(lambda: TieredStorage(stack, {"spec": spec})).resources


def of(resources, token):
    return [one for one in resources if one.token.rpartition(":")[2] == token]


@pytest.fixture(scope="module")
def oci():
    return registered("oci-lustre")


@pytest.fixture(scope="module")
def cpfs():
    return registered("alibaba-cpfs")


# --- what planners most often get wrong; the numbers are those of a published list --------------------------------


def test_trap_08_oci_writes_tebibytes_and_sends_thousands(oci):
    (system,) = [one for one in oci if one.token == LUSTRE]
    planned = plan.make_plan(load.read_stack("oci-lustre"), load.catalogue()).tiers["hot"].delivered.cloud
    assert system.inputs["capacityInGbs"] == planned.size == 72800
    assert planned.unit == "GB"
    words = "72,800 GB are written as 72.8 TiB in documentation and console"
    assert any(
        words in note
        for note in plan.make_plan(load.read_stack("oci-lustre"), load.catalogue()).tiers["hot"].delivered.notes
    )


@pytest.mark.parametrize("name", STACKS)
def test_trap_10_a_plan_needs_no_sdk(name):
    """That a preview needs the plugin, or a stand-in, is what tests/engine is about."""
    done = subprocess.run(
        [sys.executable, "-c", COLD_PLAN, "plan", name],
        cwd=recording.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


# --- stacks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STACKS)
def test_shipped_stacks_pass_and_pin_what_they_chose(name):
    made = plan.make_plan(load.read_stack(name), load.catalogue())
    assert {one.policy for one in plan.judge(made) if one.level == "mandatory"} == set()
    assert plan.resolve(made.stack, load.catalogue()) == made.stack
    assert plan.evaluate(made.stack, load.catalogue()).tiers["hot"].config == made.tiers["hot"].config
    assert "advice-network" not in {one.policy for one in plan.judge(made)}


@pytest.mark.parametrize("name", STACKS)
def test_a_plan_without_a_network_holds_and_says_that_nothing_can_be_created(name):
    found = findings(changed(name, site={"network": None}))
    assert {one.policy for one in found if one.level == "mandatory"} == set()
    assert [one.policy for one in found if one.policy == "advice-network"] == ["advice-network"]


@pytest.mark.parametrize(
    ("name", "network", "said"),
    [
        ("oci-lustre", {"subnet": "subnet-1"}, "ocid1.subnet"),
        ("oci-lustre", {"vpc": "x"}, "no id of this kind of site"),
        ("alibaba-cpfs", {"vswitch": "subnet-1"}, "vsw-"),
        ("alibaba-cpfs", {"client_network": "10.0.0.0"}, "10.0.0.0/16"),
        ("tencent-juicefs", {"app_id": "me"}, "1250000000"),
        ("huawei-juicefs", {"vpc": "vpc-1"}, "00000000-0000"),
    ],
)
def test_an_id_that_is_none_is_a_fault_of_the_file(name, network, said):
    with pytest.raises(InputError) as caught:
        changed(name, site={"network": network})
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "figure"),
    [("tencent-juicefs", "1.88 GB/s"), ("huawei-juicefs", "2 GB/s"), ("alibaba-juicefs", "12.5 GB/s")],
)
def test_a_quota_of_the_account_that_refuses_a_plan_is_said_with_its_figure(name, figure):
    workload = {
        "name": "chat-70b",
        "kind": "model-load",
        "weights": "140 GB",
        "replicas": 8,
        "within": "60 s",
        "fan_out": "node",
    }
    document = yaml.safe_load(load.stack_text(load.read_stack(name)))
    document["config"]["tierplan:workloads"] = [workload]
    stack = load.stack_from_text(yaml.safe_dump(document), name=name, where=name)
    found = findings(stack)
    assert "hot-read-bandwidth" in {one.policy for one in found if one.level == "mandatory"}
    assert any("quota" in one.message and figure in one.message for one in found if one.policy == "advice-quota")
    document["config"]["tierplan:tiers"]["hot"]["options"]["quota_raised"] = "30 GB/s"
    raised = load.stack_from_text(yaml.safe_dump(document), name=name, where=name)
    asked = [one for one in findings(raised) if one.policy == "hot-read-bandwidth"]
    assert not asked or "limited by quota" in asked[0].message  # requests a second are another quota


def test_tencent_tells_why_its_own_file_system_is_not_planned():
    made = plan.make_plan(changed("tencent-juicefs", tiers={"hot": {"backend": "auto"}}), load.catalogue())
    assert [one.reason for one in made.rejections if one.backend == "cfs-turbo"] != []


@pytest.mark.parametrize(
    ("name", "words", "site", "because"),
    [
        ("oci-lustre", {"performance_tier": "MBPS_PER_TB_500"}, {}, "performance_tier MBPS_PER_TB_250 becomes"),
        ("oci-lustre", {"size": "62400 GB"}, {}, "does not shrink"),
        ("oci-lustre", {"size": "83200 GB"}, {}, ""),
        ("oci-lustre", {}, {"zone": "AD-2"}, "zone Uocm:US-ASHBURN-AD-1 becomes AD-2"),
        ("alibaba-cpfs", {"storage_type": "advance_100"}, {}, "storage_type advance_200 becomes advance_100"),
        ("alibaba-cpfs", {"size": "24000 GiB"}, {}, ""),
        ("alibaba-cpfs", {"data_flows": []}, {}, ""),
        ("huawei-sfs-turbo", {"bandwidth_per_tib": 500, "size": "14745 GiB"}, {}, "bandwidth_per_tib 250 becomes 500"),
    ],
)
def test_what_a_change_would_replace_is_told(name, words, site, because):
    old = plan.make_plan(load.read_stack(name), load.catalogue())
    hot = old.tiers["hot"].config
    options = {**{key: value for key, value in hot.options.items() if key == "size"}, **words}
    document = yaml.safe_load(load.stack_text(load.read_stack(name)))
    document["config"]["tierplan:tiers"]["hot"] = {
        "backend": hot.backend,
        "options": {**document["config"]["tierplan:tiers"]["hot"].get("options", {}), **options},
    }
    document["config"]["tierplan:site"].update(site)
    new = plan.make_plan(load.stack_from_text(yaml.safe_dump(document), name=name, where=name), load.catalogue())
    said = [one.because for one in replacements(old, new)]
    assert bool(said) == bool(because), said
    assert because in " ".join(said)


# --- what is registered ------------------------------------------------------------------------------------------


def test_the_file_system_of_oracle_is_registered_as_planned_and_reads_back(oci):
    from tierplan.backends.oci_lustre import from_inputs  # noqa: PLC0415

    (system,) = [one for one in oci if one.token == LUSTRE]
    assert system.inputs["rootSquashConfiguration"] == {"identitySquash": "NONE"}
    assert system.inputs["availabilityDomain"] == "Uocm:US-ASHBURN-AD-1"
    assert system.inputs["nsgIds"] == ["ocid1.networksecuritygroup.oc1.iad.aaaaaaaabcdefgh"]
    assert system.inputs["freeformTags"] == {"env": "prod", "owner": "storage"}
    planned = plan.make_plan(load.read_stack("oci-lustre"), load.catalogue()).tiers["hot"].config.options
    read = from_inputs(LUSTRE, system.inputs).options
    assert read == {key: planned[key] for key in planned if key not in ("object_links", "region")}


def test_a_link_of_oracle_names_namespace_bucket_and_directory(oci):
    (link,) = of(oci, "FileStorageObjectStorageLink")
    assert link.inputs["objectStoragePrefix"] == "mytenancy:/oci-lustre-hot-repository/archive"
    assert link.inputs["isOverwrite"] is False


def test_buckets_are_private_encrypted_and_tidy(oci, cpfs):
    for bucket in of(oci, "Bucket"):
        assert bucket.inputs["accessType"] == "NoPublicAccess"
    for policy in of(oci, "ObjectLifecyclePolicy"):
        assert {rule["action"] for rule in policy.inputs["rules"]} >= {"ABORT"}
        assert all(isinstance(rule["timeAmount"], str) for rule in policy.inputs["rules"])
    for bucket in of(cpfs, "Bucket"):
        assert bucket.inputs["serverSideEncryptionRule"] == {"sseAlgorithm": "AES256"}
        assert any("abortMultipartUploads" in rule for rule in bucket.inputs["lifecycleRules"])
    assert len(of(cpfs, "BucketPublicAccessBlock")) == len(of(cpfs, "Bucket"))


def test_cpfs_is_registered_as_planned_without_what_forces_a_replacement(cpfs):
    (system,) = [one for one in cpfs if one.token == CPFS]
    assert {key: value for key, value in system.inputs.items() if key != "tags"} == {
        "fileSystemType": "cpfs",
        "protocolType": "cpfs",
        "storageType": "advance_200",
        "capacity": 22800,
        "zoneId": "cn-hangzhou-k",
        "vpcId": "vpc-bp1aevy8sofi8mh1q",
        "vswitchId": "vsw-bp1s5fnvk4gn2tws03624",
        "description": "alibaba-cpfs-hot",
    }
    (rule,) = of(cpfs, "AccessRule")
    assert rule.inputs["sourceCidrIp"] == "10.0.0.0/16"
    (flow,) = of(cpfs, "DataFlow")
    assert flow.inputs["throughput"] == 1200
    assert len(of(cpfs, "MountTarget")) == len(of(cpfs, "ProtocolService")) == 1


def test_lingjun_is_made_by_hand():
    resources = registered("alibaba-cpfs", file_system_type="lingjun", protocol_service=False, data_flows=[])
    assert not [one for one in resources if one.token.startswith("alicloud:nas")]


def test_engines_keep_everything_and_let_in_nobody_else():
    made = registered("oci-juicefs")
    (engine,), (words,) = of(made, "RedisCluster"), of(made, "OciCacheConfigSet")
    assert words.inputs["configurationDetails"] == {
        "items": [{"configKey": "maxmemory-policy", "configValue": "noeviction"}]
    }
    assert (engine.inputs["clusterMode"], engine.inputs["nodeCount"]) == ("NONSHARDED", 2)
    (database,) = of(registered("oci-juicefs", metadata_engine="postgresql"), "DbSystem")
    assert database.inputs["instanceCount"] == 2
    assert database.inputs["credentials"]["username"] == "juicefs"
    (instance,) = of(registered("alibaba-juicefs"), "Instance")
    assert instance.inputs["securityIps"] == ["10.0.0.0/16"]
    assert instance.inputs["category"] == "HighAvailability"
    assert instance.inputs["deletionProtection"] is True
    (redis,) = of(registered("alibaba-juicefs", metadata_engine="redis"), "Instance")
    assert redis.inputs["config"] == {"maxmemory-policy": "noeviction", "appendonly": "yes"}


@pytest.mark.parametrize("name", ["tencent-juicefs", "huawei-juicefs", "huawei-sfs-turbo"])
def test_where_no_provider_is_kept_well_nothing_is_made(name):
    assert {one.token.partition(":")[0] for one in registered(name)} <= {"tierplan", "kubernetes"}
