"""Rules in each store's own form, checked by its own model or a derived schema; the checkpoint job, run for real."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
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
