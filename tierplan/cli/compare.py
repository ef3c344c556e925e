"""Every candidate beside every rejection: the pins of the hot tier are set aside, the pinned one is marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from tierplan.cli.texts import option_words, table, wrapped
from tierplan.codec import encode
from tierplan.domain.facts import Catalogue
from tierplan.domain.stack import OptionValue, Stack, TierPins
from tierplan.plan import make_plan
from tierplan.units import Bandwidth, Size

Row = dict[str, object]
Options = Mapping[str, OptionValue]


def comparison(stack: Stack, catalogue: Catalogue) -> dict[str, object]:
    """Candidates, best first, and rejections of the hot tier when nothing of it is pinned."""
    free = replace(stack, tiers=replace(stack.tiers, hot=TierPins(backend="auto")))
    plan = make_plan(free, catalogue)
    return {
        "stack": stack.name,
        "pinned": stack.tiers.hot.backend,
        "candidates": [encode(one, "plain") for one in plan.candidates if one.tier == "hot"],
        "rejections": [encode(one, "plain") for one in plan.rejections if one.tier == "hot"],
        "path_choice": plan.path_choice,
        "path_disagreement": plan.path_disagreement,
    }


def comparison_lines(found: dict[str, object]) -> list[str]:
    """The comparison for a terminal."""
    candidates = cast("list[Row]", found["candidates"])
    rows: list[tuple[str, ...]] = [("", "hot tier", "nodes", "beside", "layout", "raw", "read", "write", "bound by")]
    rows += [_row(one, str(found["pinned"])) for one in candidates]
    lines = [f"{found['stack']}: {len(candidates)} candidates, fewest machines first (* pinned by the stack)"]
    lines += table(rows)
    for one in cast("list[Row]", found["rejections"]):
        lines += wrapped(f"- {one['backend']}: {one['reason']}", indent=4)
    lines.append(f"decision path: {found['path_choice']}")
    if found["path_disagreement"]:
        lines += wrapped(f"  {found['path_disagreement']}", indent=2)
    return lines


def _row(one: Row, pinned: str) -> tuple[str, ...]:
    return (
        "*" if one["backend"] == pinned else "",
        " ".join(word for word in (str(one["backend"]), option_words(cast("Options", one["options"]))) if word),
        str(one["nodes"]),
        str(one["nodes_beside"] or ""),
        str(one["layout"]),
        Size(cast("float", one["raw_bytes"])).show(),
        Bandwidth(cast("float", one["read_bytes_per_s"])).show(),
        Bandwidth(cast("float", one["write_bytes_per_s"])).show(),
        str(one["bound_by"]),
    )
