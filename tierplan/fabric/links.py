"""What links and switches carry, out of the catalogue's figures, for one transport."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tierplan.domain.facts import Fact
from tierplan.domain.stack import Transport
from tierplan.units import Bandwidth, Duration, bandwidth

RATES = tuple((step, bandwidth(f"{step} Gbit/s")) for step in (100, 200, 400, 800))  # of the switches that are known


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """
    What one transport leaves of a link's rate.

    `link` is the share that one port gives, `path` what is left of that on links between switches, where flows collide.
    """

    link: float
    path: float
    most_oversubscription: float
    shared: float
    rebuild_within: Duration
    facts: tuple[Fact, ...]
    figures: Mapping[str, Fact]
    family: str

    @property
    def uplink(self) -> float:
        """The share of its rate that a link between switches gives."""
        return self.link * self.path

    def switches(self, rate: Bandwidth) -> tuple[Fact, ...]:
        """Switches whose ports have this rate, those with fewer ports first; faster ones take slower ports too."""
        known = [
            fact
            for step, of_step in RATES
            if rate <= of_step and (fact := self.figures.get(f"{self.family}_switch_ports_{step}")) is not None
        ]
        larger: list[Fact] = []
        for fact in known or [self.figures["switch_ports"]]:
            if not larger or fact.value > larger[-1].value:
                larger.append(fact)
        return tuple(larger)


def links(figures: Mapping[str, Fact], transport: Transport) -> Links:
    """The figures of one transport, the careful reading of each."""
    link, path = figures[f"{transport}_link"], figures[f"{transport}_path"]
    most, shared = figures["most_oversubscription"], figures["storage_share_of_shared_ports"]
    within = figures["rebuild_within"]
    return Links(
        link=link.value,
        path=path.value,
        most_oversubscription=most.value,
        shared=shared.value,
        rebuild_within=Duration(within.value),
        facts=(link, path),
        figures=figures,
        family="infiniband" if transport == "infiniband" else "ethernet",
    )
