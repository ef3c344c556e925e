"""CephFS's files in the hands of bash, PyYAML, crushtool and a table of sourced commands."""

import configparser
import importlib.util
import json
import re
import shutil
import subprocess
from importlib import resources
from pathlib import Path

import pytest
import yaml

from tierplan.backends import cephfs
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout, TierConfig, TierPlan
from tierplan.load import catalogue
from tierplan.render import render
from tierplan.units import bandwidth, size

TABLE = yaml.safe_load(resources.files("tierplan").joinpath("catalogue/options/cephfs.yaml").read_text())
FIELDS = {name: set(row["names"]) for name, row in TABLE["fields"].items()}
CODE = Layout(kind="erasure-code", data_units=4, parity_units=2)
COPIES = Layout(kind="replicas", replicas=3)
FOLDER = "10-hot-cephfs"


@pytest.fixture
def shell():
    """The parser of scripts that holds them against the tables of all products, here against this table."""
    spec = importlib.util.spec_from_file_location("shell_parser", Path(__file__).with_name("test_options.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.COMMANDS = TABLE["commands"]
    module.SYSTEM = module.SYSTEM | {"umount"}
    return module


@pytest.fixture
def tier(weka_tier):
    """A CephFS tier as the backend gives it."""

    def make(*, nodes=12, layout=CODE, **options):
        node = StorageNode(
            drives=12,
            drive=Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s")),
            ports=2,
            port_rate=bandwidth("100 Gbit/s"),
            cores=64,
            memory=size("256 GiB"),
        )
        config = TierConfig(
            tier="hot", backend="cephfs", nodes=nodes, node=node, layout=layout, racks=8, options=options
        )
        need = weka_tier().need
        delivered = cephfs.BACKEND.deliver(config, need, catalogue().backend("cephfs"))
        return TierPlan(need=need, config=config, delivered=delivered)

    return make


@pytest.fixture
def renderings(tier, plan_of, hosts):
    """Plans that between them take every branch of the templates."""
    racks = Layout(kind="erasure-code", data_units=4, parity_units=2, failure_domain="rack")
    drives = Layout(kind="erasure-code", data_units=4, parity_units=2, failure_domain="drive")
    return {
        "code": render(plan_of(hot=tier(), tags={"owner": "storage"}), hosts),
        "copies": render(plan_of(hot=tier(layout=COPIES, pinning="random"), kubernetes=False), hosts),
        "racks": render(plan_of(hot=tier(layout=racks, optimized_code=True, pinning="none")), hosts),
        "drives": render(plan_of(hot=tier(layout=drives, secure_messenger=True, active_mds=2)), hosts),
        "examples": render(plan_of(hot=tier(nodes=20)), None),
    }


def documents(files, name):
    return [document for document in yaml.safe_load_all(files[f"{FOLDER}/{name}"]) if document]


def test_every_rendered_command_is_in_the_sourced_table(renderings, shell):
    used = set()
    for files in renderings.values():
        for path, text in shell.scripts(files):
            for words in shell.commands_of(text):
                assert shell.faults_of(words) == [], path
                used.add(shell.name_of(words))
    assert used == set(TABLE["commands"]), set(TABLE["commands"]) - used


def test_every_row_has_a_source():
    rows = [*TABLE["commands"].values(), *TABLE["fields"].values()]
    assert {row["source"] for row in rows} == set(TABLE["sources"])


def test_every_script_is_bash_and_every_yaml_yaml(renderings):
    for files in renderings.values():
        for path, text in files.items():
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), path
            if path.endswith(".yaml"):
                assert [document for document in yaml.safe_load_all(text) if document], path


def test_service_specifications_hold_known_keys_only(renderings):
    for files in renderings.values():
        for name in ("04-hosts.yaml", "05-services.yaml", "06-osds.yaml", "09-mds.yaml"):
            for document in documents(files, name):
                assert set(document) <= FIELDS[document["service_type"]]
                assert set(document.get("placement", {})) <= FIELDS["placement"]
                if "spec" in document:
                    assert set(document["spec"]) <= FIELDS["osd_spec"]
                    assert set(document["spec"]["data_devices"]) <= FIELDS["devices"]


def test_labels_are_enough_for_every_daemon(renderings):
    for files in renderings.values():
        found = documents(files, "04-hosts.yaml")
        count = {label: sum(label in host["labels"] for host in found) for label in ("mon", "mgr", "mds")}
        (mds,) = documents(files, "09-mds.yaml")
        assert count["mon"] == 5
        assert count["mgr"] == 2
        assert count["mds"] == mds["placement"]["count"] >= 2


def test_kubernetes_objects_hold_known_fields_only(renderings):
    seen = set()
    for files in renderings.values():
        for path in files:
            if "/rook/" in path or path.endswith("15-csi.yaml"):
                for document in documents(files, path.removeprefix(f"{FOLDER}/")):
                    seen.add(document["kind"])
                    if document["kind"] == "StorageClass":
                        assert set(document["parameters"]) <= FIELDS["storage_class_parameters"]
                        assert document["reclaimPolicy"] == "Retain"
                    elif document["kind"] == "ConfigMap":
                        (cluster,) = json.loads(document["data"]["config.json"])
                        assert len(cluster["monitors"]) == 5
                    else:
                        assert set(document["spec"]) <= FIELDS[document["kind"]]
    assert seen == {"StorageClass", "ConfigMap", "CephCluster", "CephFilesystem", "CephFilesystemSubVolumeGroup"}
    assert not [path for path in renderings["copies"] if "rook" in path or "csi" in path]


def test_rook_makes_the_pools_of_the_plan(renderings):
    spec = documents(renderings["code"], "rook/02-file-system.yaml")[0]["spec"]
    assert [pool["name"] for pool in spec["dataPools"]] == ["data", "bulk"]
    assert spec["dataPools"][1]["erasureCoded"] == {"dataChunks": 4, "codingChunks": 2, "algorithm": "isa"}
    pins = {
        name: documents(renderings[name], "rook/02-file-system.yaml")[1]["spec"]["pinning"]
        for name in ("code", "racks")
    }
    assert pins == {"code": {"distributed": 1}, "racks": {"distributed": 0}}
    nodes = documents(renderings["code"], "rook/01-cluster.yaml")[0]["spec"]["storage"]["nodes"]
    assert len(nodes) == 12
    assert all(len(node["devices"]) == 12 for node in nodes)


def test_attributes_mount_options_secrets_and_metrics_are_known(renderings):
    for files in renderings.values():
        text = files[f"{FOLDER}/11-directories.sh"]
        assert set(re.findall(r"setfattr -n (\S+)", text)) <= FIELDS["attributes"]
        (line,) = [line for line in files[f"{FOLDER}/12-client.fstab"].splitlines() if not line.startswith("#")]
        device, mount_point, kind, options, *rest = line.split()
        assert (device, mount_point, kind, rest) == ("hot@.hot=/", "/mnt/hot", "ceph", ["0", "0"])
        assert {option.partition("=")[0] for option in options.split(",")} <= FIELDS["mount_options"]
        secret = files.get(f"{FOLDER}/14-csi-secret.sh")
        if secret is not None:
            assert set(re.findall(r"--from-(?:file|literal)=(\w+)=", secret)) == FIELDS["secret_keys"]
        for rule in documents(files, "18-alerts.yaml")[0]["groups"][0]["rules"]:
            used = set(re.findall(r"ceph_\w+", rule["expr"]))
            assert used
            assert used <= FIELDS["metrics"]


def test_configuration_is_ini(renderings):
    for files in renderings.values():
        parser = configparser.ConfigParser()
        parser.read_string(files[f"{FOLDER}/02-initial-ceph.conf"])
        assert {key for section in parser.sections() for key in parser[section]} <= FIELDS["config"]
        assert parser["mds"]["mds_cache_memory_limit"] == str(4 * 2**30)


def test_pools_files_and_quota_are_those_of_the_plan(renderings, tier):
    pools = renderings["code"][f"{FOLDER}/08-pools.sh"]
    assert "k=4 m=2 plugin=isa" in pools
    assert "allow_ec_overwrites true" in pools
    assert "allow_ec_optimizations" not in pools
    assert "ceph osd pool set cephfs.hot.bulk min_size 5" in pools
    assert "allow_ec_optimizations true" in renderings["racks"][f"{FOLDER}/08-pools.sh"]
    directories = renderings["code"][f"{FOLDER}/11-directories.sh"]
    assert "ceph.dir.layout.pool -v cephfs.hot.bulk" in directories
    assert f"max_bytes -v {int(tier().delivered.planned.bytes)} " in directories
    assert "ceph.dir.layout.pool" not in renderings["copies"][f"{FOLDER}/11-directories.sh"]


def test_scripts_with_example_names_stop(renderings):
    for path, text in renderings["examples"].items():
        if path.endswith(".sh"):
            assert "\nexit 1\n" in text.split("are examples")[1][:80], path


def mappings(tool, folder, *, lost=()):
    """Groups of the data rule that find no place, with some OSDs out."""
    weights = [word for osd in lost for word in ("--weight", str(osd), "0")]
    bad = []
    for rule, width in ((0, 3), (1, 3 if "firstn" in (folder / "rule").read_text() else 6)):
        command = [tool, "-i", str(folder / "map"), "--test", "--rule", str(rule), "--num-rep", str(width)]
        words = [*command, "--min-x", "0", "--max-x", "511", "--show-bad-mappings", "--show-statistics", *weights]
        found = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "512/512" in found.stdout or "bad mapping" in found.stdout
        bad += re.findall("bad mapping.*", found.stdout)
    return bad


def test_every_group_finds_a_place_also_after_a_host_is_lost(renderings, tmp_path):
    """Ceph's own crushtool (package ceph-base) places the rendered map."""
    tool = shutil.which("crushtool")
    if tool is None:
        pytest.skip("crushtool (ceph-base) is not installed")
    for name, files in renderings.items():
        text = files[f"{FOLDER}/16-crush-map.txt"]
        (tmp_path / "text").write_text(text)
        (tmp_path / "rule").write_text(text.partition("rule cephfs-data")[2])
        compiled = subprocess.run(
            [tool, "-c", str(tmp_path / "text"), "-o", str(tmp_path / "map")],
            capture_output=True,
            text=True,
            check=False,
        )
        assert compiled.returncode == 0, (name, compiled.stderr)
        assert mappings(tool, tmp_path) == [], name
        assert mappings(tool, tmp_path, lost=range(12)) == [], name
    whole = renderings["code"][f"{FOLDER}/16-crush-map.txt"]
    assert len(re.findall("^device", whole, flags=re.MULTILINE)) == 144


def test_crushtool_finds_a_map_that_is_too_small(tier, plan_of, tmp_path):
    """The check itself can fail: six hosts hold 4+2, but not when one is lost."""
    tool = shutil.which("crushtool")
    if tool is None:
        pytest.skip("crushtool (ceph-base) is not installed")
    text = render(plan_of(hot=tier(nodes=6)), None)[f"{FOLDER}/16-crush-map.txt"]
    (tmp_path / "text").write_text(text)
    (tmp_path / "rule").write_text(text.partition("rule cephfs-data")[2])
    subprocess.run([tool, "-c", str(tmp_path / "text"), "-o", str(tmp_path / "map")], capture_output=True, check=True)
    assert mappings(tool, tmp_path) == []
    assert len(mappings(tool, tmp_path, lost=range(12))) == 512
