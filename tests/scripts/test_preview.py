"""Names, files and exit codes of the preview command; the engine itself is proved in tests/engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import preview
import pulumi_run
from verdict import Outcome, Verdict, Violation


@pytest.fixture
def stacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two stacks that read well, and no engine: whatever would start one is replaced."""
    for name, expect in (("demo", "pass"), ("refused-slow", "refused")):
        (tmp_path / f"Pulumi.{name}.yaml").write_text(f"config:\n  tierplan:expect: {expect}\n")
    monkeypatch.setattr(preview, "STACKS", tmp_path)
    monkeypatch.setattr(preview, "check", lambda path: path.read_text().split()[-1])
    monkeypatch.setattr(preview, "_project", lambda: None)
    return tmp_path


def answer(monkeypatch: pytest.MonkeyPatch, **verdicts: Verdict) -> None:
    def stand_in(_project: object, stack: str, *_: object, **__: object) -> Outcome:
        found = verdicts[stack.replace("-", "_")]
        said = Violation(policy="hot-capacity", level="mandatory", resource="urn", message="too small")
        return Outcome(verdict=found, reason="why", refusals=(said,) if found is Verdict.REFUSED else ())

    monkeypatch.setattr(pulumi_run, "preview", stand_in)


def test_unknown_stack_is_bad_input_that_lists_the_names(stacks: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert stacks
    assert preview.main(["demmo"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "stack 'demmo' is neither one of demo, refused-slow, nor a file; did you mean demo?\n"


def test_stack_is_a_name_or_a_file(stacks: Path, tmp_path: Path) -> None:
    assert preview.locate("demo") == ("demo", stacks / "Pulumi.demo.yaml")
    mine = tmp_path / "our cluster.yaml"
    mine.write_text("config: {}\n")
    assert preview.locate(str(mine)) == ("our-cluster", mine)


@pytest.mark.parametrize(("verdict", "code"), [(Verdict.ACCEPTED, 0), (Verdict.REFUSED, 1), (Verdict.FAULT, 3)])
def test_verdict_is_the_exit_code(stacks: Path, monkeypatch: pytest.MonkeyPatch, verdict: Verdict, code: int) -> None:
    assert stacks
    answer(monkeypatch, demo=verdict)
    assert preview.main(["demo"]) == code


def test_json_is_alone_on_standard_output(
    stacks: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stacks
    answer(monkeypatch, demo=Verdict.REFUSED)
    assert preview.main(["demo", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["schema"], said["stack"], said["verdict"]) == ("tierplan/preview/1", "demo", "refused")
    assert said["refusals"][0]["policy"] == "hot-capacity"


@pytest.mark.parametrize(
    ("demo", "slow", "code"),
    [
        (Verdict.ACCEPTED, Verdict.REFUSED, 0),
        (Verdict.REFUSED, Verdict.REFUSED, 1),
        (Verdict.ACCEPTED, Verdict.ACCEPTED, 1),
        (Verdict.ACCEPTED, Verdict.FAULT, 3),
    ],
)
def test_all_is_right_when_each_is_what_it_says(
    stacks: Path, monkeypatch: pytest.MonkeyPatch, demo: Verdict, slow: Verdict, code: int
) -> None:
    assert stacks
    answer(monkeypatch, demo=demo, refused_slow=slow)
    assert preview.main(["all"]) == code


def test_fault_of_the_engine_is_one_line_and_3(
    stacks: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert stacks

    def broken(*_: object, **__: object) -> Outcome:
        message = "pulumi cannot be started"
        raise pulumi_run.EngineFaultError(message)

    monkeypatch.setattr(pulumi_run, "preview", broken)
    assert preview.main(["demo"]) == 3
    assert capsys.readouterr().err == "pulumi cannot be started\n"


def project(tmp_path: Path) -> pulumi_run.Project:
    return pulumi_run.Project(root=tmp_path, engine=tmp_path / "bin", state=tmp_path / "state")


def test_engine_sees_nothing_of_the_callers_pulumi(tmp_path: Path) -> None:
    outer = {"PATH": "/usr/bin", "HOME": "/home/me", "PULUMI_ACCESS_TOKEN": "secret", "PULUMI_STACK": "prod"}
    seen = pulumi_run.environment(project(tmp_path), outer)
    assert "PULUMI_ACCESS_TOKEN" not in seen
    assert "PULUMI_STACK" not in seen
    assert seen["HOME"] == "/home/me"
    assert seen["PULUMI_CONFIG_PASSPHRASE"] == ""
    assert seen["PATH"].split(":")[1:3] == [str(tmp_path / "bin"), "/usr/bin"]


def for_engine(tmp_path: Path, text: str) -> tuple[str, dict[str, str]]:
    """The copy's text and the engine's environment; the stack file itself must stay as it was."""
    stack_file = tmp_path / "Pulumi.x.yaml"
    stack_file.write_text(text)
    (tmp_path / "copy").mkdir(exist_ok=True)
    env = {"PULUMI_CONFIG_PASSPHRASE": ""}
    copy = pulumi_run.for_engine(stack_file, tmp_path / "copy", env)
    assert stack_file.read_text() == text
    return copy.read_text(), env


def test_stack_file_without_salt_gets_one_in_the_copy_only(tmp_path: Path) -> None:
    copied, _ = for_engine(tmp_path, "config:\n  a:b: 70e9")
    assert copied == f"config:\n  a:b: 70e9\nencryptionsalt: {pulumi_run.SALT}\n"


@pytest.mark.parametrize(
    "line", [f"encryptionsalt: {pulumi_run.SALT}", f'encryptionsalt: "{pulumi_run.SALT}"  # of the empty passphrase']
)
def test_our_salt_means_the_empty_passphrase_whatever_the_caller_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "theirs")
    copied, env = for_engine(tmp_path, f"{line}\nconfig: {{}}\n")
    assert (copied, env["PULUMI_CONFIG_PASSPHRASE"]) == (f"{line}\nconfig: {{}}\n", "")


def test_own_salt_is_opened_by_the_callers_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "theirs")
    _, env = for_engine(tmp_path, "encryptionsalt: v1:other\nconfig: {}\n")
    assert env == {"PULUMI_CONFIG_PASSPHRASE": "theirs"}


def test_project_without_name_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("runtime: python\n")
    with pytest.raises(pulumi_run.EngineFaultError, match="names no project"):
        project(tmp_path).name()
