"""What a plan chose against what a system reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tierplan.domain.plan import Plan
from tierplan.existing.choices import config_pins, same
from tierplan.existing.nouns import System, Value
from tierplan.units import Size

USABLE_NEAR = 0.1
"""Of usable capacity: file systems, mount points and products count metadata and reserves in or out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One choice that is not as planned."""

    where: str
    planned: Value | None
    reported: Value | None
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """All that differs; how many choices were compared; what the systems report that the plan leaves open."""

    differences: tuple[Difference, ...]
    compared: int
    beside: tuple[str, ...]


def compared(plan: Plan, systems: Sequence[System]) -> Comparison:
    """Each choice that a system reports, with what the plan says of it."""
    differences, beside, count = list[Difference](), list[str](), 0
    for system in systems:
        where, tier = f"tiers.{system.tier}", plan.tiers.get(system.tier)
        backend = tier.config.backend if tier else None
        count += 1
        if tier is None or backend != system.backend:
            differences.append(
                Difference(where=f"{where}.backend", planned=backend, reported=system.backend, files=system.files)
            )
            continue
        planned = config_pins(tier.config)
        for path in dict.fromkeys([*system.pins, *(planned if system.complete else ())]):
            asked, told = planned.get(path), system.pins.get(path)
            if asked is None and told is not None and not system.complete:
                beside.append(f"{where}.{path}: {told}")
                continue
            count += 1
            if asked is None or told is None or not same(path, asked, told):
                differences.append(
                    Difference(where=f"{where}.{path}", planned=asked, reported=told, files=system.files)
                )
        differences.extend(_usable(system, tier.delivered.usable, where))
        count += system.usable is not None
    differences.extend(_missing(plan, systems))
    return Comparison(differences=tuple(differences), compared=count, beside=tuple(beside))


def _usable(system: System, planned: Size, where: str) -> Iterator[Difference]:
    if system.usable is None:
        return
    if abs(planned.base - system.usable) > USABLE_NEAR * max(planned.base, system.usable):
        reported = Size(system.usable).show()
        yield Difference(where=f"{where} usable", planned=planned.show(), reported=reported, files=system.files)


def _missing(plan: Plan, systems: Sequence[System]) -> Iterator[Difference]:
    """Of a deployed plan: tiers that are planned and not deployed."""
    deployed = [one for one in systems if one.complete]
    for tier, made in plan.tiers.items() if deployed else ():
        if tier not in {one.tier for one in systems}:
            yield Difference(
                where=f"tiers.{tier}.backend", planned=made.config.backend, reported=None, files=deployed[0].files
            )
