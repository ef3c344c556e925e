"""
Setting keys in the text of a stack file and leaving every other character as it is, comments first of all.

PyYAML says where each value begins and ends; what is set replaces that span, or goes behind the last key of its block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import yaml

from tierplan.errors import InputError
from tierplan.existing.nouns import Value
from tierplan.load.write import entry_lines, flow_text

STEP = 2


def set_value(text: str, path: Sequence[str], value: Value) -> str:
    """
    The text with one key set; the blocks that it stands in are made where they are missing.

    Raises:   InputError if something on the way is no map, or is an anchor of another
    """
    node = _root(text)
    for depth, key in enumerate(path):
        if _is_null(node):
            return _filled(text, node, _nested(path[depth:], value))
        if not isinstance(node, yaml.MappingNode):
            message = f"{'.'.join(path[:depth])}: is no map of keys; write it as one"
            raise InputError(message)
        child = next((item for name, item in node.value if name.value == key), None)
        if child is None:
            return _added(text, node, _nested(path[depth:], value))
        node = child
    if isinstance(node, yaml.CollectionNode) and not node.flow_style:
        message = f"{'.'.join(path)}: is written over several lines; write it on one and import again"
        raise InputError(message)
    return _replaced(text, node, flow_text(value))


def line_of(text: str, path: Sequence[str]) -> int | None:
    """The line, from 0, on which a key stands; None where it is missing."""
    node = _root(text)
    line = None
    for key in path:
        if not isinstance(node, yaml.MappingNode):
            return None
        found = next(((name, item) for name, item in node.value if name.value == key), None)
        if found is None:
            return None
        line, node = found[0].start_mark.line, found[1]
    return line


def _root(text: str) -> yaml.Node:
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        message = "the stack file is empty; tierplan init makes a starter"
        raise InputError(message)
    return node


def _is_null(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.tag == "tag:yaml.org,2002:null"


def _nested(path: Sequence[str], value: Value) -> dict[str, Value]:
    made: Value = value
    for key in reversed(path):
        made = {key: made}
    return made if isinstance(made, dict) else {}


def _replaced(text: str, node: yaml.Node, new: str) -> str:
    return text[: node.start_mark.index] + new + text[node.end_mark.index :]


def _filled(text: str, node: yaml.Node, entries: Mapping[str, Value]) -> str:
    """A key that has no value yet gets one in braces."""
    new = flow_text(dict(entries))
    gap = "" if node.end_mark.index > node.start_mark.index or text[: node.start_mark.index].endswith(" ") else " "
    return _replaced(text, node, gap + new)


def _added(text: str, node: yaml.MappingNode, entries: Mapping[str, Value]) -> str:
    if node.flow_style:
        inner = flow_text(dict(entries))[1:-1]
        at = node.value[-1][1].end_mark.index if node.value else node.start_mark.index + 1
        return text[:at] + (", " if node.value else "") + inner + text[at:]
    column = node.value[0][0].start_mark.column
    lines = [line for key, value in entries.items() for line in entry_lines(key, value, indent=column)]
    at = _line_end(text, _last(node))
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[:at] + newline + newline.join(lines) + text[at:]


def _last(node: yaml.Node) -> int:
    """The last character of a node; a block's own mark lies behind the comments that follow it."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style and node.value:
        return _last(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and not node.flow_style and node.value:
        return _last(node.value[-1])
    return int(node.end_mark.index)


def _line_end(text: str, at: int) -> int:
    ends = [end for end in (text.find("\r\n", at), text.find("\n", at)) if end >= 0]
    return min(ends) if ends else len(text)
