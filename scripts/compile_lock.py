"""
Write requirements/dev.lock from the ranges of pyproject.toml: every package by version and hash, no index named.

`--upgrade` takes the newest versions that the ranges allow; without it what is locked stays where it may.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "dev.lock"


def ranges(pyproject: Path = ROOT / "pyproject.toml") -> list[str]:
    """Every direct dependency: to run, with the `pulumi` extra, to build and to develop."""
    read = tomllib.loads(pyproject.read_text(encoding="utf-8"))
    project = read["project"]
    return sorted(
        {
            *project["dependencies"],
            *project["optional-dependencies"]["pulumi"],
            *read["build-system"]["requires"],
            *read["dependency-groups"]["dev"],
        }
    )


def tidy(text: str) -> str:
    """
    The lock file as it is kept: comments that name this project instead of standard input.

    Raises:   ValueError where a line names an index, a folder or an address
    """
    text = text.replace("# via -r -", "# via pyproject.toml").replace("#   -r -", "#   pyproject.toml")
    for line in text.splitlines():
        if "://" in line or re.match(r"\s*(-i|-f|--(index-url|extra-index-url|find-links|trusted-host))\b", line):
            message = f"the lock file would name a place: {line}"
            raise ValueError(message)
    return text


def main(words: list[str]) -> int:
    """Compile beside the lock file, then take its place at once."""
    env = {name: value for name, value in os.environ.items() if name != "PIP_FIND_LINKS"}
    env["CUSTOM_COMPILE_COMMAND"] = "make lock"
    with tempfile.TemporaryDirectory(dir=LOCK.parent) as folder:
        fresh = Path(folder) / LOCK.name
        fresh.write_text(LOCK.read_text(encoding="utf-8") if LOCK.exists() else "", encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "piptools",
            "compile",
            "--quiet",
            "--generate-hashes",
            "--allow-unsafe",
            "--strip-extras",
            "--no-emit-index-url",
            "--no-emit-trusted-host",
            "--no-emit-find-links",
            "--no-emit-options",
            *words,
            "--output-file",
            str(fresh),
            "-",
        ]
        done = subprocess.run(command, input="\n".join(ranges()), text=True, env=env, check=False)
        if done.returncode == 0:
            fresh.write_text(tidy(fresh.read_text(encoding="utf-8")), encoding="utf-8")
            fresh.replace(LOCK)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
