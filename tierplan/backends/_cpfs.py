"""Alibaba Cloud CPFS: its classes and sizes, and the words of a stack; where open, the leaner class is taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._managed import GIB, TIB, Bought, Grade, Options, Unit, offers, whole
from tierplan.backends._managed_capped import ENDLESS, Caps, counts, leanest
from tierplan.backends._managed_sizes import Band, Bands
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site
from tierplan.units import Bandwidth, BandwidthDensity, OpRate, Size

NAME = "cpfs"
GENERAL, LINGJUN = "cpfs", "lingjun"
EDITIONS = (GENERAL, LINGJUN)
"""`cpfs` is the service's own word (file_system_type); the provider has none for Lingjun."""
CLASSES: Mapping[str, tuple[str, ...]] = {GENERAL: ("advance_100", "advance_200"), LINGJUN: ("lingjun_400",)}
NEXT = "cpfs_p400"
"""The next generation of the Lingjun edition: no bandwidth by size is published."""
UNITS: Mapping[str, Unit] = {GENERAL: GIB, LINGJUN: TIB}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One file system in the service's own words."""

    edition: str
    storage: str | None
    size: Size | None
    raised: bool
    protocol_service: bool
    redundancy: str | None
    region: str | None


def choice_of(options: Options) -> Choice:
    """The words of a configuration; of an edition that is not named the class says it."""
    storage = option(options, "storage_type", str)
    edition = option(options, "file_system_type", str)
    return Choice(
        edition=edition or (LINGJUN if storage in (*CLASSES[LINGJUN], NEXT) else GENERAL),
        storage=storage,
        size=option(options, "size", Size),
        raised=option(options, "quota_raised", bool) or False,
        protocol_service=option(options, "protocol_service", bool) or False,
        redundancy=option(options, "redundancy_type", str),
        region=option(options, "region", str),
    )


def sizes(edition: str, facts: BackendFacts, *, raised: bool) -> Bands:
    """What an edition is sold in."""
    if edition != LINGJUN:
        least, step, most = (int(facts[f"general_{word}"]) for word in ("least", "step", "most"))
        return Bands(bands=(Band(least=least, step=step, most=most),))
    end = facts["lingjun_ticket_most" if raised else "lingjun_most"]
    return Bands(bands=(Band(least=int(facts["lingjun_step"]), step=int(facts["lingjun_step"]), most=end),))


def grades(facts: BackendFacts, edition: str, *, raised: bool) -> tuple[Grade, ...]:
    """The classes of an edition, the slowest first."""
    edition = edition if edition in CLASSES else GENERAL
    return tuple(
        Grade(
            key=name,
            name=name,
            bands=sizes(edition, facts, raised=raised),
            read=BandwidthDensity(facts[f"{name}_read"]),
            write=BandwidthDensity(facts[f"{name}_write"]),
        )
        for name in CLASSES[edition]
    )


def bought_of(facts: BackendFacts, choice: Choice) -> Bought:
    """The size of its class; of a class that is not known the slowest counts, so that nothing is promised."""
    known = grades(facts, choice.edition, raised=choice.raised)
    grade = next((one for one in known if one.name == choice.storage), known[0])
    unit = UNITS.get(choice.edition, GIB)
    return Bought(grade=grade, unit=unit, size=None if choice.size is None else whole(unit.of(choice.size)))


def caps(grade: Grade, unit: Unit, *, raised: bool, used: Relied) -> Caps:
    """What a class ends at, by default or as raised by a ticket, and what each unit of size brings."""
    word, general = "ticket" if raised else "most", unit is GIB
    tib = unit.bytes / TIB.bytes
    return Caps(
        read=used.quantity(Bandwidth, f"{grade.key}_{word}_read"),
        write=used.quantity(Bandwidth, f"{grade.key}_{word}_write"),
        op_rate_each=used.quantity(OpRate, "op_rate_per_tib") * tib,
        files_each=used["general_files_per_step"] / used["general_step"] if general else ENDLESS,
        files=used["general_most_files" if general else "lingjun_most_files"],
    )


def client(need: TierNeed, unit: Unit, used: Relied) -> Bandwidth:
    """
    What one GPU node takes.

    Formula:  min(network * port share, what one client of the edition takes)
    """
    most = used.quantity(Bandwidth, "general_client" if unit is GIB else "lingjun_client")
    return min(need.clients.network * used["client_port_share"], most)


def settled(pins: Options, need: TierNeed, site: Site, facts: BackendFacts, used: Relied) -> Options:
    """The pins with everything left open: General-purpose unless Lingjun is named, which has GPU nodes of its own."""
    choice = choice_of(pins)
    edition = choice.edition if choice.edition in CLASSES else GENERAL
    base: dict[str, OptionValue] = {"file_system_type": edition, "protocol_service": False}
    if site.region is not None:
        base["region"] = site.region
    known, unit = grades(facts, edition, raised=choice.raised), UNITS[edition]
    pinned = [one for one in known if one.name == choice.storage]
    found = offers(
        {**base, **pins},
        pinned or (known[:1] if "storage_type" in pins else known),
        unit,
        words_of=lambda grade: {"storage_type": grade.name},
        asked=lambda grade: counts(
            grade,
            unit,
            caps(grade, unit, raised=choice.raised, used=used),
            need,
            usable=used["usable_fraction"],
        ),
    )
    return leanest(found, used, pinned=None if choice.size is None else whole(unit.of(choice.size)))
