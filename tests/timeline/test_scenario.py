"""A plan becomes a scenario with the plan's own figures, and the verb says what was seen."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tierplan import load
from tierplan.cli.commands import cli
from tierplan.plan import make_plan
from tierplan.timeline import scenario_of


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
