"""From the shipped stack files to files on disk, through the whole core."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from tierplan import load, plan
from tierplan.load.hosts import read_hosts_file
from tierplan.render import render, write

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def demo():
    return plan.make_plan(load.read_stack(ROOT / "stacks" / "Pulumi.demo.yaml"), load.catalogue())


def test_demo_renders_what_its_stack_pins(demo):
    files = render(demo, None)
    create = files["10-hot-weka/03-create-cluster.sh"]
    assert "--data-drives 5 --parity-drives 2 --cluster-name demo" in create
    assert "  weka-12 \\\n" in create
    assert "weka-13" not in create


def test_example_hosts_fit_the_demo(demo, tmp_path):
    hosts = read_hosts_file(ROOT / "examples" / "hosts.yaml")
    files = render(demo, hosts)
    assert not [path for path, text in files.items() if "TO BE REPLACED" in text]
    write(files, tmp_path / "out")
    assert (tmp_path / "out" / "10-hot-weka" / "01-check-hosts.sh").is_file()


def test_fill_alert_stands_at_the_capacity_that_the_stack_asks_for(demo):
    """The figure of the alert and the figure of the requirement are one."""
    files = render(demo, None)
    rules = yaml.safe_load(files["10-hot-weka/11-alerts.yaml"])["groups"][0]["rules"]
    (expr,) = [rule["expr"] for rule in rules if rule["alert"] == "TierplanHotFillPlanned"]
    assert int(expr.rpartition(" ")[2]) == int(demo.tiers["hot"].need.capacity.bytes)


def test_file_system_never_exceeds_the_planned_bytes(demo):
    text = render(demo, None)["10-hot-weka/06-filesystem.sh"]
    gib = int(text.rpartition("GiB")[0].rpartition(" ")[2])
    planned = demo.tiers["hot"].delivered.planned.bytes
    assert planned - 2**30 < gib * 2**30 <= planned


def test_every_osd_of_the_plan_is_waited_for(demo):
    config = demo.tiers["cold"].config
    text = render(demo, None)["20-cold-ceph-rgw/07-apply-hosts-and-osds.sh"]
    assert f"-ge {config.nodes * config.node.drives} ]" in text


@pytest.mark.parametrize("path", sorted((ROOT / "stacks").glob("Pulumi.*.yaml")), ids=lambda path: path.name)
def test_every_shipped_stack_that_passes_renders(path):
    made = plan.make_plan(load.read_stack(path), load.catalogue())
    if plan.verdict(plan.judge(made)) == "pass":
        assert render(made, None) == render(replace(made), None)
