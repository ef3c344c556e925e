"""The files of the on-premises object stores in the hands of bash, systemd, PyYAML and tomllib."""

import json
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml

from command_table import table, unknown
from stores import STORES, made, names_of, own, renderings, settings
from tierplan.backends import _sets
from tierplan.render import render

HOSTILE = ("; rm -rf /", "a\nrm -rf /", "\"'`$(touch /tmp/x)`", "{{ 7 * 7 }}", "x: y # z", "\\\\ %s ${HOME}")
UNIT_SECTIONS = {"Unit", "Service", "Install", "Timer"}


@pytest.fixture(scope="module")
def every():
    """Files of plans that between them take every branch, by product."""
    return renderings()


@pytest.fixture(params=STORES)
def store(request, every):
    return request.param, every[request.param]


def test_every_command_and_option_is_in_the_table(store):
    name, renderings = store
    used = set()
    for files in renderings.values():
        found, called = unknown(files, name)
        assert found == []
        used |= called
    assert used == set(table(name)["commands"])


def test_the_check_itself_can_fail():
    for name, line in (("minio", "mc mb --region x a"), ("garage", 'on "$FIRST" garage layout apply --force')):
        assert unknown({"x.sh": line}, name)[0], line


def test_table_names_a_source_for_every_row(store):
    rows = [*table(store[0])["commands"].values(), *table(store[0])["fields"].values()]
    assert {row["source"] for row in rows} == set(table(store[0])["sources"])


def test_scripts_are_bash(store):
    for files in store[1].values():
        for path, text in files.items():
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), path


def test_scripts_with_example_names_stop(store):
    for path, text in store[1]["examples"].items():
        if path.endswith(".sh"):
            assert "TO BE REPLACED" in text or "\nexit 1\n" in text, path
            assert "\nexit 1\n" in text.split("are examples")[1][:90], path


def test_yaml_is_yaml_and_toml_is_toml(store):
    name, renderings = store
    for files in renderings.values():
        for path, text in files.items():
            if path.endswith(".yaml"):
                assert [one for one in yaml.safe_load_all(text) if one], path
            if path.endswith(".toml"):
                assert names_of(tomllib.loads(text)) <= set(table(name)["fields"]["toml"]["names"])


def units(files):
    return {path: text for path, text in files.items() if path.endswith((".service", ".timer"))}


def test_units_hold_known_keys_and_systemd_takes_them(store, tmp_path):
    name, renderings = store
    tool = shutil.which("systemd-analyze")
    for files in renderings.values():
        for path, text in units(files).items():
            lines = [line for line in text.splitlines() if line and not line.startswith("#")]
            assert {line.strip("[]") for line in lines if line.startswith("[")} <= UNIT_SECTIONS
            keys = {line.partition("=")[0] for line in lines if not line.startswith("[")}
            assert keys <= set(table(name)["fields"]["unit"]["names"]), (path, keys)
            # the programs are not here: what the unit says beside them is what is checked
            (tmp_path / re.sub(r"^\d\d-", "", path)).write_text(
                re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", re.sub(r"(?m)^(User|Group)=.*\n", "", text))
            )
        if tool:
            listed = sorted(str(one) for one in tmp_path.iterdir())
            found = subprocess.run([tool, "verify", "--man=no", *listed], capture_output=True, text=True, check=False)
            assert "Unknown" not in found.stderr + found.stdout, found.stderr
            assert found.returncode == 0, found.stderr


def test_no_secret_is_in_any_file(store):
    for files in store[1].values():
        text = "\n".join(files.values())
        for word in ("ROOT_PASSWORD", "SECRET_KEY", "rpc_secret ="):
            assert not re.search(rf"{word}\s*[=:]\s*[\"']?[A-Za-z0-9]", text), word


def test_hostile_names_leave_no_field(store):
    name, _ = store
    harmless = own(render(made(name, name="x"), None), name)
    for text in HOSTILE:
        files = own(render(made(name, name=text), None), name)
        assert list(files) == list(harmless)
        for path, rendered in files.items():
            assert len(rendered.splitlines()) == len(harmless[path].splitlines()), (path, text)


# --- MinIO and RustFS ---------------------------------------------------------------------------------------------


def expanded(word):
    """A pattern of three dots as the server expands it, last braces first in turn."""
    found = re.fullmatch(r"(.*)\{(\d+)\.\.\.(\d+)\}(.*)\{(\d+)\.\.\.(\d+)\}", word)
    head, first, last, middle, low, high = found.groups()
    return [
        (f"{head}{server}{middle}", drive)
        for drive in range(int(low), int(high) + 1)
        for server in range(int(first), int(last) + 1)
    ]


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_settings_make_the_sets_of_the_plan(name, every):
    """The line that the server reads, expanded and cut as it does, gives the pools and sets that were planned."""
    fields = set(table(name)["fields"]["environment"]["names"])
    for rendering in ("usual", "other"):
        files = every[name][rendering]
        given = settings(files[f"04-{name}.env"])
        assert set(given) <= fields
        prefix = name.upper()
        pools = given[f"{prefix}_VOLUMES"].split()
        assert len(pools) == (1 if rendering == "usual" else 2)
        for word in pools:
            ends = expanded(word)
            servers, drives = len({server for server, _ in ends}), len({drive for _, drive in ends})
            size = int(given.get(f"{prefix}_ERASURE_SET_DRIVE_COUNT", 0)) or _sets.set_size(
                servers=servers, drives=drives
            )
            assert len(ends) % size == 0
            assert int(given[f"{prefix}_STORAGE_CLASS_STANDARD"].removeprefix("EC:")) == _sets.default_parity(size)
    assert "set_drive_count" not in every[name]["usual"][f"04-{name}.env"]


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_names_run_in_turn_over_the_racks(name, every):
    lines = [line for line in every[name]["other"]["02-names.hosts"].splitlines() if not line.startswith("#")]
    assert [line.split()[1] for line in lines] == [f"{name}-{number}" for number in range(1, 9)]
    assert len({line.split()[0] for line in lines}) == 8


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_kubernetes_starts_the_pods_of_a_pool_together_and_apart(name, every):
    documents = [one for one in yaml.safe_load_all(every[name]["usual"]["08-kubernetes.yaml"]) if one]
    assert [one["kind"] for one in documents] == ["Service", "Service", "StatefulSet"]
    spec = documents[2]["spec"]
    assert spec["podManagementPolicy"] == "Parallel"
    template = spec["template"]["spec"]
    assert template["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (container,) = template["containers"]
    claims = {one["metadata"]["name"] for one in spec["volumeClaimTemplates"]}
    assert {one["name"] for one in container["volumeMounts"]} == claims
    assert len(claims) == 24
    text = json.dumps(container)
    ends = re.search(r"\{0\.\.\.(\d+)\}\.\w+\.cold", text)
    assert int(ends[1]) + 1 == spec["replicas"]
    assert not [path for path in every[name]["other"] if path.startswith(("08-", "09-"))]


@pytest.mark.parametrize(
    ("name", "path", "sets"), [("garage", "09-kubernetes.yaml", 1), ("seaweedfs", "11-kubernetes.yaml", 3)]
)
def test_kubernetes_mounts_every_claim_once_and_apart(name, path, sets, every):
    documents = [one for one in yaml.safe_load_all(every[name]["usual"][path]) if one]
    stateful = [one["spec"] for one in documents if one["kind"] == "StatefulSet"]
    assert len(stateful) == sets
    for spec in stateful:
        pod = spec["template"]["spec"]
        assert pod["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        (container,) = pod["containers"]
        claims = {one["metadata"]["name"] for one in spec["volumeClaimTemplates"]}
        volumes = {one["name"] for one in pod.get("volumes", ())}
        assert {one["name"] for one in container["volumeMounts"]} == claims | volumes
        for word in container.get("args", ())[1:]:
            fields = table("seaweedfs")["fields"][container["args"][0]]["names"]
            assert word.lstrip("-").partition("=")[0] in fields
    for document in documents:
        if document["kind"] == "ConfigMap":
            settings_of = tomllib.loads(document["data"]["garage.toml"])
            assert names_of(settings_of) <= set(table("garage")["fields"]["toml"]["names"])
    assert path not in every[name]["other"]


def test_compose_files_mount_every_drive(store):
    _, renderings = store
    path = next(path for path in renderings["usual"] if path.endswith("compose.yaml"))
    document = yaml.safe_load(renderings["usual"][path])
    mounts = [mount for one in document["services"].values() for mount in one["volumes"]]
    assert len([mount for mount in mounts if re.search(r"(drive|weed|garage)\d+:", mount)]) == 24
    assert all(one["network_mode"] == "host" for one in document["services"].values())


def test_minio_says_that_nobody_maintains_it_and_rustfs_that_it_is_a_trial(every):
    assert "no longer maintained" in every["minio"]["usual"]["README.md"]
    for heir in ("Ceph RGW", "SeaweedFS", "Garage", "AIStor", "RustFS"):
        assert heir in every["minio"]["usual"]["README.md"]
    assert "release candidate" in every["rustfs"]["usual"]["README.md"]


def test_alerts_use_known_metrics(every):
    for document in yaml.safe_load_all(every["minio"]["usual"]["11-alerts.yaml"]):
        for rule in document["groups"][0]["rules"]:
            assert set(re.findall(r"minio_\w+", rule["expr"])) <= set(table("minio")["fields"]["metrics"]["names"])


def test_what_not_to_use_is_said(store):
    assert "s3fs, goofys" in store[1]["usual"]["README.md"]
    assert "deletes the old ones" in store[1]["usual"]["README.md"].replace("\n", " ")


# --- SeaweedFS and Garage -----------------------------------------------------------------------------------------


def test_weed_is_called_with_known_flags(every):
    fields = table("seaweedfs")["fields"]
    for files in every["seaweedfs"].values():
        for path, text in units(files).items():
            for role in ("master", "volume", "filer"):
                for line in re.findall(rf"weed {role} (.*)", text):
                    flags = {word.lstrip("-").partition("=")[0] for word in line.split()}
                    assert flags <= set(fields[role]["names"]), path
            for line in re.findall(r"printf '%%s\\n' (.*?) \|", text):
                for word in re.findall(r"'([^']*)'|(\w+)", line):
                    plain = re.sub(r"=\S+", "", word[0] or word[1])
                    assert plain in fields["shell"]["names"]


def test_sealing_runs_on_one_node_and_only_with_a_code(every):
    usual, copies = every["seaweedfs"]["usual"], every["seaweedfs"]["copies"]
    assert usual["08-install.sh"].count("06-weed-seal.service 07-weed-seal.timer") == 1
    assert "06-weed-seal.service" not in copies
    assert "-defaultReplication=010" in usual["03-weed-master.service"]


def test_garage_spreads_over_racks_and_knows_its_drives(every):
    files = every["garage"]["usual"]
    document = tomllib.loads(files["03-garage.toml"])
    assert (document["replication_factor"], len(document["data_dir"])) == (3, 24)
    zones = re.findall(r"^member \S+ (\S+)$", files["06-layout.sh"], flags=re.MULTILINE)
    assert len(set(zones)) == 8
