"""The words of a schema's fault: the value, what is allowed, how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from tierplan.load.faults import listed, nearest, shortened, shown
from tierplan.units import Bandwidth, Duration, OpRate, Quantity, Size

if TYPE_CHECKING:
    from jsonschema import ValidationError

_FORMATS: dict[str, type[Quantity]] = {
    "size": Size,
    "bandwidth": Bandwidth,
    "op-rate": OpRate,
    "duration": Duration,
    "duration-or-auto": Duration,
}


_TYPES = {
    "object": "is no map of keys",
    "array": "is no list; write a list (- …)",
    "string": "is not text; put it in quotes",
    "integer": "is not a whole number",
    "number": "is not a number",
    "boolean": "is not true or false",
}


def message_of(error: ValidationError) -> str:
    """One line without place; faults of our own keywords bring theirs along."""
    words = _WORDS.get(str(error.validator))
    return words(error) if words else error.message


def quantity_fault(name: str, value: object, *, above_zero: bool = False, most: str | None = None) -> str | None:
    """
    What is wrong with a quantity of this format, or None.

    With `above_zero` or `most`, whether it is outside that limit; what cannot be read at all is no matter then.
    """
    kind = _FORMATS[name]
    also = ", or auto" if name == "duration-or-auto" else ""
    if also and value == "auto":
        return None
    try:
        quantity = kind.parse(shortened(value) if isinstance(value, str) else value)
    except ValueError as fault:
        return None if above_zero or most else f"{fault}{also}"
    outside = (above_zero and quantity.base <= 0) or (most is not None and quantity.base > kind.parse(most).base)
    return "outside" if outside else None


def _type(error: ValidationError) -> str:
    schema = cast("Mapping[str, object]", error.schema)
    if "format" in schema:
        number = isinstance(error.instance, int | float) and not isinstance(error.instance, bool)
        fault = quantity_fault(str(schema["format"]), error.instance) if number else None
        kind = _FORMATS[str(schema["format"])]
        return fault or f'{shown(error.instance)} is no {kind.KIND}; write e.g. "{kind.EXAMPLE}"'
    if "x-reads" in schema:
        return f"{shown(error.instance)} is not {schema['x-reads']}"
    wanted = schema["type"] if isinstance(schema["type"], str) else cast("list[str]", schema["type"])[0]
    keys = listed(cast("Mapping[str, object]", schema.get("properties", {})))
    return f"{shown(error.instance)} {_TYPES.get(wanted, f'is no {wanted}')}" + (f"; allowed: {keys}" if keys else "")


def _enum(error: ValidationError) -> str:
    schema = cast("Mapping[str, object]", error.schema)
    missing = schema.get("x-not-yet", {})
    words = [word for word in cast("list[object]", error.validator_value) if isinstance(word, str)]
    if schema.get("x-reads") == "true or false":
        return f"{shown(error.instance)} is not true or false"
    honoured = [word for word in words if not isinstance(missing, Mapping) or word not in missing]
    hint = nearest(error.instance, words) if isinstance(error.instance, str) else ""
    return f"{shown(error.instance)} is unknown; {hint}allowed: {listed(honoured)}"


def _pattern(error: ValidationError) -> str:
    schema = cast("Mapping[str, object]", error.schema)
    if "x-form" in schema:
        return f"{shown(error.instance)} has not the form wanted: {schema['x-form']}"
    return f"{shown(error.instance)} is not {schema.get('x-reads', 'of the form wanted')}"


def _least(error: ValidationError) -> str:
    return f"{shown(error.instance)} is too small; the least is {shown(error.validator_value)}"


def _most(error: ValidationError) -> str:
    return f"{shown(error.instance)} is too large; the most is {shown(error.validator_value)}"


def _above(error: ValidationError) -> str:
    return f"{shown(error.instance)} makes no sense here; write more than {shown(error.validator_value)}"


def _below(error: ValidationError) -> str:
    return f"{shown(error.instance)} is too large; write less than {shown(error.validator_value)}"


def _few(error: ValidationError) -> str:
    return f"is empty; write at least {error.validator_value}"


def _many(error: ValidationError) -> str:
    return f"is too long; at most {error.validator_value}"


def _twice(_error: ValidationError) -> str:
    return "says something twice; say it once"


_WORDS: dict[str, Callable[[ValidationError], str]] = {
    "type": _type,
    "enum": _enum,
    "pattern": _pattern,
    "minimum": _least,
    "maximum": _most,
    "exclusiveMinimum": _above,
    "exclusiveMaximum": _below,
    "minItems": _few,
    "minLength": _few,
    "maxItems": _many,
    "maxLength": _many,
    "uniqueItems": _twice,
}
