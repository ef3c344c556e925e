"""The kit's files: whole, safe, and run for real where the tool is at hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tierplan import measure
from tierplan.cli.commands import cli
from tierplan.units import size

FIO = shutil.which("fio")
JUICEFS = shutil.which("juicefs") or shutil.which("juicefs", path=str(Path(sys.executable).parent))


@pytest.fixture
def kit(tmp_path):
    """A rehearsal of the demo's kit, written to a folder."""
    out = tmp_path / "kit"
    ran = CliRunner().invoke(cli, ["bench", "stacks/Pulumi.demo.yaml", "--out", str(out), "--rehearsal", "32 MiB"])
    assert ran.exit_code == 0, ran.output
    return out


def sh(kit, script, *arguments, **variables):
    environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
    return subprocess.run(
        ["bash", str(kit / script), *arguments], cwd=kit, env=environment, capture_output=True, text=True, check=False
    )


def test_every_script_is_one_that_bash_can_read(kit):
    scripts = sorted(kit.glob("*.sh"))
    assert len(scripts) == 5
    for script in scripts:
        subprocess.run(["bash", "-n", str(script)], check=True)
        assert os.access(script, os.X_OK)


def test_each_run_has_its_figures_in_the_order_to_run(plan):
    steps = measure.steps(plan)
    labels = [one.label for one in steps]
    assert labels[:3] == ["local-write", "local-read", "checkpoint-write"]
    assert len(set(labels)) == len(labels)
    for one in steps:
        assert one.expected > 0
        assert one.total_bytes > 0
        assert one.proves
        assert one.leaves_open


def test_streams_are_larger_than_the_storage_nodes_memory(plan):
    hot = plan.tiers["hot"]
    memory = hot.config.node.memory.base * hot.config.nodes
    for one in measure.steps(plan):
        if one.label in ("checkpoint-write", "restore-read"):
            assert one.total_bytes >= min(2 * memory, 0.2 * hot.delivered.planned.base) * 0.999
            moved = one.values["file_mib"] * 2**20 * one.values["jobs"] * one.hosts
            assert moved == pytest.approx(one.total_bytes, rel=0.05)


def test_nothing_is_done_without_yes(kit, tmp_path):
    place = tmp_path / "local"
    place.mkdir()
    ran = sh(kit, "run.sh", LOCAL_DIR=place)
    assert ran.returncode == 0
    assert "nothing was done" in ran.stdout
    assert list(place.iterdir()) == []
    assert not (kit / "results").exists()


@pytest.mark.parametrize(
    ("place", "message"),
    [("gone", "is no folder"), ("/dev/null", "is no folder"), ("full", "bytes free")],
)
def test_a_place_that_is_not_fit_is_refused(kit, tmp_path, place, message):
    if place == "full":
        (tmp_path / "bin").mkdir()
        fake = tmp_path / "bin" / "df"
        fake.write_text("#!/bin/sh\necho Avail\necho 10\n")
        fake.chmod(0o755)
        (tmp_path / "local").mkdir()
        ran = sh(kit, "run.sh", "--yes", LOCAL_DIR=tmp_path / "local", PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    else:
        ran = sh(kit, "run.sh", "--yes", LOCAL_DIR=place)
    assert ran.returncode == 1
    assert message in ran.stderr


def test_a_device_is_never_written_to(kit):
    """A stand-in for the test that a path is a block device: the script must stop before any tool is called."""
    script = (kit / "run.sh").read_text()
    assert "is a device that holds a file system" in script
    devices = [path for path in Path("/dev").iterdir() if path.is_block_device()] if Path("/dev").is_dir() else []
    for device in devices[:1]:
        ran = sh(kit, "run.sh", "--yes", LOCAL_DIR=device)
        assert ran.returncode == 1
        assert "is a device" in ran.stderr


@pytest.mark.skipif(FIO is None, reason="fio is not installed")
def test_fio_runs_from_the_kit_and_its_result_is_read_back(kit, tmp_path):
    place = tmp_path / "local"
    place.mkdir()
    ran = sh(kit, "run.sh", "--yes", LOCAL_DIR=place)
    assert ran.returncode == 0, ran.stderr
    assert list(place.iterdir()) == []
    found = {(one.label, one.quantity): one for one in measure.read([kit / "results"])}
    assert set(found) == {("local-write", "write"), ("local-read", "read")}
    for one in found.values():
        assert one.value > 1e6
        assert one.direct
        assert one.total_bytes == pytest.approx(size("32 MiB").base, rel=0.3)
    assert found[("local-write", "write")].durable
    verified = CliRunner().invoke(cli, ["verify", "stacks/Pulumi.demo.yaml", str(kit / "results"), "--json"])
    runs = {one["label"]: one for one in json.loads(verified.output)["runs"]}
    assert runs["local-write"]["verdict"] == "not proven"  # the kit beside it says that it was a rehearsal
    assert "rehearsal" in runs["local-write"]["reasons"][0]


@pytest.mark.skipif(JUICEFS is None, reason="juicefs is not installed")
def test_juicefs_bench_runs_from_the_kit_and_its_result_is_read_back(kit, tmp_path):
    place, objects = tmp_path / "hot", tmp_path / "objects"
    place.mkdir()
    objects.mkdir()
    ran = sh(
        kit, "juicefs.sh", BENCH_DIR=place, OBJECT_URL=f"{objects}/", OBJECT_STORAGE="file",
        PATH=f"{Path(JUICEFS).parent}:{os.environ['PATH']}",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    labels = {one.label for one in measure.read([kit / "results"])}
    assert {"big-write", "big-read", "small-stat", "object-put", "object-get"} <= labels


def test_small_files_against_one_tar(kit, tmp_path):
    place = tmp_path / "hot"
    place.mkdir()
    ran = sh(kit, "small-files.sh", BENCH_DIR=place)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("files/s") == 4
    assert list(place.iterdir()) == []
