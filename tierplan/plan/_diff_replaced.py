"""What cannot be changed in place: the data must move to something new."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.domain.need import Tier
from tierplan.domain.plan import Plan
from tierplan.domain.tiers import CloudSize, TierPlan

HOLDS_DATA: tuple[Tier, ...] = ("hot", "cold")
"""The local tier holds nothing that cannot be fetched again: `local-refetchable` sees to that."""
PLACE = ("kind", "region", "zone")
MOVES = ("kind", "region")
"""Of the place those that no data follows by itself; a zone counts where the service says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """Something that holds data and is replaced or deleted; `allowed`: by its name."""

    resource: str
    because: str
    allowed: bool = False


def replacements(old: Plan, new: Plan) -> Iterator[Replacement]:
    """The tiers of `old` that the change to `new` replaces: one entry a tier, with every reason."""
    for tier in HOLDS_DATA:
        before = old.tiers.get(tier)
        if before is None:
            continue
        reasons = list(_reasons(before, new.tiers.get(tier), old, new))
        if reasons:
            yield Replacement(resource=f"{new.stack.name}-{tier}", because="; ".join(dict.fromkeys(reasons)))


def removed(old: Plan) -> Iterator[Replacement]:
    """Every tier that holds data, when its stack goes."""
    for tier in HOLDS_DATA:
        if tier in old.tiers:
            backend = old.tiers[tier].config.backend
            yield Replacement(resource=f"{old.stack.name}-{tier}", because=f"{backend} goes with the stack")


def _reasons(before: TierPlan, after: TierPlan | None, old: Plan, new: Plan) -> Iterator[str]:
    product = before.config.backend
    if after is None:
        yield f"{product} is taken away"
        return
    if product != after.config.backend:
        yield f"{product} becomes {after.config.backend}: all data is copied"
        return
    yield from _moved(old, new)
    yield from _layout(before, after)
    yield from _fixed(before.delivered.cannot_change_later, after.delivered.cannot_change_later)
    if before.delivered.cloud is not None and after.delivered.cloud is not None:
        yield from _service(before, after, (before.delivered.cloud, after.delivered.cloud), (old, new))


def _moved(old: Plan, new: Plan) -> Iterator[str]:
    for word in MOVES:
        was, becomes = getattr(old.stack.site, word), getattr(new.stack.site, word)
        if was != becomes:
            yield f"site {word} {was or 'unset'} becomes {becomes or 'unset'}"
            return


def _layout(before: TierPlan, after: TierPlan) -> Iterator[str]:
    was, becomes = before.config.layout, after.config.layout
    if was.kind != becomes.kind:
        yield f"{was} becomes {becomes}: data is written anew"


def _fixed(before: tuple[str, ...], after: tuple[str, ...]) -> Iterator[str]:
    """
    Choices that can never change later and do; each line of `cannot_change_later` says such a choice with its value.

    A line that is only there afterwards is a choice that had not been made before.
    """
    gone = [line for line in before if line not in after]
    come = [line for line in after if line not in before]
    for line in gone:
        partner = _partner(line, come)
        if partner is None:
            continue
        come.remove(partner)
        yield f"cannot change later: {line.partition(':')[0]}; becomes {partner.partition(':')[0]}"


def _partner(line: str, lines: list[str]) -> str | None:
    """The line that says the same choice with another value."""
    bare = {_without_values(other): other for other in reversed(lines)}
    near = difflib.get_close_matches(_without_values(line), bare, n=1, cutoff=0.6)
    return bare[near[0]] if near else None


def _without_values(line: str) -> str:
    return re.sub(r"\d[\d.,+]*", "#", line)


def _service(
    before: TierPlan, after: TierPlan, sizes: tuple[CloudSize, CloudSize], plans: tuple[Plan, Plan]
) -> Iterator[str]:
    was, becomes = sizes
    if was.service != becomes.service:
        yield f"{was.service} becomes {becomes.service}"
        return
    words = dict.fromkeys((*was.replaces_on_change, *becomes.replaces_on_change))
    for word in words:
        one = _value(word, before, was, plans[0])
        other = _value(word, after, becomes, plans[1])
        if one != other:
            yield f"{word} {_said(one)} becomes {_said(other)}: {was.service} makes a new one"
    if becomes.size < was.size and _unit(was) == _unit(becomes) and _only_grows(was):
        yield f"size {was.size:g} {was.unit} becomes {becomes.size:g} {becomes.unit}: {was.service} does not shrink"


def _only_grows(size: CloudSize) -> bool:
    """Whether a smaller size is another system; of an object store the size is just what is stored."""
    grows = any(word.startswith("size") and "upwards" in word for word in size.changes_in_place)
    return grows or any("smaller" in word for word in size.replaces_on_change)


def _unit(size: CloudSize) -> str:
    return size.unit.lower()


def _value(word: str, tier: TierPlan, size: CloudSize, plan: Plan) -> object:
    """What a property of a service is in this plan, by the name that the service gives it."""
    name = re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", word).lower().replace(" ", "_").replace("-", "_")
    if name in tier.config.options:
        return tier.config.options[name]
    if name in ("size", "storage_capacity"):
        return size.size
    if name in ("class", "class_name", "sku", "tier", "performance_tier"):
        return size.class_name
    if name in PLACE:
        return getattr(plan.stack.site, name)
    network = plan.stack.site.network
    return network.get(name, network.get(name.removesuffix("_ids").removesuffix("_id")))


def _said(value: object) -> str:
    return "unset" if value is None or value == "" else str(value)
