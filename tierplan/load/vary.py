"""A stack's document with some keys set otherwise: what a sweep plans instead of the file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load.document import read_document
from tierplan.load.faults import listed
from tierplan.load.namespaces import form_document
from tierplan.load.places import beside, calibrated, stack_file
from tierplan.load.read import stack_from_document, stack_from_text

_STEP = re.compile(r"([A-Za-z0-9_-]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The document of a stack file in the stack form, and where its own files lie."""

    name: str
    where: str
    document: Mapping[str, object]
    folder: Path

    def stack(self, settings: Mapping[str, object]) -> Stack:
        """
        The stack with these key paths set.

        Raises:   InputError with one line for each fault
        """
        document: object = self.document
        for path, value in settings.items():
            document = with_value(document, path, value)
        stack = stack_from_document(cast("Mapping[str, object]", document), name=self.name, where=self.where)
        return calibrated(stack, self.folder)


def read_form(stack: str | os.PathLike[str]) -> Form:
    """
    The document of the stack that a name, a path or ``-`` means; the stack itself must be right.

    Raises:   InputError with one line for each fault
    """
    name, where, text = stack_file(stack)
    folder = Path() if os.fspath(stack) == "-" else beside(stack)
    calibrated(stack_from_text(text, name=name, where=where), folder)  # its faults have lines, those of a point none
    form = form_document(read_document(text))
    return Form(name=name, where=where, document=cast("Mapping[str, object]", form.value), folder=folder)


def canonical(document: object, path: str) -> str:
    """
    The key path with the number of each item: the one spelling of what it leads to.

    Raises:   InputError if the path is none, or names no item of a list

    >>> canonical({"workloads": [{"name": "chat"}]}, "workloads.chat.gpus")
    'workloads[0].gpus'
    """
    block, found = document, ""
    for step in _steps(path):
        if isinstance(block, list | tuple):
            index = _index(list(block), step, path)
            block, found = block[index], f"{found}[{index}]"
        else:
            block = block.get(step) if isinstance(block, Mapping) else None
            found = f"{found}[{step}]" if isinstance(step, int) else f"{found}.{step}" if found else step
    return found


def with_value(document: object, path: str, value: object) -> object:
    """
    A copy of the document with the key path set; what lies beside the path is shared.

    A step into a list is its index, or the `name` of its item: ``workloads[0].gpus``, ``workloads.chat.replicas``.

    Raises:   InputError if the path is none, or names no item of a list
    """
    return _set(document, _steps(path), value, path)


def _steps(path: str) -> list[str | int]:
    steps = [word or int(index) for word, index in _STEP.findall(path)]
    if not steps or not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+|\[\d+\])*", path):
        message = f"{path!r} is no key path; write e.g. cluster.gpu_nodes or workloads[0].checkpoint.interval"
        raise InputError(message)
    return steps


def _set(block: object, steps: list[str | int], value: object, path: str) -> object:
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(block, list | tuple):
        items = list(block)
        index = _index(items, step, path)
        items[index] = _set(items[index], rest, value, path)
        return items
    if isinstance(step, int):
        message = f"{path}: [{step}] stands where no list is"
        raise InputError(message)
    entries = dict(block) if isinstance(block, Mapping) else {}
    entries[step] = _set(entries.get(step), rest, value, path)
    return entries


def _index(items: list[object], step: str | int, path: str) -> int:
    names = [str(item.get("name", "")) if isinstance(item, Mapping) else "" for item in items]
    if isinstance(step, str) and step in names:
        return names.index(step)
    if isinstance(step, int) and step < len(items):
        return step
    allowed = listed([name for name in names if name]) if any(names) else f"[0] to [{len(items) - 1}]"
    message = f"{path}: the list has no item {step}; allowed: {allowed}"
    raise InputError(message)
