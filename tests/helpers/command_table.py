"""Shell text of rendered files held against a sourced table of a product's commands and options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import TypeAlias, TypedDict, cast

import yaml


class Row(TypedDict, total=False):
    """A command: where it is documented, and what may follow it."""

    source: str
    arguments: list[int | None]
    options: dict[str, str]
    pairs: list[str]


class Fields(TypedDict):
    """The words of one kind of file."""

    source: str
    names: list[str]


class Table(TypedDict):
    """One product's table."""

    sources: dict[str, str]
    commands: dict[str, Row]
    fields: dict[str, Fields]


Rows: TypeAlias = Mapping[str, Row]


def table(name: str) -> Table:
    """The product's table."""
    text = resources.files("tierplan").joinpath(f"catalogue/options/{name}.yaml").read_text(encoding="utf-8")
    return cast("Table", yaml.safe_load(text))


def commands(text: str, programs: set[str]) -> Iterator[list[str]]:
    """Every call of one of these programs, as words, in pipes, substitutions and behind `on HOST` alike."""
    for line in re.sub(r"\$\(\((.*?)\)\)", "1", text.replace("\\\n", " ")).splitlines():
        if line.lstrip().startswith("#"):
            continue
        for found in re.finditer(
            rf'(?:^|[;|({{]|&&|on (?:"\$\w+"|[\w.-]+))\s*((?:{"|".join(map(re.escape, programs))})\b[^\n]*)', line
        ):
            rest = re.split(r"[;|]|&&|\s>|<\(|\)\"?(?:\s|$|\])", found[1])[0]
            yield shlex.split(rest.replace('"${', "'{").replace('}"', "}'"))


def faults(words: list[str], rows: Rows) -> list[str]:
    """What of a command line is not in the table."""
    name = max((one for one in rows if words[: len(one.split())] == one.split()), key=len, default="")
    if not name:
        return [f"no such command: {' '.join(words[:3])}"]
    row, rest = rows[name], words[len(name.split()) :]
    found: list[str] = []
    arguments: list[str] = []
    while rest:
        word = rest.pop(0)
        option, equals, _ = word.partition("=")
        if not word.startswith("-"):
            if equals and option not in row.get("pairs", ()):
                found.append(f"{name}: no key {option}")
            arguments += [] if equals else [word]
            continue
        kind = row.get("options", {}).get(option)
        if kind is None:
            found.append(f"{name}: no option {option}")
        elif kind == "value" and not equals:
            rest = rest[1:]
    fewest, most = row.get("arguments", [0, 0])
    if len(arguments) < (fewest or 0) or (most is not None and len(arguments) > most):
        found.append(f"{name}: {len(arguments)} words: {arguments}")
    return found


def unknown(files: Mapping[str, str], name: str) -> tuple[list[str], set[str]]:
    """What scripts and READMEs call that the table does not have, and the rows that were called."""
    rows = table(name)["commands"]
    found: list[str] = []
    used: set[str] = set()
    for path, text in files.items():
        shell = text if path.endswith(".sh") else "\n".join(re.findall(r"```bash\n(.*?)```", text, flags=re.DOTALL))
        if not path.endswith((".sh", ".md")):
            continue
        for words in commands(shell, {row.split()[0] for row in rows}):
            found += [f"{path}: {fault}" for fault in faults(words, rows)]
            used |= {row for row in rows if words[: len(row.split())] == row.split()}
    return found, used
