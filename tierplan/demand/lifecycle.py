"""What leaves the hot tier because it has grown old, and what comes into the cold one from outside."""

from __future__ import annotations

from tierplan.units import Bandwidth, Duration, Size

YEAR = Duration(365 * 86400.0)
WEEK = Duration(7 * 86400.0)


def grown_bandwidth(*, growing: Size, growth_per_year: float) -> Bandwidth:
    """
    What is new in a year, spread over it.

    Formula:  growing * growth_per_year / 365 d
    Assumes:  steady state: as much grows old in a day as is new; it is copied evenly over the day
    Source:   definition (checked 2026-11-29)

    >>> grown_bandwidth(growing=Size(50e12), growth_per_year=0.4).show()
    '634 kB/s'
    """
    return growing * growth_per_year / YEAR


def kept_bandwidth(*, size: Size, running: int, every: Duration) -> Bandwidth:
    """
    Checkpoints that are kept until they are old enough to be handed over.

    Formula:  size * running / every
    Assumes:  one of every job in this time; full checkpoints
    Source:   definition (checked 2026-11-29)

    >>> kept_bandwidth(size=Size(980e9), running=4, every=Duration(7 * 86400.0)).show()
    '6.48 MB/s'
    """
    return size * running / every


def weekly_old(*, weekly: int, warm_after: Duration) -> int:
    """
    Weekly checkpoints that are older than what stays on the hot tier.

    Formula:  max(0, weekly - floor(warm_after / 7 d))
    Assumes:  one a week, the newest of them less than a week old
    Source:   definition (checked 2026-11-29)

    >>> weekly_old(weekly=8, warm_after=Duration(30 * 86400.0))
    4
    """
    return max(0, weekly - int(warm_after / WEEK))


def inside_bandwidth(**arriving: Bandwidth) -> Bandwidth:
    """
    What a store moves from class to class, read once and written once.

    Formula:  the sum of the inputs
    Assumes:  steady state: as much grows old in a day as arrives
    Source:   definition (checked 2026-11-29)

    >>> inside_bandwidth(archive=Bandwidth(11e6), ingest=Bandwidth(32e6)).show()
    '43 MB/s'
    """
    return Bandwidth(sum(rate.base for rate in arriving.values()))


def of_jobs(*, bandwidth: Bandwidth, running: int) -> Bandwidth:
    """
    What all jobs of a kind bring together.

    Formula:  bandwidth * running
    Assumes:  jobs that wait for GPUs bring nothing
    Source:   definition (checked 2026-11-29)

    >>> of_jobs(bandwidth=Bandwidth(11.3e6), running=4).show()
    '45.2 MB/s'
    """
    return bandwidth * running
