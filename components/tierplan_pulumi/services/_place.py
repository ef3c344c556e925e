"""Where a service is made: what the stack names of a cloud's network, and what it has to name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

from tierplan.domain.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Region, zone and ids of what exists, with the stack's tags."""

    region: str
    zone: str
    ids: Mapping[str, str]
    tags: Mapping[str, str]


def place_of(name: str, plan: Plan, *, needed: Sequence[str], words: Sequence[str] = ("region",)) -> Place:
    """
    The stack's place; `words` are keys of the site that must be there, `needed` keys of its network.

    Raises:   RunError in one line that says what the stack does not name
    """
    site = plan.stack.site
    missing = [f"site.{word}" for word in words if not getattr(site, word)]
    missing += [f"site.network.{key}" for key in needed if key not in site.network]
    if missing:
        message = f"{name}: nothing can be created without {', '.join(missing)}; write the ids of what exists"
        raise pulumi.RunError(message)
    return Place(
        region=site.region or "", zone=site.zone or "", ids=site.network, tags=dict(plan.stack.operations.tags)
    )


def same_place(name: str, key: str, own: str | None, stack: str, word: str) -> None:
    """
    The provider's own configuration and the stack name one place.

    Raises:   RunError in one line that shows both
    """
    if own is not None and own != stack:
        message = f"{name}: {key} is {own} and {word} is {stack}; write one of them in both"
        raise pulumi.RunError(message)
