"""Where a default comes from: basis and source, as the schema states them beside it."""

from __future__ import annotations

import re
from typing import cast

from tierplan.domain.facts import Basis, Fact
from tierplan.load.schema import Schema, branch, flat_schema, properties_of

_KINDS = ("training", "model-load", "kv-cache", "general")


def default_fact(path: str, *, kind: str | None = None) -> Fact | None:
    """
    The default of a key path as a fact; None if the key has no default or the default claims nothing.

    `kind` is that of the workload, where the path leads through one; without it the first kind that has the key counts.

    >>> str(default_fact("targets.degraded_fraction"))
    "targets.degraded_fraction 0.8 (assumed: tierplan's own choice)"
    """
    for each in (kind,) if kind else _KINDS:
        wanted = _schema_of(path, each)
        if wanted is not None and "x-basis" in wanted:
            return _fact(path, wanted)
    return None


def _schema_of(path: str, kind: str) -> Schema | None:
    node = flat_schema()
    for step in path.split("."):
        key, is_item, _ = step.partition("[")
        known = properties_of(branch(node, {"kind": kind}))
        if key not in known:
            return None
        node = known[key]
        if is_item:
            node = branch(cast("Schema", node.get("items", {})), {"kind": kind})
    return node


def _fact(path: str, wanted: Schema) -> Fact:
    value = wanted.get("default", wanted.get("x-default"))
    number = float(value) if isinstance(value, int | float) else 0.0
    return Fact(
        name=re.sub(r"\[\d+\]", "", path),
        value=number,
        basis=cast("Basis", wanted["x-basis"]),
        source=str(wanted["x-source"]),
        checked=str(wanted.get("x-checked", "")),
        note="" if isinstance(value, int | float) and not isinstance(value, bool) else str(value),
    )
