"""fio: JSON of ``--output-format=json``; several hosts give `client_stats`. ``bw_bytes`` counts, ``bw`` is in KiB/s."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.measure.nouns import Measurement, Quantity
from tierplan.measure.readers.documents import document, number, rows, text_of


def fits(text: str) -> bool:
    """Whether this is fio's JSON."""
    return '"fio version"' in text[:2000]


def read(text: str, file: str) -> Iterator[Measurement]:
    """
    One measurement for each job and direction.

    Raises:   InputError if the text is cut off or of another form
    """
    found = document(text[text.find("{") :], file)
    jobs = rows(found, "jobs") or rows(found, "client_stats")
    hosts = len({text_of(job, "hostname") for job in rows(found, "client_stats")})
    everywhere = found.get("global options")
    common = everywhere if isinstance(everywhere, Mapping) else {}
    for job in jobs:
        if text_of(job, "jobname") == "All clients":
            continue
        own = job.get("job options")
        options = {**common, **(own if isinstance(own, Mapping) else {})}
        failed = number(job, "error")
        for direction in ("read", "write"):
            part = job.get(direction)
            if not isinstance(part, Mapping) or not number(part, "io_bytes"):
                continue
            yield _measured(job, part, direction, file, options, failed=failed, hosts=hosts, found=found)


def _measured(
    job: Mapping[str, object],
    part: Mapping[str, object],
    direction: Quantity,
    file: str,
    options: Mapping[str, object],
    *,
    failed: float,
    hosts: int,
    found: Mapping[str, object],
) -> Measurement:
    synced = any(str(options.get(name, "0")) not in ("0", "") for name in ("end_fsync", "fsync", "sync", "fdatasync"))
    return Measurement(
        label=text_of(job, "jobname"),
        quantity=direction,
        value=number(part, "bw_bytes"),
        tool=text_of(found, "fio version"),
        file=file,
        hosts=max(1, hosts),
        total_bytes=number(part, "io_bytes"),
        seconds=number(part, "runtime") / 1000,
        direct=str(options.get("direct", "0")) == "1",
        durable=synced if direction == "write" else None,
        date=text_of(found, "time"),
        against=(f"fio ended with error {failed:g}",) if failed else (),
    )
