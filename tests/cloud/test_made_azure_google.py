"""What the stacks of Azure and Google Cloud register, and the traps of a published list that concern them."""

from __future__ import annotations

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
from tierplan.plan.program_cloud import FILE_SYSTEMS
from tierplan.units import Bandwidth, OpRate

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


def one(stack, token):
    (found,) = [each for each in registered(stack) if each.token == token]
    return found


def changed(name, **blocks):
    """A shipped stack with other words, as nouns."""
    document = yaml.safe_load(load.stack_text(load.read_stack(name)))
    for block, keys in blocks.items():
        document["config"].setdefault(f"tierplan:{block}", {}).update(keys)
    return load.stack_from_text(yaml.safe_dump(document), name=name, where=name)


@pytest.mark.parametrize("name", ["azure-lustre", "google-lustre"])
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
    roles = [each for each in registered("azure-lustre") if each.token == "azure:authorization/assignment:Assignment"]
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
        assert token in module.TOKENS
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


# --- traps --------------------------------------------------------------------------------------------------------


def test_trap_06_every_step_of_azure_carries_2000_mb_per_s():
    """So the class of 40 gives 41.67 MB/s for each TiB."""
    lab = managedlab.Lab("azure-lustre", "azure")
    for rate, step in ((40, 48), (125, 16), (250, 8), (500, 4)):
        words = {"sku": f"AMLFS-Durable-Premium-{rate}", "size": f"{3 * step} TiB"}
        found = lab.give(lab.choose(words, managedlab.nothing()), managedlab.nothing())
        assert found.healthy.read.bytes_per_s == pytest.approx(6e9)
    assert 2000 / 48 == pytest.approx(41.67, abs=0.01)


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
        [sys.executable, "-c", COLD_PLAN, "plan", "azure-lustre", "google-lustre"],
        cwd=recording.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
