"""What a plan costs: published figures, and that nothing unknown is passed over."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tierplan import load
from tierplan.cost import per_month, priced
from tierplan.demand.goodput import stall_gpu_hours
from tierplan.domain.prices import Price, PriceList
from tierplan.domain.tiers import BillItem
from tierplan.errors import InputError
from tierplan.plan import judge, make_plan, verdict

OWN = {
    "node.storage": (21_000, "node"),
    "node.beside": (15_000, "node"),
    "drive.nvme": (110, "TB"),
    "drive.hdd": (18, "TB"),
    "licence.weka": (200, "TB-year"),
    "licence.storage-scale": (150, "TB-year"),
    "licence.vast": (150, "TB-year"),
    "licence.beegfs": (50, "TB-year"),
    "power.node": (900, "node-year"),
    "staff.storage-engineer": (150_000, "person-year"),
}


def price_list(currency="USD", without=()):
    items = {
        item: Price(item=item, price=price, per=per, date="2026-10-01", source="offer 4711")
        for item, (price, per) in OWN.items()
        if item not in without
    }
    return PriceList(currency=currency, years=5, items=items)


@pytest.fixture(scope="module")
def stack():
    return load.read_stack("stacks/Pulumi.mixed.yaml")


def test_a_petabyte_in_s3_standard():
    """Bands of 50, 450 and 500 TB: 21,550 USD a month."""
    bands = ((50_000, 0.023), (450_000, 0.022), (500_000, 0.021))
    assert sum(per_month(price=p, quantity=q, per="GB-month", years=5) for q, p in bands) == pytest.approx(21_550)


def test_fsx_of_100_tb():
    """100 TB at 125 MB/s/TiB: 14,500 USD a month."""
    published = load.published_prices().items["fsx-lustre.PERSISTENT_2-125"]
    assert per_month(price=published.price, quantity=100_000, per=published.per, years=5) == pytest.approx(14_500)


def test_stall_of_1024_gpus():
    """3 % of 30 days on 1,024 GPUs: 22,118 GPU hours; of a year at 3 USD: 807,322 USD."""
    assert stall_gpu_hours(gpus=1024, jobs=1, overhead_fraction=0.03, hours=720) == pytest.approx(22_118.4)
    assert 3 * stall_gpu_hours(gpus=1024, jobs=1, overhead_fraction=0.03, hours=8760) == pytest.approx(807_321.6)


def test_every_published_price_has_date_region_and_source():
    for price in load.published_prices().items.values():
        assert len(price.source) > 10
        assert price.date >= "2024"
        assert price.region == "us-east-1"


def test_whole_cost_adds_up(stack):
    cost = make_plan(stack, load.catalogue(), price_list()).cost
    assert cost.complete
    assert cost.unknown == ()
    assert cost.monthly == pytest.approx(sum(line.monthly for line in cost.lines))
    assert {line.tier for line in cost.lines} == {"hot", "cold", None}
    assert cost.lost_gpu_hours_per_30d > cost.stall_gpu_hours_per_30d > 0


@pytest.mark.parametrize("missing", ["node.storage", "drive.nvme", "licence.weka", "power.node"])
def test_one_missing_price_makes_the_total_incomplete_and_the_budget_refuse(stack, missing):
    rich = replace(stack, targets=replace(stack.targets, budget=replace(stack.targets.budget, monthly=1e9)))
    whole = make_plan(rich, load.catalogue(), price_list())
    assert "budget-monthly" not in {finding.policy for finding in judge(whole)}
    plan = make_plan(rich, load.catalogue(), price_list(without=(missing,)))
    assert plan.cost.monthly is None
    assert not plan.cost.complete
    assert any(word.startswith((missing, "node.")) for word in plan.cost.unknown)
    (finding,) = (one for one in judge(plan) if one.policy == "budget-monthly")
    assert "incomplete" in finding.message
    assert verdict((finding,)) == "refused"


def test_budget_boundary(stack):
    monthly = make_plan(stack, load.catalogue(), price_list()).cost.monthly
    for budget, refused in ((monthly, False), (monthly * 0.999, True)):
        tight = replace(stack, targets=replace(stack.targets, budget=replace(stack.targets.budget, monthly=budget)))
        found = {finding.policy for finding in judge(make_plan(tight, load.catalogue(), price_list()))}
        assert ("budget-monthly" in found) == refused


def test_money_decides_only_where_every_price_is_known(stack):
    """Drives so dear that the fewest machines are not the least money."""
    free = replace(
        stack, tiers=replace(stack.tiers, hot=replace(stack.tiers.hot, backend="auto", nodes=None, node=None))
    )
    hot = [one for one in make_plan(free, load.catalogue(), price_list()).candidates if one.tier == "hot"]
    assert [one.monthly for one in hot] == sorted(one.monthly for one in hot)
    by_machines = make_plan(free, load.catalogue(), price_list(without=("licence.weka",))).candidates
    machines = [one.nodes + one.nodes_beside for one in by_machines if one.tier == "hot"]
    assert machines == sorted(machines)
    assert len({one.monthly is None for one in by_machines if one.tier == "hot"}) == 2


def test_a_price_for_another_unit_is_refused():
    prices = PriceList(
        currency="USD", items={"node.x": Price(item="node.x", price=1, per="TB", date="2026-01-01", source="own")}
    )
    with pytest.raises(InputError, match="per TB; it is counted per node"):
        priced((BillItem(items=("node.x",), quantity=1, per="node"),), prices)


def test_own_prices_are_read_beside_the_stack_and_spoilt_ones_told(tmp_path, stack):
    file = tmp_path / "own.yaml"
    file.write_text(
        "currency: USD\nitems:\n  node.storage: {price: 21000, per: node, date: 2026-10-01, source: offer 4711}\n"
    )
    found = load.prices_of(stack, file)
    assert found.items["node.storage"].price == 21_000
    assert found.items["node.storage"].date == "2026-10-01"
    file.write_text("currency: EUR\nitems: {}\n")
    with pytest.raises(InputError, match="nothing is converted"):
        load.prices_of(stack, file)
    file.write_text("currency: USD\nitems:\n  node.storage: {price: -1, per: nodes, date: 2026-10-01, source: offer}\n")
    with pytest.raises(InputError) as caught:
        load.prices_of(stack, file)
    assert len(caught.value.faults) == 2
    assert all("own.yaml:3: items.node.storage." in line for line in caught.value.faults)
    with pytest.raises(InputError, match="cannot be read"):
        load.prices_of(stack, tmp_path / "none.yaml")


def test_lost_gpu_hours_are_what_is_not_goodput_of_the_jobs_that_run():
    """Four jobs of which one runs at a time lose what one loses, and never more than the cluster has."""
    form = load.read_form("stacks/Pulumi.demo.yaml")
    for per_gpu in ("50000 h", "1 s"):
        plans = [
            make_plan(
                form.stack({"workloads[0].checkpoint.concurrent_jobs": jobs, "cluster.interrupts.per_gpu": per_gpu}),
                load.catalogue(),
            )
            for jobs in (1, 4)
        ]
        lost = [plan.cost.lost_gpu_hours_per_30d for plan in plans]
        assert lost[0] == pytest.approx(lost[1], rel=0.05)
        goodput = plans[0].outcome["pretrain-70b.checkpoint.goodput_fraction"].number
        assert lost[0] == pytest.approx(1024 * 720 * (1 - goodput))
        assert lost[0] <= 1024 * 720


@pytest.mark.parametrize("price", [".nan", ".inf", "1e308"])
def test_a_price_that_is_no_number_is_told(tmp_path, stack, price):
    file = tmp_path / "own.yaml"
    file.write_text(
        f"currency: USD\nitems:\n  node.storage: {{price: {price}, per: node, date: 2026-10-01, source: offer 4711}}\n"
    )
    with pytest.raises(InputError, match=r"own.yaml:3: items.node.storage.price: .*no price"):
        load.prices_of(stack, file)
