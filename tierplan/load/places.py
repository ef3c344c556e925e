"""Where stack files are: by name beside `Pulumi.yaml`, by path, or on standard input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load.document import UnreadableError, read_document
from tierplan.load.faults import nearest, shortened
from tierplan.load.read import stack_from_text

if TYPE_CHECKING:
    from tierplan.domain.hosts import Hosts

MOST_BYTES = 1 << 20
MOST_NAMES = 10
_STACK_FILE = re.compile(r"Pulumi\.([A-Za-z0-9_.-]{1,100})\.(?:yaml|yml|json)")
_PROJECT_FILES = ("Pulumi.yaml", "Pulumi.yml", "Pulumi.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A stack file: its stack's name, its path (None: standard input) and what messages call it."""

    name: str
    path: Path | None
    where: str


def read_stack(stack: str | os.PathLike[str]) -> Stack:
    """
    The stack of a name (``demo``), of a path, or of ``-``: standard input.

    A name is looked up where Pulumi does: ``stackConfigDir`` of the nearest ``Pulumi.yaml``, or ``stacks``.

    Raises:   InputError with one line for each fault
    """
    place = _place(os.fspath(stack))
    return calibrated(stack_from_text(_text(place), name=place.name, where=place.where), beside(stack))


def calibrated(stack: Stack, folder: Path) -> Stack:
    """
    The stack with what its calibration file holds; the file is looked up in this folder.

    Raises:   InputError with one line for each fault of the file
    """
    if stack.calibration is None:
        return stack
    from tierplan.load.calibration import read_calibration  # noqa: PLC0415  # for those who have measured

    return replace(stack, calibrated=read_calibration(folder / stack.calibration))


def stack_names() -> tuple[str, ...]:
    """Every stack that has a file in the project's folder of stacks."""
    return tuple(sorted(_stack_files()))


def read_hosts(stack: Stack, source: str | os.PathLike[str]) -> Hosts | None:
    """
    The hosts file that a stack names, looked up beside the stack file that `source` (name, path or ``-``) means.

    Raises:   InputError with one line for each fault
    """
    if stack.operations.hosts is None:
        return None
    from tierplan.load.hosts import read_hosts_file  # noqa: PLC0415  # only who renders files needs it

    path = beside(source) / stack.operations.hosts
    return read_hosts_file(path, shown_as=_shown(path))


def stack_file(stack: str | os.PathLike[str]) -> tuple[str, str, str]:
    """
    Name, place in messages and text of the stack file that a name, a path or ``-`` means.

    Raises:   InputError if it cannot be read
    """
    place = _place(os.fspath(stack))
    return place.name, place.where, _text(place)


def beside(source: str | os.PathLike[str]) -> Path:
    """The folder of the stack file that a name, a path or ``-`` means: what it names lies there."""
    place = _place(os.fspath(source))
    return place.path.parent if place.path else Path()


def stack_path(source: str | os.PathLike[str]) -> Path | None:
    """
    The file that a name or a path means; None for standard input.

    Raises:   InputError if there is no such stack
    """
    return _place(os.fspath(source)).path


def stack_folder() -> Path:
    """The folder where stack files are looked up by name."""
    return _stack_folder()


def _place(stack: str) -> _Place:
    if stack == "-":
        return _Place(name="stdin", path=None, where="stdin")
    files = _stack_files()
    if stack in files:
        return _Place(name=stack, path=files[stack], where=_shown(files[stack]))
    path = Path(stack)
    if not stack or "\0" in stack or not (_looks_like_path(stack) or path.exists()):
        message = f'no stack "{shortened(stack)}"; {nearest(stack, files)}{_there(sorted(files))}'
        raise InputError(_one_line(message))
    match = _STACK_FILE.fullmatch(path.name)
    return _Place(name=match[1] if match else path.stem, path=path, where=_one_line(stack))


def _there(names: Sequence[str]) -> str:
    """The stacks of the project, as many as a line bears."""
    if not names:
        return "no stacks here; tierplan init writes one"
    more = f", … and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"stacks here: {', '.join(names[:MOST_NAMES])}{more}"


def _looks_like_path(stack: str) -> bool:
    return "/" in stack or os.sep in stack or stack.endswith((".yaml", ".yml", ".json"))


def _stack_files() -> Mapping[str, Path]:
    """Stack name -> file, in the folder where Pulumi looks for them."""
    folder = _stack_folder()
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return {}
    return {match[1]: path for path in paths if (match := _STACK_FILE.fullmatch(path.name))}


def _stack_folder() -> Path:
    here = Path.cwd()
    for folder in (here, *here.parents):
        for name in _PROJECT_FILES:
            if (folder / name).is_file():
                return folder / (_config_folder(folder / name) or "stacks")
    return here / "stacks"


def _config_folder(project: Path) -> str | None:
    """What a Pulumi project says; `config` holding a text is the older spelling. A broken one says nothing."""
    try:
        value = read_document(project.read_text(encoding="utf-8")).value
    except (OSError, UnicodeDecodeError, UnreadableError):
        return None
    if not isinstance(value, dict):
        return None
    folder = value.get("stackConfigDir") or value.get("config")
    return folder if isinstance(folder, str) else None


def _text(place: _Place) -> str:
    try:
        data = _bytes(place)
    except OSError as error:
        message = f"{place.where}: cannot be read: {error.strerror or error}; name a stack file"
        raise InputError(message) from None
    except ValueError as error:  # a path that no system can have
        message = f"{place.where}: is no path: {error}"
        raise InputError(message) from None
    if len(data) > MOST_BYTES:
        message = f"{place.where}: is larger than 1 MiB; a stack file is some tens of lines"
        raise InputError(message)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"{place.where}:{line}: is not UTF-8 text; save it as UTF-8"
        raise InputError(message) from None


def _bytes(place: _Place) -> bytes:
    """At most one byte more than is allowed: a device may never end."""
    if place.path is None:
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    if place.path.is_dir():
        message = f"{place.where}: is a folder; name a stack file in it"
        raise InputError(message)
    with place.path.open("rb") as file:
        return file.read(MOST_BYTES + 1)


def _shown(path: Path) -> str:
    """Relative to where one stands, as short as that is."""
    return _one_line(os.path.relpath(path))


def _one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f]", "?", text)
