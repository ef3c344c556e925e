"""Plain scalars as the Pulumi engine reads them: the right column was printed by `pulumi config --json` (3.274.1)."""

from __future__ import annotations

import math

import pytest

from tierplan.load.scalars import plain_number, plain_scalar


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("70e9", 70_000_000_000),
        ("7.0e10", 70_000_000_000),
        ("1E5", 100_000),
        ("0.1e-3", 0.0001),
        ("1.e3", 1000),
        ("-.5", -0.5),
        ("+.5", 0.5),
        (".5", 0.5),
        ("5.", 5),
        ("+5", 5),
        ("0o10", 8),
        ("-0o10", -8),
        ("0O7", 7),
        ("010", 8),
        ("-010", -8),
        ("0_7", 7),
        ("08", 8),
        ("089", 89),
        ("08.5", 8.5),
        ("0x10", 16),
        ("0X_f", 15),
        ("+0x1F", 31),
        ("0b11", 3),
        ("-0b11", -3),
        ("1_000", 1000),
        ("1__0", 10),
        ("0o9", "0o9"),
        ("0b2", "0b2"),
        ("0x", "0x"),
        ("0x1p3", "0x1p3"),
        ("_1", "_1"),
        ("1e", "1e"),
        ("++1", "++1"),
        ("-", "-"),
        (".", "."),
        ("0.7.1", "0.7.1"),
        ("1e400", "1e400"),
        ("9007199254740993", 9007199254740993),
        ("-9223372036854775808", -(2**63)),
        ("-9223372036854775809", -9.223372036854776e18),
        ("18446744073709551616", 1.8446744073709552e19),
        ("yes", "yes"),
        ("on", "on"),
        ("NO", "NO"),
        ("y", "y"),
        ("TRUE", True),
        ("False", False),
        ("~", None),
        ("Null", None),
        ("nan", "nan"),
        ("infinity", "infinity"),
        ("12:30", "12:30"),
        ("=", "="),
        ("2026-01-31", "2026-01-31 00:00:00 +0000 UTC"),
        ("2026-1-2", "2026-01-02 00:00:00 +0000 UTC"),
        ("2026-01-31T10:20:30Z", "2026-01-31 10:20:30 +0000 UTC"),
        ("2026-01-31T10:20:30+02:00", "2026-01-31 10:20:30 +0200 +0200"),
        ("2026-01-31T10:20:30-07:00", "2026-01-31 10:20:30 -0700 -0700"),
        ("2026-1-31T10:20:30+00:00", "2026-01-31 10:20:30 +0000 UTC"),
        ("2001-12-14t21:59:43.10Z", "2001-12-14 21:59:43.1 +0000 UTC"),
        ("2026-01-31 10:20:30", "2026-01-31 10:20:30 +0000 UTC"),
        ("2026-01-31 10:20:30.5", "2026-01-31 10:20:30.5 +0000 UTC"),
        ("2026-1-31 10:20:30+02:00", "2026-1-31 10:20:30+02:00"),
        ("2026-1-31T10:20:30", "2026-1-31T10:20:30"),
        ("2026-02-30", "2026-02-30"),
        ("2026-01-31T24:00:00Z", "2026-01-31T24:00:00Z"),
    ],
)
def test_plain_scalar_reads_as_the_engine_does(written: str, read: object) -> None:
    value = plain_scalar(written)
    assert value == read
    assert isinstance(value, bool) == isinstance(read, bool)
    assert isinstance(value, str) == isinstance(read, str)


@pytest.mark.parametrize(("written", "read"), [(".inf", math.inf), ("-.INF", -math.inf), ("+.Inf", math.inf)])
def test_infinity_is_read_so_that_it_can_be_refused(written: str, read: float) -> None:
    assert plain_scalar(written) == read


def test_nan_is_read_so_that_it_can_be_refused() -> None:
    value = plain_scalar(".NaN")
    assert isinstance(value, float)
    assert math.isnan(value)


@pytest.mark.parametrize(
    ("text", "number"),
    [("70e9", 70e9), (" 8 ", 8), ("-1", -1), ("1e400", None), ("0x10", None), ("x", None), ("", None)],
)
def test_plain_number_reads_decimal_text_alone(text: str, number: float | None) -> None:
    """Numeric text is what `pulumi config set` leaves behind: no other base, no word."""
    assert plain_number(text) == number
