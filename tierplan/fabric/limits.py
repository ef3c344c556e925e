"""What clients see of the tiers through the fabric: what it takes away is not promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tierplan.domain.fabric import FabricPath, FabricPlan
from tierplan.domain.need import Tier
from tierplan.domain.tiers import LimitedBy, Rates, TierPlan
from tierplan.fabric.paths import SAME
from tierplan.units import Bandwidth


def limited_tiers(tiers: Mapping[Tier, TierPlan], fabric: FabricPlan | None) -> Mapping[Tier, TierPlan]:
    """The tiers as clients see them: where the fabric carries less than a tier or a client gives, that counts."""
    found = dict(tiers)
    for path in fabric.paths if fabric is not None and fabric.known else ():
        chosen = tiers[path.tier]
        rates, client = chosen.delivered.healthy, _client(chosen, fabric) if fabric else None
        narrow = _less(path.read.carries, rates.read) or _less(path.write.carries, rates.write)
        if narrow or client != rates.client:
            limited: LimitedBy = "clients" if client == rates.client else "fabric"
            healthy = replace(_limited(rates, path) if narrow else rates, client=client, client_limited_by=limited)
            found[path.tier] = replace(chosen, delivered=replace(chosen.delivered, healthy=healthy))
    return found


def _client(chosen: TierPlan, fabric: FabricPlan) -> Bandwidth | None:
    """
    What one GPU node gets: no more than its share of a leaf full of nodes as busy as itself.

    What the busiest node must have is carried, or `fabric-bandwidth` says that it is not: it gets that at least.
    """
    clients, given = chosen.need.clients, chosen.delivered.healthy.client
    if fabric.busy_client is None:
        return given
    least = max(fabric.busy_client, clients.node_read, clients.node_write)
    return min(clients.network if given is None else given, least)


def _less(carried: Bandwidth, given: Bandwidth) -> bool:
    return carried.base < given.base * (1 - SAME)


def _limited(rates: Rates, path: FabricPath) -> Rates:
    fabric: LimitedBy = "fabric"
    read, write = path.read.carries, path.write.carries
    return replace(
        rates,
        read=min(rates.read, read),
        write=min(rates.write, write),
        read_limited_by=fabric if _less(read, rates.read) else rates.read_limited_by,
        write_limited_by=fabric if _less(write, rates.write) else rates.write_limited_by,
        read_high=None if rates.read_high is None else min(rates.read_high, read),
        write_high=None if rates.write_high is None else min(rates.write_high, write),
    )
