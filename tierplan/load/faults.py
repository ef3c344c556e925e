"""Faults collected while a stack is read, and the one line that each of them becomes."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tierplan.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong; `path` is a key path of the form, ``""`` for the file as a whole."""

    path: str
    message: str
    line: int | None = None
    meant: str | None = None
    """The known key that a misspelt one probably stands for: it is not missed beside it."""


def input_error(faults: Iterable[Fault], *, where: str, lines: Mapping[str, int]) -> InputError:
    """All faults as lines, in the order of the file."""
    located = [(fault.line or _line(fault.path, lines), fault) for fault in faults]
    located.sort(key=lambda pair: pair[0] or 0)
    return InputError(dict.fromkeys(_text(fault, line, where) for line, fault in located))


def join(path: str, key: str | int) -> str:
    """The path of a key, or of an item, below `path`."""
    if isinstance(key, int):
        return f"{path}[{key}]"
    return f"{path}.{key}" if path else key


def parent(path: str) -> str:
    """The path of the block that holds this one."""
    return path[: max(0, path.rfind("."), path.rfind("["))]


def shown(value: object) -> str:
    """A value as a message shows it: text in quotes, the rest bare, nothing longer than a line bears."""
    if isinstance(value, str):
        return f'"{shortened(value)}"'
    if isinstance(value, Mapping | list | tuple):
        return "a map of keys" if isinstance(value, Mapping) else "a list"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _shown_number(value)
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else shortened(str(value))


def shortened(text: str) -> str:
    """At most 60 characters."""
    return text if len(text) <= 60 else f"{text[:57]}..."


def nearest(word: str, known: Iterable[str]) -> str:
    """``did you mean interval? `` where something near is known, else nothing."""
    near = near_words(word, known)
    return f"did you mean {near[0]}? " if near else ""


def near_words(word: str, known: Iterable[str]) -> list[str]:
    """The known word that is spelt most like this one; none if none is near."""
    return difflib.get_close_matches(word[:100].lower(), sorted(known), n=1)


def listed(words: Iterable[object]) -> str:
    """Words in a row, as they are written in a stack file."""
    return ", ".join("true" if word is True else "false" if word is False else str(word) for word in words)


def _shown_number(value: float) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    try:
        return shortened(str(value))
    except ValueError:  # Python writes no whole number of thousands of digits
        return "a number of thousands of digits"


def _line(path: str, lines: Mapping[str, int]) -> int | None:
    """The line of a path, or of the nearest block around it."""
    while path not in lines and path:
        path = parent(path)
    return lines.get(path)


def _text(fault: Fault, line: int | None, where: str) -> str:
    place = f"{where}:{line}" if line else where
    path = f" {_clean(fault.path)}:" if fault.path else ""
    return f"{_clean(place)}:{path} {_clean(fault.message)}"


def _clean(text: str) -> str:
    """One line, whatever the file holds: what does not print is written out."""
    if text.isprintable():
        return text.strip()
    written = (char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return "".join(written).strip()
