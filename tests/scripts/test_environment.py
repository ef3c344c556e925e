"""The environment is made when its inputs changed, and only then; making it for real is every run's own proof."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import environment


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would have been run, in a project of the test's own."""
    steps: list[str] = []
    (tmp_path / "dev.lock").write_text("one==1\n")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    monkeypatch.setattr(environment, "LOCK", tmp_path / "dev.lock")
    monkeypatch.setattr(environment, "PROJECT", tmp_path / "pyproject.toml")

    def run(command: list[str | Path], _fault: str) -> None:
        words = [str(word) for word in command]
        steps.append(next(word for word in ("venv", "--require-hashes", "--editable") if word in words))
        (tmp_path / ".venv").mkdir(exist_ok=True)

    monkeypatch.setattr(environment, "_run", run)
    return steps


ALL = ["venv", "--require-hashes", "--editable"]


def test_second_run_does_nothing(tmp_path: Path, made: list[str]) -> None:
    environment.make(tmp_path / ".venv")
    environment.make(tmp_path / ".venv")
    assert made == ALL


def test_changed_lock_makes_it_anew(tmp_path: Path, made: list[str]) -> None:
    environment.make(tmp_path / ".venv")
    (tmp_path / "dev.lock").write_text("one==2\n")
    environment.make(tmp_path / ".venv")
    assert made == ALL * 2


def test_touched_but_equal_files_do_not(tmp_path: Path, made: list[str]) -> None:
    environment.make(tmp_path / ".venv")
    (tmp_path / "dev.lock").touch()
    environment.make(tmp_path / ".venv")
    assert made == ALL


def test_changed_project_file_puts_only_the_project_in_again(tmp_path: Path, made: list[str]) -> None:
    environment.make(tmp_path / ".venv")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    environment.make(tmp_path / ".venv")
    assert made == [*ALL, "--editable"]


def test_another_interpreter_makes_it_anew(tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    environment.make(tmp_path / ".venv")
    monkeypatch.setattr(sys, "version", "3.99.0")
    environment.make(tmp_path / ".venv")
    assert made == ALL * 2


def test_interrupted_run_is_run_again(tmp_path: Path, made: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    run = environment._run  # noqa: SLF001

    def interrupt(command: list[str | Path], fault: str) -> None:
        if "--editable" in command:
            raise KeyboardInterrupt
        run(command, fault)

    monkeypatch.setattr(environment, "_run", interrupt)
    assert environment.main([str(tmp_path / ".venv")]) == 130
    monkeypatch.setattr(environment, "_run", run)
    assert environment.main([str(tmp_path / ".venv")]) == 0
    assert made == [*ALL[:2], *ALL]


def test_failing_step_is_one_line_and_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_command: list[str | Path], fault: str) -> None:
        raise environment.EnvironmentFaultError(fault)

    monkeypatch.setattr(environment, "_run", fail)
    assert environment.main([str(tmp_path / "x")]) == 3
    assert "install its venv module" in capsys.readouterr().err.splitlines()[-1]


def test_older_python_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    monkeypatch.setattr(sys, "version", "3.10.4 (main)")
    assert environment.main(["x"]) == 3
    assert capsys.readouterr().err == "tierplan needs Python 3.11 or newer; this is 3.10.4\n"
