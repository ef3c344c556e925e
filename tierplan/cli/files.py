"""Single files that a verb writes: asked about before anything is planned, and one clear line where they cannot be."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from tierplan.errors import InputError


def ready(path: Path | None, option: str) -> None:
    """
    Make sure that a file can be written here; no folder is made for it, and nothing is left behind.

    Raises:   InputError if the folder is not there, or the file cannot be written
    """
    if path is None:
        return
    try:
        if path.is_dir():
            message = f"{option} {path}: cannot be written: is a folder; name a file in it"
            raise InputError(message)
        if not path.parent.is_dir():
            message = f"{option} {path}: cannot be written: there is no folder {path.parent}; make it first"
            raise InputError(message)
        _opened(path)
    except (OSError, ValueError) as error:
        raise refused(path, option, error) from None


def write(path: Path, text: str, option: str) -> None:
    """
    Write a text file.

    Raises:   InputError if the folder is not there, or the file cannot be written
    """
    ready(path, option)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise refused(path, option, error) from None


def refused(path: Path, option: str, error: OSError | ValueError) -> InputError:
    """What to raise where a file cannot be written, though it looked so before."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else error
    return InputError(f"{option} {path}: cannot be written ({reason}); choose another place")


def _opened(path: Path) -> None:
    """Open the file for writing; devices and pipes are left alone, for opening one may wait for ever."""
    if path.is_file():
        path.open("ab").close()
    elif not path.exists():
        with suppress(FileExistsError):  # a link to a file that is not there yet
            path.open("xb").close()
            path.unlink()
