"""What the make targets would run; nothing is run but `make` itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def make(*words: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    # A make above this one hands down its own flags and variables.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    for name in ("STACK", "ARGS", "PYTHON"):
        env.pop(name, None)
    if path is not None:
        env["PATH"] = path
    return subprocess.run(
        ["/usr/bin/env", "make", *words], cwd=ROOT, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("preview",), 'scripts/preview.py "demo"'),
        (("preview", "STACK=refused-slow"), 'scripts/preview.py "refused-slow"'),
        (("preview", "STACK=all", "ARGS=--json"), 'scripts/preview.py "all" --json'),
        (("test",), ".venv/bin/pytest -n 2"),
        (("check",), '.venv/bin/pytest -n 2 -m "not engine"'),
        (("lock", "ARGS=--upgrade"), "scripts/compile_lock.py --upgrade"),
        (("bench",), "cold_plan warm_plan scale rules_resources fabric sweep real_preview"),
    ],
)
def test_target_makes_the_environment_first_and_then_runs(words: tuple[str, ...], expected: str) -> None:
    done = make("--dry-run", *words)
    assert done.returncode == 0
    assert expected in done.stdout
    assert done.stdout.index("scripts/environment.py .venv") < done.stdout.index(expected)


def test_test_is_every_static_check_and_all_tests() -> None:
    said = make("--dry-run", "test").stdout
    for part in ("ruff format --check .", "ruff check .", "bin/mypy", "lint-imports", "scripts/engine.py"):
        assert part in said
    assert "not engine" not in said


def test_check_needs_no_engine() -> None:
    assert "scripts/engine.py" not in make("--dry-run", "check").stdout


def test_without_python_one_line_says_so(tmp_path: Path) -> None:
    (tmp_path / "make").symlink_to(shutil.which("make") or "make")
    done = make("environment", path=str(tmp_path))
    assert done.returncode != 0
    assert "tierplan needs Python 3.11 or newer on PATH" in done.stderr


def test_help_lists_every_public_target() -> None:
    said = make("help").stdout
    for target in ("preview", "test", "check", "engine", "bench", "lock", "clean"):
        assert f"make {target} " in said
