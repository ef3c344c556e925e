"""What the stacks of Azure and Google Cloud register, and the traps of a published list that concern them."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from functools import cache

import pulumi
import pytest
import yaml

import managedlab
import recording
from tierplan import backends, load, plan, wire
from tierplan.domain.need import Phase
from tierplan.errors import InputError
from tierplan.plan._diff_replaced import replacements
from tierplan.plan.program_cloud import FILE_SYSTEMS
from tierplan.units import Bandwidth, OpRate, bandwidth

pytest.importorskip("pulumi_azure")
pytest.importorskip("pulumi_gcp")
AZURE, GOOGLE = "azure:managedlustre/fileSystem:FileSystem", "gcp:lustre/instance:Instance"
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


@cache
def registered(stack):
    """What the stack's program registers, without an engine."""
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415  # needs the mocks of the recording

    spec = wire.stack_document(recording.stack_config(stack))
    return tuple(recording.record(lambda: TieredStorage(stack, {"spec": spec})).resources)


def _type(resource):
    return resource.token


def one(stack, token):
    (found,) = [each for each in registered(stack) if _type(each) == token]
    return found


def changed(name, **blocks):
    """A shipped stack with other words, as nouns."""
    document = yaml.safe_load(load.stack_text(load.read_stack(name)))
    for block, keys in blocks.items():
        document["config"].setdefault(f"tierplan:{block}", {}).update(keys)
    return load.stack_from_text(yaml.safe_dump(document), name=name, where=name)


@pytest.mark.parametrize("name", ["azure-lustre", "google-lustre", "azure-juicefs", "google-juicefs"])
def test_shipped_stacks_pass_and_pin_what_they_chose(name):
    stack = load.read_stack(name)
    made = plan.make_plan(stack, load.catalogue())
    assert {one.policy for one in plan.judge(made) if one.level == "mandatory"} == set()
    assert plan.resolve(made.stack, load.catalogue()) == made.stack
    assert plan.evaluate(made.stack, load.catalogue()).tiers["hot"].config == made.tiers["hot"].config


@pytest.mark.parametrize(("name", "words"), [("azure-lustre", "resource_group, subnet"), ("google-lustre", "network")])
def test_a_plan_without_a_network_holds_and_says_that_nothing_can_be_created(name, words):
    stack = changed(name, site={"network": None})
    findings = plan.judge(plan.make_plan(stack, load.catalogue()))
    assert {each.policy for each in findings if each.level == "mandatory"} == set()
    (finding,) = [each for each in findings if each.policy == "advice-network"]
    assert f"names no {words}:" in finding.message


@pytest.mark.parametrize(
    ("name", "network", "said"),
    [
        ("azure-lustre", {"subnet": "lustre"}, "is not spelt like one; write e.g."),
        ("azure-lustre", {"vpc": "vpc-1"}, "no id of this kind of site"),
        ("google-lustre", {"network": "gpu"}, "projects/my-project/global/networks/gpu"),
        ("google-lustre", {"projct": "x"}, "did you mean project?"),
    ],
)
def test_an_id_that_is_none_is_a_fault_of_the_file(name, network, said):
    with pytest.raises(InputError) as caught:
        changed(name, site={"network": network})
    assert said in str(caught.value)


@pytest.mark.parametrize("site", ["azure", "google"])
def test_a_starter_is_a_plan_that_passes(site):
    node = {"azure": "azure-nd-h100-v5", "google": "google-a3-high"}[site]
    text = load.starter(name="mine", site=site, gpu_nodes=32, node=node)
    made = plan.make_plan(load.stack_from_text(text, name="mine", where="mine"), load.catalogue())
    assert {one.policy for one in plan.judge(made) if one.level == "mandatory"} == set()
    assert made.tiers["hot"].config.backend == f"{site}-lustre"


def test_azure_is_registered_as_planned():
    inputs = one("azure-lustre", AZURE).inputs
    assert {
        key: inputs[key] for key in ("skuName", "storageCapacityInTb", "zones", "maintenanceWindow", "location")
    } == {
        "skuName": "AMLFS-Durable-Premium-250",
        "storageCapacityInTb": 96,
        "zones": ["2"],
        "maintenanceWindow": {"dayOfWeek": "Sunday", "timeOfDayInUtc": "22:00"},
        "location": "eastus",
    }
    assert inputs["tags"] == {"owner": "storage", "env": "prod"}
    assert one("azure-lustre", AZURE).protected


def test_a_linked_container_has_its_roles_before_the_file_system():
    roles = [each for each in registered("azure-lustre") if _type(each) == "azure:authorization/assignment:Assignment"]
    assert {each.inputs["roleDefinitionName"] for each in roles} == {
        "Storage Account Contributor",
        "Storage Blob Data Contributor",
    }
    assert {str(each.inputs["scope"]).rpartition("/")[2] for each in roles} == {"gpudata"}
    setting = one("azure-lustre", AZURE).inputs["hsmSetting"]
    assert setting["containerId"] != setting["loggingContainerId"]


def test_google_is_registered_as_planned_with_numbers_as_text():
    inputs = one("google-lustre", GOOGLE).inputs
    assert {key: inputs[key] for key in ("capacityGib", "perUnitStorageThroughput", "filesystem", "location")} == {
        "capacityGib": "108000",
        "perUnitStorageThroughput": "250",
        "filesystem": "lustre",
        "location": "us-central1-a",
    }
    assert inputs["labels"] == {"owner": "ai_storage", "env": "prod"}
    assert one("google-lustre", GOOGLE).protected
    access = one("google-lustre", "gcp:servicenetworking/connection:Connection").inputs
    assert access["reservedPeeringRanges"] == ["lustre-range"]


@pytest.mark.parametrize(("stack", "token"), [("azure-lustre", AZURE), ("google-lustre", GOOGLE)])
def test_what_is_registered_reads_back_as_what_was_planned(stack, token):
    system = one(stack, token)
    config = plan.make_plan(load.read_stack(stack), load.catalogue()).tiers["hot"].config
    owner = __import__(f"tierplan.backends.{backends.module_name(config.backend)}", fromlist=["from_inputs"])
    read = owner.from_inputs(token, system.inputs).options
    assert {key: read[key] for key in config.options if key in read} == {
        key: value for key, value in config.options.items() if key in read
    }


@pytest.mark.parametrize(
    ("stack", "driver", "attributes"),
    [
        ("azure-lustre", "azurelustre.csi.azure.com", {"mgs-ip-address", "fs-name"}),
        ("google-lustre", "lustre.csi.storage.gke.io", {"ip", "filesystem"}),
    ],
)
def test_volumes_keep_what_a_claim_leaves(stack, driver, attributes):
    spec = one(stack, "kubernetes:core/v1:PersistentVolume").inputs["spec"]
    assert spec["persistentVolumeReclaimPolicy"] == "Retain"
    assert spec["csi"]["driver"] == driver
    assert set(spec["csi"]["volumeAttributes"]) >= attributes - {"mgs-ip-address", "ip"}
    assert one(stack, "kubernetes:storage.k8s.io/v1:StorageClass").inputs["provisioner"] == driver


def test_managed_file_systems_are_all_protected_by_the_policies():
    owned = {"azure-lustre": AZURE, "google-lustre": GOOGLE}
    for backend, token in owned.items():
        module = __import__(f"tierplan.backends.{backends.module_name(backend)}", fromlist=["TOKENS"])
        assert {token} <= set(module.TOKENS)
        assert set(module.TOKENS) <= set(FILE_SYSTEMS)


@pytest.mark.parametrize(
    ("stack", "key", "value", "said"),
    [
        ("azure-lustre", "azure:location", "westus", "azure:location is westus and site.region is eastus"),
        ("google-lustre", "gcp:region", "us-east1", "gcp:region is us-east1 and site.region is us-central1"),
    ],
)
def test_the_provider_and_the_stack_name_one_place(stack, key, value, said, monkeypatch):
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415

    spec = wire.stack_document(recording.stack_config(stack))
    monkeypatch.setattr(pulumi.Config, "get", lambda self, word, *_: value if f"{self.name}:{word}" == key else None)
    with pytest.raises(pulumi.RunError) as caught:
        recording.record(lambda: TieredStorage(stack, {"spec": spec}))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("name", "without", "remedy"),
    [
        ("azure-lustre", {"blob_container": None, "logging_container": None}, "blob_container"),
        ("google-lustre", {"bucket": None}, "write bucket"),
    ],
)
def test_home_without_a_second_copy_is_told(name, without, remedy):
    def told(stack):
        return [each for each in plan.judge(plan.make_plan(stack, load.catalogue())) if each.policy == "advice-backup"]

    assert told(load.read_stack(name)) == []
    document = yaml.safe_load(load.stack_text(load.read_stack(name)))
    options = document["config"]["tierplan:tiers"]["hot"]["options"]
    document["config"]["tierplan:tiers"]["hot"]["options"] = {k: v for k, v in options.items() if k not in without}
    (finding,) = told(load.stack_from_text(yaml.safe_dump(document), name=name, where=name))
    assert remedy in finding.remedy


def replaced(name, **options):
    """What a change of the hot tier's words replaces."""
    old = load.read_stack(name)
    document = yaml.safe_load(load.stack_text(old))
    document["config"]["tierplan:tiers"]["hot"].setdefault("options", {}).update(options)
    new = load.stack_from_text(yaml.safe_dump(document), name=name, where=name)
    plans = [plan.make_plan(each, load.catalogue()) for each in (old, new)]
    return "; ".join(each.because for each in replacements(*plans))


def test_a_diff_says_what_a_change_replaces():
    """A size of Azure never changes in place; of Google it grows, and a tier never changes."""
    assert "size" in replaced("azure-lustre", size="128 TiB")
    assert "zones" in replaced("azure-lustre", zones=["3"])
    assert replaced("azure-lustre", maintenance_window={"day": "Monday", "time": "03:00"}) == ""
    assert replaced("google-lustre", size="144000 GiB") == ""
    assert "does not shrink" in replaced("google-lustre", size="72000 GiB")
    assert "per_unit_throughput" in replaced("google-lustre", per_unit_throughput=500)


# --- JuiceFS, and the stores beneath ------------------------------------------------------------------------------


def test_an_accounts_quota_refuses_a_plan_and_is_said_with_its_figure():
    """4.38 GB/s of checkpoints into one account of Azure, which takes 25 Gbit/s unless it is raised."""
    stack = changed("azure-juicefs", tiers={"hot": {"backend": "juicefs", "options": {"cache_size": "20 TiB"}}})
    made = plan.make_plan(stack, load.catalogue())
    findings = plan.judge(made)
    assert "hot-write-bandwidth" in {one.policy for one in findings if one.level == "mandatory"}
    hot = made.tiers["hot"].delivered
    assert (hot.healthy.write.show("GB/s", 3), hot.healthy.write_limited_by) == ("3.12 GB/s", "quota")
    assert any("write 3.12 GB/s of Blob Storage" in note for note in hot.notes)
    assert any("4.38 GB/s written of 3.12 GB/s" in line for line in hot.cloud.beyond_quota)


def test_what_google_reads_of_a_region_is_capped():
    made = plan.make_plan(load.read_stack("google-juicefs"), load.catalogue())
    assert made.tiers["hot"].delivered.healthy.read == bandwidth("200 Gbit/s")
    assert any("replica of Memorystore for Redis lags behind" in note for note in made.tiers["hot"].delivered.notes)


@pytest.mark.parametrize(
    ("name", "words", "service", "word"),
    [
        ("azure-juicefs", {"metadata_engine": "redis", "quota_raised": "60 Gbit/s"}, "managed-redis", "Balanced_B"),
        ("azure-juicefs", {"metadata_engine": "tikv", "quota_raised": "60 Gbit/s"}, "vm", "Standard_E"),
        ("google-juicefs", {"metadata_engine": "postgresql"}, "cloud-sql", "db-perf-optimized-N-"),
        ("google-juicefs", {"metadata_engine": "tikv"}, "gce", "n2-highmem-"),
    ],
)
def test_each_engine_has_a_service_and_a_class(name, words, service, word):
    stack = changed(name, tiers={"hot": {"backend": "juicefs", "options": words}})
    options = plan.make_plan(stack, load.catalogue()).tiers["hot"].config.options
    assert options["metadata_service"] == service
    assert str(options["metadata_class"]).startswith(word)


def test_azures_database_is_reached_privately_and_its_account_has_no_keys():
    server = one("azure-juicefs", "azure:postgresql/flexibleServer:FlexibleServer").inputs
    assert server["skuName"] == "MO_Standard_E2ds_v5"
    assert server["publicNetworkAccessEnabled"] is False
    assert server["highAvailability"] == {"mode": "ZoneRedundant"}
    assert server["storageMb"] >= 32768
    accounts = [each for each in registered("azure-juicefs") if _type(each) == "azure:storage/account:Account"]
    assert len(accounts) == 2
    for account in accounts:
        assert account.inputs["sharedAccessKeyEnabled"] is account.inputs["allowNestedItemsToBePublic"] is False
        assert account.inputs["minTlsVersion"] == "TLS1_2"
        assert re.fullmatch("[a-z0-9]{3,24}", account.inputs["name"])
        assert account.protected


def test_rules_of_age_are_of_the_cold_account_alone():
    policies = [each for each in registered("azure-juicefs") if "managementPolicy" in each.token]
    assert [each.name for each in policies] == ["azure-juicefs-cold-account-lifecycle"]
    for rule in policies[0].inputs["rules"]:
        assert all(prefix.startswith("cold/") for prefix in rule["filters"]["prefixMatches"])


def test_googles_engine_keeps_everything_and_its_buckets_are_private():
    engine = one("google-juicefs", "gcp:redis/instance:Instance").inputs
    assert engine["redisConfigs"] == {"maxmemory-policy": "noeviction"}
    assert (engine["tier"], engine["memorySizeGb"]) == ("STANDARD_HA", 64)
    assert (engine["transitEncryptionMode"], engine["authEnabled"]) == ("SERVER_AUTHENTICATION", True)
    buckets = [each for each in registered("google-juicefs") if _type(each) == "gcp:storage/bucket:Bucket"]
    assert len(buckets) == 2
    for bucket in buckets:
        assert bucket.inputs["publicAccessPrevention"] == "enforced"
        assert bucket.inputs["uniformBucketLevelAccess"] is True
        assert bucket.protected
    volume, cold = sorted(buckets, key=lambda each: "cold" in each.name)
    assert [rule["action"]["type"] for rule in volume.inputs["lifecycleRules"]] == ["AbortIncompleteMultipartUpload"]
    assert "AbortIncompleteMultipartUpload" in {rule["action"]["type"] for rule in cold.inputs["lifecycleRules"]}


def other(name, **words):
    """What a shipped stack registers with other words of its hot tier."""
    from tierplan_pulumi import TieredStorage  # noqa: PLC0415

    spec = wire.stack_document(recording.stack_config(name))
    spec["tiers"]["hot"]["options"] |= words
    return recording.record(lambda: TieredStorage(name, {"spec": spec})).resources


def test_the_other_services_are_made_of_their_own_resources():
    azure = {each.token: each for each in other("azure-juicefs", metadata_engine="redis")}
    redis = azure["azure:managedredis/managedRedis:ManagedRedis"].inputs
    assert redis["defaultDatabase"]["evictionPolicy"] == "NoEviction"
    assert redis["defaultDatabase"]["clusteringPolicy"] == "NoCluster"
    assert redis["publicNetworkAccess"] == "Disabled"
    assert "azure:privatelink/endpoint:Endpoint" in azure
    google = {each.token: each for each in other("google-juicefs", metadata_engine="postgresql")}
    settings = google["gcp:sql/databaseInstance:DatabaseInstance"].inputs["settings"]
    assert settings["ipConfiguration"]["ipv4Enabled"] is False
    assert (settings["availabilityType"], settings["edition"]) == ("REGIONAL", "ENTERPRISE_PLUS")
    assert "gcp:sql/user:User" in google


def test_a_bucket_or_container_that_exists_is_left_as_it_is():
    tokens = [each.token for each in other("azure-juicefs", bucket="mine/hot")]
    assert tokens.count("azure:storage/account:Account") == 1  # the cold tier's
    names = [each.name for each in other("google-juicefs", bucket="mine") if _type(each) == "gcp:storage/bucket:Bucket"]
    assert names == ["google-juicefs-cold-bucket"]


@pytest.mark.parametrize(("name", "engine"), [("azure-juicefs", "postgres://"), ("google-juicefs", "rediss://")])
def test_the_engine_is_found_by_the_id_that_the_program_gives_it(name, engine):
    from tierplan.render import render  # noqa: PLC0415

    made = next(
        each.inputs["name"]
        for each in registered(name)
        if each.token.rpartition(":")[2] in ("FlexibleServer", "Instance") and "meta" in each.name
    )
    text = render(plan.make_plan(load.read_stack(name), load.catalogue()), None)["10-hot-juicefs/02-format.sh"]
    assert f"ENGINE={made}\n" in text
    assert engine in text


# --- traps --------------------------------------------------------------------------------------------------------


def test_trap_06_every_step_of_azure_carries_2000_mb_per_s():
    """So the class of 40 gives 41.67 MB/s for each TiB."""
    lab = managedlab.Lab("azure-lustre", "azure")
    for rate, step in ((40, 48), (125, 16), (250, 8), (500, 4)):
        words = {"sku": f"AMLFS-Durable-Premium-{rate}", "size": f"{3 * step} TiB"}
        found = lab.give(lab.choose(words, managedlab.nothing()), managedlab.nothing())
        assert found.healthy.read.bytes_per_s == pytest.approx(6e9)
    words = {"sku": "AMLFS-Durable-Premium-40", "size": "48 TiB"}
    found = lab.give(lab.choose(words, managedlab.nothing()), managedlab.nothing())
    assert found.healthy.read.bytes_per_s / 1e6 / 48 == pytest.approx(41.67, abs=0.01)


def test_trap_07_steps_of_google_change_at_a_threshold_that_no_small_instance_passes():
    lab = managedlab.Lab("google-lustre", "google")
    write = Bandwidth(1.53e6 / 1024 * 1e9)  # what 1,530,000 GiB of the fast tier give
    phases = (Phase(name="checkpoint", read=Bandwidth.zero(), write=write * 1.01, op_rate=OpRate.zero()),)
    clients = replace(managedlab.CLIENTS, gpu_nodes=10_000)
    need = managedlab.nothing(write=write * 1.01, phases=phases, clients=clients)
    found = lab.give(lab.choose({"per_unit_throughput": 1000}, need), need)
    assert (found.cloud.size, found.cloud.growth_ceiling) == (1_584_000, 10_008_000)
    at = managedlab.nothing(write=write, clients=clients)
    found = lab.give(lab.choose({"per_unit_throughput": 1000}, at), at)
    assert (found.cloud.size, found.cloud.growth_ceiling) == (1_530_000, 1_530_000)


def test_trap_10_a_cold_plan_needs_no_sdk():
    done = subprocess.run(
        [sys.executable, "-c", COLD_PLAN, "plan", "azure-lustre", "google-lustre", "azure-juicefs", "google-juicefs"],
        cwd=recording.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
