"""Measured against planned: what proves, what does not, what contradicts, and what later plans make of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
import yaml
from click.testing import CliRunner

from tierplan import load, measure
from tierplan.cli.commands import cli
from tierplan.domain.stack import Calibration
from tierplan.errors import InputError
from tierplan.load.calibration import read_calibration
from tierplan.measure.nouns import Measurement
from tierplan.measure.sizes import mlperf_files
from tierplan.measure.verifying import bottleneck
from tierplan.plan import evaluate, judge, make_plan, resolve
from tierplan.units import Size, size

DEMO = Path("stacks/Pulumi.demo.yaml")


def run(label="checkpoint-write", quantity="write", **changes):
    fields = {"value": 200e9, "tool": "elbencho 3.1", "file": "r.json", "hosts": 128, "total_bytes": 1e15}
    fields |= {"direct": True, "durable": True if quantity == "write" else None, **changes}
    return Measurement(label=label, quantity=quantity, **fields)


def verdict(plan, *runs, **more):
    found = {one.step.label: one for one in measure.verify(plan, measure.steps(plan), runs, **more)}
    return found[runs[0].label]


def test_what_reaches_the_promise_proves_it(plan):
    assert verdict(plan, run()).judgement == "proven"


def test_of_the_repetitions_the_lowest_counts(plan):
    found = verdict(plan, run(), run(value=10e9), run())
    assert (found.judgement, found.measured, found.runs) == ("contradicts", 10e9, 3)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"durable": False}, "not flushed"),
        ({"direct": False, "total_bytes": 1e12}, "page cache"),
        ({"against": ("fio ended with error 5",)}, "error 5"),
        ({"hosts": 4, "value": 200e9 / 32}, "fewer hosts"),
    ],
)
def test_what_cannot_count_proves_nothing(plan, changes, reason):
    found = verdict(plan, run(**changes))
    assert found.judgement == "not proven"
    assert any(reason in one for one in found.reasons)


def test_less_than_nine_tenths_of_the_promise_contradicts(plan):
    promised = plan.tiers["hot"].delivered.healthy.write.base
    assert verdict(plan, run(value=promised * 0.95)).judgement == "not proven"
    assert verdict(plan, run(value=promised * 0.89)).judgement == "contradicts"


def test_fewer_hosts_can_contradict(plan):
    found = verdict(plan, run(hosts=8, value=0.5e9))
    assert (found.judgement, found.extrapolated, found.measured) == ("contradicts", True, 8e9)


def test_a_rehearsal_proves_nothing(plan):
    assert verdict(plan, run(), rehearsal=True).judgement == "not proven"


@pytest.mark.parametrize(
    ("slow", "fast", "word"),
    [
        (("checkpoint-write",), ("restore-read",), "media or code of the storage nodes"),
        (("restore-read",), ("checkpoint-write",), "clients or read-ahead"),
        (("checkpoint-write", "restore-read"), (), "clients or fabric"),
        (("small-create",), ("checkpoint-write",), "metadata"),
        (("local-read",), (), "media of the GPU nodes"),
        ((), ("checkpoint-write",), ""),
    ],
)
def test_the_probable_bottleneck_is_named_by_what_falls_short(plan, slow, fast, word):
    steps = {one.label: one for one in measure.steps(plan)}
    runs = [
        run(label, steps[label].quantity, value=steps[label].expected * share, hosts=steps[label].hosts)
        for labels, share in ((slow, 0.3), (fast, 1.1))
        for label in labels
    ]
    found = bottleneck(measure.verify(plan, measure.steps(plan), runs))
    assert found.startswith(word)
    assert bool(found) == bool(slow)


@pytest.mark.parametrize(
    ("hosts", "memory", "accelerators", "model", "files"),
    [
        (1, "512 GiB", 8, (7, 146_600_628, 1), 28_000),
        (1, "2048 GiB", 8, (7, 146_600_628, 1), 75_000),
        (1, "2048 GiB", 8, (400, 114_660.07, 1251), 76_653),
        (16, "92 GiB", 64, (1, 2_828_486, 1), 2_793_982),
        (2, "1024 GiB", 16, (7, 146_600_628, 1), 75_000),
    ],
)
def test_mlperf_datasets_are_as_the_rules_say(hosts, memory, accelerators, model, files):
    """Source: github.com/mlcommons/storage, Submission_guidelines.md: 500 steps, or five times the hosts' memory."""
    batch, sample, per_file = model
    found = mlperf_files(
        accelerators=accelerators, hosts=hosts, host_memory=size(memory), batch=batch, sample=Size(float(sample)),
        samples_per_file=per_file,
    )  # fmt: skip
    assert found == files


# --- calibration --------------------------------------------------------------------------------------------------


@pytest.fixture
def calibrated(tmp_path):
    """The demo with its hot node count left open, and a run at 14 % of the promised write bandwidth read back."""
    text = DEMO.read_text()
    stack = tmp_path / "Pulumi.mine.yaml"
    stack.write_text(text)
    plan = make_plan(load.read_stack(str(stack)), load.catalogue())
    promised = plan.tiers["hot"].delivered.healthy.write.base
    verdicts = measure.verify(plan, measure.steps(plan), [run(value=promised * 0.14, file="runs/ior-7.json")])
    (tmp_path / "measured.yaml").write_text(yaml.safe_dump(measure.calibrated(plan, verdicts)))
    free = text.replace("      nodes: 12\n", "").replace(
        "config:\n", "config:\n  tierplan:calibration: measured.yaml\n", 1
    )
    stack.write_text(free)
    return stack


def test_a_shortfall_makes_the_next_plan_buy_more_nodes_and_names_its_file(calibrated):
    free = load.read_stack(str(calibrated))
    before = make_plan(replace(free, calibrated=()), load.catalogue()).tiers["hot"]
    after = make_plan(free, load.catalogue()).tiers["hot"]
    assert after.config.nodes > before.config.nodes
    assert after.delivered.healthy.write.base >= after.need.write.base
    told = [one for one in judge(make_plan(free, load.catalogue())) if one.policy == "advice-override"]
    assert len(told) == 1
    assert "runs/ior-7.json" in told[0].message


def test_the_gate_judges_a_pinned_plan_by_what_was_measured(calibrated):
    """Pinned at the count that the prediction asked for, the plan is refused."""
    free = load.read_stack(str(calibrated))
    pinned = replace(free.tiers, hot=replace(free.tiers.hot, nodes=12))
    findings = judge(make_plan(replace(free, tiers=pinned), load.catalogue()))
    assert "hot-write-bandwidth" in {one.policy for one in findings if one.level == "mandatory"}


def test_a_pinned_stack_holds_what_was_measured_without_the_file(calibrated):
    free = load.read_stack(str(calibrated))
    settled = resolve(free, load.catalogue())
    again = load.stack_from_text(load.stack_text(settled), name="mine", where="mine")
    assert again.tiers.hot.measured == settled.tiers.hot.measured
    assert settled.tiers.hot.measured.write_fraction == pytest.approx(0.14)
    assert (
        evaluate(again, load.catalogue()).tiers["hot"].delivered
        == evaluate(settled, load.catalogue()).tiers["hot"].delivered
    )


def test_a_measurement_never_raises_a_promise(plan):
    verdicts = measure.verify(plan, measure.steps(plan), [run(value=900e9)])
    (row,) = measure.calibrated(plan, verdicts)["measured"]
    assert row["fraction"] == 1.0


def test_measuring_a_calibrated_plan_again_goes_on_from_what_is_known(calibrated):
    plan = make_plan(load.read_stack(str(calibrated)), load.catalogue())
    promised = plan.tiers["hot"].delivered.healthy.write.base
    verdicts = measure.verify(plan, measure.steps(plan), [run(value=promised * 0.5)])
    (row,) = measure.calibrated(plan, verdicts)["measured"]
    assert row["fraction"] == pytest.approx(0.07)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema: other\n", "is no calibration"),
        ("schema: tierplan/calibration/1\nmeasured: [3]\n", r"measured\[0\]: 3 is no map"),
        (
            "schema: tierplan/calibration/1\nmeasured: [{backend: w, node: y, quantity: up, fraction: 2, source: f}]",
            "quantity: .*unknown; allowed: read, write, op_rate",
        ),
        ("schema: [\n", "yaml"),
    ],
)
def test_spoilt_calibrations_are_told(tmp_path, text, message):
    file = tmp_path / "measured.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=message):
        read_calibration(file)


# --- command --------------------------------------------------------------------------------------------------------


def told(*arguments):
    return CliRunner().invoke(cli, ["verify", str(DEMO), *map(str, arguments)])


def test_command_shows_each_run_and_refuses_what_contradicts(results, tmp_path):
    ran = told(results)
    assert ran.exit_code == 1, ran.output
    assert "contradicts" in ran.output
    document = json.loads(told(results, "--json").output)
    assert {one["label"] for one in document["runs"]} >= {"checkpoint-write", "local-read", "object-put"}
    suite = ET.fromstring(told(results, "--format", "junit").output)  # noqa: S314  # our own text
    assert int(suite.get("failures")) == len(suite.findall(".//failure")) > 0
    assert told(results, "--format", "markdown").output.startswith("| run |")
    out = tmp_path / "measured.yaml"
    told(results, "--calibrate", out)
    assert read_calibration(out)


def test_command_tells_what_is_no_result(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    assert isinstance(told(tmp_path / "x.json").exception, InputError)


def test_seven_tenths_of_a_promise_that_binds_buys_more_nodes():
    """Where write bandwidth sets the count, 70 % of the prediction asks for more nodes; the old count is refused."""
    form = load.read_form(DEMO)
    stack = form.stack({"tiers.hot": {"backend": "weka"}, "workloads[0].checkpoint.interval": "5 min"})
    plan = make_plan(stack, load.catalogue())
    hot = plan.tiers["hot"]
    assert hot.delivered.bound_by in ("write", "phases")
    measured = measure.verify(plan, measure.steps(plan), [run(value=hot.delivered.healthy.write.base * 0.7)])
    (row,) = measure.calibrated(plan, measured)["measured"]
    known = replace(stack, calibrated=(Calibration(**row),))
    again = make_plan(known, load.catalogue()).tiers["hot"]
    assert again.config.nodes > hot.config.nodes
    pinned = replace(known, tiers=replace(known.tiers, hot=replace(known.tiers.hot, nodes=hot.config.nodes)))
    against = {one.policy for one in judge(make_plan(pinned, load.catalogue())) if one.level == "mandatory"}
    assert "hot-write-bandwidth" in against


def test_what_is_known_stays_unless_it_is_measured_anew(calibrated):
    """Another product's figure, and one whose new run proves nothing, are not forgotten."""
    stack = load.read_stack(str(calibrated))
    plan = make_plan(stack, load.catalogue())
    other = Calibration(backend="nfs", node="any", quantity="read", fraction=0.6, source="run 1")
    verdicts = measure.verify(plan, measure.steps(plan), [run(durable=False, value=1e9)])
    rows = measure.calibrated(plan, verdicts, (other, *stack.calibrated))["measured"]
    assert [(row["backend"], row["fraction"]) for row in rows] == [("nfs", 0.6), ("weka", 0.14)]
    promised = plan.tiers["hot"].delivered.healthy.write.base
    again = measure.verify(plan, measure.steps(plan), [run(value=promised * 1.2)])
    rows = measure.calibrated(plan, again, (other, *stack.calibrated))["measured"]
    assert [(row["backend"], row["fraction"]) for row in rows] == [("nfs", 0.6), ("weka", 0.168)]


def test_the_command_keeps_what_its_file_knows(tmp_path, results):
    out = tmp_path / "measured.yaml"
    out.write_text(
        "schema: tierplan/calibration/1\n"
        "measured: [{backend: nfs, node: y, quantity: read, fraction: 0.6, source: r}]\n"
    )
    told(results, "--calibrate", out)
    assert {row.backend for row in read_calibration(out)} >= {"nfs", "weka"}


def test_a_pinned_stack_names_no_calibration_file(calibrated):
    settled = resolve(load.read_stack(str(calibrated)), load.catalogue())
    assert settled.calibration is None
    assert "calibration" not in load.stack_text(settled)


@pytest.mark.parametrize("value", ['"abc"', "Infinity", "-1", "true", "[]"])
def test_a_figure_that_is_none_is_told_with_its_file(tmp_path, value):
    file = tmp_path / "local.json"
    job = '{"jobname": "local-write", "error": 0, "job options": {}, "write": {"io_bytes": 5, "bw_bytes": VALUE}}'
    file.write_text('{"fio version": "fio-3.33", "jobs": [' + job.replace("VALUE", value) + "]}")
    with pytest.raises(InputError, match=r"local.json: .*bw_bytes: .* is no figure|moved something at no rate"):
        measure.read([file])


def test_a_product_that_nobody_knows_is_told(tmp_path):
    file = tmp_path / "measured.yaml"
    file.write_text(
        "schema: tierplan/calibration/1\n"
        "measured: [{backend: wekka, node: y, quantity: read, fraction: 1, source: r}]\n"
    )
    with pytest.raises(InputError, match="no product of the catalogue; did you mean weka"):
        read_calibration(file)
