"""juicefs bench and objbench: tables of text, perhaps coloured; MiB are 2^20 bytes, rates are of all threads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from tierplan.measure.nouns import GIB, KIB, MIB, Measurement, Quantity

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ROW = re.compile(r"\|\s*(.+?)\s*\|\s*([\d.]+) ([^|]+?)\s*\|\s*([\d.]+) ([^|]+?)\s*\|")
UNITS = {"B/s": 1.0, "KiB/s": KIB, "MiB/s": MIB, "GiB/s": GIB}
ROWS: Mapping[str, tuple[str, Quantity]] = {
    "Write big file": ("big-write", "write"),
    "Read big file": ("big-read", "read"),
    "Write small file": ("small-create", "ops"),
    "Read small file": ("small-open", "ops"),
    "Stat file": ("small-stat", "ops"),
    "upload objects": ("object-put", "write"),
    "download objects": ("object-get", "read"),
    "put small objects": ("object-put-small", "ops"),
    "get small objects": ("object-get-small", "ops"),
}


def fits(text: str) -> bool:
    """Whether this is the text of juicefs bench or objbench."""
    return "Benchmark finished!" in text and "| " in text


def read(text: str, file: str) -> Iterator[Measurement]:
    """One measurement for each row that a plan knows."""
    plain = COLOUR.sub("", text)
    tool = "juicefs objbench" if "objects" in plain.partition("Benchmark finished!")[2] else "juicefs bench"
    for item, value, unit, _cost, _cost_unit in ROW.findall(plain):
        if item not in ROWS:
            continue
        label, quantity = ROWS[item]
        factor = UNITS.get(unit.strip(), 1.0) if quantity != "ops" else 1.0
        yield Measurement(
            label=label, quantity=quantity, value=float(value) * factor, tool=tool, file=file, hosts=1,
            about=("of one client",),
        )  # fmt: skip
