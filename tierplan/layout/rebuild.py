"""How long redundancy is reduced: rebuild onto a spare, onto all drives, over the network."""

from __future__ import annotations

from tierplan.units import Bandwidth, Duration, Size


def spare_rebuild(*, lost: Size, spare_write: Bandwidth) -> Duration:
    """
    Rebuild of one drive onto a dedicated spare, which its write rate bounds.

    Formula:  lost / spare_write

    >>> spare_rebuild(lost=Size(20e12), spare_write=Bandwidth(200e6)).show("h", 4)
    '27.78 h'
    """
    return lost / spare_write


def declustered_rebuild(*, lost: Size, data_units: int, drives: int, drive_recovery: Bandwidth) -> Duration:
    """
    Rebuild of one drive onto all others, each giving a share of its rate to recovery.

    Formula:  lost * (data_units + 1) / ((drives - 1) * drive_recovery)
    Assumes:  `drive_recovery` counts reads and writes together; copies are data_units = 1

    >>> declustered_rebuild(lost=Size(20e12), data_units=8, drives=90, drive_recovery=Bandwidth(50e6)).show("h", 5)
    '11.236 h'
    """
    return lost * (data_units + 1) / (drive_recovery * (drives - 1))


def network_rebuild(
    *, lost: Size, data_units: int, nodes: int, node_network: Bandwidth, recovery_share: float
) -> Duration:
    """
    Rebuild bounded by the storage nodes' network.

    Formula:  lost * (data_units + 1) / (nodes * node_network * recovery_share)

    >>> network_rebuild(lost=Size(10.752e12), data_units=6, nodes=67, node_network=Bandwidth(25e9),
    ...                 recovery_share=0.2).show("h", 3)
    '0.0624 h'
    """
    return lost * (data_units + 1) / (node_network * (nodes * recovery_share))


def time_to_redundancy(*bounds: Duration, detection: Duration) -> Duration:
    """
    Time until redundancy is whole again: the slowest bound after the fault has been noticed.

    Formula:  max(bounds) + detection
    Assumes:  Ceph waits 600 s (`mon_osd_down_out_interval`) before it re-creates what is missing

    >>> time_to_redundancy(Duration(3600.0), Duration(60.0), detection=Duration(600.0)).show("min")
    '70 min'
    """
    return max(bounds) + detection


def stored(*, size: Size, fill: float) -> Size:
    """
    What one drive or node holds and what must be made anew when it is lost.

    Formula:  size * fill
    Assumes:  as full as it is planned to be; data lies evenly
    Source:   definition

    >>> stored(size=Size(10e12), fill=0.8).show()
    '8 TB'
    """
    return size * fill


def spread_rebuild(
    *, content: Size, read_units: float, drives: int, drive: Bandwidth, nodes: int, network: Bandwidth, share: float
) -> Duration:
    """
    Rebuild onto all drives that are left, over the ports of all nodes that are left.

    Formula:  content * (read_units + 1) / (share * min(drives * drive, nodes * network))
    Assumes:  `drive` counts reads and writes together; `share` is the rebuild's part of drives and ports
    Source:   the slower of `declustered_rebuild` and `network_rebuild`

    >>> spread_rebuild(content=Size(20e12), read_units=8, drives=89, drive=Bandwidth(50e6), nodes=10,
    ...                network=Bandwidth(25e9), share=1.0).show("h", 5)
    '11.236 h'
    """
    carried = min(drive * drives, network * nodes)
    return content * (read_units + 1) / (carried * share)


def onto_one(*, content: Size, write: Bandwidth, share: float) -> Duration:
    """
    Rebuild onto one drive, or one node: a spare, or what replaces the lost one.

    Formula:  content / (write * share)
    Assumes:  whatever is read for it is read from many
    Source:   as `spare_rebuild`; 3FS copies whole chunks to the returning target (design notes)

    >>> onto_one(content=Size(15.36e12 * 0.7), write=Bandwidth(2e9), share=1.0).show("h", 4)
    '1.493 h'
    """
    return content / (write * share)


def exposure(*, wait: Duration, rebuild: Duration) -> Duration:
    """
    How long redundancy is reduced.

    Formula:  wait + rebuild
    Assumes:  the rebuild is the one beside the clients' load
    Source:   definition

    >>> exposure(wait=Duration(600.0), rebuild=Duration(3600.0)).show("min")
    '70 min'
    """
    return wait + rebuild
