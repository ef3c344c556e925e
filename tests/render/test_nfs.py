"""The files of NFS in the hands of bash, PyYAML and configparser; scripts run against programs that write down."""

import configparser
import os
import re
import subprocess
from dataclasses import replace

import pytest
import yaml

from command_table import table, unknown
from tierplan import load, plan
from tierplan.domain.hosts import ClientHosts, Host, HostGroup, Hosts
from tierplan.domain.stack import LayoutPins, NodePins, Quote
from tierplan.render import render
from tierplan.units import bandwidth, size

FOLDER = "10-hot-nfs"
TABLE = table("nfs")
FIELDS = {name: set(row["names"]) for name, row in TABLE["fields"].items()}
OFFER = Quote(read=bandwidth("40 GB/s"), write=bandwidth("15 GB/s"), usable=size("200 TB"), source="offer 4711")
SSH = '#!/usr/bin/env bash\nwhile [ "$1" != -- ]; do shift; done\nexport ON="${2#root@}"\nshift 2\nexec bash -c "$*"\n'
RECORD = """#!/usr/bin/env bash
echo "${ON:-}" "${0##*/}" "$@" >> "$LOG"
case "${0##*/} $*" in
  "pcs stonith config") echo fence ;;
  "mdadm --detail --brief"*) echo "ARRAY ${!#} metadata=1.2 UUID=$(echo "${!#}" | cksum | tr ' ' ':')" ;;
esac
"""


def made(*, tcp=False, **pins):
    """The shipped stack, with pins of its own."""
    stack = load.read_stack("nfs")
    if tcp:
        network = replace(stack.cluster.storage_network, transport="tcp")
        stack = replace(stack, cluster=replace(stack.cluster, storage_network=network))
    hot = replace(stack.tiers.hot, **pins)
    return plan.make_plan(replace(stack, tiers=replace(stack.tiers, hot=hot)), load.catalogue())


def hosts_of(servers, *, drives=12, virtual=True):
    return Hosts(
        hot=HostGroup(
            ports=("ib0", "ib1"),
            public_network="10.10.0.0/16",
            virtual_ips=tuple(f"10.10.2.{index + 1}/16" for index in range(servers)) if virtual else (),
            hosts=tuple(
                Host(
                    name=f"nas-{index}",
                    addresses=(f"10.10.1.{index}",),
                    drives=tuple(f"/dev/disk/by-id/nvme-{index}-{drive}" for drive in range(drives)),
                )
                for index in range(1, servers + 1)
            ),
        ),
        clients=ClientHosts(ports=("ib0", "ib1")),
    )


def _own(files):
    return {path: text for path, text in files.items() if path.startswith(FOLDER)}


@pytest.fixture(scope="module")
def every():
    """Files of plans that between them take every branch."""
    alone = made(layout=LayoutPins(failure_domain="drive"), nodes=3, tcp=True)
    wide = made(node=NodePins(drives=60), nodes=4)
    return {
        "pair": _own(render(made(), hosts_of(2))),
        "examples": _own(render(made(), None)),
        "alone": _own(render(alone, hosts_of(3))),
        "wide": _own(render(wide, hosts_of(4, drives=60))),
        "appliance": _own(render(made(quote=OFFER), hosts_of(2))),
        "third": _own(render(made(options={"version": "3", "export": "/data"}), hosts_of(2))),
    }


def test_every_command_and_option_is_in_the_table(every):
    used = set()
    for files in every.values():
        found, called = unknown(files, "nfs")
        assert found == []
        used |= called
    assert used == set(TABLE["commands"])


def test_the_check_itself_can_fail():
    for line in ("mdadm --build x", 'on "$host" pcs resource create a b colour=red', "mkfs.xfs -L", "pcs frobnicate"):
        assert unknown({"x.sh": line}, "nfs")[0], line


def test_table_names_a_source_for_every_row():
    rows = [*TABLE["commands"].values(), *TABLE["fields"].values()]
    assert {row["source"] for row in rows} == set(TABLE["sources"])


def test_scripts_are_bash(every, tmp_path):
    for files in every.values():
        for path, text in files.items():
            if path.endswith(".sh"):
                script = tmp_path / "script.sh"
                script.write_text(text)
                subprocess.run(["bash", "-n", str(script)], check=True, timeout=30)


def test_appliance_leaves_the_servers_to_its_vendor(every):
    names = [path.partition("/")[2] for path in every["appliance"]]
    assert names == ["07-client.fstab", "08-clients.sh", "09-csi-storageclass.yaml", "10-alerts.yaml", "README.md"]


def test_takeover_comes_only_with_pairs(every):
    assert f"{FOLDER}/06-takeover.sh" in every["pair"]
    assert f"{FOLDER}/06-takeover.sh" not in every["alone"]


def test_exports_hold_known_options_and_a_number_each(every):
    for name in ("pair", "alone", "third"):
        lines = [one for one in every[name][f"{FOLDER}/04-hot.exports"].splitlines() if not one.startswith("#")]
        seen = [re.fullmatch(r"(/\S+) (\S+)\((\S+)\)", line).groups() for line in lines]
        assert len({path for path, _, _ in seen}) == len(lines)
        assert {network for _, network, _ in seen} == {"10.10.0.0/16"}
        for number, (_, _, options) in enumerate(seen, start=1):
            assert {word.partition("=")[0] for word in options.split(",")} == FIELDS["exports"]
            assert f"fsid={number}" in options.split(",")


def test_server_settings_are_known(every):
    for name, third, rdma in (("pair", "n", True), ("third", "y", True), ("alone", "n", False)):
        parser = configparser.ConfigParser()
        parser.read_string(every[name][f"{FOLDER}/03-server.conf"])
        assert set(parser["nfsd"]) <= FIELDS["nfs_conf"]
        assert (parser["nfsd"]["vers3"], "rdma" in parser["nfsd"]) == (third, rdma)


@pytest.mark.parametrize(("name", "count"), [("pair", 2), ("alone", 3), ("appliance", 2), ("third", 2)])
def test_every_server_is_mounted_once(every, name, count):
    lines = [one for one in every[name][f"{FOLDER}/07-client.fstab"].splitlines() if not one.startswith("#")]
    assert len(lines) == count
    assert len({line.split()[0] for line in lines}) == count
    for line in lines:
        fields = line.split()
        assert (len(fields), fields[2]) == (6, "nfs")
        assert {option.partition("=")[0] for option in fields[3].split(",")} <= FIELDS["mount_options"]
        assert ("nconnect" in fields[3]) == (name == "alone")  # connections are TCP's matter


def test_storage_classes_are_one_for_each_server(every):
    for name, count in (("pair", 2), ("alone", 3)):
        documents = list(yaml.safe_load_all(every[name][f"{FOLDER}/09-csi-storageclass.yaml"]))
        made_ = [document for document in documents if document]
        assert len({document["metadata"]["name"] for document in made_}) == count
        for document in made_:
            assert set(document["parameters"]) == FIELDS["storage_class_parameters"]


def test_alerts_use_known_metrics_at_the_plans_figures(every):
    for name in ("pair", "appliance"):
        rules = yaml.safe_load(every[name][f"{FOLDER}/10-alerts.yaml"])["groups"][0]["rules"]
        for rule in rules:
            assert set(re.findall(r"node_\w+", rule["expr"])) <= FIELDS["metrics"]
        (fill,) = [rule["expr"] for rule in rules if rule["alert"] == "TierplanHotFillPlanned"]
        assert int(fill.rpartition(" ")[2]) == int(made().tiers["hot"].need.capacity.bytes)


@pytest.fixture
def run(tmp_path):
    """Run scripts of a rendering against recorders; the calls, one line each: host, program, words."""

    def runner(files, *names):
        programs, log = tmp_path / "bin", tmp_path / "log"
        programs.mkdir()
        for name in ("mdadm", "mkfs.xfs", "pcs", "scp", "systemctl", "mkdir", "exportfs"):
            (programs / name).write_text(RECORD)
            (programs / name).chmod(0o755)
        (programs / "ssh").write_text(SSH)
        (programs / "ssh").chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        for name in names:
            script = tmp_path / name
            script.write_text(files[f"{FOLDER}/{name}"])
            subprocess.run(
                ["bash", str(script)],
                env={"PATH": path, "LOG": str(log), "HACLUSTER_PASSWORD": "x"},
                check=True,
                capture_output=True,
                timeout=60,
            )
        return log.read_text().splitlines()

    return runner


def test_arrays_use_every_planned_drive_once(every, run):
    calls = run(every["wide"], "02-arrays.sh")
    groups = [call for call in calls if " --level=6 " in call]
    assert len(groups) == 4 * 3
    drives = re.findall(r"/dev/disk/by-id/\S+", "\n".join(groups))
    assert len(drives) == len(set(drives)) == 4 * (3 * 19 + 1)  # three groups of 17+2 and one spare
    assert sum(" --level=0 --raid-devices=3 " in call for call in calls) == 4
    assert next(call for call in calls if "mkfs.xfs" in call) == "nas-1 mkfs.xfs -L hot1 /dev/md/hot1"


def test_one_group_needs_no_second_layer(every, run):
    calls = run(every["pair"], "02-arrays.sh")
    assert not any("--level=0" in call for call in calls)
    assert "nas-2 mkfs.xfs -L hot2 /dev/md/hot2-1" in calls


def test_arrays_of_a_pair_are_known_to_both_and_run_on_neither(every):
    """Each array is stopped where it was made, and both servers keep it from assembling by itself."""
    text = every["wide"][f"{FOLDER}/05-serve.sh"]
    assert "ARRAY <ignore>" in text
    assert [line for line in text.splitlines() if line.startswith("hand_over ")] == [
        "hand_over nas-1 nas-2 1 3",
        "hand_over nas-2 nas-1 2 3",
        "hand_over nas-3 nas-4 3 3",
        "hand_over nas-4 nas-3 4 3",
    ]


def test_pairs_of_the_same_drives_stop(tmp_path):
    """A group's list of drives would be the same on both servers."""
    hosts = hosts_of(2)
    shared = tuple(replace(host, drives=()) for host in hosts.hot.hosts)
    group = replace(hosts.hot, hosts=shared, drives=tuple(f"/dev/nvme{index}n1" for index in range(12)))
    text = render(made(), replace(hosts, hot=group))[f"{FOLDER}/02-arrays.sh"]
    script = tmp_path / "02-arrays.sh"
    script.write_text(text)
    done = subprocess.run(["bash", str(script)], capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, "same drives" in done.stderr) == (1, True)


def test_takeover_moves_array_file_system_export_and_address_together(every, run):
    calls = run(every["wide"], "06-takeover.sh")
    assert sum("cluster setup" in call for call in calls) == 2
    third = [call for call in calls if "pcs resource create hot3-" in call]
    assert [call.split()[5] for call in third] == [
        "ocf:heartbeat:mdraid",
        "ocf:heartbeat:mdraid",
        "ocf:heartbeat:mdraid",
        "ocf:heartbeat:mdraid",
        "ocf:heartbeat:Filesystem",
        "ocf:heartbeat:exportfs",
        "ocf:heartbeat:IPaddr2",
    ]
    assert all(call.startswith("nas-3 ") and call.endswith("--group hot3") for call in third)
    assert "ip=10.10.2.3 cidr_netmask=16" in third[-1]


def test_too_few_virtual_addresses_stop():
    whole, hosts = made(), hosts_of(2)
    few = replace(hosts, hot=replace(hosts.hot, virtual_ips=hosts.hot.virtual_ips[:1]))
    assert "name 2 virtual_ips" in render(whole, few)[f"{FOLDER}/06-takeover.sh"]
    assert "virtual_ips in the hosts file" not in render(whole, hosts)[f"{FOLDER}/06-takeover.sh"]


@pytest.mark.parametrize("word", ["/a b", "/$(reboot)", "/x(rw)", '/"x', "/x\nrm -rf /"])
def test_hostile_words_are_refused_and_not_rendered(word):
    whole = made(options={"export": word, "version": word})
    text = "\n".join(_own(render(whole, hosts_of(2))).values())
    assert "reboot" not in text
    assert "rm -rf" not in text
    assert "x(rw)" not in text
    assert whole.tiers["hot"].delivered.illegal
