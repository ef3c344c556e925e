"""Rendered files in the hands of bash, PyYAML and jsonschema; scripts run against programs that only write down."""

import configparser
import json
import os
import subprocess
from dataclasses import replace

import jsonschema
import pytest
import yaml

from tierplan.render import render, write

# The form of a Prometheus rules file: https://prometheus.io/docs/prometheus/latest/configuration/alerting_rules/
RULES = {
    "type": "object",
    "additionalProperties": False,
    "required": ["groups"],
    "properties": {
        "groups": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["name", "rules"],
                "properties": {
                    "name": {"type": "string", "minLength": 1},
                    "rules": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["alert", "expr", "for", "labels", "annotations"],
                            "properties": {
                                "alert": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
                                "expr": {"type": "string", "minLength": 1},
                                "for": {"type": "string", "pattern": "^[0-9]+(s|m|h|d)$"},
                                "labels": {
                                    "type": "object",
                                    "additionalProperties": False,
                                    "required": ["severity"],
                                    "properties": {"severity": {"enum": ["warning", "critical"]}},
                                },
                                "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        }
    },
}

SSH = """#!/usr/bin/env bash
while [ "$1" != -- ]; do shift; done
export ON="$2"
shift 2
exec bash -c "$*"
"""
RECORD = r"""#!/usr/bin/env bash
name=${0##*/}
{ printf '%s\x1f' "${ON:-}" "$name" "$@"; printf '\x1e'; } >> "$LOG"
case "$name $*" in
  "ceph osd ls") seq 0 191 ;;
  "weka cluster container --backends --filter"*) echo " 7 " ;;
  "radosgw-admin user create"*) echo '{"keys": [{"access_key": "ACCESS", "secret_key": "SECRET"}]}' ;;
  *" - "* | *" -" | *--filename*) cat > "$LOG.stdin" ;;
esac
"""
PROGRAMS = ("weka", "ceph", "cephadm", "radosgw-admin", "aws", "kubectl", "scp", "ssh-copy-id")


def admin(word):
    """The environment variable that asks for a secret."""
    return {"WEKA_ADMIN_PASSWORD": word}


@pytest.fixture
def run(tmp_path):
    """Run one rendered script; what it called, in order, as [host, program, words…]."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in {"ssh": SSH, **dict.fromkeys(PROGRAMS, RECORD)}.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    log = tmp_path / "log"

    def runner(files, path, **environment):
        out = tmp_path / "out"
        write(files, out)
        log.unlink(missing_ok=True)
        found = subprocess.run(
            ["bash", str(out / path)],
            env={"PATH": f"{tools}:{os.environ['PATH']}", "LOG": str(log), "HOME": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        calls = [call.split("\x1f")[:-1] for call in log.read_text().split("\x1e")[:-1]] if log.exists() else []
        return found, calls

    return runner


def test_every_script_is_bash(every_rendering):
    for files in every_rendering.values():
        for path, text in files.items():
            if path.endswith(".sh"):
                found = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
                assert (found.returncode, found.stderr) == (0, ""), path


def test_every_yaml_file_is_yaml(every_rendering):
    for files in every_rendering.values():
        for path, text in files.items():
            if path.endswith(".yaml"):
                assert [document for document in yaml.safe_load_all(text) if document], path
            if path.endswith(".json"):
                json.loads(text)


def test_alert_rules_have_the_form_of_prometheus(every_rendering):
    seen = 0
    for files in every_rendering.values():
        for path, text in files.items():
            if path.endswith("alerts.yaml"):
                jsonschema.Draft202012Validator(RULES).validate(yaml.safe_load(text))
                seen += 1
    assert seen >= 10


def test_alerts_stand_at_the_figures_of_the_plan(plan, hosts):
    files = render(plan, hosts)
    rules = {}
    for path in ("10-hot-weka/11-alerts.yaml", "20-cold-ceph-rgw/16-alerts.yaml"):
        rules |= {rule["alert"]: rule["expr"] for rule in yaml.safe_load(files[path])["groups"][0]["rules"]}
    assert rules["TierplanHotFillPlanned"].endswith(f"> {100 * 10**12}")
    assert rules["TierplanColdFillLimit"].endswith(f"> 0.95 * {16 * 10**14}")
    assert f"/ {100 * 10**9} + " in rules["TierplanHotBandwidth"]
    assert f"/ {40 * 10**9} > 0.9" in rules["TierplanColdBandwidth"]


def test_cluster_is_formed_in_the_right_order(run, plan, hosts):
    """Containers, cluster, login, code, spares, drives: as the product's documentation has it."""
    files = render(plan, hosts)
    found, calls = run(files, "10-hot-weka/03-create-cluster.sh", **admin("a b$(x)'\""))
    assert found.returncode == 0, found.stderr
    steps = list(dict.fromkeys(" ".join(call[1:4]) for call in calls))
    assert steps == [
        "weka local setup",
        "weka cluster create",
        "weka user login",
        "weka cluster update",
        "weka cluster hot-spare",
        "weka cluster container",
        "weka cluster drive",
    ]
    (create,) = [call for call in calls if call[2:4] == ["cluster", "create"]]
    names = create[4:16]
    assert names == [host.name for host in hosts.hot.hosts]
    groups = create[create.index("--host-ips") + 1].split(",")
    assert groups == ["+".join(host.addresses) for host in hosts.hot.hosts]
    assert create[-1] == "a b$(x)'\""
    drives = [call for call in calls if call[2:5] == ["cluster", "drive", "add"]]
    assert len(drives) == 12
    assert drives[0][5:] == ["7", *hosts.hot.drives]


def test_each_backend_makes_its_own_containers(run, plan, hosts):
    files = render(plan, hosts)
    found, calls = run(files, "10-hot-weka/04-compute-and-frontend.sh")
    assert found.returncode == 0, found.stderr
    made = [(call[0], call[call.index("--name") + 1]) for call in calls if "--name" in call]
    assert made == [(f"root@{host.name}", name) for host in hosts.hot.hosts for name in ("compute0", "frontend0")]


def test_drives_are_dealt_out_to_two_drive_containers(run, weka_tier, plan_of, hosts):
    """Every drive once, none twice, also where a backend needs two drive containers."""
    tier = weka_tier()
    parts = {**tier.delivered.parts, "drive_cores": 12, "cores_per_container": 8}
    tier = replace(tier, delivered=replace(tier.delivered, parts=parts))
    _, calls = run(render(plan_of(hot=tier), hosts), "10-hot-weka/03-create-cluster.sh", **admin("x"))
    adds = [call[6:] for call in calls if call[2:5] == ["cluster", "drive", "add"]]
    assert len(adds) == 24
    assert sorted(adds[0] + adds[1]) == sorted(hosts.hot.drives)


def test_a_missing_secret_stops_before_anything_happens(run, plan, hosts):
    files = render(plan, hosts)
    for path in (
        "10-hot-weka/03-create-cluster.sh",
        "10-hot-weka/05-start-io.sh",
        "10-hot-weka/09-csi-secret.sh",
        "20-cold-ceph-rgw/12-apply-gateways.sh",
        "20-cold-ceph-rgw/13-users-and-buckets.sh",
    ):
        found, calls = run(files, path)
        assert found.returncode != 0
        assert calls == [], path


def test_scripts_with_example_names_do_nothing(run, plan):
    files = render(plan, None)
    for path in files:
        if path.endswith(".sh"):
            found, calls = run(files, path, **admin("x"), WEKA_LICENSE="x", TIERPLAN_APPLY="yes")
            assert found.returncode == 1, path
            assert "are examples" in found.stderr
            assert calls == []


def test_osds_are_made_only_after_a_dry_run(run, plan, hosts):
    files = render(plan, hosts)
    path = "20-cold-ceph-rgw/07-apply-hosts-and-osds.sh"
    found, calls = run(files, path)
    assert found.returncode == 0, found.stderr
    applied = [call for call in calls if call[2:4] == ["orch", "apply"] and "04-hosts" not in call[5]]
    assert applied
    assert all("--dry-run" in call for call in applied)
    _, calls = run(files, path, TIERPLAN_APPLY="yes")
    osds = [call for call in calls if any("06-osds" in word for word in call)]
    assert ["--dry-run" in call for call in osds] == [True, False]


def test_certificate_stays_inside_its_field(run, plan, hosts, tmp_path):
    """The PEM file becomes one field of the specification that cephadm reads."""
    pem = tmp_path / "tls.pem"
    pem.write_text("-----BEGIN CERTIFICATE-----\nAA: b\n---\n-----END CERTIFICATE-----\n")
    found, _ = run(
        render(plan, hosts), "20-cold-ceph-rgw/12-apply-gateways.sh", RGW_INGRESS_PEM=str(pem), TIERPLAN_APPLY="yes"
    )
    assert found.returncode == 0, found.stderr
    (document,) = [d for d in yaml.safe_load_all((tmp_path / "log.stdin").read_text()) if d]
    assert document["spec"]["ssl_cert"].strip() == pem.read_text().strip()
    assert document["spec"]["frontend_port"] == 443
    assert document["spec"]["virtual_ips_list"] == list(hosts.cold.virtual_ips)


def test_keys_of_users_go_to_their_folder_only(run, tiered_plan, hosts, tmp_path):
    keys = tmp_path / "keys"
    found, calls = run(
        render(tiered_plan, hosts), "20-cold-ceph-rgw/13-users-and-buckets.sh", TIERPLAN_KEYS_DIR=str(keys)
    )
    assert found.returncode == 0, found.stderr
    assert sorted(path.name for path in keys.iterdir()) == ["checkpoint-archive.json", "hot-tier.json"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in keys.iterdir())
    assert "SECRET" not in found.stdout + found.stderr + json.dumps(calls)
    buckets = [call[call.index("--bucket") + 1] for call in calls if "create-bucket" in call]
    assert buckets == ["tierplan-cold", "hot-tier"]
    found, calls = run(render(tiered_plan, hosts), "30-hot-weka-after-cold/01-tiering.sh", TIERPLAN_KEYS_DIR=str(keys))
    assert found.returncode == 0, found.stderr
    (added,) = [call for call in calls if call[2:6] == ["fs", "tier", "s3", "add"]]
    assert added[added.index("--secret-key") + 1] == "SECRET"
    assert added[added.index("--hostname") + 1] == "s3.example.internal"


def test_pools_are_made_after_their_rules_and_profile(run, plan, hosts):
    found, calls = run(render(plan, hosts), "20-cold-ceph-rgw/08-pools.sh")
    assert found.returncode == 0, found.stderr
    words = [" ".join(call[2:]) for call in calls]
    profile, rule, pool = (
        next(index for index, line in enumerate(words) if line.startswith(start))
        for start in (
            "osd erasure-code-profile set",
            "osd crush rule create-erasure",
            "osd pool create cold.rgw.buckets.data",
        )
    )
    assert profile < rule < pool
    assert words[pool].endswith("2048 2048 erasure tierplan-k4m2 cold-data --bulk")


def test_the_check_finds_a_host_that_is_not_ready(run, plan, hosts):
    """Run on this machine, which has none of the planned drives."""
    found, _ = run(render(plan, hosts), "10-hot-weka/01-check-hosts.sh")
    assert found.returncode == 1
    assert found.stdout.count("no drive /dev/nvme12n1") == 12
    assert "some backends are not ready" in found.stderr


def test_initial_configuration_is_ini(plan, hosts):
    parser = configparser.ConfigParser()
    parser.read_string(render(plan, hosts)["20-cold-ceph-rgw/02-initial-ceph.conf"])
    assert parser["global"]["public_network"] == "10.20.0.0/16"
    assert parser["osd"]["osd_memory_target"] == str(4 * 2**30)


def test_hosts_carry_labels_enough_for_every_daemon(every_rendering):
    for files in every_rendering.values():
        text = files.get("20-cold-ceph-rgw/04-hosts.yaml")
        if text is None:
            continue
        found = [document for document in yaml.safe_load_all(text) if document]
        count = {label: sum(label in host["labels"] for host in found) for label in ("mon", "mgr", "rgw", "ingress")}
        assert count == {"mon": 3, "mgr": 2, "rgw": len(found), "ingress": 3}
        assert found[0]["labels"].count("_admin") == 1
        assert len({host["location"]["rack"] for host in found if "mon" in host["labels"]}) == 3
