"""Managed file systems whose rates end at a figure of the service, and whose op rate and files grow with the size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tierplan.backends._choosing import Relied
from tierplan.backends._managed import Bought, Grade, Offer, Options, Unit
from tierplan.backends._managed_rules import amount
from tierplan.domain.need import Phase, TierNeed
from tierplan.domain.tiers import NEVER, Illegal, Rates
from tierplan.units import Bandwidth, BandwidthDensity, OpRate, Size

ENDLESS = 1e18
NOISE = 1 + 1e-9
UNCAPPED, NOTHING, UNCOUNTED = Bandwidth(ENDLESS), Bandwidth(0.0), OpRate(ENDLESS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What a file system of a class gives at most whatever its size, and what each unit of size brings."""

    read: Bandwidth = UNCAPPED
    write: Bandwidth = UNCAPPED
    op_rate_each: OpRate
    op_rate: OpRate = UNCOUNTED
    files_each: float = ENDLESS
    files: float = ENDLESS
    margin: float = 1.0
    """Share of the published rate that is counted on."""
    least_rate: Bandwidth = NOTHING
    """What the smallest file system gives anyhow."""

    def bandwidth(self, bought: Bought) -> tuple[Bandwidth, Bandwidth]:
        """Read and write of the file system itself, whoever asks."""
        read, write = self.nominal(bought)
        return read * self.margin, write * self.margin

    def nominal(self, bought: Bought) -> tuple[Bandwidth, Bandwidth]:
        """The same as published, without the margin."""
        if not bought.size or bought.size <= 0:
            return Bandwidth.zero(), Bandwidth.zero()
        read, write = max(bought.read, self.least_rate), max(bought.write, self.least_rate)
        return min(read, self.read), min(write, self.write)

    def operations(self, size: float) -> OpRate:
        """File operations of a size."""
        return min(self.op_rate_each * max(0.0, size), self.op_rate)


def rates(bought: Bought, caps: Caps, need: TierNeed, *, client: Bandwidth) -> Rates:
    """What all GPU nodes together get, and what limits it; the high end is what the service publishes."""
    (read, write), (most_read, most_write) = caps.bandwidth(bought), caps.nominal(bought)
    taken = client * need.clients.gpu_nodes
    return Rates(
        read=min(read, taken),
        write=min(write, taken),
        op_rate=caps.operations(bought.size or 0.0),
        read_limited_by="clients" if taken < read else "class",
        write_limited_by="clients" if taken < write else "class",
        read_high=min(most_read, taken) if most_read > read else None,
        write_high=min(most_write, taken) if most_write > write else None,
        client=client,
    )


def counts(grade: Grade, unit: Unit, caps: Caps, need: TierNeed, *, usable: float) -> dict[str, int]:
    """Constraint -> legal size that it asks for, in the service's unit; NEVER where no size does."""
    fill = max(need.max_fill, 1e-9)
    asked = {
        "capacity": unit.of(need.capacity) / fill / usable,
        "read": _size(need.read, Bandwidth.zero(), grade, unit, caps),
        "write": _size(Bandwidth.zero(), need.write, grade, unit, caps),
        "phases": max((_phase(one, grade, unit, caps) for one in need.phases), default=0.0),
        "metadata": _counted(need.op_rate.base, caps.op_rate_each.base, caps.op_rate.base),
        "files": _counted(need.files, caps.files_each, caps.files),
    }
    return {**{name: _legal(grade, size) for name, size in asked.items()}, "minimum": grade.bands.least}


def _counted(asked: float, each: float, most: float) -> float:
    if asked > most * NOISE:
        return NEVER
    return asked / each if each else NEVER * bool(asked)


def _phase(phase: Phase, grade: Grade, unit: Unit, caps: Caps) -> float:
    return _size(phase.read, phase.write, grade, unit, caps)


def _size(read: Bandwidth, write: Bandwidth, grade: Grade, unit: Unit, caps: Caps) -> float:
    """
    The least size, in the service's unit, that reads and writes so much at once.

    Formula:  size of which read / what it reads + write / what it writes is 1 or less
    Assumes:  what a size gives never falls with the size, so the interval can be halved
    """

    def share(size: float) -> float:
        has = caps.bandwidth(Bought(grade=grade, unit=unit, size=size))
        pairs = zip((read, write), has, strict=True)
        return sum(asked / given if given else ENDLESS for asked, given in pairs if asked)

    if not read and not write:
        return 0.0
    low, high = 0.0, max(_end(caps.read, grade.read.base, unit), _end(caps.write, grade.write.base, unit))
    each = (grade.read.base * unit.bytes * caps.margin, grade.write.base * unit.bytes * caps.margin)
    straight = read.base / each[0] + write.base / each[1]
    if straight <= high and share(straight) <= NOISE:
        high = straight  # below every cap: no search is needed unless a floor makes less do
    if share(high) > NOISE:
        return NEVER
    if caps.least_rate and share(grade.bands.least) <= NOISE:
        return grade.bands.least
    if share(high) >= 1 / NOISE:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if share(middle) <= NOISE else (middle, high)
    return high


def _end(most: Bandwidth, density: float, unit: Unit) -> float:
    """The size from which a rate grows no more."""
    return min(most.base / density / unit.bytes, NEVER)


def _legal(grade: Grade, size: float) -> int:
    found = 0 if size <= 0 else grade.bands.at_least(size) if size < NEVER else None
    return NEVER if found is None else min(found, NEVER)


def weight(bought: Bought, *, base: BandwidthDensity) -> float:
    """
    What a size of a class weighs where no price is known: the space, and the bandwidth that comes with it.

    Formula:  size * (class + base)
    Assumes:  a price of space and a price of bandwidth, as the list prices of FSx for Lustre go
    Source:   FSx for Lustre, list prices of us-east-1 (unverified): 0.145 to 0.60 USD a GB for 125 to 1,000 MB/s/TiB
    """
    return bought.space.base * (bought.grade.read.base + base.base)


def leanest(found: Iterable[Offer], used: Relied, *, pinned: float | None) -> Options:
    """Of the classes that meet the need, at the pinned size where there is one, the one that weighs least."""
    base = used.quantity(BandwidthDensity, "class_base")

    def rank(one: Offer) -> tuple[bool, float, float, float]:
        at = one.bought if pinned is None else replace(one.bought, size=pinned)
        return (not one.enough, _missing(one.bought, pinned), round(weight(at, base=base), -3), at.size or 0.0)

    return min(found, key=rank).words


def _missing(asked: Bought, pinned: float | None) -> float:
    """How many times a pinned size would have to be what it is; 0 where the class has it and carries the need."""
    if pinned is None:
        return 0.0
    size = asked.size or 0.0
    times = size / pinned if size > pinned > 0 else 0.0
    return times if asked.grade.bands.legal(pinned) else NEVER + times


def weighed(used: Relied) -> str:
    """How a class was chosen, in words."""
    base = used.quantity(BandwidthDensity, "class_base")
    return (
        f"no price is known: classes are weighed by size times (class + {base.show()}), as the list prices of another "
        "managed Lustre go"
    )


def beyond(backend: str, grade: Grade, caps: Caps, need: TierNeed, *, remedy: str) -> Iterator[Illegal]:
    """What no size of a class will ever give: a class cannot be changed later."""
    most = ((need.read, caps.read, "read"), (need.write, caps.write, "write"))
    for asked, had, word in most:
        if asked > had * caps.margin * NOISE:
            yield Illegal(
                policy="cloud-growth",
                message=f"{backend}: {grade.name} never gives more than {(had * caps.margin).show()} {word}, and "
                f"{asked.show()} are needed",
                remedy=remedy,
                required=asked.base,
                planned=had.base * caps.margin,
                unit="bytes_per_s",
            )
    if need.files > caps.files * NOISE:
        yield Illegal(
            policy="cloud-growth",
            message=f"{backend}: {grade.name} holds at most {caps.files:,.0f} files, and {need.files:,.0f} are needed",
            remedy="pack small files into shards, or spread them over several file systems",
            required=need.files,
            planned=caps.files,
        )


def too_small_for_files(backend: str, bought: Bought, caps: Caps, need: TierNeed) -> Iterator[Illegal]:
    """A size of which the files are too many, though a larger one would hold them."""
    held = caps.files_each * (bought.size or 0.0)
    if held * NOISE < need.files <= caps.files:
        least = bought.grade.bands.at_least(need.files / caps.files_each)
        yield Illegal(
            policy="cloud-size",
            message=f"{backend}: {amount(bought.size or 0.0, bought.unit.name)} hold {held:,.0f} files, and "
            f"{need.files:,.0f} are needed",
            remedy=f'write size: "{bought.unit.text(least or bought.grade.bands.least)}"',
            required=need.files,
            planned=held,
        )


def capacity_ceiling(backend: str, bought: Bought, need: TierNeed, *, remedy: str) -> Iterator[Illegal]:
    """More stored than the largest size of a class holds."""
    held, most = bought.unit.of(need.capacity) / max(need.max_fill, 1e-9), bought.grade.bands.most
    if held > most * NOISE:
        yield Illegal(
            policy="cloud-growth",
            message=f"{backend}: {bought.grade.name} ends at {amount(most, bought.unit.name)}, and "
            f"{amount(round(held), bought.unit.name)} are needed",
            remedy=remedy,
            required=held,
            planned=most,
            unit=bought.unit.name,
        )


def held(bought: Bought, share: float) -> Size:
    """What may be stored of what is sold."""
    return bought.space * share
