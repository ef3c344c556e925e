"""How often to save: what is allowed, and what is best for the hardware's failure rate."""

from __future__ import annotations

import math

from tierplan.errors import InputError
from tierplan.units import Bandwidth, Duration, Size


def stated(*, interval: Duration) -> Duration:
    """
    The checkpoint interval as the stack gives it, from one start to the next (the period).

    Formula:  interval
    Assumes:  the period holds compute time and stall
    Source:   stack

    >>> stated(interval=Duration(1800)).show()
    '30 min'
    """
    return interval


def allowed_stall(*, interval: Duration, overhead: float) -> Duration:
    """
    Time that a synchronous checkpoint may stop training.

    Formula:  interval * overhead
    Assumes:  overhead is a share of the period (compute and stall), not of the compute time
    Source:   definition (checked 2026-11-29)

    >>> allowed_stall(interval=Duration(1800), overhead=0.03).show()
    '54 s'
    """
    return interval * overhead


def blocked(*, blocking: Duration) -> Duration:
    """
    Time that an asynchronous checkpoint stops training: the copy to host memory.

    Formula:  blocking
    Assumes:  5 s where nothing better is known; published copies take 0.06 to 6.3 s
    Source:   pytorch.org/blog/reducing-checkpointing-times (checked 2026-11-29)

    >>> blocked(blocking=Duration(5)).show()
    '5 s'
    """
    return blocking


def mean_time_to_interrupt(*, per_gpu: Duration, gpus: int, large_job_factor: float) -> Duration:
    """
    Mean time between two interruptions of a job, from the failure rate of one GPU.

    Formula:  per_gpu / (gpus * large_job_factor)
    Assumes:  a series system: any GPU stops the whole job; large jobs may fail more often than their share
    Source:   arXiv 2407.21783, Llama 3 (50,677 GPU hours); arXiv 2410.21680 (1,024-GPU jobs 3.7 times worse than
              their share), per_gpu 50,000 h assumed where not given (checked 2026-11-29)
    Raises:   InputError if there are no GPUs or the factor is zero

    >>> mean_time_to_interrupt(per_gpu=Duration(50_677 * 3600), gpus=1024, large_job_factor=1).show("h", digits=4)
    '49.49 h'
    """
    if gpus <= 0 or large_job_factor <= 0:
        message = f"interrupts: {gpus} GPUs with large_job_factor {large_job_factor:g}; both must be above 0"
        raise InputError(message)
    return per_gpu / (gpus * large_job_factor)


def mean_time_to_interrupt_by_node(*, per_node_day: float, nodes: float, large_job_factor: float) -> Duration:
    """
    Mean time between two interruptions of a job, from the failures of one GPU node in a day.

    Formula:  86400 / (per_node_day * nodes * large_job_factor)
    Assumes:  a series system: any node stops the whole job
    Source:   arXiv 2410.21680, RSC-1: 6.50 failures in 1,000 node-days (checked 2026-11-29)
    Raises:   InputError if a factor is zero

    >>> mean_time_to_interrupt_by_node(per_node_day=6.5e-3, nodes=128, large_job_factor=1).show("h", digits=4)
    '28.85 h'
    """
    if min(per_node_day, nodes, large_job_factor) <= 0:
        message = f"interrupts: per_node_day {per_node_day:g} on {nodes:g} nodes; must be above 0"
        raise InputError(message)
    return Duration(86400.0 / (per_node_day * nodes * large_job_factor))


def young(*, stall: Duration, mean_time_to_interrupt: Duration) -> Duration:
    """
    Compute time between two checkpoints that wastes least, first order.

    Formula:  sqrt(2 * stall * mean_time_to_interrupt)
    Assumes:  stall far shorter than the time to interrupt; compute time without the stall
    Source:   Young 1974, doi 10.1145/361147.361115 (checked 2026-11-29)

    >>> young(stall=Duration(54), mean_time_to_interrupt=Duration(178_161)).show("s", digits=5)
    '4,386.5 s'
    """
    return Duration(math.sqrt(2 * stall.s * mean_time_to_interrupt.s))


def daly(*, stall: Duration, mean_time_to_interrupt: Duration) -> Duration:
    """
    Compute time between two checkpoints that wastes least, higher order.

    Formula:  sqrt(2*stall*mean_time_to_interrupt)
              * (1 + sqrt(stall/(2*mean_time_to_interrupt))/3 + stall/(2*mean_time_to_interrupt)/9) - stall;
              mean_time_to_interrupt if the stall is twice as long or more
    Assumes:  exponential failures; compute time without the stall
    Source:   Daly 2006, doi 10.1016/j.future.2004.11.016 (checked 2026-11-29)
    Raises:   InputError if the time to interrupt is zero

    >>> daly(stall=Duration(54), mean_time_to_interrupt=Duration(178_161)).show("s", digits=5)
    '4,350.6 s'
    """
    if mean_time_to_interrupt.s <= 0:
        message = "interrupts: the mean time to interrupt is 0 s; no interval helps"
        raise InputError(message)
    if stall.s >= 2 * mean_time_to_interrupt.s:
        return mean_time_to_interrupt
    ratio = stall.s / (2 * mean_time_to_interrupt.s)
    root = math.sqrt(2 * stall.s * mean_time_to_interrupt.s)
    return Duration(root * (1 + math.sqrt(ratio) / 3 + ratio / 9) - stall.s)


def optimal_period(*, stall: Duration, mean_time_to_interrupt: Duration) -> Duration:
    """
    Period between two checkpoint starts that wastes least.

    Formula:  daly(stall, mean_time_to_interrupt) + stall
    Assumes:  exponential failures; the period holds compute time and stall
    Source:   Daly 2006, doi 10.1016/j.future.2004.11.016 (checked 2026-11-29)
    Raises:   InputError if the time to interrupt is zero

    >>> optimal_period(stall=Duration(54), mean_time_to_interrupt=Duration(178_161)).show("s", digits=5)
    '4,404.6 s'
    """
    return daly(stall=stall, mean_time_to_interrupt=mean_time_to_interrupt) + stall


def exact_optimum(*, stall: Duration, mean_time_to_interrupt: Duration) -> Duration:
    """
    Compute time between two checkpoints that wastes least, without approximation.

    Formula:  the root t of (1 - t/mean_time_to_interrupt) * exp((t + stall)/mean_time_to_interrupt) = 1
    Assumes:  exponential failures; the restart time does not move the optimum
    Source:   maximum of the exact efficiency, by bisection (checked 2026-11-29)
    Raises:   InputError if the time to interrupt is zero

    >>> exact_optimum(stall=Duration(300), mean_time_to_interrupt=Duration(3600)).show("s", digits=5)
    '1,276.9 s'
    """
    if mean_time_to_interrupt.s <= 0:
        message = "interrupts: the mean time to interrupt is 0 s; no interval helps"
        raise InputError(message)
    delta = stall / mean_time_to_interrupt
    low, high = 0.0, 1.0  # in mean times to interrupt
    for _ in range(80):
        middle = (low + high) / 2
        if middle < 1 and math.log1p(-middle) + middle + delta > 0:
            low = middle
        else:
            high = middle
    return mean_time_to_interrupt * high


def budget_stall(*, overhead: float, mean_time_to_interrupt: Duration) -> Duration:
    """
    The longest stall with which saving and lost work together stay within a share of the compute time.

    Formula:  overhead**2 * mean_time_to_interrupt / 2
    Assumes:  the best interval is used; half of the budget is saving, half lost work; restart not counted
    Source:   derived from Young's optimum, least waste sqrt(2 * stall / M) (checked 2026-11-29)

    >>> budget_stall(overhead=0.03, mean_time_to_interrupt=Duration(49.489 * 3600)).show("s")
    '80.2 s'
    """
    return mean_time_to_interrupt * (overhead**2 / 2)


def budget_period(*, overhead: float, mean_time_to_interrupt: Duration) -> Duration:
    """
    The best period for a share of time that saving and lost work together may take: compute time plus stall.

    Formula:  overhead * mean_time_to_interrupt + overhead**2 * mean_time_to_interrupt / 2
    Assumes:  bandwidth is sized for this interval; overhead is a share of the compute time
    Source:   derived from Young's optimum (checked 2026-11-29)

    >>> budget_period(overhead=0.03, mean_time_to_interrupt=Duration(49.489 * 3600)).show("s", digits=4)
    '5,425 s'
    """
    return mean_time_to_interrupt * (overhead + overhead**2 / 2)


def budget_bandwidth(*, size: Size, overhead: float, mean_time_to_interrupt: Duration) -> Bandwidth:
    """
    Write bandwidth with which saving and lost work together stay within a share of the compute time.

    Formula:  2 * size / (overhead**2 * mean_time_to_interrupt)
    Assumes:  synchronous, at the best interval; restart not counted
    Source:   derived from Young's optimum (checked 2026-11-29)
    Raises:   InputError if the overhead or the time to interrupt is zero

    >>> budget_bandwidth(size=Size(980e9), overhead=0.03, mean_time_to_interrupt=Duration(49.489 * 3600)).show()
    '12.2 GB/s'
    """
    if overhead <= 0 or mean_time_to_interrupt.s <= 0:
        message = f"checkpoint.overhead: {overhead:g} with interval auto; no bandwidth is enough for no overhead"
        raise InputError(message)
    return size * (2 / overhead**2) / mean_time_to_interrupt


def background_period(*, blocking: Duration, mean_time_to_interrupt: Duration, drain_fraction: float) -> Duration:
    """
    The best period for checkpoints that drain in the background for a fixed share of it.

    Formula:  sqrt(blocking * mean_time_to_interrupt / (1/2 + drain_fraction)) + blocking
    Assumes:  a failure while the newest checkpoint drains falls back one more; first order
    Source:   derived: least waste blocking/t + (t/2 + drain_fraction*t)/M (checked 2026-11-29)

    >>> background_period(blocking=Duration(5), mean_time_to_interrupt=Duration(178_161),
    ...                   drain_fraction=0.8).show("s")
    '833 s'
    """
    return Duration(math.sqrt(blocking.s * mean_time_to_interrupt.s / (0.5 + drain_fraction))) + blocking
