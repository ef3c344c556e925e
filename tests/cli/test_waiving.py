"""`tierplan plan --waivers`: the gate's own configuration; what is waived is shown, and refuses nothing."""

import datetime as dt
import json
from importlib import resources

import jsonschema
import pytest

from tierplan.cli import waiving

REASON = "ports arrive in May"


@pytest.fixture(autouse=True)
def day(monkeypatch):
    monkeypatch.setattr(waiving, "today", lambda: dt.date(2027, 5, 31))


@pytest.fixture
def file(tmp_path):
    """Waivers for the rules that refuse `refused-slow`, until the last of May."""

    def write(*rules):
        rows = [
            {"rule": rule, "stack": "refused-slow", "reason": REASON, "owner": "ops", "until": "2027-05-31"}
            for rule in rules
        ]
        path = tmp_path / "policies.json"
        path.write_text(json.dumps({"stack-waivers": {"waivers": rows}}), encoding="utf-8")
        return str(path)

    return write


def refusals(run, *words):
    plan = json.loads(run("plan", "refused-slow", "--json", *words).out)
    return {one["policy"] for one in plan["findings"] if one["level"] == "mandatory"}, plan


def test_waived_findings_refuse_nothing_and_are_shown(run, file):
    every, _ = refusals(run)
    assert len(every) > 1
    ran = run("plan", "refused-slow", "--waivers", file(*every))
    assert ran.code == 0
    for rule in every:
        assert f"  waived    {rule}: " in ran.out
    assert f"waived until 2027-05-31 by ops: {REASON}" in ran.out


def test_the_document_holds_what_is_waived(run, file):
    every, _ = refusals(run)
    left, plan = refusals(run, "--waivers", file("hot-phases"))
    assert left == every - {"hot-phases"}
    schema = json.loads(resources.files("tierplan").joinpath("schemas/plan.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(plan)
    (waived,) = plan["waived"]
    assert (waived["policy"], waived["waiver"]["owner"]) == ("hot-phases", "ops")


def test_a_waiver_that_has_ended_refuses(run, file, monkeypatch):
    monkeypatch.setattr(waiving, "today", lambda: dt.date(2027, 6, 1))
    left, plan = refusals(run, "--waivers", file("hot-phases"))
    assert {"stack-waivers", "hot-phases"} <= left
    assert plan["waived"] == []


@pytest.mark.parametrize(("text", "fault"), [("{", "is JSON"), ('{"stack-waivers": []}', "not a map")])
def test_a_file_that_cannot_be_read_is_bad_input(run, tmp_path, text, fault):
    path = tmp_path / "policies.json"
    path.write_text(text, encoding="utf-8")
    ran = run("plan", "demo", "--waivers", str(path))
    assert ran.code == 2
    assert ran.err.startswith(f"{path}: ") or f"{path}: " in ran.err
    assert fault in ran.err


def test_a_file_that_is_not_there_is_bad_input(run, tmp_path):
    ran = run("plan", "demo", "--waivers", str(tmp_path / "none.json"))
    assert ran.code == 2
    assert "cannot be read" in ran.err
