"""FSx for Lustre: the words that a stack leaves open, settled; of the classes that do the cheapest is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends._choosing import Relied
from tierplan.backends._fsx import (
    AUTOMATIC,
    USER,
    VERSION,
    Choice,
    choice_of,
    client_bandwidth,
    counts,
    efa_wanted,
    iops_for,
    price_of,
    servers,
    sizes_of,
)
from tierplan.backends._fsx_table import DEPLOYMENTS, HDD, SSD, TIERING, Row, Table, gib_text
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site
from tierplan.domain.tiers import NEVER

Options = Mapping[str, OptionValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One class sized for the need, with what a month of it costs by list price."""

    options: Options
    choice: Choice
    price: float | None
    missing: float
    """How many times the size would have to be what it is; 0 where it is sold of this class and carries the need."""
    enough: bool
    """Whether one GPU node gets its share of it."""

    @property
    def rank(self) -> tuple[float, bool, bool, float, float]:
        """The least missing, then the cheapest first; without a price the least that is provisioned."""
        provisioned = (self.choice.size or 0.0) * (self.choice.per_unit or 0) or (self.choice.throughput or 0)
        return (self.missing, not self.enough, self.price is None, self.price or 0.0, provisioned)


def settled(pins: Options, need: TierNeed, site: Site, known: Table, used: Relied) -> Options:
    """The pins with everything that is left open: the best offer of all classes that the pins allow."""
    return min(offers(pins, need, site, known, used), key=lambda offer: offer.rank).options


def offers(pins: Options, need: TierNeed, site: Site, known: Table, used: Relied) -> tuple[Offer, ...]:
    """Each class that the pins leave open, sized."""
    base = _class_words(pins, need, site, known, used)
    found: list[Offer] = []
    for words in _throughputs(base, known):
        options = _sized(words, need, known, used)
        choice = choice_of(options)
        one = client_bandwidth(need.clients, efa=choice.efa, file_servers=servers(known, choice), used=used)
        enough = one >= max(need.clients.node_read, need.clients.node_write)
        missing = _missing(choice, need, known, used)
        price = price_of(known, choice, used)
        found.append(Offer(options=options, choice=choice, price=price, missing=missing, enough=enough))
    return tuple(found)


def _missing(choice: Choice, need: TierNeed, known: Table, used: Relied) -> float:
    """A pinned size may be sold of some classes only, and carry the need in some only."""
    sizes, value = sizes_of(known, choice), choice.throughput if choice.tiering else choice.size
    if sizes is None or not value:
        return float(NEVER)
    asked = max((count for count in counts(known, choice, need, used).values() if count < NEVER), default=0)
    times = asked / value if asked > value else 0.0
    return times if sizes.legal(value) else NEVER + times


def _class_words(pins: Options, need: TierNeed, site: Site, known: Table, used: Relied) -> dict[str, OptionValue]:
    """Deployment and storage type, EFA and what follows from them."""
    asked = choice_of(pins)
    region = asked.region or site.region
    storage = asked.storage if "storage_type" in pins else _storage(pins)
    deployment = asked.deployment if "deployment_type" in pins else _deployment(asked, storage, region, known)
    options: dict[str, OptionValue] = {"deployment_type": deployment, "storage_type": storage}
    if region is not None:
        options["region"] = region
    can = deployment == "PERSISTENT_2" and storage in (SSD, TIERING)
    options["efa"] = can and bool(efa_wanted(need.clients, used)) and region not in known.slow_classes_only
    if storage == HDD:
        options["drive_cache_type"] = "NONE"
    if storage == TIERING:
        options["read_cache"] = "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"
    return {**options, "version": VERSION, "compression": "NONE", "backup_days": 0, **pins}


def _storage(pins: Options) -> str:
    if "throughput_capacity" in pins or "read_cache" in pins:
        return TIERING
    hdd = pins.get("per_unit_throughput") in (12, 40) or "drive_cache_type" in pins
    return HDD if hdd else SSD


def _deployment(asked: Choice, storage: str, region: str | None, known: Table) -> str:
    """The newest type that has what is asked for."""
    if storage == HDD or region in known.without_persistent_2:
        return "PERSISTENT_1"
    fitting = [name for name in DEPLOYMENTS if known.row(name, storage, asked.per_unit)]
    return fitting[-1] if asked.per_unit is not None and fitting else "PERSISTENT_2"


def _throughputs(base: Mapping[str, OptionValue], known: Table) -> Iterator[dict[str, OptionValue]]:
    """The base with each throughput class; pinned, or without any, as it is."""
    choice = choice_of(base)
    rows: tuple[Row, ...] = known.rows_of(choice.deployment, choice.storage)
    if "per_unit_throughput" in base or choice.tiering or not any(row.per_unit for row in rows):
        yield dict(base)
        return
    slow = choice.region in known.slow_classes_only
    for row in rows:
        if row.per_unit is not None and (not slow or row.per_unit <= 250 or choice.deployment != "PERSISTENT_2"):
            yield {**base, "per_unit_throughput": row.per_unit}


def _sized(words: dict[str, OptionValue], need: TierNeed, known: Table, used: Relied) -> Options:
    """With the smallest legal size and metadata rate that meet the need."""
    choice = choice_of(words)
    asked = [count for count in counts(known, choice, need, used).values() if count < NEVER]
    size = max(asked, default=0)
    if choice.tiering:
        words = {**words, "throughput_capacity": words.get("throughput_capacity", size or int(used["tiering_step"]))}
    elif "size" not in words:
        words = {**words, "size": gib_text(size)}
    return _with_metadata(words, need, known, used)


def _with_metadata(words: dict[str, OptionValue], need: TierNeed, known: Table, used: Relied) -> Options:
    choice = choice_of(words)
    if choice.deployment != "PERSISTENT_2" or (choice.mode == AUTOMATIC and choice.iops is None):
        return words
    wanted = iops_for(operations=need.op_rate, operations_per_iops=used["operations_per_iops"])
    automatic = 0 if choice.tiering else known.metadata.automatic(choice.size or 0.0)
    if not choice.tiering and choice.mode is None and choice.iops is None and wanted <= automatic:
        return {**words, "metadata_mode": AUTOMATIC}
    most = max(known.metadata.tiering) if choice.tiering else known.metadata.most
    found = known.metadata.at_least(max(wanted, automatic), storage=choice.storage)
    return {"metadata_mode": USER, "metadata_iops": most if found is None else found, **words}


def alternatives(options: Options, need: TierNeed, known: Table, used: Relied) -> tuple[Offer, ...]:
    """The other classes of the same kind for the same need: what the choice is compared with."""
    own = choice_of(options)
    left = ("size", "throughput_capacity", "per_unit_throughput", "metadata_mode", "metadata_iops")
    words = {key: value for key, value in options.items() if key not in left}
    found = offers(words, need, Site(kind="aws"), known, used)
    return tuple(offer for offer in found if offer.choice.per_unit != own.per_unit)
