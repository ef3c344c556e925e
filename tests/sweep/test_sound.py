"""What is told of a sweep before anything is planned: axes, journals; and of its cells afterwards."""

from __future__ import annotations

import csv
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

from tierplan import load, sweep
from tierplan.cli.commands import cli
from tierplan.errors import InputError
from tierplan.load.vary import canonical
from tierplan.sweep.sound import MOST_READ


@pytest.fixture(scope="module")
def form():
    return load.read_form("stacks/Pulumi.demo.yaml")


def checked(form, *texts):
    sweep.check(form, [sweep.axis(text) for text in texts])


def swept(*words):
    return CliRunner().invoke(cli, ["sweep", "stacks/Pulumi.demo.yaml", "--processes", "1", *words])


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ("nosuch.path=1,2", "nosuch: unknown key"),
        ("workloads.nosuch.gpus=1", "no item nosuch"),
        ("workloads[7].gpus=1", "no item 7"),
        ("gpu_nodes=a,b", "gpu_nodes: unknown key"),
        ("cluster.gpu_node=1,2", "cluster.gpu_node: unknown key"),
        ("cluster.gpu_nodes=-1,-2", "-1 is too small"),
    ],
)
@pytest.mark.parametrize("beside", [(), ("targets.headroom=1.1,1.2",)])
def test_an_axis_that_makes_no_stack_is_bad_input_before_anything_is_planned(form, monkeypatch, axis, message, beside):
    monkeypatch.setattr("tierplan.sweep.run", lambda *_args, **_more: pytest.fail("planned"))
    for texts in ((axis, *beside), (*beside, axis)):
        with pytest.raises(InputError, match=message):
            checked(form, *texts)
    ran = swept("--vary", axis)
    assert isinstance(ran.exception, InputError)
    assert ran.output == ""


def test_each_fault_is_told_once(form):
    with pytest.raises(InputError) as caught:
        checked(form, "gpu_nodes=a,b,c")
    assert len(caught.value.faults) == 1


def test_one_combination_that_is_a_stack_is_enough(form):
    checked(form, "cluster.gpu_nodes=-2,-1,128", "targets.headroom=0.1,1.2")
    checked(form, "workloads.pretrain-70b.gpus=512,1024", "cluster.gpu_nodes=64,128")


def test_a_sweep_of_many_combinations_of_which_none_is_a_stack_is_bad_input_too():
    ran = swept("--vary", f"nosuch.path=1..{MOST_READ + 2}+1")
    assert isinstance(ran.exception, InputError)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cluster.gpu_nodes=64,128", "cluster.gpu_nodes=32"),
        ("workloads[0].gpus=256", "workloads.pretrain-70b.gpus=512"),
        ("tiers.hot=none", "tiers.hot.nodes=12"),
        ("workloads.pretrain-70b.gpus=512", "workloads=1"),
    ],
)
def test_one_key_is_varied_once(form, one, other):
    for texts in ((one, other), (other, one)):
        with pytest.raises(InputError, match="set the same key"):
            checked(form, *texts)


def test_keys_that_only_begin_alike_are_two(form):
    checked(form, "cluster.gpus_per_node=8", "cluster.gpu_nodes=128")
    assert canonical(form.document, "tiers.none.here[3].x") == "tiers.none.here[3].x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a=1..999999999+1", "more than 100,000 values"),
        ("a=1..1e300*1.0001", "more than 100,000 values"),
        ("a=1..9/2.5", "whole number"),
        ("a=1..2/1e999", "beyond what"),
        ("a=1..1e999*2", "beyond what"),
    ],
)
def test_a_range_is_never_cut(text, message):
    begin = time.monotonic()
    with pytest.raises(InputError, match=message):
        sweep.axis(text)
    assert time.monotonic() - begin < 5


def test_the_longest_range_is_whole():
    assert len(sweep.axis("a=1..100000+1").values) == 100_000


@pytest.mark.parametrize("journal", [".", "none/journal"])
def test_a_journal_that_cannot_be_kept_is_told_before_anything_is_planned(form, tmp_path, monkeypatch, journal):
    monkeypatch.setattr(sys.modules["tierplan.sweep.run"], "plan_chunk", lambda *_args: pytest.fail("planned"))
    with pytest.raises(InputError, match="cannot be kept"):
        sweep.run(form, [sweep.axis("tiers.hot.nodes=12")], ("machines",), journal=tmp_path / journal)


def test_a_journal_of_anything_else_is_of_another_sweep(form, tmp_path):
    (tmp_path / "journal").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match="is of another sweep"):
        sweep.run(form, [sweep.axis("tiers.hot.nodes=12")], ("machines",), journal=tmp_path / "journal")


def test_lines_of_a_journal_that_are_no_points_are_planned_again(form, tmp_path):
    axes, journal = [sweep.axis("tiers.hot.nodes=12,13")], tmp_path / "journal"
    whole = sweep.run(form, axes, ("machines",), journal=journal)
    journal.write_text(journal.read_text().splitlines()[0] + "\n5\n[1]\n[0, {}, null, 3, 4, 5]\n{\n")
    assert sweep.run(form, axes, ("machines",), journal=journal) == whole


def test_what_is_not_known_is_an_empty_cell(tmp_path):
    ran = swept("--vary", "tiers.hot.nodes=12", "--objective", "total_monthly", "--out", str(tmp_path / "points.csv"))
    assert ran.exit_code in (0, 1), ran.output
    (row,) = csv.DictReader((tmp_path / "points.csv").read_text().splitlines())
    assert row["total_monthly"] == ""
    assert "nan" not in row.values()
    assert float(row["machines"]) > 0


@pytest.mark.parametrize("verb", [("optimum",), ("sweep", "--vary", "cluster.gpu_nodes=128")])
def test_faults_of_the_stack_keep_their_lines(tmp_path, verb):
    text = Path("stacks/Pulumi.demo.yaml").read_text(encoding="utf-8")
    path = tmp_path / "Pulumi.bad.yaml"
    path.write_text(text.replace("gpu_nodes: 128", "gpu_nodes: many"), encoding="utf-8")
    line = path.read_text().splitlines().index("    gpu_nodes: many") + 1
    name, *words = verb
    ran = CliRunner().invoke(cli, [name, str(path), *words])
    assert isinstance(ran.exception, InputError)
    assert ran.exception.faults[0].startswith(f"{path}:{line}: cluster.gpu_nodes")
