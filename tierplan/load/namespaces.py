"""
A Pulumi stack file -> the document of the stack form: what stands under ``config:`` in the namespace ``tierplan``.

Pulumi's own keys and the namespaces of others are left alone; what was meant for tierplan and stands elsewhere is a
fault, and is read all the same, so that its own faults come out in the same run.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator

from tierplan.load.document import Document
from tierplan.load.faults import Fault, listed, nearest, shown
from tierplan.load.schema import flat_schema, properties_of

NAMESPACE = "tierplan"
_PULUMI = ("config", "encryptionsalt", "encryptedkey", "secretsprovider", "environment")


def form_document(file: Document) -> Document:
    """The form's part of a stack file, its lines and faults under the key paths of the form."""
    form = Document(value={})
    moved: dict[str, str] = {"config": ""}
    known = properties_of(flat_schema())
    if isinstance(file.value, dict):
        values: dict[str, object] = {}
        for raw, key, value in _entries(file, form.faults, tuple(known)):
            if key in values:
                first = next(path for path, name in moved.items() if name == key)
                spelt = f"{file.lines[first]} as {first.removeprefix('config.')}"
                message = f"duplicate key, first at line {spelt}; keep one"
                form.faults.append(Fault(path=key, message=message, line=file.lines[raw]))
                continue
            values[key] = value
            moved[raw] = key
        form.value = values
    else:
        form.faults.append(Fault(path="", message=f"holds {shown(file.value)}; a stack file is a map with config:"))
    _carry(file, form, moved)
    return form


def _entries(file: Document, faults: list[Fault], known: tuple[str, ...]) -> Iterator[tuple[str, str, object]]:
    """Path in the file, key of the form and value of all that is meant for tierplan."""
    top = file.value if isinstance(file.value, dict) else {}
    config = top.get("config")
    if isinstance(config, dict):
        for name, value in config.items():
            if (key := _config_key(name, known, faults, file.lines)) is not None:
                yield f"config.{name}", key, value
    elif config is not None:
        faults.append(Fault(path="", message=f"config: holds {shown(config)}; write a map", line=file.lines["config"]))
    strays = [name for name in top if name not in _PULUMI]
    meant = [name for name in strays if name.startswith(f"{NAMESPACE}:") or name in known]
    faults.extend(_stray_faults(strays, meant, file))
    for name in meant:
        yield name, name.removeprefix(f"{NAMESPACE}:"), top[name]


def _stray_faults(strays: list[str], meant: list[str], file: Document) -> Iterator[Fault]:
    for name in strays:
        if name not in meant and ":" not in name:
            message = f"unknown key; {nearest(name, _PULUMI)}allowed: {listed(_PULUMI)}"
            yield Fault(path=name, message=message, line=file.lines[name])
    if meant:
        message = f"{listed(meant)}: outside config:; indent under it as {_qualified(meant[0])}"
        yield Fault(path="", message=message, line=file.lines[meant[0]])
    elif isinstance(file.value, dict) and file.value.get("config") is None and not strays:
        yield Fault(path="", message=f"no config:; write config: and under it {NAMESPACE}:cluster and the other keys")


def _config_key(name: str, known: tuple[str, ...], faults: list[Fault], lines: dict[str, int]) -> str | None:
    """The form's key of a config key; None for a namespace of others. Without one, Pulumi takes the project's name."""
    namespace, colon, key = name.partition(":")
    if not colon:
        return name
    if namespace == NAMESPACE:
        return key or name
    if key in known and difflib.SequenceMatcher(None, namespace.lower(), NAMESPACE).ratio() > 0.75:
        message = f"unknown namespace {namespace}; did you mean {NAMESPACE}:{key}?"
        faults.append(Fault(path=name, message=message, line=lines[f"config.{name}"]))
        return key
    return None


def _qualified(name: str) -> str:
    return name if ":" in name else f"{NAMESPACE}:{name}"


def _carry(file: Document, form: Document, moved: dict[str, str]) -> None:
    """Lines and faults of the file under their new paths; those of others stay behind."""
    for path, line in file.lines.items():
        if (new := _moved(path, moved)) is not None:
            form.lines[new] = line
    for fault in file.faults:
        new = _moved(fault.path, moved)
        form.faults.append(Fault(path=new or fault.path, message=fault.message, line=fault.line))


def _moved(path: str, moved: dict[str, str]) -> str | None:
    if path in moved:
        return moved[path]
    end = len(path)
    while (end := max(path.rfind(".", 0, end), path.rfind("[", 0, end))) > 0:
        if path[:end] in moved and path[:end] != "config":
            return moved[path[:end]] + path[end:]
    return None
