"""VAST's files in the hands of Terraform, bash, PyYAML; every word in a sourced table; nobody out of his field."""

import json
import re
import shutil
import subprocess
from dataclasses import replace

import pytest
import yaml

from command_table import table, unknown
from tierplan import load, plan
from tierplan.domain.hosts import ClientHosts, Host, HostGroup, Hosts
from tierplan.render import render

FOLDER = "10-hot-vast"
TABLE = table("vast")
FIELDS = {name: set(row["names"]) for name, row in TABLE["fields"].items()}


def made(**options):
    """The shipped stack with its products, and options of its own."""
    stack = load.read_stack("vast")
    hot = replace(stack.tiers.hot, options={**stack.tiers.hot.options, **options})
    return plan.make_plan(replace(stack, tiers=replace(stack.tiers, hot=hot)), load.catalogue())


def over_tcp(whole):
    """The same plan for GPU nodes that speak TCP."""
    hot = whole.tiers["hot"]
    need = replace(hot.need, clients=replace(hot.need.clients, transport="tcp"))
    return replace(whole, tiers={**whole.tiers, "hot": replace(hot, need=need)})


@pytest.fixture(scope="module")
def hosts():
    boxes = tuple(Host(name=f"vast-{index}", addresses=(f"10.10.1.{index}",)) for index in range(1, 13))
    virtual = tuple(f"10.10.2.{index}/22" for index in range(1, 13))
    return Hosts(hot=HostGroup(hosts=boxes, virtual_ips=virtual), clients=ClientHosts(ports=("ib0", "ib1")))


@pytest.fixture(scope="module")
def every(hosts):
    """Files of plans that between them take every branch."""
    whole = made()
    bare = replace(whole, stack=replace(whole.stack, operations=replace(whole.stack.operations, kubernetes=False)))
    return {
        "plain": _own(render(whole, hosts)),
        "examples": _own(render(whole, None)),
        "kernel": _own(render(made(vendor_client=False, vip_pool_fqdn="hot.example.internal"), hosts)),
        "tcp": _own(render(over_tcp(whole), hosts)),
        "bare": _own(render(bare, hosts)),
    }


def _own(files):
    return {path: text for path, text in files.items() if path.startswith(FOLDER)}


def test_every_command_and_option_is_in_the_table(every):
    used = set()
    for files in every.values():
        found, called = unknown(files, "vast")
        assert found == []
        used |= called
    assert used == set(TABLE["commands"])


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


def test_terraform_file_holds_known_resources_and_fields_only(every):
    for files in every.values():
        document = json.loads(files[f"{FOLDER}/01-vast.tf.json"])
        assert set(document) <= FIELDS["terraform"]
        assert set(document["provider"]["vastdata"]) <= FIELDS["provider"]
        for kind, resources in document["resource"].items():
            for arguments in resources.values():
                assert set(arguments) <= FIELDS[kind], kind


@pytest.mark.skipif(shutil.which("terraform") is None, reason="needs Terraform")
def test_terraform_reads_it(every, tmp_path):
    """`terraform providers` reads the whole configuration and fetches nothing."""
    (tmp_path / "main.tf.json").write_text(every["plain"][f"{FOLDER}/01-vast.tf.json"])
    done = subprocess.run(
        ["terraform", "providers"], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    assert "vast-data/vastdata" in done.stdout


def test_quota_is_the_plans_figures(every):
    quota = json.loads(every["plain"][f"{FOLDER}/01-vast.tf.json"])["resource"]["vastdata_quota"]["hot"]
    hot = made().tiers["hot"]
    assert quota["soft_limit"] == pytest.approx(hot.need.capacity.bytes, abs=1)
    assert quota["hard_limit"] == pytest.approx(hot.delivered.planned.bytes, abs=1)


def test_pool_holds_the_hosts_files_addresses(every):
    pool = json.loads(every["plain"][f"{FOLDER}/01-vast.tf.json"])["resource"]["vastdata_vip_pool"]["hot"]
    assert pool["subnet_cidr"] == 22
    assert pool["ip_ranges"][0] == ["10.10.2.1", "10.10.2.1"]
    assert len(pool["ip_ranges"]) == 12


def test_secrets_stand_only_as_names_of_variables(every):
    for files in every.values():
        text = "\n".join(files.values())
        for word in ("TF_VAR_vms_password", "VAST_CSI_PASSWORD"):
            assert not re.search(rf"{word}=\S", text)
        assert '"password": "${var.vms_password}"' in text


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("plain", {"vers=3", "proto=rdma", "port=20049", "nconnect=16", "spread_reads", "spread_writes"}),
        ("tcp", {"vers=3", "proto=tcp", "spread_reads"}),
        ("kernel", {"vers=3", "proto=rdma", "nconnect=8"}),
    ],
)
def test_mount_line(every, name, words):
    (line,) = [one for one in every[name][f"{FOLDER}/03-client.fstab"].splitlines() if not one.startswith("#")]
    fields = line.split()
    options = fields[3].split(",")
    assert (len(fields), fields[1], fields[2]) == (6, "/mnt/hot", "nfs")
    assert words <= set(options)
    assert {option.partition("=")[0] for option in options} <= FIELDS["mount_options"]
    assert ("remoteports" in fields[3]) == (name != "kernel")


def test_storage_class_names_the_pool_or_its_fqdn(every):
    for name, key in (("plain", "vip_pool_name"), ("kernel", "vip_pool_fqdn")):
        document = yaml.safe_load(every[name][f"{FOLDER}/06-csi-storageclass.yaml"])
        pools = {"vip_pool_name", "vip_pool_fqdn"} & set(document["parameters"])
        assert pools == {key}
        assert set(document["parameters"]) <= FIELDS["storage_class_parameters"]
        assert document["provisioner"] == "csi.vastdata.com"


def test_secret_of_the_csi_driver_has_its_keys(every):
    text = every["plain"][f"{FOLDER}/05-csi-secret.sh"]
    assert set(re.findall(r"--from-(?:file|literal)=(\w+)=", text)) == FIELDS["secret_keys"]
    assert not any("csi" in path for path in every["bare"])


def test_alerts_use_known_metrics_at_the_plans_figures(every):
    rules = yaml.safe_load(every["plain"][f"{FOLDER}/07-alerts.yaml"])["groups"][0]["rules"]
    for rule in rules:
        assert set(re.findall(r"vast_\w+", rule["expr"])) <= FIELDS["metrics"]
    (fill,) = [rule["expr"] for rule in rules if rule["alert"] == "TierplanHotFillPlanned"]
    assert int(fill.rpartition(" ")[2]) == int(made().tiers["hot"].need.capacity.bytes)


@pytest.mark.parametrize("word", ["/a b", "/${file(1)}", '/"x', "/x\nrm -rf /", "/$(reboot)", "x"])
def test_hostile_words_are_refused_and_not_rendered(word):
    whole = made(path=word, vip_pool_name=word.strip("/"))
    text = "\n".join(_own(render(whole, None)).values())
    assert "${file" not in text
    assert "reboot" not in text
    assert "rm -rf" not in text
    assert whole.tiers["hot"].delivered.illegal
