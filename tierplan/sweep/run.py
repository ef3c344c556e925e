"""All points of a grid: in this process, in several, or on a Dask cluster; what was done before is not done again."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tierplan import __version__
from tierplan.errors import InputError
from tierplan.load import Form, Variants
from tierplan.sweep.axes import Axis, grid
from tierplan.sweep.points import Point, plan_point

CHUNK = 64
Job = tuple[int, Mapping[str, object]]
Work = Callable[[Form, Sequence[Job], tuple[str, ...]], list[Point]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A file of finished points, one JSON line each, for this very stack, grid and release."""

    path: Path
    key: str

    def read(self) -> dict[int, Point]:
        """
        The points that are done.

        Raises:   InputError if the file is of another sweep, or cannot be read
        """
        try:
            if not self.path.exists():
                return {}
            lines = self.path.read_text(encoding="utf-8", errors="replace").splitlines()
        except (OSError, ValueError) as error:
            raise self._fault(error) from None
        if not lines or lines[0] != self.key:
            message = f"{self.path}: is of another sweep (stack, axes, measures or release differ); name another file"
            raise InputError(message)
        return {point.index: point for line in lines[1:] if (point := _point(line)) is not None}

    def write(self, points: Iterable[Point]) -> None:
        """
        Keep more finished points; none of them makes sure that the file is there and can be written.

        Raises:   InputError if it cannot
        """
        try:
            fresh = not self.path.exists()
            with self.path.open("a", encoding="utf-8") as file:
                if fresh:
                    file.write(self.key + "\n")
                file.writelines(_line(point) + "\n" for point in points)
        except OSError as error:
            raise self._fault(error) from None

    def _fault(self, error: OSError | ValueError) -> InputError:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        return InputError(f"--journal {self.path}: cannot be kept ({reason}); name a file in a folder that is there")


def run(
    form: Form,
    axes: Sequence[Axis],
    names: tuple[str, ...],
    *,
    processes: int = 1,
    scheduler: str | None = None,
    journal: Path | None = None,
    on_done: Callable[[int], None] = lambda _count: None,
) -> list[Point]:
    """
    Every point of the grid, in its order.

    `processes` above 1 plans in that many processes, `scheduler` on a Dask cluster at that address.  `on_done` is
    told how many points have been finished since it was told last.

    Raises:   InputError if the journal is of another sweep, or the scheduler cannot be reached
    """
    book = Journal(path=journal, key=_key(form, axes, names)) if journal else None
    done = book.read() if book else {}
    if book:
        book.write(())  # what cannot be kept is told before the hours of planning, not after
    on_done(len(done))
    jobs = [(index, settings) for index, settings in enumerate(grid(axes)) if index not in done]
    chunks = [jobs[start : start + CHUNK] for start in range(0, len(jobs), CHUNK)]
    with _workers(processes if len(chunks) > 1 else 1, scheduler) as mapped:
        for points in mapped(form, chunks, names):
            if book:
                book.write(points)
            done |= {point.index: point for point in points}
            on_done(len(points))
    return [done[index] for index in sorted(done)]


Mapped = Callable[[Form, Sequence[Sequence[Job]], tuple[str, ...]], Iterator[list[Point]]]


def plan_chunk(form: Form, jobs: Sequence[Job], names: tuple[str, ...]) -> list[Point]:
    """Some points, one after another: what a worker does."""
    variants = _variants(form)
    return [plan_point(variants, index, settings, names) for index, settings in jobs]


_READ: list[Variants] = []
"""What this process has read of the form that it plans: kept from one chunk to the next."""


def _variants(form: Form) -> Variants:
    if not _READ or _READ[0].form != form:
        _READ[:] = [Variants(form)]
    return _READ[0]


@contextmanager
def _workers(processes: int, scheduler: str | None) -> Iterator[Mapped]:
    if scheduler is not None:
        with _dask(scheduler) as mapped:
            yield mapped
    elif processes > 1:
        with ProcessPoolExecutor(processes) as pool:
            yield lambda form, chunks, names: pool.map(
                plan_chunk, itertools.repeat(form), chunks, itertools.repeat(names)
            )
    else:
        yield lambda form, chunks, names: (plan_chunk(form, chunk, names) for chunk in chunks)


@contextmanager
def _dask(address: str) -> Iterator[Mapped]:
    try:
        from distributed import Client  # noqa: PLC0415  # an extra, for those who have a cluster
    except ImportError:
        message = "--scheduler: Dask is not installed; pip install 'tierplan[sweep]'"
        raise InputError(message) from None
    try:
        client = Client(address, timeout="10s")  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as fault:
        message = f"--scheduler {address}: cannot be reached ({fault}); write e.g. tcp://10.0.0.1:8786"
        raise InputError(message) from None
    with client:

        def mapped(form: Form, chunks: Sequence[Sequence[Job]], names: tuple[str, ...]) -> Iterator[list[Point]]:
            futures = [client.submit(plan_chunk, form, chunk, names, pure=False) for chunk in chunks]
            for future in futures:
                yield future.result()

        yield mapped


def _key(form: Form, axes: Sequence[Axis], names: tuple[str, ...]) -> str:
    told = [__version__, form.document, [[one.path, list(one.values)] for one in axes], list(names)]
    return "tierplan/sweep/1 " + hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def _line(point: Point) -> str:
    fields = (point.index, point.settings, point.verdict, point.reasons, point.choices, point.measures)
    return json.dumps(fields)


def _point(line: str) -> Point | None:
    """A point out of its line; None for a line that was cut off when the run was interrupted."""
    try:
        index, settings, verdict, reasons, choices, measures = json.loads(line)
        told = tuple(reasons)
    except (TypeError, ValueError):
        return None
    return Point(index=index, settings=settings, verdict=verdict, reasons=told, choices=choices, measures=measures)
