"""What every managed file system forbids: nodes of one's own, sizes that are not sold, a size that can never grow."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.backends._choosing import NO_NODE
from tierplan.backends._managed import NO_LAYOUT, Bought
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import Illegal, TierConfig


def amount(value: float, unit: str) -> str:
    """
    A size as people read it.

    >>> amount(216000, "GiB")
    '216,000 GiB'
    """
    return f"{value:,.10g} {unit}"


def nearest(below: float | None, above: float | None, unit: str) -> str:
    """The legal values around an illegal one, in words."""
    found = [f"{amount(value, unit)} {word}" for value, word in ((below, "below"), (above, "above")) if value]
    return " and ".join(found) or "none"


def not_ours(config: TierConfig) -> Iterator[Illegal]:
    """A service has no nodes, drives or layout of the stack's."""
    given = {
        "nodes": config.nodes != 1,
        "node": config.node != NO_NODE,
        "layout": config.layout != NO_LAYOUT,
        "quote": config.quote is not None,
    }
    pinned = [word for word, found in given.items() if found]
    if pinned:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend} is a service: {' and '.join(pinned)} cannot be pinned, the service decides them",
            remedy=f"leave out {', '.join(f'tiers.{config.tier}.{word}' for word in pinned)}",
        )


def size_faults(backend: str, bought: Bought) -> Iterator[Illegal]:
    """A size that is missing, or not sold: with the nearest below and above."""
    bands, unit = bought.grade.bands, bought.unit
    if bought.size is None:
        yield Illegal(
            policy="cloud-size",
            message=f"{backend}: size is missing",
            remedy=f'write size: "{unit.text(bands.least)}" or more',
            required=bands.least,
            unit=unit.name,
        )
        return
    if bands.legal(bought.size):
        return
    below, above = bands.below(bought.size), bands.above(bought.size)
    target = bands.least if above is None and below is None else above if above is not None else below
    yield Illegal(
        policy="cloud-size",
        message=f"{backend}: size {amount(bought.size, unit.name)} is no size of {bought.grade.name}; "
        f"legal: {nearest(below, above, unit.name)}",
        remedy=f'write size: "{unit.text(target or bands.least)}"',
        required=target,
        planned=bought.size,
        unit=unit.name,
    )


def class_fault(backend: str, message: str, remedy: str) -> Illegal:
    """Words that do not go together."""
    return Illegal(policy="cloud-class", message=f"{backend}: {message}", remedy=remedy)


def growth_fault(
    backend: str, bought: Bought, need: TierNeed, *, ceiling: float, why: str, remedy: str
) -> Iterator[Illegal]:
    """A size of the first day that can never become what the last year stores."""
    held = bought.unit.of(need.capacity) / max(need.max_fill, 1e-9)
    if held > ceiling * (1 + 1e-9):
        yield Illegal(
            policy="cloud-growth",
            message=f"{backend}: {amount(ceiling, bought.unit.name)} {why}, "
            f"and {amount(round(held), bought.unit.name)} are needed",
            remedy=remedy,
            required=held,
            planned=ceiling,
            unit=bought.unit.name,
        )
