"""The chance of losing data within a year, by cause, as figures with their trail."""

from __future__ import annotations

from tierplan.domain.figures import Known
from tierplan.domain.survival import Rebuild, Risk
from tierplan.layout import loss
from tierplan.layout.durability import failure_rate
from tierplan.survival.book import Book
from tierplan.survival.room import fits
from tierplan.units import Duration


def risk(book: Book, *, drive: Rebuild | None, node: Rebuild | None) -> Risk:
    """Every cause bounded from above; where nothing is rebuilt a year counts, until somebody notices."""
    never = Duration(365 * 86400.0)
    of_drive = _exposed(book, drive, never)
    of_node = _exposed(book, node, never)
    if book.kept.copies > 1:
        return _mirrored(book, of_drive, of_node, drive)
    drives, unreadable = _drives(book, of_drive), _unreadable(book, of_drive, drive)
    nodes = _nodes(book, of_drive, of_node)
    return _together(book, drives, unreadable, nodes, _racks(book, of_node))


def _exposed(book: Book, rebuild: Rebuild | None, never: Duration) -> Known[Duration]:
    if rebuild is None:
        return Known(never, "constant")
    return Known(rebuild.exposed, f"figure {book.tier}.survival.{rebuild.of}_exposed_s")


def _drives(book: Book, exposed: Known[Duration], *, pools: float | None = None) -> Known[float]:
    kept, origin = book.kept, f"plan tiers.{book.tier}.layout"
    shared = book.figure(
        "group_share_fraction",
        loss.group_share_bound,
        width=Known(kept.width, origin),
        parity_units=Known(kept.drives_tolerated, origin),
        drives=Known(kept.pool, f"plan tiers.{book.tier}"),
        groups=Known(-1 if kept.groups is None else kept.groups, f"plan tiers.{book.tier}"),
    )
    return book.figure(
        "annual_loss_probability_by_drives",
        loss.drive_loss,
        parity_units=Known(kept.drives_tolerated, origin),
        drives=Known(kept.pool, f"plan tiers.{book.tier}"),
        pools=Known(_pools(book) if pools is None else pools, f"plan tiers.{book.tier}"),
        annual_failures=book.fact(book.drive.annual_failures, book.medium),
        exposed=exposed,
        shared=shared,
    )


def _unreadable(
    book: Book, exposed: Known[Duration], drive: Rebuild | None, *, pools: float | None = None
) -> Known[float]:
    kept, origin = book.kept, f"plan tiers.{book.tier}.layout"
    if drive is None:
        return Known(0.0, "constant")
    read = book.figure(
        "critical_read_bytes",
        loss.critical_read,
        content=Known(drive.content, f"figure {book.tier}.survival.drive_content_bytes"),
        read_units=Known(kept.read_units, origin),
        width=Known(kept.width, origin),
        parity_units=Known(kept.drives_tolerated, origin),
        drives=Known(kept.pool, f"plan tiers.{book.tier}"),
    )
    return book.figure(
        "annual_loss_probability_by_unreadable_sectors",
        loss.unreadable_loss,
        parity_units=Known(kept.drives_tolerated, origin),
        drives=Known(kept.pool, f"plan tiers.{book.tier}"),
        pools=Known(_pools(book) if pools is None else pools, f"plan tiers.{book.tier}"),
        annual_failures=book.fact(book.drive.annual_failures, book.medium),
        exposed=exposed,
        read=read,
        errors_per_bit=book.fact(book.drive.errors_per_bit, book.medium),
    )


def _pools(book: Book) -> float:
    """Pools of drives that lose data each for itself."""
    return max(1, book.drives // max(1, book.kept.pool))


def _nodes(book: Book, of_drive: Known[Duration], of_node: Known[Duration]) -> Known[float]:
    """Destroyed nodes; where two share an enclosure, destroyed enclosures with all their drives."""
    shared = book.kept.keeps_on_loss
    nodes = -(-book.config.nodes // 2) if shared else book.config.nodes
    return book.figure(
        "annual_loss_probability_by_nodes",
        loss.node_loss,
        tolerated=Known(0 if shared else book.nodes_tolerated, f"plan tiers.{book.tier}.layout"),
        nodes=Known(nodes, f"plan tiers.{book.tier}.node_count"),
        annual_loss=book.fact(book.failures.node.annual_loss, "node"),
        node_exposed=of_node,
        drives=Known(book.drives, f"plan tiers.{book.tier}"),
        annual_failures=book.fact(book.drive.annual_failures, book.medium),
        drive_exposed=of_drive,
    )


def _racks(book: Book, of_node: Known[Duration], *, loss_rate: float | None = None) -> Known[float]:
    """A destroyed rack: fatal at once where more stands in it than may be lost, else with further losses."""
    kept, facts = book.kept, book.failures
    taken, tolerated = book.nodes_in_a_rack, book.nodes_tolerated
    if book.config.layout.failure_domain == "rack":
        taken = 1
    if kept.rack_bound or book.racks < 2:
        taken, tolerated = 1, 0
    elif kept.copies > 1:
        taken, tolerated = 1, 1
    if loss_rate is None:
        loss_rate = book.drives * failure_rate(book.drive.annual_failures)
        loss_rate += book.config.nodes * failure_rate(facts.node.annual_loss)
    away = _rack_exposed(book, of_node.value)
    return book.figure(
        "annual_loss_probability_by_racks",
        loss.rack_loss,
        racks=Known(book.racks, f"plan tiers.{book.tier}.racks"),
        annual_loss=book.fact(facts.rack.annual_loss, "rack"),
        taken=Known(taken, f"plan tiers.{book.tier}"),
        tolerated=Known(tolerated, f"plan tiers.{book.tier}.layout"),
        loss_rate=Known(loss_rate, "catalogue failures"),
        exposed=Known(away, f"figure {book.tier}.survival.node_exposed_s"),
    )


def _rack_exposed(book: Book, of_node: Duration) -> Duration:
    """How long redundancy is reduced by a destroyed rack: by that of its nodes, one after another, and their supply."""
    lost = book.nodes_in_a_rack
    whole = 1 if book.config.layout.failure_domain == "rack" else lost
    room = book.kept.repair == "declustered" and book.kept.domains - whole >= book.kept.domains_needed
    if room and fits(book.plan, book.kept, nodes_lost=lost)[0]:
        return of_node * lost
    return max(of_node, book.failures.repair.node_supply) + of_node * lost


def _mirrored(book: Book, of_drive: Known[Duration], of_node: Known[Duration], drive: Rebuild | None) -> Risk:
    """Two servers hold the same: each may lose its RAID groups or be destroyed; data is lost with both."""
    pools = max(1, book.node.drives // max(1, book.kept.pool))
    origin = f"figure {book.tier}.survival"
    drives = _drives(book, of_drive, pools=pools)
    unreadable = _unreadable(book, of_drive, drive, pools=pools)
    one = book.figure(
        "annual_loss_probability_of_one_server",
        loss.all_causes,
        drives=drives,
        unreadable=unreadable,
        nodes=book.fact(book.failures.node.annual_loss, "node"),
        racks=Known(0.0, "constant"),
    )
    both = book.figure(
        "annual_loss_probability_by_nodes",
        loss.mirror_loss,
        pairs=Known(-(-book.config.nodes // 2), f"plan tiers.{book.tier}.node_count"),
        annual_loss=one,
        exposed=Known(of_node.value, f"{origin}.node_exposed_s"),
    )
    nothing = Known(0.0, "constant")
    racks = _racks(book, of_node, loss_rate=book.config.nodes * failure_rate(one.value))
    return _together(book, nothing, nothing, both, racks)


def _together(
    book: Book, drives: Known[float], unreadable: Known[float], nodes: Known[float], racks: Known[float]
) -> Risk:
    book.figure(
        "annual_loss_probability", loss.all_causes, drives=drives, unreadable=unreadable, nodes=nodes, racks=racks
    )
    return Risk(
        drives=drives.value,
        unreadable=unreadable.value,
        nodes=nodes.value,
        racks=racks.value,
        failures_per_s=book.drives * failure_rate(book.drive.annual_failures) / 3600,
    )
