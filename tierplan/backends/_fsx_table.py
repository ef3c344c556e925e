"""FSx for Lustre's legality table: the classes of the service and their sizes, read from the catalogue."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tierplan.domain.facts import BackendFacts, Fact
from tierplan.units import BandwidthDensity

SCRATCH = ("SCRATCH_1", "SCRATCH_2")
DEPLOYMENTS = (*SCRATCH, "PERSISTENT_1", "PERSISTENT_2")
SSD, HDD, TIERING = "SSD", "HDD", "INTELLIGENT_TIERING"
STORAGES = (SSD, HDD, TIERING)
CLASSES: tuple[tuple[str, str, int | None], ...] = (
    ("SCRATCH_1", SSD, None),
    ("SCRATCH_2", SSD, None),
    *(("PERSISTENT_1", SSD, each) for each in (50, 100, 200)),
    *(("PERSISTENT_1", HDD, each) for each in (12, 40)),
    *(("PERSISTENT_2", SSD, each) for each in (125, 250, 500, 1000)),
)
"""Deployment type, storage type and MB/s for each TiB; Intelligent-Tiering has throughput instead."""
NOISE = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """The sizes that can be bought: some small ones, then the multiples of a step, up to `most`."""

    firsts: tuple[int, ...] = ()
    step: int
    most: float = math.inf

    def legal(self, size: float) -> bool:
        """
        Whether this size can be bought.

        >>> Sizes(firsts=(1200, 2400), step=2400).legal(3600)
        False
        """
        return size in self.firsts or (0 < size <= self.most and size % self.step == 0)

    def at_least(self, size: float) -> int:
        """
        The smallest legal size that is no less; beyond the largest, that.

        >>> Sizes(firsts=(1200, 2400), step=2400).at_least(3600)
        4800
        """
        stepped = max(1, math.ceil(size / self.step - NOISE)) * self.step
        found = min([one for one in self.firsts if one >= size * (1 - NOISE)] + [stepped])
        return found if found <= self.most else self.largest

    def above(self, size: float) -> int | None:
        """The smallest legal size that is more; None where there is none."""
        stepped = (math.floor(size / self.step + NOISE) + 1) * self.step if size >= 0 else self.step
        found = min([one for one in self.firsts if one > size] + [stepped])
        return found if found <= self.most else None

    def below(self, size: float) -> int | None:
        """The largest legal size that is less; None where there is none."""
        stepped = (math.ceil(min(size, self.most + 1) / self.step - NOISE) - 1) * self.step
        found = [one for one in (*self.firsts, stepped) if 0 < one < size]
        return max(found, default=None)

    @property
    def least(self) -> int:
        """The smallest size of all."""
        return min((*self.firsts, self.step))

    @property
    def largest(self) -> int:
        """The largest size of all, where there is one."""
        return int(self.most // self.step * self.step)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One class of the service."""

    key: str
    deployment: str
    storage: str
    per_unit: int | None
    sizes: Sizes
    efa_sizes: Sizes | None
    server: float
    """GiB that one file server holds, without EFA."""
    read: BandwidthDensity
    write: BandwidthDensity
    price: float | None
    """USD for each GB and month."""

    @property
    def title(self) -> str:
        """As people name it: ``PERSISTENT_2 SSD 250``."""
        return " ".join(str(word) for word in (self.deployment, self.storage, self.per_unit) if word is not None)

    def sizes_with(self, *, efa: bool) -> Sizes:
        """With EFA the steps are larger."""
        return self.efa_sizes if efa and self.efa_sizes is not None else self.sizes

    def servers(self, size_gib: float, *, efa: bool) -> int:
        """File servers of a size; with EFA each holds one step."""
        each = self.efa_sizes.step if efa and self.efa_sizes is not None else self.server
        return max(1, math.ceil(size_gib / each - NOISE))


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """What can be bought of metadata rate, and what comes by itself with a size."""

    values: tuple[int, ...]
    step: int
    most: int
    tiering: tuple[int, ...]
    first: float
    second: float
    third: float
    step_size: float

    def legal(self, iops: int, *, storage: str) -> bool:
        """Whether this rate can be bought."""
        if storage == TIERING:
            return iops in self.tiering
        return iops in self.values or (0 < iops <= self.most and iops % self.step == 0)

    def at_least(self, iops: float, *, storage: str) -> int | None:
        """The smallest rate that is no less; None where there is none."""
        found = [one for one in self._all(storage) if one >= iops * (1 - NOISE)]
        return min(found, default=None)

    def around(self, iops: float, *, storage: str) -> tuple[int | None, int | None]:
        """The largest rate below and the smallest above."""
        every = self._all(storage)
        below, above = [one for one in every if one < iops], [one for one in every if one > iops]
        return max(below, default=None), min(above, default=None)

    def automatic(self, size_gib: float) -> int:
        """
        The rate that a size brings by itself (mode AUTOMATIC); also the least that can be bought with it.

        1,500 IOPS, 3,000, 6,000 and 12,000 at the sizes of the table; from two steps on 12,000 for each.
        """
        if size_gib >= 2 * self.step_size:
            return min(self.most, int(size_gib // self.step_size) * self.step)
        limits = (self.first, self.second, self.third)
        return next((rate for limit, rate in zip(limits, self.values, strict=False) if size_gib <= limit), self.step)

    def size_for(self, iops: float) -> float | None:
        """The least GiB that bring a rate by themselves; None where no size does."""
        limits = (0.0, self.first, self.second, self.third)
        for limit, rate in zip(limits, self.values, strict=True):
            if iops <= rate * (1 + NOISE):
                return limit + 1
        return None if iops > self.most else math.ceil(iops / self.step - NOISE) * self.step_size

    def _all(self, storage: str) -> tuple[int, ...]:
        if storage == TIERING:
            return self.tiering
        return tuple(sorted({*self.values, *range(self.step, self.most + 1, self.step)}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Everything that the service allows."""

    rows: tuple[Row, ...]
    tiering: Sizes
    metadata: Metadata
    without_persistent_2: frozenset[str]
    slow_classes_only: frozenset[str]

    def row(self, deployment: str, storage: str, per_unit: int | None) -> Row | None:
        """The class of these words."""
        asked = (deployment, storage, per_unit)
        return next((one for one in self.rows if (one.deployment, one.storage, one.per_unit) == asked), None)

    def rows_of(self, deployment: str, storage: str) -> tuple[Row, ...]:
        """The classes of a deployment and storage type, the slowest first."""
        return tuple(one for one in self.rows if (one.deployment, one.storage) == (deployment, storage))


def table(facts: BackendFacts) -> Table:
    """The table out of the catalogue's rows."""
    return Table(
        rows=tuple(_row(facts, *words) for words in CLASSES),
        tiering=Sizes(step=int(facts["tiering_step"]), most=facts["tiering_most"]),
        metadata=_metadata(facts),
        without_persistent_2=words_of(facts.fact("regions_without_persistent_2")),
        slow_classes_only=words_of(facts.fact("regions_with_slow_classes_only")),
    )


def gib_text(size_gib: float) -> str:
    """
    A size as the service counts it, to be read back as exactly that.

    >>> gib_text(148800.0)
    '148800 GiB'
    """
    return f"{size_gib!r} GiB".replace(".0 GiB", " GiB")


def row_key(deployment: str, storage: str, per_unit: int | None) -> str:
    """
    The name of a class in the catalogue.

    >>> row_key("PERSISTENT_2", "SSD", 250)
    'persistent_2_ssd_250'
    """
    return "_".join(str(word).lower() for word in (deployment, storage, per_unit) if word is not None)


def words_of(fact: Fact) -> frozenset[str]:
    """A fact that is a list of words."""
    return frozenset(fact.note.partition(";")[0].split())


def _row(facts: BackendFacts, deployment: str, storage: str, per_unit: int | None) -> Row:
    key, known = row_key(deployment, storage, per_unit), facts.figures
    firsts = [int(facts[f"{key}_{word}"]) for word in ("first", "second") if f"{key}_{word}" in known]
    efa = int(facts[f"{key}_efa_step"]) if f"{key}_efa_step" in known else None
    return Row(
        key=key,
        deployment=deployment,
        storage=storage,
        per_unit=per_unit,
        sizes=Sizes(firsts=tuple(firsts), step=int(facts[f"{key}_step"])),
        efa_sizes=None if efa is None else Sizes(step=efa),
        server=facts[f"{key}_server"],
        read=BandwidthDensity(facts[f"{key}_read"]),
        write=BandwidthDensity(facts[f"{key}_write"]),
        price=facts[f"{key}_price"] if f"{key}_price" in known else None,
    )


def _metadata(facts: BackendFacts) -> Metadata:
    return Metadata(
        values=tuple(int(facts[f"metadata_value_{index}"]) for index in (1, 2, 3, 4)),
        step=int(facts["metadata_step"]),
        most=int(facts["metadata_most"]),
        tiering=tuple(int(facts[f"tiering_metadata_value_{index}"]) for index in (1, 2)),
        first=facts["automatic_first_size"],
        second=facts["automatic_second_size"],
        third=facts["automatic_third_size"],
        step_size=facts["automatic_step_size"],
    )
