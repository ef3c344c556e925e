"""Lustre's files: every command in the sourced table, parsed by others, run against programs that only write down."""

import importlib.util
import re
import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml

from tierplan.backends import lustre
from tierplan.domain.hosts import Host, HostGroup, Hosts
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import TierPlan
from tierplan.load import catalogue
from tierplan.render import render, write
from tierplan.units import size

HERE = Path(__file__).parent


def sibling(name):
    """The parser and the stand-in programs that the other rendering tests use, as copies of our own."""
    spec = importlib.util.spec_from_file_location(f"lustre_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PARSER, RUNNING = sibling("test_options"), sibling("test_running")
TABLE = PARSER.table("lustre")
PARSER.COMMANDS = TABLE["commands"]
PARSER.SYSTEM |= {"modprobe", "tee"}
PROGRAMS = {command.split()[0] for command in TABLE["commands"]}
MDS = {
    "hosts": ("mds-a", "mds-b"),
    "addresses": ("10.10.3.1", "10.10.3.2"),
    "drives": 2,
    "drive_paths": ("/dev/disk/by-id/a0", "/dev/disk/by-id/a1", "/dev/disk/by-id/b0", "/dev/disk/by-id/b1"),
}


@pytest.fixture
def tier(weka_tier):
    """A whole tier: chosen and delivered by the backend itself."""

    def make(*, options=None, nodes=4, files=1e6, transport="infiniband", **need):
        facts, wanted = catalogue().backend("lustre"), replace(weka_tier().need, files=files, **need)
        wanted = replace(wanted, clients=replace(wanted.clients, transport=transport))
        pins = TierPins(nodes=nodes, options={"mds": MDS} if options is None else options)
        config = next(iter(lustre.BACKEND.choices(wanted, pins, Site(kind="on-prem", racks=8), facts)))
        return TierPlan(need=wanted, config=config, delivered=lustre.BACKEND.deliver(config, wanted, facts))

    return make


@pytest.fixture
def four():
    """Hosts of two pairs, each with drives of its own in the shared enclosure."""
    return Hosts(
        hot=HostGroup(
            ports=("ib0", "ib1"),
            hosts=tuple(
                Host(
                    name=f"oss-{index}",
                    addresses=(f"10.10.1.{index}", f"10.10.2.{index}"),
                    rack="a",
                    drives=tuple(f"/dev/disk/by-id/oss{index}-{slot}" for slot in range(12)),
                )
                for index in range(1, 5)
            ),
        )
    )


@pytest.fixture
def renderings(tier, plan_of, four):
    """Plans that between them take every branch of the templates."""
    return {
        "plain": render(plan_of(hot=tier(), tags={"owner": "storage"}), four),
        "examples": render(plan_of(hot=tier()), None),
        "no names": render(plan_of(hot=tier(options={}), kubernetes=False), four),
        "alone": render(plan_of(hot=tier(options={"ha": "none", "hsm": True})), None),
        "zfs": render(plan_of(hot=tier(options={"backfs": "zfs", "mds": MDS})), four),
        "small files": render(plan_of(hot=tier(files=1e9, options={"dom": "2 MiB"}, capacity=size("100 TB"))), four),
        "tcp": render(plan_of(hot=tier(transport="tcp")), four),
        "appliance": render(plan_of(hot=tier(options={"appliance": "ai400x2"})), None),
    }


@pytest.fixture
def run(tmp_path, plan_of, tier, four):
    """Run one script of the plain rendering; what it called, as [host, program, words…]."""
    tools, log, out = tmp_path / "tools", tmp_path / "log", tmp_path / "out"
    tools.mkdir()
    record = RUNNING.RECORD.replace(
        "esac", '  "mdadm --detail"*) echo "ARRAY /dev/md/x UUID=1" ;;\n  "tee "*) cat > /dev/null ;;\nesac'
    )
    for name, text in {"ssh": RUNNING.SSH, **dict.fromkeys([*PROGRAMS, "tee", "modprobe"], record)}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    write(render(plan_of(hot=tier()), four), out)

    def runner(script, **environment):
        log.unlink(missing_ok=True)
        found = subprocess.run(
            ["bash", str(out / "10-hot-lustre" / script)],
            env={"PATH": f"{tools}:/usr/bin:/bin", "LOG": str(log), "HOME": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        calls = [call.split("\x1f")[:-1] for call in log.read_text().split("\x1e")[:-1]] if log.exists() else []
        return found, calls

    return runner


def own(files):
    """The files of the tier itself."""
    return {path: text for path, text in files.items() if path.startswith("10-hot-lustre")}


def test_every_rendered_command_is_in_the_sourced_table(renderings):
    used = set()
    for files in renderings.values():
        for path, text in PARSER.scripts(own(files)):
            for words in PARSER.commands_of(text):
                assert words[0] in PROGRAMS, f"{path}: unknown program {words[0]}"
                assert PARSER.faults_of(words) == [], path
                fitting = [name for name in PARSER.COMMANDS if words[: len(name.split())] == name.split()]
                used.add(max(fitting, key=len))
    assert used == set(PARSER.COMMANDS), f"rows that no template uses: {set(PARSER.COMMANDS) - used}"


def test_every_row_has_a_source():
    rows = [*TABLE["commands"].values(), *TABLE["fields"].values()]
    assert {row["source"] for row in rows} == set(TABLE["sources"])


def test_scripts_are_bash_and_documents_are_yaml(renderings):
    for files in renderings.values():
        for path, text in own(files).items():
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), path
            elif path.endswith((".yaml", ".conf")):
                assert [document for document in yaml.safe_load_all(text) if document], path


def test_fields_of_documents_are_known(renderings):
    names = {field: set(row["names"]) for field, row in TABLE["fields"].items()}
    for files in renderings.values():
        for path, text in own(files).items():
            if path.endswith("lnet.conf"):
                document = yaml.safe_load(text)
                assert set(document) <= names["lnet"]
                assert set(document["net"][0]) <= names["lnet_net"]
                assert set(document["global"]) <= names["lnet_global"]
            if path.endswith("volume.yaml"):
                volume, claim = yaml.safe_load_all(text)
                assert set(volume["spec"]) <= names["volume"]
                assert set(claim["spec"]) <= names["claim"]
                assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
            if path.endswith(".fstab"):
                (line,) = [line for line in text.splitlines() if not line.startswith("#")]
                assert set(line.split()[3].split(",")) <= names["mount_options"]


def test_alerts_have_the_form_of_prometheus_and_known_metrics(renderings):
    words = {"sum", "rate", "max", "count", "component"}
    for files in renderings.values():
        document = yaml.safe_load(files["10-hot-lustre/13-alerts.yaml"])
        jsonschema.Draft202012Validator(RUNNING.RULES).validate(document)
        for rule in document["groups"][0]["rules"]:
            bare = re.sub(r'"[^"]*"|\[\w+\]', "", rule["expr"])
            used = set(re.findall(r"[A-Za-z_]\w*", bare)) - words
            assert used
            assert used <= set(TABLE["fields"]["metrics"]["names"])


def test_every_target_is_formatted_once_and_knows_both_servers(run):
    found, calls = run("03-metadata.sh")
    assert found.returncode == 0, found.stderr
    found, more = run("04-storage.sh")
    assert found.returncode == 0, found.stderr
    made = [call for call in [*calls, *more] if call[1] == "mkfs.lustre"]
    assert [call[0].removeprefix("root@") for call in made] == ["mds-a", "mds-b", "oss-1", "oss-2", "oss-3", "oss-4"]
    assert made[0][2:4] == ["--mgs", "--mdt"]
    assert all("--mgsnode=10.10.3.1@o2ib:10.10.3.2@o2ib" in call for call in made[1:])
    assert [word for word in made[2] if word.startswith("--servicenode")] == [
        "--servicenode=10.10.1.1@o2ib,10.10.2.1@o2ib",
        "--servicenode=10.10.1.2@o2ib,10.10.2.2@o2ib",
    ]
    assert [word for call in made[2:] for word in call if word.startswith("--index")] == [
        f"--index={index}" for index in range(4)
    ]
    assert "--mkfsoptions=-E stride=128,stripe_width=1024" in made[2]


def test_every_drive_is_in_one_array(run, four):
    _, calls = run("04-storage.sh")
    made = [call for call in calls if call[1] == "mdadm"]
    for call, host in zip(made, four.hot.hosts, strict=True):
        assert [word for word in call if word.startswith("/dev/disk")] == list(host.drives)
        assert {"--raid-devices=10", "--spare-devices=2", "--level=6", "--chunk=512"} <= set(call)


def test_targets_go_to_their_pair_in_order(run):
    found, calls = run("06-start.sh")
    assert found.returncode == 0, found.stderr
    mounted = [call[5] for call in calls if call[1:4] == ["pcs", "resource", "create"] and "ocf:lustre:Lustre" in call]
    assert [call[4] for call in calls if "ocf:lustre:Lustre" in call] == [
        "mdt0000",
        "mdt0001",
        "ost0000",
        "ost0001",
        "ost0002",
        "ost0003",
    ]
    assert len(mounted) == 6


def test_a_pair_without_fencing_is_refused(run, tmp_path):
    pcs = tmp_path / "tools" / "pcs"
    pcs.write_text("#!/bin/sh\necho 'NO stonith devices configured'\n")
    found, calls = run("06-start.sh")
    assert found.returncode == 1
    assert "has no fencing device" in found.stderr
    assert not [call for call in calls if call[1] == "mdadm"]


def test_password_is_asked_for_and_in_no_file(run, renderings):
    found, _ = run("05-pairs.sh")
    assert "HACLUSTER_PASSWORD: password of user hacluster" in found.stderr
    for files in renderings.values():
        assert not re.search(r"HACLUSTER_PASSWORD=\S", "\n".join(files.values()))


def test_scripts_stop_while_any_server_is_an_example(renderings):
    for name in ("examples", "no names"):
        for path, text in own(renderings[name]).items():
            if path.endswith(".sh"):
                assert re.search(r"below are examples;.* >&2\nexit 1\n", text), (name, path)
    assert not [path for path, text in renderings["plain"].items() if "are examples;" in text]


def test_layouts_follow_the_plan(renderings):
    plain = renderings["plain"]["10-hot-lustre/11-layout.sh"]
    assert "lfs mkdir -c 2 " in plain
    assert "-L mdt" not in plain
    small = renderings["small files"]["10-hot-lustre/11-layout.sh"]
    assert "-E 2048k -L mdt -E 256M" in small
    assert "lod.*.dom_stripesize=2097152" in renderings["small files"]["10-hot-lustre/07-tune.sh"]


def test_network_and_mounts_follow_the_transport(renderings):
    assert "10.10.3.1@o2ib:10.10.3.2@o2ib:/hot /mnt/hot lustre" in renderings["plain"]["10-hot-lustre/09-client.fstab"]
    assert "10.10.3.1@tcp:10.10.3.2@tcp:/hot /mnt/hot" in renderings["tcp"]["10-hot-lustre/09-client.fstab"]
    assert "--net tcp" in renderings["tcp"]["10-hot-lustre/02-network.sh"]
    assert "hsm_control=enabled" in renderings["alone"]["10-hot-lustre/07-tune.sh"]
    assert "10-hot-lustre/05-pairs.sh" not in renderings["alone"]
    assert "draid2:8d:12c:2s" in renderings["zfs"]["10-hot-lustre/04-storage.sh"]


def test_the_vendor_sets_up_an_appliance_and_we_its_clients(renderings):
    files = [path.removeprefix("10-hot-lustre/") for path in own(renderings["appliance"])]
    assert [name for name in files if name[:2].isdigit()] == [
        "08-client-lnet.conf",
        "09-client.fstab",
        "10-clients.sh",
        "11-layout.sh",
        "12-volume.yaml",
        "13-alerts.yaml",
    ]


def test_hostile_words_leave_no_field(tier, plan_of, four, hostile):
    harmless = render(plan_of(hot=tier(), name="x", tags={"owner": "x"}), four)
    for text in hostile:
        mds = {**MDS, "hosts": (text, "mds-b")}
        files = render(plan_of(hot=tier(options={"mds": mds}), name=text, tags={"owner": text}), four)
        for path, rendered in own(files).items():
            if path.endswith(".yaml"):
                assert len(list(yaml.safe_load_all(rendered))) == len(list(yaml.safe_load_all(harmless[path])))
            if path.endswith("03-metadata.sh"):
                assert f"on {shlex.quote(text)} mkfs.lustre" in rendered
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=rendered, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), path
