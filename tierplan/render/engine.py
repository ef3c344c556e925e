"""Templates by backend, one folder each: strict Jinja2, nothing printed without a quoting filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

import jinja2

from tierplan.errors import RenderError
from tierplan.render.quoting import FILTERS, only_quoted

ROOT = "templates"
SUFFIX = ".j2"


def template_names(folder: str) -> tuple[str, ...]:
    """The templates of one folder, in order; parts (``_name.j2``) are not files of their own."""
    root = resources.files("tierplan") / ROOT / folder
    return tuple(sorted(_walk(root, folder))) if root.is_dir() else ()


def rendered(template: str, context: Mapping[str, object]) -> str:
    """
    One template with its values; ``""`` where it has nothing to say for this plan.

    Raises:   RenderError if a value is missing or is printed without a filter
    """
    try:
        text = _environment().get_template(template).render(context)
    except jinja2.TemplateError as error:
        message = f"templates/{template}: {error}"
        raise RenderError(message) from None
    except RenderError as error:
        message = f"templates/{template}: {error}"
        raise RenderError(message) from None
    return text.strip("\n") + "\n" if text.strip() else ""


def _walk(folder: Traversable, name: str) -> Iterator[str]:
    for entry in folder.iterdir():
        path = f"{name}/{entry.name}"
        if entry.is_dir():
            yield from _walk(entry, path)
        elif entry.name.endswith(SUFFIX) and not entry.name.startswith("_"):
            yield path


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("tierplan", ROOT),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701  # the files are no HTML; `only_quoted` lets nothing pass unquoted
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=only_quoted,
    )
    environment.filters.update(FILTERS)
    return environment
