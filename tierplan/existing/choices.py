"""A tier's choices by key path, and when two of them mean the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.codec import encode
from tierplan.domain.tiers import TierConfig
from tierplan.existing.nouns import Value
from tierplan.units import Bandwidth, Size

CHOSEN = ("nodes", "node", "layout", "quote", "options")
LAYOUTS = {
    "erasure-code": ("data_units", "parity_units", "hot_spares", "failure_domain"),
    "replicas": ("replicas", "hot_spares", "failure_domain"),
}
NEAR: Mapping[str, float] = {"node.drive.size": 0.05}
"""Key path -> how far what a system reports may be off: it leaves formatting out, or rounds to TiB."""


def config_pins(config: TierConfig) -> dict[str, Value]:
    """Everything that is chosen of a tier; of a managed service only its options."""
    form = encode(config, "form")
    layout = form.get("layout")
    if isinstance(layout, dict):
        words = LAYOUTS.get(config.layout.kind, ())
        form["layout"] = {word: value for word, value in layout.items() if word in words}
    chosen = CHOSEN if config.layout.kind != "none" or config.node.drives else ("options",)
    return {path: value for word in chosen for path, value in flat(form.get(word), word)}


def flat(value: object, path: str) -> Iterator[tuple[str, Value]]:
    """The leaves below a key path; a list is one of them."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from flat(one, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        yield path, list(value)
    elif isinstance(value, int | float | str | bool):
        yield path, value


def same(path: str, one: Value, other: Value) -> bool:
    """Whether two values of a key mean the same: in whatever unit, and as near as a system reports it."""
    for kind in (Size, Bandwidth):
        first, second = _base(kind, one), _base(kind, other)
        if first is not None and second is not None:
            return abs(first - second) <= max(NEAR.get(path, 0.0), 1e-9) * max(abs(first), abs(second))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= 1e-9 * max(abs(one), abs(other))
    return one == other


def _base(kind: type[Size | Bandwidth], value: Value) -> float | None:
    if not isinstance(value, str):
        return None
    try:
        return kind.parse(value).base
    except ValueError:
        return None
