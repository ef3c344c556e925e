"""Prices: the published ones of the catalogue, and the stack's own file, which counts before them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

from tierplan.domain.facts import Basis
from tierplan.domain.prices import Price, PriceList
from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load.document import Document, UnreadableError, read_document
from tierplan.load.faults import Fault, input_error, join, listed, shown
from tierplan.load.places import beside

MOST_BYTES = 1 << 20
MOST = 1e15  # of any currency: beyond it a sum means nothing
_PACKAGE = Path(__file__).parent.parent
PUBLISHED = _PACKAGE / "catalogue" / "prices.yaml"
DEFAULT_YEARS = 5.0  # assumed: the usual depreciation of servers


def read_prices(stack: Stack, source: str) -> PriceList:
    """
    The prices that hold for a stack: those of its own file, and the published ones of its region and currency.

    The file (`tierplan:prices`) is looked up beside the stack file that `source` (name, path or ``-``) means.

    Raises:   InputError with one line for each fault, or if the file is in another currency than the budget
    """
    return prices_of(stack, None if stack.prices is None else beside(source) / stack.prices)


def prices_of(stack: Stack, path: Path | None) -> PriceList:
    """The same with the own file's path already known."""
    currency = stack.targets.budget.currency
    own = PriceList(currency=currency, years=DEFAULT_YEARS) if path is None else prices_from(path)
    if own.currency != currency:
        message = (
            f"{path}: currency: prices are in {own.currency}, targets.budget.currency is {currency}; "
            "nothing is converted: write both in one currency"
        )
        raise InputError(message)
    published = _published() if stack.site.kind != "on-prem" and _published().currency == currency else None
    here = {
        item: price
        for item, price in (published.items if published else {}).items()
        if price.region in (None, stack.site.region)
    }
    return PriceList(currency=currency, years=own.years, items={**here, **own.items}, name=own.name)


def published_prices() -> PriceList:
    """Every published price that the catalogue knows."""
    return _published()


def prices_from(path: Path) -> PriceList:
    """
    A price list out of its file.

    Raises:   InputError with one line for each fault
    """
    where = str(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            message = f"{where}: is larger than 1 MiB; a price list is some tens of lines"
            raise InputError(message)
        document = read_document(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        message = (
            f"{where}: cannot be read ({getattr(error, 'strerror', None) or error}); write it, or leave prices out"
        )
        raise InputError(message) from None
    except UnreadableError as error:
        raise input_error([error.fault], where=where, lines={}) from None
    faults = [*document.faults, *_faults(document)]
    if faults:
        raise input_error(faults, where=where, lines=document.lines)
    return _list(cast("Mapping[str, object]", document.value), path.name)


@cache
def _published() -> PriceList:
    return prices_from(PUBLISHED)


def _faults(document: Document) -> list[Fault]:
    from jsonschema import Draft202012Validator  # noqa: PLC0415  # for those who have prices

    schema = json.loads((_PACKAGE / "schemas" / "prices.json").read_text(encoding="utf-8"))
    found = []
    for error in Draft202012Validator(schema).iter_errors(document.value):
        path = ""
        for step in error.absolute_path:
            path = join(path, step)
        found.append(
            Fault(path=path, message=_words(error.validator, error.validator_value, error.instance, error.message))
        )
    return [*found, *_endless(document.value)]


def _endless(value: object) -> list[Fault]:
    """Prices that are no numbers, which a schema lets pass."""
    items = value.get("items") if isinstance(value, Mapping) else None
    return [
        Fault(path=join("items", str(item)) + ".price", message=f"{shown(row['price'])} is no price; write a number")
        for item, row in (items.items() if isinstance(items, Mapping) else ())
        if isinstance(row, Mapping) and isinstance(row.get("price"), float) and not row["price"] < MOST
    ]


def _words(rule: object, allowed: object, value: object, otherwise: str) -> str:
    if rule == "enum" and isinstance(allowed, list):
        return f"{shown(value)} is not allowed; allowed: {listed([str(word) for word in allowed])}"
    if rule == "type":
        return f"{shown(value)} is no {allowed}"
    return otherwise.replace("\n", " ")


def _list(value: Mapping[str, object], name: str) -> PriceList:
    items = cast("Mapping[str, Mapping[str, object]]", value["items"])
    return PriceList(
        currency=str(value["currency"]),
        years=float(cast("float", value.get("years", DEFAULT_YEARS))),
        name=name,
        items={
            item: Price(
                item=item,
                price=float(cast("float", row["price"])),
                per=str(row["per"]),
                date=str(row["date"])[:10],
                source=str(row["source"]),
                basis=cast("Basis", row.get("basis", "vendor")),
                region=cast("str | None", row.get("region")),
                note=str(row.get("note", "")),
            )
            for item, row in items.items()
        },
    )
