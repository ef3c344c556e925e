"""What is varied: a key path of the stack form with the values to try."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tierplan.errors import InputError
from tierplan.load.scalars import plain_scalar

MOST_VALUES = 100_000
_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})(?:\s+(\S+))?\s*\.\.\s*({_NUMBER})(?:\s+(\S+))?\s*([*+/])\s*({_NUMBER})")
FORM = "write PATH=VALUE,VALUE,… or PATH=FROM..TO*FACTOR, FROM..TO+STEP, FROM..TO/COUNT: cluster.gpu_nodes=16..256*2"


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One key path and the values that it takes."""

    path: str
    values: tuple[object, ...]


def axis(text: str) -> Axis:
    """
    An axis as it is typed: a list, or a range with a factor, a step or a number of points.

    Raises:   InputError if it is neither, or has no values

    >>> axis("workloads[0].checkpoint.interval=10 min,20 min").values
    ('10 min', '20 min')
    >>> axis("cluster.gpu_nodes=16..128*2").values
    (16, 32, 64, 128)
    >>> axis("tiers.hot.node.port_rate=100..400*2 Gbit/s").values
    ('100 Gbit/s', '200 Gbit/s', '400 Gbit/s')
    >>> axis("targets.headroom=1..2/3").values
    (1, 1.5, 2)
    """
    path, equals, words = text.partition("=")
    if not equals or not path.strip() or not words.strip():
        message = f"--vary {text!r}: {FORM}"
        raise InputError(message)
    body, unit = _unit(words.strip())
    values = tuple(_range(body, unit, text)) if ".." in body else tuple(_list(words))
    if not values:
        message = f"--vary {text!r}: no value; {FORM}"
        raise InputError(message)
    return Axis(path=path.strip(), values=values)


def grid(axes: Sequence[Axis]) -> Iterator[Mapping[str, object]]:
    """Every combination, the last axis fastest."""
    paths = [one.path for one in axes]
    for values in itertools.product(*(one.values for one in axes)):
        yield dict(zip(paths, values, strict=True))


def _list(words: str) -> Iterator[object]:
    for word in words.split(","):
        if word.strip():
            yield plain_scalar(word.strip())


def _unit(words: str) -> tuple[str, str]:
    """A unit after the whole range holds for every value."""
    match = re.fullmatch(rf"(.*\.\..*[*+/]\s*{_NUMBER})\s+(\S+)", words)
    return (match[1], match[2]) if match else (words, "")


def _range(body: str, unit: str, text: str) -> Iterator[object]:
    match = _RANGE.fullmatch(body)
    if match is None or match[2] != match[4]:
        message = f"--vary {text!r}: no range; {FORM}"
        raise InputError(message)
    first, last, sign, by = float(match[1]), float(match[3]), match[5], float(match[6])
    if not all(map(math.isfinite, (first, last, by))):
        message = f"--vary {text!r}: holds a number beyond what a computer counts; write smaller ones"
        raise InputError(message)
    unit = unit or match[2] or ""
    for number in _numbers(first, last, sign, by, text):
        yield f"{number:.12g} {unit}" if unit else int(number) if number.is_integer() else number


def _numbers(first: float, last: float, sign: str, by: float, text: str) -> Iterator[float]:
    if sign == "/":
        count = int(by)
        if count != by or count < 2 or count > MOST_VALUES:
            message = f"--vary {text!r}: {by:g} points; write a whole number from 2 to {MOST_VALUES:,}"
            raise InputError(message)
        yield from (first + (last - first) * step / (count - 1) for step in range(count))
        return
    if (sign == "+" and by <= 0) or (sign == "*" and (by <= 1 or first <= 0)) or last < first:
        message = f"--vary {text!r}: never ends; the step must be above 0, a factor above 1, and FROM below TO"
        raise InputError(message)
    number, count = first, 0
    while number <= last * (1 + 1e-12):
        if count == MOST_VALUES:
            message = f"--vary {text!r}: more than {MOST_VALUES:,} values; write a larger step or factor"
            raise InputError(message)
        yield number
        number, count = (number * by if sign == "*" else first + by * (count + 1)), count + 1
