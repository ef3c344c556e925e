"""What checkpoints, lost work and restarts leave of the GPUs' time."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Duration

RESTART = Duration(300.0)
"""Detect, reschedule and initialise after an interruption: assumed; the restore comes on top."""


def overhead_fraction(*, stall: Duration, interval: Duration) -> float:
    """
    Share of the period that a checkpoint stops training.

    Formula:  stall / interval
    Assumes:  of the period (compute and stall); the share of the compute time is larger
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the interval is zero

    >>> overhead_fraction(stall=Duration(54), interval=Duration(1800))
    0.03
    """
    if interval.s <= 0:
        message = "checkpoint.interval: 0 s; there must be time between two checkpoints"
        raise InputError(message)
    return min(1.0, stall / interval)


def lost_work(*, interval: Duration, stall: Duration) -> Duration:
    """
    Work that an interruption costs on average where every checkpoint is durable when training goes on.

    Formula:  (interval - stall) / 2
    Assumes:  interruptions fall evenly; at worst twice as much
    Source:   classical first-order model (checked 2026-11-29)

    >>> lost_work(interval=Duration(1800), stall=Duration(54)).show("s")
    '873 s'
    """
    return Duration(max(0.0, interval.s - stall.s) / 2)


def lost_work_in_background(*, interval: Duration, stall: Duration, drain: Duration) -> Duration:
    """
    Work that an interruption costs on average where a checkpoint becomes durable only after its drain.

    Formula:  (interval - stall) / 2 + drain
    Assumes:  while the newest one drains, the one before it is what is restored
    Source:   derived from the first-order model (checked 2026-11-29)

    >>> lost_work_in_background(interval=Duration(1800), stall=Duration(5), drain=Duration(490)).show("s", digits=5)
    '1,387.5 s'
    """
    return Duration(max(0.0, interval.s - stall.s) / 2) + drain


def restart_time(*, restart: Duration, restore: Duration) -> Duration:
    """
    Time from an interruption until training goes on.

    Formula:  restart + restore
    Assumes:  300 s to detect, reschedule and initialise
    Source:   assumed; the restore is this plan's (checked 2026-11-29)

    >>> restart_time(restart=Duration(300), restore=Duration(54)).show("s")
    '354 s'
    """
    return restart + restore


def efficiency(*, interval: Duration, stall: Duration, mean_time_to_interrupt: Duration, restart: Duration) -> float:
    """
    Useful compute time over elapsed time, with synchronous checkpoints.

    Formula:  (interval - stall) / mean_time_to_interrupt / exp(restart/mean_time_to_interrupt)
              / (exp(interval/mean_time_to_interrupt) - 1)
    Assumes:  exponential failures, also during checkpoint and restart
    Source:   Daly 2006, doi 10.1016/j.future.2004.11.016 (checked 2026-11-29)
    Raises:   InputError if the time to interrupt is zero

    >>> round(efficiency(interval=Duration(2649.6), stall=Duration(19.6),
    ...                  mean_time_to_interrupt=Duration(178_161), restart=Duration(0)), 4)
    0.9852
    """
    mean = mean_time_to_interrupt.s
    if mean <= 0:
        message = "interrupts: the mean time to interrupt is 0 s; nothing ever ends"
        raise InputError(message)
    if max(interval.s, restart.s) / mean > 500:  # exp() ends near 700; the share is nought long before
        return 0.0
    elapsed = mean * math.exp(restart.s / mean) * math.expm1(interval.s / mean)
    return max(0.0, interval.s - stall.s) / elapsed if elapsed else 0.0


def efficiency_in_background(
    *,
    interval: Duration,
    stall: Duration,
    drain: Duration,
    mean_time_to_interrupt: Duration,
    restart: Duration,
) -> float:
    """
    Useful compute time over elapsed time, with checkpoints that become durable in the background.

    Formula:  (interval - stall) / mean_time_to_interrupt / exp((restart + drain)/mean_time_to_interrupt)
              / (exp(interval/mean_time_to_interrupt) - 1)
    Assumes:  exponential failures; each costs the drain once more, since it falls back one checkpoint further
    Source:   derived from Daly 2006, doi 10.1016/j.future.2004.11.016 (checked 2026-11-29)
    Raises:   InputError if the time to interrupt is zero

    >>> round(efficiency_in_background(interval=Duration(1800), stall=Duration(5), drain=Duration(490),
    ...     mean_time_to_interrupt=Duration(178_161), restart=Duration(600)), 3)
    0.986
    """
    return efficiency(
        interval=interval, stall=stall, mean_time_to_interrupt=mean_time_to_interrupt, restart=restart + drain
    )


def interrupt_fraction(*, lost: Duration, mean_time_to_interrupt: Duration) -> float:
    """
    Share of the time that interruptions take away (lost work, or restarts).

    Formula:  lost / mean_time_to_interrupt
    Assumes:  first order: far shorter than the time to interrupt; at most everything
    Source:   classical first-order model (checked 2026-11-29)
    Raises:   InputError if the time to interrupt is zero

    >>> round(interrupt_fraction(lost=Duration(900), mean_time_to_interrupt=Duration(178_161)), 4)
    0.0051
    """
    if mean_time_to_interrupt.s <= 0:
        message = "interrupts: the mean time to interrupt is 0 s; nothing ever ends"
        raise InputError(message)
    return min(1.0, lost / mean_time_to_interrupt)


def waste(*, stall: Duration, compute: Duration, mean_time_to_interrupt: Duration, restart: Duration) -> float:
    """
    Share of time wasted with synchronous checkpoints, first order.

    Formula:  stall/compute + compute/(2*mean_time_to_interrupt) + restart/mean_time_to_interrupt
    Assumes:  shares of the compute time between two checkpoints; all far below the time to interrupt
    Source:   classical first-order model (checked 2026-11-29)

    >>> round(waste(stall=Duration(54), compute=Duration(1800), mean_time_to_interrupt=Duration(178_161),
    ...             restart=Duration(600)), 4)
    0.0384
    """
    return stall / compute + (compute / 2 + restart) / mean_time_to_interrupt


def waste_in_background(
    *, stall: Duration, compute: Duration, drain: Duration, mean_time_to_interrupt: Duration, restart: Duration
) -> float:
    """
    Share of time wasted with checkpoints that drain in the background, first order.

    Formula:  stall/compute + (compute/2 + drain + restart)/mean_time_to_interrupt
    Assumes:  shares of the compute time between two checkpoints; a failure while one drains falls back one more
    Source:   derived from the first-order model (checked 2026-11-29)

    >>> round(waste_in_background(stall=Duration(5), compute=Duration(1800), drain=Duration(1800),
    ...     mean_time_to_interrupt=Duration(178_161), restart=Duration(600)), 4)
    0.0213
    """
    return stall / compute + (compute / 2 + drain + restart) / mean_time_to_interrupt


def least_waste(*, stall: Duration, mean_time_to_interrupt: Duration) -> float:
    """
    Share of the compute time that is wasted at the best interval, restarts not counted.

    Formula:  sqrt(2 * stall / mean_time_to_interrupt)
    Assumes:  half of it is saving, half lost work
    Source:   from Young's optimum (checked 2026-11-29)

    >>> round(least_waste(stall=Duration(80.17), mean_time_to_interrupt=Duration(178_160)), 4)
    0.03
    """
    return math.sqrt(2 * (stall / mean_time_to_interrupt))


def training_time_ratio(
    *, nodes: int, per_node_day: float, restart: Duration, interval: Duration, write: Duration
) -> float:
    """
    Effective training time ratio in Meta's closed form.

    Formula:  (1 - nodes*per_node_day*(restart + interval/2)/86400) / (1 + write/interval)
    Assumes:  first order
    Source:   arXiv 2410.21680, as quoted by others (checked 2026-11-29)

    >>> round(training_time_ratio(nodes=128, per_node_day=6.5e-3, restart=Duration(600),
    ...                           interval=Duration(1800), write=Duration(54)), 4)
    0.9569
    """
    lost = nodes * per_node_day * ((restart + interval / 2) / Duration(86400.0))
    return (1 - lost) / (1 + write / interval)


def stall_gpu_hours(*, gpus: int, jobs: int, overhead_fraction: float, hours: float) -> float:
    """
    GPU-hours that stand still while checkpoints are written.

    Formula:  gpus * jobs * overhead_fraction * hours
    Assumes:  all GPUs of each job wait; share of the period
    Source:   definition (checked 2026-11-29)

    >>> round(stall_gpu_hours(gpus=1024, jobs=1, overhead_fraction=0.03, hours=720))
    22118
    """
    return gpus * jobs * overhead_fraction * hours


def lost_gpu_hours(*, gpus: int, jobs: int, goodput_fraction: float, hours: float) -> float:
    """
    GPU-hours that are no useful work: stalls, work done again and restarts together.

    Formula:  gpus * jobs * (1 - goodput_fraction) * hours
    Assumes:  the jobs run all the time
    Source:   definition (checked 2026-11-29)

    >>> round(lost_gpu_hours(gpus=1024, jobs=1, goodput_fraction=0.9886, hours=720))
    8405
    """
    return gpus * jobs * (1 - goodput_fraction) * hours


def stall_cost(*, gpu_hours: float, per_gpu_hour: float) -> float:
    """
    What the waiting GPUs cost.

    Formula:  gpu_hours * per_gpu_hour
    Assumes:  a waiting GPU costs what a working one costs
    Source:   definition; the price is the stack's (checked 2026-11-29)

    >>> round(stall_cost(gpu_hours=1024 * 0.03 * 8760, per_gpu_hour=3.0), 1)
    807321.6
    """
    return gpu_hours * per_gpu_hour
