"""Quantities: text and value are one, kinds never mix, nodes come whole."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from itertools import product
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierplan.units import (
    QUANTITIES,
    Bandwidth,
    BandwidthDensity,
    Duration,
    OpRate,
    Quantity,
    Size,
    bandwidth,
    bandwidth_density,
    count_for,
    duration,
    op_rate,
    size,
)

kinds = st.sampled_from(QUANTITIES)
magnitudes = st.floats(min_value=0, max_value=1e25, allow_nan=False)
some = st.floats(min_value=1e-6, max_value=1e18)
UNITS = [(kind, unit) for kind in QUANTITIES for unit in kind.UNITS]


@given(kind=kinds, base=magnitudes)
def test_text_of_a_value_reads_back_as_exactly_it(kind: type[Quantity], base: float) -> None:
    value = kind(base)
    assert kind.parse(value.text()) == value


@given(pair=st.sampled_from(UNITS), number=st.decimals(min_value=0, max_value=10**6, places=3))
def test_value_of_a_text_writes_a_text_of_the_same_value(pair: tuple[type[Quantity], str], number: object) -> None:
    kind, unit = pair
    value = kind.parse(f"{number} {unit}")
    assert kind.parse(value.text()) == value
    assert value.base == pytest.approx(float(str(number)) * kind.UNITS[unit])


@pytest.mark.parametrize(
    ("text", "base"),
    [
        ("7.68 TB", 7.68e12),
        ("2 TiB", 2 * 2**40),
        ("384 GiB", 384 * 2**30),
        ("1 kB", 1000.0),
        ("1 KiB", 1024.0),
        ("0 B", 0.0),
        ("1e3 B", 1000.0),
        (" .5  MB ", 5e5),
        ("3EB", 3e18),
    ],
)
def test_sizes_decimal_and_binary(text: str, base: float) -> None:
    assert size(text).bytes == base


@pytest.mark.parametrize(
    ("text", "base"),
    [("200 Gbit/s", 25e9), ("8 bit/s", 1.0), ("1 Kibit/s", 128.0), ("6.5 GB/s", 6.5e9), ("6.6 TiB/s", 6.6 * 2**40)],
)
def test_bandwidths_in_bits_and_bytes(text: str, base: float) -> None:
    assert bandwidth(text).bytes_per_s == base


@pytest.mark.parametrize(
    ("text", "seconds"), [("250 us", 250e-6), ("5 ms", 5e-3), ("30 min", 1800.0), ("50000 h", 1.8e8), ("1 d", 86400.0)]
)
def test_durations(text: str, seconds: float) -> None:
    assert duration(text).s == pytest.approx(seconds)


def test_densities_and_op_rates() -> None:
    assert bandwidth_density("125 MB/s/TiB").base == 125e6 / 2**40
    assert op_rate("20 kops/s") == op_rate("20000 ops/s")
    assert op_rate("1.5 Mops/s").ops_per_s == 1.5e6


@pytest.mark.parametrize(
    ("text", "unit", "shown"),
    [
        ("18148148148 B/s", None, "18.1 GB/s"),
        ("18148148148 B/s", "MB/s", "18,148 MB/s"),
        ("0 B/s", None, "0 B/s"),
        ("980 GB/s", None, "980 GB/s"),
        ("999.96 GB/s", None, "1 TB/s"),
        ("999.4 GB/s", None, "999 GB/s"),
        ("999996 MB/s", None, "1 TB/s"),
        ("1 TB/s", "B/s", "1,000,000,000,000 B/s"),
        ("1e290 TB/s", None, "1e+290 TB/s"),
        ("1.23456e15 TB/s", None, "1.23e+15 TB/s"),
        ("999e12 TB/s", None, "999,000,000,000,000 TB/s"),
        ("1e-7 B/s", None, "1e-07 B/s"),
        ("0.5 B/s", None, "0.5 B/s"),
    ],
)
def test_show_rounds_for_people(text: str, unit: str | None, shown: str) -> None:
    assert bandwidth(text).show(unit) == shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (size("7680 GB"), "7.68 TB"),
        (size("2 TiB"), "2 TiB"),
        (size("384 GiB"), "384 GiB"),
        (bandwidth("200 Gbit/s"), "25 GB/s"),
        (duration("1800 s"), "30 min"),
        (duration("86400 s"), "1 d"),
        (size("0 B"), "0 B"),
        (size("-0 B"), "0 B"),
    ],
)
def test_text_is_what_a_person_would_write(value: Quantity, text: str) -> None:
    assert value.text() == text


SIZE_UNITS = "B, kB, MB, GB, TB, PB, EB, KiB, MiB, GiB, TiB, PiB, EiB"


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (Size, "7.68", f'"7.68" has no unit; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, 7.68, f'7.68 has no unit; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Duration, 30, '30 has no unit; write e.g. "30 min" (us, ms, s, min, h, d)'),
        (Duration, "30", '"30" has no unit; write e.g. "30 min" (us, ms, s, min, h, d)'),
        (OpRate, "20000", '"20000" has no unit; write e.g. "20000 ops/s" (ops/s, kops/s, Mops/s)'),
        (Size, "", f'"" is no size; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, "TB", f'"TB" is no size; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, "nan TB", f'"nan TB" is no size; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, "inf TB", f'"inf TB" is no size; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, "-1 TB", f'"-1 TB" is negative; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, "1e400 TB", f'"1e400 TB" is infinite; write e.g. "7.68 TB" ({SIZE_UNITS})'),
        (Size, "4 KB", '"4 KB": unit KB is ambiguous; write kB or KiB'),
        (Size, "4 T", '"4 T": unit T is ambiguous; write TB or TiB'),
        (Size, "4 TBs", '"4 TBs": unit TBs is ambiguous; write TB or TiB'),
        (Size, "4 tb", '"4 tb": unit tb is ambiguous; write TB or TiB'),
        (Size, "4 Gb", '"4 Gb": unit Gb is ambiguous; write GB or GiB'),
        (Size, "4 K", '"4 K": unit K is ambiguous; write kB or KiB'),
        (Bandwidth, "4 Gb/s", '"4 Gb/s": unit Gb/s is ambiguous; write Gbit/s or GB/s'),
        (Bandwidth, "4 Gbps", '"4 Gbps": unit Gbps is ambiguous; write Gbit/s or GB/s'),
        (Bandwidth, "4 GBps", '"4 GBps": unit GBps is ambiguous; write GB/s or GiB/s'),
        (Duration, "5 m", '"5 m": unit m is ambiguous; write min or ms'),
        (Duration, "5 hours", '"5 hours": unknown unit hours; did you mean h?'),
        (Duration, "5 days", '"5 days": unknown unit days; did you mean d?'),
        (Duration, "5 minutes", '"5 minutes": unknown unit minutes; did you mean min?'),
        (Duration, "5 MIN", '"5 MIN": unknown unit MIN; did you mean min?'),
        (OpRate, "5 IOPS", '"5 IOPS": unknown unit IOPS; did you mean ops/s?'),
        (Duration, "5 fortnights", '"5 fortnights": unknown unit fortnights; allowed: us, ms, s, min, h, d'),
        (Size, "5 GB/s", '"5 GB/s": GB/s is a unit of bandwidth, not of size (B, kB, MB, GB, TB, PB, EB)'),
        (Bandwidth, "5 GB", '"5 GB": GB is a unit of size, not of bandwidth (B/s, kB/s, MB/s, GB/s, TB/s)'),
        (Bandwidth, "5 ops/s", '"5 ops/s": ops/s is a unit of op rate, not of bandwidth (B/s, kB/s, MB/s, GB/s, TB/s)'),
        (Duration, "5 TB", '"5 TB": TB is a unit of size, not of duration (us, ms, s, min, h, d)'),
    ],
)
def test_every_fault_says_what_is_allowed(kind: type[Quantity], text: object, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        kind.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(("kind", "unit"), UNITS, ids=lambda part: part if isinstance(part, str) else part.KIND)
def test_a_unit_of_one_kind_is_refused_by_every_other(kind: type[Quantity], unit: str) -> None:
    assert kind.parse(f"1 {unit}").base == kind.UNITS[unit]
    for other in QUANTITIES:
        if other is not kind:
            with pytest.raises(ValueError, match=r"unit of|unit") as caught:
                other.parse(f"1 {unit}")
            assert kind.KIND in str(caught.value)


Act = Callable[[object, object], object]
OPERATORS = [cast("Act", getattr(operator, name)) for name in ("add", "sub", "mul", "truediv", "lt", "ge")]
MEANT: dict[tuple[str, type[Quantity], type[Quantity]], type] = {
    ("mul", Bandwidth, Duration): Size,
    ("mul", BandwidthDensity, Size): Bandwidth,
    ("mul", OpRate, Size): Bandwidth,
    ("mul", Duration, Bandwidth): Size,
    ("mul", Size, BandwidthDensity): Bandwidth,
    ("mul", Size, OpRate): Bandwidth,
    ("truediv", Size, Duration): Bandwidth,
    ("truediv", Size, Bandwidth): Duration,
}
SAME = {"add", "sub", "lt", "ge"}


@pytest.mark.parametrize("act", OPERATORS, ids=lambda act: act.__name__)
@pytest.mark.parametrize(("left", "right"), list(product(QUANTITIES, QUANTITIES)), ids=lambda kind: kind.KIND)
def test_only_meaningful_operations_exist(act: Act, left: type[Quantity], right: type[Quantity]) -> None:
    name = act.__name__
    if (name, left, right) in MEANT:
        assert type(act(left(6.0), right(2.0))) is MEANT[(name, left, right)]
    elif left is right and name in SAME:
        result = act(left(6.0), right(2.0))
        assert isinstance(result, bool) or type(result) is left
    elif left is right and name == "truediv" and left is not BandwidthDensity:
        assert act(left(6.0), right(2.0)) == 3.0
    else:
        with pytest.raises(TypeError):
            act(left(6.0), right(2.0))


@pytest.mark.parametrize("kind", QUANTITIES, ids=lambda kind: kind.KIND)
def test_plain_numbers_scale_and_are_never_added(kind: type[Quantity]) -> None:
    value = kind(6.0)
    assert value * 2 == kind(12.0)
    assert 2 * value == kind(12.0)
    assert bool(value)
    assert not kind.zero()
    for act in (operator.add, operator.sub):
        with pytest.raises(TypeError):
            act(value, 2)
        with pytest.raises(TypeError):
            act(2, value)


def test_kinds_of_equal_size_are_not_equal() -> None:
    assert len({kind(1.0) for kind in QUANTITIES}) == len(QUANTITIES)


@given(volume=some, time=some)
def test_size_time_and_bandwidth_agree(volume: float, time: float) -> None:
    rate = Size(volume) / Duration(time)
    assert (rate * Duration(time)).bytes == pytest.approx(volume)
    assert (Size(volume) / rate).s == pytest.approx(time)


@given(number=st.integers(1, 10**6), per_node=some)
def test_count_for_exact_multiples_buys_no_node_for_float_noise(number: int, per_node: float) -> None:
    assert count_for(Size(per_node) * number, Size(per_node)) == number
    assert count_for(Size(per_node * number * (1 + 1e-12)), Size(per_node)) == number


@given(required=some, per_node=some)
def test_count_for_is_the_least_that_gives_enough(required: float, per_node: float) -> None:
    nodes = count_for(Size(required), Size(per_node))
    ratio = required / per_node
    assert nodes >= 1
    assert nodes >= ratio * (1 - 1e-8)
    assert nodes - 1 <= ratio


def test_count_for_the_edges() -> None:
    assert count_for(bandwidth("3 GB/s") * 1.1, bandwidth("1.1 GB/s")) == 3
    assert count_for(bandwidth("3.31 GB/s"), bandwidth("1.1 GB/s")) == 4
    assert count_for(Size.zero(), size("1 TB")) == 0
    assert count_for(size("1 B"), size("1 TB")) == 1
    with pytest.raises(ZeroDivisionError):
        count_for(size("1 B"), Size.zero())


@given(base=some, digits=st.integers(1, 6))
def test_show_is_within_its_digits(base: float, digits: int) -> None:
    number = float(Bandwidth(base).show("B/s", digits).removesuffix(" B/s").replace(",", ""))
    assert math.isclose(number, base, rel_tol=0.5 * 10 ** (1 - digits) * 1.01, abs_tol=1e-9)


@given(base=st.floats(0, 1e308), kind=st.sampled_from([Size, Bandwidth, OpRate, Duration]))
def test_what_is_shown_never_breaks_a_table(base: float, kind: type[Size]) -> None:
    assert len(kind(base).show()) <= 30
