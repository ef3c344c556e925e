"""What a kind of site calls its network: a file for each cloud, ``schemas/network/<kind>.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).parent.parent / "schemas" / "network"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteWords:
    """How each id of `site.network` is spelt, with an example; and how a starter writes the site."""

    ids: Mapping[str, tuple[str, str]]
    starter: tuple[str, ...]


@cache
def site_words(kind: str) -> SiteWords | None:
    """The words of a kind of site; None of one that has none."""
    path = _FOLDER / f"{kind}.json"
    if kind not in site_kinds():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    return SiteWords(
        ids={name: (word["form"], word["example"]) for name, word in found["ids"].items()},
        starter=tuple(found["starter"]),
    )


@cache
def site_kinds() -> tuple[str, ...]:
    """The clouds that have words."""
    return tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))
