"""What a reference architecture would want of a cluster of this size: a check, never the requirement."""

from __future__ import annotations

from tierplan.domain.figures import Known, Ledger
from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.units import Bandwidth


def bandwidth(*, unit_bandwidth: Bandwidth, gpus: int, unit_gpus: int) -> Bandwidth:
    """
    Bandwidth that a reference architecture names for one unit, for all GPUs.

    Formula:  unit_bandwidth * gpus / unit_gpus
    Assumes:  targets grow linearly with the units, as the published tables do within rounding
    Source:   NVIDIA DGX SuperPOD H100, RA-11333-001 v11 (2023-09-22), table storage performance (checked 2026-11-29)
    Raises:   InputError if a unit has no GPUs

    >>> bandwidth(unit_bandwidth=Bandwidth(40e9), gpus=512, unit_gpus=256).show("GB/s")
    '80 GB/s'
    """
    if unit_gpus <= 0:
        message = f"targets.reference.gpus: {unit_gpus}; a unit has at least one GPU"
        raise InputError(message)
    return unit_bandwidth * (gpus / unit_gpus)


def referred(stack: Stack, ledger: Ledger) -> None:
    """The read and write bandwidth of the chosen reference, for the whole cluster of today."""
    reference = stack.targets.reference
    if reference is None:
        return
    gpus = Known(stack.cluster.gpus, stack.origin("cluster.gpu_nodes"))
    unit = Known(reference.gpus, stack.origin("targets.reference.gpus"))
    for direction, value in (("read", reference.read), ("write", reference.write)):
        given = Known(value, stack.origin(f"targets.reference.{direction}"))
        ledger.figure(f"reference.{direction}_bytes_per_s", bandwidth, unit_bandwidth=given, gpus=gpus, unit_gpus=unit)
