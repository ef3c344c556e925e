"""Each benchmark runs, once round; its times are for `make bench`, not for a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def run(name: str, env: dict[str, str] | None = None) -> dict[str, object]:
    command: list[str | Path] = [sys.executable, BENCHMARKS / f"{name}.py", "1"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr  # 1: a bar is missed, which on a busy machine proves nothing
    assert done.stdout.count("\n") == 1, done.stderr
    said: dict[str, object] = json.loads(done.stdout)
    return said


@pytest.mark.parametrize("name", ["cold_plan", "warm_plan", "scale", "fabric", "rules_resources"])
def test_benchmark_prints_its_line(name: str) -> None:
    assert run(name)["benchmark"] == name


@pytest.mark.engine
def test_preview_benchmark_prints_its_line(engine: Path) -> None:
    said = run("real_preview", {**os.environ, "PATH": f"{engine}{os.pathsep}{os.environ['PATH']}"})
    assert said["benchmark"] == "real_preview"
