"""Every candidate beside every rejection: the pins of the hot tier are set aside, the pinned one is marked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from tierplan.cli.texts import option_words, table, width, wrapped
from tierplan.codec import encode
from tierplan.domain.facts import Catalogue
from tierplan.domain.prices import PriceList
from tierplan.domain.stack import OptionValue, Stack, TierPins
from tierplan.plan import make_plan
from tierplan.plan.sensitivity import next_units
from tierplan.units import Bandwidth, Size

NARROW = ("raw", "bound by", "layout")
"""What is left out first, where the screen is narrow."""
SHORT = 240
Row = dict[str, object]
Figures = Mapping[str, float]
Options = Mapping[str, OptionValue]


def free_of_hot_pins(stack: Stack) -> Stack:
    """The stack with nothing of its hot tier chosen."""
    return replace(stack, tiers=replace(stack.tiers, hot=TierPins(backend="auto")))


def comparison(stack: Stack, catalogue: Catalogue, prices: PriceList | None = None) -> dict[str, object]:
    """Candidates, best first, and rejections of the hot tier when nothing of it is pinned."""
    plan = make_plan(free_of_hot_pins(stack), catalogue, prices)
    own = make_plan(stack, catalogue, prices)
    named = [one.backend for one in plan.candidates if one.tier == "hot"]
    named += [
        one.backend
        for one in plan.rejections
        if one.tier == "hot" and one.backend in catalogue.ids("hot", stack.site.kind)
    ]
    return {
        "stack": stack.name,
        "pinned": stack.tiers.hot.backend,
        "currency": plan.cost.currency,
        "candidates": [encode(one, "plain") for one in plan.candidates if one.tier == "hot"],
        "rejections": [encode(one, "plain") for one in plan.rejections if one.tier == "hot"],
        "fit": {backend: dict(catalogue.backend(backend).suits) for backend in named},
        "next_units": [encode(one, "plain") | {"words": str(one)} for one in next_units(own, catalogue, prices)],
        "path_choice": plan.path_choice,
        "path_disagreement": None if plan.path_disagreement is None else encode(plan.path_disagreement, "plain"),
    }


def comparison_lines(found: dict[str, object], *, verbose: bool = False) -> list[str]:
    """The comparison for a terminal; in full every reason and figure."""
    candidates = cast("list[Row]", found["candidates"])
    rows: list[tuple[str, ...]] = [
        ("", "hot tier", "nodes", "beside", "layout", "raw", "read", "write", "a month", "bound by", "would win with")
    ]
    rows += [_row(one, str(found["pinned"])) for one in candidates]
    by_money = bool(candidates) and all(one.get("monthly") is not None for one in candidates)
    first = f"least {found['currency']} a month first" if by_money else "fewest machines first"
    lines = [f"{found['stack']}: {len(candidates)} candidates, {first} (* pinned by the stack)"]
    lines += table(rows) if verbose else _fitting(rows)
    for one in cast("list[Row]", found["rejections"]):
        lines += wrapped(f"- {one['backend']}: {_reason(one, verbose=verbose)}", indent=4)
        if verbose:
            lines += [f"    {name}: {value:,.6g}" for name, value in cast("Figures", one["figures"]).items()]
        if one.get("wins_if"):
            lines += wrapped(f"  would do if: {one['wins_if']}", indent=4)
    for one in cast("list[Row]", found["next_units"]):
        lines += wrapped(f"as the stack stands, {one['words']}", indent=2)
    if verbose:
        lines += _fit(cast("Mapping[str, Row]", found["fit"]))
    lines.append(f"decision path: {found['path_choice']}")
    if found["path_disagreement"]:
        lines += wrapped(f"  {cast('Row', found['path_disagreement'])['reason']}", indent=2)
    return lines


def _fit(found: Mapping[str, Row]) -> list[str]:
    """What figures do not say of a product, in the catalogue's words; a judgement says that it is one."""
    lines = list[str]()
    for backend, suits in found.items():
        lines.append(f"{backend}")
        columns = cast("Mapping[str, object]", suits.get("columns") or {})
        others: Mapping[str, object] = {key: suits[key] for key in ("licence", "maturity", "judgement") if key in suits}
        for name, words in {**columns, **others}.items():
            lines += wrapped(f"    {name}: {words}", indent=8)
    return lines


def _reason(one: Row, *, verbose: bool) -> str:
    """Why a candidate loses: all that speaks against it, or as much as two lines hold."""
    reason = str(one["reason"]).removeprefix(f"{one['backend']}: ")  # the line begins with it
    if verbose or len(reason) <= SHORT:
        return reason
    return f"{reason[:SHORT].rpartition(' ')[0]} … (-v shows the rest)"


def _fitting(rows: list[tuple[str, ...]]) -> list[str]:
    """The table without the columns that a narrow screen has no room for."""
    lines = table(rows)
    for name in NARROW:
        if max(len(line) for line in lines) <= width():
            break
        column = rows[0].index(name)
        rows = [(*row[:column], *row[column + 1 :]) for row in rows]
        lines = table(rows)
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
        _money(one.get("monthly")),
        str(one["bound_by"]),
        str(one.get("wins_if") or ""),
    )


def _money(monthly: object) -> str:
    return f"{monthly:,.0f}" if isinstance(monthly, int | float) else "unknown"
