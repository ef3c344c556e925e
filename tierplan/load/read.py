"""A document of the stack form -> `Stack`: tidied, judged, completed, judged again, made a noun."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import cast

from tierplan.codec import decode
from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load.document import Document, UnreadableError, read_document
from tierplan.load.faults import Fault, input_error, shown
from tierplan.load.fill import Block, Draft, fill
from tierplan.load.namespaces import form_document
from tierplan.load.rules import stack_faults
from tierplan.load.schema import flat_schema, tidy, validate


def stack_from_document(document: Mapping[str, object], *, name: str, where: str) -> Stack:
    """
    A plain nested document of the stack form, without the namespace, as a `Stack`.

    `where` is what messages call it.

    Raises:   InputError with one line for each fault
    """
    return _stack(Document(value=document), name=name, where=where)


def stack_from_text(text: str, *, name: str, where: str) -> Stack:
    """
    The text of a Pulumi stack file as a `Stack`.

    Raises:   InputError with one line for each fault
    """
    try:
        file = read_document(text)
    except UnreadableError as error:
        raise input_error([error.fault], where=where, lines={}) from None
    form = form_document(file)
    if form.faults and not form.value:
        raise input_error(form.faults, where=where, lines=form.lines)
    return _stack(form, name=name, where=where)


def _stack(form: Document, *, name: str, where: str) -> Stack:
    return noun_of(completed(form, where=where), name=name, where=where, lines=form.lines)


def completed(form: Document, *, where: str) -> Draft:
    """
    The document tidied, judged, completed and judged again.

    Raises:   InputError with one line for each fault
    """
    faults = list(form.faults)
    if not isinstance(form.value, Mapping):
        faults.append(Fault(path="", message=f"holds {shown(form.value)}; a stack is a map of keys"))
        raise input_error(faults, where=where, lines=form.lines)
    # A top-level key without a value reaches a Pulumi program as an empty text.
    present = {key: value for key, value in form.value.items() if value != ""}
    document = cast("Block", tidy(present, flat_schema(), "", faults))
    told = {fault.path for fault in faults}
    faults += (fault for fault in validate(document) if fault.path not in told)
    spoilt = {path for fault in faults for path in (fault.path, fault.meant) if path}
    draft = Draft(document=document, spoilt=spoilt)
    _prune(document, spoilt)
    fill(draft)
    faults += draft.faults
    faults += stack_faults(draft)
    if faults:
        raise input_error(faults, where=where, lines=form.lines)
    return draft


def noun_of(draft: Draft, *, name: str, where: str, lines: Mapping[str, int]) -> Stack:
    """A completed document as the noun."""
    try:
        stack = decode(Stack, {"name": name, **draft.document}, "form")
    except InputError as error:
        raise InputError(f"{where}: {fault}" for fault in error.faults) from None
    return replace(stack, origins=draft.origins, lines=lines)


def _prune(document: Block, paths: Iterable[str]) -> None:
    """Take what is faulty out; an item of a list leaves a hole, so that its neighbours keep their numbers."""
    for path in paths:
        block: object = document
        steps = path.replace("[", ".[").split(".")
        for step in steps[:-1]:
            block = _child(block, step)
        last = steps[-1]
        if isinstance(block, dict):
            block.pop(last, None)
        elif isinstance(block, list) and (index := _index(last, block)) is not None:
            block[index] = None


def _child(block: object, step: str) -> object:
    if isinstance(block, dict):
        return block.get(step)
    if isinstance(block, list) and (index := _index(step, block)) is not None:
        return block[index]
    return None


def _index(step: str, block: list[object]) -> int | None:
    digits = step[1:-1]
    return int(digits) if digits.isdecimal() and int(digits) < len(block) else None
