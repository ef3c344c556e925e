"""Ceph over few racks: several units of a stripe in each rack, each on a host of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from tierplan.backends._choosing import most, option
from tierplan.backends._sizing import Fate, Model, counts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Survive, TierPins
from tierplan.domain.tiers import Illegal, Protection, TierConfig

OPTION = "units_per_rack"


def units_per_rack(config: TierConfig) -> int:
    """Units of one stripe in each rack that it touches, by a rule of two levels; 0 where the rule has one level."""
    word = option(config.options, OPTION, int) or 0
    code = config.layout.kind == "erasure-code" and config.layout.failure_domain == "rack"
    return word if code and word > 1 else 0


def racks_used(*, width: int, units: int) -> int:
    """
    Racks that one stripe touches.

    Formula:  ceil(width / units)
    Source:   github.com/ceph/ceph, doc/rados/operations/crush-map-edits.rst: choose racks, then hosts (2026-11-29)

    >>> racks_used(width=7, units=2)
    4
    """
    return -(-width // units) if units > 0 else width


def units_lost(*, width: int, units: int, hosts: int, racks: int) -> int:
    """
    Units of one stripe that losses take at the worst.

    Formula:  min(width, hosts + racks * units)

    >>> units_lost(width=7, units=2, hosts=1, racks=1)
    3
    """
    return min(width, hosts + racks * units)


def over_few_racks(config: TierConfig, figures: Model) -> Model:
    """The figures with this placement, where it is asked for."""
    units, layout = units_per_rack(config), config.layout
    if not units:
        return figures
    needed, serving = racks_used(width=layout.width, units=units), max(0, layout.parity_units - 1)
    return replace(
        figures,
        # one host more in each rack, or a lost one cannot be re-created beside the others
        least={**figures.least, "failure_domain": max(needed, config.racks) * (units + 1)},
        tolerated=layout.parity_units // units,
        serving=serving // units,
        fate=_fate(config, units),
        protection=Protection(
            tolerated=layout.parity_units // units,
            serving=serving // units,
            drives_tolerated=layout.parity_units,
            domains=min(config.racks, config.nodes),
            domains_needed=needed,
            width=layout.width,
            pool=max(1, config.nodes * config.node.drives),
            groups=figures.groups,
            read_units=layout.data_units,
            spare=1,
        ),
    )


def _fate(config: TierConfig, units: int) -> Callable[[Survive], Fate]:
    layout = config.layout

    def of(loss: Survive) -> Fate:
        whole = loss.racks > 0 and loss.racks >= config.racks
        gone = units_lost(width=layout.width, units=units, hosts=loss.nodes, racks=loss.racks)
        if whole or gone > layout.parity_units:
            return "lost"
        return "waits" if gone >= layout.parity_units > 0 and gone else "serves"

    return of


def faults(config: TierConfig) -> Iterator[Illegal]:
    """Fewer racks, or hosts in a rack, than the placement needs."""
    units, layout, rule = units_per_rack(config), config.layout, f"{config.tier}-layout"
    word = option(config.options, OPTION, int)
    if word is not None and not units and word != 1:
        yield Illegal(
            policy=rule,
            message=f"{config.backend}: units_per_rack {word} with {layout} over {layout.failure_domain}s",
            remedy="write failure_domain: rack, a code, and units_per_rack: 2 or more; or leave it out",
        )
    if not units:
        return
    name = f"{config.backend}: {layout} with {units} units a rack"
    needed, in_rack = racks_used(width=layout.width, units=units), config.nodes // max(1, config.racks)
    if min(config.racks, config.nodes) < needed:
        yield Illegal(
            policy=rule,
            message=f"{name} lies in {needed} racks; there are {config.racks}",
            remedy=f"add racks, or write units_per_rack: {-(-layout.width // max(1, config.racks))}",
            required=needed,
            planned=config.racks,
        )
    elif in_rack < units:
        yield Illegal(
            policy=rule,
            message=f"{name}: {in_rack} hosts in the emptiest rack hold none of them apart",
            remedy=f"use {units * config.racks} hosts or more",
            required=units,
            planned=in_rack,
        )
    elif in_rack < units + 1:
        yield Illegal(
            policy="advice-narrow-layout",
            message=f"{name}: {in_rack} hosts in the emptiest rack; a lost one cannot be re-created there",
            remedy=f"use {(units + 1) * config.racks} hosts",
            required=units + 1,
            planned=in_rack,
        )


def spread(config: TierConfig, need: TierNeed, pins: TierPins, *, model: Callable[[TierConfig], Model]) -> TierConfig:
    """The same over few racks, where a rack must be survived and there are fewer than the stripe is wide."""
    layout, racks = config.layout, config.racks
    pinned = OPTION in config.options or (pins.layout is not None and pins.layout.failure_domain is not None)
    if pinned or need.survive.racks < 1 or racks < 2 or layout.kind != "erasure-code" or layout.width <= racks:
        return config
    units = -(-layout.width // racks)
    gone = units_lost(width=layout.width, units=units, hosts=need.survive.nodes, racks=need.survive.racks)
    if gone > layout.parity_units:
        return config
    spread_out = replace(
        config, layout=replace(layout, failure_domain="rack"), options={**config.options, OPTION: units}
    )
    if pins.nodes is not None:
        return spread_out
    return replace(spread_out, nodes=most(counts(model(spread_out), need, racks=racks)))
