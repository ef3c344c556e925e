"""A statement as Markdown, and as one HTML file that asks nothing of any other place."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import jinja2

from tierplan.report.statement import Statement

FOLDER = Path(__file__).parent.parent / "templates" / "report"


def markdown(page: Statement) -> str:
    """The statement as Markdown; pictures are HTML's alone, their figures stand in the tables."""
    return _templates().get_template("statement.md.j2").render(page=page)


def html(page: Statement) -> str:
    """The statement as one HTML file: light and dark, for screens and for paper."""
    return _templates().get_template("statement.html.j2").render(page=page)


@cache
def _templates() -> jinja2.Environment:
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        undefined=jinja2.StrictUndefined,
        autoescape=jinja2.select_autoescape(["html.j2"]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    found.filters["cell"] = _cell
    return found


def _cell(text: str) -> str:
    """Text that stays one cell of a Markdown table."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")
