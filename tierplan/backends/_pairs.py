"""Servers in pairs: what a pair asks of the node count, and what is left when one of the two carries both halves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.backends._choosing import most
from tierplan.backends._sizing import Model, NodeRates, losses, needed, quoted, rates
from tierplan.backends._space import nodes_for
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import NEVER, Degraded, Delivered, Illegal, TierConfig
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
    given: Delivered, config: TierConfig, need: TierNeed, model: Model, *, lost: NodeRates, paired: bool
) -> Delivered:
    """
    The delivery with the losses of paired servers.

    Assumes:  load lies evenly over all targets, so that the pair with one server left sets the pace of all; both
              servers of a pair stand in one rack, and of two lost servers both are of one pair
    """
    return replace(given, degraded=tuple(_states(config, need, model, lost=lost, paired=paired)))


def _states(config: TierConfig, need: TierNeed, model: Model, *, lost: NodeRates, paired: bool) -> Iterator[Degraded]:
    healthy = quoted(model, config.quote, nodes=config.nodes)
    slow = replace(healthy.node, read=min(lost.read, healthy.node.read), write=min(lost.write, healthy.node.write))
    for loss in losses(need.survive, racks=config.racks):
        gone = placement.nodes_lost(
            nodes=config.nodes, racks=config.racks, lost_nodes=loss.nodes, lost_racks=loss.racks
        )
        carried = paired and loss.racks == 0 and gone == 1 and config.nodes > 1
        left = healthy if gone == 0 else replace(healthy, node=slow)
        nodes = config.nodes if gone == 0 or carried else 0
        at_work = rates(left, need.clients, nodes=nodes)
        yield Degraded(
            nodes=loss.nodes,
            racks=loss.racks,
            read=at_work.read,
            write=at_work.write,
            data_lost=gone > 0 and not carried,
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
