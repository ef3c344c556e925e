"""What a person meets: one screen, closed pipes, exit codes, what is known."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from tierplan.cli import main; main()"]
STACKS = sorted(path.stem.removeprefix("Pulumi.") for path in (ROOT / "stacks").glob("Pulumi.*.yaml"))


def piped(*words):
    """Run the command into a pipe that is closed before anything is read."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [*COMMAND, *words], stdout=writer, stderr=subprocess.PIPE, cwd=ROOT, env=environment, check=False
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("plan", "demo"), 0),
        (("plan", "demo", "--json"), 0),
        (("plan", "refused-slow"), 1),
        (("diff", "demo", "demo"), 0),
        (("catalogue", "nodes"), 0),
        (("schema",), 0),
        (("--help",), 0),
    ],
)
def test_a_closed_pipe_changes_no_exit_code_and_makes_no_noise(words, code):
    assert piped(*words) == (code, "")


@pytest.mark.parametrize("stack", STACKS)
def test_every_plan_fits_one_screen(run, stack):
    lines = run("plan", stack).out.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 100


def test_what_is_left_out_is_counted_and_named(run):
    brief, full = run("plan", "vast-refused").out, run("plan", "vast-refused", "-v").out
    policies = {one["policy"] for one in json.loads(run("plan", "vast-refused", "--json").out)["findings"]}
    assert " more mandatory, -v shows them: " in brief
    assert "more mandatory" not in full
    for policy in policies:
        assert policy in brief
        assert policy in full


def test_pin_prints_a_refused_stack_and_says_that_it_is_refused(run):
    ran = run("pin", "refused-slow")
    assert ran.code == 1
    assert "tierplan:tiers" in yaml.safe_load(ran.out)["config"]
    assert ran.err.startswith("refused-slow: refused by ")
    assert run("pin", "demo").code == 0


def test_check_wants_each_stack_to_be_what_it_says(run):
    ran = run("plan", "--check", "demo", "refused-slow")
    assert ran.code == 0
    assert len(ran.out.splitlines()) == 2
    assert run("plan", "demo", "refused-slow").code == 1


def test_compare_shows_everything_when_asked(run):
    brief, full = run("compare", "demo").out, run("compare", "demo", "-v").out
    assert len(full.splitlines()) > len(brief.splitlines())


def test_usage_faults_are_bad_input(run):
    for words in (("plan",), ("plan", "demo", "--format", "yaml"), ("nothing",), ("diff", "--nothing")):
        ran = run(*words)
        assert ran.code == 2
        assert "Usage:" in ran.err
    assert run().code in (0, 2)
    assert run("--version").code == 0


def test_schema_of_the_diff(run):
    assert json.loads(run("schema", "--diff").out)["$id"] == "tierplan/diff/1"
    assert run("schema", "--diff", "--plan").code == 2


def test_drives_and_cloud_tiers_are_known_where_there_are_any(run):
    kinds = {line.split()[0] for line in run("catalogue").out.splitlines()[1:]}
    assert "drives" in kinds
    drives = run("catalogue", "drives").out
    assert "weka" in drives
    assert "7.68 TB" in drives
    if "clouds" in kinds:
        assert run("catalogue", "clouds").code == 0


def test_one_drive_shows_its_source(run):
    name = run("catalogue", "drives").out.splitlines()[0].split()[0]
    assert "source" in run("catalogue", "drives", name).out


def test_a_wrong_kind_does_not_hide_what_else_is_wrong(run, tmp_path):
    text = (ROOT / "stacks" / "Pulumi.demo.yaml").read_text(encoding="utf-8")
    path = tmp_path / "Pulumi.mine.yaml"
    path.write_text(
        text.replace("kind: training", "kind: trainig").replace('interval: "30 min"', 'interval: "30"'),
        encoding="utf-8",
    )
    ran = run("plan", str(path))
    assert ran.code == 2
    assert "workloads[0].kind" in ran.err
    assert "workloads[0].checkpoint.interval" in ran.err
    assert len(ran.err.splitlines()) == 2
