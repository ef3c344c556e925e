"""A plan becomes a scenario with the plan's own figures, and the verb says what was seen."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tierplan import load
from tierplan.cli.commands import cli
from tierplan.errors import InputError
from tierplan.plan import make_plan
from tierplan.timeline import expected_events, run, scenario_of


@pytest.fixture(scope="module")
def demo():
    """The plan of the default stack."""
    return make_plan(load.read_stack("demo"), load.catalogue())


def test_job_has_the_plan_s_stall_and_restore(demo):
    scenario = scenario_of(demo, load.catalogue().failures())
    (job,) = scenario.jobs
    figures = demo.outcome
    assert job.checkpoint / job.write == pytest.approx(figures[f"{job.name}.checkpoint.stall_s"].number)
    assert job.restore / job.read == pytest.approx(figures[f"{job.name}.restore.duration_s"].number)
    assert {part.name for part in scenario.parts} == {"drive", "node", "rack"}
    assert scenario.write >= job.write


def call(*words):
    return CliRunner().invoke(cli, ["timeline", *words])


def test_json_has_the_closed_form_inside_the_interval():
    document = json.loads(call("demo", "--days", "400", "--seed", "3", "--json").stdout)
    assert document["schema"] == "tierplan/timeline/1"
    (job,) = document["jobs"]
    assert job["goodput"]["low"] <= job["closed_form_fraction"] <= job["goodput"]["high"]
    assert "stretches" not in document


def test_text_and_picture(tmp_path):
    path = tmp_path / "run.svg"
    found = call("demo", "--days", "30", "--svg", str(path))
    assert found.exit_code == 0
    assert "closed form" in found.stdout
    assert path.read_text().startswith("<svg")


def test_a_picture_that_cannot_be_written_is_bad_input(tmp_path):
    found = call("demo", "--days", "2", "--svg", str(tmp_path / "no" / "run.svg"))
    assert "cannot be written" in str(found.exception)


def changed(tmp_path, before, after):
    text = Path("stacks/Pulumi.demo.yaml").read_text(encoding="utf-8")
    assert before in text
    path = tmp_path / "Pulumi.ours.yaml"
    path.write_text(text.replace(before, after), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("days", ["nan", "-nan", "inf", "-inf", "1e999", "0", "many"])
def test_days_that_never_end_are_bad_input(days):
    found = call("demo", f"--days={days}")
    assert found.exit_code == 2
    assert "--days" in found.stderr


def test_a_run_of_too_many_events_is_refused_at_once(tmp_path):
    begin = time.monotonic()
    found = call(changed(tmp_path, 'per_gpu: "50000 h"', 'per_gpu: "1 s"'), "--days", "1")
    assert isinstance(found.exception, InputError)
    (fault,) = found.exception.faults
    assert fault.startswith("ours: about 8.85e+07 events in 1 days are more than 10,000,000 (an interruption every")
    assert time.monotonic() - begin < 10


def test_a_run_that_takes_a_while_says_so(monkeypatch):
    monkeypatch.setattr("tierplan.cli.timeline.MANY_EVENTS", 10)
    assert "demo: about 49 events to run" in call("demo", "--days", "1").stderr


def test_events_are_about_those_of_the_run():
    plan = make_plan(load.read_stack("demo"), load.catalogue())
    scenario = scenario_of(plan, load.catalogue().failures())
    (job,) = run(scenario, days=300, seed=2).jobs
    assert expected_events(scenario, days=300) == pytest.approx(job.interrupts + job.saves, rel=0.05)


def test_a_refused_plan_runs_and_says_that_it_is_refused(tmp_path):
    path = changed(tmp_path, "  tierplan:workloads:", "  tierplan:fabric: {leaf_ports: 1}\n  tierplan:workloads:")
    found = call(path, "--days", "2")
    assert found.exit_code == 0
    assert found.stderr == "ours: the plan is refused by fabric-bandwidth; the run takes it as it stands\n"
    assert call("demo", "--days", "2").stderr == ""


def test_a_stack_from_standard_input_is_called_by_its_name():
    text = Path("stacks/Pulumi.lmcache.yaml")
    found = CliRunner().invoke(cli, ["timeline", "-"], input=text.read_text(encoding="utf-8"))
    assert str(found.exception).startswith("stdin: no training job")
