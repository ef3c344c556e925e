"""Interval, mode and bandwidth chosen together: no plan of a finer search is better."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from tierplan import load, sweep
from tierplan.cli.commands import cli
from tierplan.cli.curve import curve
from tierplan.errors import InputError
from tierplan.load import Variants
from tierplan.sweep.optimum import NAMES, best_of_mode, optimum
from tierplan.sweep.points import plan_point

PRICES = """
currency: USD
items:
  node.storage: {price: 21000, per: node, date: 2026-10-01, source: offer 4711}
  node.beside: {price: 15000, per: node, date: 2026-10-01, source: offer 4711}
  drive.nvme: {price: 110, per: TB, date: 2026-10-01, source: offer 4711}
  drive.hdd: {price: 18, per: TB, date: 2026-10-01, source: offer 4711}
  licence.weka: {price: 200, per: TB-year, date: 2026-10-01, source: offer 4712}
  power.node: {price: 900, per: node-year, date: 2026-10-01, source: tariff}
  staff.storage-engineer: {price: 150000, per: person-year, date: 2026-10-01, source: own}
  gpu.hour: {price: 3, per: GPU-hour, date: 2026-10-01, source: own}
"""


@pytest.fixture(scope="module", params=["prices", "no prices"])
def form(request, tmp_path_factory):
    """The demo with its hot tier left open, with every price or with none."""
    folder = tmp_path_factory.mktemp("optimum")
    (folder / "own.yaml").write_text(PRICES)
    read = load.read_form("stacks/Pulumi.demo.yaml")
    tiers = {**read.document["tiers"], "hot": {"backend": "weka"}}
    document = {**read.document, "tiers": tiers}
    if request.param == "prices":
        document["prices"] = "own.yaml"
    return replace(read, document=document, folder=folder)


@pytest.fixture(scope="module")
def found(form):
    return optimum(form)


def test_what_is_compared_is_money_where_all_is_known(form, found):
    assert found.by_money == ("prices" in form.document)
    assert found.best is not None


def test_no_point_of_a_finer_grid_is_better_by_a_hundredth(form, found):
    best = found.value(found.points[found.best][1])
    axes = [
        sweep.axis("workloads[0].checkpoint.interval=10..120/12 min"),
        sweep.axis("workloads[0].checkpoint.overhead=0.002..0.06/12"),
        sweep.axis("workloads[0].checkpoint.mode=sync,async"),
    ]
    variants = Variants(form)
    points = [plan_point(variants, index, settings, NAMES) for index, settings in enumerate(sweep.grid(axes))]
    passing = [point for point in points if point.passes]
    assert len(passing) > 50
    least = min(found.value(point) for point in passing)
    assert best <= least + abs(least) * 0.01


def test_background_saving_needs_less_than_the_best_synchronous_one(found):
    sync, background = best_of_mode(found, "sync"), best_of_mode(found, "async")
    assert sync is not None
    assert background is not None
    assert found.value(background[1]) <= found.value(sync[1])


def test_the_curve_is_drawn_the_same_each_time(found):
    assert curve(found) == curve(found)
    root = ET.fromstring(curve(found))  # noqa: S314  # our own text
    assert len(root.findall(".//{http://www.w3.org/2000/svg}circle[@class='best']")) == 1


def test_a_stack_without_training_has_no_optimum():
    read = load.read_form("stacks/Pulumi.demo.yaml")
    with pytest.raises(InputError, match="no training job with checkpoints of the name nobody"):
        optimum(read, "nobody")


def test_command(tmp_path):
    out = tmp_path / "curve.svg"
    ran = CliRunner().invoke(cli, ["optimum", "stacks/Pulumi.demo.yaml", "--json", "--svg", str(out)])
    assert ran.exit_code == 0, ran.output
    document = json.loads(ran.output)
    assert document["points"][document["best"]]["verdict"] == "pass"
    assert out.read_text().startswith("<svg")


def test_where_nothing_passes_nothing_is_best(tmp_path):
    text = Path("stacks/Pulumi.refused-layout.yaml").read_text(encoding="utf-8")
    (tmp_path / "Pulumi.ours.yaml").write_text(text, encoding="utf-8")
    ran = CliRunner().invoke(cli, ["optimum", str(tmp_path / "Pulumi.ours.yaml")])
    assert ran.exit_code == 1
    assert ran.output.splitlines()[0].endswith("ways to save its checkpoints; none of them passes")
    document = json.loads(CliRunner().invoke(cli, ["optimum", str(tmp_path / "Pulumi.ours.yaml"), "--json"]).output)
    assert (document["best"], document["compared_by"]) == (None, None)
