"""VAST's own formulas: stripe width and write path. Each has its source."""

from __future__ import annotations

import math


def data_strips(drives: int, *, most_strips: int, parity_strips: int, kept_out: int) -> int:
    """
    Data strips of a stripe: as wide as the drives allow.

    Formula:  min(most_strips, drives - parity_strips - kept_out)
    Assumes:  four drives stay outside each stripe, for the rebuild in place
    Source:   VAST, Bringing Rack-Level Resilience to VAST, part 1; Ensuring data resilience (2026-11-29)

    >>> data_strips(88, most_strips=146, parity_strips=4, kept_out=4)
    80
    """
    return min(most_strips, drives - parity_strips - kept_out)


def box_data_strips(boxes: int, *, strips_per_box: int, parity_strips: int) -> int:
    """
    Data strips of a stripe that survives a box: so many strips of it stand in one box and no more.

    Formula:  boxes * strips_per_box - parity_strips
    Source:   VAST support, DBox High Availability: no more than two drives of a DBox in a stripe (2026-11-29)

    >>> box_data_strips(11, strips_per_box=2, parity_strips=4)
    18
    """
    return boxes * strips_per_box - parity_strips


def overhead(*, data_strips: int, parity_strips: int) -> float:
    """
    Share of a stripe that parity takes.

    Formula:  parity_strips / (data_strips + parity_strips)

    >>> round(overhead(data_strips=146, parity_strips=4), 6)
    0.026667
    """
    return parity_strips / (data_strips + parity_strips)


def port_crossings(
    *, buffer_data: float, buffer_parity: float, code_fraction: float, ebox: bool
) -> tuple[float, float]:
    """
    Bytes through a box's ports, in one direction, for each byte that a client reads or writes.

    Formula:  read = 1 + ebox; write = (buffer_data + buffer_parity) / buffer_data + 1 / code_fraction + 2 * ebox
    Assumes:  every byte lies in another box; an EBox also takes it from the client and fetches it from the buffer
    Source:   counted along the write path: write buffer N+2, then the stripe (VAST 5.1 and 5.2, 2026-11-29)

    >>> read, write = port_crossings(buffer_data=6, buffer_parity=2, code_fraction=80 / 84, ebox=False)
    >>> read, round(write, 2)
    (1.0, 2.38)
    """
    buffered = (buffer_data + buffer_parity) / buffer_data
    return 1.0 + ebox, buffered + (1 / code_fraction if code_fraction > 0 else math.inf) + 2 * ebox
