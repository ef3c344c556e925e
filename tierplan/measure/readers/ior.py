"""IOR: JSON of ``-O summaryFormat=JSON``. MiB are 2^20 bytes; of the repetitions the least counts."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.measure.nouns import MIB, Measurement, Quantity
from tierplan.measure.readers.documents import document, number, rows, text_of


def fits(text: str) -> bool:
    """Whether this is IOR's JSON summary."""
    return '"Command line"' in text[:4000] and '"summary"' in text


def read(text: str, file: str) -> Iterator[Measurement]:
    """
    One measurement for each access of the summary.

    Raises:   InputError if the text is cut off
    """
    found = document(text, file)
    command = text_of(found, "Command line")
    label = _label(command)
    for one in rows(found, "summary"):
        operation = text_of(one, "operation")
        if operation not in ("read", "write"):
            continue
        quantity: Quantity = "read" if operation == "read" else "write"
        tasks, each = number(one, "numTasks"), number(one, "tasksPerNode")
        yield Measurement(
            label=label,
            quantity=quantity,
            value=(number(one, "bwMinMIB") or number(one, "bwMeanMIB")) * MIB,
            tool=f"IOR {text_of(found, 'Version')}",
            file=file,
            hosts=round(tasks / each) if each else 0,
            total_bytes=number(one, "xsizeMiB") * MIB,
            seconds=number(one, "MeanTime"),
            direct="odirect" in command,
            durable=" -e" in f" {command}" if quantity == "write" else None,
            date=text_of(found, "Began"),
        )


def _label(command: str) -> str:
    """The last step of the output path: the kit writes each step into a folder of its name."""
    words = command.split()
    path = words[words.index("-o") + 1] if "-o" in words[:-1] else ""
    parts = [part for part in path.split("/") if part]
    return parts[-2] if len(parts) > 1 else "ior"
