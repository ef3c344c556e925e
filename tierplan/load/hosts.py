"""The hosts file of a stack (`operations.hosts`): real names, addresses and devices for rendered files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, cast

import jsonschema

from tierplan import codec
from tierplan.domain.hosts import Hosts, host_faults
from tierplan.errors import InputError
from tierplan.load.document import Document, UnreadableError, read_document
from tierplan.load.faults import Fault, input_error, join, listed, nearest, shown

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

MOST_BYTES = 1 << 20


def read_hosts_file(path: Path, *, shown_as: str = "") -> Hosts:
    """
    A hosts file as `Hosts`.

    Raises:   InputError with one line for each fault
    """
    return hosts_from_text(_text(path, shown_as or str(path)), where=shown_as or str(path))


def hosts_from_text(text: str, *, where: str) -> Hosts:
    """
    The YAML text of a hosts file as `Hosts`; `where` names it in messages.

    Raises:   InputError with one line for each fault
    """
    try:
        document = read_document(text)
    except UnreadableError as error:
        raise input_error([error.fault], where=where, lines={}) from None
    faults = [*document.faults, *_schema_faults(document.value)]
    if faults:
        raise input_error(faults, where=where, lines=document.lines)
    return _checked(document, where)


def _checked(document: Document, where: str) -> Hosts:
    hosts = codec.decode(Hosts, cast("Mapping[str, object]", document.value), "form")
    faults = [Fault(path=path, message=message) for path, message in host_faults(hosts)]
    if faults:
        raise input_error(faults, where=where, lines=document.lines)
    return hosts


def _text(path: Path, where: str) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            message = f"{where}: is larger than 1 MiB; a hosts file is a short list"
            raise InputError(message)
        return path.read_text(encoding="utf-8")
    except OSError as error:
        message = f"{where}: cannot be read ({error.strerror}); write it, or leave operations.hosts out"
        raise InputError(message) from None
    except UnicodeDecodeError:
        message = f"{where}: is not UTF-8 text; save it as UTF-8"
        raise InputError(message) from None


def _schema_faults(value: object) -> Iterator[Fault]:
    for error in _validator().iter_errors(value):
        yield from _fault(error)


def _fault(error: ValidationError) -> Iterator[Fault]:
    """One fault of the schema in the words of the form."""
    path = ""
    for key in error.absolute_path:
        path = join(path, key)
    rule, allowed = str(error.validator), cast("object", error.validator_value)
    given = cast("object", error.instance)
    if rule == "additionalProperties":
        schema = cast("Mapping[str, Mapping[str, object]]", error.schema)
        known = sorted(schema["properties"])
        for key in sorted(set(cast("Mapping[str, object]", given)) - set(known)):
            message = f"unknown key; {nearest(key, known)}allowed: {listed(known)}"
            yield Fault(path=join(path, key), message=message)
    elif rule == "required":
        missing = [key for key in cast("list[str]", allowed) if key not in cast("Mapping[str, object]", given)]
        yield Fault(path=path, message=f"has no {listed(missing)}; write it")
    else:
        yield Fault(path=path, message=f"{shown(given)} {_rule_words(rule, allowed)}")


def _rule_words(rule: str, allowed: object) -> str:
    kinds = {"object": "a map of keys", "array": "a list", "string": "text; put it in quotes"}
    words = {
        "type": f"is not {kinds.get(str(allowed), str(allowed))}",
        "minItems": f"has too few items; at least {allowed}",
        "maxItems": f"has too many items; at most {allowed}",
        "minLength": f"is too short; at least {allowed} characters",
        "maxLength": f"is too long; at most {allowed} characters",
        "minProperties": "is empty; name hot, cold or clients",
    }
    return words.get(rule, f"breaks the rule {rule}: {allowed}")


@cache
def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(resources.files("tierplan").joinpath("schemas/hosts.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)
