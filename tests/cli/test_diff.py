"""`tierplan diff` as a reviewer types it: stacks, files, revisions, events; texts, JSON and comments."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tierplan.cli.diff_markdown import diff_markdown
from tierplan.cli.revisions import as_it_was, repository
from tierplan.domain.plan import Finding
from tierplan.plan.diff import Replacement, diff_schema, with_preview

ROOT = Path(__file__).parents[2]
EVENTS = ROOT / "tests" / "plan" / "events"
MOST = 65_536
PACK_EVENTS = ROOT / "tests" / "scripts" / "events"


def git(folder, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    who = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
    }
    subprocess.run(["git", *words], cwd=folder, env=environment | who, check=True, capture_output=True)


@pytest.fixture
def work(tmp_path, monkeypatch, run):
    """A repository whose branch `main` has the demo, with a work tree that may differ."""
    del run  # it goes to the checkout's root first
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text("name: ours\nruntime: python\nstackConfigDir: stacks\n", encoding="utf-8")
    shutil.copy(ROOT / "stacks" / "Pulumi.demo.yaml", tmp_path / "stacks")
    for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "demo")):
        git(tmp_path, *words)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def nodes(folder, count):
    """Lower or raise the node count of the demo's hot tier."""
    path = folder / "stacks" / "Pulumi.demo.yaml"
    path.write_text(re.sub(r"(?m)^(      nodes:) 12$", rf"\1 {count}", path.read_text()), encoding="utf-8")


def test_a_stack_beside_itself_does_not_change(run):
    ran = run("diff", "demo", "demo")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "demo: no change, pass (work tree → work tree)\n"


@pytest.mark.parametrize("stack", ["demo", "mixed", "refused-small"])
def test_a_stack_pinned_to_what_was_chosen_does_not_change(run, tmp_path, stack):
    path = tmp_path / f"Pulumi.{stack}.yaml"
    path.write_text(run("pin", stack).out, encoding="utf-8")
    document = json.loads(run("diff", stack, str(path), "--json").out)
    assert (document["changed"], document["replaced"], document["verdict"]) == ([], [], "same")
    assert (document["findings"]["new"], document["findings"]["gone"]) == ([], [])


def test_fewer_nodes_are_seen_against_a_branch(run, work):
    nodes(work, 9)
    ran = run("diff", "--from", "main", "demo")
    assert ran.code == 0
    assert ran.out.startswith("demo: main → work tree   pass → pass, worse")
    for words in ("hot           nodes", "386 GB/s", "290 GB/s", "521 TB"):
        assert words in ran.out
    assert max(len(line) for line in ran.out.splitlines()) <= 100
    assert len(ran.out.splitlines()) <= 50


def test_too_few_nodes_are_refused(run, work):
    nodes(work, 6)
    ran = run("diff", "--from", "main", "demo", "--json")
    document = json.loads(ran.out)
    jsonschema.Draft202012Validator(diff_schema()).validate(document)
    assert ran.code == 1
    assert document["old"] == {"called": "main", "stack": "demo", "verdict": "pass"}
    assert (document["new"]["verdict"], document["verdict"], document["refused"]) == ("refused", "worse", True)
    assert "hot-layout" in [finding["policy"] for finding in document["findings"]["new"]]
    assert {"path": "tiers.hot.node_count", "before": 12, "after": 6} in document["changed"]


@pytest.mark.parametrize(
    "words",
    [
        ("main:stacks/Pulumi.demo.yaml", "stacks/Pulumi.demo.yaml"),
        ("main:stacks/Pulumi.demo.yaml",),
        ("main:demo", "demo"),
        ("main:demo",),
        ("--from", "main", "stacks/Pulumi.demo.yaml"),
        ("--from", "HEAD^{}", "demo"),
    ],
)
def test_a_revision_can_be_written_in_every_usual_way(run, work, words):
    assert run("diff", *words).code == 0
    nodes(work, 6)
    assert run("diff", *words).code == 1


def test_two_revisions_can_be_compared(run, work):
    nodes(work, 6)
    git(work, "commit", "-aqm", "fewer")
    assert run("diff", "main~1:demo", "main:demo").code == 1
    assert run("diff", "main:demo", "main~1:demo").code == 0


def test_a_revision_is_read_from_a_folder_below(run, work, monkeypatch):
    nodes(work, 6)
    monkeypatch.chdir(work / "stacks")
    assert run("diff", "--from", "main", "Pulumi.demo.yaml").code == 1
    assert run("diff", "main:stacks/Pulumi.demo.yaml", "Pulumi.demo.yaml").code == 1


def test_a_stack_that_was_not_there_is_new(run, work):
    shutil.copy(ROOT / "stacks" / "Pulumi.nfs.yaml", work / "stacks")
    ran = run("diff", "--from", "main", "nfs")
    assert ran.code == 0
    assert "new stack" in ran.out
    document = json.loads(run("diff", "--from", "main", "nfs", "--json").out)
    assert (document["old"], document["changed"], document["replaced"]) == (None, [], [])


def test_a_stack_that_could_not_be_read_then_is_new_and_says_so(run, work):
    path = work / "stacks" / "Pulumi.demo.yaml"
    good = path.read_text(encoding="utf-8")
    path.write_text(good.replace("gpu_nodes: 128", "gpu_nodes: many"), encoding="utf-8")
    git(work, "commit", "-aqm", "broken")
    path.write_text(good, encoding="utf-8")
    ran = run("diff", "--from", "main", "demo")
    assert ran.code == 0
    assert "the old one cannot be read: main:stacks/Pulumi.demo.yaml:9: cluster.gpu_nodes" in " ".join(ran.out.split())


def test_a_stack_that_is_taken_away_is_refused_unless_it_is_allowed(run, work):
    (work / "stacks" / "Pulumi.demo.yaml").unlink()
    ran = run("diff", "--from", "main", "demo")
    assert ran.code == 1
    assert "demo-hot: weka goes with the stack" in ran.out
    assert (
        run("diff", "--from", "main", "demo", "--allow-replace", "demo-hot", "--allow-replace", "demo-cold").code == 0
    )


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--from", "nowhere", "demo"), 'no git revision "nowhere"'),
        (("--from", "--upload-pack=x", "demo"), "no git revision"),
        (("--from", "main", "dem0"), 'no stack "dem0"'),
        (("--from=", "demo"), 'no git revision ""'),
        (("--from", "main:stacks", "demo"), 'no git revision "main:stacks"'),
        (("main:demo", "nowhere:demo"), 'no git revision "nowhere"'),
        (("nowhere:demo", "demo"), 'no git revision "nowhere"'),
        (("no:demo", "demo"), 'no git revision "no"'),
        (("main:demo", "dem0"), 'no stack "dem0"'),
        (("main:demo", "stacks/Pulumi.dem0.yaml"), "cannot be read"),
        (("main:demo", "main:dem0"), "main:dem0: the revision has no such stack file"),
        (("main:dem0", "demo"), "main:dem0: the revision has no such stack file"),
        (("main:nosuch.yaml", "demo"), "main:nosuch.yaml: the revision has no such stack file"),
        (("main:dem0",), 'no stack "dem0"'),
        (("demo",), "name OLD and NEW"),
        ((), "name OLD and NEW"),
        (("demo", "demo", "demo"), "name OLD and NEW"),
        (("demo", "demo", "--json", "--markdown"), "ask for one"),
        (("--events", "nowhere.jsonl"), "cannot be read"),
        (("--events", "Pulumi.yaml"), "holds no events"),
    ],
)
@pytest.mark.usefixtures("work")
def test_bad_words_are_bad_input(run, words, says):
    ran = run("diff", *words)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_outside_a_repository_there_is_no_revision(run, work, tmp_path_factory, monkeypatch):
    folder = tmp_path_factory.mktemp("bare")
    shutil.copytree(work / "stacks", folder / "stacks")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(folder.parent))
    ran = run("diff", "--from", "main", "demo")
    assert ran.code == 2
    assert "is no git work tree" in ran.err


def test_the_new_side_must_be_readable(run, work):
    (work / "stacks" / "Pulumi.demo.yaml").write_text("config: {}\n", encoding="utf-8")
    ran = run("diff", "--from", "main", "demo")
    assert (ran.code, ran.out) == (2, "")
    assert "site" in ran.err


def test_replacements_of_a_preview_refuse_unless_each_is_allowed(run):
    events = str(EVENTS / "replace.jsonl")
    ran = run("diff", "--events", events)
    assert ran.code == 1
    assert "scratch: replaced by the preview: subnetIds changes" in ran.out
    some = [word for name in ("scratch", "archive") for word in ("--allow-replace", name)]
    assert run("diff", "--events", events, *some).code == 1
    assert run("diff", "--events", events, *some, "--allow-replace", "old-cold").code == 0


@pytest.mark.usefixtures("work")
def test_a_preview_stands_beside_the_comparison(run):
    ran = run("diff", "--from", "main", "demo", "--events", str(EVENTS / "digest.json"), "--json")
    document = json.loads(ran.out)
    jsonschema.Draft202012Validator(diff_schema()).validate(document)
    assert ran.code == 1
    assert document["stack"] == "demo"
    assert {one["resource"] for one in document["replaced"]} == {"scratch", "archive", "old-cold"}


@pytest.mark.parametrize(
    ("name", "code"), [("accepted", 0), ("advice", 0), ("refused", 1), ("unknown", 1), ("crash", 3), ("broken-pack", 3)]
)
def test_what_the_policies_said_counts(run, name, code):
    ran = run("diff", "--events", str(PACK_EVENTS / f"{name}.jsonl"), "--markdown")
    assert ran.code == code
    assert ran.out.startswith("<!-- tierplan:")
    assert ("was not judged" in ran.out) == (code == 3)


def test_a_comment_has_its_marker_first_and_says_why(run, work):
    nodes(work, 6)
    ran = run("diff", "--from", "main", "demo", "--markdown")
    lines = ran.out.splitlines()
    assert ran.code == 1
    assert lines[0] == "<!-- tierplan:demo -->"
    assert lines[1] == "### tierplan: `demo` is refused 🔴"
    assert "`main` pass → `work tree` refused: **worse**." in lines
    assert any("`hot-layout`: weka: 6 failure domains cannot hold a 5+2 stripe" in line for line in lines)
    assert "| hot | nodes |  | 12 | 6 |  |" in lines
    assert run("diff", "--from", "main", "demo", "--markdown").out == ran.out


def test_a_comment_of_no_change_is_short(run):
    ran = run("diff", "demo", "demo", "--markdown")
    assert ran.out.count("\n") < 20
    assert "No change." in ran.out


def events_of(count):
    """A preview that replaces many file systems; each name is long."""
    urn = "urn:pulumi:big::acme::aws:fsx/lustreFileSystem:LustreFileSystem::scratch"
    steps = [
        {
            "resourcePreEvent": {
                "metadata": {
                    "op": "replace",
                    "urn": f"{urn}-{index}-{'x' * 40}",
                    "type": "aws:fsx/lustreFileSystem:LustreFileSystem",
                    "keys": ["subnetIds"],
                }
            }
        }
        for index in range(count)
    ]
    return [*steps, {"summaryEvent": {"resourceChanges": {"replace": count}, "isPreview": True}}]


def test_five_thousand_resources_fit_a_comment_that_says_what_is_cut(run, tmp_path):
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(json.dumps(event) for event in events_of(5_000)), encoding="utf-8")
    ran = run("diff", "--events", str(path), "--markdown")
    assert ran.code == 1
    assert len(ran.out.encode()) <= MOST
    assert len(ran.out.encode()) > MOST * 0.9
    cut = re.search(r"_Cut to fit a comment: ([\d,]+) of 5,000 replaced resources left out\.", ran.out)
    shown = ran.out.count("\n- `scratch-")
    assert int(cut[1].replace(",", "")) + shown == 5_000
    assert run("diff", "--events", str(path), "--markdown").out == ran.out
    assert len(json.loads(run("diff", "--events", str(path), "--json").out)["replaced"]) == 5_000


def test_hundreds_of_jobs_fit_a_comment(run, work):
    path = work / "stacks" / "Pulumi.demo.yaml"
    text = path.read_text(encoding="utf-8")
    jobs = "".join(f'    - {{name: team-{index}, kind: general, read: "1 MB/s"}}\n' for index in range(900))
    path.write_text(text.replace("  tierplan:capacity:", f"{jobs}  tierplan:capacity:"), encoding="utf-8")
    ran = run("diff", "--from", "main", "demo", "--markdown")
    assert len(ran.out.encode()) <= MOST
    assert "changed values left out" in ran.out


def test_markup_in_a_stack_stays_text(run, tmp_path):
    events = [
        {
            "policyEvent": {
                "resourceUrn": "urn:pulumi:x::acme::t::a",
                "message": "<script>@everyone | a `b`\n# no heading",
                "policyName": "hot-capacity",
                "enforcementLevel": "mandatory",
            }
        },
        {"summaryEvent": {}},
    ]
    path = tmp_path / "events.jsonl"
    path.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    out = run("diff", "--events", str(path), "--markdown").out
    assert "a: &lt;script&gt;&#64;everyone \\| a &#96;b&#96; # no heading" in out


def test_prices_of_a_revision_are_those_of_the_revision(work):
    """A stack may name a price list beside it; the old plan is priced by the old list."""
    path = work / "stacks" / "Pulumi.demo.yaml"
    path.write_text(path.read_text() + "  tierplan:prices: ours.yaml\n", encoding="utf-8")
    (work / "stacks" / "ours.yaml").write_text("old: list\n", encoding="utf-8")
    git(work, "add", ".")
    git(work, "commit", "-qm", "prices")
    (work / "stacks" / "ours.yaml").write_text("new: list\n", encoding="utf-8")
    with as_it_was(repository(work), "main", "stacks/Pulumi.demo.yaml") as file:
        assert (file.parent / "ours.yaml").read_text(encoding="utf-8") == "old: list\n"
    assert not file.exists()


WORDS = st.one_of(
    st.text(max_size=40),
    st.builds(lambda text, count: text * count, st.text(min_size=1, max_size=8), st.integers(500, 4_000)),
)


@settings(max_examples=60, deadline=None)
@given(
    stack=WORDS,
    replaced=st.lists(st.builds(Replacement, resource=WORDS, because=WORDS), max_size=6),
    findings=st.lists(
        st.builds(Finding, policy=WORDS, level=st.sampled_from(["mandatory", "advisory"]), message=WORDS, remedy=WORDS),
        max_size=6,
    ),
    notes=st.lists(WORDS, max_size=4),
    copies=st.integers(1, 40),
)
def test_any_comment_fits_and_begins_with_its_marker(stack, replaced, findings, notes, copies):
    found = with_preview(None, stack=stack, replaced=replaced * copies, findings=tuple(findings * copies), notes=notes)
    text = diff_markdown(found)
    first, _, rest = text.partition("\n")
    assert re.fullmatch(r"<!-- tierplan:[A-Za-z0-9_.-]{0,100} -->", first)
    assert len(text.encode("utf-8", "surrogatepass")) <= MOST
    assert "<!--" not in rest
    assert "\n@" not in rest


def test_an_old_one_that_is_written_out_and_not_there_is_named(run, work):
    shutil.copy(ROOT / "stacks" / "Pulumi.nfs.yaml", work / "stacks")
    for words in (("main:nfs", "nfs"), ("main:nfs",), ("main:stacks/Pulumi.nfs.yaml", "nfs")):
        ran = run("diff", *words)
        assert (ran.code, "new stack" in ran.out) == (0, True)
        assert ran.err.startswith(f"{words[0]}: the revision has no such stack file, so ")
    assert run("diff", "--from", "main", "nfs").err == ""


def test_a_stack_that_another_revision_took_away_is_removed(run, work):
    git(work, "rm", "-q", "stacks/Pulumi.demo.yaml")
    git(work, "commit", "-qm", "gone")
    ran = run("diff", "main~1:demo", "main:demo")
    assert ran.code == 1
    assert "demo-hot: weka goes with the stack" in ran.out
    assert run("diff", "main~1:demo").code == 1
    assert run("diff", "main:demo", "main~1:demo").code == 0


def test_a_path_from_the_root_is_read_from_a_folder_below(run, work, monkeypatch):
    monkeypatch.chdir(work / "stacks")
    ran = run("diff", "main:stacks/Pulumi.demo.yaml")
    assert ran.code == 0
    assert "no change" in ran.out
