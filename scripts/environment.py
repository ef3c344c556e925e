"""
Make the Python environment: `python3 scripts/environment.py FOLDER` fills it from the lock file, and only when needed.

Made anew when the lock file or the interpreter changed; tierplan itself is put in again when pyproject.toml changed;
else nothing is done. The mark is written last, so an interrupted run is simply run again; two at once wait in turn.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import locks

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements" / "dev.lock"
PROJECT = ROOT / "pyproject.toml"
MARK = "tierplan-environment.json"


class EnvironmentFaultError(Exception):
    """The environment cannot be made; the message says what to do."""


def make(folder: Path) -> None:
    """
    Bring the environment to the state that the lock file and pyproject.toml describe.

    Raises:   EnvironmentFaultError with one clear line
    """
    packages, project = wanted()
    with locks.exclusive(folder.with_name(f"{folder.name}.lock"), waiting_for=f"another command that makes {folder}"):
        have = _mark(folder)
        if have == {"packages": packages, "project": project}:
            return
        (folder / MARK).unlink(missing_ok=True)
        if have.get("packages") != packages:
            _packages(folder)
        _project(folder)
        (folder / MARK).write_text(json.dumps({"packages": packages, "project": project}), encoding="utf-8")


def wanted() -> tuple[str, str]:
    """Digests of what the packages and what tierplan's own entry depend on."""
    interpreter = f"{sys.version} {Path(sys.executable).resolve()}"
    return _digest(LOCK.read_bytes(), interpreter.encode()), _digest(PROJECT.read_bytes(), str(ROOT).encode())


def _digest(*parts: bytes) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _mark(folder: Path) -> dict[str, str]:
    try:
        found: dict[str, str] = json.loads((folder / MARK).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found


def _packages(folder: Path) -> None:
    started = time.monotonic()
    print(f"making {folder} from {LOCK.relative_to(ROOT)} …", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _run(
        [Path(sys.executable).resolve(), "-m", "venv", folder],  # not the one inside the folder, if that one runs this
        "this Python cannot make environments: install its venv module (Debian, Ubuntu: apt-get install python3-venv)",
    )
    _run(
        [
            folder / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-warn-script-location",
            "--require-hashes",
            "-r",
            LOCK,
        ],
        "the packages of the lock file could not be installed: is the package index reached?",
    )
    print(f"made {folder} in {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)


def _project(folder: Path) -> None:
    """Put tierplan in, editable; what builds it is in the lock file, so no index is asked."""
    _run(
        [
            folder / "bin" / "python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-index",
            "--no-deps",
            "--no-build-isolation",
            "--editable",
            ROOT,
        ],
        "tierplan itself could not be installed",
    )


def _run(command: Sequence[str | Path], fault: str) -> None:
    try:
        subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise EnvironmentFaultError(fault) from error


def main(words: Sequence[str]) -> int:
    """Make the folder that is named; 3 where that cannot be done."""
    if sys.version_info < (3, 11):  # noqa: UP036  # the one place that an older Python may reach
        print("tierplan needs Python 3.11 or newer; this is " + sys.version.split()[0], file=sys.stderr)
        return 3
    try:
        make(Path(words[0]).absolute())
    except EnvironmentFaultError as error:
        print(error, file=sys.stderr)
        return 3
    except OSError as error:
        print(f"{words[0]}: {error.strerror or error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
