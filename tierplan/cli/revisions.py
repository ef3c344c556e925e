"""Stack files of another git revision: read as they were, with the files that they name."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tierplan import load
from tierplan.errors import EngineError, InputError
from tierplan.load.places import MOST_BYTES

NAMED = ("prices",)
"""Keys of a stack that name a file which changes the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A git work tree."""

    root: Path

    def has(self, revision: str) -> bool:
        """Whether git knows this revision."""
        return (
            _git(self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
            is not None
        )

    def text(self, revision: str, path: str) -> bytes | None:
        """What a file held in a revision; None where it was not there, or was no file."""
        name = f"{revision}:{path}"
        if (_git(self.root, "cat-file", "-t", name) or b"").strip() != b"blob":
            return None
        size = int((_git(self.root, "cat-file", "-s", name) or b"0").strip())
        return b" " * (MOST_BYTES + 1) if size > MOST_BYTES else _git(self.root, "cat-file", "blob", name)

    def relative(self, path: Path) -> str:
        """A path as git has it."""
        try:
            return path.parent.resolve().joinpath(path.name).relative_to(self.root).as_posix()
        except ValueError:
            message = f"{path}: is not inside the git work tree {self.root}"
            raise InputError(message) from None


def repository(folder: Path) -> Repository:
    """
    The work tree that a folder is in.

    Raises:   InputError if it is in none, EngineError if there is no git
    """
    found = _git(folder, "rev-parse", "--show-toplevel")
    if found is None:
        message = f"{folder}: is no git work tree, so no revision can be compared; name two stack files instead"
        raise InputError(message)
    return Repository(root=Path(os.fsdecode(found).rstrip("\n")).resolve())


def checked(repo: Repository, revision: str) -> str:
    """
    The revision, if there is one of this name.

    Raises:   InputError if there is none
    """
    if revision.startswith("-") or not re.fullmatch(r"[^\s:\0]{1,250}", revision) or not repo.has(revision):
        message = f'no git revision "{revision}"; name a branch, a tag or a commit that was fetched (git log --all)'
        raise InputError(message)
    return revision


@contextmanager
def as_it_was(repo: Repository, revision: str, path: str) -> Iterator[Path | None]:
    """
    A stack file of a revision, beside it the files that it names, in a folder that goes away again.

    None if the revision has no such file.  Faults speak of ``revision:path``.
    """
    text = repo.text(revision, path)
    if text is None:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="tierplan-") as folder:
        file = _write(Path(folder), path, text)
        try:
            _write_named(repo, revision, path, Path(folder))
            yield file
        except InputError as error:
            raise InputError(fault.replace(f"{folder}{os.sep}", f"{revision}:") for fault in error.faults) from None


def _write_named(repo: Repository, revision: str, path: str, folder: Path) -> None:
    stack = load.read_stack(folder / path)
    for key in NAMED:
        named = getattr(stack, key, None)
        if not isinstance(named, str) or Path(named).is_absolute():
            continue
        other = os.path.normpath(os.path.join(os.path.dirname(path), named)).replace(os.sep, "/")  # noqa: PTH118, PTH120
        text = None if other.startswith("../") else repo.text(revision, other)
        if text is not None:
            _write(folder, other, text)


def _write(folder: Path, path: str, text: bytes) -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text)
    return file


def _git(folder: Path, *words: str) -> bytes | None:
    """What git prints; None where it fails."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)  # noqa: S603, S607  # the user's own git
    except OSError as error:
        message = f"git cannot be started ({error.strerror}); name two stack files instead"
        raise EngineError(message) from None
    return done.stdout if done.returncode == 0 else None
