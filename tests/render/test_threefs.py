"""3FS files in the hands of bash, tomllib, csv and PyYAML; every command and key in the sourced table."""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import tomllib
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest
import yaml

from tierplan.backends import threefs
from tierplan.domain.hosts import ClientHosts, Host, HostGroup, Hosts
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.tiers import Layout, TierConfig, TierPlan
from tierplan.load import catalogue
from tierplan.render import render
from tierplan.units import OpRate, bandwidth, size

FOLDER = "10-hot-3fs"
TABLE = yaml.safe_load(resources.files("tierplan").joinpath("catalogue/options/3fs.yaml").read_text())
NODES, DRIVES = 8, 4
# Programs of the operating system, whose options are not the table's matter.
SYSTEM = {"[", ":", "awk", "bash", "blockdev", "cat", "cd", "declare", "df", "echo", "exit", "export", "for", "fault"}
SYSTEM |= {"grep", "local", "lscpu", "lsblk", "mkdir", "mount", "printf", "python3", "return", "scp", "set", "sh"}
SYSTEM |= {"shift", "sort", "ssh", "systemctl", "test"}
SECRETS = ("CLICKHOUSE_PASSWORD",)


def tier(*, nodes=NODES, replicas=3, options=None):
    facts = catalogue().backend("3fs")
    node = facts.nodes["nvme-16x15.36"]
    node = type(node)(
        drives=DRIVES, drive=node.drive, ports=2, port_rate=node.port_rate, cores=64, memory=node.memory, medium="nvme"
    )
    need = TierNeed(
        tier="hot",
        read=bandwidth("20 GB/s"),
        write=bandwidth("18 GB/s"),
        op_rate=OpRate(1000.0),
        capacity=size("50 TB"),
        phases=(),
        clients=Clients(gpu_nodes=16, ports=2, port_rate=bandwidth("200 Gbit/s"), transport="roce", cpu_cores=112),
    )
    config = TierConfig(
        tier="hot",
        backend="3fs",
        nodes=nodes,
        node=node,
        layout=Layout(kind="replicas", replicas=replicas),
        racks=4,
        options=options or {},
    )
    return TierPlan(need=need, config=config, delivered=threefs.BACKEND.deliver(config, need, facts))


@pytest.fixture
def own_hosts():
    group = HostGroup(
        ports=("ib0", "ib1"),
        drives=tuple(f"/dev/nvme{index}n1" for index in range(DRIVES)),
        hosts=tuple(
            Host(name=f"store-{index}.example.internal", addresses=(f"10.10.1.{index + 1}",), rack=f"r{index % 4}")
            for index in range(NODES)
        ),
    )
    return Hosts(hot=group, clients=ClientHosts(ports=("ib0", "ib1")))


@pytest.fixture
def files(plan_of, own_hosts):
    return render(plan_of(hot=tier(), tags={"owner": "storage"}), own_hosts)


def of(files, name):
    return files[f"{FOLDER}/{name}"]


def scripts(files):
    return {path: text for path, text in files.items() if path.endswith(".sh")}


# --- forms ------------------------------------------------------------------------------------------------------


def test_every_script_is_bash(files, tmp_path):
    assert len(scripts(files)) == 9
    for path, text in scripts(files).items():
        script = tmp_path / "script.sh"
        script.write_text(text)
        done = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), path


def dotted(value, path=()):
    """Every key of a document with its way; the rows of a list of tables are one."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from dotted(inner, (*path, key))
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for row in value:
            yield from dotted(row, path)
    else:
        yield ".".join(path)


def test_every_configuration_file_is_toml_with_known_keys(files):
    found = {path: text for path, text in files.items() if path.endswith(".toml")}
    assert len(found) == 9
    for path, text in found.items():
        service = path.rpartition("/")[2].removesuffix(".toml")
        assert set(dotted(tomllib.loads(text))) == set(TABLE["fields"][service]["names"]), path


def test_services_find_managers_monitor_and_drives(files):
    storage = tomllib.loads(of(files, "etc/storage_main.toml"))
    managers = [f"RDMA://10.10.1.{index}:8000" for index in (1, 2, 3)]
    assert storage["server"]["mgmtd"]["mgmtd_server_addresses"] == managers
    assert storage["server"]["targets"]["target_paths"] == [f"/storage/data{index}/3fs" for index in range(1, 5)]
    assert storage["common"]["monitor"]["reporters"][0]["monitor_collector"]["remote_ip"] == "10.10.1.1:10000"
    ports = [group["listener"]["listen_port"] for group in storage["server"]["base"]["groups"]]
    assert ports == [8002, 9002]


def test_chain_files_hold_every_target_once_on_distinct_nodes(files):
    rows = list(csv.reader(of(files, "chains/generated_chains.csv").splitlines()))
    assert rows[0] == ["ChainId", "TargetId", "TargetId", "TargetId"]
    made = re.findall(
        r"^create-target --node-id (\d+) --disk-index (\d+) --target-id (\d+) --chain-id (\d+) --use-new-chunk-engine$",
        of(files, "chains/create_target_cmd.txt"),
        flags=re.MULTILINE,
    )
    assert len(made) == len(of(files, "chains/create_target_cmd.txt").splitlines()) == NODES * DRIVES * 6
    node_of = {target: (node, disk) for node, disk, target, _ in made}
    assert len(node_of) == len(made)
    for chain, *targets in rows[1:]:
        places = [node_of[target] for target in targets]
        assert len({node for node, _ in places}) == 3
        assert len({disk for _, disk in places}) == 1
        assert {owner for _, _, target, owner in made if target in targets} == {chain}
    assert set(Counter(places[0] for places in node_of.values()).values()) == {DRIVES * 6}
    table = of(files, "chains/generated_chain_table.csv").splitlines()
    assert table == ["ChainId", *(row[0] for row in rows[1:])]
    for node, disk, target, _ in made:  # the ids say where a target lies
        assert target.startswith(f"1{int(node):06d}{int(disk) + 1:03d}")


def test_alerts_are_rules_on_known_metrics(files):
    (group,) = yaml.safe_load(of(files, "10-alerts.yaml"))["groups"]
    words = {"sum", "rate", "job", "mountpoint", "name", "state"}
    for rule in group["rules"]:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        bare = re.sub(r'"[^"]*"|\[\w+\]', "", rule["expr"])
        assert set(re.findall(r"[A-Za-z_]\w*", bare)) - words <= set(TABLE["fields"]["metrics"]["names"])
        assert bare.count("(") == bare.count(")")
    assert "/ 3 > 50000000000000" in group["rules"][0]["expr"]


def test_kubernetes_objects_hold_known_keys(files, plan_of, own_hosts):
    cluster = yaml.safe_load(of(files, "operator/01-threefscluster.yaml"))
    assert set(dotted(cluster["spec"])) == set(TABLE["fields"]["ThreeFsCluster"]["names"])
    storage, spec = cluster["spec"]["storage"], cluster["spec"]
    assert NODES * len(storage["targetPaths"]) * storage["targetPerDisk"] % storage["replica"] == 0
    assert storage["targetPerDisk"] * (storage["replica"] - 1) >= NODES - 1
    assert spec["fdb"]["clusterSize"] >= 2 * spec["fdb"]["storageReplicas"] - 1
    pod = yaml.safe_load(of(files, "operator/03-pod.yaml"))
    assert set(pod["metadata"]["labels"]) == set(TABLE["fields"]["pod_labels"]["names"])
    volume, claim = yaml.safe_load_all(of(files, "09-volume.yaml"))
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
    assert volume["metadata"]["annotations"] == {"tierplan/tags": "owner=storage"}
    plain = render(plan_of(hot=tier(), kubernetes=False), own_hosts)
    assert not [path for path in plain if "operator" in path or "volume" in path]


def test_operator_is_left_out_where_it_would_refuse_the_chains(plan_of, own_hosts):
    """It wants every node to share a chain with every other."""
    few = render(plan_of(hot=tier(replicas=2, options={"targets_per_disk": 6})), own_hosts)
    assert not [path for path in few if "operator" in path]


# --- commands ---------------------------------------------------------------------------------------------------


def faults_of(row, words, name):
    """What of a command line is not in its table."""
    rest, arguments, faults = list(words), [], []
    while rest:
        word = rest.pop(0)
        key, equals, _ = word.partition("=")
        if not word.startswith("-") or word == "-":
            arguments.append(word)
        elif (kind := row.get("options", {}).get(key)) is None:
            faults.append(f"{name}: no option {word}")
        elif kind == "value" and not equals:
            faults += [] if rest else [f"{name}: {word} without its value"]
            rest = rest[1:]
    fewest, most = row.get("arguments", [0, 0])
    if not fewest <= len(arguments) <= most and "$@" not in arguments:
        faults.append(f"{name}: {len(arguments)} words for {fewest} to {most}")
    return faults


def inner_commands(text):
    """What admin_cli is told: behind `admin` and `as_user FILE`, and in the READMEs."""
    for pattern in (r"admin '([^']*(?:'\S*')?[^']*)'", r"as_user \S+ '([^']+)'", r"admin_cli -cfg \S+ '([^']+)'"):
        yield from re.findall(pattern, text)


def test_every_admin_command_is_in_the_table(files):
    text = "\n".join([*scripts(files).values(), of(files, "README.md")])
    lines = [*inner_commands(text), *of(files, "chains/create_target_cmd.txt").splitlines()]
    used = set()
    for line in lines:
        name, *words = shlex.split(line)
        assert faults_of(TABLE["admin_commands"][name], words, name) == []
        used.add(name)
    assert used == set(TABLE["admin_commands"])


def programs(text):
    """Every simple command of a script, as words, without texts for other programs."""
    functions = set(re.findall(r"^(?:\s*)(\w+)\(\) \{", text, flags=re.MULTILINE))
    plain = re.sub(r"python3 -c '\n.*?\n'", "python3", text.replace("\\\n", " "), flags=re.DOTALL)
    plain = re.sub(r"sh -c '[^']*'|awk '[^']*'|bash -c '[^']*'", "cat", plain)
    for line in plain.splitlines():
        if line.lstrip().startswith("#") or not line.strip():
            continue
        lexer = shlex.shlex(re.sub(r"\$\(\(.*?\)\)|\$\(.*\)", "SUB", line), posix=True, punctuation_chars=";&|()<>")
        lexer.whitespace_split = True
        command = []
        for word in [*lexer, ";"]:
            if set(word) <= set(";&|()"):
                rest = command
                while rest and (
                    rest[0] in {"if", "then", "elif", "else", "fi", "do", "done", "!", "{", "}"} or "=" in rest[0]
                ):
                    rest = rest[1:]
                rest = rest[2:] if rest[:1] == ["on"] else rest
                rest = rest[: rest.index("<")] if "<" in rest else rest
                if rest and rest[0] not in functions and rest[0] not in SYSTEM:
                    yield rest
                command = []
            else:
                command.append(word)


def test_every_program_is_in_the_table(files):
    used = set()
    for path, text in scripts(files).items():
        for words in programs(text):
            words[0] = words[0].rpartition("/")[2]
            names = [name for name in TABLE["commands"] if words[: len(name.split())] == name.split()]
            assert names, f"{path}: unknown command {words}"
            name = max(names, key=len)
            assert faults_of(TABLE["commands"][name], words[len(name.split()) :], name) == [], path
            used.add(name)
    assert used == set(TABLE["commands"])


def test_keys_that_scripts_write_are_in_the_table(files):
    for service, script in (("app", "04-mgmtd.sh"), ("monitor_collector_main", "03-monitor.sh")):
        text = of(files, script)
        for name in TABLE["fields"][service]["names"]:
            assert name.rpartition(".")[2] in text
    labels = set(re.findall(r"(threefs\.aliyun\.com/\S+)=true", of(files, "operator/02-apply.sh")))
    assert labels == set(TABLE["fields"]["node_labels"]["names"])


def test_every_row_has_a_source():
    rows = [*TABLE["commands"].values(), *TABLE["admin_commands"].values(), *TABLE["fields"].values()]
    assert {row["source"] for row in rows} == set(TABLE["sources"])


# --- running ----------------------------------------------------------------------------------------------------

SSH = r"""#!/usr/bin/env bash
while [ "$1" != -- ]; do shift; done
host=$2
shift 2
printf '%s\n' "$host: $*" >> "$LOG"
case "$*" in
  *user-add*) echo "Token AAA(Expired at N/A)" ;;
  *admin_cli*) cat > /dev/null ;;
  *"test -s"*) [ -e "$LOG.token" ] ;;
  *token.txt*) cat > "$LOG.token" ;;
  *) cat > /dev/null ;;
esac
"""


@pytest.fixture
def run(files, tmp_path):
    """A script of the folder, with an ssh that only writes down; what was asked, in order."""
    bin_, work = tmp_path / "bin", tmp_path / "work"
    bin_.mkdir()
    for name, text in {"ssh": SSH, "scp": '#!/usr/bin/env bash\necho "scp $*" >> "$LOG"\n'}.items():
        (bin_ / name).write_text(text)
        (bin_ / name).chmod(0o755)
    for path, text in files.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(text)

    def execute(name, **environment):
        environment = {"PATH": f"{bin_}:/usr/bin:/bin", "LOG": str(tmp_path / "log"), **environment}
        script = work / FOLDER / name
        done = subprocess.run(
            ["bash", script], capture_output=True, text=True, env=environment, check=False, input="", timeout=60
        )
        assert done.returncode == 0, done.stderr
        return (tmp_path / "log").read_text().splitlines()

    return execute


def test_managers_are_started_after_the_cluster_is_made(run):
    lines = run("04-mgmtd.sh")
    made = next(index for index, line in enumerate(lines) if "init-cluster" in line)
    started = [index for index, line in enumerate(lines) if "systemctl start mgmtd_main" in line]
    assert len(started) == 3
    assert made < min(started)
    hosts = {lines[index].partition(":")[0] for index in started}
    assert len(hosts) == 3


def test_storage_nodes_are_numbered_in_the_order_of_the_hosts(run):
    lines = run("06-storage.sh")
    starts = [line for line in lines if "systemctl start storage_main" in line]
    assert [line.partition(":")[0] for line in starts] == [f"root@store-{n}.example.internal" for n in range(NODES)]
    text = "\n".join(lines)
    assert text.count("storage_main_app.toml") == NODES


def test_chains_are_uploaded_before_their_table_and_the_token_is_only_a_token(run, tmp_path):
    lines = run("07-chains.sh")
    order = ["user-add", "create_target_cmd.txt", "upload-chains", "upload-chain-table", "list-chains"]
    places = [next(n for n, line in enumerate(lines) if word in line and "scp" not in line) for word in order]
    assert places == sorted(places)
    assert (tmp_path / "log.token").read_text() == "AAA\n"


def test_second_run_keeps_the_user(run, tmp_path):
    (tmp_path / "log.token").write_text("AAA\n")
    assert not [line for line in run("07-chains.sh") if "user-add" in line]


def test_clients_get_mount_and_token(run):
    lines = run("08-clients.sh", CLIENTS="gpu-1 gpu-2")
    assert [line.partition(":")[0] for line in lines if "systemctl start hf3fs_fuse_main" in line] == [
        "root@gpu-1",
        "root@gpu-2",
    ]


# --- words of others ------------------------------------------------------------------------------------------------


def test_hostile_names_leave_no_field(plan_of, own_hosts, hostile):
    harmless = render(plan_of(hot=tier(), name="x", tags={"owner": "x"}), own_hosts)
    for text in hostile:
        files = render(plan_of(hot=tier(), name=text, tags={"owner": text}), own_hosts)
        assert list(files) == list(harmless)
        for path, made in files.items():
            assert len(made.splitlines()) == len(harmless[path].splitlines()), (path, text)


def test_no_secret_is_in_any_file(files):
    text = "\n".join(files.values())
    for word in SECRETS:
        assert not re.search(rf"{word}=\S", text)


def test_same_plan_gives_the_same_bytes(plan_of, own_hosts):
    plan = plan_of(hot=tier())
    assert dict(render(plan, own_hosts)) == dict(render(plan, own_hosts))


def test_without_hosts_scripts_stop(plan_of):
    for path, text in scripts(render(plan_of(hot=tier()), None)).items():
        assert "TO BE REPLACED" in text, path
        assert "\nexit 1\n" in text, path


def test_links_of_its_page_lead_to_files_and_functions():
    docs = Path(__file__).parents[2] / "docs"
    links = re.findall(r"\[(`?)([^\]`]+)`?\]\(([^)#:]+)\)", (docs / "3fs.md").read_text())
    assert len(links) >= 12
    for code, name, target in links:
        path = (docs / target).resolve()
        assert path.exists(), target
        if code and path.suffix == ".py":
            assert re.search(rf"^def {name}\(", path.read_text(), flags=re.MULTILINE), (name, target)
