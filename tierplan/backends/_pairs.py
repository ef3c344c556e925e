"""Servers in pairs: what a pair asks of the node count, and what is left when one of the two carries both halves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends._choosing import most
from tierplan.backends._sizing import Model, NodeRates, losses, needed, quoted, rates
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Survive
from tierplan.domain.tiers import NEVER, Degraded, Delivered, Illegal, Protection, TierConfig
from tierplan.layout import placement


def even(count: int) -> int:
    """
    The next whole number of pairs, in nodes.

    Formula:  2 * ceil(count / 2)

    >>> even(5), even(6)
    (6, 6)
    """
    return min(NEVER, count + count % 2)


def pair_counts(model: Model, need: TierNeed, lost: NodeRates, *, racks: int) -> Mapping[str, int]:
    """What whole pairs ask for: the rates with one server of a pair gone, and an even count of all that is asked."""
    asked = {**needed(model, need, racks=racks), **model.least}
    if need.survive.nodes or need.survive.racks:
        read, write = nodes_for(need.degraded_read, lost.read), nodes_for(need.degraded_write, lost.write)
        asked["degraded"] = max(read, write)
    return {"degraded": asked["degraded"], "pair": even(most(asked))}


def in_pairs(
    given: Delivered,
    config: TierConfig,
    need: TierNeed,
    model: Model,
    *,
    lost: NodeRates,
    paired: bool,
    apart: bool = False,
) -> Delivered:
    """
    The delivery with the losses of paired servers; `apart`: the two of a pair stand in different racks.

    Assumes:  load lies evenly over all targets, so that the pair with one server left sets the pace of all; of two
              lost servers both are of one pair; servers that share an enclosure stand in one rack with it
    """
    apart = apart and config.racks > 1
    return replace(given, degraded=tuple(_states(config, need, model, lost=lost, paired=paired, apart=apart)))


def one_of_each(loss: Survive, *, gone: int, apart: bool) -> bool:
    """
    Whether a loss takes at most one server of any pair: one server, or one whole rack of pairs that stand apart.

    >>> one_of_each(Survive(nodes=0, racks=1), gone=4, apart=True), one_of_each(Survive(nodes=2), gone=2, apart=True)
    (True, False)
    """
    return gone <= 1 or (apart and loss.racks == 1 and loss.nodes == 0)


def _states(
    config: TierConfig, need: TierNeed, model: Model, *, lost: NodeRates, paired: bool, apart: bool
) -> Iterator[Degraded]:
    healthy = quoted(model, config.quote, nodes=config.nodes)
    slow = replace(healthy.node, read=min(lost.read, healthy.node.read), write=min(lost.write, healthy.node.write))
    for loss in losses(need.survive, racks=config.racks):
        gone = placement.nodes_lost(
            nodes=config.nodes, racks=config.racks, lost_nodes=loss.nodes, lost_racks=loss.racks
        )
        within = loss.racks == 0 or apart
        carried = paired and within and config.nodes > 1 and one_of_each(loss, gone=gone, apart=apart)
        left = healthy if gone == 0 else replace(healthy, node=slow)
        nodes = config.nodes if gone == 0 or carried else 0
        at_work = rates(left, need.clients, nodes=nodes)
        yield Degraded(
            nodes=loss.nodes,
            racks=loss.racks,
            read=at_work.read,
            write=at_work.write,
            op_rate=at_work.op_rate,
            data_lost=gone > 0 and not carried,
        )


ONE_RACK = "the two servers of a pair and the drives that both reach stand in one rack"
ALONE = "each server holds data that stands nowhere else"


def raid_protection(
    config: TierConfig, *, paired: bool, mirrored: bool = False, pooled: bool = False
) -> Protection | None:
    """
    How data is kept in RAID groups inside servers or enclosures, and by the server that takes over.

    `paired`: two servers reach the same drives.  `mirrored`: two servers hold the same data, each on drives of its
    own.  `pooled`: the groups of one server are declustered over its drives.
    """
    layout, drives = config.layout, config.node.drives
    if drives < 1 or config.nodes < 1 or layout.width < 1:
        return None
    covered = paired or mirrored
    tolerated = 1 if covered and config.nodes > 1 else 0
    return Protection(
        tolerated=tolerated,
        serving=tolerated,
        drives_tolerated=max(0, layout.tolerated),
        domains=config.nodes,
        domains_needed=2 if covered else 1,
        width=layout.width,
        pool=drives if pooled else layout.width,
        read_units=layout.data_units,
        repair="declustered" if pooled else "spare",
        spare_drives=layout.hot_spares,
        keeps_on_loss=covered,
        copies=2 if mirrored else 1,
        rack_bound="" if mirrored else ONE_RACK if paired else ALONE,
    )


def odd_count(config: TierConfig, *, remedy: str) -> Iterator[Illegal]:
    """A server without a partner."""
    if config.nodes % 2:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend}: {config.nodes} nodes; servers stand in pairs, so the count is even",
            remedy=f"use {config.nodes + 1} nodes, or {remedy}",
            required=config.nodes + 1,
            planned=config.nodes,
        )
