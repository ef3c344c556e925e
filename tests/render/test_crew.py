"""Hosts against the plan: too few, too many, no name, no rack, other drives; each fault one clear line."""

from dataclasses import replace

import pytest

from tierplan.domain.hosts import Host, HostGroup, Hosts
from tierplan.errors import RenderError
from tierplan.render import render
from tierplan.render.crew import addresses_needed, completed, crew
from tierplan.units import bandwidth


def lines_of(plan, hosts):
    with pytest.raises(RenderError) as caught:
        render(plan, hosts)
    return str(caught.value).splitlines()


@pytest.mark.parametrize(("hot", "remedy"), [(11, "name 1 more"), (13, "take out 1")])
def test_too_few_and_too_many_hosts_are_refused_with_both_counts(plan, hosts_of, hot, remedy):
    (line,) = lines_of(plan, hosts_of(hot=hot))
    assert line == f"hosts: hot: {hot} hosts for a plan of 12 nodes; {remedy}, or plan tiers.hot.nodes: {hot}"


def test_faults_of_both_tiers_come_at_once(plan, hosts_of):
    lines = lines_of(plan, hosts_of(hot=1, cold=2))
    assert [line.split(":")[1].strip() for line in lines] == ["hot", "cold"]


def test_hostile_host_names_are_refused_in_one_line_each(plan, hosts, hostile):
    for text in hostile:
        first, *rest = hosts.hot.hosts
        spoilt = replace(hosts, hot=replace(hosts.hot, hosts=(replace(first, name=text), *rest)))
        (line,) = lines_of(plan, spoilt)
        assert line.startswith("hosts: hot.hosts[0].name: ")
        assert "RFC 1123" in line


@pytest.mark.parametrize("field", ["addresses", "ports", "drives"])
def test_hostile_devices_and_addresses_are_refused(plan, hosts, hostile, field):
    for text in hostile:
        first, *rest = hosts.hot.hosts
        spoilt = replace(hosts, hot=replace(hosts.hot, hosts=(replace(first, **{field: (text,)}), *rest)))
        assert any(line.startswith(f"hosts: hot.hosts[0].{field}[0]: ") for line in lines_of(plan, spoilt))


@pytest.mark.parametrize("key", ["s3_name", "public_network", "cluster_network"])
def test_hostile_names_of_the_object_store_are_refused(plan, hosts, hostile, key):
    for text in hostile:
        spoilt = replace(hosts, cold=replace(hosts.cold, **{key: text}))
        (line,) = lines_of(plan, spoilt)
        assert line.startswith(f"hosts: cold.{key}: ")


def test_other_drives_and_ports_than_planned_are_refused_with_both_counts(plan, hosts):
    spoilt = replace(hosts, hot=replace(hosts.hot, drives=("/dev/nvme1n1",), ports=("ib0",)))
    lines = lines_of(plan, spoilt)
    assert "hosts: hot: hot-0.example.internal: 1 drives for a plan of 12 a node; name them all" in lines
    assert "hosts: hot: hot-0.example.internal: 1 ports for a plan of 2 a node; name them all" in lines


def test_rack_failure_domains_need_racks(weka_tier, plan_of, hosts, hosts_of):
    plan = plan_of(hot=weka_tier(failure_domain="rack"))
    (few,) = lines_of(plan, hosts_of(racks=3))
    assert "3 racks for a 5+2 layout over 7 racks" in few
    first, *rest = hosts.hot.hosts
    homeless = replace(hosts, hot=replace(hosts.hot, hosts=(replace(first, rack=None), *rest)))
    (line,) = lines_of(plan, homeless)
    assert "hot-0.example.internal has no rack" in line


def test_one_tier_may_be_named_and_the_other_not(plan, hosts):
    """The half that is known is rendered with real names, the other half is marked."""
    files = render(plan, replace(hosts, cold=None))
    assert "TO BE REPLACED" not in files["10-hot-weka/01-check-hosts.sh"]
    assert "TO BE REPLACED" in files["20-cold-ceph-rgw/01-check-hosts.sh"]


def test_real_hosts_without_drives_get_drives_that_cannot_exist(plan, hosts):
    """A guessed name of a real drive would be formatted."""
    bare = replace(hosts, hot=replace(hosts.hot, drives=(), ports=()))
    text = render(plan, bare)["10-hot-weka/03-create-cluster.sh"]
    assert "/dev/example0" in text
    assert "TO BE REPLACED, examples only: ports, drives." in text
    assert "nvme" not in text


def test_example_hosts_have_unique_names_and_addresses_that_are_never_routed(weka_tier):
    group = crew("hot", weka_tier(nodes=600), None, example_name="weka").group
    assert len({host.name for host in group.hosts}) == 600
    addresses = {address for host in group.hosts for address in host.addresses}
    assert len(addresses) == 600
    assert all(address.startswith("198.18.") for address in addresses)


def test_turns_go_rack_by_rack(ceph_tier, hosts_of):
    """The first few daemons stand in different racks."""
    group = hosts_of(cold=8, racks=3).cold
    found = crew("cold", ceph_tier(), Hosts(cold=group), example_name="ceph").mapping()["hosts"]
    first = [host["rack"] for host in sorted(found, key=lambda host: host["turn"])[:3]]
    assert sorted(first) == ["r0", "r1", "r2"]


def test_hosts_with_other_drives_form_their_own_set(ceph_tier):
    names = tuple(f"/dev/sd{letter}" for letter in "abcdefghijklmnopqrstuvwx")
    hosts = [Host(name=f"c{index}", addresses=(f"10.0.0.{index + 1}",)) for index in range(8)]
    hosts[3] = replace(hosts[3], drives=tuple(reversed(names)))
    group = HostGroup(hosts=tuple(hosts), drives=names)
    sets = crew("cold", ceph_tier(), Hosts(cold=group), example_name="ceph").mapping()["drive_sets"]
    assert [drives["hosts"] for drives in sets] == [["c0", "c1", "c2", "c4", "c5", "c6", "c7"], ["c3"]]


def test_one_virtual_address_for_each_host_port_that_the_load_fills(ceph_tier):
    """2 x 100 Gbit/s carry 25 GB/s: 60 GB/s ask for three addresses."""
    tier = ceph_tier()
    asked = replace(tier, need=replace(tier.need, read=bandwidth("60 GB/s")))
    assert addresses_needed(tier) == 1
    assert addresses_needed(asked) == 3
    known = crew("cold", asked, None, example_name="ceph")
    assert len(completed(known, asked, ("virtual_ips",)).group.virtual_ips) == 3
