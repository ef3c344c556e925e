"""Huawei Cloud SFS Turbo: its classes, its sizes in steps of 1.2 TB rounded down to GiB, its words, what it forbids."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._managed import GIB, Bought, Grade, Options, offers, whole
from tierplan.backends._managed_capped import Caps, beyond, capacity_ceiling, counts, leanest, too_small_for_files
from tierplan.backends._managed_rules import amount, class_fault, not_ours, size_faults
from tierplan.backends._managed_sizes import Band, Bands
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import Bandwidth, BandwidthDensity, OpRate, Size

NAME = "sfs-turbo"
RATES = (20, 40, 125, 250, 500, 1000)
SLOWEST = RATES[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Floored(Bands):
    """Sizes that are whole steps of a fraction of the unit, rounded down: 3.6 TB are 3,686 GiB."""

    each: float

    def at_least(self, size: float) -> int | None:
        """
        The smallest size that is no less; None beyond the largest.

        >>> Floored(bands=(Band(least=3, step=1, most=853),), each=1228.8).at_least(3000)
        3686
        """
        found = Bands.at_least(self, math.ceil(size / self.each - 1 / self.each))
        while found is not None and math.floor(found * self.each) < size:
            found = Bands.at_least(self, found + 1)
        return None if found is None else math.floor(found * self.each)

    def legal(self, size: float) -> bool:
        """Whether this size is sold."""
        return self.at_least(size) == size

    def above(self, size: float) -> int | None:
        """The smallest size that is more; None where there is none."""
        return self.at_least(math.floor(size) + 1) if size >= 0 else self.least

    def below(self, size: float) -> int | None:
        """The largest size that is less; None where there is none."""
        steps = min(math.ceil(size / self.each), self.bands[-1].most)
        while steps >= self.bands[0].least and math.floor(steps * self.each) >= size:
            steps -= 1
        return math.floor(steps * self.each) if steps >= self.bands[0].least else None

    @property
    def least(self) -> int:
        """The smallest size of all."""
        return math.floor(self.bands[0].least * self.each)

    @property
    def most(self) -> float:
        """The largest size of all."""
        return math.floor(self.bands[-1].most * self.each)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One file system in the service's own words."""

    rate: int | None
    size: float | None
    """GiB."""
    raised: bool


def choice_of(options: Options) -> Choice:
    """The words of a configuration."""
    size = option(options, "size", Size)
    return Choice(
        rate=option(options, "bandwidth_per_tib", int),
        size=None if size is None else whole(GIB.of(size)),
        raised=option(options, "quota_raised", bool) or False,
    )


def grades(facts: BackendFacts, *, raised: bool) -> tuple[Grade, ...]:
    """Every class, the slowest first."""
    most, found = facts["ticket_most_steps" if raised else "most_steps"], []
    for rate in RATES:
        least = int(facts["slow_least_steps"]) if rate == SLOWEST else 1
        density = BandwidthDensity(facts[f"rate_{rate}"])
        sizes = Floored(bands=(Band(least=least, step=1, most=most),), each=facts["step"])
        found.append(Grade(key=f"rate_{rate}", name=f"{rate} MB/s/TiB", bands=sizes, read=density, write=density))
    return tuple(found)


def bought_of(facts: BackendFacts, choice: Choice) -> Bought:
    """The size of its class; of a class that is not known the slowest counts, so that nothing is promised."""
    known = grades(facts, raised=choice.raised)
    grade = next((one for one in known if one.key == f"rate_{choice.rate}"), known[0])
    return Bought(grade=grade, unit=GIB, size=choice.size)


def caps(grade: Grade, *, raised: bool, used: Relied) -> Caps:
    """What a class ends at, by default or as raised by a ticket, and what each GiB brings."""
    most = used.quantity(Bandwidth, f"{grade.key}_{'ticket' if raised else 'most'}")
    return Caps(
        read=most,
        write=most,
        op_rate_each=used.quantity(OpRate, "op_rate_per_tib") * (1 / 1024),
        files_each=used["files_per_gb"],
        files=used["most_files"],
        least_rate=used.quantity(Bandwidth, "least_rate"),
    )


def client(need: TierNeed, used: Relied) -> Bandwidth:
    """What one GPU node takes: its ports, and what NFS gives one client."""
    return min(need.clients.network, used.quantity(Bandwidth, "client_bandwidth"))


def settled(pins: Options, need: TierNeed, site: Site, facts: BackendFacts, used: Relied) -> Options:
    """The pins with everything that is left open: the class that weighs least, at its least size."""
    choice = choice_of(pins)
    base: dict[str, OptionValue] = {} if site.region is None else {"region": site.region}
    known = grades(facts, raised=choice.raised)
    pinned = [one for one in known if one.key == f"rate_{choice.rate}"]
    found = offers(
        {**base, **pins},
        pinned or (known[:1] if "bandwidth_per_tib" in pins else known),
        GIB,
        words_of=lambda grade: {"bandwidth_per_tib": int(grade.key.removeprefix("rate_"))},
        asked=lambda grade: counts(
            grade, GIB, caps(grade, raised=choice.raised, used=used), need, usable=used["usable_fraction"]
        ),
    )
    return leanest(found, used, pinned=choice.size)


def faults(  # noqa: PLR0917  # everything that a configuration is judged by
    config: TierConfig, choice: Choice, bought: Bought, limits: Caps, need: TierNeed, used: Relied
) -> Iterator[Illegal]:
    """Everything against a configuration."""
    yield from not_ours(config)
    if choice.rate not in RATES:
        asked = "missing" if choice.rate is None else choice.rate
        words = ", ".join(map(str, RATES))
        yield class_fault(NAME, f"bandwidth_per_tib {asked}; allowed: {words}", "write bandwidth_per_tib: 125")
    yield from size_faults(NAME, bought)
    remedy = (
        "take a faster class, or spread the data over several file systems"
        if choice.raised
        else "take a faster class; or ask the service for more, then write quota_raised: true"
    )
    yield from beyond(NAME, bought.grade, limits, need, remedy=remedy)
    yield from capacity_ceiling(NAME, bought, need, remedy=remedy)
    yield from too_small_for_files(NAME, bought, limits, need)
    most, nodes = int(used["most_clients"]), need.clients.gpu_nodes
    if nodes > most and bool(need.read or need.write or need.capacity):
        yield Illegal(
            policy="cloud-class",
            message=f"{NAME}: {nodes:,} GPU nodes; a file system is mounted by at most {most:,}",
            remedy="spread the nodes over several file systems",
            required=nodes,
            planned=most,
        )


def beyond_quota(choice: Choice, bought: Bought, facts: BackendFacts) -> Iterator[str]:
    """What only a ticket to the service allows, where the stack says that it was granted."""
    usual = math.floor(facts["most_steps"] * facts["step"])
    if bought.size is not None and bought.size > usual:
        yield f"size: {amount(bought.size, 'GiB')} of {amount(usual, 'GiB')} by default"
    most = Bandwidth(facts[f"{bought.grade.key}_most"])
    if choice.raised and bought.read > most:
        yield f"bandwidth: {bought.read.show()} by size, {most.show()} by default"
