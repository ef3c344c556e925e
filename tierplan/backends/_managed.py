"""What managed file systems have in common: a size of a class, bandwidth by size, what the clients take of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import NO_NODE, Relied, pinned_layout, pinned_node
from tierplan.backends._managed_sizes import Bands
from tierplan.backends._sizing import losses
from tierplan.domain.need import Clients, TierNeed
from tierplan.domain.stack import OptionValue, TierPins
from tierplan.domain.tiers import NEVER, Degraded, Layout, Rates, TierConfig
from tierplan.units import Bandwidth, BandwidthDensity, OpRate, Size

Options = Mapping[str, OptionValue]
NO_LAYOUT = Layout(kind="none")
MANAGED = (
    "{} a failed server is replaced by the service, and what lies on it waits that long (assumed: no rate of such a "
    "state is published)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a service counts its sizes in."""

    name: str
    bytes: float

    def of(self, size: Size) -> float:
        """A size in this unit."""
        return size.bytes / self.bytes

    def text(self, size: float) -> str:
        """
        A size as a stack writes it.

        >>> Unit(name="TiB", bytes=2.0**40).text(160)
        '160 TiB'
        """
        return f"{size!r} {self.name}".replace(f".0 {self.name}", f" {self.name}")


TIB, GIB = Unit(name="TiB", bytes=2.0**40), Unit(name="GiB", bytes=2.0**30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """One class of a service: its sizes, and what each byte of them brings."""

    key: str
    """The beginning of its figures' names in the catalogue."""
    name: str
    bands: Bands
    read: BandwidthDensity
    write: BandwidthDensity


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """A size of a class; of a size that is not named nothing is promised."""

    grade: Grade
    unit: Unit
    size: float | None

    @property
    def space(self) -> Size:
        """The bytes that are sold."""
        return Size(max(0.0, self.size or 0.0) * self.unit.bytes)

    @property
    def read(self) -> Bandwidth:
        """What the file system itself reads, whoever asks."""
        return class_bandwidth(size=self.space, density=self.grade.read)

    @property
    def write(self) -> Bandwidth:
        """What the file system itself writes, whoever asks."""
        return class_bandwidth(size=self.space, density=self.grade.write)


def class_bandwidth(*, size: Size, density: BandwidthDensity) -> Bandwidth:
    """
    Sustained bandwidth of a size.

    Formula:  density * size
    Assumes:  a TiB is 1,024 GiB; bursts and caches of the servers are not counted

    >>> class_bandwidth(size=Size(216000 * 2.0**30), density=BandwidthDensity.parse("125 MB/s/TiB")).show("MB/s", 5)
    '26,367 MB/s'
    """
    return density * size


def step_density(*, bandwidth: Bandwidth, step: Size) -> BandwidthDensity:
    """
    What each byte of a step brings, where every step carries the same bandwidth.

    Formula:  bandwidth / step

    >>> (step_density(bandwidth=Bandwidth(2e9), step=Size(16 * 2.0**40)) * Size(160 * 2.0**40)).show("MB/s", 5)
    '20,000 MB/s'
    """
    return BandwidthDensity(bandwidth.bytes_per_s / step.bytes)


def client_bandwidth(*, network: Bandwidth, port_share: float, tcp_client: Bandwidth) -> Bandwidth:
    """
    What one GPU node takes over TCP.

    Formula:  min(network * port_share, tcp_client)
    """
    return min(network * port_share, tcp_client)


def client_of(clients: Clients, used: Relied) -> Bandwidth:
    """The same by the catalogue's figures."""
    return client_bandwidth(
        network=clients.network,
        port_share=used["client_port_share"],
        tcp_client=used.quantity(Bandwidth, "tcp_client"),
    )


def rates(bought: Bought, need: TierNeed, used: Relied) -> Rates:
    """What all GPU nodes together get, and what limits it."""
    one = client_of(need.clients, used)
    taken = one * need.clients.gpu_nodes
    return Rates(
        read=min(bought.read, taken),
        write=min(bought.write, taken),
        op_rate=used.quantity(OpRate, "op_rate"),
        op_rate_high=used.quantity_high(OpRate, "op_rate"),
        read_limited_by="clients" if taken < bought.read else "class",
        write_limited_by="clients" if taken < bought.write else "class",
        client=one,
    )


def counts(grade: Grade, unit: Unit, need: TierNeed, used: Relied) -> dict[str, int]:
    """Constraint -> legal size that it asks for, in the service's unit; NEVER where no size does."""
    read, write = grade.read.base * unit.bytes, grade.write.base * unit.bytes
    fill = max(need.max_fill, 1e-9)
    asked = {
        "capacity": unit.of(need.capacity) / fill / used["usable_fraction"],
        "read": need.read.base / read,
        "write": need.write.base / write,
        "phases": max((one.read.base / read + one.write.base / write for one in need.phases), default=0.0),
    }
    slow = need.op_rate.base > used.quantity(OpRate, "op_rate").base * (1 + 1e-9)
    found = {name: _legal(grade.bands, size) for name, size in asked.items()}
    return {**found, "metadata": NEVER if slow else 0, "minimum": grade.bands.least}


def _legal(bands: Bands, size: float) -> int:
    found = 0 if size <= 0 else bands.at_least(size) if size < NEVER else None
    return NEVER if found is None else found


def degraded(given: Rates, need: TierNeed) -> Iterator[Degraded]:
    """The service keeps data through the loss of a server, and replaces it."""
    for loss in losses(need.survive, racks=1):
        yield Degraded(nodes=loss.nodes, racks=loss.racks, read=given.read, write=given.write, data_lost=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One class sized for the need."""

    words: Options
    bought: Bought
    enough: bool

    @property
    def rank(self) -> tuple[bool, float, float]:
        """Without prices: what meets the need with the least bandwidth bought, then with the least size."""
        return (not self.enough, round(self.bought.read.base), self.bought.size or 0.0)


def offers(
    base: Options,
    grades: Iterable[Grade],
    unit: Unit,
    *,
    words_of: Callable[[Grade], Options],
    asked: Callable[[Grade], Mapping[str, int]],
) -> tuple[Offer, ...]:
    """Each class with the smallest legal size that meets the need; a pinned size stays."""
    found = []
    for grade in grades:
        wanted = asked(grade)
        size = max((count for count in wanted.values() if count < NEVER), default=grade.bands.least)
        words = {**words_of(grade), "size": unit.text(size), **base}
        bought = Bought(grade=grade, unit=unit, size=float(size))
        found.append(Offer(words=words, bought=bought, enough=NEVER not in wanted.values()))
    return tuple(found)


def alternatives(own: Bought, grades: Iterable[Grade], need: TierNeed, used: Relied) -> Iterator[str]:
    """The other classes for the same need: what the choice is compared with."""
    for grade in grades:
        wanted = counts(grade, own.unit, need, used)
        if grade != own.grade and NEVER not in wanted.values():
            other = Bought(grade=grade, unit=own.unit, size=float(max(wanted.values())))
            yield f"{grade.name}: {own.unit.text(max(wanted.values()))}, {other.read.show('GB/s')}"


def configured(backend: str, need: TierNeed, pins: TierPins, options: Options) -> TierConfig:
    """A managed service's configuration: everything is in the options; what else is pinned is kept, to be refused."""
    return TierConfig(
        tier=need.tier,
        backend=backend,
        nodes=1 if pins.nodes is None else pins.nodes,
        node=NO_NODE if pins.node is None else pinned_node(NO_NODE, pins.node),
        layout=pinned_layout(NO_LAYOUT, pins),
        quote=pins.quote,
        options=options,
    )


def read_as(backend: str, options: Options) -> TierConfig:
    """A resource of anybody's program as a configuration."""
    return TierConfig(tier="hot", backend=backend, nodes=1, node=NO_NODE, layout=NO_LAYOUT, options=options)


def whole(size: float) -> float:
    """A size as the service counts it: whole where it is whole but for noise."""
    return float(round(size)) if math.isclose(size, round(size), rel_tol=1e-12) else size
