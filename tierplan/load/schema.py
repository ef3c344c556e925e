"""
The JSON Schema of a stack: reading text as numbers by it, and judging a document against it.

The schema says all that can be said of one key alone; `rules` says what several keys say together.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tierplan.domain.stack import LOCAL_BACKENDS
from tierplan.load.faults import Fault, join, listed, near_words, nearest, shown
from tierplan.load.scalars import Scalar, plain_number
from tierplan.load.words import message_of, quantity_fault

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, ValidationError

Schema = Mapping[str, object]
_FOLDER = Path(__file__).parent.parent / "schemas"
MOST_DEPTH = 40
OF_THE_FORM = ("additionalProperties", "type")  # what a product's own words must obey to be read at all
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def stack_schema() -> dict[str, object]:
    """The JSON Schema of the stack form, as it is shipped."""
    return cast("dict[str, object]", json.loads((_FOLDER / "stack.json").read_text(encoding="utf-8")))


@cache
def flat_schema() -> Schema:
    """The same with every ``$ref`` written out; keys beside a reference tighten what it refers to."""
    schema = stack_schema()
    return cast("Schema", _flat(schema, cast("Schema", schema["$defs"])))


def branch(schema: Schema, value: object) -> Schema:
    """The schema that holds for this value: a workload's depends on its kind."""
    for part in cast("list[dict[str, Schema]]", schema.get("allOf", ())):
        properties = cast("dict[str, Schema]", part["if"]["properties"])
        if isinstance(value, Mapping) and value.get("kind") == properties["kind"]["const"]:
            return part["then"]
    return schema


def _meant_kind(schema: Schema, value: Mapping[str, object]) -> str | None:
    """Of a block whose kind is missing or unknown the kind that it seems to be: by spelling, else by its keys."""
    kinds = {
        str(cast("dict[str, Schema]", part["if"]["properties"])["kind"]["const"]): properties_of(part["then"])
        for part in cast("list[dict[str, Schema]]", schema.get("allOf", ()))
    }
    kind = value.get("kind")
    if not kinds or (isinstance(kind, str) and kind in kinds):
        return None
    near = near_words(kind, kinds) if isinstance(kind, str) else []
    known = {name: len(value.keys() & properties.keys()) for name, properties in kinds.items()}
    return near[0] if near else max(known, key=lambda name: known[name])


def _as_meant(document: object) -> object:
    """The document with every workload of the kind that it seems to be, so that a wrong kind hides nothing else."""
    works = document.get("workloads") if isinstance(document, Mapping) else None
    if not isinstance(works, list):
        return document
    schema = cast("Schema", properties_of(flat_schema())["workloads"]["items"])
    meant = [
        {**work, "kind": kind} if isinstance(work, dict) and (kind := _meant_kind(schema, work)) else work
        for work in works
    ]
    return {**cast("dict[str, object]", document), "workloads": meant}


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """The keys that a block may hold."""
    return cast("Mapping[str, Schema]", schema.get("properties", {}))


def tidy(value: object, schema: Schema, path: str, faults: list[Fault], depth: int = 0) -> object:
    """
    The same document with nulls left out and texts read as the numbers, flags or texts that the schema wants.

    What is no document at all (NaN, an object of some program, endless nesting) becomes a fault and is left out.
    """
    if depth > MOST_DEPTH:
        faults.append(Fault(path=path[:200], message=f"is nested more than {MOST_DEPTH} levels deep"))
        return None
    if isinstance(value, Mapping):
        kind = _meant_kind(schema, value)
        return _tidy_map(value, branch(schema, {"kind": kind} if kind else value), path, faults, depth)
    if isinstance(value, list | tuple):
        items = cast("Schema", schema.get("items", {}))
        read = [tidy(item, items, join(path, index), faults, depth + 1) for index, item in enumerate(value)]
        return read if items else [item for item in read if item is not None]  # of the known ones each has its place
    if message := _strange(value):
        faults.append(Fault(path=path, message=message))
        return None
    return _tidy_scalar(cast("Scalar", value), schema.get("x-reads"))


def validate(document: object) -> list[Fault]:
    """What the schema finds wrong with a tidied document: one fault a place, the outermost."""
    faults: dict[str, Fault] = {}
    errors = list(_validator().iter_errors(document))
    if any(error.absolute_path and error.absolute_path[-1] == "kind" for error in errors):
        errors += _validator().iter_errors(_as_meant(document))
    for error in errors:
        block, path = "", ""
        for step in error.absolute_path:
            block, path = path, join(path, step)
        faults.setdefault(path, Fault(path=path, message=message_of(error), meant=_meant(error, block)))
    for fault in _option_faults(document):
        faults.setdefault(fault.path, fault)
    meant = {fault.meant for fault in faults.values()}
    outermost = (path for path in faults if not any(_within(path, other) for other in faults))
    return [faults[path] for path in outermost if path not in meant]


def _option_faults(document: object) -> Iterator[Fault]:
    """
    Words and types in `options` that the chosen product does not have.

    A value that the product forbids is no fault of the file: the plan shows it and the rules refuse it.
    """
    tiers = document.get("tiers") if isinstance(document, Mapping) else None
    for tier in ("local", "hot", "cold"):
        pins = tiers.get(tier) if isinstance(tiers, Mapping) else None
        backend = pins.get("backend") if isinstance(pins, Mapping) else None
        if tier == "local" and isinstance(pins, Mapping):
            software = pins.get("software", "none")
            backend = LOCAL_BACKENDS.get(str(software), software)
        options = pins.get("options") if isinstance(pins, Mapping) else None
        if not isinstance(backend, str) or not re.fullmatch(r"[a-z0-9-]+", backend) or not isinstance(options, Mapping):
            continue
        for error in _validator(backend).iter_errors(options):
            if error.validator in OF_THE_FORM:
                path = f"tiers.{tier}.options"
                for step in error.absolute_path:
                    path = join(path, step)
                yield Fault(path=path, message=message_of(error))


def _meant(error: ValidationError, block: str) -> str | None:
    """For an unknown key the path of the known one that is spelt like it."""
    if error.validator != "additionalProperties":
        return None
    known = properties_of(cast("Schema", error.schema))
    near = near_words(str(error.absolute_path[-1]), known)
    return join(block, near[0]) if near else None


def _flat(node: object, definitions: Schema) -> object:
    if isinstance(node, list):
        return [_flat(item, definitions) for item in node]
    if not isinstance(node, dict):
        return node
    flat = {key: _flat(value, definitions) for key, value in node.items() if key not in ("$ref", "$defs")}
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        return {**cast("dict[str, object]", _flat(target, definitions)), **flat}
    return flat


def _strange(value: object) -> str | None:
    """Why a value can stand in no document; None for a plain one."""
    if (isinstance(value, float) and not math.isfinite(value)) or (isinstance(value, int) and abs(value) >= 2**1023):
        return f"{shown(value)} is no number that can be planned with"
    if isinstance(value, str) and _SURROGATE.search(value):
        return "holds half of a character, which no file can hold"
    if value is None or isinstance(value, str | bool | int | float):
        return None
    return f"holds a {type(value).__name__}, which is no plain value"


def _tidy_map(
    value: Mapping[object, object], schema: Schema, path: str, faults: list[Fault], depth: int
) -> dict[str, object]:
    known = properties_of(schema)
    other = schema.get("additionalProperties")
    fallback = cast("Schema", other) if isinstance(other, Mapping) else {}
    tidied: dict[str, object] = {}
    for raw_key, item in value.items():
        key = str(raw_key)
        if item is None or key.startswith("__"):  # the engine's own keys, such as __defaults
            continue
        read = tidy(item, known.get(key, fallback), join(path, key), faults, depth + 1)
        if read is not None:
            tidied[key] = read
    return tidied


def _tidy_scalar(value: Scalar, reads: object) -> object:
    if isinstance(value, int) and abs(value) >= 2**63:
        value = float(value)  # as the engine has it
    if reads in ("a number", "a whole number") and not isinstance(value, bool):
        number = plain_number(value) if isinstance(value, str) else value
        if isinstance(number, float) and number.is_integer() and abs(number) < 2**63:
            number = int(number)
        return value if number is None else number
    if reads == "true or false":
        return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
    if reads == "text" and value is not None and not isinstance(value, str):
        return shown(value)
    return value


def _within(path: str, other: str) -> bool:
    return path != other and path.startswith(other) and (not other or path[len(other)] in ".[")


@cache
def _validator(options_of: str = "") -> Draft202012Validator:
    """Of the whole form, or of one product's own words."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415  # a tenth of a second, for those who read a stack
    from jsonschema.validators import extend  # noqa: PLC0415

    kind = extend(  # type: ignore[no-untyped-call]
        Draft202012Validator,
        validators={
            "additionalProperties": _additional_properties,
            "required": _required,
            "format": _format,
            "x-positive": _positive,
            "x-most": _most,
            "x-not-yet": _not_yet,
        },
    )
    return cast("Draft202012Validator", kind(_options_schema(options_of) if options_of else flat_schema()))


def _options_schema(backend: str) -> Schema:
    path = _FOLDER / "options" / f"{backend}.json"
    return cast("Schema", json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def _error(message: str, *path: str) -> ValidationError:
    from jsonschema import ValidationError  # noqa: PLC0415  # see _validator

    return ValidationError(message, path=path)


def _additional_properties(
    validator: Draft202012Validator, allowed: object, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    if not isinstance(instance, Mapping) or allowed is True:
        return
    known = properties_of(schema)
    for key in instance:
        if key in known:
            continue
        if isinstance(allowed, Mapping):
            yield from validator.descend(instance[key], allowed, path=key)
        else:
            yield _error(f"unknown key; {nearest(key, known)}allowed: {listed(known)}", key)


def _required(
    _validator: Draft202012Validator, required: list[str], instance: object, schema: Schema
) -> Iterator[ValidationError]:
    if not isinstance(instance, Mapping):
        return
    for key in required:
        if key not in instance:
            yield _error(f"missing; {_wanted(properties_of(schema).get(key, {}))}", key)


def _wanted(schema: Schema) -> str:
    """What to write where a key is missing."""
    if "examples" in schema:
        return f'write e.g. "{cast("list[str]", schema["examples"])[0]}"'
    if "x-reads" in schema:
        return f"write {schema['x-reads']}"
    keys = cast("list[str]", schema.get("required")) or list(properties_of(schema))
    return f"write it with {listed(keys)}" if keys else "write a list, one item (- …) each"


def _format(
    _validator: Draft202012Validator, name: str, instance: object, _schema: Schema
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and (message := quantity_fault(name, instance)):
        yield _error(message)


def _positive(
    _validator: Draft202012Validator, _wanted: object, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    if isinstance(instance, str) and quantity_fault(str(schema["format"]), instance, above_zero=True):
        yield _error(f"{shown(instance)} makes no sense here; write more than zero")


def _most(_validator: Draft202012Validator, most: str, instance: object, schema: Schema) -> Iterator[ValidationError]:
    if isinstance(instance, str) and quantity_fault(str(schema["format"]), instance, most=most):
        yield _error(f"{shown(instance)} is more than {most}, the most that can be planned")


def _not_yet(
    _validator: Draft202012Validator, missing: object, instance: object, schema: Schema
) -> Iterator[ValidationError]:
    if instance is None:
        return
    if isinstance(missing, str):
        yield _error(f"not yet honoured: {missing}; leave it out")
    elif isinstance(missing, Mapping) and isinstance(instance, str) and instance in missing:
        honoured = [word for word in cast("list[object]", schema["enum"]) if word is not None and word not in missing]
        yield _error(f"{shown(instance)} is not yet honoured: {missing[instance]}; allowed: {listed(honoured)}")
