"""
elbencho: JSON lines of ``--jsonfile`` (all scalars are text) and CSV of ``--csvfile``.

``--sync`` is a phase of its own: what a checkpoint takes until it is durable is the write phase and the sync phase
after it.  The time of the last thread counts.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tierplan.measure.nouns import MIB, Measurement, Quantity
from tierplan.measure.readers.documents import block, lines, number, text_of

OPERATIONS: Mapping[str, Quantity] = {"WRITE": "write", "READ": "read", "STAT": "ops"}
CSV_HEAD = "ISO date,label,path type"


@dataclass(frozen=True, slots=True)
class _Phase:
    """One phase of a run, whatever file it came from."""

    name: str
    label: str
    seconds: float
    size: float
    entries: float
    entries_per_s: float
    hosts: int
    direct: bool
    version: str
    date: str


def fits(text: str) -> bool:
    """Whether this is one of elbencho's files."""
    return text.startswith(CSV_HEAD) or ('"phase_type"' in text[:4000] and '"last_done"' in text)


def read(text: str, file: str) -> Iterator[Measurement]:
    """
    One measurement for each phase that reads, writes or counts entries.

    Raises:   InputError if the text is cut off
    """
    phases = list(_csv(text) if text.startswith(CSV_HEAD) else _json(text, file))
    for index, phase in enumerate(phases):
        quantity = OPERATIONS.get(phase.name)
        if quantity is None:
            continue
        if quantity == "ops":
            yield _measured(phase, "ops", phase.entries_per_s, file, durable=None)
            continue
        sync = _sync_after(phases, index) if quantity == "write" else None
        seconds = phase.seconds + (sync.seconds if sync else 0.0)
        durable = sync is not None if quantity == "write" else None
        yield _measured(phase, quantity, phase.size / seconds if seconds else 0.0, file, durable=durable)
        if phase.entries_per_s and phase.entries > 1:
            yield _measured(phase, "ops", phase.entries_per_s, file, durable=durable)


def _sync_after(phases: Sequence[_Phase], index: int) -> _Phase | None:
    after = phases[index + 1] if index + 1 < len(phases) else None
    return after if after is not None and after.name == "SYNC" and after.label == phases[index].label else None


def _measured(phase: _Phase, quantity: Quantity, value: float, file: str, *, durable: bool | None) -> Measurement:
    return Measurement(
        label=phase.label,
        quantity=quantity,
        value=value,
        tool=f"elbencho {phase.version}",
        file=file,
        hosts=phase.hosts,
        total_bytes=phase.size,
        seconds=phase.seconds,
        direct=phase.direct,
        durable=durable,
        date=phase.date,
    )


def _json(text: str, file: str) -> Iterator[_Phase]:
    for one in lines(text, file):
        config, last = block(one, "config"), block(one, "last_done")
        yield _Phase(
            name=text_of(one, "phase_type"),
            label=text_of(one, "label"),
            seconds=number(last, "elapsed_time_ms") / 1000,
            size=number(last, "bytes"),
            entries=number(last, "entries"),
            entries_per_s=number(last, "entries/s"),
            hosts=int(number(config, "hosts")) or 1,
            direct=text_of(config, "direct_io") in ("true", "1"),
            version=text_of(config, "version"),
            date=text_of(one, "iso_start_date"),
        )


def _csv(text: str) -> Iterator[_Phase]:
    for row in csv.DictReader(io.StringIO(text)):
        yield _Phase(
            name=row.get("operation") or "",
            label=row.get("label") or "",
            seconds=number(row, "time ms [last]") / 1000,
            size=number(row, "MiB [last]") * MIB,
            entries=number(row, "entries [last]"),
            entries_per_s=number(row, "entries/s [last]"),
            hosts=int(number(row, "hosts")) or 1,
            direct=row.get("direct IO") == "1",
            version=row.get("version") or "",
            date=row.get("ISO date") or "",
        )
