"""Loads that are stated, not derived: home, code, logs."""

from __future__ import annotations

from tierplan.units import Bandwidth, OpRate


def read_bandwidth(*, read: Bandwidth) -> Bandwidth:
    """
    Read bandwidth as the stack states it.

    Formula:  read
    Assumes:  all the time, over all GPU nodes evenly
    Source:   stack

    >>> read_bandwidth(read=Bandwidth(2e9)).show()
    '2 GB/s'
    """
    return read


def write_bandwidth(*, write: Bandwidth) -> Bandwidth:
    """
    Write bandwidth as the stack states it.

    Formula:  write
    Assumes:  all the time, over all GPU nodes evenly
    Source:   stack

    >>> write_bandwidth(write=Bandwidth(1e9)).show()
    '1 GB/s'
    """
    return write


def op_rate(*, operations: OpRate) -> OpRate:
    """
    Metadata operations as the stack states them.

    Formula:  operations
    Assumes:  all the time
    Source:   stack

    >>> op_rate(operations=OpRate(20_000)).show()
    '20 kops/s'
    """
    return operations
