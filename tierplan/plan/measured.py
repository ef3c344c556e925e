"""What was measured of a product bounds what a plan promises of it: shares of the promise, never above 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Calibration, Measured, StorageNode
from tierplan.domain.tiers import Delivered, Rates, TierConfig
from tierplan.units import Bandwidth, OpRate


def node_words(node: StorageNode) -> str:
    """
    A storage node as calibrations name it.

    >>> from tierplan.domain.stack import Drive
    >>> from tierplan.units import bandwidth, size
    >>> drive = Drive(size=size("7.68 TB"), read=bandwidth("6.5 GB/s"), write=bandwidth("3.5 GB/s"))
    >>> node_words(StorageNode(drives=12, drive=drive, ports=2, port_rate=bandwidth("200 Gbit/s"), cores=64,
    ...                        memory=size("384 GiB")))
    '12 x 7.68 TB nvme, 2 x 200 Gbit/s'
    """
    return f"{node.drives} x {node.drive.size.show()} {node.medium}, {node.ports} x {node.port_rate.show('Gbit/s')}"


def measured_of(entries: Iterable[Calibration], *, backend: str, node: StorageNode) -> Measured | None:
    """
    What was measured of this product on this node, else on any other: of several figures of a direction the lowest.

    A product that fell short on one node is not believed on another one that nobody has measured.
    """
    product = [one for one in entries if one.backend == backend]
    mine = [one for one in product if one.node == node_words(node)]
    elsewhere = "" if mine else " on another node"
    mine = mine or product
    if not mine:
        return None
    shares = {"read": 1.0, "write": 1.0, "op_rate": 1.0}
    for one in mine:
        shares[one.quantity] = min(shares[one.quantity], one.fraction)
    return Measured(
        read_fraction=shares["read"],
        write_fraction=shares["write"],
        op_rate_fraction=shares["op_rate"],
        source="; ".join(dict.fromkeys(one.source + elsewhere for one in mine)),
    )


def scaled(need: TierNeed, measured: Measured) -> TierNeed:
    """
    What must be asked of the product's arithmetic so that what it was measured to give is enough.

    Formula:  read / read_fraction, write / write_fraction, op_rate / op_rate_fraction
    """
    read, write, ops = 1 / measured.read_fraction, 1 / measured.write_fraction, 1 / measured.op_rate_fraction
    return replace(
        need,
        read=need.read * read,
        write=need.write * write,
        op_rate=need.op_rate * ops,
        degraded_read=need.degraded_read * read,
        degraded_write=need.degraded_write * write,
        phases=tuple(
            replace(one, read=one.read * read, write=one.write * write, op_rate=one.op_rate * ops)
            for one in need.phases
        ),
    )


def lowered(delivered: Delivered, measured: Measured) -> Delivered:
    """What the configuration gives, no more than was measured of its like."""
    note = (
        f"measured: {measured.read_fraction:.0%} of the predicted read, {measured.write_fraction:.0%} of the write "
        f"bandwidth and {measured.op_rate_fraction:.0%} of the op rate ({measured.source})"
    )
    return replace(
        delivered,
        healthy=_rates(delivered.healthy, measured),
        degraded=tuple(
            replace(one, read=one.read * measured.read_fraction, write=one.write * measured.write_fraction)
            for one in delivered.degraded
        ),
        notes=(*delivered.notes, note),
        assumptions=(*delivered.assumptions, note),
    )


def _rates(rates: Rates, measured: Measured) -> Rates:
    """The high ends fall as well: what was measured leaves no doubt upwards."""
    read: Bandwidth = rates.read * measured.read_fraction
    write: Bandwidth = rates.write * measured.write_fraction
    op_rate: OpRate = rates.op_rate * measured.op_rate_fraction
    return replace(
        rates,
        read=read,
        write=write,
        op_rate=op_rate,
        read_high=None if rates.read_high is None else read,
        write_high=None if rates.write_high is None else write,
        op_rate_high=None if rates.op_rate_high is None else op_rate,
    )


def with_measured(config: TierConfig, measured: Measured | None) -> TierConfig:
    """The configuration with what was measured of it, where something was."""
    return config if measured is None else replace(config, measured=measured)
