"""The newcomer's walk is true: every command is run, as it stands on the page, with a real fio run among them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "walk.md"
BLOCK = re.compile(r"^```(?P<kind>console|json) ?(?P<file>\S*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MEASURED = re.compile(r"^\s*local-(write|read)\s")
MOST = 64 << 20
FIO = shutil.which("fio")


def blocks() -> list[tuple[str, str, str]]:
    return [(one["kind"], one["file"], one["text"]) for one in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a block with the lines that the page shows of what it says."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    yield from found


def masked(line: str) -> str:
    """A line without what only this machine's disk knows."""
    line = " ".join(line.split())
    return re.sub(r"[\d.]+ [kMG]?B/s", "RATE", line, count=1) if MEASURED.match(line) else line


def check(command: str, shown: list[str], said: str) -> None:
    """What is shown is what was said: in this order, nothing left out but where `…` stands."""
    lines, at, gap = [masked(one) for one in said.splitlines()], 0, False
    for line in shown:
        if line == "…":
            gap = True
            continue
        wanted = masked(line)
        places = [place for place in range(at, len(lines)) if lines[place] == wanted]
        assert places, f"$ {command}: no line {line!r} in\n{said}"
        assert gap or places[0] == at, f"$ {command}: something stands before {line!r} in\n{said}"
        at, gap = places[0] + 1, False
    assert gap or at == len(lines), f"$ {command}: said more than the page shows:\n{said}"


@pytest.mark.skipif(FIO is None, reason="fio is not installed: the walk runs it for real")
def test_every_command_of_the_walk_does_what_the_page_says(tmp_path: Path) -> None:
    variables = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "COLUMNS": "100"}
    ran = []
    for kind, file, text in blocks():
        if kind == "json":
            place = tmp_path / file
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            continue
        for command, shown in commands(text):
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=variables, text=True, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            assert done.returncode == 0, f"$ {command}\n{done.stdout}"
            check(command, shown, done.stdout)
            ran.append(command.split()[:2])
    verbs = {words[1] for words in ran if words[0] == "tierplan"}
    assert verbs == {"init", "plan", "explain", "compare", "pin", "bench", "verify", "diff", "report"}
    moved = measured(tmp_path / "kit" / "results" / "local.json")
    assert 0 < moved <= MOST
    assert list((tmp_path / "scratch").iterdir()) == []


def measured(result: Path) -> int:
    """Bytes that fio wrote, by its own result."""
    text = result.read_text(encoding="utf-8")
    return sum(job["write"]["io_bytes"] for job in json.loads(text[text.find("{") :])["jobs"])


def test_what_the_page_claims_is_checked() -> None:
    """A line that is not there, one too many and one out of order are told."""
    check("x", ["a", "…", "c"], "a\nb\nc\n")
    for shown in (["a", "c"], ["…", "d"], ["…", "c", "…", "a"], ["a"]):
        with pytest.raises(AssertionError):
            check("x", shown, "a\nb\nc\n")
