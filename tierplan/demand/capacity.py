"""Bytes stored: what grows, what is kept, what the last year asks for."""

from __future__ import annotations

import math

from tierplan.units import Size


def total(**sizes: Size) -> Size:
    """
    Everything of one kind together.

    Formula:  the sum of the inputs
    Assumes:  each is stored once
    Source:   definition (checked 2026-11-29)

    >>> total(home=Size(50e12), pretrain=Size(10e12)).show()
    '60 TB'
    """
    return Size(math.fsum(size.bytes for size in sizes.values()))


def kept(*, keep: int) -> int:
    """
    Checkpoints that lie on the hot tier at once.

    Formula:  keep + 1
    Assumes:  the one being written is not yet one of those kept
    Source:   derived (checked 2026-11-29)

    >>> kept(keep=10)
    11
    """
    return keep + 1


def retained(*, last: int, best: int, weekly: int) -> int:
    """
    Checkpoints that lie on the hot tier at once, by a retention rule.

    Formula:  last + best + weekly + 1
    Assumes:  no checkpoint is two of these at once; the one being written comes on top
    Source:   derived (checked 2026-11-29)

    >>> retained(last=5, best=1, weekly=4)
    11
    """
    return last + best + weekly + 1


def checkpoints(*, size: Size, kept: int, concurrent_jobs: int) -> Size:
    """
    What the checkpoints of all jobs of a kind take.

    Formula:  size * kept * concurrent_jobs
    Assumes:  full checkpoints; jobs that wait for GPUs keep theirs too
    Source:   definition (checked 2026-11-29)

    >>> checkpoints(size=Size(980e9), kept=11, concurrent_jobs=4).show(digits=4)
    '43.12 TB'
    """
    return size * (kept * concurrent_jobs)


def kept_files(*, files: int, kept: int, concurrent_jobs: int) -> int:
    """
    Files of all checkpoints that are kept.

    Formula:  files * kept * concurrent_jobs
    Assumes:  every checkpoint has as many
    Source:   definition (checked 2026-11-29)

    >>> kept_files(files=1025, kept=11, concurrent_jobs=4)
    45100
    """
    return files * kept * concurrent_jobs


def hot(*, growing: Size, growth_per_year: float, year: int, checkpoints: Size, weights: Size, kv_cache: Size) -> Size:
    """
    What the hot tier stores in a year.

    Formula:  growing * (1 + growth_per_year)**year + checkpoints + weights + kv_cache
    Assumes:  home and datasets grow; checkpoints and weights do not
    Source:   definition (checked 2026-11-29)

    >>> hot(growing=Size(60e12), growth_per_year=0.4, year=1, checkpoints=Size(43.12e12), weights=Size(0),
    ...     kv_cache=Size(0)).show()
    '127 TB'
    """
    return growing * (1 + growth_per_year) ** year + checkpoints + weights + kv_cache


def last_year(*, last: Size) -> Size:
    """
    What a tier is sized for: the last year of the horizon.

    Formula:  last
    Assumes:  nothing is thrown away before
    Source:   definition (checked 2026-11-29)

    >>> last_year(last=Size(103.12e12)).show()
    '103 TB'
    """
    return last


def archived(*, checkpoint: Size, count: int) -> Size:
    """
    What archived checkpoints take.

    Formula:  checkpoint * count
    Assumes:  full ones, each as large as the largest of the stack
    Source:   bigscience-workshop/bigscience: train/tr11-176B-ml/backup-schedule.md (checked 2026-11-29)

    >>> archived(checkpoint=Size(980e9), count=100).show()
    '98 TB'
    """
    return checkpoint * count


def cold(*, growing: Size, growth_per_year: float, year: int, archived: Size) -> Size:
    """
    What the cold tier stores in a year.

    Formula:  growing * (1 + growth_per_year)**year + archived
    Assumes:  raw and processed data grow; the number of archived checkpoints is given
    Source:   definition (checked 2026-11-29)

    >>> cold(growing=Size(2.5e15), growth_per_year=0, year=0, archived=Size(98e12)).show(digits=4)
    '2.598 PB'
    """
    return growing * (1 + growth_per_year) ** year + archived


def stated_files(*, files: float) -> float:
    """
    Files as the stack gives them.

    Formula:  files
    Assumes:  of the hot tier, all kinds together
    Source:   stack

    >>> stated_files(files=200e6)
    200000000.0
    """
    return files


def counted_files(**files: int) -> float:
    """
    Files that datasets and checkpoints alone make.

    Formula:  the sum of the inputs
    Assumes:  home, code and logs are not counted: capacity.files says how many there are
    Source:   definition (checked 2026-11-29)

    >>> counted_files(dataset=1_281_167, checkpoints=45_100)
    1326267.0
    """
    return float(sum(files.values()))


def fixed(*, stored: Size, growing: Size) -> Size:
    """
    What a tier stores that does not grow.

    Formula:  stored - growing
    Assumes:  today's checkpoints, weights, sessions and archives
    Source:   definition (checked 2026-11-29)

    >>> fixed(stored=Size(103e12), growing=Size(60e12)).show()
    '43 TB'
    """
    return stored - growing


def full_in_years(*, planned: Size, fixed: Size, growing: Size, growth_per_year: float) -> float:
    """
    Years until what is stored exceeds what the tier may hold.

    Formula:  log((planned - fixed) / growing) / log(1 + growth_per_year)
    Assumes:  growth goes on evenly; 0 if it is full today
    Source:   definition (checked 2026-11-29)

    >>> round(full_in_years(planned=Size(160e12), fixed=Size(43e12), growing=Size(60e12), growth_per_year=0.4), 2)
    1.98
    """
    room = planned.bytes - fixed.bytes
    if room < growing.bytes:
        return 0.0
    return math.log(room / growing.bytes) / math.log1p(growth_per_year)
