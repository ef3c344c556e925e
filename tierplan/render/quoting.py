"""
One quoting filter for each format of a rendered file, and the guard that nothing is printed without one.

A value stands in the field that its template gives it and nowhere else, whatever it holds: quotes, line breaks,
``$(…)``, ``{{``.  What a format cannot hold at all (a NUL byte; a line break in an INI file) is refused.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape

import yaml
from jinja2 import Undefined

from tierplan.errors import RenderError

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
_IMPOSSIBLE = re.compile(r"[\x00\ud800-\udfff]")
_INI_SPECIAL = re.compile(r"[\s;#\"'\\\[\]=]|\A\Z")
_FSTAB_SPECIAL = re.compile(r"[\x00-\x20#\\\x7f]")
_MARKDOWN_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~&])")


class Quoted(str):
    """Text that is safe where its format puts it."""

    __slots__ = ()


def sh(value: object) -> Quoted:
    """
    A shell word; a list becomes several words.

    >>> sh("a b; $(x)"), sh(["x", "y z"]), sh(3)
    ("'a b; $(x)'", "x 'y z'", '3')
    """
    if isinstance(value, list | tuple):
        return Quoted(" ".join(sh(item) for item in value))
    return Quoted(shlex.quote(_plain(value)))


def yaml_value(value: object) -> Quoted:
    r"""
    A YAML value on one line; lists and maps in flow style.

    >>> print(yaml_value("a: b\n#"), yaml_value(["x", 1]), yaml_value(True))
    "a: b\n#" ["x", 1] true
    """
    text = yaml.dump(
        _checked(value),
        Dumper=_Dumper,
        default_flow_style=True,
        allow_unicode=True,
        width=float("inf"),
        sort_keys=False,
    )
    return Quoted(text.removesuffix("...\n").rstrip("\n"))


def json_value(value: object) -> Quoted:
    """A JSON value."""
    return Quoted(json.dumps(_checked(value), ensure_ascii=True, sort_keys=False))


def pretty_json(value: object) -> Quoted:
    """A JSON document over several lines."""
    return Quoted(json.dumps(_checked(value), ensure_ascii=True, sort_keys=False, indent=2))


def xml(value: object) -> Quoted:
    """
    Text of an XML element.

    >>> print(xml("a<b & c"))
    a&lt;b &amp; c
    """
    return Quoted(escape(_plain(value)))


def ini(value: object) -> Quoted:
    """
    The value of one INI key; quoted where a sign of the format is in it.

    >>> print(ini("10.0.0.0/8"), ini("a ; b"))
    10.0.0.0/8 "a ; b"
    """
    text = _plain(value)
    if _CONTROL.search(text):
        message = f"{text!r}: an INI value holds no line breaks or control characters; write plain text"
        raise RenderError(message)
    if not _INI_SPECIAL.search(text):
        return Quoted(text)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return Quoted(f'"{escaped}"')


def fstab(value: object) -> Quoted:
    r"""
    One field of ``/etc/fstab``.

    >>> print(fstab("/mnt/a b"))
    /mnt/a\040b
    """
    return Quoted(_FSTAB_SPECIAL.sub(lambda match: f"\\{ord(match[0]):03o}", _plain(value)))


def comment(value: object) -> Quoted:
    r"""
    Text behind a comment sign: never more than one line.

    >>> print(comment("x\nrm -rf /"))
    x\nrm -rf /
    """
    text = value if isinstance(value, str) else str(value)
    return Quoted(_CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text))


def markdown(value: object) -> Quoted:
    """Text within a line of a Markdown file: one line, no mark-up of its own."""
    return Quoted(_MARKDOWN_SPECIAL.sub(r"\\\1", comment(value)))


def alert(value: object) -> Quoted:
    """
    A YAML text that Prometheus prints as it is: it would read ``{{`` as a template of its own.

    >>> print(alert("{{ x }}"))
    "{{ `{{` }} x }}"
    """
    return yaml_value(_plain(value).replace("{{", "{{ `{{` }}"))


FILTERS: Mapping[str, Callable[[object], Quoted]] = {
    "sh": sh,
    "yaml": yaml_value,
    "json": json_value,
    "pretty_json": pretty_json,
    "xml": xml,
    "ini": ini,
    "fstab": fstab,
    "comment": comment,
    "markdown": markdown,
    "alert": alert,
}


def only_quoted(value: object) -> object:
    """
    Let through what came out of a filter, and whole numbers.

    Raises:   RenderError for anything else: the template forgot its filter
    """
    if isinstance(value, Undefined):
        return _plain(value)
    if isinstance(value, Quoted) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    message = f"{value!r} is printed without a quoting filter ({', '.join(FILTERS)})"
    raise RenderError(message)


class _Dumper(yaml.SafeDumper):
    """Every text in double quotes: no text becomes a number, a date or a key by accident."""

    def ignore_aliases(self, data: object) -> bool:
        """Write a value that stands twice out twice."""
        del data
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')


_Dumper.add_representer(str, _text)


def _plain(value: object) -> str:
    """A text or a number as text that any format can hold; an undefined value raises in its own words."""
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        message = f"{value!r} is neither text nor a number"
        raise RenderError(message)
    text = str(value) if not isinstance(value, float) else f"{value:.15g}"
    if _IMPOSSIBLE.search(text):
        message = f"{text!r} holds a character that no file can; leave it out"
        raise RenderError(message)
    return text


def _checked(value: object) -> object:
    """Lists and maps of texts and numbers, all of them writable."""
    if isinstance(value, list | tuple):
        return [_checked(item) for item in value]
    if isinstance(value, Mapping):
        return {_plain(key): _checked(item) for key, item in value.items()}
    if value is None or isinstance(value, bool | int | float):
        return value
    return _plain(value)
