"""
Nouns <-> plain documents, in three spellings, by one rule.

    form   the stack file: snake_case, quantities as text                {"read": "6.5 GB/s"}
    plain  plan JSON: snake_case, base unit in the key                   {"read_bytes_per_s": 6.5e9}
    wire   resource properties: the same in camelCase                    {"readBytesPerS": 6.5e9}

The fields of a dataclass are the keys of its document; their types say how a value is read.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Literal, TypeVar, cast, get_args, get_origin

from tierplan.errors import InputError
from tierplan.units import Quantity

Spelling = Literal["form", "plain", "wire"]
T = TypeVar("T")
HIDDEN = ("origins", "lines", "calibrated")  # of a Stack: where values come from, not what they are


@dataclasses.dataclass(frozen=True, slots=True)
class _Slot:
    """One field: its name, its type without None, the key it has in a spelling."""

    name: str
    kind: object
    key: str
    required: bool


def encode(noun: object, spelling: Spelling) -> dict[str, object]:
    """A dataclass as a document; fields that are None are left out."""
    return {
        slot.key: _encoded(value, spelling)
        for slot in _slots(cast("Hashable", type(noun)), spelling)
        if (value := getattr(noun, slot.name)) is not None
    }


def decode(kind: type[T], document: Mapping[str, object], spelling: Spelling, path: str = "") -> T:
    """
    A document as a dataclass.

    Raises:   InputError with one line for each key that is unknown, missing or of a wrong type
    """
    faults: list[str] = []
    value = _decoded_noun(kind, document, spelling, path, faults)
    if faults:
        raise InputError(faults)
    return cast("T", value)


def camel(name: str) -> str:
    """``read_bytes_per_s`` -> ``readBytesPerS``."""
    head, *rest = name.split("_")
    return head + "".join(word[:1].upper() + word[1:] for word in rest)


def snake(name: str) -> str:
    """``readBytesPerS`` -> ``read_bytes_per_s``."""
    return re.sub(r"(?<=.)([A-Z])", lambda match: "_" + match[1].lower(), name)


def wire_key(name: str, hint: object) -> str:
    """The resource property of a field: camelCase, with the base unit where the field is a quantity."""
    return _key(name, _without_none(hint), "wire")


@cache
def _slots(hashable_kind: Hashable, spelling: Spelling) -> tuple[_Slot, ...]:
    kind = cast("type", hashable_kind)
    hints = typing.get_type_hints(kind)
    slots = []
    for field in dataclasses.fields(kind):
        if field.name in HIDDEN:
            continue
        hint = _without_none(hints[field.name])
        key = _key(field.name, hint, spelling)
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        slots.append(_Slot(field.name, hint, key, required))
    return tuple(slots)


def _key(name: str, hint: object, spelling: Spelling) -> str:
    if spelling == "form":
        return name
    item = get_args(hint)[0] if get_origin(hint) is tuple else hint
    if isinstance(item, type) and issubclass(item, Quantity) and not name.endswith("_" + item.SUFFIX):
        name = f"{name}_{item.SUFFIX}"
    return camel(name) if spelling == "wire" else name


def _without_none(hint: object) -> object:
    if get_origin(hint) in (types.UnionType, typing.Union):
        rest = tuple(part for part in get_args(hint) if part is not type(None))
        return rest[0] if len(rest) == 1 else typing.Union[rest]  # noqa: UP007  # made of a tuple
    return hint


def _encoded(value: object, spelling: Spelling) -> object:
    if isinstance(value, Quantity):
        return value.text() if spelling == "form" else value.base
    if dataclasses.is_dataclass(value):
        return encode(value, spelling)
    if isinstance(value, Mapping):
        return {str(key): _encoded(item, spelling) for key, item in value.items()}
    if isinstance(value, tuple | list | frozenset):
        return [_encoded(item, spelling) for item in value]
    return value


def _decoded_noun(kind: object, value: object, spelling: Spelling, path: str, faults: list[str]) -> object:
    noun = cast("type", kind)
    if not isinstance(value, Mapping):
        faults.append(f"{path or noun.__name__}: {value!r} is no map of keys")
        return None
    before = len(faults)
    slots = {slot.key: slot for slot in _slots(noun, spelling)}
    faults.extend(f"{_join(path, str(key))}: unknown key" for key in value if key not in slots and not _internal(key))
    given: dict[str, object] = {}
    for key, slot in slots.items():
        item = value.get(key)
        if item is not None:
            given[slot.name] = _decoded(slot.kind, item, spelling, _join(path, key), faults)
        elif slot.required:
            faults.append(f"{_join(path, key)}: missing")
    return None if len(faults) > before else noun(**given)


def _internal(key: object) -> bool:
    return isinstance(key, str) and key.startswith("__")  # the engine's own, such as __defaults


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _decoded(kind: object, value: object, spelling: Spelling, path: str, faults: list[str]) -> object:
    """Any value by its type: a noun, a quantity, a list, a map, a union or a plain value."""
    origin = get_origin(kind)
    if origin is tuple:
        return _decoded_list(get_args(kind)[0], value, spelling, path, faults)
    if origin in (types.UnionType, typing.Union):
        return _decoded_union(get_args(kind), value, spelling, path, faults)
    if origin is Literal:
        if value not in get_args(kind):
            faults.append(f"{path}: {value!r}; allowed: {', '.join(map(str, get_args(kind)))}")
        return value
    if isinstance(kind, type):
        if dataclasses.is_dataclass(kind) and not issubclass(kind, Quantity):
            return _decoded_noun(kind, value, spelling, path, faults)
        return _decoded_plain(kind, value, spelling, path, faults)
    return _frozen(value)  # a map of options: kept as it is


def _decoded_list(kind: object, value: object, spelling: Spelling, path: str, faults: list[str]) -> object:
    if isinstance(value, str) or not hasattr(value, "__iter__"):
        faults.append(f"{path}: {value!r} is no list")
        return ()
    return tuple(_decoded(kind, item, spelling, f"{path}[{index}]", faults) for index, item in enumerate(value))


@cache
def _kind_hint(part: Hashable) -> object:
    """The hint of a dataclass's `kind`, where it has one."""
    return typing.get_type_hints(part).get("kind") if dataclasses.is_dataclass(part) else None


def _decoded_union(
    kinds: tuple[object, ...], value: object, spelling: Spelling, path: str, faults: list[str]
) -> object:
    """Of several dataclasses the one whose literal `kind` fits; else the first that reads without a fault."""
    for part in kinds:
        hint = _kind_hint(part)
        if hint is not None and isinstance(value, Mapping) and value.get("kind") in get_args(hint):
            return _decoded(part, value, spelling, path, faults)
    tried: list[str] = []
    for part in kinds:
        mine: list[str] = []
        decoded = _decoded(part, value, spelling, path, mine)
        if not mine:
            return decoded
        tried = tried or mine
    faults.extend(tried)
    return None


def _decoded_plain(kind: type, value: object, spelling: Spelling, path: str, faults: list[str]) -> object:
    if issubclass(kind, Quantity):
        return _decoded_quantity(kind, value, spelling, path, faults)
    if kind in (int, float) and isinstance(value, int | float) and not isinstance(value, bool):
        if math.isfinite(value) and (kind is float or float(value).is_integer()):
            return kind(value)
    elif kind not in (int, float) and isinstance(value, kind):  # true is no number
        return value
    words = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}
    faults.append(f"{path}: {value!r} is not {words.get(kind, kind.__name__)}")
    return None


def _decoded_quantity(
    kind: type[Quantity], value: object, spelling: Spelling, path: str, faults: list[str]
) -> Quantity | None:
    try:
        if spelling == "form":
            return kind.parse(value)
    except ValueError as fault:
        faults.append(f"{path}: {fault}")
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return kind(float(value))
    faults.append(f"{path}: {value!r} is not a number")
    return None


def _frozen(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _frozen(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value
