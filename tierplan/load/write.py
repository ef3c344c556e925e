"""`Stack` -> the text of a stack file that reads back as the same stack, in Pulumi and here."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from tierplan.codec import encode
from tierplan.domain.stack import Stack
from tierplan.load.scalars import plain_scalar

_ORDER = (
    "site",
    "cluster",
    "workloads",
    "capacity",
    "tiers",
    "targets",
    "fabric",
    "prices",
    "calibration",
    "operations",
    "expect",
)
_EMPTY_BY_DEFAULT = (
    "site.network",
    "cluster.growth",
    "tiers.local.use",
    "tiers.local.options",
    "tiers.local.remote.addresses",
    "tiers.hot.options",
    "tiers.cold.options",
    "operations.tags",
)
_WIDTH = 110
_YAML_1_1_WORDS = ("y", "n", "yes", "no", "on", "off")  # no text to other readers of the file
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*(\.[A-Za-z0-9_/-]+)*")


def stack_text(stack: Stack) -> str:
    """
    A stack file with everything written out: quantities as exact text, no default hidden, nothing that is None.

    Comments and the name are not kept: the name of a stack is that of its file.
    """
    document = _without_empties(encode(stack, "form"))
    lines = ["config:"]
    for key in _ORDER:
        if key in document:
            lines += _entry(f"tierplan:{key}", document[key], indent=2)
    return "\n".join(lines) + "\n"


def _without_empties(document: dict[str, object]) -> dict[str, object]:
    """Without the maps and lists that are empty where they are left out, too."""
    for path in _EMPTY_BY_DEFAULT:
        *blocks, last = path.split(".")
        block: object = document
        for key in blocks:
            block = block.get(key) if isinstance(block, dict) else None
        if isinstance(block, dict) and not block.get(last):
            block.pop(last, None)
    return document


def _entry(key: str, value: object, *, indent: int) -> Iterator[str]:
    """One key with its value: on one line where it fits, in a block otherwise."""
    margin = " " * indent
    flow = _flow(value)
    if not value or not isinstance(value, Mapping | list) or (indent > 2 and len(margin + key + flow) < _WIDTH):
        yield f"{margin}{key}: {flow}"
        return
    yield f"{margin}{key}:"
    yield from _block(value, indent=indent + 2)


def _block(value: object, *, indent: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _entry(_text(str(key)), item, indent=indent)
    for item in value if isinstance(value, list) else ():
        if isinstance(item, Mapping):
            inner = list(_block(item, indent=indent + 2))
            yield f"{' ' * indent}- {inner[0].lstrip()}" if inner else f"{' ' * indent}- {{}}"
            yield from inner[1:]
        else:
            yield f"{' ' * indent}- {_flow(item)}"


def _flow(value: object) -> str:
    if isinstance(value, Mapping):
        entries = (f"{_text(str(key))}: {_flow(item)}" for key, item in value.items())
        return "{" + ", ".join(entries) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    return _text(cast("str", value))


def _number(value: float) -> str:
    """``70e9`` for a round large number, else digits that read back exactly."""
    whole = int(value) if float(value).is_integer() else None
    if whole is None:
        return repr(value)
    digits = str(whole)
    zeros = (len(digits) - len(digits.rstrip("0"))) // 3 * 3
    if zeros >= 6 and float(short := f"{digits[:-zeros]}e{zeros}") == value:
        return short
    return digits if isinstance(value, int) or abs(whole) < 2**53 else repr(value)


def _text(text: str) -> str:
    """Bare where a word cannot be read as anything else, in quotes otherwise."""
    bare = _PLAIN.fullmatch(text) and plain_scalar(text) == text and text.lower() not in _YAML_1_1_WORDS
    return text if bare else _quoted(text)


def _quoted(text: str) -> str:
    """Double quotes; what YAML may not hold as it is, is escaped."""
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return f"\\{char}"
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def entry_lines(key: str, value: object, *, indent: int) -> list[str]:
    """One key with its value as lines of a stack file, for those who add to one."""
    return list(_entry(_key(key), value, indent=indent))


def flow_text(value: object) -> str:
    """A value on one line of a stack file."""
    return _flow(value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z][A-Za-z0-9_:-]*", key) else _text(key)
