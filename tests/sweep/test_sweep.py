"""Many plans of one stack: the grid, the same stacks as one by one, the front by brute force, resuming, Dask."""

from __future__ import annotations

import csv
import itertools
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan import load, sweep
from tierplan.cli.commands import cli
from tierplan.errors import InputError
from tierplan.load import Variants
from tierplan.sweep.points import Point
from tierplan.sweep.run import plan_chunk

AXES = (
    "cluster.gpu_nodes=64..256*2",
    "cluster.node=dgx-h100,dgx-b200",
    "workloads[0].checkpoint.interval=10..40/3 min",
    "workloads.pretrain-70b.checkpoint.mode=sync,async",
    "workloads[0].gpus=256,512",
    "tiers.hot.backend=weka,3fs",
    "targets.headroom=1.1,1.4,0.5",
    "operations.storage_engineers=0,4",
)


@pytest.fixture(scope="module")
def form():
    return load.read_form("stacks/Pulumi.demo.yaml")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cluster.gpu_nodes", "write PATH=VALUE"),
        ("=1,2", "write PATH=VALUE"),
        ("a=1..2", "no range"),
        ("a=1..8*1", "never ends"),
        ("a=8..1*2", "never ends"),
        ("a=1..8/1", "1 points"),
        ("a=1 GB/s..8 TB*2", "no range"),
    ],
)
def test_what_is_no_axis_is_told(text, message):
    with pytest.raises(InputError, match=message):
        sweep.axis(text)


@pytest.mark.parametrize(
    ("path", "message"),
    [("workloads[9].gpus", "no item 9"), ("workloads.chat.gpus", "no item chat"), ("a..b", "no key path")],
)
def test_a_path_that_leads_nowhere_is_told(form, path, message):
    with pytest.raises(InputError, match=message):
        form.stack({path: 1})


def test_an_unknown_key_is_told_as_in_a_stack_file(form):
    with pytest.raises(InputError, match=r"cluster\.gpu_node: unknown key; did you mean gpu_nodes"):
        form.stack({"cluster.gpu_node": 1})


def read(source, chosen):
    """A stack with its origins, or the key paths of its faults."""
    try:
        stack = source.stack(chosen)
    except InputError as fault:
        return {one.split(": ")[1] for one in fault.faults}
    return stack, dict(stack.origins)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_variants_are_the_stacks_that_are_read_one_by_one(form, data):
    """Whatever is combined: presets over their own keys, values that fit alone and not together, faults."""
    axes = [
        sweep.axis(text) for text in data.draw(st.lists(st.sampled_from(AXES), min_size=1, max_size=4, unique=True))
    ]
    variants = Variants(form)
    for _ in range(3):
        chosen = {axis.path: data.draw(st.sampled_from(axis.values)) for axis in axes}
        assert read(variants, chosen) == read(form, chosen)


def test_points_say_what_each_combination_gives(form):
    axes = [sweep.axis("tiers.hot.nodes=2,12"), sweep.axis("targets.headroom=1.3,0.2")]
    points = sweep.run(form, axes, ("machines", "goodput"))
    assert [point.verdict for point in points] == ["refused", "invalid", "pass", "invalid"]
    assert any(reason.startswith("hot-") for reason in points[0].reasons)
    assert "headroom" in points[1].reasons[0]
    assert points[2].measures["machines"] >= 12


values = st.one_of(st.integers(0, 6).map(float), st.just(math.nan))


@settings(deadline=None, max_examples=200)
@given(rows=st.lists(st.tuples(values, values, values, st.booleans()), max_size=40))
def test_front_is_what_brute_force_finds(rows):
    names = ("a", "b", "c")
    points = [
        Point(
            index=index,
            settings={},
            verdict="pass" if passes else "refused",
            measures=dict(zip(names, row, strict=True)),
        )
        for index, (*row, passes) in enumerate(rows)
    ]
    objectives = [sweep.objective("a"), sweep.objective("max:b"), sweep.objective("c")]

    def value(point):
        a, b, c = (point.measures[name] for name in names)
        return [math.inf if math.isnan(x) else x for x in (a, -b, c)]

    def beats(one, other):
        return value(one) != value(other) and all(x <= y for x, y in zip(value(one), value(other), strict=True))

    passing = [point for point in points if point.passes]
    expected = {point.index for point in passing if not any(beats(other, point) for other in passing)}
    front = sweep.pareto(points, objectives)
    assert {point.index for point in front.points} == expected
    assert set(front.beaten_by) == {point.index for point in passing} - expected
    for loser, winner in front.beaten_by.items():
        assert beats(points[winner], points[loser])


def test_an_interrupted_run_goes_on_where_it_stopped(form, tmp_path):
    axes = [sweep.axis("targets.headroom=1.1..1.5/130")]
    journal = tmp_path / "sweep.jsonl"
    whole = sweep.run(form, axes, ("machines",))
    calls = []

    def stopping(count):
        calls.append(count)
        if count == 64:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep.run(form, axes, ("machines",), journal=journal, on_done=stopping)
    with journal.open("a") as file:
        file.write('[64, {"targets.hea')  # cut off in the middle of a line
    told = []
    assert sweep.run(form, axes, ("machines",), journal=journal, on_done=told.append) == whole
    assert told[0] == 64
    assert sum(told) == 130
    assert sweep.run(form, axes, ("machines",), journal=journal) == whole
    with pytest.raises(InputError, match="another sweep"):
        sweep.run(form, [sweep.axis("targets.headroom=1.2,1.3")], ("machines",), journal=journal)


def test_processes_find_the_same(form):
    axes = [sweep.axis("targets.headroom=1.1..1.5/150")]
    assert sweep.run(form, axes, ("machines",), processes=2) == sweep.run(form, axes, ("machines",))


@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_finds_the_same(form):
    distributed = pytest.importorskip("distributed")
    axes = [sweep.axis("targets.headroom=1.1..1.5/150")]
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        found = sweep.run(form, axes, ("machines",), scheduler=cluster.scheduler_address)
    assert found == sweep.run(form, axes, ("machines",))


def test_a_scheduler_that_is_not_there_is_told(form):
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="cannot be reached"):
        sweep.run(form, [sweep.axis("targets.headroom=1.1,1.2")], ("machines",), scheduler="nowhere:1:2")


def test_chunks_are_the_grid(form):
    axes = [sweep.axis("targets.headroom=1.1,1.2"), sweep.axis("tiers.hot.nodes=12,13")]
    jobs = list(enumerate(sweep.grid(axes)))
    assert [job[1] for job in jobs] == [
        {"targets.headroom": a, "tiers.hot.nodes": b} for a, b in itertools.product((1.1, 1.2), (12, 13))
    ]
    assert [point.index for point in plan_chunk(form, jobs, ("machines",))] == [0, 1, 2, 3]


def swept(runner_args):
    from click.testing import CliRunner  # noqa: PLC0415

    return CliRunner().invoke(cli, ["sweep", "stacks/Pulumi.demo.yaml", "--processes", "1", *runner_args])


def test_command_writes_every_point(tmp_path):
    out = tmp_path / "points.csv"
    ran = swept(["--vary", "tiers.hot.nodes=2,12,13", "--objective", "machines", "--out", str(out)])
    assert ran.exit_code == 0, ran.output
    assert "3 points, 2 pass, 1 refused" in ran.output
    rows = list(csv.DictReader(out.read_text().splitlines()))
    assert [row["verdict"] for row in rows] == ["refused", "pass", "pass"]
    assert rows[2]["beaten_by"] == "1"
    again = swept(["--vary", "tiers.hot.nodes=2,12,13", "--objective", "machines", "--json"])
    document = json.loads(again.output)
    assert document["front"] == [1]
    assert swept(["--vary", "tiers.hot.nodes=2", "--json"]).exit_code == 1


def test_command_writes_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "points.parquet"
    assert swept(["--vary", "tiers.hot.nodes=12,13", "--out", str(out)]).exit_code == 0
    assert parquet.read_table(out).num_rows == 2


def test_a_file_of_no_known_form_is_told_before_anything_is_planned(tmp_path):
    ran = swept(["--vary", "tiers.hot.nodes=12", "--out", str(tmp_path / "points.xls")])
    assert isinstance(ran.exception, InputError)
    assert not list(tmp_path.iterdir())
