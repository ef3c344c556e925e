"""Making anew what a drive or a node held: how much, how long, and whether there is room for it."""

from __future__ import annotations

from typing import Literal

from tierplan.domain.figures import Known
from tierplan.domain.survival import Rebuild
from tierplan.layout import rebuild
from tierplan.survival.book import Book
from tierplan.survival.room import room_for_a_drive, room_for_a_node
from tierplan.units import Duration, Size


def rebuilds(book: Book) -> tuple[Rebuild, ...]:
    """The rebuild of one drive, and of one node where data is lost with it and stands elsewhere too."""
    if not book.works or book.drives < 1:
        return ()
    found = []
    if book.kept.drives_tolerated > 0:
        found.append(drive_rebuild(book))
    if book.nodes_tolerated > 0 and (not book.kept.keeps_on_loss or book.kept.copies > 1):
        found.append(node_rebuild(book))
    return tuple(found)


def drive_rebuild(book: Book) -> Rebuild:
    """One drive, onto all others of its pool, onto a spare or onto its replacement."""
    kept, node, repair = book.kept, book.node, book.failures.repair
    content = book.figure(
        "drive_content_bytes",
        rebuild.stored,
        size=book.chosen(node.drive.size, "node.drive.size"),
        fill=book.chosen(book.plan.delivered.planned_fill_fraction, "planned_fill_fraction"),
    )
    room, reason = room_for_a_drive(book.plan, book.kept)
    idle, loaded = (_drive_time(book, content, share=share) for share in (True, False))
    supplied = kept.repair == "replacement" or not room
    wait = repair.detection + repair.drive_supply if supplied else repair.detection
    return _made(book, "drive", content, idle=idle, loaded=loaded, wait=wait, room=room, reason=reason)


def _drive_time(book: Book, content: Known[Size], *, share: bool) -> Known[Duration]:
    """The figure of the time, with nothing else to do (`share`) or beside the clients."""
    kept, node = book.kept, book.node
    part, name = _share(book, idle=share)
    if kept.repair != "declustered":
        write = book.chosen(node.drive.write, "node.drive.write")
        return book.figure(f"drive_rebuild_{name}_s", rebuild.onto_one, content=content, write=write, share=part)
    nodes = max(1, -(-kept.pool // max(1, node.drives)))
    return book.figure(
        f"drive_rebuild_{name}_s",
        rebuild.spread_rebuild,
        content=content,
        read_units=Known(kept.read_units, f"plan tiers.{book.tier}.layout"),
        drives=Known(max(1, kept.pool - 1), f"plan tiers.{book.tier}"),
        drive=book.chosen(min(node.drive.read, node.drive.write), "node.drive"),
        nodes=Known(nodes, f"plan tiers.{book.tier}"),
        network=book.chosen(node.network, "node.ports"),
        share=part,
    )


def node_rebuild(book: Book) -> Rebuild:
    """One node: onto all others where there is room, else onto the node that replaces it."""
    node, repair = book.node, book.failures.repair
    content = book.figure(
        "node_content_bytes",
        rebuild.stored,
        size=book.chosen(node.raw, "node"),
        fill=book.chosen(book.plan.delivered.planned_fill_fraction, "planned_fill_fraction"),
    )
    room, reason = room_for_a_node(book.plan, book.kept)
    idle, loaded = (_node_time(book, content, room=room, share=share) for share in (True, False))
    wait = repair.detection if room else repair.detection + repair.node_supply
    return _made(book, "node", content, idle=idle, loaded=loaded, wait=wait, room=room, reason=reason)


def _node_time(book: Book, content: Known[Size], *, room: bool, share: bool) -> Known[Duration]:
    kept, node = book.kept, book.node
    part, name = _share(book, idle=share)
    if kept.repair == "declustered" and room:
        nodes = max(1, kept.pool // max(1, node.drives) - 1)
        return book.figure(
            f"node_rebuild_{name}_s",
            rebuild.spread_rebuild,
            content=content,
            read_units=Known(kept.read_units, f"plan tiers.{book.tier}.layout"),
            drives=Known(nodes * node.drives, f"plan tiers.{book.tier}"),
            drive=book.chosen(min(node.drive.read, node.drive.write), "node.drive"),
            nodes=Known(nodes, f"plan tiers.{book.tier}"),
            network=book.chosen(node.network, "node.ports"),
            share=part,
        )
    write = min(node.network, node.drive.write * node.drives)
    inward = book.chosen(write, "node")
    return book.figure(f"node_rebuild_{name}_s", rebuild.onto_one, content=content, write=inward, share=part)


def _share(book: Book, *, idle: bool) -> tuple[Known[float], str]:
    repair = book.failures.repair
    if idle:
        return book.fact(repair.share_when_idle, "repair"), "idle"
    return book.fact(repair.share_under_load, "repair"), "loaded"


def _made(
    book: Book,
    of: Literal["drive", "node"],
    content: Known[Size],
    *,
    idle: Known[Duration],
    loaded: Known[Duration],
    wait: Duration,
    room: bool,
    reason: str,
) -> Rebuild:
    book.figure(f"{of}_exposed_s", rebuild.exposure, wait=book.fact(wait, "repair"), rebuild=loaded)
    moved = 1.0 if of == "node" and book.kept.copies > 1 else book.kept.read_units
    return Rebuild(
        of=of,
        content=content.value,
        traffic=content.value * (moved + 1),
        idle=idle.value,
        loaded=loaded.value,
        wait=wait,
        clients_keep=1 - book.failures.repair.share_under_load,
        room=room,
        reason=reason,
    )
