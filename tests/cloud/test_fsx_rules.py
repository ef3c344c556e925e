"""What the service forbids is refused, by the right rule, with the nearest that is legal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan.backends import fsx_lustre
from tierplan.domain.stack import Drive, LayoutPins, NodePins, Quote, Site, StorageNode, TierPins
from tierplan.errors import InputError
from tierplan.load import catalogue
from tierplan.units import Bandwidth, Size, bandwidth, op_rate, size

P2 = {"deployment_type": "PERSISTENT_2", "storage_type": "SSD", "per_unit_throughput": 250, "size": "4800 GiB"}
P1 = {**P2, "deployment_type": "PERSISTENT_1", "per_unit_throughput": 100}
HDD = {**P1, "storage_type": "HDD", "per_unit_throughput": 12, "size": "6000 GiB", "drive_cache_type": "NONE"}
IT = {
    "deployment_type": "PERSISTENT_2",
    "storage_type": "INTELLIGENT_TIERING",
    "throughput_capacity": 8000,
    "metadata_mode": "USER_PROVISIONED",
    "metadata_iops": 6000,
    "read_cache": "NO_CACHE",
}
SCRATCH = {"deployment_type": "SCRATCH_2", "storage_type": "SSD", "size": "2400 GiB"}
LEGAL = {
    "scratch 1": {**SCRATCH, "deployment_type": "SCRATCH_1", "size": "3600 GiB"},
    "scratch 2": SCRATCH,
    "persistent 1": P1,
    "hdd": HDD,
    "hdd 40 with a cache": {**HDD, "per_unit_throughput": 40, "size": "7200 GiB", "drive_cache_type": "READ"},
    "persistent 2": P2,
    "with metadata": {**P2, "metadata_mode": "AUTOMATIC"},
    "more metadata": {**P2, "metadata_mode": "USER_PROVISIONED", "metadata_iops": 24000},
    "efa": {**P2, "efa": True, "size": "19200 GiB", "metadata_mode": "AUTOMATIC"},
    "tiering": IT,
    "tiering with efa": {**IT, "efa": True},
    "tiering with a cache": {**IT, "read_cache": "64 GiB"},
    "backups": {**P2, "backup_days": 90},
    "links": {**P2, "data_repositories": ({"path": "/a", "bucket": "b/x"}, {"path": "/c", "bucket": "b/y"})},
    "whole": {**P2, "data_repositories": ({"path": "/", "bucket": "b"},)},
    "compressed": {**P2, "compression": "LZ4", "kms_key": "arn:aws:kms:us-east-1:111122223333:key/1"},
}
EIGHT = tuple({"path": f"/p{index}", "bucket": f"bucket-{index}"} for index in range(9))
ILLEGAL = {
    "SCRATCH_2 3600": (
        {**SCRATCH, "size": "3600 GiB"},
        "cloud-size",
        "2,400 GiB below and 4,800 GiB above",
        '"4800 GiB"',
    ),
    "1200 with efa": (
        {**P2, "per_unit_throughput": 1000, "size": "1200 GiB", "efa": True, "metadata_mode": "AUTOMATIC"},
        "cloud-size",
        "4,800 GiB above",
        '"4800 GiB"',
    ),
    "tiering 6000": (
        {**IT, "throughput_capacity": 6000},
        "cloud-size",
        "4,000 MB/s below and 8,000 MB/s above",
        "8000",
    ),
    "tiering with a size": ({**IT, "size": "4800 GiB"}, "cloud-size", "takes throughput_capacity", "leave size out"),
    "ssd with throughput": ({**P2, "throughput_capacity": 4000}, "cloud-size", "takes size", "throughput_capacity out"),
    "no size": ({key: P2[key] for key in P2 if key != "size"}, "cloud-size", "size is missing", "from 1,200 GiB on"),
    "TB for GiB": ({**P2, "size": "4.8 TB"}, "cloud-size", "2,400 GiB below and 4,800 GiB above", '"4800 GiB"'),
    "iops 18000": (
        {**P2, "metadata_mode": "USER_PROVISIONED", "metadata_iops": 18000},
        "cloud-class",
        "12,000 IOPS below and 24,000 IOPS above",
        "metadata_iops: 24000",
    ),
    "iops below the size's": (
        {**P2, "size": "48000 GiB", "metadata_mode": "USER_PROVISIONED", "metadata_iops": 12000},
        "cloud-class",
        "asks for 24,000 or more",
        "metadata_iops: 24000",
    ),
    "iops with automatic": (
        {**P2, "metadata_mode": "AUTOMATIC", "metadata_iops": 6000},
        "cloud-class",
        "AUTOMATIC",
        "out",
    ),
    "iops without a mode": ({**P2, "metadata_iops": 6000}, "cloud-class", "metadata_mode missing", "USER_PROVISIONED"),
    "no iops": ({**P2, "metadata_mode": "USER_PROVISIONED"}, "cloud-class", "without metadata_iops", "metadata_iops"),
    "automatic tiering": (
        {**IT, "metadata_mode": "AUTOMATIC", "metadata_iops": None},
        "cloud-class",
        "USER_PROVISIONED only",
        "6000",
    ),
    "metadata on persistent 1": (
        {**P1, "metadata_mode": "AUTOMATIC"},
        "cloud-class",
        "only PERSISTENT_2",
        "PERSISTENT_2",
    ),
    "throughput of the other type": ({**P1, "per_unit_throughput": 125}, "cloud-class", "50, 100, 200", "100"),
    "no such throughput": ({**P2, "per_unit_throughput": 300}, "cloud-class", "125, 250, 500, 1000", "250"),
    "no throughput": ({**P2, "per_unit_throughput": None}, "cloud-class", "per_unit_throughput none", "125"),
    "throughput on scratch": ({**SCRATCH, "per_unit_throughput": 200}, "cloud-class", "which has none", "leave"),
    "throughput on tiering": (
        {**IT, "per_unit_throughput": 250},
        "cloud-class",
        "which has none",
        "throughput_capacity",
    ),
    "no such type": ({**P2, "deployment_type": "PERSISTENT_3"}, "cloud-class", "SCRATCH_1, SCRATCH_2", "PERSISTENT_2"),
    "no such storage": ({**P2, "storage_type": "TAPE"}, "cloud-class", "SSD, HDD", "storage_type: SSD"),
    "hdd on persistent 2": (
        {**HDD, "deployment_type": "PERSISTENT_2"},
        "cloud-class",
        "belongs to PERSISTENT_1",
        "SSD",
    ),
    "tiering on persistent 1": (
        {**IT, "deployment_type": "PERSISTENT_1"},
        "cloud-class",
        "belongs to PERSISTENT_2",
        "SSD",
    ),
    "hdd without cache word": ({**HDD, "drive_cache_type": None}, "cloud-class", "required with", "NONE or READ"),
    "ssd with cache word": ({**P2, "drive_cache_type": "READ"}, "cloud-class", "belongs to", "leave"),
    "hdd with another word": ({**HDD, "drive_cache_type": "WRITE"}, "cloud-class", "NONE, READ", "NONE"),
    "tiering without a cache": ({**IT, "read_cache": None}, "cloud-class", "required with", "PROPORTIONAL"),
    "ssd with a read cache": ({**P2, "read_cache": "NO_CACHE"}, "cloud-class", "belongs to", "leave"),
    "small read cache": ({**IT, "read_cache": "32 GiB"}, "cloud-class", "from 64 to 262,144 GiB", "PROPORTIONAL"),
    "compression": ({**P2, "compression": "GZIP"}, "cloud-class", "NONE, LZ4", "NONE"),
    "old version": ({**P2, "version": "2.10"}, "cloud-class", "needs 2.12", "2.12"),
    "version without metadata": (
        {**P2, "metadata_mode": "AUTOMATIC", "version": "2.12"},
        "cloud-class",
        "2.15",
        "2.15",
    ),
    "no such version": ({**P2, "version": "2.14"}, "cloud-class", "2.10, 2.12, 2.15", "2.15"),
    "old link": ({**P2, "import_path": "s3://b"}, "cloud-class", "data repository", "data_repositories"),
    "key on scratch": ({**SCRATCH, "kms_key": "arn"}, "cloud-class", "persistent types only", "leave"),
    "region": ({**P2, "region": "eu-west-3"}, "cloud-class", "not offered in eu-west-3", "PERSISTENT_1"),
    "slow region": (
        {**P2, "region": "ca-west-1", "per_unit_throughput": 500},
        "cloud-class",
        "125 and 250",
        "per_unit_throughput: 250",
    ),
    "efa on persistent 1": ({**P1, "efa": True}, "cloud-efa", "without deployment_type: PERSISTENT_2", "PERSISTENT_2"),
    "efa without metadata": (
        {**P2, "efa": True, "size": "19200 GiB"},
        "cloud-efa",
        "metadata_mode: AUTOMATIC",
        "write",
    ),
    "backups on scratch": ({**SCRATCH, "backup_days": 7}, "cloud-backup", "which has no backups", "PERSISTENT_2"),
    "backups and links": (
        {**P2, "backup_days": 7, "data_repositories": ({"path": "/a", "bucket": "b"},)},
        "cloud-backup",
        "linked to a bucket",
        "backup_days: 0",
    ),
    "backups too long": ({**P2, "backup_days": 91}, "cloud-backup", "0 to 90", "90"),
    "nine links": ({**P2, "data_repositories": EIGHT}, "cloud-repository", "9 data repositories; at most 8", "link 8"),
    "nested paths": (
        {**P2, "data_repositories": ({"path": "/a", "bucket": "b"}, {"path": "/a/b", "bucket": "c"})},
        "cloud-repository",
        "overlap: path /a/ and /a/b/",
        "apart",
    ),
    "root and another": (
        {**P2, "data_repositories": ({"path": "/", "bucket": "b"}, {"path": "/a", "bucket": "c"})},
        "cloud-repository",
        "overlap: path",
        "apart",
    ),
    "nested prefixes": (
        {**P2, "data_repositories": ({"path": "/a", "bucket": "b"}, {"path": "/c", "bucket": "b/x"})},
        "cloud-repository",
        "overlap: bucket",
        "apart",
    ),
    "no map": ({**P2, "data_repositories": ("b",)}, "cloud-repository", "is a map of path", "data_repositories"),
    "relative": ({**P2, "data_repositories": ({"path": "a"},)}, "cloud-repository", "from / on", "data_repositories"),
    "link of scratch 1": (
        {**SCRATCH, "deployment_type": "SCRATCH_1", "data_repositories": ({"path": "/a", "bucket": "b"},)},
        "cloud-repository",
        "with SCRATCH_1",
        "SCRATCH_2",
    ),
    "unknown word": ({**P2, "throughput": 1}, "hot-layout", "unknown option throughput", "did you mean"),
}


def without_none(words):
    return {key: value for key, value in words.items() if value is not None}


@pytest.mark.parametrize("name", LEGAL)
def test_what_is_legal_passes(name, lab):
    assert lab("illegal")(LEGAL[name]) == []


@pytest.mark.parametrize("name", ILLEGAL)
def test_what_is_illegal_is_refused_with_the_nearest_that_is_legal(name, lab):
    words, policy, message, remedy = ILLEGAL[name]
    found = lab("illegal")(without_none(words))
    assert {one.policy for one in found} == {policy}
    text = "; ".join(one.message for one in found)
    assert message in text
    assert remedy in "; ".join(one.remedy for one in found)
    assert policy in lab("mandatory")(lab("config_of")(without_none(words)), lab("nothing")())


def test_a_choice_of_the_first_day_that_cannot_reach_the_forecast(lab):
    grown = lab("nothing")(capacity=size("3 TiB"), survive=replace(lab("nothing")().survive, nodes=0))
    fixed = {**SCRATCH, "deployment_type": "SCRATCH_1"}
    assert lab("mandatory")(lab("config_of")(fixed), grown) == {"hot-capacity", "cloud-growth"}
    assert lab("mandatory")(lab("config_of")(SCRATCH), grown) == {"hot-capacity"}  # grows in place
    busy = lab("nothing")(op_rate=op_rate("5000 ops/s"))
    assert lab("mandatory")(lab("config_of")(P2), busy) == {"hot-op-rate", "cloud-growth"}
    with_metadata = {**P2, "metadata_mode": "AUTOMATIC"}
    assert lab("mandatory")(lab("config_of")(with_metadata), busy) == set()


def test_how_far_and_how_it_can_change(lab):
    def cloud(words):
        return lab("give")(lab("config_of")(words), lab("nothing")()).cloud

    assert cloud({**SCRATCH, "deployment_type": "SCRATCH_1"}).growth_ceiling == 2400
    assert cloud(P2).growth_ceiling is None
    assert cloud(IT).growth_ceiling == 2_000_000
    assert any("per_unit_throughput" in word for word in cloud(P2).changes_in_place)
    efa = {**P2, "efa": True, "size": "19200 GiB", "metadata_mode": "AUTOMATIC"}
    assert not any("per_unit_throughput" in word for word in cloud(efa).changes_in_place)
    assert not any("per_unit_throughput" in word for word in cloud(HDD).changes_in_place)
    assert {"efa", "subnet", "deployment_type"} <= set(cloud(P2).replaces_on_change)
    assert cloud({**P2, "size": "3600 GiB"}).legal is False
    assert (cloud({**P2, "size": "3600 GiB"}).previous_legal, cloud({**P2, "size": "3600 GiB"}).next_legal) == (
        2400,
        4800,
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({**P2, "size": "103200 GiB"}, "PERSISTENT_2 storage: 103,200 GiB of 100,800 GiB"),
        ({**SCRATCH, "size": "103200 GiB"}, "scratch storage"),
        ({**HDD, "size": "108000 GiB"}, "HDD size: 108,000 GiB of 102,000 GiB"),
        ({**IT, "throughput_capacity": 104000}, "Intelligent-Tiering throughput: 104,000 MB/s of 100,000 MB/s"),
        ({**IT, "throughput_capacity": 8000, "read_cache": "110000 GiB"}, "read cache: 110,000 GiB of 100,800 GiB"),
    ],
)
def test_a_default_quota_that_is_exceeded_is_printed_and_refuses_nothing(words, said, lab):
    found = lab("give")(lab("config_of")(words), lab("nothing")())
    assert any(said in line for line in found.cloud.beyond_quota)
    assert any(said in note for note in found.notes)
    assert not [one for one in found.illegal if one.policy.startswith("cloud-")]


def test_a_service_has_nothing_of_hosts_to_pin(lab):
    drive = Drive(size=Size(1e12), read=Bandwidth(1e9), write=Bandwidth(1e9))
    node = StorageNode(drives=4, drive=drive, ports=1, port_rate=bandwidth("1 GB/s"), cores=8, memory=Size(1e9))
    pins = TierPins(
        backend="fsx-lustre",
        nodes=3,
        node=NodePins(drives=node.drives),
        layout=LayoutPins(replicas=2),
        quote=Quote(read=bandwidth("1 GB/s"), write=bandwidth("1 GB/s"), usable=Size(1e12), source="offer"),
    )
    need, facts = lab("nothing")(), catalogue().backend("fsx-lustre")
    (config,) = fsx_lustre.BACKEND.choices(need, pins, Site(kind="aws"), facts)
    assert (config.nodes, config.node.drives, config.layout.replicas) == (3, 4, 2)
    (fault,) = [one for one in lab("give")(config, need).illegal if one.policy == "hot-layout"]
    assert (
        fault.message
        == "fsx-lustre is a service: nodes and node and layout and quote cannot be pinned, the service decides them"
    )


def test_scratch_loses_data_with_a_server_and_persistent_types_do_not(lab):
    scratch, kept = (lab("give")(lab("config_of")(words), lab("nothing")()) for words in (SCRATCH, P2))
    assert scratch.degraded[0].data_lost
    assert not kept.degraded[0].data_lost
    assert kept.degraded[0].read == kept.healthy.read


INPUTS = {
    "storageCapacity": 4800.0,
    "deploymentType": "PERSISTENT_2",
    "perUnitStorageThroughput": 250.0,
    "subnetIds": "subnet-1",
    "metadataConfiguration": {"mode": "USER_PROVISIONED", "iops": 12000.0},
    "efaEnabled": False,
    "automaticBackupRetentionDays": 7.0,
}


def test_a_resource_of_anybodys_program_is_read_as_its_words(lab):
    config = fsx_lustre.from_inputs(fsx_lustre.TOKENS[0], INPUTS)
    assert config.options == {
        "deployment_type": "PERSISTENT_2",
        "storage_type": "SSD",
        "efa": False,
        "size": "4800 GiB",
        "per_unit_throughput": 250,
        "backup_days": 7,
        "metadata_iops": 12000,
        "metadata_mode": "USER_PROVISIONED",
        "version": "2.15",
    }
    assert lab("mandatory")(config, lab("nothing")()) == set()


def test_what_a_resource_leaves_out_is_as_the_service_takes_it(lab):
    """The provider's own default is the scratch type."""
    bare = fsx_lustre.from_inputs(fsx_lustre.TOKENS[0], {"subnetIds": "subnet-1", "storageCapacity": 3600.0})
    assert bare.options["deployment_type"] == "SCRATCH_1"
    assert bare.options["version"] == "2.10"
    old = fsx_lustre.from_inputs(fsx_lustre.TOKENS[0], {"deploymentType": "PERSISTENT_2", "storageCapacity": 1200.0})
    assert old.options["version"] == "2.12"
    assert {one.policy for one in lab("illegal")(old.options)} == {"cloud-class"}  # no throughput


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"storageCapacity": "1200 GiB"}, "storageCapacity: '1200 GiB' is not a number"),
        ({"efaEnabled": 1.0}, "efaEnabled"),
        ({"metadataConfiguration": "AUTOMATIC"}, "metadataConfiguration.iops: 'AUTOMATIC' is no map"),
        ({"deploymentType": True}, "deploymentType"),
    ],
)
def test_inputs_of_a_wrong_type_are_said(inputs, said):
    with pytest.raises(InputError) as caught:
        fsx_lustre.from_inputs(fsx_lustre.TOKENS[0], inputs)
    assert said in str(caught.value)
