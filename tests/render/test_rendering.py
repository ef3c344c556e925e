"""What `render` promises: complete, in order, the same bytes every time, no secrets, nobody out of his field."""

import json
import re
from dataclasses import replace

import pytest
import yaml

from tierplan.errors import RenderError
from tierplan.render import MANIFEST, artifacts, render
from tierplan.render.engine import rendered, template_names

SECRET_WORDS = ("WEKA_ADMIN_PASSWORD", "WEKA_LICENSE", "WEKA_CSI_PASSWORD", "RGW_INGRESS_PEM", "TIERPLAN_KEYS_DIR")


def first_folders(files):
    return list(dict.fromkeys(path.split("/")[0] for path in files))


def test_folders_and_files_are_numbered_in_the_order_to_run(tiered_plan, hosts):
    files = render(tiered_plan, hosts)
    folders = ["10-hot-weka", "20-cold-ceph-rgw", "30-hot-weka-after-cold", "README.md", MANIFEST]
    assert first_folders(files) == folders
    numbered = [path for path in files if re.search(r"/\d\d-", path)]
    assert numbered == sorted(numbered)
    assert "10-hot-weka/03-create-cluster.sh" in files


def test_tiering_comes_only_where_it_is_asked_for(plan, tiered_plan, hosts):
    assert "30-hot-weka-after-cold/01-tiering.sh" in render(tiered_plan, hosts)
    assert "30-hot-weka-after-cold/01-tiering.sh" not in render(plan, hosts)


def test_tiering_needs_a_cold_tier(weka_tier, plan_of):
    """Without an object store of the plan there is nothing to attach."""
    tiered = plan_of(hot=weka_tier(options={"tiering": {"ssd_share": 0.5}}))
    assert first_folders(render(tiered, None)) == ["10-hot-weka", "README.md", MANIFEST]


def test_kubernetes_files_come_only_with_kubernetes(weka_tier, plan_of):
    with_it = render(plan_of(hot=weka_tier(), kubernetes=True), None)
    without = render(plan_of(hot=weka_tier(), kubernetes=False), None)
    extra = {"10-hot-weka/09-csi-secret.sh", "10-hot-weka/10-csi-storageclass.yaml"}
    assert set(with_it) - set(without) == extra


def test_same_plan_gives_the_same_bytes(plan, hosts):
    assert dict(render(plan, hosts)) == dict(render(plan, hosts))


def test_every_file_says_plan_and_template(every_rendering):
    for files in every_rendering.values():
        for artifact in artifacts(files):
            if artifact.path.endswith(".json"):  # JSON has no comments; the manifest says it
                continue
            head = "\n".join(files[artifact.path].splitlines()[:4]).replace("\\", "")
            assert f"templates/{artifact.template}" in head
            assert "stack demo" in head
            assert re.search(r"sha256 [0-9a-f]{12}", head)


def test_manifest_lists_every_other_file_with_its_digest(plan, hosts):
    files = render(plan, hosts)
    document = json.loads(files[MANIFEST])
    assert document["schema"] == "tierplan/manifest/1"
    assert {entry["path"] for entry in document["files"]} == set(files) - {MANIFEST}
    assert all(re.fullmatch(r"[0-9a-f]{64}", artifact.sha256) for artifact in artifacts(files))


def test_another_plan_has_another_digest(plan, hosts):
    other = replace(plan, stack=replace(plan.stack, expect="refused"))
    one, two = (json.loads(render(made, hosts)[MANIFEST])["plan_sha256"] for made in (plan, other))
    assert one != two


def test_without_hosts_names_are_marked_examples_and_scripts_stop(plan):
    files = render(plan, None)
    assert "weka-1" in files["10-hot-weka/03-create-cluster.sh"]
    for path, text in files.items():
        if path.endswith(".sh"):
            assert "TO BE REPLACED" in text, path
            assert "\nexit 1\n" in text.split("are examples")[1][:80], path


def test_with_hosts_nothing_is_an_example(plan, hosts):
    assert not [path for path, text in render(plan, hosts).items() if "TO BE REPLACED" in text or "example0" in text]


def test_a_plan_without_templates_says_which_product(weka_tier, plan_of, monkeypatch):
    monkeypatch.setattr("tierplan.render.rendering.template_names", lambda _: ())
    with pytest.raises(RenderError, match=r"hot: weka has no templates yet"):
        render(plan_of(hot=weka_tier()), None)


def test_a_plan_without_storage_nodes_is_nothing_to_render(plan_of):
    with pytest.raises(RenderError, match="nothing to render"):
        render(plan_of(), None)


def test_no_secret_is_in_any_file(every_rendering):
    """Secrets stand only as names of variables: never behind an equals sign, a colon or an option."""
    for files in every_rendering.values():
        text = "\n".join(files.values())
        for word in SECRET_WORDS:
            assert not re.search(rf"{word}=\S", text)
        for option in ("--secret-key", "--admin-password", "--access-key-id"):
            for value in re.findall(rf"{option} (\S+)", text):
                assert value.startswith('"$'), value
        assert "BEGIN" not in text.replace("BEGIN {", "")


def test_hostile_names_of_stack_and_tags_leave_no_field(weka_tier, ceph_tier, plan_of, hosts, hostile):
    """Lines and YAML structure are those of a harmless plan; only the words in their fields differ."""
    harmless = render(plan_of(hot=weka_tier(), cold=ceph_tier(), name="x", tags={"owner": "x"}), hosts)
    for text in hostile:
        files = render(plan_of(hot=weka_tier(), cold=ceph_tier(), name=text, tags={"owner": text}), hosts)
        assert list(files) == list(harmless)
        for path, rendered_text in files.items():
            assert len(rendered_text.splitlines()) == len(harmless[path].splitlines()), (path, text)
            if path.endswith(".yaml"):
                assert shape(rendered_text) == shape(harmless[path]), (path, text)


def shape(text):
    """The keys and types of a YAML text, without its words."""

    def of(value):
        if isinstance(value, dict):
            return {key: of(item) for key, item in value.items()}
        return [of(item) for item in value] if isinstance(value, list) else type(value).__name__

    return [of(document) for document in yaml.safe_load_all(text)]


def test_tag_reaches_the_storage_class_as_it_is(weka_tier, plan_of):
    files = render(plan_of(hot=weka_tier(), tags={"owner": 'a"b: c\n#'}), None)
    document = yaml.safe_load(files["10-hot-weka/10-csi-storageclass.yaml"])
    assert document["metadata"]["annotations"] == {"tierplan/tags": 'owner=a"b: c\n#'}


def test_figures_of_the_plan_are_in_the_commands(plan, hosts):
    files = render(plan, hosts)
    create = files["10-hot-weka/03-create-cluster.sh"]
    assert "--data-drives 5 --parity-drives 2" in create
    assert "weka cluster hot-spare 1" in create
    # 600 TB usable at 0.8 planned fill: 480e12 / 2**30
    assert "weka fs create hot tierplan 447034GiB" in files["10-hot-weka/06-filesystem.sh"]
    assert "k=4 m=2 plugin=isa" in files["20-cold-ceph-rgw/08-pools.sh"]
    assert "--max-size=1490116G" in files["20-cold-ceph-rgw/13-users-and-buckets.sh"]


def test_tiered_quotas_share_the_planned_bytes(tiered_plan, hosts):
    """What the hot tier moves down (with its reclaim band) and the archive fill the cold tier together, not twice."""
    text = render(tiered_plan, hosts)["20-cold-ceph-rgw/13-users-and-buckets.sh"]
    archive, tier = (int(size) for size in re.findall(r"--max-size=(\d+)G", text))
    assert tier == -(-447035 * 113 // 100)
    assert archive + tier == int(1.6e15 / 2**30)


def test_more_cores_than_one_container_holds_make_two(weka_tier, plan_of, hosts):
    files = render(plan_of(hot=weka_tier(compute_cores=24)), hosts)
    text = files["10-hot-weka/04-compute-and-frontend.sh"]
    assert text.count("--name compute0 ") == 12
    assert text.count("--name compute1 ") == 12
    assert "compute1.json" in files["10-hot-weka/02-resources.sh"]


def test_racks_as_failure_domains_reach_both_products(weka_tier, ceph_tier, plan_of, hosts):
    plan = plan_of(hot=weka_tier(failure_domain="rack"), cold=ceph_tier(failure_domain="rack"))
    files = render(plan, hosts)
    assert "--failure-domain r3" in files["10-hot-weka/03-create-cluster.sh"]
    assert "crush-failure-domain=rack" in files["20-cold-ceph-rgw/08-pools.sh"]


def test_delete_after_becomes_a_lifecycle_rule(plan, tiered_plan, hosts):
    path = "20-cold-ceph-rgw/14-lifecycle-archive.json"
    kept, deleted = (json.loads(render(made, hosts)[path])["Rules"] for made in (plan, tiered_plan))
    assert [rule["ID"] for rule in kept] == ["abort-incomplete-uploads"]
    assert {"Days": 365} in [rule.get("Expiration") for rule in deleted]
    assert all(rule["Filter"] == {"Prefix": ""} and rule["Status"] == "Enabled" for rule in deleted)


def test_a_forgotten_value_is_an_error_not_an_empty_word():
    with pytest.raises(RenderError, match=r"templates/weka/06-filesystem.sh.j2: .*undefined"):
        rendered("weka/06-filesystem.sh.j2", {})


def test_each_product_has_its_page_of_templates():
    for folder in ("weka", "ceph_rgw"):
        names = template_names(folder)
        assert f"{folder}/README.md.j2" in names
        assert not [name for name in names if "/_" in name]
