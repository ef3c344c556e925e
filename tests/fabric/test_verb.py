"""`tierplan fabric`: text, JSON, Mermaid and SVG; refused where the fabric is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tierplan.cli.commands import cli
from tierplan.errors import InputError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)

    def called(*words: str) -> Result:
        return CliRunner().invoke(cli, ["fabric", *words])

    return called


def test_text_names_switches_segments_cuts_and_phases(run):
    done = run("demo")
    assert done.exit_code == 0, done.output
    for word in ("storage leafs", "spines", "cables", "storage uplinks", "hot read: cut at", "max-flow", "full duplex"):
        assert word in done.output
    assert all(len(line) <= 100 for line in done.output.splitlines())


def test_json_has_the_max_flow_of_each_tier(run):
    document = json.loads(run("demo", "--json").output)
    assert document["stack"] == "demo"
    for path in document["paths"]:
        flow = document["max_flow"][path["tier"]]
        assert flow["read_bytes_per_s"] == pytest.approx(path["read"]["carries_bytes_per_s"], rel=1e-6)


def test_mermaid_is_alone_on_standard_output(run):
    assert run("demo", "--mermaid").stdout.splitlines()[3] == "flowchart LR"


def test_svg_is_written_where_it_is_asked_for(run, tmp_path):
    done = run("demo", "--svg", str(tmp_path / "fabric.svg"))
    assert done.exit_code == 0
    assert (tmp_path / "fabric.svg").read_text().startswith("<svg")


def test_a_file_that_cannot_be_written_is_one_line(run, tmp_path):
    done = run("demo", "--svg", str(tmp_path / "none" / "fabric.svg"))
    assert isinstance(done.exception, InputError)


def test_a_fabric_that_does_not_carry_is_refused(run, tmp_path):
    text = (ROOT / "stacks" / "Pulumi.scenario-128.yaml").read_text()
    stack = tmp_path / "tight.yaml"
    stack.write_text(text + "  tierplan:fabric: {oversubscription: 8}\n")
    done = run(str(stack))
    assert done.exit_code == 1
    assert "fabric-bandwidth" in done.output
    assert "← cut" in done.output


@pytest.mark.parametrize("name", ["nfs", "refused-slow"])
def test_every_size_is_shown(run, name):
    done = run(name)
    assert done.exit_code == 0
    assert "drives to client processes" in done.output
