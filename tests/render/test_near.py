"""What is rendered near the GPUs: drives, cache software, loaders, the data path; parsed, run, held against tables."""

import configparser
import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tomllib
import types
from dataclasses import replace
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
import yaml

from tierplan import load, plan
from tierplan.domain.stack import RemoteNvme
from tierplan.render import artifacts, render, write
from tierplan.units import bandwidth

PACKAGE = resources.files("tierplan")
FLUID = json.loads((Path(__file__).parents[1] / "golden" / "fluid_fields.json").read_text())
SYSTEM = {
    *("test", "mktemp", "trap", "rm", "cp", "case", "esac", "grep", "cut", "cat", "continue", "findmnt", "mv"),
    *("chmod", "xargs", ";;", "modprobe", "ln"),
}
DRIVES = tuple(f"/dev/nvme{index}n1" for index in range(1, 9))


def table(name):
    return yaml.safe_load((PACKAGE / "catalogue" / "options" / f"{name}.yaml").read_text())


TABLES = {
    name: table(name)
    for name in ("local-nvme", "juicefs-cache", "alluxio", "fluid", "lmcache", "mooncake", "data-path")
}
FIELDS = {name: {key: set(row["names"]) for key, row in one.get("fields", {}).items()} for name, one in TABLES.items()}


@pytest.fixture(scope="module")
def shell():
    """The parser of scripts that the other products' tests use, with the tables of what stands near the GPUs."""
    spec = importlib.util.spec_from_file_location("shell_parser", Path(__file__).with_name("test_options.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.COMMANDS = {command: row for one in TABLES.values() for command, row in one.get("commands", {}).items()}
    module.SYSTEM = module.SYSTEM | SYSTEM
    return module


def changed(name, *, software=None, use=None, hot=None, placement=None, first_landing=None, **options):
    """A shipped stack with other words for its local tier."""
    stack = load.read_stack(name)
    local = stack.tiers.local
    local = replace(
        local,
        software=software or local.software,
        use=use or local.use,
        options={**(local.options if software is None else {}), "drive_paths": DRIVES, **options},
    )
    tiers = replace(stack.tiers, local=local)
    if hot:
        tiers = replace(tiers, hot=hot)
    works = stack.workloads
    if placement:
        works = tuple(replace(work, placement=placement) for work in works)
    if first_landing:
        works = tuple(
            replace(work, checkpoint=replace(work.checkpoint, first_landing=first_landing, mode="async"))
            for work in works
        )
    return plan.make_plan(replace(stack, tiers=tiers, workloads=works), load.catalogue())


def remote_drives():
    """GPU nodes without drives: those of four NVMe-oF targets."""
    stack = load.read_stack("alluxio")
    drive = stack.cluster.local_nvme
    remote = RemoteNvme(
        drives=4,
        size=drive.size,
        read=drive.read,
        write=drive.write,
        targets=4,
        ports=2,
        port_rate=bandwidth("200 Gbit/s"),
        addresses=("10.9.0.1", "10.9.0.2"),
    )
    options = {"drive_paths": DRIVES[:4]}
    local = replace(stack.tiers.local, software="none", use=("dataset-cache",), remote=remote, options=options)
    cluster = replace(stack.cluster, local_nvme=replace(drive, drives=0))
    made = replace(stack, cluster=cluster, tiers=replace(stack.tiers, local=local))
    return plan.make_plan(made, load.catalogue())


@pytest.fixture(scope="module")
def renderings():
    """Plans that between them take every branch of the templates."""
    every = ("dataset-cache", "checkpoint-first-landing", "scratch")
    plans = {
        "bare": changed("alluxio", software="none", use=every, first_landing="peer"),
        "drives": changed("alluxio", software="none", use=every, arrays="per-drive", first_landing="local"),
        "alluxio": changed("alluxio", workers=("gpu-1", "gpu-2"), worker_memory="64 GiB", s3_endpoint="http://s3:8000"),
        "alluxio one": changed("alluxio", masters=("m-1",), workers=("gpu-1",), under_store="s3://x"),
        "juicefs": changed("alluxio", software="juicefs"),
        "juicefs words": changed(
            "alluxio", software="juicefs", metadata_url="redis://m:6379/1", bucket="http://b:9000/x", write_back=True
        ),
        "fluid": changed("fluid"),
        "fluid juicefs": changed("fluid", software="fluid", runtime="juicefs", policy="Cron", schedule="0 2 * * *"),
        "fluid local": changed("fluid", software="fluid", arrays="raid0"),
        "remote": remote_drives(),
        "lmcache": changed("lmcache", model="org/model"),
        "lmcache below": changed("lmcache", placement=("host-memory", "local", "hot"), engine="sglang"),
        "lmcache 3fs": changed("mooncake", software="lmcache", use=("kv-cache",)),
        "mooncake": changed("mooncake"),
        "mooncake drives": changed("lmcache", software="mooncake", master="m-1", engine="sglang", devices="mlx5_0"),
    }
    return {name: render(made, None) for name, made in plans.items()}


def near(files):
    """Path and text of what is rendered near the GPUs."""
    return {path: text for path, text in files.items() if re.match(r"(50|60|70)-", path)}


def test_every_plan_has_its_folders(renderings):
    for name, files in renderings.items():
        folders = {path.split("/")[0] for path in near(files)}
        assert "70-data-path" in folders
        assert len([folder for folder in folders if folder.startswith("50-local-")]) == 1, name
        assert ("60-train-io" in folders) == ("cache" not in name or "alluxio" in name) or name.startswith(
            ("lm", "moon")
        )


def test_every_rendered_command_is_in_the_sourced_tables(renderings, shell):
    used = set()
    for name, files in renderings.items():
        for path, text in near(files).items():
            if not path.endswith(".sh"):
                continue
            for line in shell.commands_of(text):
                words = line[1:] if line[:1] == ["exec"] else line
                if not words or words[0] in SYSTEM or "*" in words[0]:  # patterns of `case`
                    continue
                if words[0] in ("python3", "server_args.py") or words[0].startswith("sglang"):
                    continue
                assert shell.faults_of(words) == [], (name, path)
                used.add(shell.name_of(words))
    hot_only = {command for command in TABLES["data-path"]["commands"] if command not in {"elbencho", "iostat"}}
    assert set(shell.COMMANDS) - used <= hot_only


def test_every_script_is_bash_every_yaml_yaml_every_json_json(renderings):
    for name, files in renderings.items():
        for path, text in near(files).items():
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), (name, path)
            if path.endswith(".yaml"):
                assert [one for one in yaml.safe_load_all(text) if one], (name, path)
            if path.endswith(".json"):
                assert json.loads(text), (name, path)


def test_every_file_says_plan_and_template(renderings):
    for files in renderings.values():
        for one in artifacts(files):
            if one.path in near(files) and not one.path.endswith(".json"):
                assert f"templates/{one.template}" in files[one.path].replace("\\", "")


def test_scripts_stop_while_drives_have_no_names():
    files = render(plan.make_plan(load.read_stack("fluid"), load.catalogue()), None)
    for path, text in near(files).items():
        if path.startswith("50-") and path.endswith(".sh"):
            assert "drive_paths are examples" in text, path
            found = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False, timeout=30)
            assert found.returncode == 1, path


def test_nothing_is_erased_without_a_word(renderings):
    text = renderings["bare"]["50-local-local-nvme/02-arrays.sh"]
    found = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False, timeout=30)
    assert found.returncode == 1
    assert "erases /dev/nvme1n1" in found.stderr
    assert "TIERPLAN_APPLY=yes" in found.stderr


@pytest.mark.parametrize("name", ["bare", "drives"])
def test_drives_are_made_mounted_and_shared_out(renderings, name, tmp_path):
    """The scripts against programs that only write down."""
    log = tmp_path / "log"
    for tool in ("mdadm", "mkfs.xfs", "xfs_quota", "systemctl", "mount", "mkdir", "df", "grep"):
        (tmp_path / tool).write_text(f'#!/bin/bash\necho {tool} "$@" >> {log}\n[ {tool} != grep ]\n')
        (tmp_path / tool).chmod(0o755)
    made = renderings[name]
    text = made["50-local-local-nvme/02-arrays.sh"].replace("/etc/", f"{tmp_path}/")
    for script in (text, made["50-local-local-nvme/03-shares.sh"]):
        found = subprocess.run(
            ["bash", "-c", script],
            env={"PATH": f"{tmp_path}:/usr/bin:/bin", "TIERPLAN_APPLY": "yes"},
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        assert found.returncode == 0, found.stderr
    lines = log.read_text().splitlines()
    file_systems = 8 if name == "drives" else 1
    assert len([line for line in lines if line.startswith("mkfs.xfs")]) == file_systems
    assert any("--raid-devices=8 --chunk=512 /dev/nvme1n1" in line for line in lines) == (name == "bare")
    assert (tmp_path / "fstab").read_text().count("prjquota,nofail") == file_systems
    quotas = [int(word) for line in lines for word in re.findall(r"bhard=(\d+)m", line)]
    assert len(quotas) == 3 * file_systems  # first landing, datasets, scratch
    assert sum(quotas) * 2**20 < 8 * 3.84e12  # less than the drives


def properties(text):
    rows = [line.partition("=") for line in text.splitlines() if line and not line.startswith("#")]
    return {key: value for key, _, value in rows}


def test_alluxio_takes_current_properties_only(renderings):
    known = FIELDS["alluxio"]["properties"] | FIELDS["alluxio"]["s3_properties"]
    seen = set()
    for name in ("alluxio", "alluxio one"):
        found = properties(renderings[name]["50-local-alluxio/05-alluxio-site.properties"])
        assert set(found) <= known
        seen |= set(found)
        lists = [found[f"alluxio.worker.tieredstore.level0.dirs.{word}"] for word in ("path", "quota", "mediumtype")]
        assert len({len(one.split(",")) for one in lists}) == 1
        assert all(lists[0].split(","))
        assert not {key for key in found if "level0.path" in key or "memory.size" in key or "underfs.address" in key}
    assert seen == known
    three = properties(renderings["alluxio"]["50-local-alluxio/05-alluxio-site.properties"])
    assert three["alluxio.master.embedded.journal.addresses"] == "cpu-1:19200,cpu-2:19200,cpu-3:19200"


def test_alluxio_holds_the_whole_dataset(renderings):
    found = properties(renderings["alluxio one"]["50-local-alluxio/05-alluxio-site.properties"])
    quotas = [int(word) for word in found["alluxio.worker.tieredstore.level0.dirs.quota"].split(",")]
    assert sum(quotas) * 16 == pytest.approx(250e12, rel=1e-6)


def test_fluid_objects_obey_the_projects_definitions(renderings):
    seen = set()
    for name in ("fluid", "fluid juicefs", "fluid local"):
        for file in ("06-datasets.yaml", "07-load.yaml"):
            for document in yaml.safe_load_all(renderings[name][f"50-local-fluid/{file}"]):
                if document is None:
                    continue
                assert set(document) == {"apiVersion", "kind", "metadata", "spec"}
                assert document["apiVersion"] == "data.fluid.io/v1alpha1"
                schema = FLUID["kinds"][document["kind"]]
                faults = [
                    error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document["spec"])
                ]
                assert faults == [], (name, document["kind"])
                seen.add(document["kind"])
    assert seen == FIELDS["fluid"]["kinds"] == set(FLUID["kinds"])


def test_a_misspelt_field_of_fluid_would_be_found(renderings):
    runtime = next(
        one
        for one in yaml.safe_load_all(renderings["fluid"]["50-local-fluid/06-datasets.yaml"])
        if one and "Runtime" in one["kind"]
    )
    runtime["spec"]["tieredstore"]["levels"][0]["mediumType"] = "SSD"
    assert not jsonschema.Draft202012Validator(FLUID["kinds"]["AlluxioRuntime"]).is_valid(runtime["spec"])


def test_fluid_dataset_and_runtime_have_one_name(renderings):
    found = [one for one in yaml.safe_load_all(renderings["fluid"]["50-local-fluid/06-datasets.yaml"]) if one]
    assert {one["metadata"]["name"] for one in found} == {"vision"}


KINDS = {
    "chunk_size": int,
    "local_cpu": bool,
    "max_local_cpu_size": (int, float),
    "local_disk": str,
    "max_local_disk_size": (int, float),
    "cache_policy": str,
    "save_decode_cache": bool,
    "save_unfull_chunk": bool,
    "remote_url": str,
    "remote_serde": str,
    "extra_config": dict,
}


def test_lmcache_takes_current_keys_of_the_right_type_only(renderings):
    assert set(KINDS) == FIELDS["lmcache"]["keys"]
    for name in ("lmcache", "lmcache below", "lmcache 3fs"):
        found = yaml.safe_load(renderings[name]["50-local-lmcache/05-lmcache.yaml"])
        for key, value in found.items():
            assert isinstance(value, KINDS[key]), (name, key)
        assert set(found.get("extra_config", {})) <= FIELDS["lmcache"]["extra_config"]
    three = yaml.safe_load(renderings["lmcache 3fs"]["50-local-lmcache/05-lmcache.yaml"])
    assert three["remote_url"].startswith("hf3fs:///")
    assert three["extra_config"]["hf3fs_mount_point"] in three["remote_url"]


def test_ranks_of_lmcache_stay_within_the_nodes_shares(renderings):
    found = yaml.safe_load(renderings["lmcache"]["50-local-lmcache/05-lmcache.yaml"])
    assert 8 * found["max_local_cpu_size"] * 1e9 <= 2 * 2**40 * 0.5
    share = re.search(r"/kv \d+ (\d+) ", renderings["lmcache"]["50-local-lmcache/03-shares.sh"])
    assert 8 * found["max_local_disk_size"] * 1e9 <= int(share[1]) * 2**20


@pytest.mark.parametrize(("name", "path", "connector"), [
    ("lmcache", "50-local-lmcache/06-serve.sh", "LMCacheConnectorV1"),
    ("mooncake", "50-local-mooncake/09-serve.sh", "MooncakeStoreConnector"),
])  # fmt: skip
def test_the_engines_hook_is_json_with_known_keys(renderings, name, path, connector):
    (text,) = re.findall(r"--kv-transfer-config '(.*)'", renderings[name][path])
    hook = json.loads(text)
    assert set(hook) <= FIELDS[name]["kv_transfer"]
    assert (hook["kv_connector"], hook["kv_role"]) == (connector, "kv_both")


@pytest.mark.parametrize(("name", "path", "product"), [
    ("lmcache below", "50-local-lmcache/06-serve.sh", "lmcache"),
    ("mooncake drives", "50-local-mooncake/09-serve.sh", "mooncake"),
])  # fmt: skip
def test_sglang_takes_known_options(renderings, name, path, product):
    (line,) = [one for one in renderings[name][path].splitlines() if "sglang.launch_server" in one]
    assert {word for word in shlex.split(line) if word.startswith("--")} == FIELDS[product]["sglang"]


def unit(text):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(text)
    return parser


def flags(unit_text):
    words = shlex.split(unit(unit_text)["Service"]["ExecStart"])[1:]
    return dict(word.partition("=")[::2] for word in words)


def test_mooncake_takes_known_flags_variables_and_keys_only(renderings):
    for name in ("mooncake", "mooncake drives"):
        files = renderings[name]
        master = flags(files["50-local-mooncake/05-mooncake-master.service"])
        client = flags(files["50-local-mooncake/07-mooncake-client.service"])
        assert set(master) <= FIELDS["mooncake"]["master"]
        assert set(client) <= FIELDS["mooncake"]["client"]
        assert set(properties(files["50-local-mooncake/06-mooncake-client.env"])) <= FIELDS["mooncake"]["environment"]
        assert set(json.loads(files["50-local-mooncake/08-mooncake.json"])) == FIELDS["mooncake"]["config"]


def test_mooncake_stands_on_drives_or_on_the_shared_file_system(renderings):
    """The project forbids both at once."""
    shared = flags(renderings["mooncake"]["50-local-mooncake/05-mooncake-master.service"])
    drives = flags(renderings["mooncake drives"]["50-local-mooncake/05-mooncake-master.service"])
    assert {"--root_fs_dir", "--enable_offload"} & set(shared) == {"--root_fs_dir"}
    assert {"--root_fs_dir", "--enable_offload"} & set(drives) == {"--enable_offload"}


def test_remote_drives_are_given_and_connected(renderings, tmp_path):
    """The target's script against a folder in place of configfs."""
    files = renderings["remote"]
    assert "set -- 10.9.0.1 10.9.0.2" in files["50-local-local-nvme/00-connect.sh"]
    assert "50-local-local-nvme/00-connect.sh" not in renderings["bare"]
    text = files["50-local-local-nvme/00-target.sh"].replace("/sys/kernel/config", str(tmp_path))
    (tmp_path / "modprobe").write_text("#!/bin/sh\n")
    (tmp_path / "modprobe").chmod(0o755)
    for folder in ("subsystems/nqn.gpu-1/allowed_hosts", "ports"):
        (tmp_path / "nvmet" / folder).mkdir(parents=True)
    text = text.replace('mkdir -p "$PORT"', 'mkdir -p "$PORT/subsystems"')  # configfs makes it by itself
    found = subprocess.run(
        ["bash", "-c", text, "target", "nqn.host-1", "nqn.gpu-1", "10.9.0.1", "/dev/nvme0n1", "/dev/nvme1n1"],
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert found.returncode == 0, found.stderr
    root = tmp_path / "nvmet"
    assert (root / "subsystems/nqn.gpu-1/namespaces/2/device_path").read_text() == "/dev/nvme1n1"
    assert (root / "subsystems/nqn.gpu-1/attr_allow_any_host").read_text() == "0\n"
    assert (root / "ports/1/subsystems/nqn.gpu-1").is_symlink()
    assert (root / "ports/1/addr_trtype").read_text() == "rdma\n"


# --- loaders and writers ------------------------------------------------------------------------------------------


@pytest.fixture
def train_io(renderings, tmp_path):
    """The rendered module beside its settings, imported."""

    def make(name):
        write(renderings[name], tmp_path / "out")
        file = tmp_path / "out" / "60-train-io" / "train_io.py"
        spec = importlib.util.spec_from_file_location("train_io", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module, module.settings_of("vision")

    return make


def test_train_io_runs_as_a_program(renderings, tmp_path):
    write(renderings["bare"], tmp_path / "out")
    file = tmp_path / "out" / "60-train-io" / "train_io.py"
    for what in ("loader", "megatron", "torchtitan", "nemo"):
        found = subprocess.run(
            [
                sys.executable,
                "-B",
                str(file),
                "--job",
                "vision",
                "--step-seconds",
                "12",
                "--print",
                what,
                "--self-test",
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert (found.returncode, found.stderr) == (0, "")
        assert "written and read" in found.stdout
    found = subprocess.run([sys.executable, "-B", str(file), "--job", "x"], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "no job 'x'; there are vision" in found.stderr


def test_every_worker_reads_other_shards_and_all_are_read(train_io):
    module, settings = train_io("bare")
    names = [f"shard-{number:06d}.tar" for number in range(settings["dataset"]["even_shards"] // 64)]
    for epoch in (0, 1):
        parts = [
            module.shards_of(names, rank=rank, ranks=4, worker=worker, workers=8, epoch=epoch)
            for rank in range(4)
            for worker in range(8)
        ]
        assert sorted(name for part in parts for name in part) == names
        assert len({len(part) for part in parts}) == 1  # an even split: nobody waits
    assert module.shards_of(names, rank=0, ranks=4, epoch=0) != module.shards_of(names, rank=0, ranks=4, epoch=1)


def test_loader_arguments_are_those_of_pytorch(train_io):
    module, settings = train_io("bare")
    assert module.loader_arguments(settings) == {
        "batch_size": 400,
        "num_workers": 8,
        "prefetch_factor": 2,
        "persistent_workers": True,
        "pin_memory": True,
    }
    none = {"dataset": {"loader": {"num_workers": 0, "prefetch_factor": 2, "batch_size": 0}}}
    assert module.loader_arguments(none)["prefetch_factor"] is None


def test_packed_samples_come_back(train_io, tmp_path):
    module, _ = train_io("bare")
    samples = [{"jpg": bytes([n]) * 10, "cls": str(n).encode()} for n in range(25)]
    shards = module.write_shards(samples, tmp_path / "data", samples_per_shard=10)
    assert [one["samples"] for one in shards] == [10, 10, 5]
    assert module.read_index(tmp_path / "data")["samples"] == 25
    back = [one for shard in shards for one in module.read_shard(tmp_path / "data" / shard["name"])]
    assert back == samples


def test_a_checkpoint_is_whole_or_not_there(train_io, tmp_path):
    module, settings = train_io("bare")
    saver = module.Checkpoints(settings, root=tmp_path / "c")
    saver.save(1, lambda part: (part / "a").write_bytes(b"1"))

    def broken(part):
        (part / "a").write_bytes(b"2")
        raise OSError(28, "no space left")

    with pytest.raises(OSError, match="no space left"):
        saver.save(2, broken)
    assert saver.newest().name == "step-000000001"
    assert [row["step"] for row in saver.index()] == [1]
    assert not (tmp_path / "c" / "step-000000002").exists()


def test_retention_keeps_the_last_the_best_and_one_a_week(train_io, tmp_path):
    module, settings = train_io("bare")
    week = 7 * 86400
    asked = {**settings["checkpoint"], "keep_last": 2, "keep_best": 1, "keep_weekly": 2}
    clock = iter(range(0, 100 * week, week // 2))
    saver = module.Checkpoints({"checkpoint": asked}, root=tmp_path / "c", now=lambda: next(clock))
    for step, loss in enumerate([9.0, 1.0, 5.0, 6.0, 7.0, 8.0], start=1):
        saver.save(step, lambda part: (part / "a").write_bytes(b"x"), loss=loss)
    kept = [row["step"] for row in saver.index()]
    assert kept == [2, 4, 5, 6]  # 2 is the best, 4 ends its week, 5 and 6 are the last
    assert sorted(one.name for one in (tmp_path / "c").glob("step-*")) == [f"step-{step:09d}" for step in kept]


def test_what_landed_locally_is_drained_whole(train_io, tmp_path):
    module, settings = train_io("drives")
    assert settings["checkpoint"]["landing"] == "local"
    saver = module.Checkpoints(settings, root=tmp_path / "local")
    for step in (1, 2):
        saver.save(step, lambda part, step=step: (part / "a").write_bytes(bytes([step])))
    shared = saver.drain(tmp_path / "shared")
    assert [row["step"] for row in shared.index()] == [1, 2]
    assert (shared.newest() / "a").read_bytes() == bytes([2])
    assert saver.drain(tmp_path / "shared").index() == shared.index()  # nothing twice


def test_ranks_write_their_parts_behind_barriers(train_io, tmp_path):
    import threading  # noqa: PLC0415

    module, settings = train_io("bare")
    barrier = threading.Barrier(4)
    savers = [module.Checkpoints(settings, rank=rank, barrier=barrier.wait, root=tmp_path / "c") for rank in range(4)]

    def run(rank):
        savers[rank].save(7, lambda part: (part / f"__{rank}_0.distcp").write_bytes(b"x" * rank))

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    (row,) = savers[0].index()
    assert (len(row["files"]), row["bytes"]) == (4, 6)


def test_distributed_checkpoints_are_saved_as_planned(train_io, monkeypatch):
    """Against a stand-in for PyTorch that only writes down: which writer, which folder, asynchronous or not."""
    seen = []
    checkpoint = types.ModuleType("torch.distributed.checkpoint")
    checkpoint.FileSystemWriter = lambda path, **words: ("writer", path, words)
    checkpoint.async_save = lambda state, **words: seen.append(("async", state, words)) or "future"
    checkpoint.save = lambda state, **words: seen.append(("sync", state, words))
    for name in ("torch", "torch.distributed"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "torch.distributed.checkpoint", checkpoint)
    monkeypatch.setattr(sys.modules["torch.distributed"], "checkpoint", checkpoint, raising=False)
    monkeypatch.setattr(sys.modules["torch"], "distributed", sys.modules["torch.distributed"], raising=False)
    module, settings = train_io("drives")
    assert module.save_dcp({"a": 1}, 7, settings) == "future"
    (how, _, words) = seen.pop()
    assert (how, words["storage_writer"][1]) == ("async", "/local/0/checkpoints/vision/step-000000007")
    assert words["storage_writer"][2]["sync_files"] is True
    sync = {**settings, "checkpoint": {**settings["checkpoint"], "mode": "sync", "landing": "hot"}}
    module.save_dcp({"a": 1}, 7, sync)
    (how, _, words) = seen.pop()
    assert (how, words["storage_writer"][1]) == ("sync", "/mnt/hot/checkpoints/vision/step-000000007")


def test_writers_of_the_frameworks_get_the_planned_interval(train_io):
    module, settings = train_io("bare")
    words = module.printed(settings, "megatron", 12.0).split()
    assert words[words.index("--save-interval") + 1] == "150"
    assert "--replication-factor" in words  # first landing with a peer
    assert "--async-save" in words
    titan = module.printed(settings, "torchtitan", 12.0)
    assert "interval = 150" in titan
    assert tomllib.loads(titan)["checkpoint"]["async_mode"] == "async_with_pinned_mem"
    assert json.loads(module.printed(settings, "nemo", 12.0))["model_checkpoint"]["every_n_train_steps"] == 150


def test_reading_goes_where_the_software_serves(renderings):
    wanted = {"bare": "/local/datasets/vision", "alluxio": "/mnt/alluxio/vision", "fluid": "/data/vision"}
    wanted["juicefs"] = "/mnt/juicefs/datasets/vision"
    for name, path in wanted.items():
        settings = yaml.safe_load(renderings[name]["60-train-io/train_io.yaml"])
        assert settings["jobs"]["vision"]["dataset"]["read_from"] == path


# --- data path ------------------------------------------------------------------------------------------------


def test_every_hot_backend_has_a_row_or_the_other_one():
    rows = yaml.safe_load((PACKAGE / "catalogue" / "data_paths.yaml").read_text())["paths"]
    assert set(rows) - {"other"} <= set(load.catalogue().known())
    for row in rows.values():
        assert row["gds"] in {"supported", "compatibility", "unknown"}
        assert row["needs"]


def test_gpudirect_is_promised_only_where_nvidia_lists_it(renderings):
    for name, files in renderings.items():
        supported = "70-data-path/cufile.json" in files
        hot = next(path for path in files if path.startswith("10-hot-"))
        assert supported == any(word in hot for word in ("nfs", "weka", "lustre", "scale", "beegfs", "vast")), name


def test_the_check_of_the_data_path_finds_a_missing_mount(renderings):
    text = renderings["lmcache"]["70-data-path/01-check-data-path.sh"]
    found = subprocess.run(
        ["bash", "-c", text, "check", "/no/such/mount"], capture_output=True, text=True, check=False, timeout=30
    )
    assert found.returncode == 1
    assert "is not mounted" in found.stdout
    assert "neither nconnect nor proto=rdma" in found.stdout
