"""Reading JSON of other programs: numbers that may be text, keys that may be missing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping

from tierplan.errors import InputError


def document(text: str, file: str) -> Mapping[str, object]:
    """
    One JSON object.

    Raises:   InputError if it is none
    """
    try:
        found = json.loads(text)
    except ValueError as fault:
        message = f"{file}: is cut off or no JSON ({fault}); run the benchmark again, or name another file"
        raise InputError(message) from None
    if not isinstance(found, Mapping):
        message = f"{file}: holds no JSON object; name a result file of the tool"
        raise InputError(message)
    return found


def lines(text: str, file: str) -> Iterator[Mapping[str, object]]:
    """
    One JSON object a line.

    Raises:   InputError if a line is none
    """
    for line in text.splitlines():
        if line.strip():
            yield document(line, file)


def rows(found: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    """The objects of a list; none where there is no such list."""
    value = found.get(key)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def block(found: Mapping[str, object], key: str) -> Mapping[str, object]:
    """The object of a key; an empty one where there is none."""
    value = found.get(key)
    return value if isinstance(value, Mapping) else {}


def number(found: Mapping[str, object], key: str) -> float:
    """
    A number, also one written as text; 0 where the key is missing or empty, and for NaN: the mean of nothing.

    Raises:   InputError if something else stands there
    """
    value = found.get(key)
    if value is None or value == "":
        return 0.0
    try:
        read = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.inf
    except ValueError:
        read = math.inf
    if math.isnan(read):
        return 0.0
    if math.isinf(read):
        message = f"{key}: {value!r} is no figure of a result; run the benchmark again, or name another file"
        raise InputError(message)
    return read


def text_of(found: Mapping[str, object], key: str) -> str:
    """A text; empty where there is none."""
    value = found.get(key)
    return value if isinstance(value, str) else ""
