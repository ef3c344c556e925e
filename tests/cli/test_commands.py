"""Each verb as a user types it: what it prints, where, and its exit code."""

import json
from importlib import resources

import jsonschema
import pytest
import yaml

REFUSED = {
    "refused-slow": {"hot-write-bandwidth", "hot-phases"},
    "refused-small": {"hot-capacity"},
    "refused-layout": {"hot-layout"},
}


def mandatory(plan: dict) -> set[str]:
    return {finding["policy"] for finding in plan["findings"] if finding["level"] == "mandatory"}


def test_plan_json_obeys_its_schema_and_passes(run):
    ran = run("plan", "demo", "--json")
    plan = json.loads(ran.out)
    schema = json.loads(resources.files("tierplan").joinpath("schemas/plan.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(plan)
    assert (ran.code, ran.err) == (0, "")
    assert plan["verdict"] == "pass"
    assert mandatory(plan) == set()


def test_the_demo_needs_18_1_gb_per_s_of_checkpoint_writes(run):
    plan = json.loads(run("plan", "demo", "--json").out)
    figure = plan["requirement"]["figures"]["pretrain-70b.checkpoint.write_bytes_per_s"]
    assert figure["value"] == pytest.approx(980e9 / 54)
    assert plan["requirement"]["hot"]["write_bytes_per_s"] == pytest.approx(980e9 / 54 * 1.3)
    assert plan["requirement"]["hot"]["capacity_bytes"] == pytest.approx(103.12e12)


@pytest.mark.parametrize("stack", REFUSED)
def test_a_refused_stack_exits_1_by_its_own_policy(run, stack):
    ran = run("plan", stack, "--json")
    plan = json.loads(ran.out)
    assert ran.code == 1
    assert plan["verdict"] == "refused"
    assert mandatory(plan) >= REFUSED[stack]


def test_refused_slow_has_the_published_rates_and_no_finding_on_capacity(run):
    plan = json.loads(run("plan", "refused-slow", "--json").out)
    healthy = plan["tiers"]["hot"]["healthy"]
    assert healthy["read_bytes_per_s"] == pytest.approx(49.5e9)
    assert healthy["write_bytes_per_s"] == pytest.approx(15.0e9)
    assert not any("capacity" in policy for policy in mandatory(plan))


def test_refused_small_holds_49_8_tb_at_planned_fill(run):
    plan = json.loads(run("plan", "refused-small", "--json").out)
    assert plan["tiers"]["hot"]["planned_bytes"] == pytest.approx(49.77e12, rel=1e-3)


def test_all_exits_0_when_each_stack_is_what_it_says(run):
    ran = run("plan", "--all")
    assert ran.code == 0, ran.out + ran.err
    assert "NOT as expected" not in ran.out


def test_a_plan_fits_one_screen(run):
    lines = run("plan", "demo").out.splitlines()
    assert len(lines) <= 50
    assert max(map(len, lines)) <= 100


def test_explain_walks_the_write_bandwidth_to_the_stack(run):
    ran = run("explain", "demo", "pretrain-70b.checkpoint.write_bytes_per_s")
    assert ran.code == 0
    for words in ("980 GB", "54 s", "stack workloads[0].checkpoint.interval", "line ", "source"):
        assert words in ran.out


def test_explain_names_the_nearest_figure(run):
    ran = run("explain", "demo", "pretrain-70b.checkpoint.write")
    assert ran.code == 2
    assert "pretrain-70b.checkpoint.write_bytes_per_s" in ran.err


def test_every_figure_can_be_explained(run):
    names = [line.split()[0] for line in run("explain", "demo").out.splitlines()]
    assert len(names) > 20
    for name in names:
        assert run("explain", "demo", name).code == 0


def test_pin_resolves_to_itself(run, tmp_path):
    first = run("pin", "demo")
    path = tmp_path / "Pulumi.demo.yaml"
    path.write_text(first.out, encoding="utf-8")
    assert first.code == 0
    assert yaml.safe_load(run("pin", str(path)).out) == yaml.safe_load(first.out)
    again, before = (json.loads(run("plan", name, "--json").out) for name in (str(path), "demo"))
    assert again["tiers"] == before["tiers"]
    assert again["requirement"]["hot"] == before["requirement"]["hot"]


def test_bad_input_exits_2_with_one_line_each_and_no_plan(run, tmp_path):
    path = tmp_path / "Pulumi.bad.yaml"
    path.write_text("config:\n  tierplan:sight: {kind: on-prem}\n  tierplan:cluster: {gpu_nodes: -1}\n")
    ran = run("plan", str(path), "--json")
    assert ran.code == 2
    assert ran.out == ""
    assert "tierplan:sight" in ran.err or "sight" in ran.err
    assert all(line.startswith(str(path)) for line in ran.err.splitlines())
    assert "Traceback" not in ran.err


def test_no_stack_and_unknown_verbs_are_bad_input(run):
    assert run("plan").code == 2
    assert run("plant", "demo").code == 2
    unknown = run("plan", "dem0")
    assert unknown.code == 2
    assert "demo" in unknown.err


def test_all_and_a_name_are_two_questions(run):
    ran = run("plan", "demo", "--all")
    assert (ran.code, ran.out) == (2, "")
    assert "ask for one of the two" in ran.err


def test_init_writes_a_starter_that_passes_and_never_overwrites(run, tmp_path):
    path = tmp_path / "Pulumi.mine.yaml"
    assert run("init", "mine", "--out", str(path)).code == 0
    assert run("plan", str(path)).code == 0
    assert run("init", "mine", "--out", str(path)).code == 2


@pytest.mark.parametrize("flag", [(), ("--plan",)])
def test_schema_is_a_json_schema(run, flag):
    schema = json.loads(run("schema", *flag).out)
    jsonschema.Draft202012Validator.check_schema(schema)


def test_compare_sets_the_pins_aside_and_marks_the_pinned_one(run):
    found = json.loads(run("compare", "demo", "--json").out)
    assert found["pinned"] == "weka"
    assert "weka" in {one["backend"] for one in found["candidates"]}


@pytest.mark.parametrize("kind", [(), ("backends",), ("nodes",), ("models",), ("profiles",), ("states",)])
def test_catalogue_lists_what_is_known(run, kind):
    ran = run("catalogue", *kind)
    assert ran.code == 0
    assert ran.out


def test_compare_names_a_rejected_product_once(run):
    out = run("compare", "refused-slow").out
    assert "- vast: needs quote" in out
    assert "vast: vast:" not in out


def test_catalogue_shows_the_source_of_each_figure(run):
    out = run("catalogue", "backends", "weka").out
    assert "source" in out
    assert "reserve_fraction" in out
