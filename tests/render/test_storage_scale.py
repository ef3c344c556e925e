"""Storage Scale's files: in order, parsed by bash and PyYAML, nothing in them that is not in the sourced table."""

import re
import shlex
import subprocess
from dataclasses import replace
from importlib import resources

import pytest
import yaml

from tierplan import load
from tierplan.backends import storage_scale
from tierplan.domain.hosts import ClientHosts, Host, HostGroup, Hosts
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.stack import Quote, Site, Survive, TierPins
from tierplan.domain.tiers import TierPlan
from tierplan.render import render
from tierplan.units import OpRate, bandwidth, size

TABLE = yaml.safe_load(resources.files("tierplan").joinpath("catalogue/options/storage-scale.yaml").read_text())
COMMANDS, FIELDS = TABLE["commands"], {key: set(row["names"]) for key, row in TABLE["fields"].items()}
BIN = "/usr/lpp/mmfs/bin/"
HOT = "10-hot-storage-scale"


def need_of(transport="infiniband", **changes):
    return TierNeed(
        tier="hot",
        read=bandwidth("100 GB/s"),
        write=bandwidth("40 GB/s"),
        op_rate=OpRate(1000.0),
        capacity=size("300 TB"),
        phases=(),
        clients=Clients(gpu_nodes=128, ports=2, port_rate=bandwidth("200 Gbit/s"), transport=transport, cpu_cores=112),
        racks=8,
        **changes,
    )


def tier_of(*, transport="infiniband", code="8+3p", nodes=12, survive=None, quote=None, **options):
    """What the planner itself makes of a few pins."""
    facts = load.catalogue().backend("storage-scale")
    need = need_of(transport, **({"survive": survive} if survive else {}))
    words = {**({} if "appliance" in options else {"code": code}), **options}
    pins = TierPins(backend="storage-scale", nodes=nodes, quote=quote, options=words)
    config = next(storage_scale.BACKEND.choices(need, pins, Site(kind="on-prem", racks=8), facts))
    return TierPlan(need=need, config=config, delivered=storage_scale.BACKEND.deliver(config, need, facts))


def hosts_for(tier, cold):
    node = tier.config.node
    hot = HostGroup(
        ports=tuple(f"ib{index}" for index in range(node.ports)),
        drives=tuple(f"/dev/nvme{index}n1" for index in range(node.drives)),
        hosts=tuple(
            Host(name=f"hot-{index}.example.internal", addresses=(f"10.10.1.{index + 1}",), rack=f"r{index % 8}")
            for index in range(tier.config.nodes)
        ),
    )
    return Hosts(hot=hot, cold=cold, clients=ClientHosts(ports=("ib0", "ib1")))


@pytest.fixture
def made(plan_of, ceph_tier, hosts_of):
    """A tier -> its files, with an object store behind it."""

    def make(*, named=True, with_cold=True, kubernetes=True, name="demo", tags=None, **options):
        tier = tier_of(**options)
        cold = ceph_tier() if with_cold else None
        plan = plan_of(hot=tier, cold=cold, kubernetes=kubernetes, name=name, tags=tags or {"owner": "storage"})
        hosts = hosts_for(tier, hosts_of().cold if with_cold else None) if named else None
        return {path: text for path, text in render(plan, hosts).items() if "storage-scale" in path}

    return make


QUOTE = Quote(read=bandwidth("100 GB/s"), write=bandwidth("40 GB/s"), usable=size("1 PB"), source="offer 7")


@pytest.fixture
def every(made):
    """Plans that between them take every branch."""
    return {
        "plain": made(),
        "two groups": made(nodes=40, with_cold=False),
        "racks": made(code="4+2p", nodes=16, survive=Survive(nodes=0, racks=1), kubernetes=False),
        "copies, spares": made(code="4way", nodes=6, spare_drives=8, metadata="with-data"),
        "RoCE": made(transport="roce"),
        "tcp": made(transport="tcp"),
        "appliance": made(nodes=4, appliance="ess-3500"),
        "san": made(nodes=4, appliance="san", quote=QUOTE),
        "examples": made(named=False),
    }


def commands(text):
    """Every mm command of a shell text, as words; substitutions and continuations taken apart."""
    joined = re.sub(r"\$\(([^()]*)\)", r" ; \1 ; ", text.replace("\\\n", " "))
    for line in joined.splitlines():
        if line.lstrip().startswith("#"):
            continue
        try:
            words = list(shlex.shlex(line, posix=True, punctuation_chars=True))
        except ValueError:
            continue
        lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        words = list(lexer)
        starts = [index for index, word in enumerate(words) if re.match(rf"({BIN})?mm[a-z]+$", word)]
        for start in starts:
            rest = words[start:]
            end = next((index for index, word in enumerate(rest) if set(word) <= set(";|&<>)")), len(rest))
            yield [rest[0].removeprefix(BIN), *rest[1:end]]


def faults_of(words):
    """What of a command line is not in the table."""
    name = max((one for one in COMMANDS if words[: len(one.split())] == one.split()), key=len, default=None)
    if name is None:
        return [f"no such command: {words[:3]}"]
    row, arguments, faults = COMMANDS[name], 0, []
    rest = words[len(name.split()) :]
    while rest:
        word = rest.pop(0)
        kind = row.get("options", {}).get(word)
        if not word.startswith("-"):
            arguments += 1
        elif kind is None:
            faults.append(f"{name}: no option {word}")
        elif kind == "value":
            faults += [] if rest else [f"{name}: {word} without its value"]
            rest = rest[1:]
    fewest, most = row.get("arguments", [0, 0])
    return faults if fewest <= arguments <= most else [*faults, f"{name}: {arguments} words for {fewest} to {most}"]


def shell_texts(files):
    for path, text in files.items():
        if path.endswith(".sh"):
            yield path, text
        elif path.endswith(".md"):
            yield path, "\n".join(re.findall(r"```bash\n(.*?)```", text, flags=re.DOTALL))


def test_every_command_is_in_the_table_and_every_row_is_used(every):
    used = set()
    for files in every.values():
        for path, text in shell_texts(files):
            for words in commands(text):
                assert faults_of(words) == [], (path, words)
                used.add(max((one for one in COMMANDS if words[: len(one.split())] == one.split()), key=len))
    assert used == set(COMMANDS)


@pytest.mark.parametrize(
    "line", ["mmvdisk vdiskset define --vdiskset x", "mmcrfs", "mmvdisk frob", "x=$(mmgetstate --all)", "mmstartup -N"]
)
def test_the_check_itself_can_fail(line):
    assert any(faults_of(words) for words in commands(line))


def test_scripts_are_bash(every):
    for files in every.values():
        for path, text in files.items():
            if path.endswith(".sh"):
                subprocess.run(["bash", "-n"], input=text.encode(), check=True, capture_output=True)
                assert "set -euo pipefail" in text, path


def test_order_of_the_files(made):
    names = [path.partition("/")[2] for path in made() if path.startswith(HOT)]
    assert names[:4] == ["01-check-hosts.sh", "02-nodes.txt", "03-create-cluster.sh", "04-network.sh"]
    assert names == sorted(names)


def test_commands_follow_the_vendors_order(made):
    text = made()[f"{HOT}/05-recovery-groups.sh"] + made()[f"{HOT}/06-filesystem.sh"]
    verbs = [" ".join(words[1:3]) for words in commands(text) if words[0] == "mmvdisk"]
    wanted = [
        "nodeclass create",
        "server list",
        "server configure",
        "recoverygroup create",
        "vdiskset define",
        "vdiskset create",
        "filesystem create",
    ]
    places = [verbs.index(verb) for verb in wanted]
    assert places == sorted(places)


def test_figures_of_the_plan_are_in_the_commands(made):
    text = made()[f"{HOT}/06-filesystem.sh"]
    assert "--code 8+3p --block-size 4M" in text
    assert "--code 4WayReplication --block-size 1M" in text
    assert [int(share) for share in re.findall(r"--set-size (\d+)%", text)] == [5, 95]
    assert "--spare-pdisks 8" in made(code="4way", nodes=6, spare_drives=8)[f"{HOT}/05-recovery-groups.sh"]


def test_quorum_nodes_stand_in_different_racks(made):
    lines = [line for line in made()[f"{HOT}/02-nodes.txt"].splitlines() if not line.startswith("#")]
    quorum = [line for line in lines if line.endswith(":quorum-manager:")]
    assert (len(lines), len(quorum)) == (12, 7)
    assert {int(re.match(r"hot-(\d+)", line)[1]) % 8 for line in quorum} == set(range(7))


def test_each_group_has_its_servers(made):
    text = made(nodes=40)[f"{HOT}/05-recovery-groups.sh"]
    members = re.findall(r"nodeclass create --node-class nc\d -N (\S+)", text)
    assert [len(one.split(",")) for one in members] == [20, 20]
    assert len({name for one in members for name in one.split(",")}) == 40
    assert "--recovery-group rg1,rg2" in made(nodes=40)[f"{HOT}/06-filesystem.sh"]


def test_racks_reach_the_servers(made):
    text = made(code="4+2p", nodes=16, survive=Survive(nodes=0, racks=1))[f"{HOT}/05-recovery-groups.sh"]
    assert "-N hot-3.example.internal --rack r3 --confirm" in text
    assert "--rack" not in made()[f"{HOT}/05-recovery-groups.sh"]


def test_configuration_words_and_the_connection_manager(every):
    for files in every.values():
        for _, text in shell_texts(files):
            for words in commands(text):
                if words[0] == "mmchconfig":
                    assert {pair.partition("=")[0] for pair in words[1].split(",")} <= FIELDS["config"]
    assert "verbsRdmaCm=disable" in every["plain"][f"{HOT}/04-network.sh"]
    assert "verbsRdmaCm=enable" in every["RoCE"][f"{HOT}/04-network.sh"]
    assert "verbsRdma" not in every["tcp"][f"{HOT}/04-network.sh"]


def test_volumes_of_a_san_are_seen_by_two_servers(every):
    lines = [line for line in every["san"][f"{HOT}/05-volumes.stanza"].splitlines() if line.startswith("%nsd:")]
    assert len(lines) == 4 * 8
    names = set()
    for line in lines:
        pairs = dict(pair.split("=") for pair in line.removeprefix("%nsd: ").split())
        assert set(pairs) == FIELDS["nsd"]
        assert len(set(pairs["servers"].split(","))) == 2
        names.add(pairs["nsd"])
    assert len(names) == len(lines)
    assert f"{HOT}/05-recovery-groups.sh" not in every["san"]


def test_storage_class_and_alerts(every):
    words = {"max", "min", "sum", "count", "rate", "fs", "pool", "status", "state"}
    for files in every.values():
        for path, text in files.items():
            if path.endswith("storageclass.yaml"):
                document = yaml.safe_load(text)
                assert document["provisioner"] == "spectrumscale.csi.ibm.com"
                assert set(document["parameters"]) <= FIELDS["storage_class_parameters"]
                assert all(isinstance(value, str) for value in document["parameters"].values())
            if path.endswith("alerts.yaml"):
                for rule in yaml.safe_load(text)["groups"][0]["rules"]:
                    assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
                    bare = re.sub(r'"[^"]*"|\[\w+\]', "", rule["expr"])
                    used = set(re.findall(r"[A-Za-z_]\w*", bare)) - words
                    assert used
                    assert used <= FIELDS["metrics"]


def test_alerts_stand_at_the_plans_figures(made):
    tier = tier_of()
    text = made()[f"{HOT}/11-alerts.yaml"]
    assert f"> {int(tier.delivered.planned.bytes)}" in text
    assert f"/ {int(tier.delivered.healthy.read.bytes_per_s)}" in text


def test_kubernetes_and_the_archive_come_only_where_there_is_one(made):
    assert f"{HOT}/10-csi-storageclass.yaml" not in made(kubernetes=False)
    archive = "30-hot-storage-scale-after-cold/01-archive.sh"
    assert archive not in made(with_cold=False)
    files = made()
    assert "--endpoint https://" in files[archive]
    rules = files["30-hot-storage-scale-after-cold/02-cold-files.txt"].splitlines()[2:]
    assert [rule.split()[0] for rule in rules] == ["RULE", "RULE"]


def test_no_secret_is_in_any_file(every):
    for files in every.values():
        for text in files.values():
            for words in commands(text):
                if words[0] == "mmafmcoskeys":
                    assert "key access_key" in text
            assert not re.search(r"(access_key|secret_key)=\S", text)


def test_hostile_names_leave_no_field(made, hostile):
    harmless = made(name="x", tags={"owner": "x"})
    for text in hostile:
        files = made(name=text, tags={"owner": text})
        for path, rendered in files.items():
            assert len(rendered.splitlines()) == len(harmless[path].splitlines()), (path, text)
            found = list(commands(rendered)) if path.endswith(".sh") else []
            known = list(commands(harmless[path])) if path.endswith(".sh") else []
            assert [words[:1] for words in found] == [words[:1] for words in known]


def test_every_row_has_a_source():
    rows = [*COMMANDS.values(), *TABLE["fields"].values()]
    assert {row["source"] for row in rows} == set(TABLE["sources"])


def test_same_plan_gives_the_same_bytes(made):
    assert made() == made()
    assert made() != made(nodes=13)
    assert replace(tier_of(), need=need_of()) == tier_of()
