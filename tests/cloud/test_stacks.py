"""Stacks of AWS as they are read and judged as a whole: ids, scratch, quotas, and what is registered for them."""

from __future__ import annotations

import re

import pytest
import yaml

import recording
from tierplan import load, plan, wire
from tierplan.errors import InputError

LUSTRE = "aws:fsx/lustreFileSystem:LustreFileSystem"


def changed(stack, **blocks):
    """A shipped stack with keys of its blocks changed: `site={"region": None}`."""
    document = yaml.safe_load(load.stack_text(load.read_stack(stack)))
    for name, keys in blocks.items():
        block = document["config"].setdefault(f"tierplan:{name}", {})
        for key, value in keys.items():
            block[key] = value
    return load.stack_from_text(yaml.safe_dump(document), name=stack, where=stack)


def findings(stack):
    return plan.judge(plan.make_plan(stack, load.catalogue()))


def policies(stack, level="mandatory"):
    return {one.policy for one in findings(stack) if one.level == level}


@pytest.mark.parametrize(
    ("network", "said"),
    [
        ({"subnet": "sbnet-1"}, 'site.network.subnet: "sbnet-1" is not spelt like one; write e.g. "subnet-'),
        ({"subnets": "subnet-1, sg-2"}, "site.network.subnets"),
        ({"client_security_group": "default"}, "site.network.client_security_group"),
        ({"client_security_grup": "sg-1"}, "did you mean client_security_group?"),
        ({"zone": "a"}, "allowed: client_role, client_security_group"),
        ({"kms_key": "alias/mine"}, "arn:aws:kms:"),
    ],
)
def test_an_id_that_is_none_is_a_fault_of_the_file(network, said):
    with pytest.raises(InputError) as caught:
        changed("aws-fsx-it", site={"network": network})
    assert said in str(caught.value)


def test_other_sites_have_other_ids():
    document = yaml.safe_load(load.stack_text(load.read_stack("aws-fsx-it")))
    document["config"]["tierplan:site"] = {"kind": "on-prem", "network": {"subnet": "x"}}
    with pytest.raises(InputError) as caught:
        load.stack_from_text(yaml.safe_dump(document), name="x", where="x")
    assert "not spelt" not in str(caught.value)


def test_a_plan_without_a_network_holds_and_says_that_nothing_can_be_created():
    stack = changed("aws-fsx-it", site={"network": None})
    assert policies(stack) == set()
    (finding,) = [one for one in findings(stack) if one.policy == "advice-network"]
    assert "subnet, client_security_group" in finding.message


@pytest.mark.parametrize("name", ["aws-fsx", "aws-fsx-it", "aws-juicefs-redis", "aws-juicefs-postgresql"])
def test_shipped_stacks_pass_and_pin_what_they_chose(name):
    stack = load.read_stack(name)
    made = plan.make_plan(stack, load.catalogue())
    assert {one.policy for one in plan.judge(made) if one.level == "mandatory"} == set()
    assert plan.resolve(made.stack, load.catalogue()) == made.stack
    assert plan.evaluate(made.stack, load.catalogue()).tiers["hot"].config == made.tiers["hot"].config
    assert "advice-network" not in policies(stack, "advisory")


def test_a_scratch_file_system_holds_nothing_irreplaceable():
    refused = policies(load.read_stack("aws-fsx-refused"))
    assert refused >= {"cloud-size", "cloud-scratch", "hot-write-bandwidth", "hot-capacity"}
    texts = [one.message for one in findings(load.read_stack("aws-fsx-refused")) if one.policy == "cloud-scratch"]
    assert [text.partition(" would stand")[0] for text in texts] == [
        "the newest checkpoint of train-70b",
        "home (1 TB)",
    ]
    assert any(
        "2,400 GiB below and 4,800 GiB above" in one.message for one in findings(load.read_stack("aws-fsx-refused"))
    )


def test_scratch_is_fit_for_what_can_be_fetched_again():
    """Only a dataset that lies in S3, read through the hot tier."""
    work = {
        "name": "train",
        "kind": "training",
        "gpus": 256,
        "model": {"parameters": 7e9, "bytes_per_parameter": 14},
        "dataset": {"size": "10 TB", "sample_size": "1 MB", "samples_per_s_per_gpu": 1, "cache": "none"},
    }
    document = yaml.safe_load(load.stack_text(load.read_stack("aws-fsx-refused")))
    config = document["config"] | {
        "tierplan:workloads": [work],
        "tierplan:capacity": {"raw_data": "10 TB"},
        "tierplan:targets": {"survive": {"nodes": 0}},
        "tierplan:expect": "pass",
    }
    config["tierplan:tiers"]["hot"]["options"] = {"deployment_type": "SCRATCH_2"}
    stack = load.stack_from_text(yaml.safe_dump({"config": config}), name="scratch", where="scratch")
    assert policies(stack) == set()


def test_home_without_a_second_copy_is_told():
    assert "advice-backup" in policies(load.read_stack("aws-fsx-it"), "advisory")
    tiers = {"hot": {"backend": "fsx-lustre", "options": {"storage_type": "INTELLIGENT_TIERING", "backup_days": 7}}}
    assert "advice-backup" not in policies(changed("aws-fsx-it", tiers=tiers), "advisory")


def test_growth_is_planned_on_the_first_day():
    """The cluster doubles in year 2; the class with EFA can never change, so the size carries it from the start."""
    stack = load.read_stack("aws-fsx")
    today = changed("aws-fsx", cluster={"growth": []})
    sizes = [plan.make_plan(one, load.catalogue()).tiers["hot"].delivered.cloud.size for one in (today, stack)]
    assert sizes[0] <= sizes[1]


def test_a_starter_for_aws_is_a_plan_that_passes():
    text = load.starter(name="mine", site="aws", gpu_nodes=32, node="aws-p5")
    stack = load.stack_from_text(text, name="mine", where="mine")
    assert policies(stack) == set()
    made = plan.make_plan(stack, load.catalogue())
    assert (made.tiers["hot"].config.backend, made.tiers["cold"].config.backend) == ("fsx-lustre", "s3")
    assert made.path_disagreement is None


# --- what is registered ------------------------------------------------------------------------------------------

pytest.importorskip("pulumi_aws")


def registered(stack):
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415  # needs the mocks of the recording

    spec = wire.stack_document(recording.stack_config(stack))
    return recording.record(lambda: TieredStorage(stack, {"spec": spec}))


@pytest.fixture(scope="module")
def fsx():
    return registered("aws-fsx").resources


def of(resources, token):
    return [one for one in resources if one.token.rpartition(":")[2] == token]


def test_the_file_system_is_registered_as_planned(fsx):
    (system,) = of(fsx, "LustreFileSystem")
    known = {key: value for key, value in system.inputs.items() if key not in ("securityGroupIds", "tags")}
    assert known == {
        "deploymentType": "PERSISTENT_2",
        "storageType": "SSD",
        "storageCapacity": 115200,
        "perUnitStorageThroughput": 250,
        "metadataConfiguration": {"mode": "AUTOMATIC"},
        "efaEnabled": True,
        "fileSystemTypeVersion": "2.15",
        "dataCompressionType": "NONE",
        "subnetIds": "subnet-0a1b2c3d4e5f60718",
        "region": "us-east-1",
    }
    assert system.inputs["tags"] == {"Name": "aws-fsx-hot", "owner": "storage", "env": "prod"}


def test_a_file_system_of_its_own_leaves_a_last_backup_and_takes_the_networks_key():
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415

    spec = wire.stack_document(recording.stack_config("aws-fsx-it"))
    key = "arn:aws:kms:us-west-2:111122223333:key/1234abcd"
    spec["site"]["network"]["kms_key"] = key
    made = recording.record(lambda: TieredStorage("mine", {"spec": spec})).resources
    (system,) = of(made, "LustreFileSystem")
    assert system.inputs["skipFinalBackup"] is False
    assert system.inputs["kmsKeyId"] == key
    (linked,) = of(registered("aws-fsx").resources, "LustreFileSystem")
    assert not {"skipFinalBackup", "automaticBackupRetentionDays"} & set(linked.inputs)


def test_what_is_registered_reads_back_as_what_was_planned(fsx):
    from tierplan.backends.fsx_lustre import from_inputs  # noqa: PLC0415

    (system,) = of(fsx, "LustreFileSystem")
    planned = plan.make_plan(load.read_stack("aws-fsx"), load.catalogue()).tiers["hot"].config.options
    read = from_inputs(LUSTRE, system.inputs).options
    assert read == {key: planned[key] for key in planned if key not in ("backup_days", "data_repositories")}


def test_each_pair_of_groups_has_one_rule_each_way(fsx):
    rules = of(fsx, "SecurityGroupIngressRule") + of(fsx, "SecurityGroupEgressRule")
    assert len(rules) == 8
    assert {one.inputs["ipProtocol"] for one in rules} == {"-1"}
    assert not [one for one in rules if any(key.startswith("cidr") for key in one.inputs)]
    pairs = [
        (one.token, str(one.inputs.get("securityGroupId")), str(one.inputs.get("referencedSecurityGroupId")))
        for one in rules
    ]
    assert len(set(pairs)) == len(pairs)


def test_a_link_follows_both_ways_and_loads_names_first(fsx):
    (link,) = of(fsx, "DataRepositoryAssociation")
    events = {"events": ["NEW", "CHANGED", "DELETED"]}
    assert link.inputs["s3"] == {"autoImportPolicy": events, "autoExportPolicy": events}
    assert link.inputs["batchImportMetaDataOnCreate"] is True
    assert link.inputs["fileSystemPath"] == "/archive"
    assert link.inputs["deleteDataInFilesystem"] is False


def test_volumes_of_kubernetes_are_registered_where_it_is_run(fsx):
    (volume,), (kept,) = of(fsx, "PersistentVolume"), of(fsx, "StorageClass")
    assert volume.inputs["spec"]["persistentVolumeReclaimPolicy"] == kept.inputs["reclaimPolicy"] == "Retain"
    assert volume.inputs["spec"]["csi"]["driver"] == kept.inputs["provisioner"] == "fsx.csi.aws.com"
    assert not of(registered("aws-fsx-it").resources, "PersistentVolume")


def test_redis_keeps_everything_in_memory_and_encrypts_it():
    resources = registered("aws-juicefs-redis").resources
    (engine,), (parameters,) = of(resources, "ReplicationGroup"), of(resources, "ParameterGroup")
    assert engine.inputs["nodeType"] == "cache.r7g.2xlarge"
    assert engine.inputs["transitEncryptionEnabled"] is engine.inputs["atRestEncryptionEnabled"] is True
    assert engine.inputs["automaticFailoverEnabled"] is engine.inputs["multiAzEnabled"] is True
    assert parameters.inputs["parameters"] == [{"name": "maxmemory-policy", "value": "noeviction"}]
    assert "authToken" in engine.inputs


def test_the_database_has_no_password_of_ours_and_a_standby():
    resources = registered("aws-juicefs-postgresql").resources
    (engine,) = of(resources, "Instance")
    assert engine.inputs["manageMasterUserPassword"] is True
    assert not [key for key in engine.inputs if re.fullmatch("password.*", key)]
    assert engine.inputs["multiAz"] is engine.inputs["storageEncrypted"] is True
    assert engine.inputs["publiclyAccessible"] is engine.inputs["skipFinalSnapshot"] is False
    rules = of(resources, "SecurityGroupIngressRule") + of(resources, "SecurityGroupEgressRule")
    assert {(one.inputs["fromPort"], one.inputs["toPort"]) for one in rules} == {(5432, 5432)}
    assert len(rules) == 2


@pytest.mark.parametrize(
    ("service", "tokens"),
    [
        ("memorydb", {"aws:memorydb/cluster:Cluster", "aws:memorydb/user:User", "aws:memorydb/acl:Acl"}),
        ("aurora", {"aws:rds/cluster:Cluster", "aws:rds/clusterInstance:ClusterInstance"}),
    ],
)
def test_the_other_services_are_made_of_their_own_resources(service, tokens):
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415

    name = "aws-juicefs-redis" if service == "memorydb" else "aws-juicefs-postgresql"
    spec = wire.stack_document(recording.stack_config(name))
    engine = "redis" if service == "memorydb" else "postgresql"
    spec["tiers"]["hot"]["options"] |= {"metadata_engine": engine, "metadata_service": service}
    made = recording.record(lambda: TieredStorage(name, {"spec": spec})).resources
    assert tokens <= {one.token for one in made}
    assert len(of(made, "ClusterInstance")) == (2 if service == "aurora" else 0)
