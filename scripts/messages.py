"""
The messages of the report: out of the source into the catalogues, and compiled.

    python scripts/messages.py        writes report.po and report.mo of each language; 1 if anything is untranslated
"""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from tierplan.report.language import FOLDER, LANGUAGES
from tierplan.report.rules import titles

SOURCE = FOLDER.parent
NEVER = datetime(2026, 1, 1, tzinfo=UTC)  # the same messages give the same bytes, whenever that is
KEYWORDS = {"say": None, "N_": None}


def messages() -> Iterator[tuple[str, str]]:
    """Every message with what it is: those marked in the report, and the title of each rule."""
    with contextlib.redirect_stderr(io.StringIO()):  # it tells of each figure that stands beside a message
        found = list(extract_from_dir(SOURCE, method_map=[("**.py", "python")], keywords=KEYWORDS))
    for _file, _line, message, _comments, _context in found:
        yield (message if isinstance(message, str) else message[0]), "report"
    for rule, title in sorted(titles().items()):
        yield title, f"rule {rule}"


def catalogue_path(name: str) -> Path:
    """The catalogue of a language."""
    return FOLDER / name / "LC_MESSAGES" / "report.po"


def known(name: str) -> Catalog:
    """The catalogue of a language as it stands."""
    path = catalogue_path(name)
    if not path.exists():
        return Catalog(locale=name)
    with path.open("rb") as file:
        return read_po(file, locale=name)


def updated(name: str) -> Catalog:
    """A catalogue with exactly the messages of the source, and the translations that are known."""
    before = known(name)
    after = Catalog(locale=name, project="tierplan", header_comment="# Messages of the report.", fuzzy=False)
    for message, what in sorted(set(messages())):
        found = before.get(message)
        entry = after.add(message, string=found.string if found else "")
        if what not in entry.auto_comments:
            entry.auto_comments.append(what)
    return after


def text_of(catalogue: Catalog) -> bytes:
    """The catalogue as its file holds it: without dates, so that the same messages give the same bytes."""
    out = io.BytesIO()
    write_po(out, catalogue, omit_header=True, sort_output=True, width=120)
    return b'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n\n' + out.getvalue()


def compiled(catalogue: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    out = io.BytesIO()
    plain = Catalog(locale=catalogue.locale, fuzzy=False, creation_date=NEVER, revision_date=NEVER)
    for message in catalogue:
        if message.id and message.string:
            plain.add(message.id, string=message.string)
    write_mo(out, plain)
    return out.getvalue()


def main() -> int:
    """Bring every catalogue up to date."""
    missing = 0
    for name in LANGUAGES[1:]:
        catalogue = updated(name)
        path = catalogue_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text_of(catalogue))
        path.with_suffix(".mo").write_bytes(compiled(catalogue))
        open_ = [message.id for message in catalogue if message.id and not message.string]
        for message in open_:
            print(f"{path}: not translated: {message}", file=sys.stderr)
        missing += len(open_)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
