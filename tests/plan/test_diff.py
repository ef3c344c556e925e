"""Two plans side by side: nothing for the same, everything for what differs, and the same thing both ways round."""

import itertools
from dataclasses import replace
from functools import cache
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan import load
from tierplan.domain.plan import Finding
from tierplan.domain.stack import LayoutPins, Stack
from tierplan.domain.tiers import CloudSize, Layout
from tierplan.plan import judge, make_plan
from tierplan.plan._diff_findings import findings_diff
from tierplan.plan.diff import Judged, compare, diff_document, diff_schema, only_new, only_old, with_preview

ROOT = Path(__file__).resolve().parents[2]
STACKS = ("demo", "refused-slow", "refused-small", "refused-layout", "mixed", "juicefs", "nfs")


def named(name: str) -> Judged:
    return of(shipped(name))


@cache
def shipped(name: str) -> Stack:
    return load.read_stack(ROOT / "stacks" / f"Pulumi.{name}.yaml")


_KEPT: dict[int, tuple[Stack, Judged]] = {}


def of(stack: Stack) -> Judged:
    """Planned once: a stack holds maps, so it is told apart by being the same object."""
    if id(stack) not in _KEPT:
        plan = make_plan(stack, load.catalogue())
        _KEPT[id(stack)] = (stack, Judged(plan=plan, findings=judge(plan), called=stack.name))
    return _KEPT[id(stack)][1]


def with_hot(stack: Stack, **pins: object) -> Stack:
    return replace(stack, tiers=replace(stack.tiers, hot=replace(stack.tiers.hot, **pins)))


def changed(found) -> dict[str, tuple[object, object]]:
    return {one.path: (one.before, one.after) for one in found.changed}


@pytest.mark.parametrize("name", STACKS)
def test_a_plan_beside_itself_is_the_same(name):
    found = compare(named(name), named(name))
    assert found.same
    assert (found.changed, found.rows, found.replaced, found.verdict) == ((), (), (), "same")
    assert found.findings.kept == named(name).findings


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(STACKS, 2)))
def test_what_is_new_in_one_direction_is_gone_in_the_other(one, other):
    there, back = compare(named(one), named(other)), compare(named(other), named(one))
    assert there.findings.new == back.findings.gone
    assert there.findings.gone == back.findings.new
    assert {path: values[::-1] for path, values in changed(there).items()} == changed(back)
    assert {there.verdict, back.verdict} in ({"better", "worse"}, {"same"}, {"worse"})


@pytest.mark.parametrize(("one", "other"), list(itertools.permutations(STACKS, 2)))
def test_every_document_obeys_its_schema_and_says_the_same_twice(one, other):
    document = diff_document(compare(named(one), named(other)))
    jsonschema.Draft202012Validator(diff_schema()).validate(document)
    assert diff_document(compare(named(one), named(other))) == document


def test_fewer_nodes_are_worse_in_every_rate_and_in_capacity():
    found = compare(named("demo"), of(with_hot(shipped("demo"), nodes=9)))
    senses = {row.name: row.sense for row in found.rows if row.of == "hot"}
    assert {senses[name] for name in ("read", "write", "op rate", "capacity", "read, 1 node lost")} == {"worse"}
    assert changed(found)["tiers.hot.node_count"] == (12, 9)
    assert (found.verdict, found.refused) == ("worse", False)


def test_more_nodes_are_better_and_nothing_is_replaced():
    found = compare(named("demo"), of(with_hot(shipped("demo"), nodes=16)))
    assert (found.verdict, found.replaced, found.refused) == ("better", (), False)


def test_six_nodes_cannot_hold_the_stripe_and_are_refused():
    found = compare(named("demo"), of(with_hot(shipped("demo"), nodes=6)))
    assert "hot-layout" in {finding.policy for finding in found.findings.new}
    assert (found.old.verdict, found.new.verdict) == ("pass", "refused")
    assert (found.verdict, found.refused) == ("worse", True)


def test_a_refused_plan_is_compared_with_a_passing_one():
    found = compare(of(with_hot(shipped("demo"), nodes=6)), named("demo"))
    assert "hot-layout" in {finding.policy for finding in found.findings.gone}
    assert (found.verdict, found.refused) == ("better", False)


def test_another_stripe_means_new_data_unless_it_is_allowed():
    narrow = with_hot(shipped("demo"), layout=LayoutPins(data_units=4, parity_units=2, hot_spares=1))
    found = compare(named("demo"), of(narrow))
    (one,) = found.replaced
    assert one.resource == "demo-hot"
    assert "data units 5 and parity units 2" in one.because
    assert "data units 4 and parity units 2" in one.because
    assert found.refused
    allowed = compare(named("demo"), of(narrow), allowed=["demo-hot"])
    assert (allowed.refused, allowed.replaced[0].allowed) == (False, True)


def test_another_product_copies_all_data():
    found = compare(named("demo"), of(with_hot(shipped("demo"), backend="cephfs", nodes=None, node=None, layout=None)))
    assert [one.because for one in found.replaced] == ["weka becomes cephfs: all data is copied"]


def test_a_longer_interval_asks_for_less_and_the_stack_says_so():
    demo = shipped("demo")
    work = demo.workloads[0]
    slower = replace(work, checkpoint=replace(work.checkpoint, overhead=0.06))
    found = compare(named("demo"), of(replace(demo, workloads=(slower,))))
    assert changed(found)["stack.workloads[pretrain-70b].checkpoint.overhead"] == (0.03, 0.06)
    (write,) = (row for row in found.rows if (row.of, row.name) == ("hot", "write"))
    assert write.required_after == pytest.approx(write.required_before / 2)
    assert write.before == write.after


def test_what_a_stack_says_of_itself_is_a_change_too():
    found = compare(named("demo"), of(replace(shipped("demo"), expect="refused")))
    assert changed(found) == {"stack.expect": ("pass", "refused")}
    assert (found.same, found.verdict) == (False, "same")


def test_a_new_stack_has_every_line_and_no_change():
    found = only_new(named("demo"))
    assert (found.verdict, found.refused, found.changed, found.replaced) == ("same", False, (), ())
    assert {row.of for row in found.rows} >= {"local", "hot", "cold"}
    assert found.findings.new == named("demo").findings
    assert only_new(named("refused-slow")).refused


def test_a_stack_that_goes_takes_its_data_with_it():
    found = only_old(named("demo"))
    assert {one.resource for one in found.replaced} == {"demo-hot", "demo-cold"}
    assert found.refused
    assert not only_old(named("demo"), allowed=["demo-hot", "demo-cold"]).refused


def test_a_preview_that_refuses_refuses_the_change():
    base = compare(named("demo"), named("demo"))
    said = Finding(policy="bucket-private", level="mandatory", message="archive is public")
    found = with_preview(base, stack="demo", replaced=(), findings=(said,))
    assert (found.verdict, found.refused, found.findings.new) == ("worse", True, (said,))


def service(nodes: int = 1, **size: object) -> Judged:
    """The demo as if its hot tier were a managed service."""
    base = {"service": "lustre", "unit": "GiB", "size": 4800.0, "class_name": "250"}
    words = {"replaces_on_change": ("storage_type", "class", "subnet"), "changes_in_place": ("size, upwards",)}
    plan = named("demo").plan
    hot = plan.tiers["hot"]
    config = replace(hot.config, nodes=nodes, layout=Layout(kind="none"), options={"storage_type": "SSD"})
    delivered = replace(hot.delivered, cannot_change_later=(), cloud=CloudSize(**{**base, **words, **size}))
    tiers = {**plan.tiers, "hot": replace(hot, config=config, delivered=delivered)}
    return Judged(plan=replace(plan, tiers=tiers), findings=(), called="service")


@pytest.mark.parametrize(
    ("size", "because"),
    [
        ({"class_name": "500"}, "class 250 becomes 500"),
        ({"size": 2400.0}, "does not shrink"),
        ({"service": "other"}, "lustre becomes other"),
    ],
)
def test_a_service_says_what_makes_a_new_one(size, because):
    (one,) = compare(service(), service(**size)).replaced
    assert because in one.because


def test_a_service_that_grows_in_place_is_not_replaced():
    found = compare(service(), service(size=9600.0))
    assert found.replaced == ()
    assert ("4800 GiB, 250", "9600 GiB, 250") in {(row.before, row.after) for row in found.rows}


FINDINGS = st.builds(
    Finding,
    policy=st.sampled_from(["hot-capacity", "hot-layout", "hot-phases"]),
    level=st.sampled_from(["mandatory", "advisory"]),
    message=st.sampled_from(
        [
            "hot capacity: 1 TB planned, 2 TB required",
            "hot capacity: 3 GB planned, 2 TB required",
            "hot phase checkpoint: 1.2 of the tier",
            "hot phase restore: 7 of the tier",
            "pretrain-70b: 6 domains cannot hold 5+2",
        ]
    ),
    required=st.sampled_from([None, 1.0, 2.0]),
    unit=st.sampled_from(["", "bytes"]),
    tier=st.sampled_from([None, "hot", "cold"]),
)


@settings(max_examples=200, deadline=None)
@given(old=st.lists(FINDINGS, max_size=6), new=st.lists(FINDINGS, max_size=6))
def test_findings_are_told_apart_the_same_way_in_both_directions(old, new):
    plans = (named("demo").plan, named("demo").plan)
    there = findings_diff(old, new, plans=plans)
    back = findings_diff(new, old, plans=plans[::-1])
    assert there.new == back.gone
    assert there.gone == back.new
    assert len(there.kept) + len(there.new) == len(new)
    assert len(there.kept) + len(there.gone) == len(old)
    assert findings_diff(old, old, plans=plans).kept == tuple(old)


def test_another_figure_or_limit_does_not_make_a_shortfall_new():
    plans = (named("demo").plan, named("demo").plan)
    old = Finding(
        policy="hot-write-bandwidth",
        level="mandatory",
        tier="hot",
        required=2.0,
        message="hot write bandwidth: 15 GB/s planned, 23.6 GB/s required; 6 × weka limited by node ports",
    )
    new = replace(old, message="hot write bandwidth: 900 MB/s planned, 1.2 TB/s required; 4 × weka limited by media")
    assert findings_diff([old], [new], plans=plans).kept == (new,)


def test_two_things_that_a_product_forbids_are_two_findings():
    plans = (named("demo").plan, named("demo").plan)
    old = Finding(policy="hot-layout", level="mandatory", tier="hot", required=7, message="weka: too few domains")
    new = replace(old, message="weka: the stripe is too wide")
    found = findings_diff([old], [new], plans=plans)
    assert (found.new, found.gone, found.kept) == ((new,), (old,), ())


@settings(max_examples=12, deadline=None)
@given(nodes=st.integers(min_value=6, max_value=40), other=st.integers(min_value=6, max_value=40))
def test_more_nodes_of_a_kind_never_give_less(nodes, other):
    found = compare(of(with_hot(shipped("demo"), nodes=nodes)), of(with_hot(shipped("demo"), nodes=other)))
    if nodes == other:
        assert found.same
    senses = {row.sense for row in found.rows if row.of == "hot" and row.name in ("read", "write", "capacity")}
    assert senses <= ({"better", ""} if other > nodes else {"worse", ""})


def with_site(stack: Stack, **words: object) -> Stack:
    return replace(stack, site=replace(stack.site, **words))


def options(stack: Stack, **words: object) -> Stack:
    return with_hot(stack, options={**stack.tiers.hot.options, **words})


@pytest.mark.parametrize(
    ("change", "replaced"),
    [
        (lambda fsx: fsx, {}),
        (lambda fsx: options(fsx, size="230400 GiB"), {}),
        (lambda fsx: options(fsx, size="57600 GiB"), {"hot": "does not shrink"}),
        (lambda fsx: options(fsx, efa=False), {"hot": "efa True becomes False"}),
        (lambda fsx: options(fsx, deployment_type="SCRATCH_2"), {"hot": "deployment_type PERSISTENT_2 becomes"}),
        (
            lambda fsx: with_site(fsx, network={**fsx.site.network, "subnet": "subnet-0fffffffffffffff0"}),
            {"hot": "subnet subnet-0a1b2c3d4e5f60718 becomes subnet-0fffffffffffffff0"},
        ),
        (
            lambda fsx: with_site(fsx, region="eu-west-1"),
            {"hot": "site region us-east-1 becomes eu-west-1", "cold": "site region us-east-1 becomes eu-west-1"},
        ),
        (lambda fsx: replace(fsx, capacity=replace(fsx.capacity, raw_data=fsx.capacity.raw_data * 0.5)), {}),
    ],
)
def test_a_managed_file_system_says_what_makes_a_new_one(change, replaced):
    fsx = shipped("aws-fsx")
    found = compare(of(fsx), of(change(fsx)))
    assert {one.resource for one in found.replaced} == {f"aws-fsx-{tier}" for tier in replaced}
    for one in found.replaced:
        assert replaced[one.resource.rpartition("-")[2]] in one.because
