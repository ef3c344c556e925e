"""BeeGFS's files: every command in the sourced table, parsed by others, run against programs that only write down."""

import configparser
import importlib.util
import re
import subprocess
import tomllib
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml

from tierplan.backends import beegfs
from tierplan.domain.hosts import Host, HostGroup, Hosts
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import TierPlan
from tierplan.load import catalogue
from tierplan.render import render, write

HERE = Path(__file__).parent


def sibling(name):
    """The parser and the stand-in programs that the other rendering tests use, as copies of our own."""
    spec = importlib.util.spec_from_file_location(f"beegfs_{name}", HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PARSER, RUNNING = sibling("test_options"), sibling("test_running")
TABLE = PARSER.table("beegfs")
PARSER.COMMANDS = TABLE["commands"]
PARSER.SYSTEM |= {"chmod", "env", "tee", "umask"}
PROGRAMS = {command.split()[0] for command in TABLE["commands"]}
OTHERS = ("chmod", "mount", "scp", "sed", "systemctl", "tee", "mkdir")
META = {
    "hosts": ("meta-a", "meta-b"),
    "addresses": ("10.10.3.1", "10.10.3.2"),
    "drives": 2,
    "drive_paths": ("/dev/disk/by-id/a0", "/dev/disk/by-id/a1", "/dev/disk/by-id/b0", "/dev/disk/by-id/b1"),
}


@pytest.fixture
def tier(weka_tier):
    """A whole tier: chosen and delivered by the backend itself."""

    def make(*, options=None, nodes=4, transport="infiniband"):
        facts, wanted = catalogue().backend("beegfs"), replace(weka_tier().need, files=1e6)
        wanted = replace(wanted, clients=replace(wanted.clients, transport=transport))
        pins = TierPins(nodes=nodes, options={"meta": META} if options is None else options)
        config = next(iter(beegfs.BACKEND.choices(wanted, pins, Site(kind="on-prem", racks=8), facts)))
        return TierPlan(need=wanted, config=config, delivered=beegfs.BACKEND.deliver(config, wanted, facts))

    return make


@pytest.fixture
def four():
    """Hosts of four servers."""
    return Hosts(
        hot=HostGroup(
            ports=("ib0", "ib1"),
            drives=tuple(f"/dev/nvme{slot}n1" for slot in range(12)),
            hosts=tuple(Host(name=f"st-{index}", addresses=(f"10.10.1.{index}",), rack="a") for index in range(1, 5)),
        )
    )


@pytest.fixture
def renderings(tier, plan_of, four):
    """Plans that between them take every branch of the templates."""
    return {
        "plain": render(plan_of(hot=tier(), tags={"owner": "storage"}), four),
        "examples": render(plan_of(hot=tier()), None),
        "no names": render(plan_of(hot=tier(options={}), kubernetes=False), four),
        "seven": render(plan_of(hot=tier(options={"version": 7, "meta": META, "quota": True})), four),
        "alone": render(plan_of(hot=tier(options={"mirror": False, "quota": True}, transport="tcp")), None),
        "small chunks": render(plan_of(hot=tier(options={"chunk_size": "512 KiB", "meta": META})), four),
    }


@pytest.fixture
def run(tmp_path, plan_of, tier, four):
    """Run one script of a rendering; what it called, as [host, program, words…]."""
    tools, log, out = tmp_path / "tools", tmp_path / "log", tmp_path / "out"
    tools.mkdir()
    record = RUNNING.RECORD.replace("esac", '  "tee "*) cat > /dev/null ;;\nesac')
    for name, text in {"ssh": RUNNING.SSH, **dict.fromkeys([*PROGRAMS, *OTHERS], record)}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)

    def runner(script, *, options=None, **environment):
        write(render(plan_of(hot=tier(options=options)), four), out)
        log.unlink(missing_ok=True)
        found = subprocess.run(
            ["bash", str(out / "10-hot-beegfs" / script)],
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
    return {path: text for path, text in files.items() if path.startswith("10-hot-beegfs")}


def commands_of(text):
    """As the shared parser; `ctl` is the product's command on the management server."""
    return PARSER.commands_of(re.sub(r"^ctl ", "beegfs ", text, flags=re.MULTILINE).replace('beegfs "$@"', "true"))


def test_every_rendered_command_is_in_the_sourced_table(renderings):
    used = set()
    for files in renderings.values():
        for path, text in PARSER.scripts(own(files)):
            for words in commands_of(text):
                if words[0] == "env":
                    continue
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
            elif path.endswith(".yaml"):
                assert [document for document in yaml.safe_load_all(text) if document], path


def test_management_service_reads_its_file(renderings):
    names = {field: set(row["names"]) for field, row in TABLE["fields"].items()}
    assert "10-hot-beegfs/04-beegfs-mgmtd.toml" not in renderings["seven"]
    for label in ("plain", "alone"):
        document = tomllib.loads(renderings[label]["10-hot-beegfs/04-beegfs-mgmtd.toml"])
        assert set(document) <= names["mgmtd"]
        assert set(document["cap-pool-meta-limits"]) <= names["limits"]
        assert document.get("quota-enable", False) == (label == "alone")


def test_client_configuration_is_ini_and_known(renderings):
    for label, buffers in (("plain", "129"), ("small chunks", "70"), ("alone", None)):
        parser = configparser.ConfigParser()
        parser.optionxform = str
        parser.read_string("[client]\n" + renderings[label]["10-hot-beegfs/07-beegfs-client.conf"])
        assert set(parser["client"]) <= set(TABLE["fields"]["client"]["names"])
        assert parser["client"].get("connRDMABufNum") == buffers


def test_storage_class_holds_known_parameters_only(renderings):
    document = yaml.safe_load(renderings["plain"]["10-hot-beegfs/10-storage-class.yaml"])
    assert set(document["parameters"]) == set(TABLE["fields"]["storage_class_parameters"]["names"])
    assert all(isinstance(value, str) for value in document["parameters"].values())
    assert "10-hot-beegfs/10-storage-class.yaml" not in renderings["no names"]


def test_alerts_have_the_form_of_prometheus_and_known_metrics(renderings):
    words = {"sum", "rate", "max", "count", "mountpoint", "device"}
    for files in renderings.values():
        document = yaml.safe_load(files["10-hot-beegfs/11-alerts.yaml"])
        jsonschema.Draft202012Validator(RUNNING.RULES).validate(document)
        for rule in document["groups"][0]["rules"]:
            bare = re.sub(r'"[^"]*"|\[\w+\]', "", rule["expr"])
            used = set(re.findall(r"[A-Za-z_]\w*", bare)) - words
            assert used
            assert used <= set(TABLE["fields"]["metrics"]["names"])


def test_every_drive_is_in_one_array(run, four):
    found, calls = run("02-file-systems.sh")
    assert found.returncode == 0, found.stderr
    made = [call for call in calls if call[1:3] == ["mdadm", "--create"] and call[3].startswith("/dev/md/storage")]
    assert [call[0].removeprefix("root@") for call in made] == ["st-1", "st-2", "st-3", "st-4"]
    for call in made:
        assert [word for word in call if word.startswith("/dev/nvme")] == list(four.hot.drives)
        assert {"--raid-devices=10", "--spare-devices=2", "--level=6", "--chunk=512"} <= set(call)
    assert [call[2:4] for call in calls if call[1] == "mkfs.xfs"] == [["-d", "su=512k,sw=8"]] * 4


def test_services_have_numbers_of_their_own_and_start_in_order(run):
    found, calls = run("05-services.sh")
    assert found.returncode == 0, found.stderr
    storage = [call for call in calls if call[1] == "beegfs-setup-storage"]
    assert [call[call.index("-i") + 1] for call in storage] == ["101", "201", "301", "401"]
    assert all(call[call.index("-m") + 1] == "meta-a" for call in storage)
    order = [call[1] for call in calls if call[1].startswith("beegfs")]
    assert order[0] == "beegfs-mgmtd"
    assert order.index("beegfs-setup-meta") < order.index("beegfs-setup-storage")


def test_mirror_is_made_by_the_command_of_the_release(run):
    found, calls = run("06-mirror.sh")
    assert found.returncode == 0, found.stderr
    made = [call[2:] for call in calls if call[1] == "beegfs"]
    assert made[2:] == [
        ["mirror", "autocreate", "meta"],
        ["mirror", "autocreate", "storage"],
        ["mirror", "init", "--yes"],
    ]
    found, calls = run("06-mirror.sh", options={"version": 7, "meta": META})
    assert found.returncode == 0, found.stderr
    assert ["beegfs-ctl", "--mirrormd"] in [call[1:] for call in calls]


def test_secret_is_asked_for_and_in_no_file(run, renderings):
    found, _ = run("03-keys.sh")
    assert "BEEGFS_CONN_AUTH: file with the shared secret" in found.stderr
    for files in renderings.values():
        assert not re.search(r"BEEGFS_(CONN_AUTH|TLS_KEY)=\S", "\n".join(files.values()))


def test_scripts_stop_while_any_server_is_an_example(renderings):
    for name in ("examples", "no names"):
        for path, text in own(renderings[name]).items():
            if path.endswith(".sh"):
                assert re.search(r"below are examples;.* >&2\nexit 1\n", text), (name, path)
    assert not [path for path, text in own(renderings["plain"]).items() if "are examples;" in text]


def test_patterns_follow_the_plan(renderings):
    assert "--pattern mirrored --num-targets 2 --chunk-size 1Mi" in renderings["plain"]["10-hot-beegfs/09-layout.sh"]
    assert "--pattern raid0 --num-targets 4 --chunk-size 1Mi" in renderings["alone"]["10-hot-beegfs/09-layout.sh"]
    assert "--chunk-size 512Ki" in renderings["small chunks"]["10-hot-beegfs/09-layout.sh"]
    assert "--pattern=buddymirror --numtargets=2 --chunksize=1m" in renderings["seven"]["10-hot-beegfs/09-layout.sh"]


def test_hostile_words_leave_no_field(tier, plan_of, four, hostile):
    for text in hostile:
        if "\n" in text:
            continue
        meta = {**META, "hosts": (text, "meta-b")}
        files = render(plan_of(hot=tier(options={"meta": meta}), name=text, tags={"owner": text}), four)
        for path, rendered in own(files).items():
            if path.endswith(".yaml"):
                assert [document for document in yaml.safe_load_all(rendered) if document]
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=rendered, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), path
        document = yaml.safe_load(files["10-hot-beegfs/10-storage-class.yaml"])
        assert document["parameters"]["sysMgmtdHost"] == text
