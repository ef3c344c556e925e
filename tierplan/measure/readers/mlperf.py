"""MLPerf Storage: ``summary.json``. Its MB are 2^20 and its GB 2^30 bytes; a mean of nothing is NaN."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.measure.nouns import GIB, MIB, Measurement, Quantity
from tierplan.measure.readers.documents import block, document, number, text_of

RATES: tuple[tuple[str, str, Quantity, float], ...] = (
    ("train_io_mean_MB_per_second", "dataset-read", "read", MIB),
    ("save_checkpoint_io_mean_GB_per_second", "checkpoint-write", "write", GIB),
    ("load_checkpoint_io_mean_GB_per_second", "restore-read", "read", GIB),
)


def fits(text: str) -> bool:
    """Whether this is a summary of MLPerf Storage."""
    return '"num_accelerators"' in text and '"metric"' in text


def read(text: str, file: str) -> Iterator[Measurement]:
    """
    Bandwidth of training, of saving and of loading, and the accelerators' utilisation.

    Raises:   InputError if the text is cut off
    """
    found = document(text, file)
    metric = block(found, "metric")
    hosts = int(number(found, "num_hosts"))
    against = _cached(found)
    for key, label, quantity, factor in RATES:
        value = number(metric, key)
        if value:
            yield Measurement(
                label=label,
                quantity=quantity,
                value=value * factor,
                tool="MLPerf Storage",
                file=file,
                hosts=hosts,
                total_bytes=number(found, "data_size_per_host_GB") * GIB * hosts,
                durable=True if quantity == "write" else None,
                date=text_of(found, "start"),
                against=against,
            )
    used = number(metric, "train_au_mean_percentage")
    if used:
        failed = text_of(metric, "train_au_meet_expectation") == "fail"
        yield Measurement(
            label="utilisation",
            quantity="utilisation",
            value=used / 100,
            tool="MLPerf Storage",
            file=file,
            hosts=hosts,
            date=text_of(found, "start"),
            against=(*against, *(("accelerators waited for data",) if failed else ())),
        )


def _cached(found: Mapping[str, object]) -> tuple[str, ...]:
    flags = found.get("potential_caching")
    cached = isinstance(flags, list) and any(flag == 1 for flag in flags)
    return ("the hosts' memory may have served it (potential_caching)",) if cached else ()
