"""What a verb writes: one file goes into a folder that is there, and what cannot be written is said in one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tierplan.cli.files import ready, write
from tierplan.errors import InputError

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from tierplan.cli import main; main()"]
VERBS = [
    ("report", "demo", "--out", "x.md"),
    ("sweep", "demo", "--vary", "tiers.hot.nodes=12,13", "--processes", "1", "--out", "x.csv"),
    ("optimum", "demo", "--svg", "x.svg"),
    ("fabric", "demo", "--svg", "x.svg"),
    ("timeline", "demo", "--days", "1", "--svg", "x.svg"),
    ("verify", "demo", "Pulumi.yaml", "--calibrate", "x.yaml"),
    ("init", "--out", "x.yaml"),
]


@pytest.mark.parametrize("words", VERBS)
def test_no_folder_is_made_for_a_single_file(run, tmp_path, words):
    ran = run(*words[:-1], str(tmp_path / "none" / words[-1]))
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) == 1
    assert "cannot be written" in ran.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("words", VERBS[:-2])
def test_a_folder_is_no_file(run, tmp_path, words):
    folder = tmp_path / words[-1]
    folder.mkdir()
    ran = run(*words[:-1], str(folder))
    assert (ran.code, ran.out) == (2, "")
    assert f"{folder}: cannot be written: is a folder" in ran.err


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="a folder that is there and takes no file")
def test_a_file_that_cannot_be_made_is_told_before_anything_is_planned(run, monkeypatch):
    monkeypatch.setattr("tierplan.sweep.run", lambda *_args, **_more: pytest.fail("planned"))
    ran = run("sweep", "demo", "--vary", "tiers.hot.nodes=12,13", "--out", "/proc/points.csv")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("--out /proc/points.csv: cannot be written (")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_disk_that_is_full_afterwards_is_told_in_one_line(run, tmp_path):
    (tmp_path / "points.csv").symlink_to("/dev/full")
    ran = run("sweep", "demo", "--vary", "tiers.hot.nodes=12", "--out", str(tmp_path / "points.csv"))
    assert ran.code == 2
    assert "No space left on device" in ran.err
    assert "Traceback" not in ran.err


def test_what_is_asked_about_is_left_as_it_was(tmp_path):
    ready(None, "--out")
    ready(tmp_path / "new.txt", "--out")
    assert not list(tmp_path.iterdir())
    write(tmp_path / "new.txt", "text", "--out")
    ready(tmp_path / "new.txt", "--out")
    assert (tmp_path / "new.txt").read_text() == "text"
    (tmp_path / "link").symlink_to(tmp_path / "none" / "x")
    with pytest.raises(InputError, match="cannot be written"):
        write(tmp_path / "link", "text", "--out")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize(
    "words",
    [
        ("plan", "demo"),
        ("plan", "demo", "--json"),
        ("init",),
        ("--help",),
        ("--version",),
        ("fabric", "demo", "--mermaid"),
        ("timeline", "demo", "--days", "1", "--json"),
        ("sweep", "demo", "--vary", "tiers.hot.nodes=12", "--json"),
    ],
)
def test_a_full_standard_output_is_a_fault_of_the_environment(words):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([*COMMAND, *words], stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("tierplan: standard output cannot be written (No space left on device)")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("closed", "words", "code"), [(1, "plan demo", 3), (2, "plan demo", 0), (2, "plan n0ne", 2), (0, "plan -", 2)]
)
def test_streams_that_are_closed_make_no_traceback(closed, words, code):
    shell = f'exec "$@" {words} {closed}>&-'
    done = subprocess.run(
        ["/bin/sh", "-c", shell, "sh", *COMMAND],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ,
        check=False,
    )
    assert (done.returncode, done.stderr.count("Traceback")) == (code, 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("words", [("plan", "n0ne"), ("n0ne",)])
def test_a_full_standard_error_changes_no_exit_code(words):
    with Path("/dev/full").open("w") as full:
        assert subprocess.run([*COMMAND, *words], stderr=full, cwd=ROOT, check=False).returncode == 2


def test_a_report_says_that_a_refused_plan_ends_with_0(run, tmp_path):
    assert "Exit code: 0 where the page is written" in run("report", "--help").out
    assert run("report", "refused-slow", "--out", str(tmp_path / "page.md")).code == 0
