"""Texts of other programs: JSON, tables, sizes as they write them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from tierplan.errors import InputError

BINARY = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40, "P": 2.0**50, "E": 2.0**60}
_SIZE = re.compile(r"([\d.]+)\s*([KMGTPE]?)(?:i?B)?\Z")


def parsed(text: str, file: str) -> object:
    """
    The JSON of a text.

    Raises:   InputError if it is none
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as fault:
        message = f"{file}: is cut off or no JSON ({fault}); run the command again and keep all of its output"
        raise InputError(message) from None


def mapped(text: str, file: str) -> Mapping[str, object]:
    """
    The JSON object of a text.

    Raises:   InputError if it is none
    """
    value = parsed(text, file)
    if isinstance(value, Mapping):
        return value
    message = f"{file}: holds no JSON object; keep the whole output of the command"
    raise InputError(message)


def objects(value: object) -> list[Mapping[str, object]]:
    """The objects of a list; none where it is no list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def whole(found: Mapping[str, object], key: str) -> int | None:
    """A whole number above 0, also one written as text."""
    value = found.get(key)
    if isinstance(value, bool):
        return None
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except ValueError:
        return None
    return int(number) if number >= 1 and number == int(number) else None


def binary(text: str, *, bare: float = 1.0) -> float:
    """
    Bytes of a size whose letters are powers of 1024, as Lustre, BeeGFS and mmvdisk write them; without one `bare`.

    >>> binary("15.5T"), binary("1023.5GiB"), binary("529449792", bare=1024)
    (17042430230528.0, 1098974756864.0, 542156587008)

    Raises:   ValueError if it is no size
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        message = f"{text!r} is no size"
        raise ValueError(message)
    number = float(match[1])
    scaled = number * (BINARY[match[2]] if match[2] or text.rstrip().endswith("B") else bare)
    return int(scaled) if scaled.is_integer() and not match[2] else scaled


def drive_text(size: float) -> str:
    """
    The size of a drive as it is sold: four digits, in TB.

    >>> drive_text(7_681_501_126_656)
    '7.682 TB'
    """
    return f"{float(f'{size / 1e12:.4g}'):g} TB"
