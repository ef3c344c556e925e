"""What a tier still gives with one drive, one port, one leaf switch, one node or one rack lost."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.domain.survival import Lost, State
from tierplan.domain.tiers import Degraded
from tierplan.survival.book import Book
from tierplan.survival.room import usable_after
from tierplan.units import Bandwidth, OpRate


def states(book: Book) -> tuple[State, ...]:
    """Every state that a plan is asked about, the smallest loss first."""
    return (drive_state(book), port_state(book), leaf_state(book), *delivered_states(book))


def drive_pace(*, drives: int, width: int, spread: bool, peers: int = 0, node_drives: int = 1) -> float:
    """
    Share of its rate that a tier keeps with one drive lost.

    Formula:  (drives - 1) / drives where stripes are spread; (width - 1) / width in a group of its own, whose pace
              all others wait for; 1 / (1 + 1 / (node_drives * peers)) where `peers` take over its reads
    Assumes:  load lies evenly over all drives; no ceiling but the drives would hide the loss: from below

    >>> drive_pace(drives=144, width=7, spread=True), drive_pace(drives=144, width=10, spread=False)
    (0.9930555555555556, 0.9)
    """
    if peers > 0:
        return 1 / (1 + 1 / (max(1, node_drives) * peers))
    if spread:
        return (drives - 1) / drives if drives > 0 else 0.0
    return (width - 1) / width if width > 0 else 0.0


def drive_state(book: Book) -> State:
    """One drive: its data is computed from the others, or served by its copies."""
    kept = book.kept
    lost = kept.drives_tolerated < 1 and kept.copies < 2
    peers = int(book.plan.delivered.parts.get("peers", 0)) if kept.repair == "replacement" else 0
    pace = drive_pace(
        drives=book.drives,
        width=kept.width,
        spread=kept.repair == "declustered",
        peers=peers,
        node_drives=book.node.drives,
    )
    left = 1 / max(1, book.node.drives)
    return _paced(book, "drive", 0.0 if lost and not kept.domains > 1 else pace, data_lost=lost, nodes_lost=left)


def port_state(book: Book) -> State:
    """
    One port of one node: it goes on with the others, or is taken out of service, whichever leaves more.

    Assumes:  load lies evenly over all nodes, so that the slowest sets the pace: from below
    """
    ports = book.node.ports
    out = _cut_off(book, "port", _found(book, nodes=1, racks=0))
    if ports < 2:
        return out
    slow = _paced(book, "port", (ports - 1) / ports)
    return out if out.read > slow.read else slow


def leaf_state(book: Book) -> State:
    """
    One leaf switch: nodes whose ports are spread over several lose a share of them, others are cut off.

    Assumes:  without a planned fabric, as many leafs for each rack as a node has ports
    """
    ports, group = book.node.ports, book.leafs
    rails = ports if group is None else group.rails
    if rails > 1:
        return _paced(book, "leaf", (rails - 1) / rails)
    behind = book.nodes_in_a_rack if group is None else -(-group.node_ports // max(1, ports))
    if behind <= 1:
        return _cut_off(book, "leaf", _found(book, nodes=1, racks=0))
    by_rack = book.config.layout.failure_domain == "rack" and behind <= book.nodes_in_a_rack
    if behind >= book.config.nodes or book.kept.keeps_on_loss or (1 if by_rack else behind) > book.kept.serving:
        return _cut_off(book, "leaf", None)
    left = (book.config.nodes - behind) / book.config.nodes
    return _paced(book, "leaf", left)


def delivered_states(book: Book) -> Iterator[State]:
    """One node, one rack and what must be survived, as the backend delivers them."""
    wanted = book.plan.need.survive
    for one in book.plan.delivered.degraded:
        kinds: dict[tuple[int, int], Lost] = {(1, 0): "node", (0, 1): "rack"}
        lost = kinds.get((one.nodes, one.racks), "survive")
        if lost == "survive" and (one.nodes, one.racks) != (wanted.nodes, wanted.racks):
            continue
        yield _state(book, lost, one)


def _found(book: Book, *, nodes: int, racks: int) -> Degraded | None:
    return next((one for one in book.plan.delivered.degraded if (one.nodes, one.racks) == (nodes, racks)), None)


def _state(book: Book, lost: Lost, one: Degraded) -> State:
    gone = one.nodes + one.racks * book.nodes_in_a_rack
    return State(
        lost=lost,
        nodes=one.nodes,
        racks=one.racks,
        read=one.read,
        write=one.write,
        op_rate=_op_rate(book, one),
        capacity=usable_after(book.plan, book.kept, nodes_lost=gone)
        if not one.data_lost
        else book.plan.delivered.usable * 0,
        data_lost=one.data_lost,
        serves=bool(one.read or one.write),
    )


def _op_rate(book: Book, one: Degraded) -> OpRate:
    healthy = book.plan.delivered.healthy.op_rate
    if not (one.read or one.write):
        return OpRate.zero()
    return healthy if one.op_rate is None else min(healthy, one.op_rate)


def _cut_off(book: Book, lost: Lost, one: Degraded | None) -> State:
    """Nodes out of reach: as if they were lost, but what they hold comes back with the link."""
    if one is None:  # more than the tier bears: nothing is within reach
        zero = Bandwidth.zero()
        return State(
            lost=lost,
            read=zero,
            write=zero,
            op_rate=OpRate.zero(),
            capacity=book.plan.delivered.usable,
            data_lost=False,
            serves=False,
        )
    return State(
        lost=lost,
        read=one.read,
        write=one.write,
        op_rate=_op_rate(book, one),
        capacity=book.plan.delivered.usable,
        data_lost=False,
        serves=bool(one.read or one.write),
    )


def _paced(book: Book, lost: Lost, pace: float, *, data_lost: bool = False, nodes_lost: float = 0.0) -> State:
    healthy = book.plan.delivered.healthy
    usable = book.plan.delivered.usable
    return State(
        lost=lost,
        read=healthy.read * pace,
        write=healthy.write * pace,
        op_rate=healthy.op_rate * (1.0 if pace > 0 else 0.0),
        capacity=min(usable, usable_after(book.plan, book.kept, nodes_lost=nodes_lost)) if nodes_lost else usable,
        data_lost=data_lost,
        serves=pace > 0,
    )
