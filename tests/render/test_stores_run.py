"""Scripts of the object stores, run against programs that write down; Ceph's maps against its own crushtool."""

import json
import os
import re
import shutil
import subprocess

import pytest

from command_table import table
from stores import STORES, hosts_of, made, names_of, own, renderings, settings
from tierplan.domain.stack import LayoutPins, NodePins, Survive
from tierplan.render import render, write

SSH = '#!/usr/bin/env bash\nwhile [ "$1" != -- ]; do shift; done\nexport ON="${2#root@}"\nshift 2\nexec bash -c "$*"\n'
RECORD = r"""#!/usr/bin/env bash
{ printf '%s\x1f' "${ON:-}" "${0##*/}" "$@"; printf '\x1e'; } >> "$LOG"
case "${0##*/} $*" in
  "garage node id"*) echo "$(echo "$ON" | sha256sum | cut -c1-64)@10.0.0.1:3901" ;;
  "mc alias set"* | "kubectl "*) cat > /dev/null ;;
esac
"""
PROGRAMS = ("mc", "garage", "kubectl", "systemctl", "mkfs.xfs", "mount", "useradd", "chown", "aws", "install")
SECRETS = {
    "TIERPLAN_STORE_USER": "archive-user",
    "TIERPLAN_STORE_PASSWORD": "hunter'2 $(x)",
    "TIERPLAN_KEYS_DIR": "keys",
}


@pytest.fixture(scope="module")
def every():
    """Files of plans that between them take every branch, by product."""
    return renderings()


@pytest.fixture
def run(tmp_path):
    """Run one rendered script against programs that write down; what was called, and the files that came to be."""
    tools, root = tmp_path / "tools", tmp_path / "root"
    tools.mkdir()
    root.mkdir()
    for program, text in {"ssh": SSH, **dict.fromkeys(PROGRAMS, RECORD)}.items():
        (tools / program).write_text(text)
        (tools / program).chmod(0o755)

    def runner(files, script, **environment):
        moved = {path: re.sub(r"(?<![\w.])/etc/", f"{root}/etc/", text) for path, text in files.items()}
        for folder in ("etc/default", "etc/systemd/system", "etc/seaweedfs", "etc/garage"):
            (root / folder).mkdir(parents=True, exist_ok=True)
        (root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        for path, text in moved.items():
            (out / path).write_text(text)
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        found = subprocess.run(
            ["bash", str(out / script)],
            env={"PATH": f"{tools}:{os.environ['PATH']}", "LOG": str(log), "HOME": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        calls = [call.split("\x1f")[:-1] for call in log.read_text().split("\x1e")[:-1]] if log.exists() else []
        return found, calls, root

    return runner


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_install_puts_names_settings_unit_and_starts_all(name, every, run):
    found, calls, root = run(every[name]["other"], "06-install.sh", **SECRETS)
    assert found.returncode == 0, found.stderr
    started = [call[0] for call in calls if call[1:3] == ["systemctl", "enable"]]
    assert started == [f"cold-{index}" for index in range(8)]
    secret = (root / f"etc/default/{name}-secret").read_text()
    assert SECRETS["TIERPLAN_STORE_PASSWORD"] in secret
    assert ((root / f"etc/default/{name}-secret").stat().st_mode & 0o777) == 0o600
    hosts = (root / "etc/hosts").read_text()
    assert hosts.startswith("127.0.0.1 localhost\n")
    assert hosts.count(f" {name}-") == 8
    assert settings((root / f"etc/default/{name}").read_text())


@pytest.mark.parametrize("name", ["minio", "rustfs"])
def test_install_stops_without_secrets(name, every, run):
    found, calls, _ = run(every[name]["other"], "06-install.sh")
    assert (found.returncode != 0, calls) == (True, [])


def test_buckets_are_private_and_the_key_is_on_no_command_line(every, run):
    found, calls, _ = run(every["minio"]["other"], "10-buckets.sh", **SECRETS)
    assert found.returncode == 0, found.stderr
    words = [" ".join(call[1:]) for call in calls]
    assert "mc anonymous set none tierplan/archive" in words
    assert not [word for word in words if SECRETS["TIERPLAN_STORE_PASSWORD"] in word]


@pytest.mark.parametrize("name", STORES)
def test_drives_are_erased_only_when_asked(name, run):
    script = "03-drives.sh" if name in {"minio", "rustfs"} else "02-drives.sh"
    files = own(render(made(name, nodes=4, node=NodePins(drives=2)), hosts_of(4, drives=2)), name)
    _, calls, _ = run(files, script)
    assert not [call for call in calls if call[1] == "mkfs.xfs"]
    found, calls, _ = run(files, script, TIERPLAN_APPLY="yes")
    made_on = [call[-1] for call in calls if call[1] == "mkfs.xfs"]
    assert found.returncode == 0, found.stderr
    assert len([device for device in made_on if device.startswith("/dev/sd")]) == 4 * 2


def test_garage_layout_is_shown_before_it_is_applied(every, run):
    _, calls, _ = run(every["garage"]["other"], "06-layout.sh")
    assert not [call for call in calls if "apply" in call]
    found, calls, _ = run(every["garage"]["other"], "06-layout.sh", TIERPLAN_APPLY="yes")
    assert found.returncode == 0, found.stderr
    assert len([call for call in calls if "assign" in call]) == 8
    assert [call[0] for call in calls if "apply" in call] == ["cold-0"]


def test_weed_install_gives_each_node_its_address(run):
    files = own(render(made("seaweedfs", nodes=4), hosts_of(4)), "seaweedfs")
    found, calls, root = run(files, "08-install.sh", **SECRETS)
    assert found.returncode == 0, found.stderr
    assert settings((root / "etc/default/weed").read_text())["WEED_IP"] == "10.20.0.4"
    document = json.loads((root / "etc/seaweedfs/s3.json").read_text())
    assert names_of(document) <= set(table("seaweedfs")["fields"]["identities"]["names"])
    assert document["identities"][0]["credentials"][0]["secretKey"] == SECRETS["TIERPLAN_STORE_PASSWORD"]
    masters = [call[0] for call in calls if call[1:3] == ["systemctl", "enable"] and "weed-master.service" in call]
    assert len(masters) == 3


def test_files_can_be_written(tmp_path):
    write(render(made("minio"), None), tmp_path / "out")
    assert (tmp_path / "out" / "20-cold-minio" / "06-install.sh").stat().st_mode & 0o111


# --- Ceph's maps ----------------------------------------------------------------------------------------------------


def mappings(tool, folder, *, width, copies=3, lost=()):
    """Groups that find too few places, with some OSDs out."""
    weights = [word for osd in lost for word in ("--weight", str(osd), "0")]
    bad = []
    for rule, count in ((0, copies), (1, width)):
        command = [tool, "-i", str(folder / "map"), "--test", "--rule", str(rule), "--num-rep", str(count)]
        words = [*command, "--min-x", "0", "--max-x", "511", "--show-bad-mappings", "--show-statistics", *weights]
        found = subprocess.run(words, capture_output=True, text=True, check=True)
        assert "512/512" in found.stdout or "bad mapping" in found.stdout
        bad += re.findall("bad mapping.*", found.stdout)
    return bad


CEPH_CASES = {
    "small": {"nodes": None},
    "wide": {"layout": LayoutPins(data_units=8, parity_units=3)},
    "copies": {"layout": LayoutPins(replicas=3)},
    "racks": {"survive": Survive(nodes=1, racks=1)},
    "few racks": {
        "survive": Survive(nodes=0, racks=1),
        "layout": LayoutPins(data_units=8, parity_units=4),
    },
    "flash": {"node": NodePins(drives=6, medium="nvme")},
}


@pytest.mark.parametrize("case", CEPH_CASES)
def test_every_group_finds_a_place_also_after_what_the_plan_survives(case, tmp_path):
    """Ceph's own crushtool places the rendered map: whole, one host lost, one rack lost where racks are domains."""
    tool = shutil.which("crushtool")
    if tool is None:
        pytest.skip("crushtool (ceph-base) is not installed")
    planned = made("ceph-rgw", **CEPH_CASES[case])
    config = planned.tiers["cold"].config
    drives, layout = config.node.drives, config.layout
    text = own(render(planned, None), "ceph-rgw")["17-crush-map.txt"]
    (tmp_path / "text").write_text(text)
    made_map = subprocess.run(
        [tool, "-c", str(tmp_path / "text"), "-o", str(tmp_path / "map")], capture_output=True, text=True, check=False
    )
    assert made_map.returncode == 0, made_map.stderr
    assert len(re.findall("^device", text, flags=re.MULTILINE)) == config.nodes * drives
    assert mappings(tool, tmp_path, width=layout.width) == []
    by_rack = layout.failure_domain == "rack"
    assert by_rack == ("racks" in case)
    if not by_rack or config.nodes > 8:  # a host of eight lone ones is a rack: that loss is the next case
        assert mappings(tool, tmp_path, width=layout.width, lost=range(drives)) == []
    if by_rack:
        rack = [osd for host in range(0, config.nodes, 8) for osd in range(host * drives, (host + 1) * drives)]
        bad = mappings(tool, tmp_path, width=layout.width, lost=rack)
        units = config.options.get("units_per_rack", 0)
        assert bool(bad) == bool(units)
        # several units in each rack: those of a lost one wait for it, and no group misses more than they are
        assert all(one.count("2147483647") <= units <= layout.parity_units for one in bad)


CEPH = """#!/usr/bin/env bash
case "$*" in
  "osd getcrushmap -o "*) cp "$MAP" "$4" ;;
  "osd setcrushmap -i "*) cp "$4" "$MAP" ;;
esac
"""


def test_rule_of_two_levels_is_written_into_the_map_and_tried_on_it(tmp_path):
    """08-pools.sh with Ceph's own crushtool and a map that lacks the rule; few racks, and racks of too few hosts."""
    if shutil.which("crushtool") is None:
        pytest.skip("crushtool (ceph-base) is not installed")
    planned = made("ceph-rgw", **CEPH_CASES["few racks"])
    nodes = planned.tiers["cold"].config.nodes
    files = own(render(planned, hosts_of(nodes)), "ceph-rgw")
    (tmp_path / "ceph").write_text(CEPH)
    (tmp_path / "ceph").chmod(0o755)
    text = files["17-crush-map.txt"].partition("rule cold-data")[0]
    lone = re.sub(r"(?m)^  item cold-(?!0 )\d+ .*\n", "", text)  # one host is left in all racks together
    for name, map_text, works in (("whole", text, True), ("lone", lone, False)):
        (tmp_path / "text").write_text(map_text)
        subprocess.run(["crushtool", "-c", str(tmp_path / "text"), "-o", str(tmp_path / "map")], check=True)
        (tmp_path / "pools.sh").write_text(files["08-pools.sh"])
        found = subprocess.run(
            ["bash", str(tmp_path / "pools.sh")],
            env={"PATH": f"{tmp_path}:{os.environ['PATH']}", "MAP": str(tmp_path / "map")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (found.returncode == 0) == works, (name, found.stderr)
        shown = subprocess.run(
            ["crushtool", "-d", str(tmp_path / "map")], capture_output=True, text=True, check=True
        ).stdout
        assert ("rule cold-data {" in shown) == works
