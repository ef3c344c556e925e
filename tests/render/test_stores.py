"""The files of the on-premises object stores in the hands of bash, systemd, PyYAML, tomllib and crushtool."""

import json
import os
import re
import shutil
import subprocess
import tomllib
from dataclasses import replace

import pytest
import yaml

from command_table import table, unknown
from tierplan import load, plan
from tierplan.backends import _sets
from tierplan.domain.hosts import Host, HostGroup, Hosts
from tierplan.domain.stack import LayoutPins, LifecyclePins, NodePins, Survive, TierPins
from tierplan.render import render, write
from tierplan.units import duration

STORES = ("minio", "rustfs", "seaweedfs", "garage")
SSH = '#!/usr/bin/env bash\nwhile [ "$1" != -- ]; do shift; done\nexport ON="${2#root@}"\nshift 2\nexec bash -c "$*"\n'
RECORD = r"""#!/usr/bin/env bash
{ printf '%s\x1f' "${ON:-}" "${0##*/}" "$@"; printf '\x1e'; } >> "$LOG"
case "${0##*/} $*" in
  "garage node id"*) echo "$(echo "$ON" | sha256sum | cut -c1-64)@10.0.0.1:3901" ;;
  "mc alias set"* | "kubectl "*) cat > /dev/null ;;
esac
"""
PROGRAMS = ("mc", "garage", "kubectl", "systemctl", "mkfs.xfs", "mount", "useradd", "chown", "aws", "install")
SECRETS = {
    "TIERPLAN_STORE_USER": "archive-user",
    "TIERPLAN_STORE_PASSWORD": "hunter'2 $(x)",
    "TIERPLAN_KEYS_DIR": "keys",
}
HOSTILE = ("; rm -rf /", "a\nrm -rf /", "\"'`$(touch /tmp/x)`", "{{ 7 * 7 }}", "x: y # z", "\\\\ %s ${HOME}")
UNIT_SECTIONS = {"Unit", "Service", "Install", "Timer"}


def made(backend, *, kubernetes=True, survive=None, name="cephfs", delete_after=None, **pins):
    """The shipped CephFS stack with this store behind it."""
    stack = load.read_stack("cephfs")
    if backend == "rustfs":
        pins["options"] = {"evaluation": True, **pins.get("options", {})}
    stack = replace(
        stack,
        name=name,
        tiers=replace(
            stack.tiers,
            cold=TierPins(backend=backend, **pins),
            lifecycle=LifecyclePins(delete_after=duration("365 d")) if delete_after else stack.tiers.lifecycle,
        ),
        operations=replace(stack.operations, kubernetes=kubernetes),
        targets=replace(stack.targets, survive=survive or stack.targets.survive),
    )
    return plan.make_plan(stack, load.catalogue())


def hosts_of(nodes, *, drives=24, racks=8, named=True):
    return Hosts(
        cold=HostGroup(
            virtual_ips=("10.20.255.1/16",),
            drives=tuple(f"/dev/sd{letter}" for letter in "abcdefghijklmnopqrstuvwx"[:drives]) if named else (),
            db_drives=("/dev/nvme0n1",),
            hosts=tuple(
                Host(name=f"cold-{index}", addresses=(f"10.20.0.{index + 1}",), rack=f"r{index * racks // nodes}")
                for index in range(nodes)
            ),
        )
    )


def own(files, backend):
    return {path.partition("/")[2]: text for path, text in files.items() if path.startswith(f"20-cold-{backend}/")}


@pytest.fixture(scope="module")
def every():
    """Files of plans that between them take every branch, by product."""
    found = {}
    for backend in STORES:
        usual = made(backend)
        nodes = usual.tiers["cold"].config.nodes
        versioned = {} if backend == "garage" else {"versioning": True}
        options = {"bucket": "archive", **versioned}
        if backend in {"minio", "rustfs"}:
            options |= {"pools": 2, "set_drive_count": 12}
        other = made(backend, kubernetes=False, options=options, nodes=8)
        copies = made(backend, layout=LayoutPins(replicas=2), nodes=8) if backend == "seaweedfs" else other
        found[backend] = {
            "usual": own(render(usual, hosts_of(nodes)), backend),
            "examples": own(render(usual, None), backend),
            "aged": own(render(made(backend, delete_after="365 d"), None), backend),
            "other": own(render(other, hosts_of(8)), backend),
            "copies": own(render(copies, hosts_of(8)), backend),
        }
    return found


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


def names_of(value):
    if isinstance(value, dict):
        return set(value).union(*(names_of(item) for item in value.values())) if value else set()
    return set().union(*(names_of(item) for item in value)) if isinstance(value, list) and value else set()


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


def settings(text):
    pairs = [line.partition("=")[::2] for line in text.splitlines() if line and not line.startswith("#")]
    return {name: value.strip('"') for name, value in pairs}


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


# --- run ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path):
    """Run one rendered script against programs that write down; what was called, and the files that came to be."""
    tools, root = tmp_path / "tools", tmp_path / "root"
    tools.mkdir()
    root.mkdir()
    for program, text in {"ssh": SSH, **dict.fromkeys(PROGRAMS, RECORD)}.items():
        (tools / program).write_text(text)
        (tools / program).chmod(0o755)

    def runner(files, script, **environment):
        moved = {path: re.sub(r"(?<![\w.])/etc/", f"{root}/etc/", text) for path, text in files.items()}
        for folder in ("etc/default", "etc/systemd/system", "etc/seaweedfs", "etc/garage"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        for path, text in moved.items():
            (out / path).write_text(text)
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        found = subprocess.run(
            ["bash", str(out / script)],
            env={"PATH": f"{tools}:{os.environ['PATH']}", "LOG": str(log), "HOME": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        calls = [call.split("\x1f")[:-1] for call in log.read_text().split("\x1e")[:-1]] if log.exists() else []
        return found, calls, root

    return runner


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_install_puts_names_settings_unit_and_starts_all(name, every, run):
    found, calls, root = run(every[name]["other"], "06-install.sh", **SECRETS)
    assert found.returncode == 0, found.stderr
    started = [call[0] for call in calls if call[1:3] == ["systemctl", "enable"]]
    assert started == [f"cold-{index}" for index in range(8)]
    secret = (root / f"etc/default/{name}-secret").read_text()
    assert SECRETS["TIERPLAN_STORE_PASSWORD"] in secret
    assert ((root / f"etc/default/{name}-secret").stat().st_mode & 0o777) == 0o600
    hosts = (root / "etc/hosts").read_text()
    assert hosts.startswith("127.0.0.1 localhost\n")
    assert hosts.count(f" {name}-") == 8
    assert settings((root / f"etc/default/{name}").read_text())


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_install_stops_without_secrets(name, every, run):
    found, calls, _ = run(every[name]["other"], "06-install.sh")
    assert (found.returncode != 0, calls) == (True, [])


def test_buckets_are_private_and_the_key_is_on_no_command_line(every, run):
    found, calls, _ = run(every["minio"]["other"], "10-buckets.sh", **SECRETS)
    assert found.returncode == 0, found.stderr
    words = [" ".join(call[1:]) for call in calls]
    assert "mc anonymous set none tierplan/archive" in words
    assert not [word for word in words if SECRETS["TIERPLAN_STORE_PASSWORD"] in word]


@pytest.mark.parametrize("name", STORES)
def test_drives_are_erased_only_when_asked(name, run):
    script = "03-drives.sh" if name in {"minio", "rustfs"} else "02-drives.sh"
    files = own(render(made(name, nodes=4, node=NodePins(drives=2)), hosts_of(4, drives=2)), name)
    _, calls, _ = run(files, script)
    assert not [call for call in calls if call[1] == "mkfs.xfs"]
    found, calls, _ = run(files, script, TIERPLAN_APPLY="yes")
    made_on = [call[-1] for call in calls if call[1] == "mkfs.xfs"]
    assert found.returncode == 0, found.stderr
    assert len([device for device in made_on if device.startswith("/dev/sd")]) == 4 * 2


def test_garage_layout_is_shown_before_it_is_applied(every, run):
    _, calls, _ = run(every["garage"]["other"], "06-layout.sh")
    assert not [call for call in calls if "apply" in call]
    found, calls, _ = run(every["garage"]["other"], "06-layout.sh", TIERPLAN_APPLY="yes")
    assert found.returncode == 0, found.stderr
    assert len([call for call in calls if "assign" in call]) == 8
    assert [call[0] for call in calls if "apply" in call] == ["cold-0"]


def test_weed_install_gives_each_node_its_address(run):
    files = own(render(made("seaweedfs", nodes=4), hosts_of(4)), "seaweedfs")
    found, calls, root = run(files, "08-install.sh", **SECRETS)
    assert found.returncode == 0, found.stderr
    assert settings((root / "etc/default/weed").read_text())["WEED_IP"] == "10.20.0.4"
    document = json.loads((root / "etc/seaweedfs/s3.json").read_text())
    assert names_of(document) <= set(table("seaweedfs")["fields"]["identities"]["names"])
    assert document["identities"][0]["credentials"][0]["secretKey"] == SECRETS["TIERPLAN_STORE_PASSWORD"]
    masters = [call[0] for call in calls if call[1:3] == ["systemctl", "enable"] and "weed-master.service" in call]
    assert len(masters) == 3


def test_files_can_be_written(tmp_path):
    write(render(made("minio"), None), tmp_path / "out")
    assert (tmp_path / "out" / "20-cold-minio" / "06-install.sh").stat().st_mode & 0o111


# --- Ceph's maps ----------------------------------------------------------------------------------------------------


def mappings(tool, folder, *, width, copies=3, lost=()):
    """Groups that find too few places, with some OSDs out."""
    weights = [word for osd in lost for word in ("--weight", str(osd), "0")]
    bad = []
    for rule, count in ((0, copies), (1, width)):
        command = [tool, "-i", str(folder / "map"), "--test", "--rule", str(rule), "--num-rep", str(count)]
        words = [*command, "--min-x", "0", "--max-x", "511", "--show-bad-mappings", "--show-statistics", *weights]
        found = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "512/512" in found.stdout or "bad mapping" in found.stdout
        bad += re.findall("bad mapping.*", found.stdout)
    return bad


CEPH_CASES = {
    "small": {"nodes": None},
    "wide": {"layout": LayoutPins(data_units=8, parity_units=3)},
    "copies": {"layout": LayoutPins(replicas=3)},
    "racks": {"survive": Survive(nodes=1, racks=1)},
    "few racks": {
        "survive": Survive(nodes=0, racks=1),
        "layout": LayoutPins(data_units=8, parity_units=4),
    },
    "flash": {"node": NodePins(drives=6, medium="nvme")},
}


@pytest.mark.parametrize("case", CEPH_CASES)
def test_every_group_finds_a_place_also_after_what_the_plan_survives(case, tmp_path):
    """Ceph's own crushtool places the rendered map: whole, one host lost, one rack lost where racks are domains."""
    tool = shutil.which("crushtool")
    if tool is None:
        pytest.skip("crushtool (ceph-base) is not installed")
    planned = made("ceph-rgw", **CEPH_CASES[case])
    config = planned.tiers["cold"].config
    drives, layout = config.node.drives, config.layout
    text = own(render(planned, None), "ceph-rgw")["17-crush-map.txt"]
    (tmp_path / "text").write_text(text)
    made_map = subprocess.run(
        [tool, "-c", str(tmp_path / "text"), "-o", str(tmp_path / "map")], capture_output=True, text=True, check=False
    )
    assert made_map.returncode == 0, made_map.stderr
    assert len(re.findall("^device", text, flags=re.MULTILINE)) == config.nodes * drives
    assert mappings(tool, tmp_path, width=layout.width) == []
    by_rack = layout.failure_domain == "rack"
    assert by_rack == ("racks" in case)
    if not by_rack or config.nodes > 8:  # a host of eight lone ones is a rack: that loss is the next case
        assert mappings(tool, tmp_path, width=layout.width, lost=range(drives)) == []
    if by_rack:
        rack = [osd for host in range(0, config.nodes, 8) for osd in range(host * drives, (host + 1) * drives)]
        bad = mappings(tool, tmp_path, width=layout.width, lost=rack)
        units = config.options.get("units_per_rack", 0)
        assert bool(bad) == bool(units)
        # several units in each rack: those of a lost one wait for it, and no group misses more than they are
        assert all(one.count("2147483647") <= units <= layout.parity_units for one in bad)


CEPH = """#!/usr/bin/env bash
case "$*" in
  "osd getcrushmap -o "*) cp "$MAP" "$4" ;;
  "osd setcrushmap -i "*) cp "$4" "$MAP" ;;
esac
"""


def test_rule_of_two_levels_is_written_into_the_map_and_tried_on_it(tmp_path):
    """08-pools.sh with Ceph's own crushtool and a map that lacks the rule; few racks, and racks of too few hosts."""
    if shutil.which("crushtool") is None:
        pytest.skip("crushtool (ceph-base) is not installed")
    planned = made("ceph-rgw", **CEPH_CASES["few racks"])
    nodes = planned.tiers["cold"].config.nodes
    files = own(render(planned, hosts_of(nodes)), "ceph-rgw")
    (tmp_path / "ceph").write_text(CEPH)
    (tmp_path / "ceph").chmod(0o755)
    text = files["17-crush-map.txt"].partition("rule cold-data")[0]
    lone = re.sub(r"(?m)^  item cold-(?!0 )\d+ .*\n", "", text)  # one host is left in all racks together
    for name, map_text, works in (("whole", text, True), ("lone", lone, False)):
        (tmp_path / "text").write_text(map_text)
        subprocess.run(["crushtool", "-c", str(tmp_path / "text"), "-o", str(tmp_path / "map")], check=True)
        (tmp_path / "pools.sh").write_text(files["08-pools.sh"])
        found = subprocess.run(
            ["bash", str(tmp_path / "pools.sh")],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "MAP": str(tmp_path / "map")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (found.returncode == 0) == works, (name, found.stderr)
        shown = subprocess.run(
            ["crushtool", "-d", str(tmp_path / "map")], capture_output=True, text=True, check=True
        ).stdout
        assert ("rule cold-data {" in shown) == works
