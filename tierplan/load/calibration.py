"""The overrides file that `tierplan verify --calibrate` writes: what was measured of products on their nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, cast

from tierplan.domain.stack import Calibration
from tierplan.errors import InputError
from tierplan.load.document import UnreadableError, read_document
from tierplan.load.facts import catalogue
from tierplan.load.faults import Fault, input_error, listed, nearest, shown

SCHEMA = "tierplan/calibration/1"
QUANTITIES = ("read", "write", "op_rate")
KEYS = ("backend", "node", "quantity", "fraction", "source")
MOST_BYTES = 1 << 20


def read_calibration(path: Path) -> tuple[Calibration, ...]:
    """
    The entries of a calibration file.

    Raises:   InputError with one line for each fault
    """
    where = str(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            message = f"{where}: is larger than 1 MiB; a calibration is some tens of lines"
            raise InputError(message)
        document = read_document(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"{where}: cannot be read ({reason}); write it with tierplan verify --calibrate, or leave it out"
        raise InputError(message) from None
    except UnreadableError as error:
        raise input_error([error.fault], where=where, lines={}) from None
    value = document.value
    faults = [*document.faults, *_faults(value)]
    if faults:
        raise input_error(faults, where=where, lines=document.lines)
    rows = cast("list[Mapping[str, object]]", cast("Mapping[str, object]", value)["measured"])
    return tuple(
        Calibration(
            backend=str(row["backend"]),
            node=str(row["node"]),
            quantity=cast("Literal['read', 'write', 'op_rate']", row["quantity"]),
            fraction=float(cast("float", row["fraction"])),
            source=str(row["source"]),
        )
        for row in rows
    )


def _faults(value: object) -> Iterator[Fault]:
    if not isinstance(value, Mapping) or value.get("schema") != SCHEMA or not isinstance(value.get("measured"), list):
        yield Fault(path="", message=f"is no calibration; it has schema: {SCHEMA} and a list of measured figures")
        return
    for index, row in enumerate(cast("list[object]", value["measured"])):
        path = f"measured[{index}]"
        if not isinstance(row, Mapping):
            yield Fault(path=path, message=f"{shown(row)} is no map; write {listed(KEYS)}")
            continue
        for key in (*(key for key in KEYS if key not in row), *(key for key in row if key not in KEYS)):
            yield Fault(path=f"{path}.{key}", message=f"{'unknown' if key in row else 'missing'}; keys: {listed(KEYS)}")
        yield from _row_faults(path, row)


def _row_faults(path: str, row: Mapping[str, object]) -> Iterator[Fault]:
    quantity, fraction, backend = row.get("quantity"), row.get("fraction"), row.get("backend")
    if "backend" in row and backend not in catalogue().known():
        near = nearest(backend, catalogue().known()) if isinstance(backend, str) else ""
        yield Fault(path=f"{path}.backend", message=f"{shown(backend)} is no product of the catalogue; {near}")
    if "quantity" in row and quantity not in QUANTITIES:
        yield Fault(path=f"{path}.quantity", message=f"{shown(quantity)} is unknown; allowed: {listed(QUANTITIES)}")
    right = isinstance(fraction, int | float) and not isinstance(fraction, bool) and 0 < fraction <= 1
    if "fraction" in row and not right:
        message = (
            f"{shown(fraction)} is no share of a promise; write a number above 0, at most 1: a promise is not raised"
        )
        yield Fault(path=f"{path}.fraction", message=message)
