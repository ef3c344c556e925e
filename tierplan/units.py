"""
Quantities: five frozen value types, each with one base unit, and the text that people write.

    Size              bytes
    Bandwidth         bytes per second
    BandwidthDensity  bytes per second for each byte stored (cloud "MB/s/TiB")
    OpRate            operations per second
    Duration          seconds

Only meaningful operators exist: ``Size / Duration -> Bandwidth``, ``Size / Bandwidth -> Duration``,
``BandwidthDensity * Size -> Bandwidth``; everything else that mixes two kinds is a type error, for
mypy and at run time alike.  TB is 10**12 bytes, TiB is 2**40 bytes; bits are spelt ``bit``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Self, TypeVar, cast, overload

_DECIMAL = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50, "Ei": 2.0**60}
_PREFIXES = _DECIMAL | _BINARY

_SIZES = {"B": 1.0} | {f"{prefix}B": factor for prefix, factor in _PREFIXES.items()}
_BYTE_RATES = {f"{unit}/s": factor for unit, factor in _SIZES.items()}
_BIT_RATES = {"bit/s": 1 / 8} | {f"{prefix}bit/s": factor / 8 for prefix, factor in _PREFIXES.items()}
_DENSITIES = {
    f"{rate}/{unit}": _BYTE_RATES[rate] / _SIZES[unit]
    for rate in ("MB/s", "MiB/s", "GB/s", "GiB/s")
    for unit in ("GB", "GiB", "TB", "TiB")
}

LEAST_PLAIN, MOST_PLAIN = 1e-6, 1e15  # beyond, a number is shown in exponent form
_TEXT = re.compile(r"\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)\s*(\S.*?)?\s*\Z", re.ASCII)


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """A number in the base unit of its kind; arithmetic stays inside the kind."""

    base: float

    KIND: ClassVar[str] = "quantity"
    EXAMPLE: ClassVar[str] = ""
    SUFFIX: ClassVar[str] = ""  # of keys that hold the bare number: `read_bytes_per_s`
    UNITS: ClassVar[dict[str, float]] = {}
    SHOWN: ClassVar[tuple[str, ...]] = ()  # for people, smallest first

    @classmethod
    def zero(cls) -> Self:
        """Nothing of this kind."""
        return cls(0.0)

    @classmethod
    def parse(cls, text: object) -> Self:
        """
        Read number, space, unit: ``"7.68 TB"``.

        Raises:   ValueError with what is wrong, what is allowed and an example
        """
        return cls(_parsed(cls, text))

    def text(self) -> str:
        """The shortest text that reads back as exactly this value."""
        return _exact_text(cast("Hashable", type(self)), self.base)

    def show(self, unit: str | None = None, digits: int = 3) -> str:
        """Rounded text for people, in `unit` or in the one that fits: ``'18.1 GB/s'``."""
        unit = unit or self._fitting_unit()
        return f"{_rounded(self.base / self.UNITS[unit], digits)} {unit}"

    def _fitting_unit(self) -> str:
        fitting = [unit for unit in self.SHOWN if abs(self.base) >= self.UNITS[unit] * 0.99995]
        return fitting[-1] if fitting else self.SHOWN[0]

    def _same_kind(self, other: object) -> bool:
        return type(other) is type(self)

    def __add__(self, other: Self) -> Self:
        if not self._same_kind(other):
            return NotImplemented
        return type(self)(self.base + other.base)

    def __sub__(self, other: Self) -> Self:
        if not self._same_kind(other):
            return NotImplemented
        return type(self)(self.base - other.base)

    def __mul__(self, factor: float) -> Self:
        if isinstance(factor, Quantity):
            return NotImplemented
        return type(self)(self.base * factor)

    def __rmul__(self, factor: float) -> Self:
        return self.__mul__(factor)

    def __bool__(self) -> bool:
        return self.base != 0


@dataclass(frozen=True, slots=True, order=True)
class Size(Quantity):
    """Bytes: the size of a thing, or the capacity of a place."""

    KIND: ClassVar[str] = "size"
    EXAMPLE: ClassVar[str] = "7.68 TB"
    SUFFIX: ClassVar[str] = "bytes"
    UNITS: ClassVar[dict[str, float]] = _SIZES
    SHOWN: ClassVar[tuple[str, ...]] = ("B", "kB", "MB", "GB", "TB", "PB", "EB")

    @property
    def bytes(self) -> float:
        """The number of bytes."""
        return self.base

    @overload
    def __truediv__(self, other: Duration) -> Bandwidth: ...
    @overload
    def __truediv__(self, other: Bandwidth) -> Duration: ...
    @overload
    def __truediv__(self, other: Size) -> float: ...
    @overload
    def __truediv__(self, other: float) -> Size: ...
    def __truediv__(self, other: Duration | Bandwidth | Size | float) -> Bandwidth | Duration | float | Size:
        match other:
            case Duration():
                return Bandwidth(self.base / other.base)
            case Bandwidth():
                return Duration(self.base / other.base)
            case Size():
                return self.base / other.base
            case int() | float():
                return Size(self.base / other)
            case _:
                return NotImplemented


@dataclass(frozen=True, slots=True, order=True)
class Bandwidth(Quantity):
    """Bytes per second."""

    KIND: ClassVar[str] = "bandwidth"
    EXAMPLE: ClassVar[str] = "6.5 GB/s"
    SUFFIX: ClassVar[str] = "bytes_per_s"
    UNITS: ClassVar[dict[str, float]] = _BYTE_RATES | _BIT_RATES
    SHOWN: ClassVar[tuple[str, ...]] = ("B/s", "kB/s", "MB/s", "GB/s", "TB/s")

    @property
    def bytes_per_s(self) -> float:
        """Bytes per second."""
        return self.base

    @overload  # type: ignore[override]  # a time makes a size of it, beside the plain factor
    def __mul__(self, factor: Duration) -> Size: ...
    @overload
    def __mul__(self, factor: float) -> Bandwidth: ...
    def __mul__(self, factor: Duration | float) -> Size | Bandwidth:
        if isinstance(factor, Duration):
            return Size(self.base * factor.base)
        if isinstance(factor, Quantity):
            return NotImplemented
        return Bandwidth(self.base * factor)

    @overload
    def __truediv__(self, other: Bandwidth) -> float: ...
    @overload
    def __truediv__(self, other: float) -> Bandwidth: ...
    def __truediv__(self, other: Bandwidth | float) -> float | Bandwidth:
        if isinstance(other, Bandwidth):
            return self.base / other.base
        if isinstance(other, Quantity):
            return NotImplemented
        return Bandwidth(self.base / other)


@dataclass(frozen=True, slots=True, order=True)
class BandwidthDensity(Quantity):
    """Bytes per second for each byte stored."""

    KIND: ClassVar[str] = "bandwidth density"
    EXAMPLE: ClassVar[str] = "125 MB/s/TiB"
    SUFFIX: ClassVar[str] = "per_s"
    UNITS: ClassVar[dict[str, float]] = _DENSITIES
    SHOWN: ClassVar[tuple[str, ...]] = ("MB/s/TiB",)

    @overload  # type: ignore[override]  # a size makes a bandwidth of it, beside the plain factor
    def __mul__(self, factor: Size) -> Bandwidth: ...
    @overload
    def __mul__(self, factor: float) -> BandwidthDensity: ...
    def __mul__(self, factor: Size | float) -> Bandwidth | BandwidthDensity:
        if isinstance(factor, Size):
            return Bandwidth(self.base * factor.base)
        if isinstance(factor, Quantity):
            return NotImplemented
        return BandwidthDensity(self.base * factor)


@dataclass(frozen=True, slots=True, order=True)
class OpRate(Quantity):
    """Operations per second."""

    KIND: ClassVar[str] = "op rate"
    EXAMPLE: ClassVar[str] = "20000 ops/s"
    SUFFIX: ClassVar[str] = "ops_per_s"
    UNITS: ClassVar[dict[str, float]] = {"ops/s": 1.0, "kops/s": 1e3, "Mops/s": 1e6}
    SHOWN: ClassVar[tuple[str, ...]] = ("ops/s", "kops/s", "Mops/s")

    @property
    def ops_per_s(self) -> float:
        """Operations per second."""
        return self.base

    @overload  # type: ignore[override]  # operations of a size make a bandwidth, beside the plain factor
    def __mul__(self, factor: Size) -> Bandwidth: ...
    @overload
    def __mul__(self, factor: float) -> OpRate: ...
    def __mul__(self, factor: Size | float) -> Bandwidth | OpRate:
        if isinstance(factor, Size):
            return Bandwidth(self.base * factor.base)
        if isinstance(factor, Quantity):
            return NotImplemented
        return OpRate(self.base * factor)

    @overload
    def __truediv__(self, other: OpRate) -> float: ...
    @overload
    def __truediv__(self, other: float) -> OpRate: ...
    def __truediv__(self, other: OpRate | float) -> float | OpRate:
        if isinstance(other, OpRate):
            return self.base / other.base
        if isinstance(other, Quantity):
            return NotImplemented
        return OpRate(self.base / other)


@dataclass(frozen=True, slots=True, order=True)
class Duration(Quantity):
    """Seconds."""

    KIND: ClassVar[str] = "duration"
    EXAMPLE: ClassVar[str] = "30 min"
    SUFFIX: ClassVar[str] = "s"
    UNITS: ClassVar[dict[str, float]] = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
    SHOWN: ClassVar[tuple[str, ...]] = ("us", "ms", "s", "min", "h", "d")

    @property
    def s(self) -> float:
        """Seconds."""
        return self.base

    @overload
    def __truediv__(self, other: Duration) -> float: ...
    @overload
    def __truediv__(self, other: float) -> Duration: ...
    def __truediv__(self, other: Duration | float) -> float | Duration:
        if isinstance(other, Duration):
            return self.base / other.base
        if isinstance(other, Quantity):
            return NotImplemented
        return Duration(self.base / other)


QUANTITIES: tuple[type[Quantity], ...] = (Size, Bandwidth, BandwidthDensity, OpRate, Duration)


def size(text: str) -> Size:
    """``size("7.68 TB")``."""
    return Size.parse(text)


def bandwidth(text: str) -> Bandwidth:
    """``bandwidth("200 Gbit/s")``."""
    return Bandwidth.parse(text)


def bandwidth_density(text: str) -> BandwidthDensity:
    """``bandwidth_density("125 MB/s/TiB")``."""
    return BandwidthDensity.parse(text)


def op_rate(text: str) -> OpRate:
    """``op_rate("20000 ops/s")``."""
    return OpRate.parse(text)


def duration(text: str) -> Duration:
    """``duration("30 min")``."""
    return Duration.parse(text)


Q = TypeVar("Q", bound=Quantity)


def count_for(required: Q, per_node: Q) -> int:
    """
    Whole things, each giving `per_node`, that together give `required`.

    Formula:  n = ceil(required / per_node), where float noise below 1e-9 buys nothing
    Assumes:  nothing required needs nothing; at least one thing for anything else
    Raises:   ZeroDivisionError if something is required and one thing gives nothing

    >>> count_for(bandwidth("3.3 GB/s"), bandwidth("1.1 GB/s"))
    3
    """
    if required.base <= 0:
        return 0
    ratio = required.base / per_node.base
    return max(1, math.ceil(ratio - 1e-9 * max(1.0, ratio)))


def _rounded(value: float, digits: int) -> str:
    """`digits` significant figures, no trailing zeros after a point; exponent form only where nobody counts zeros."""
    if value == 0 or not math.isfinite(value) or not LEAST_PLAIN <= abs(value) < MOST_PLAIN:
        return f"{value:.{max(1, digits)}g}"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@lru_cache(maxsize=4096)
def _exact_text(hashable_kind: Hashable, base: float) -> str:
    kind = cast("type[Quantity]", hashable_kind)
    texts: list[tuple[bool, bool, bool, int, str]] = []  # best first: handy number, few digits, usual unit, short
    for unit, factor in kind.UNITS.items():
        for digits in (15, 17):
            number = format(base / factor, f".{digits}g")
            if float(number) * factor == base:
                handy = "e" not in number and (base == 0 or 1 <= float(number) < 1000)
                long = len(number) > 6
                texts.append((not handy, long, unit not in kind.SHOWN, len(number), f"{number} {unit}"))
                break
    return min(texts)[-1]


@lru_cache(maxsize=4096)
def _parsed_text(hashable_kind: Hashable, text: str) -> float:
    kind = cast("type[Quantity]", hashable_kind)
    match = _TEXT.match(text)
    allowed = f'write e.g. "{kind.EXAMPLE}" ({", ".join(kind.UNITS)})'
    if not match:
        message = f'"{text}" is no {kind.KIND}; {allowed}'
        raise ValueError(message)
    number, unit = match.groups()
    if unit is None:
        message = f'"{text}" has no unit; write e.g. "{number} {kind.EXAMPLE.split()[1]}" ({", ".join(kind.UNITS)})'
        raise ValueError(message)
    if unit not in kind.UNITS:
        message = f'"{text}": {_unit_fault(kind, unit)}'
        raise ValueError(message)
    value = float(number) * kind.UNITS[unit] + 0.0  # no minus zero
    if value < 0 or not math.isfinite(value):
        message = f'"{text}" is {"negative" if value < 0 else "infinite"}; {allowed}'
        raise ValueError(message)
    return value


def _parsed(kind: type[Quantity], text: object) -> float:
    if not isinstance(text, str):
        unit = kind.EXAMPLE.split()[1]
        message = f'{text!r} has no unit; write e.g. "{text} {unit}" ({", ".join(kind.UNITS)})'
        raise ValueError(message)  # noqa: TRY004  # the caller collects one kind of fault
    return _parsed_text(cast("Hashable", kind), text)


def _unit_fault(kind: type[Quantity], unit: str) -> str:
    """What is wrong with a unit that `kind` does not know, and the nearest that it knows."""
    for other in QUANTITIES:
        if other is not kind and unit in other.UNITS:
            return f"{unit} is a unit of {other.KIND}, not of {kind.KIND} ({', '.join(kind.SHOWN)})"
    near = _near_units(kind, unit)
    if len(near) > 1:
        return f"unit {unit} is ambiguous; write {' or '.join(near)}"
    if near:
        return f"unknown unit {unit}; did you mean {near[0]}?"
    return f"unknown unit {unit}; allowed: {', '.join(kind.UNITS)}"


def _near_units(kind: type[Quantity], unit: str) -> list[str]:
    """The spellings that somebody may have meant by an unclear one (`T`, `TBs`, `tb`, `KB`, `Gbps`)."""
    letters = re.sub(r"(ps|/sec|/s)$", "", unit) if "/s" in next(iter(kind.UNITS)) or unit.endswith("ps") else unit
    match = re.fullmatch(r"([kKmMgGtTpPeE])(i?)(b|B|bits?|bytes?)?s?", letters)
    if match and kind in (Size, Bandwidth):
        prefix, tail = match.group(1), "/s" if kind is Bandwidth else ""
        prefix = prefix.lower() if prefix in "kK" else prefix.upper()
        decimal, binary = prefix, f"{prefix.upper()}i"
        if kind is Bandwidth and match.group(3) in ("b", "bit", "bits", None):
            return [f"{decimal}bit{tail}", f"{decimal}B{tail}"]
        return [f"{decimal}B{tail}", f"{binary}B{tail}"]
    words = {"sec": "s", "second": "s", "minute": "min", "m": "min", "hour": "h", "hr": "h", "day": "d", "week": "d"}
    word = words.get(unit.lower().removesuffix("s") or unit)
    if kind is Duration and word:
        return ["min", "ms"] if unit == "m" else [word]
    if kind is OpRate and re.fullmatch(r"(?i)(k|m)?i?ops|/s|1/s|req/s|files/s|op/s", unit):
        return ["ops/s"]
    return [known for known in kind.UNITS if known.lower() == unit.lower()]
