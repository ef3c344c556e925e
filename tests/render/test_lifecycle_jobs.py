"""The checkpoint job, run for real; and what hot tiers run that do not move data by themselves."""

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

import pytest

from tierplan import plan as planning
from tierplan.domain.stack import LifecyclePins, TierPins
from tierplan.load import catalogue, read_stack
from tierplan.render import render
from tierplan.units import duration

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def on_aws():
    """Every rendered file of the shipped stack on AWS."""
    return render(planning.make_plan(read_stack(str(ROOT / "stacks" / "Pulumi.aws-fsx.yaml")), catalogue()), None)


@pytest.fixture
def job(on_aws, tmp_path):
    """The rendered job as a module."""
    path = tmp_path / "checkpoints.py"
    path.write_text(on_aws["80-lifecycle/03-checkpoints.py"])
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


# --- what other hot tiers run ---


@pytest.fixture(scope="module")
def files_with():
    """The demo stack with another hot tier and data that is handed over after 45 days: every rendered file."""

    def run(hot, **options):
        stack = read_stack(str(ROOT / "stacks" / "Pulumi.demo.yaml"))
        pins = replace(
            stack.tiers,
            hot=TierPins(backend=hot, options=options),
            lifecycle=LifecyclePins(warm_after=duration("45 d")),
        )
        plan = planning.make_plan(replace(stack, tiers=pins), catalogue())
        assert planning.verdict(planning.judge(plan)) == "pass"
        return render(plan, None)

    return run


def test_lustre_archives_by_hsm_and_never_deletes(files_with):
    text = files_with("lustre", hsm=True)["80-lifecycle/04-lustre-hsm.sh"]
    assert "--atime +45 " in text
    assert text.index("lfs hsm_archive") < text.index("lfs hsm_release")
    assert not re.search(r"\brm\b|hsm_remove", text)


def test_storage_scale_lists_files_of_that_age(files_with):
    files = files_with("storage-scale")
    assert "> 45" in files["30-hot-storage-scale-after-cold/02-cold-files.txt"]


def test_juicefs_takes_the_commands(files_with, tmp_path):
    """The real program, with a file store: the class of a directory is set, and said back."""
    program = Path(sys.executable).parent / "juicefs"
    if not program.exists():
        pytest.skip("juicefs is not installed")
    script = tmp_path / "tier.sh"
    script.write_text(files_with("juicefs")["80-lifecycle/04-juicefs-tier.sh"])
    meta = f"sqlite3://{tmp_path / 'meta.db'}"
    env = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "TIERPLAN_META": meta}
    env["TIERPLAN_CLASS"] = "STANDARD_IA"
    made = ["juicefs", "format", meta, "test", "--storage", "file", "--bucket", str(tmp_path / "data")]
    subprocess.run(made, check=True, capture_output=True, env=env, timeout=60)
    done = subprocess.run(["bash", script, "/"], check=True, capture_output=True, text=True, env=env, timeout=60)
    assert re.search(r"1 \| STANDARD_IA", done.stdout + done.stderr)
