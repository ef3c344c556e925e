"""
Plain YAML scalars as Pulumi's engine reads them, so that one stack file means one thing everywhere.

The engine's reader (gopkg.in/yaml.v3) follows the YAML 1.2 core rules with a few of its own: ``70e9`` and ``0o10`` are
numbers, ``010`` is 8, ``yes`` and ``12:30`` are text, and a date becomes a text with a time.  PyYAML alone would read
five of these six differently.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta, timezone

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_INTEGERS = (  # digits of the whole text, their base
    (re.compile(r"([-+]?)(0|[1-9][0-9]*)"), 10),
    (re.compile(r"([-+]?)0[xX]([0-9a-fA-F]+)"), 16),
    (re.compile(r"([-+]?)0[oO]?([0-7]+)"), 8),
    (re.compile(r"([-+]?)0[bB]([01]+)"), 2),
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_DATE = re.compile(  # a zone after T, and only there
    r"(\d{4})-(\d{1,2})-(\d{1,2})"
    r"(?:([Tt]|\x20+)(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?(Z|[-+]\d\d:\d\d)?)?"
)


def plain_scalar(text: str) -> Scalar:
    """
    The value of an unquoted scalar.

    >>> [plain_scalar(text) for text in ("70e9", "0o10", "010", "yes", "12:30", "2026-01-31")]
    [70000000000.0, 8, 8, 'yes', '12:30', '2026-01-31 00:00:00 +0000 UTC']
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "+-.0123456789":
        return _number_or_date(text)
    return text


def plain_number(text: str) -> int | float | None:
    """A decimal number written as text (``"70e9"``); None if it is none, or too large for a double."""
    digits = text.strip()
    if not _FLOAT.fullmatch(digits):
        return None
    value = float(digits)
    if not math.isfinite(value):
        return None
    return int(digits) if re.fullmatch(r"[-+]?[0-9]{1,15}", digits) else value


def _number_or_date(text: str) -> Scalar:
    date = _DATE.fullmatch(text)
    if date and (moment := _date_text(date)) is not None:
        return moment
    digits = text.replace("_", "")  # the engine takes 1_000, as YAML 1.1 does
    for pattern, base in _INTEGERS:
        match = pattern.fullmatch(digits)
        if match:
            return _whole(int(match[1] + match[2], base))
    if _FLOAT.fullmatch(digits) and math.isfinite(value := float(digits)):
        return value
    return text


def _whole(value: int) -> int | float:
    """Beyond 64 bits the engine keeps a double."""
    return value if -(2**63) <= value < 2**64 else float(value)


def _date_text(match: re.Match[str]) -> str | None:
    """A date as the engine hands it on, which is Go's text of a time; None if there is no such day."""
    year, month, day, hour, minute, second = (int(match[group] or 0) for group in (1, 2, 3, 5, 6, 7))
    separator, zone = match[4] or "", match[9]
    if bool(zone) != (separator in ("T", "t")):
        return None
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=_zone(zone))
    except ValueError:
        return None
    fraction = (match[8] or "").rstrip("0")
    offset = moment.strftime("%z")
    name = "UTC" if offset == "+0000" else offset
    return f"{moment:%Y-%m-%d %H:%M:%S}{'.' + fraction if fraction else ''} {offset} {name}"


def _zone(text: str | None) -> timezone:
    if text in (None, "Z"):
        return UTC
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[4:6])))
