"""mdtest: the text of its summary, in ops/s; of the repetitions the least counts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tierplan.errors import InputError
from tierplan.measure.nouns import Measurement

ROW = re.compile(r"^\s{3}(\S.*?)\s{2,}([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s*$", re.MULTILINE)
STEPS = {
    "File creation": "small-create",
    "File stat": "small-stat",
    "File read": "small-open",
    "File removal": "small-remove",
}


def fits(text: str) -> bool:
    """Whether this is mdtest's text."""
    return "SUMMARY rate" in text and "File creation" in text


def read(text: str, file: str) -> Iterator[Measurement]:
    """
    One measurement for each operation on files.

    Raises:   InputError if the summary has no row
    """
    found = ROW.findall(text[text.index("SUMMARY rate") :])
    if not found:
        message = f"{file}: mdtest's summary has no row; run it to its end"
        raise InputError(message)
    version = re.search(r"mdtest-(\S+)", text)
    ranks = re.search(r"(\d+) tasks?, ", text)
    nodes = re.search(r"on (\d+) node", text)
    for operation, _most, least, _mean, _deviation in found:
        if operation in STEPS:
            yield Measurement(
                label=STEPS[operation],
                quantity="ops",
                value=float(least),
                tool=f"mdtest {version[1] if version else ''}".strip(),
                file=file,
                hosts=int(nodes[1]) if nodes else 0,
                about=(f"{ranks[1]} ranks",) if ranks else (),
            )
