"""Drift: what was planned beside what systems report."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from click.testing import CliRunner

import enginerun
import existing_outputs as outputs
import pulumi_run
from existing_cases import CASES, on_prem
from tierplan.cli.commands import cli
from tierplan.errors import InputError


def told(*words):
    return CliRunner().invoke(cli, ["verify", *map(str, words), "--config"])


def test_what_is_as_planned_passes(laid):
    ran = told("demo", *laid(CASES["weka"].files))
    assert ran.exit_code == 0, ran.output
    assert "0 differ" in ran.output


def test_each_difference_is_a_line_with_its_place(laid):
    spoilt = {**CASES["weka"].files, "status.json": outputs.WEKA_STATUS.replace('drives": 5', 'drives": 6')}
    ran = told("demo", *laid(spoilt))
    assert ran.exit_code == 1
    line = outputs.DEMO.splitlines().index(
        "      layout: {data_units: 5, parity_units: 2, hot_spares: 1, failure_domain: node}"
    )
    assert (
        f"line {line + 1}: tiers.hot.layout.data_units: planned 5, reported 6 (status.json (weka status)" in ran.output
    )
    document = json.loads(CliRunner().invoke(cli, ["verify", "demo", "--config", "--json", *laid(spoilt)]).output)
    assert [(one["where"], one["planned"], one["reported"]) for one in document["differences"]] == [
        ("tiers.hot.layout.data_units", 5, 6)
    ]


def test_another_product_is_one_difference(laid):
    ran = told("demo", *laid(CASES["lustre"].files))
    assert ran.exit_code == 1
    assert "tiers.hot.backend: planned weka, reported lustre" in ran.output
    assert "1 differs" in ran.output


def test_capacity_that_is_missing_is_a_difference(laid):
    less = outputs.WEKA_STATUS.replace("651000000000000", "451000000000000")
    ran = told("demo", *laid({"status.json": less}))
    assert "tiers.hot usable: planned " in ran.output
    assert ran.exit_code == 1


def test_several_systems_are_compared_at_once(laid):
    tree = json.dumps(outputs.osd_tree(12, 24, 18.19, "hdd"))
    ran = told("demo", *laid({**CASES["weka"].files, "tree.json": tree}))
    assert ran.exit_code == 0, ran.output
    fewer = json.dumps(outputs.osd_tree(11, 24, 18.19, "hdd"))
    ran = told("demo", *laid({**CASES["weka"].files, "tree.json": fewer}))
    assert "tiers.cold.nodes: planned 12, reported 11" in ran.output


def test_a_deployed_plan_is_compared_whole(laid):
    assert told("demo", *laid({"export.json": outputs.PULUMI})).exit_code == 0
    fewer = outputs.PULUMI.replace('"hotSpares": 1,', '"hotSpares": 0,')
    ran = told("demo", *laid({"export.json": fewer}))
    assert ran.exit_code == 1
    assert "tiers.hot.layout.hot_spares: planned 1, reported 0" in ran.output
    state = json.loads(outputs.PULUMI)
    rows = state["deployment"]["resources"]
    state["deployment"]["resources"] = [one for one in rows if not one["type"].endswith("ColdTier")]
    ran = told("demo", *laid({"export.json": json.dumps(state)}))
    assert "tiers.cold.backend: planned ceph-rgw, reported nothing" in ran.output


def test_what_the_plan_leaves_open_is_told_and_no_difference(laid, tmp_path):
    file = tmp_path / "Pulumi.c.yaml"
    file.write_text(on_prem("{backend: cephfs, nodes: 8, layout: {data_units: 4, parity_units: 2}}"))
    dump = json.dumps({**outputs.OSD_DUMP, "pools": outputs.OSD_DUMP["pools"][-1:]})
    ran = told(file, *laid({"dump.json": dump}))
    assert ran.exit_code == 0, ran.output
    assert "left open by the plan: tiers.hot.options.plugin: isa" in ran.output


def test_words_that_do_not_go_together_are_told(laid):
    files = laid(CASES["weka"].files)
    assert CliRunner().invoke(cli, ["verify", "demo", "--config", "--format", "junit", *files]).exit_code == 2
    assert CliRunner().invoke(cli, ["verify", "demo", "--tier", "hot", *files]).exit_code == 2
    assert isinstance(told("demo", *laid({"x.txt": "hello"})).exception, InputError)


@pytest.mark.engine
def test_what_the_engine_deployed_is_what_was_planned(project: pulumi_run.Project, tmp_path) -> None:
    """The real engine's own state of the demo: no drift; with one node more in the stack, one difference."""
    enginerun._make(project, "demo")
    config = tmp_path / "Pulumi.demo.yaml"
    config.write_text(outputs.DEMO)
    words = ("--stack", "demo", "--config-file", str(config))
    made = enginerun.run(project, "up", "--yes", "--skip-preview", "--json", *words)
    assert made.code == 0, (made.diagnostics("error"), made.errors)
    exported = subprocess.run(
        ("pulumi", "stack", "export", "--stack", "demo"),
        cwd=project.root, env=pulumi_run.environment(project), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    state = tmp_path / "export.json"
    state.write_text(exported)
    assert told(config, state).exit_code == 0
    config.write_text(re.sub("nodes: 12\n", "nodes: 13\n", outputs.DEMO))
    ran = told(config, state)
    assert ran.exit_code == 1
    assert "tiers.hot.nodes: planned 13, reported 12" in ran.output
