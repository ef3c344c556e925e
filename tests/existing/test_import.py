"""Import: what exists becomes pins, once; what is spoilt changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import existing_outputs as outputs
from existing_cases import CASES, on_prem
from tierplan import existing, load
from tierplan.cli.commands import cli
from tierplan.errors import InputError
from tierplan.existing.choices import config_pins, flat, same
from tierplan.load.document import read_document
from tierplan.load.namespaces import form_document
from tierplan.plan import make_plan

JUICEFS = shutil.which("juicefs") or shutil.which("juicefs", path=str(Path(sys.executable).parent))
OSDMAPTOOL = shutil.which("osdmaptool")


def run(*words):
    return CliRunner().invoke(cli, ["import", *map(str, words)])


def values(text):
    return dict(flat(form_document(read_document(text)).value, ""))


def stack(tmp_path, text):
    file = tmp_path / "Pulumi.mine.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", CASES)
def test_what_is_imported_is_pinned_planned_and_found_again(name, laid, tmp_path):
    """Import, plan, import again: no change; and the plan chooses what the system reports."""
    case = CASES[name]
    file, files = stack(tmp_path, case.base), laid(case.files)
    ran = run(*files, "--into", file, *case.words)
    assert ran.exit_code == 0, ran.output or ran.exception
    text = file.read_text()
    found = values(text)
    for path, value in case.pins.items():
        assert same(path.partition(".")[2], found[f"tiers.{path}"], value), path
    systems = existing.systems(
        [one for one in existing.read([Path(one) for one in files]) if "local" not in one.backends],
        tier=dict(zip(case.words[::2], case.words[1::2], strict=True)).get("--tier"),
        names=(),
        planned=existing.backends_of(text),
    )
    plan = make_plan(load.read_stack(str(file)), load.catalogue())
    for system in systems:
        assert plan.tiers[system.tier].config.backend == system.backend
        chosen = config_pins(plan.tiers[system.tier].config)
        for path, value in system.pins.items():
            assert same(path, chosen[path], value), path
    drift = CliRunner().invoke(cli, ["verify", str(file), "--config", "--json", *files, *case.words])
    assert not [one for one in json.loads(drift.output)["differences"] if not one["where"].endswith("usable")]
    again = run(*files, "--into", file, *case.words)
    assert again.exit_code == 0
    assert "no change" in again.output
    assert file.read_text() == text
    untouched = {path: value for path, value in values(case.base).items() if not path.startswith("tiers.")}
    assert {path: found[path] for path in untouched} == untouched


@pytest.mark.parametrize("name", CASES)
def test_what_is_cut_off_is_told_and_changes_nothing(name, laid, tmp_path):
    """Each file of an importer, cut in its middle: a line that names it, no traceback, the stack as it was."""
    case = CASES[name]
    file = stack(tmp_path, case.base)
    for spoilt, text in case.files.items():
        half = text[: len(text) // 2] if text.lstrip()[0] in "{[" else text.splitlines()[0] + "\n"
        ran = run(*laid({**case.files, spoilt: half}), "--into", file, *case.words)
        assert isinstance(ran.exception, InputError), (spoilt, ran.output)
        assert all(spoilt in one for one in ran.exception.faults)
        assert file.read_text() == case.base


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n", "of no known command"),
        (outputs.LFS_DF.replace("1K-blocks  ", "Inodes"), "lfs df without -i"),
        (outputs.WEKA_STATUS.replace('"stripe_data_drives": 5', '"stripe_data_drives": "five"'), "stripe_data_drives"),
        (json.dumps({"nodes": [], "stray": [], "crush_weight": 1}), "no OSD below a host"),
        (json.dumps({**outputs.PROFILE, "m": "zero"}), "make no code"),
        (json.dumps({"pools": [], "erasure_code_profiles": {}}), "holds no pool"),
        (json.dumps({"stats": {"total_used_raw_bytes": 1}, "pools": []}), "total_bytes"),
        (outputs.JUICEFS.replace('"BlockSize": 4096', '"BlockSize": "big"'), "BlockSize"),
        (json.dumps({"FileSystems": [{"FileSystemType": "WINDOWS"}]}), "describes no Lustre"),
        (json.dumps({"FileSystems": [{"FileSystemType": "LUSTRE", "LustreConfiguration": {}}]}), "storageCapacity"),
        (json.dumps({"terraform_version": "1.9", "version": 4, "resources": []}), "holds no file system or bucket"),
        (json.dumps({"version": 3, "deployment": {"resources": []}}), "holds no tier"),
        (outputs.PULUMI.replace('"nodes": 12,', '"nodes": "a dozen",'), "nodes"),
        (json.dumps([{"disk_id": "DiskId<1>"}]), "no drive has a hostname"),
        (json.dumps([{"hostname": "a", "mode": "client"}]), "no container of mode backend"),
        ("declustered   needs\n   array     service  type  user\nDA1 what\n", "no line of it"),
        ("TargetID     Reachability  Consistency   NodeID\n====\n", "lists no storage target"),
        ("[]", "of no known command"),
        ('{"crush_weight":' * 100_000, "cut off or no JSON"),
        (outputs.BEEGFS_7_STATE[:96] + "\n       1           Online         Good        1\n", "--longnodes"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(text, message, laid, tmp_path):
    file = stack(tmp_path, outputs.DEMO)
    ran = run(*laid({"x.out": text}), "--into", file)
    assert isinstance(ran.exception, InputError), ran.output
    assert message in str(ran.exception)
    assert file.read_text() == outputs.DEMO


def test_all_faults_come_at_once(laid, tmp_path):
    files = laid({"a.json": "{", "b.txt": "hello", "c.json": json.dumps({"pools": [], "erasure_code_profiles": {}})})
    ran = run(*files, tmp_path / "gone", tmp_path, "--into", stack(tmp_path, outputs.DEMO))
    assert len(ran.exception.faults) == 5


def test_comments_stay_and_what_is_not_known_is_marked(laid, tmp_path):
    base = outputs.DEMO.replace("      nodes: 12\n", "      nodes: 11   # one is on loan\n      # mind the rack\n")
    file = stack(tmp_path, base)
    assert run(*laid(CASES["weka"].files), "--into", file).exit_code == 0
    text = file.read_text()
    assert "      nodes: 12   # one is on loan\n      # mind the rack\n" in text
    ours = ("# imported from ", "# reported: ")
    kept = [line for line in text.splitlines() if not line.lstrip().startswith(ours)]
    assert kept == base.replace("nodes: 11", "nodes: 12").splitlines()
    assert 'size: "7.68 TB", read: "6.5 GB/s"' in text  # as near as the system reports it: the user's text stays
    file.write_text(on_prem("{backend: auto}"))
    run(*laid(CASES["weka"].files), "--into", file)
    assert "    # not known: node.drive.read, node.drive.write, node.ports" in file.read_text()


def test_a_new_file_gets_a_starter(laid, tmp_path):
    file = tmp_path / "Pulumi.new.yaml"
    assert run(*laid(CASES["weka"].files), "--into", file).exit_code == 0
    assert "# What the GPUs do" in file.read_text()
    assert load.read_stack(str(file)).tiers.hot.nodes == 12
    cloud = tmp_path / "cloud.yaml"
    assert run(*laid(CASES["fsx"].files), "--into", cloud).exit_code == 0
    made = load.read_stack(str(cloud))
    assert (made.site.kind, made.site.region) == ("aws", "us-east-1")
    assert made.site.network == {"vpc": "vpc-0a1b2c3d4e5f60718", "subnet": "subnet-0a1b2c3d4e5f60718"}
    assert made.tiers.hot.options["size"] == "115200 GiB"


def test_nothing_but_the_named_file_is_written(laid, tmp_path):
    files = laid(CASES["ceph"].files)
    folder = tmp_path / "stacks"
    folder.mkdir()
    file = folder / "Pulumi.x.yaml"
    file.write_text(CASES["ceph"].base)
    file.chmod(0o640)
    before = sorted(tmp_path.iterdir())
    assert run(*files, "--into", file).exit_code == 0
    assert sorted(tmp_path.iterdir()) == before
    assert list(folder.iterdir()) == [file]
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_folder_that_cannot_be_written_is_told(laid, tmp_path):
    ran = run(*laid(CASES["weka"].files), "--into", tmp_path / "gone" / "x.yaml")
    assert "cannot be written (No such file or directory)" in str(ran.exception)
    assert not (tmp_path / "gone").exists()


def test_the_fullest_target_is_named_not_the_mean(laid, tmp_path):
    file = stack(tmp_path, CASES["lustre"].base)
    ran = run(*laid(CASES["lustre"].files), "--into", file)
    assert "scratch-OST0001 is 90% full, all of them 34%" in " ".join(ran.output.split())
    assert "# fullest target: scratch-OST0001 is 90% full" in file.read_text()
    plan = make_plan(load.read_stack(str(file)), load.catalogue()).tiers["hot"]
    room = plan.delivered.planned * ((0.15 * 3 + 0.9) / 4 / 0.9)
    said = " ".join(ran.output.split())
    assert f"it takes {room.show()} of the {plan.delivered.planned.show()} that the plan counts" in said


def test_what_is_hardly_filled_is_not_judged_by_its_unevenness(laid, tmp_path):
    young = outputs.LFS_DF.replace("52734375000  5859375000", " 17578125000 41015625000")
    ran = run(*laid({**CASES["lustre"].files, "df.txt": young}), "--into", stack(tmp_path, CASES["lustre"].base))
    assert "OST0001 is 30% full" in " ".join(ran.output.split())
    assert "unevenly" not in ran.output


def test_choices_that_count_more_than_there_is_are_told(laid, tmp_path):
    """Two OSTs of 60 TB, and a plan that assumes the drives: its capacity must not be believed."""
    small = outputs.LFS_DF.replace("58593750000", "5859375000").replace("49804687500", "4980468750")
    ran = run(*laid({**CASES["lustre"].files, "df.txt": small}), "--into", stack(tmp_path, CASES["lustre"].base))
    assert "pin the drives that it has before you trust the plan" in " ".join(ran.output.split())


def test_plan_says_what_the_system_cannot_carry(laid, tmp_path):
    few = {"status.json": outputs.WEKA_DEPLOYMENT, "drives.json": json.dumps(json.loads(outputs.WEKA_DRIVES)[::24])}
    ran = run(*laid({"status.json": outputs.WEKA_DEPLOYMENT}), "--into", stack(tmp_path, on_prem("{backend: auto}")))
    assert "not known: nodes, node.drives" in " ".join(ran.output.split())
    wrong = run(*laid(few), "--into", stack(tmp_path, on_prem("{backend: auto}")))
    assert "plan: refused; it cannot carry: hot-" in wrong.output


def test_diff_says_what_an_expansion_brings(laid, tmp_path):
    file = stack(tmp_path, on_prem("{backend: auto}"))
    run(*laid(CASES["weka"].files), "--into", file)
    more = tmp_path / "more.yaml"
    more.write_text(file.read_text().replace("nodes: 12,", "nodes: 14,"))
    ran = CliRunner().invoke(cli, ["diff", str(file), str(more), "--json"])
    changed = {one["path"]: (one["before"], one["after"]) for one in json.loads(ran.output)["changed"]}
    assert changed["tiers.hot.node_count"] == (12, 14)
    before, after = changed["tiers.hot.usable_bytes"]
    assert after > before


@pytest.mark.parametrize(
    ("hot", "message"),
    [
        ("{backend: lustre, nodes: 4}", "tiers.hot.backend: lustre"),
        ("{backend: weka, layout: {replicas: 3}}", "replicas: 3; the system has layout.data_units: 5: delete it first"),
    ],
)
def test_what_contradicts_the_stack_is_left_to_its_owner(hot, message, laid, tmp_path):
    base = on_prem(hot)
    file = stack(tmp_path, base)
    ran = run(*laid(CASES["weka"].files), "--into", file)
    assert isinstance(ran.exception, InputError), ran.output
    assert message in str(ran.exception)
    assert file.read_text() == base


def test_a_cloud_file_system_does_not_go_into_a_stack_on_premises(laid, tmp_path):
    ran = run(*laid(CASES["fsx"].files), "--into", stack(tmp_path, on_prem("{backend: auto}")))
    assert "site.kind: on-prem; FSx for Lustre is at aws" in str(ran.exception)


@pytest.mark.parametrize(
    ("output", "backend", "options"),
    [
        (outputs.AZURE, "azure-lustre", {"size": "16 TiB", "sku": "AMLFS-Durable-Premium-250", "zones": ["1"]}),
        (outputs.GOOGLE, "google-lustre",
         {"size": "18000 GiB", "per_unit_throughput": 1000, "filesystem": "scratch", "gke_support": True}),
        (outputs.OCI, "oci-lustre", {"size": "31200 GB", "performance_tier": "MBPS_PER_TB_125"}),
    ],
)  # fmt: skip
def test_services_of_other_clouds_are_read_and_written_where_they_are_planned(output, backend, options, laid, tmp_path):
    (file,) = laid({"described.json": json.dumps(output)})
    (found,) = existing.read([Path(file)])
    assert found.backends == {"hot": backend}
    assert found.pins == {f"options.{word}": value for word, value in options.items()}
    ran = run(file, "--into", stack(tmp_path, on_prem("{backend: auto}")))
    assert isinstance(ran.exception, InputError)
    spoilt = laid({"described.json": json.dumps(output)[:-30]})
    assert isinstance(run(*spoilt, "--into", stack(tmp_path, outputs.DEMO)).exception, InputError)


def test_one_of_several_systems_is_chosen_by_name(laid, tmp_path):
    two = outputs.LFS_DF + outputs.LFS_DF.replace("scratch", "home")
    file = stack(tmp_path, CASES["lustre"].base)
    ran = run(*laid({"df.txt": two}), "--into", file)
    assert "Lustre has home, scratch; choose one with --name" in str(ran.exception)
    assert run(*laid({"df.txt": two}), "--into", file, "--name", "home").exit_code == 0
    assert load.read_stack(str(file)).tiers.hot.options["fsname"] == "home"
    assert "none of the files is of it" in str(run(*laid({"df.txt": two}), "--into", file, "--name", "x").exception)


def test_files_of_two_moments_contradict(laid, tmp_path):
    other = json.dumps({**OSD_DUMP_3, "pools": OSD_DUMP_3["pools"]})
    files = laid({"a.json": json.dumps(outputs.OSD_DUMP), "b.json": other})
    ran = run(*files, "--into", stack(tmp_path, CASES["ceph"].base))
    assert "a.json says 4; name files of one moment" in str(ran.exception)


OSD_DUMP_3 = {**outputs.OSD_DUMP, "erasure_code_profiles": {"ec42": {**outputs.PROFILE, "k": "8"}}}


def test_files_that_list_different_members_are_no_whole(laid, tmp_path):
    """A list that was cut between two lines looks whole; the other file shows what is missing."""
    servers = outputs.OST_SERVERS[: outputs.OST_SERVERS.rindex("osc.")]
    drives = json.dumps(json.loads(outputs.WEKA_DRIVES)[:100])
    osds = json.dumps({**outputs.OSD_DF, "nodes": outputs.OSD_DF["nodes"][:90]})
    for name, spoilt in (
        ("lustre", {"servers.txt": servers}),
        ("weka", {"drives.json": drives}),
        ("ceph", {"osd-df.json": osds}),
    ):
        ran = run(*laid({**CASES[name].files, **spoilt}), "--into", stack(tmp_path, CASES[name].base))
        assert "name the whole outputs of one moment" in str(ran.exception), name


def test_a_ceph_cluster_of_both_tiers_asks_which(laid, tmp_path):
    both = {**outputs.OSD_DUMP, "pools": [*outputs.OSD_DUMP["pools"], *outputs.RGW_DUMP["pools"]]}
    both["erasure_code_profiles"] = {**both["erasure_code_profiles"], **outputs.RGW_DUMP["erasure_code_profiles"]}
    files = laid({"dump.json": json.dumps(both)})
    base = on_prem("{backend: auto}")
    ran = run(*files, "--into", stack(tmp_path, base))
    assert "may be hot (cephfs) or cold (ceph-rgw); say --tier" in str(ran.exception)
    file = stack(tmp_path, base)
    assert run(*files, "--into", file, "--tier", "cold").exit_code == 0
    assert load.read_stack(str(file)).tiers.cold.layout.data_units == 8
    assert "is no cold tier" in str(run(*laid(CASES["weka"].files), "--into", file, "--tier", "cold").exception)


def test_uneven_hosts_are_planned_with_the_fewest_and_smallest(laid, tmp_path):
    tree = outputs.osd_tree()
    tree["nodes"][1]["children"] = tree["nodes"][1]["children"][:10]
    tree["nodes"][-1]["crush_weight"] = 3.49315
    tree["nodes"][-2]["status"] = "down"
    file = stack(tmp_path, CASES["ceph"].base)
    ran = run(*laid({**CASES["ceph"].files, "tree.json": json.dumps(tree)}), "--into", file)
    node = load.read_stack(str(file)).tiers.hot.node
    assert node.drives == 10
    assert node.drive.size.show("TB") == "3.84 TB"
    assert "1 of 96 OSDs are down" in ran.output


def test_a_mixed_cluster_gives_each_tier_its_own_drives(laid, tmp_path):
    flash, disks = outputs.osd_tree(6, 10), outputs.osd_tree(6, 20, 18.19, "hdd")
    for one in disks["nodes"]:
        if one["type"] == "osd":
            one["id"] += 1000
        one["children"] = [child + 1000 for child in one.get("children", [])]
    hosts = {one["name"]: one for one in flash["nodes"] if one["type"] == "host"}
    for one in disks["nodes"]:
        if one["type"] == "host":
            hosts[one["name"]]["children"] += one["children"]
    flash["nodes"] += [one for one in disks["nodes"] if one["type"] == "osd"]
    for tier, drives, medium in (("hot", 10, "nvme"), ("cold", 20, "hdd")):
        file = stack(tmp_path, on_prem("{backend: auto}"))
        assert run(*laid({"tree.json": json.dumps(flash)}), "--into", file, "--tier", tier).exit_code == 0
        pins = getattr(load.read_stack(str(file)).tiers, tier)
        assert (pins.nodes, pins.node.drives, pins.node.medium) == (6, drives, medium)


def test_beegfs_of_both_lists_and_mirrors(laid):
    (state,) = existing.read([Path(one) for one in laid({"state.txt": outputs.BEEGFS_7_STATE})])
    assert len(state.nodes) == 3
    (space,) = existing.read([Path(one) for one in laid({"df.txt": outputs.BEEGFS_DF})])
    assert [one.name for one in space.targets] == ["target 313", "target 314"]
    assert space.targets[0].size == pytest.approx(1023.5 * 2**30)
    assert space.pins["options.meta.nodes"] == 1
    group = "MirrorGroupID MGMemberType TargetID     Reachability  Consistency   NodeID\n============= ====\n"
    rows = "            1      primary     1011           Online         Good      101\n"
    rows += "            1    secondary     1021           Online         Good      102\n"
    (mirrored,) = existing.read([Path(one) for one in laid({"groups.txt": group + rows})])
    assert mirrored.pins["options.mirror"] is True
    assert len(mirrored.nodes) == 2


@pytest.mark.skipif(OSDMAPTOOL is None, reason="osdmaptool is not installed (Ceph's own tool)")
def test_a_map_that_ceph_itself_wrote_is_read(tmp_path, laid):
    """The same JSON as `ceph osd tree` and `ceph osd dump`, from Ceph's own code."""
    tool, crush = OSDMAPTOOL, shutil.which("crushtool")
    maps = [str(tmp_path / "map"), str(tmp_path / "crush")]
    subprocess.run([tool, "--createsimple", "24", maps[0], "--with-default-pool"], check=True, capture_output=True)
    subprocess.run(
        [crush, "--build", "--num_osds", "24", "-o", maps[1], "host", "straw2", "4", "root", "straw2", "0"],
        check=True, capture_output=True,
    )  # fmt: skip
    subprocess.run([tool, maps[0], "--import-crush", maps[1]], check=True, capture_output=True)
    tree = subprocess.run([tool, maps[0], "--tree=json"], check=True, capture_output=True, text=True).stdout
    dump = subprocess.run([tool, maps[0], "--dump", "json"], check=True, capture_output=True, text=True).stdout
    first, second = existing.read([Path(one) for one in laid({"tree.json": tree, "dump.json": dump})])
    assert first.by_tier["hot"] == {"nodes": 6, "node.drives": 4, "node.drive.size": "1.1 TB"}
    assert second.tool == "ceph osd dump"


@pytest.mark.skipif(JUICEFS is None, reason="juicefs is not installed")
def test_a_volume_that_juicefs_itself_made_is_read(tmp_path, laid):
    url = f"sqlite3://{tmp_path}/meta.db"
    subprocess.run(
        [JUICEFS, "format", "--storage", "file", "--bucket", f"{tmp_path}/objects/", "--block-size", "8M", url, "mine"],
        check=True, capture_output=True,
    )  # fmt: skip
    status = subprocess.run([JUICEFS, "status", url], check=True, capture_output=True, text=True).stdout
    (found,) = existing.read([Path(one) for one in laid({"status.json": status})])
    assert (found.name, found.pins) == ("mine", {"options.block_size": "8 MiB"})


def test_into_must_be_a_yaml_file(laid, tmp_path):
    files = laid(CASES["weka"].files)
    assert "standard input" in str(run(*files, "--into", "-").exception)
    assert "no YAML file" in str(run(*files, "--into", tmp_path / "x.json").exception)
