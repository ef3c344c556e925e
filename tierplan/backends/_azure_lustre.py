"""Azure Managed Lustre: its classes (SKUs), of which every step carries the same bandwidth, and a stack's words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._managed import TIB, Bought, Grade, Options, counts, offers, step_density, whole
from tierplan.backends._managed_sizes import Band, Bands
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site
from tierplan.units import Bandwidth, Size

NAME = "azure-lustre"
PREFIX = "AMLFS-Durable-Premium-"
LISTED, UNLISTED = (40, 125, 250, 500), (20,)
"""MB/s for each TiB, in the names of the classes; the 20 is known from Microsoft's benchmarks alone."""
WINDOW: Mapping[str, OptionValue] = {"day": "Sunday", "time": "22:00"}
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SUBNETS = (27, 26, 25, 24, 23)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One file system in the service's own words."""

    sku: str
    size: float | None
    """TiB."""
    zones: tuple[object, ...]
    container: str | None
    logging: str | None
    unlisted: bool


def choice_of(options: Options) -> Choice:
    """The words of a configuration."""
    size = option(options, "size", Size)
    return Choice(
        sku=option(options, "sku", str) or "",
        size=None if size is None else whole(TIB.of(size)),
        zones=option(options, "zones", tuple) or (),
        container=option(options, "blob_container", str),
        logging=option(options, "logging_container", str),
        unlisted=option(options, "unlisted_sku", bool) or False,
    )


def grades(facts: BackendFacts, used: Relied) -> tuple[Grade, ...]:
    """The classes, the slowest first; the unlisted ones last."""
    bandwidth = used.quantity(Bandwidth, "step_bandwidth")
    return tuple(_grade(rate, int(facts[f"premium_{rate}_step"]), bandwidth) for rate in (*LISTED, *UNLISTED))


def _grade(rate: int, step: int, bandwidth: Bandwidth) -> Grade:
    each = step_density(bandwidth=bandwidth, step=Size(step * TIB.bytes))
    return Grade(
        key=f"premium_{rate}",
        name=f"{PREFIX}{rate}",
        bands=Bands(bands=(Band(least=step, step=step),)),
        read=each,
        write=each,
    )


def bought_of(known: tuple[Grade, ...], choice: Choice) -> Bought:
    """What a choice buys; of an unknown class no more than the slowest gives."""
    slowest = min(known, key=lambda one: one.read)
    found = next((one for one in known if one.name == choice.sku), slowest)
    return Bought(grade=found, unit=TIB, size=choice.size)


def settled(pins: Options, need: TierNeed, site: Site, known: tuple[Grade, ...], used: Relied) -> Options:
    """The pins with everything that is left open: the class with the least bandwidth that meets the need."""
    asked = option(pins, "sku", str)
    open_to = [one for one in known if one.name == asked] if asked else [one for one in known if _listed(one)]
    base: dict[str, OptionValue] = {"zones": (site.zone or "1",), "maintenance_window": WINDOW, **pins}
    if site.region is not None:
        base.setdefault("region", site.region)
    found = offers(
        base,
        open_to or [known[0]],
        TIB,
        words_of=lambda one: {"sku": one.name},
        asked=lambda one: counts(one, TIB, need, used),
    )
    return min(found, key=lambda offer: offer.rank).words


def _listed(grade: Grade) -> bool:
    return grade.name.removeprefix(PREFIX) in map(str, LISTED)


def subnet_prefix(size_tib: float, facts: BackendFacts) -> int | None:
    """The length of the prefix that the file system's own subnet needs; None where the service has to be asked."""
    fitting = [length for length in SUBNETS if size_tib <= facts[f"subnet_{length}_most"]]
    return max(fitting, default=None)
