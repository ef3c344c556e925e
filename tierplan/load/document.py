"""
YAML text -> plain values, with the line of every key.

Built on PyYAML's parser events, without its constructors: values follow `scalars`, duplicate keys are faults, and a
tag makes no object.  Faults that leave the rest readable are collected; a text that is no YAML has only the one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml
from yaml import events

from tierplan.load.faults import Fault, join, shortened
from tierplan.load.scalars import Scalar, plain_scalar

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_CORE = "tag:yaml.org,2002:"
_SCALAR_TAGS = ("int", "float", "bool", "null")
MOST_DEPTH = 40
MOST_VALUES = 100_000


class UnreadableError(Exception):
    """The text as a whole cannot be read."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.fault = Fault(path="", message=message, line=line)


@dataclass(slots=True)
class _Node:
    """A value as it stands in the text; an alias is the very node of its anchor."""

    line: int
    scalar: Scalar = None
    items: list[_Node] | None = None
    entries: list[tuple[str, int, _Node]] | None = None
    open: bool = True


@dataclass(slots=True)
class Document:
    """What a text holds, the line of each key path, and what is wrong with it so far."""

    value: object = None
    lines: dict[str, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)


def read_document(text: str) -> Document:
    """
    The one document of a YAML text.

    Raises:   UnreadableError if it is no YAML, holds none or several, or is a trap (loops, tags, aliases of aliases)
    """
    try:
        root = _Composer(text).root()
    except yaml.YAMLError as fault:
        message, line = _yaml_fault(fault)
        last = max(1, len(text.splitlines()))  # the parser may point behind the end
        raise UnreadableError(message, line and min(line, last)) from None
    document = Document()
    document.value = _Reader(document).value(root, "")
    return document


class _Composer:
    """Events -> nodes, with a limit on depth."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[events.Event] = yaml.parse(text, Loader=_LOADER)
        self._anchors: dict[str, _Node] = {}

    def root(self) -> _Node:
        node = None
        for event in self._events:
            if isinstance(event, events.DocumentStartEvent):
                if node is not None:
                    message = "holds several documents; write one, without ---"
                    raise UnreadableError(message, _line(event))
                node = self._node(next(self._events), 0)
        if node is None:
            message = "is empty; write a stack file (`tierplan init` makes a starter)"
            raise UnreadableError(message)
        return node

    def _node(self, event: events.Event, depth: int) -> _Node:
        if depth > MOST_DEPTH:
            message = f"is nested more than {MOST_DEPTH} levels deep"
            raise UnreadableError(message, _line(event))
        if isinstance(event, events.AliasEvent):
            return self._alias(event)
        node = _Node(_line(event))
        if anchor := getattr(event, "anchor", None):
            self._anchors[anchor] = node
        if isinstance(event, events.ScalarEvent):
            node.scalar = _scalar(event)
        elif isinstance(event, events.SequenceStartEvent):
            _refuse_tag(event, "seq")
            node.items = [self._node(item, depth + 1) for item in self._until(events.SequenceEndEvent)]
        else:
            _refuse_tag(event, "map")
            node.entries = [self._entry(key, depth) for key in self._until(events.MappingEndEvent)]
        node.open = False
        return node

    def _until(self, end: type[events.Event]) -> Iterator[events.Event]:
        while not isinstance(event := next(self._events), end):
            yield event

    def _entry(self, key_event: events.Event, depth: int) -> tuple[str, int, _Node]:
        key = self._node(key_event, depth + 1)
        if key.items is not None or key.entries is not None or key.scalar is None:
            message = "has a key that is no text"
            raise UnreadableError(message, key.line)
        plain_merge = key.scalar == "<<" and not getattr(key_event, "style", None)  # None or "", by parser
        return "\0merge" if plain_merge else _key_text(key.scalar), key.line, self._node(next(self._events), depth + 1)

    def _alias(self, event: events.AliasEvent) -> _Node:
        node = self._anchors.get(str(event.anchor))
        if node is None:
            message = f"*{event.anchor} refers to no anchor"
            raise UnreadableError(message, _line(event))
        if node.open:
            message = f"*{event.anchor} refers to itself: a loop"
            raise UnreadableError(message, _line(event))
        return node


class _Reader:
    """Nodes -> values and lines; merge keys are resolved, duplicate keys kept out."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._count = 0

    def value(self, node: _Node, path: str) -> object:
        self._spend(node)
        if node.items is not None:
            return [self._item(item, join(path, index)) for index, item in enumerate(node.items)]
        if node.entries is not None:
            return self._map(node.entries, path)
        return node.scalar

    def _spend(self, node: _Node) -> None:
        self._count += 1
        if self._count > MOST_VALUES:
            message = f"holds more than {MOST_VALUES:,} values once its aliases are followed"
            raise UnreadableError(message, node.line)

    def _item(self, node: _Node, path: str) -> object:
        self._document.lines[path] = node.line
        return self.value(node, path)

    def _map(self, entries: list[tuple[str, int, _Node]], path: str) -> dict[str, object]:
        own: dict[str, tuple[int, _Node]] = {}
        merged: dict[str, tuple[int, _Node]] = {}
        for key, line, node in entries:
            if key == "\0merge":
                for name, place in self._merged(node).items():
                    merged.setdefault(name, place)
            elif key in own:
                message = f"duplicate key, first at line {own[key][0]}; keep one"
                self._document.faults.append(Fault(path=join(path, key), message=message, line=line))
            else:
                own[key] = (line, node)
        return {key: self._child(line, node, join(path, key)) for key, (line, node) in (merged | own).items()}

    def _merged(self, node: _Node) -> dict[str, tuple[int, _Node]]:
        """What ``<<`` brings in: a map, or a list of maps of which the first counts."""
        found: dict[str, tuple[int, _Node]] = {}
        for source in [node] if node.items is None else node.items:
            self._spend(source)
            if source.entries is None:
                message = "<< merges something that is no map"
                raise UnreadableError(message, source.line)
            for key, line, child in source.entries:
                for name, place in (self._merged(child) if key == "\0merge" else {key: (line, child)}).items():
                    found.setdefault(name, place)
        return found

    def _child(self, line: int, node: _Node, path: str) -> object:
        self._document.lines[path] = line
        return self.value(node, path)


def _scalar(event: events.ScalarEvent) -> Scalar:
    tag = event.tag
    if tag in (None, "!"):
        quoted = bool(event.style) or tag == "!"
        return str(event.value) if quoted else plain_scalar(event.value)
    if tag == f"{_CORE}str":
        return str(event.value)
    if tag.removeprefix(_CORE) in _SCALAR_TAGS and tag.startswith(_CORE):
        return plain_scalar(event.value)
    raise _tag_fault(event)


def _refuse_tag(event: events.Event, kind: str) -> None:
    if getattr(event, "tag", None) not in (None, "!", f"{_CORE}{kind}"):
        raise _tag_fault(event)


def _tag_fault(event: events.Event) -> UnreadableError:
    tag = str(getattr(event, "tag", "")).replace(_CORE, "!!")
    return UnreadableError(f"tag {shortened(tag)} is not allowed: a stack file holds plain values only", _line(event))


def _key_text(scalar: Scalar) -> str:
    if isinstance(scalar, bool):
        return "true" if scalar else "false"
    if isinstance(scalar, float) and scalar.is_integer() and abs(scalar) < 1e15:
        return str(int(scalar))
    return str(scalar)


def _line(event: events.Event) -> int:
    mark = event.start_mark
    return int(mark.line) + 1 if mark is not None else 1


def _yaml_fault(fault: yaml.YAMLError) -> tuple[str, int | None]:
    mark = getattr(fault, "problem_mark", None) or getattr(fault, "context_mark", None)
    problem = getattr(fault, "problem", None) or getattr(fault, "reason", None) or "cannot be read"
    return f"is no YAML: {problem}", int(mark.line) + 1 if mark is not None else None
