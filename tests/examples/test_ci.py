"""
What is ready to copy: the files obey the published schemas, their shell steps run, and only the posting is a stand-in.

The schemas are those that check-jsonschema ships (SchemaStore's for GitHub, GitLab's own).
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
CI = ROOT / "examples" / "ci"
GH = '''#!{python}
"""A stand-in for gh: comments are kept in a file, each call is written down."""
import json, os, re, sys
store, words = os.environ["COMMENTS"], sys.argv[1:]
comments = json.load(open(store))
with open(store + ".calls", "a") as log:
    log.write(json.dumps(words) + "\\n")
if os.environ.get("FORBIDDEN") and "--method" in words:
    sys.exit(1)
body = next((open(word[6:]).read() for word in words if word.startswith("body=@")), None)
if "PATCH" in words:
    comments[int(words[-4].rsplit("/", 1)[1])]["body"] = body
elif "POST" in words:
    comments.append({{"body": body, "login": "github-actions[bot]"}})
else:
    marker = re.search(r'startswith\\("(.*?)"\\)', words[-1])[1]
    assert 'select(.user.login == "github-actions[bot]")' in words[-1]
    for index, one in enumerate(comments):
        if one["login"] == "github-actions[bot]" and one["body"].startswith(marker):
            print(index)
json.dump(comments, open(store, "w"))
'''
CURL = '''#!{python}
"""A stand-in for curl against GitLab's notes: they are kept in a file, each call is written down."""
import json, os, sys
store, words = os.environ["COMMENTS"], sys.argv[1:]
comments = json.load(open(store))
assert open(words[words.index("--config") + 1]).read() == 'header = "PRIVATE-TOKEN: secret"\\n'
assert "secret" not in " ".join(words)
with open(store + ".calls", "a") as log:
    log.write(json.dumps(words) + "\\n")
url = next(word for word in words if word.startswith("https://"))
method = words[words.index("--request") + 1] if "--request" in words else "GET"
body = next((open(word[5:]).read() for word in words if word.startswith("body@")), None)
if url.endswith("/user"):
    print(json.dumps({{"id": 7}}))
elif method == "POST":
    comments.append({{"id": len(comments), "body": body, "author": {{"id": 7}}}})
elif method == "PUT":
    comments[int(url.rsplit("/", 1)[1])]["body"] = body
else:
    page = int(url.rsplit("=", 1)[1])
    print(json.dumps(comments[page - 1 : page], indent=1))  # pages of one, so that paging is tried
json.dump(comments, open(store, "w"))
'''


def workflow():
    return yaml.safe_load((CI / "github.yml").read_text(encoding="utf-8"))


def pipeline():
    return yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8"))


def step(job, name):
    (found,) = (one for one in workflow()["jobs"][job]["steps"] if one.get("name") == name)
    return found


@pytest.fixture(scope="module")
def pythonpath():
    return os.pathsep.join(filter(None, (os.environ.get("PYTHONPATH", ""), str(ROOT))))


@pytest.fixture
def review(run, git):
    """The step that reviews, against the branch `main`."""

    def step_of(folder, **environment):
        return run(step("preview", "Review")["run"], folder, BASE=git(folder, "rev-parse", "main"), **environment)

    return step_of


def test_github_obeys_the_published_schema():
    check("vendor.github-workflows", CI / "github.yml")


def test_gitlab_obeys_the_published_schema():
    check("vendor.gitlab-ci", CI / "gitlab.yml", "--data-transform", "gitlab-ci")


def check(schema, file, *words):
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *words, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_wrong_workflow_does_not_obey(tmp_path):
    wrong = tmp_path / "github.yml"
    wrong.write_text((CI / "github.yml").read_text(encoding="utf-8").replace("runs-on:", "runs-at:"), encoding="utf-8")
    with pytest.raises(AssertionError):
        check("vendor.github-workflows", wrong)


def test_only_the_job_that_runs_nothing_of_the_change_may_write():
    jobs = workflow()["jobs"]
    assert workflow()["permissions"] == {}
    assert jobs["preview"]["permissions"] == {"contents": "read"}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    assert not [one for one in jobs["comment"]["steps"] if one.get("uses", "").startswith("actions/checkout")]
    assert workflow()[True].keys() == {"pull_request"}  # YAML's `on`
    token = pipeline()["storage-review"]["variables"]["TIERPLAN_NOTE_TOKEN"]
    assert (token, pipeline()["storage-note"]["variables"]["GIT_STRATEGY"]) == ("", "none")


def test_no_step_pastes_what_a_stranger_wrote_into_a_shell():
    scripts = [one["run"] for job in workflow()["jobs"].values() for one in job["steps"] if "run" in one]
    assert scripts
    assert not [script for script in scripts if "${{" in script]


def test_comments_are_written_also_when_the_preview_fails():
    jobs = workflow()["jobs"]
    assert jobs["comment"]["if"].startswith("always()")
    assert step("preview", "Summary")["if"] == "always()"
    assert pipeline()["storage-review"]["artifacts"]["when"] == "always"
    assert pipeline()["storage-note"]["rules"][0]["when"] == "always"


def test_what_both_install_is_there():
    install = step("preview", "Install")["run"]
    assert install == pipeline()["storage-review"]["script"][0] == "make environment"
    assert re.search(r"(?m)^environment:", (ROOT / "Makefile").read_text(encoding="utf-8"))
    both = (step("preview", "Review")["run"], pipeline()["storage-review"]["script"][1])
    assert all("bash examples/ci/review.sh " in line for line in both)


@pytest.mark.engine
@pytest.mark.usefixtures("engine")
def test_a_change_that_lowers_the_nodes_is_commented_and_red(run, change, review, branch):
    change(branch, "demo", 6)
    done = review(branch)
    assert done.returncode == 1, done.stderr
    text = (branch / "review" / "demo.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- tierplan:demo -->\n### tierplan: `demo` is refused 🔴\n")
    assert "cannot hold a 5+2 stripe" in text
    assert "| hot | nodes |  | 12 | 6 |" in text
    assert "Preview: 8 to create" in text or re.search(r"Preview: \d+ to create", text)
    verdict = json.loads((branch / "review" / "demo.json").read_text(encoding="utf-8"))
    assert verdict["verdict"] == "refused"
    assert "hot-layout" in {one["policy"] for one in verdict["refusals"]}
    findings = json.loads((branch / "review" / "code-quality.json").read_text(encoding="utf-8"))
    assert "blocker" in {one["severity"] for one in findings}
    assert not (branch / "review" / "refused-slow.md").exists()
    summary = branch / "review" / "summary"
    assert run(step("preview", "Summary")["run"], branch, GITHUB_STEP_SUMMARY=str(summary)).returncode == 0
    assert "`demo` is refused" in summary.read_text(encoding="utf-8")


@pytest.mark.engine
@pytest.mark.usefixtures("engine")
def test_a_harmless_change_is_green_and_an_expected_refusal_too(change, review, branch):
    change(branch, "demo", 14)
    change(branch, "refused-slow", 5)
    done = review(branch)
    assert done.returncode == 0, done.stderr
    assert "passes 🟢" in (branch / "review" / "demo.md").read_text(encoding="utf-8")
    assert "is refused 🔴" in (branch / "review" / "refused-slow.md").read_text(encoding="utf-8")


def test_a_stack_that_cannot_be_read_is_commented_with_its_faults(git, review, branch):
    path = branch / "stacks" / "Pulumi.demo.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("nodes: 12", "nodes: twelve"), encoding="utf-8")
    git(branch, "commit", "-qam", "broken")
    done = review(branch)
    assert done.returncode == 2, done.stderr
    text = (branch / "review" / "demo.md").read_text(encoding="utf-8")
    assert text.startswith("<!-- tierplan:demo -->\n### tierplan: `demo` was not judged ⚠️\n")
    assert "tiers.hot.nodes" in text


def test_a_stack_that_is_taken_away_is_red_unless_allowed(git, review, branch):
    git(branch, "rm", "-q", "stacks/Pulumi.demo.yaml")
    git(branch, "commit", "-qm", "gone")
    assert review(branch).returncode == 1
    assert "demo-hot" in (branch / "review" / "demo.md").read_text(encoding="utf-8")
    assert review(branch, TIERPLAN_ALLOW_REPLACE="demo-hot demo-cold").returncode == 0


@pytest.mark.engine
@pytest.mark.usefixtures("engine")
def test_what_is_waived_is_green_and_shown(git, review, branch):
    path = branch / "stacks" / "Pulumi.refused-slow.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("expect: refused", "expect: pass"), encoding="utf-8")
    rules = ("hot-write-bandwidth", "hot-phases", "survive-bandwidth")
    words = {"stack": "refused-slow", "reason": "ports arrive in May", "owner": "ops", "until": "2099-12-31"}
    rows = [{"rule": rule, **words} for rule in rules]
    (branch / "policies.json").write_text(json.dumps({"stack-waivers": {"waivers": rows}}), encoding="utf-8")
    git(branch, "add", ".")
    git(branch, "commit", "-qm", "waived")
    done = review(branch, TIERPLAN_POLICY_CONFIG="policies.json")
    text = (branch / "review" / "refused-slow.md").read_text(encoding="utf-8")
    assert done.returncode == 0, text + done.stderr
    assert "**Waived**" in text
    assert "waived until 2099-12-31 by ops: ports arrive in May" in text
    verdict = json.loads((branch / "review" / "refused-slow.json").read_text(encoding="utf-8"))
    assert verdict["verdict"] == "accepted"


def test_a_change_without_stacks_reviews_nothing(git, review, branch):
    (branch / "README.md").write_text("words\n", encoding="utf-8")
    git(branch, "add", ".")
    git(branch, "commit", "-qm", "words")
    done = review(branch)
    assert done.returncode == 0
    assert "touches no stack" in done.stderr


@pytest.fixture
def posting(tmp_path):
    """Stand-ins on PATH, and comments of others that must not be touched."""

    def prepare(name, source, comments):
        command = tmp_path / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(source.format(python=sys.executable), encoding="utf-8")
        command.chmod(0o755)
        store = tmp_path / "comments.json"
        store.write_text(json.dumps(comments), encoding="utf-8")
        (tmp_path / "review").mkdir(exist_ok=True)
        environment = {"PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}", "COMMENTS": str(store)}
        return environment, lambda: json.loads(store.read_text(encoding="utf-8"))

    return prepare


GITHUB = {
    "GH_TOKEN": "t",
    "REPOSITORY": "acme/storage",
    "PULL_REQUEST": "7",
    "RESULT": "failure",
    "RUN_URL": "https://run",
}
OTHERS = [
    {"body": "<!-- tierplan:demo -->\nsomebody else's", "login": "somebody"},
    {"body": "looks good", "login": "github-actions[bot]"},
]


def test_github_comments_once_and_brings_the_comment_up_to_date(run, tmp_path, posting):
    environment, comments = posting("gh", GH, OTHERS)
    script = step("comment", "Comment")["run"]
    for words in ("first", "second"):
        for stack in ("demo", "demo-2"):
            text = f"<!-- tierplan:{stack} -->\n{words} of {stack}"
            (tmp_path / "review" / f"{stack}.md").write_text(text, encoding="utf-8")
        done = run(script, tmp_path, **environment, **GITHUB)
        assert done.returncode == 0, done.stderr
    bodies = [one["body"] for one in comments()]
    assert bodies[:2] == [one["body"] for one in OTHERS]
    assert sorted(bodies[2:]) == [
        "<!-- tierplan:demo -->\nsecond of demo",
        "<!-- tierplan:demo-2 -->\nsecond of demo-2",
    ]


def test_github_says_that_nothing_was_judged(run, tmp_path, posting):
    environment, comments = posting("gh", GH, [])
    done = run(step("comment", "Comment")["run"], tmp_path, **environment, **GITHUB)
    assert done.returncode == 0, done.stderr
    (comment,) = comments()
    assert "nothing was judged" in comment["body"]
    assert "https://run" in comment["body"]
    good = GITHUB | {"RESULT": "success"}
    (tmp_path / "review" / "review.md").unlink()
    assert run(step("comment", "Comment")["run"], tmp_path, **environment, **good).returncode == 0
    assert len(comments()) == 1


def test_github_leaves_out_a_file_whose_marker_is_no_marker(run, tmp_path, posting):
    environment, comments = posting("gh", GH, [])
    (tmp_path / "review" / "a.md").write_text('<!-- tierplan:x") | env -->\n', encoding="utf-8")
    done = run(step("comment", "Comment")["run"], tmp_path, **environment, **GITHUB)
    assert (done.returncode, comments()) == (0, [])
    assert "has no marker" in done.stdout


def test_github_of_a_fork_falls_back_to_the_summary(run, tmp_path, posting):
    environment, _ = posting("gh", GH, [])
    (tmp_path / "review" / "demo.md").write_text("<!-- tierplan:demo -->\n", encoding="utf-8")
    done = run(step("comment", "Comment")["run"], tmp_path, FORBIDDEN="1", **environment, **GITHUB)
    assert done.returncode == 0
    assert "see the summary" in done.stdout


GITLAB = {
    "CI_API_V4_URL": "https://gitlab.example/api/v4",
    "CI_PROJECT_ID": "12",
    "CI_MERGE_REQUEST_IID": "7",
    "CI_PIPELINE_URL": "https://run",
    "TIERPLAN_NOTE_TOKEN": "secret",
}


def test_gitlab_writes_one_note_and_brings_it_up_to_date(run, tmp_path, posting):
    others = [
        {"id": 0, "body": "<!-- tierplan:demo -->\nsomebody else's", "author": {"id": 1}},
        {"id": 1, "body": "fine", "author": {"id": 7}},
    ]
    environment, notes = posting("curl", CURL, others)
    (script,) = pipeline()["storage-note"]["script"]
    for words in ("first", "second"):
        (tmp_path / "review" / "demo.md").write_text(f"<!-- tierplan:demo -->\n{words}", encoding="utf-8")
        done = run(script, tmp_path, **environment, **GITLAB)
        assert done.returncode == 0, done.stderr
    assert [note["body"] for note in notes()] == [*(one["body"] for one in others), "<!-- tierplan:demo -->\nsecond"]
    assert not (tmp_path / "token.conf").exists()


def test_gitlab_without_a_token_leaves_the_notes_in_the_artifacts(run, tmp_path, posting):
    environment, notes = posting("curl", CURL, [])
    (script,) = pipeline()["storage-note"]["script"]
    done = run(script, tmp_path, **environment, **(GITLAB | {"TIERPLAN_NOTE_TOKEN": ""}))
    assert (done.returncode, notes()) == (0, [])


def test_gitlab_says_that_nothing_was_judged(run, tmp_path, posting):
    environment, notes = posting("curl", CURL, [])
    (script,) = pipeline()["storage-note"]["script"]
    done = run(script, tmp_path, **environment, **GITLAB)
    assert done.returncode == 0, done.stderr
    assert "nothing was judged" in notes()[0]["body"]


def hook():
    (found,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize(("name", "code"), [("demo", 0), ("refused-slow", 0)])
def test_the_hook_runs_on_a_stack_file(name, code, pythonpath):
    program, *words = hook()["entry"].split()
    assert program == "tierplan"
    command = [sys.executable, "-c", "from tierplan.cli import main; main()", *words, f"stacks/Pulumi.{name}.yaml"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": pythonpath}, capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert len(done.stdout.splitlines()) == 1


def test_the_hook_finds_a_fault(tmp_path, pythonpath):
    wrong = tmp_path / "Pulumi.wrong.yaml"
    wrong.write_text("config:\n  tierplan:site: {kind: moon}\n", encoding="utf-8")
    words = hook()["entry"].split()[1:]
    command = [sys.executable, "-c", "from tierplan.cli import main; main()", *words, str(wrong)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": pythonpath}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert f"{wrong}:2: site.kind" in done.stderr


def test_the_hook_is_one_that_pre_commit_knows():
    assert hook().keys() >= {"id", "name", "entry", "language", "files"}
    assert hook()["language"] == "python"
    chosen = re.compile(hook()["files"])
    assert chosen.search("stacks/Pulumi.demo.yaml")
    assert not chosen.search("Pulumi.yaml")
