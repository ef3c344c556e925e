"""Rules in each store's own form, checked by its own model or a derived schema; the checkpoint job, run for real."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import jsonschema
import pytest
import yaml

import command_table
from tierplan import backends
from tierplan import plan as planning
from tierplan.domain.stack import LifecyclePins, Site, TierPins
from tierplan.domain.tiers import TierPlan
from tierplan.lifecycle import lifecycle_plan
from tierplan.load import catalogue, read_stack
from tierplan.render import render
from tierplan.units import duration

ROOT = Path(__file__).parents[2]
SCHEMAS = yaml.safe_load((Path(__file__).parent / "schemas" / "rules.yaml").read_text())
STORES = {
    "s3": "aws",
    "gcs": "google",
    "azure-blob": "azure",
    "oci-object": "oci",
    "oss": "alibaba",
    "cos": "tencent",
    "obs": "huawei",
}
PINS = LifecyclePins(warm_after=duration("33 d"), cold_after=duration("400 d"), delete_after=duration("1000 d"))


@pytest.fixture(scope="module")
def on_aws():
    """The shipped stack on AWS as a plan."""
    return planning.make_plan(read_stack(str(ROOT / "stacks" / "Pulumi.aws-fsx.yaml")), catalogue())


@pytest.fixture(scope="module")
def files_of(on_aws):
    """Store, options, life cycle -> every rendered file; the rest of the plan is that of the stack on AWS."""

    def run(store, pins=PINS, **options):
        need = on_aws.requirement.needs["cold"]
        backend, facts = backends.load(store), catalogue().backend(store)
        site = Site(kind=STORES[store], region="here")
        (config,) = backend.choices(need, TierPins(backend=store, options=options), site, facts)
        cold = TierPlan(need=need, config=config, delivered=backend.deliver(config, need, facts))
        stack = replace(on_aws.stack, tiers=replace(on_aws.stack.tiers, lifecycle=pins))
        tiers = {**on_aws.tiers, "cold": cold}
        made = lifecycle_plan(stack, on_aws.requirement, tiers, backends.downward(tiers["hot"].config))
        return render(replace(on_aws, stack=stack, tiers=tiers, lifecycle=made), None)

    return run


def document(files):
    return json.loads(files["80-lifecycle/01-rules.json"])


# --- the store's own form ---


@pytest.mark.parametrize("pins", [PINS, None, LifecyclePins(delete_after=duration("30 d"))])
def test_s3_rules_are_what_the_service_model_says(files_of, pins):
    """Shapes, required keys and enumerations of the service itself, as its SDK ships them."""
    loaders = pytest.importorskip("botocore.loaders")
    model = pytest.importorskip("botocore.model").ServiceModel(loaders.Loader().load_service_model("s3", "service-2"))
    validate = pytest.importorskip("botocore.validate").ParamValidator().validate
    shape = model.shape_for("BucketLifecycleConfiguration")
    rules = document(files_of("s3", pins))
    assert not validate(rules, shape).has_errors(), validate(rules, shape).generate_report()
    classes = set(model.shape_for("TransitionStorageClass").enum)
    used = {move["StorageClass"] for rule in rules["Rules"] for move in rule.get("Transitions", ())}
    assert used <= classes
    assert {"standard" for rule in rules["Rules"] if rule["Status"] != "Enabled"} == set()
    ids = [rule["ID"] for rule in rules["Rules"]]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("store", ["gcs", "azure-blob", "oci-object"])
@pytest.mark.parametrize("pins", [PINS, None])
def test_json_rules_obey_the_services_schema(files_of, store, pins):
    jsonschema.Draft202012Validator(SCHEMAS[store]["schema"]).validate(document(files_of(store, pins)))


def xml_faults(node, rules):
    """What an element has that the service does not know, lacks, or has twice."""
    known = {word.rstrip("?*"): word for word in rules["elements"].get(node.tag, ())}
    if node.tag in rules["leaves"]:
        if len(node) or not re.fullmatch(rules["leaves"][node.tag], node.text or ""):
            yield f"{node.tag}: {node.text}"
        return
    tags = [child.tag for child in node]
    yield from (f"{node.tag} has {tag}" for tag in tags if tag not in known)
    for tag, word in known.items():
        count = tags.count(tag)
        if (count == 0 and word == tag) or (count > 1 and not word.endswith("*")):
            yield f"{node.tag} has {count} × {tag}"
    for child in node:
        yield from xml_faults(child, rules)


@pytest.mark.parametrize("store", ["oss", "cos", "obs"])
@pytest.mark.parametrize("pins", [PINS, None])
def test_xml_rules_obey_the_services_schema(files_of, store, pins):
    root = ET.fromstring(files_of(store, pins)["80-lifecycle/01-rules.xml"])  # noqa: S314  # ours
    assert root.tag == SCHEMAS[store]["root"]
    assert list(xml_faults(root, SCHEMAS[store])) == []


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        ("<Days>33</Days>", "Transition has 0 × Days"),
        ("<Status>Enabled</Status>", "Rule has 0 × Status"),
        ("<StorageClass>IA</StorageClass>", "Transition has 0 × StorageClass"),
    ],
)
def test_the_schema_of_the_test_finds_what_is_missing(files_of, spoil, fault):
    text = files_of("oss")["80-lifecycle/01-rules.xml"].replace(spoil, "", 1)
    assert list(xml_faults(ET.fromstring(text), SCHEMAS["oss"])) == [fault]  # noqa: S314  # ours


@pytest.mark.parametrize("store", STORES)
def test_every_form_says_the_same(files_of, store):
    """Moves after 33 days, deletes archived checkpoints alone after 1,000, ends uploads after 7."""
    files = files_of(store)
    text = files.get("80-lifecycle/01-rules.json") or files["80-lifecycle/01-rules.xml"]
    assert {"33", "1000"} <= set(re.findall(r"\d+", text))
    assert text.count("1000") == 1
    assert "checkpoints/" in text
    assert "data/" in text
    assert ("bort" in text or "ABORT" in text) is (store != "azure-blob")  # Azure drops blocks by itself


@pytest.mark.parametrize("store", STORES)
def test_ceph_and_clouds_have_folders_of_their_own(files_of, store):
    files = files_of(store)
    assert {f"20-cold-{store}/01-bucket.sh", f"20-cold-{store}/README.md", "80-lifecycle/README.md"} <= set(files)
    assert f"20-cold-{store}/01-bucket.sh" not in files_of(store, bucket="acme-archive")


@pytest.mark.parametrize("store", STORES)
def test_every_script_is_a_shell_script(files_of, store, tmp_path):
    for path, text in files_of(store).items():
        if path.endswith(".sh"):
            (tmp_path / "script.sh").write_text(text)
            subprocess.run(["bash", "-n", tmp_path / "script.sh"], check=True, timeout=20)


@pytest.mark.parametrize("store", STORES)
def test_no_loop_copies_and_deletes(files_of, store):
    """Rules move objects; a script that copies and then deletes loses what fails in between."""
    for path, text in files_of(store).items():
        if path.startswith(("80-", "20-")) and not path.endswith((".md", ".json", ".xml")):
            words = " ".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
            assert not re.search(r"copy[-_]object|delete[-_]objects?\b|s3 mv|s3 rm|storage mv|azcopy remove", words), (
                path
            )


def test_ceph_gets_the_rules_in_its_own_folder():
    plan = planning.make_plan(read_stack(str(ROOT / "stacks" / "Pulumi.lifecycle.yaml")), catalogue())
    files = render(plan, None)
    rules = json.loads(files["20-cold-ceph-rgw/14-lifecycle-archive.json"])["Rules"]
    assert {move["StorageClass"] for rule in rules for move in rule.get("Transitions", ())} == {"COLD"}
    assert "--storage-class=COLD" in files["20-cold-ceph-rgw/09-object-store.sh"]
    assert "30-hot-weka-after-cold/01-tiering.sh" in files
    assert "2592000" in files["10-hot-weka/06-filesystem.sh"]  # 30 days in seconds


def test_a_release_task_of_fsx_says_its_days(files_of):
    text = files_of("s3")["80-lifecycle/04-fsx-release.sh"]
    assert "RELEASE_DATA_FROM_FILESYSTEM" in text
    assert "Unit=DAYS,Value=33" in text


# --- the checkpoint job ---


@pytest.fixture
def job(files_of, tmp_path):
    """The rendered job as a module."""
    path = tmp_path / "checkpoints.py"
    path.write_text(files_of("s3")["80-lifecycle/03-checkpoints.py"])
    spec = importlib.util.spec_from_file_location("rendered_checkpoints", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "pretrain-70b"
    made.mkdir()
    return made


def save(job, folder, step, *, score=None, when=None):
    with job.saving(folder, step, score=score) as place:
        (place / "rank").mkdir()
        (place / "rank" / "0.bin").write_bytes(b"x" * step)
        (place / "rank" / "1.bin").write_bytes(b"y" * step)
    if when is not None:
        path = folder / f"step-{step:012d}" / job.INDEX
        index = json.loads(path.read_text())
        path.write_text(json.dumps({**index, "time": when}))


def test_the_job_knows_the_rules_of_the_plan(job):
    assert job.JOBS["pretrain-70b"] == {
        "name": "pretrain-70b",
        "last": 10,
        "best": 0,
        "weekly": 0,
        "interval_s": 1800,
        "archive_every_s": 86400,
    }


def test_a_checkpoint_appears_whole_with_its_index(job, folder):
    save(job, folder, 7, score=0.5)
    ((step, path, index),) = job.complete(folder)
    assert step == 7
    assert index["files"] == {"rank/0.bin": 7, "rank/1.bin": 7}
    assert json.loads((folder / "latest.json").read_text())["folder"] == path.name
    assert not list(folder.glob(".*"))


def test_a_crash_while_writing_leaves_nothing_that_looks_whole(job, folder):
    save(job, folder, 1)

    def crash():
        with job.saving(folder, 2) as place:
            (place / "0.bin").write_bytes(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        crash()
    assert [step for step, _, _ in job.complete(folder)] == [1]
    assert json.loads((folder / "latest.json").read_text())["step"] == 1
    save(job, folder, 2)  # and the next try is not hindered by what is left
    assert [step for step, _, _ in job.complete(folder)] == [1, 2]


def test_files_are_on_disk_before_the_index_and_the_index_before_the_name(job, folder, monkeypatch):
    order = []
    real_sync, real_rename = job.sync, job.os.rename
    monkeypatch.setattr(job, "sync", lambda path: (order.append(f"sync {Path(path).name}"), real_sync(path)))
    fake = SimpleNamespace(**{name: getattr(os, name) for name in dir(os)})
    fake.rename = lambda old, new: (order.append("rename"), real_rename(old, new))
    monkeypatch.setattr(job, "os", fake)
    save(job, folder, 3)
    place = {what: index for index, what in enumerate(order) if not what.startswith("sync .step")}
    assert place["sync 0.bin"] < place["sync rank"] < place["sync .index.json.tmp"] < place["rename"]
    assert place["rename"] < place["sync pretrain-70b"]


def test_a_file_that_lost_its_end_makes_it_no_checkpoint(job, folder):
    save(job, folder, 9)
    (folder / f"step-{9:012d}" / "rank" / "0.bin").write_bytes(b"x")
    assert job.complete(folder) == []


def test_last_best_and_weekly_stay_and_all_others_go(job, folder):
    week = 7 * 86400.0
    start = 1_700_000_000.0
    for step in range(1, 13):  # three a week, over four weeks; step 2 is the best
        save(job, folder, step, score=100 - abs(step - 2), when=start + (step - 1) // 3 * week + step)
    removed = job.prune(folder, {"last": 2, "best": 1, "weekly": 3})
    left = [step for step, _, _ in job.complete(folder)]
    assert left == [2, 6, 9, 11, 12]  # the best; the newest of three weeks; the last two
    assert sorted(removed + left) == list(range(1, 13))
    assert not list(folder.glob(".gone-*"))
    assert job.prune(folder, {"last": 2, "best": 1, "weekly": 3}) == []


def test_the_newest_is_never_removed(job, folder):
    save(job, folder, 1)
    assert job.prune(folder, {"last": 0, "best": 0, "weekly": 0}) == []


def test_the_index_goes_to_the_store_last(job, folder):
    save(job, folder, 4)
    save(job, folder, 5)
    commands = []
    key = job.archive("pretrain-70b", folder, "acme", run=lambda words, **_: commands.append(words))
    assert key == f"checkpoints/pretrain-70b/step-{5:012d}"
    assert [words[-1].rpartition("/")[2] for words in commands] == ["0.bin", "1.bin", "index.json"]
    assert all(
        words[:3] == ["aws", "s3", "cp"] and words[-1].startswith("s3://acme/checkpoints/") for words in commands
    )


def test_an_upload_that_fails_leaves_no_index(job, folder):
    save(job, folder, 5)
    commands = []

    def run(words, **_):
        commands.append(words)
        if len(commands) == 2:
            raise subprocess.CalledProcessError(1, words)

    with pytest.raises(subprocess.CalledProcessError):
        job.archive("pretrain-70b", folder, "acme", run=run)
    assert not any(words[-1].endswith("index.json") for words in commands)


def test_the_job_is_a_command(job, folder):
    save(job, folder, 1)
    done = subprocess.run(
        [sys.executable, job.__file__, "prune", "pretrain-70b", str(folder)],
        check=True,
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert done.stdout == "removed:\n"
    asked = subprocess.run([sys.executable, job.__file__, "x"], check=False, capture_output=True, text=True, timeout=20)
    assert asked.returncode == 1
    assert "JOB is one of pretrain-70b" in asked.stderr


# --- commands ---

PROGRAMS = {"aws", "gcloud", "az", "oci", "ossutil", "coscli", "obsutil", "lfs", "juicefs"}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("options", [{}, {"encryption_key": "key-1"}, {"versioning": False}])
def test_every_command_is_in_the_sourced_table(files_of, store, options):
    rows = command_table.table("object-stores")["commands"]
    seen = 0
    for path, text in files_of(store, **options).items():
        if path.startswith((f"20-cold-{store}/", "80-")) and path.endswith(".sh"):
            for words in command_table.commands(text, PROGRAMS):
                seen += 1
                assert command_table.faults(words, rows) == [], path
    assert seen >= 2


def test_every_row_of_the_table_has_a_source():
    known = command_table.table("object-stores")
    assert {row["source"] for row in known["commands"].values()} == set(known["sources"])
