"""Result files of benchmark tools -> measurements; the tool is known by what its file looks like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from tierplan.errors import InputError
from tierplan.measure.nouns import Measurement
from tierplan.measure.readers import elbencho, fio, ior, juicefs, mdtest, mlperf

READERS = (fio, elbencho, ior, mlperf, mdtest, juicefs)
KNOWN = "fio JSON, elbencho JSON or CSV, IOR JSON, mdtest text, juicefs bench or objbench text, MLPerf summary.json"
MOST_BYTES = 256 << 20


def read(paths: Sequence[Path]) -> list[Measurement]:
    """
    Everything that the files measured; a folder stands for the files in it that are results.

    Raises:   InputError with one line for each file that is of no known tool, or is spoilt
    """
    found, faults = list[Measurement](), list[str]()
    for path, wanted in _files(paths):
        try:
            found.extend(_one(path, wanted=wanted))
        except InputError as fault:
            faults.extend(fault.faults)
    if faults:
        raise InputError(faults)
    if not found:
        message = f"no result among {', '.join(map(str, paths))}; known are {KNOWN}"
        raise InputError(message)
    return found


def _measured(reader: ModuleType, text: str, path: Path) -> list[Measurement]:
    """What a reader finds; a figure that is none is told with its file."""
    try:
        found: list[Measurement] = list(reader.read(text, str(path)))
    except InputError as fault:
        named = (one if str(path) in one else f"{path}: {one}" for one in fault.faults)
        raise InputError(tuple(named)) from None
    empty = [one for one in found if one.quantity != "utilisation" and one.value <= 0]
    if empty:
        message = f"{path}: {empty[0].label}: moved something at no rate at all; run the benchmark again"
        raise InputError(message)
    return found


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether it was named itself."""
    for path in paths:
        if path.is_dir():
            yield from ((one, False) for one in sorted(path.rglob("*")) if one.is_file())
        else:
            yield path, True


def _one(path: Path, *, wanted: bool) -> list[Measurement]:
    try:
        if path.stat().st_size > MOST_BYTES:
            message = f"{path}: is larger than 256 MiB; name the summary, not the log"
            raise InputError(message)
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); name a result file"
        raise InputError(message) from None
    for reader in READERS:
        if reader.fits(text):
            return _measured(reader, text, path)
    if wanted:
        message = f"{path}: of no known tool; known are {KNOWN}"
        raise InputError(message)
    return []
