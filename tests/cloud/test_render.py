"""Files of managed services: every command in a sourced table, parsed by others, no secret, no example host."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tierplan import load, plan
from tierplan.render import render

HERE = Path(__file__).parent
FOLDERS = {
    "fsx-lustre": "10-hot-fsx-lustre/",
    "azure-lustre": "10-hot-azure-lustre/",
    "google-lustre": "10-hot-google-lustre/",
    "juicefs-cloud": "10-hot-juicefs/",
    "juicefs-azure": "10-hot-juicefs/",
    "juicefs-google": "10-hot-juicefs/",
    "oci-lustre": "10-hot-oci-lustre/",
    "cpfs": "10-hot-cpfs/",
    "sfs-turbo": "10-hot-sfs-turbo/",
    "juicefs-elsewhere": "10-hot-juicefs/",
}
CHANGES = {
    "fsx-lustre": {
        "aws-fsx": ({},),
        "aws-fsx-it": ({}, {"kubernetes": True}),
    },
    "azure-lustre": {"azure-lustre": ({},)},
    "google-lustre": {"google-lustre": ({}, {"instance_id": "mine"})},
    "juicefs-azure": {
        "azure-juicefs": ({}, {"metadata_engine": "redis"}, {"metadata_engine": "tikv", "bucket": "mine/hot"}),
    },
    "juicefs-google": {
        "google-juicefs": ({}, {"metadata_engine": "postgresql"}, {"metadata_engine": "tikv", "bucket": "mine"}),
    },
    "juicefs-cloud": {
        "aws-juicefs-redis": ({}, {"kubernetes": True, "metadata_service": "memorydb"}, {"bucket": "my-bucket"}),
        "aws-juicefs-postgresql": ({}, {"metadata_service": "aurora"}, {"metadata_engine": "tikv", "write_back": True}),
    },
    "oci-lustre": {"oci-lustre": ({}, {"file_system_name": "mine"})},
    "cpfs": {"alibaba-cpfs": ({}, {"protocol_service": False}, {"file_system_type": "lingjun", "size": "100 TiB"})},
    "sfs-turbo": {"huawei-sfs-turbo": ({},)},
    "juicefs-elsewhere": {
        "oci-juicefs": ({}, {"metadata_engine": "postgresql"}, {"metadata_engine": "tikv"}),
        "alibaba-juicefs": ({}, {"metadata_engine": "redis", "bucket": "my-bucket"}),
        "tencent-juicefs": ({"kubernetes": True}, {"metadata_engine": "postgresql"}, {"metadata_engine": "tikv"}),
        "huawei-juicefs": ({}, {"metadata_engine": "redis", "kubernetes": True}),
    },
}


def parser(table):
    """The parser of the other rendering tests, as a copy of our own with one table."""
    spec = importlib.util.spec_from_file_location(f"cloud_{table}", HERE.parent / "render" / "test_options.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = module.table(table)
    module.COMMANDS = found["commands"]
    module.SYSTEM |= {
        "basename",
        "realpath",
        "mountpoint",
        "mount",
        "fault",
        "alarm",
        "check",
        "test",
        "read",
        "cp",
        "find",
        "xargs",
    }
    return module, found


def files_of(stack, change):
    """What the hot tier of a shipped stack is rendered as, with other words."""
    document = yaml.safe_load(load.stack_text(load.read_stack(stack)))
    config = document.get("config", document)
    words = dict(change)
    if words.pop("kubernetes", False):
        config.setdefault("tierplan:operations", {})["kubernetes"] = True
    config["tierplan:tiers"]["hot"].setdefault("options", {}).update(words)
    changed = load.stack_from_text(yaml.safe_dump(document), name=stack, where=stack)
    return render(plan.make_plan(changed, load.catalogue()), None)


@pytest.fixture(scope="module", params=FOLDERS)
def rendered(request):
    """Table -> the files of every change, those of the hot tier alone."""
    folder = FOLDERS[request.param]
    found = [
        {path: text for path, text in files_of(stack, change).items() if path.startswith(folder)}
        for stack, changes in CHANGES[request.param].items()
        for change in changes
    ]
    assert all(found)
    return request.param, found


def test_every_command_is_in_the_sourced_table(rendered):
    table, renderings = rendered
    module, _ = parser(table)
    used = set()
    for files in renderings:
        for path, text in files.items():
            if path.endswith(".sh"):
                for words in module.commands_of(re.sub(r"<<'SQL'.*?^SQL$", "", text, flags=re.DOTALL | re.MULTILINE)):
                    assert module.faults_of(words) == [], (path, words)
                    used.add(module.name_of(words))
    assert used == set(module.COMMANDS)


def test_every_row_has_a_source(rendered):
    _, found = parser(rendered[0])
    for row in (*found["commands"].values(), *found["fields"].values()):
        assert row["source"] in found["sources"]


def test_scripts_are_bash_and_documents_are_yaml(rendered):
    for files in rendered[1]:
        for path, text in files.items():
            if path.endswith(".sh"):
                done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True, check=False)
                assert done.returncode == 0, (path, done.stderr)
            if path.endswith(".yaml"):
                assert all(document for document in yaml.safe_load_all(text))


def test_no_host_of_the_stack_is_asked_for_and_no_secret_is_in_a_file(rendered):
    for files in rendered[1]:
        for path, text in files.items():
            assert "are examples" not in text, path
            assert "198.18." not in text, path
            assert not re.search(r"(ACCESS_KEY|SECRET_KEY|PASSWORD)=[^$\"\s%]", text), path


def test_a_class_of_kubernetes_keeps_what_a_claim_leaves(rendered):
    for files in rendered[1]:
        for path, text in files.items():
            for document in yaml.safe_load_all(text) if path.endswith(".yaml") else ():
                if document.get("kind") == "StorageClass":
                    assert document["reclaimPolicy"] == "Retain"
                if document.get("kind") == "PersistentVolume":
                    assert document["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
                    attributes = document["spec"]["csi"]["volumeAttributes"]
                    assert set(attributes) == set(parser(rendered[0])[1]["fields"]["volume_attributes"]["names"])


def test_terraform_is_json_of_sourced_words_and_keeps_what_holds_data(rendered):
    for files in rendered[1]:
        for path, text in files.items():
            if not path.endswith(".tf.json"):
                continue
            document = json.loads(text)
            for kind, made in document["resource"].items():
                for words in made.values():
                    assert words["lifecycle"] == {"prevent_destroy": True}
                    assert set(words) - {"lifecycle"} <= set(parser(rendered[0])[1]["fields"][kind]["names"]), kind
                    assert words.get("password", "${var.password}") == "${var.password}"
            assert all(block in ({}, {"sensitive": True}) for block in document["variable"].values())


def test_the_mount_line_is_the_services_own():
    files = files_of("aws-fsx", {})
    mount = files["10-hot-fsx-lustre/03-mount.sh"]
    assert "$FSX_DNS_NAME@tcp:/$FSX_MOUNT_NAME $MOUNT_POINT lustre relatime,flock,_netdev" in mount
    assert mount.index("setup.sh") < mount.index('mount "$MOUNT_POINT"')  # EFA first
    assert "setup.sh" not in files_of("aws-fsx-it", {})["10-hot-fsx-lustre/03-mount.sh"]


def test_the_engine_is_found_by_the_id_that_the_program_gives_it():
    pytest.importorskip("pulumi_aws")
    from tierplan_pulumi.services._juicefs_aws import engine_id  # noqa: PLC0415  # needs the SDK

    for stack in ("aws-juicefs-redis", "aws-juicefs-postgresql"):
        text = files_of(stack, {})["10-hot-juicefs/02-format.sh"]
        assert f"META_ID={engine_id(stack)}\n" in text
        assert re.fullmatch(r"[a-z][a-z0-9-]{0,39}", engine_id(stack))
    assert engine_id("A" * 60) == f"tp-{'a' * 28}-hot-meta"
