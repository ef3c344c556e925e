"""Erasure codes: what k data and m parity units cost in space, on the wire and on the drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Factors:
    """Bytes moved for each byte that a client reads or writes."""

    read: float
    write: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialWrite:
    """Unit-sized reads and writes that a small write costs, by the cheaper method."""

    reads: int
    writes: int
    method: Literal["full stripe", "parity delta", "reconstruct"]


def efficiency(*, data_units: int, parity_units: int) -> float:
    """
    Share of the raw bytes that data gets.

    Formula:  data_units / (data_units + parity_units)

    >>> round(efficiency(data_units=8, parity_units=3), 5)
    0.72727
    """
    return data_units / (data_units + parity_units)


def write_amplification(*, data_units: int, parity_units: int) -> float:
    """
    Bytes on drives for each byte of a full-stripe write.

    Formula:  (data_units + parity_units) / data_units

    >>> write_amplification(data_units=4, parity_units=2)
    1.5
    """
    return (data_units + parity_units) / data_units


def network_factors(*, data_units: int, parity_units: int, through_gateway: bool = False) -> Factors:
    """
    Crossings of the storage nodes' network for each client byte, where a primary node gathers the stripe.

    Formula:  read = 1 + (data_units - 1) / data_units + through_gateway;
              write = 1 + (data_units + parity_units - 1) / data_units + through_gateway
    Assumes:  the client's own crossing counts; no unit happens to lie on the node that asks for it
    Source:   counted for Ceph's primary OSD, doc/rados/operations/erasure-code.rst (2026-11-29)

    >>> network_factors(data_units=4, parity_units=2)
    Factors(read=1.75, write=2.25)
    """
    return Factors(
        read=1 + (data_units - 1) / data_units + through_gateway,
        write=1 + (data_units + parity_units - 1) / data_units + through_gateway,
    )


def replica_network_factors(*, replicas: int, through_gateway: bool = False) -> Factors:
    """
    As `network_factors`, for whole copies that a primary node passes on.

    Formula:  read = 1 + through_gateway; write = replicas + through_gateway

    >>> replica_network_factors(replicas=3)
    Factors(read=1, write=3)
    """
    return Factors(read=1 + through_gateway, write=replicas + through_gateway)


def partial_write(*, data_units: int, parity_units: int, changed_units: int) -> PartialWrite:
    """
    What a write of some units of a stripe costs.

    Formula:  parity delta reads w + m, reconstruct reads k - w, the fewer wins; both write w + m; a full stripe
              reads nothing
    Source:   ceph.io blog, fast erasure coding in Tentacle (2026-11-29)

    >>> partial_write(data_units=8, parity_units=2, changed_units=1)
    PartialWrite(reads=3, writes=3, method='parity delta')
    """
    writes = changed_units + parity_units
    delta, reconstruct = changed_units + parity_units, data_units - changed_units
    if reconstruct <= 0:
        return PartialWrite(reads=0, writes=writes, method="full stripe")
    if delta < reconstruct:
        return PartialWrite(reads=delta, writes=writes, method="parity delta")
    return PartialWrite(reads=reconstruct, writes=writes, method="reconstruct")


def partial_write_amplification(*, data_units: int, parity_units: int, changed_units: int) -> float:
    """
    Unit-sized drive operations for each unit that changes.

    Formula:  (reads + writes) / changed_units of the cheaper method

    >>> partial_write_amplification(data_units=8, parity_units=3, changed_units=1)
    8.0
    """
    cost = partial_write(data_units=data_units, parity_units=parity_units, changed_units=changed_units)
    return (cost.reads + cost.writes) / changed_units


def degraded_read_factor(*, data_units: int, unavailable_fraction: float) -> float:
    """
    Mean drive reads for one small read while some units are missing; whole stripes are read at factor 1.

    Formula:  1 + unavailable_fraction * (data_units - 1)
    Assumes:  a unit on a lost drive is computed from data_units others

    >>> round(degraded_read_factor(data_units=4, unavailable_fraction=1 / 12), 2)
    1.25
    """
    return 1 + unavailable_fraction * (data_units - 1)
