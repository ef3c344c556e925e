"""Google Cloud Managed Lustre: tiers whose steps change at a threshold, and a stack's words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._managed import GIB, Bought, Grade, Options, counts, offers, whole
from tierplan.backends._managed_sizes import Band, Bands
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site
from tierplan.units import BandwidthDensity, Size

NAME = "google-lustre"
TIERS = (125, 250, 500, 1000)
"""MB/s for each TiB."""
DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One instance in the service's own words."""

    per_unit: int | None
    dynamic: bool
    size: float | None
    """GiB."""
    filesystem: str

    @property
    def key(self) -> str:
        """The class as the catalogue has it."""
        return DYNAMIC if self.dynamic else f"tier_{self.per_unit}"


def choice_of(options: Options) -> Choice:
    """The words of a configuration; 0 MB/s for each TiB is how the service writes the dynamic tier."""
    size = option(options, "size", Size)
    return Choice(
        per_unit=option(options, "per_unit_throughput", int) or None,
        dynamic=option(options, "dynamic_tier", bool) or False,
        size=None if size is None else whole(GIB.of(size)),
        filesystem=option(options, "filesystem", str) or "",
    )


def grades(facts: BackendFacts, used: Relied) -> tuple[Grade, ...]:
    """The classes, the slowest first."""
    return tuple(_grade(key, facts, used) for key in (DYNAMIC, *(f"tier_{each}" for each in TIERS)))


def _grade(key: str, facts: BackendFacts, used: Relied) -> Grade:
    rate = used.quantity(BandwidthDensity, f"{key}_rate")
    name = "the dynamic tier" if key == DYNAMIC else f"{key.removeprefix('tier_')} MB/s/TiB"
    return Grade(key=key, name=name, bands=bands(key, facts), read=rate, write=rate)


def bands(key: str, facts: BackendFacts) -> Bands:
    """
    The sizes of a class: steps up to a threshold, larger ones above it.

    Assumes:  sizes above the threshold are multiples of the larger step counted from 0, as all published largest are
    """
    step, most = int(facts[f"{key}_step"]), facts[f"{key}_most"]
    if f"{key}_threshold" not in facts.figures:
        return Bands(bands=(Band(least=step, step=step, most=most),))
    threshold, larger = facts[f"{key}_threshold"], int(facts[f"{key}_step_above"])
    first = (math.floor(threshold / larger) + 1) * larger
    return Bands(bands=(Band(least=step, step=step, most=threshold), Band(least=first, step=larger, most=most)))


def bought_of(known: tuple[Grade, ...], choice: Choice) -> Bought:
    """What a choice buys; of an unknown class no more than the slowest numbered one gives."""
    found = next((one for one in known if one.key == choice.key), known[1])
    return Bought(grade=found, unit=GIB, size=choice.size)


def ceiling_of(bought: Bought) -> float:
    """The largest size that an instance of this size can ever grow to."""
    first = bought.grade.bands.bands[0]
    return first.most if (bought.size or 0.0) <= first.most else bought.grade.bands.most


def settled(pins: Options, need: TierNeed, site: Site, known: tuple[Grade, ...], used: Relied) -> Options:
    """The pins with everything that is left open; the dynamic tier only where it is asked for."""
    asked = choice_of(pins)
    pinned = asked.dynamic or asked.per_unit is not None
    open_to = [one for one in known if (one.key == asked.key if pinned else one.key != DYNAMIC)]
    base: dict[str, OptionValue] = {"filesystem": "lustre", "gke_support": False, **pins}
    if site.region is not None:
        base.setdefault("region", site.region)
    found = offers(
        base,
        open_to or [known[1]],
        GIB,
        words_of=words_of,
        asked=lambda one: counts(one, GIB, need, used),
    )
    return min(found, key=lambda offer: offer.rank).words


def words_of(grade: Grade) -> Mapping[str, OptionValue]:
    """How a stack writes a class."""
    if grade.key == DYNAMIC:
        return {"dynamic_tier": True}
    return {"dynamic_tier": False, "per_unit_throughput": int(grade.key.removeprefix("tier_"))}
