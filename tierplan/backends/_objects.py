"""
What the object stores of the clouds share: quotas and requests instead of nodes, classes instead of drives.

A store has no size to fill and no nodes to count.  What limits it is what the account may move and ask for, and
what each GPU node takes; what it costs to keep is decided by the storage class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import TemplateValue
from tierplan.backends._choosing import NO_NODE, Relied, option, option_faults, pinned_layout, pinned_node
from tierplan.backends._object_limits import Limits, limits, prefixes_needed, rates, spread, uploads_at_once
from tierplan.backends._object_stores import OPTIONS, Store, storage_classes
from tierplan.backends._sizing import losses
from tierplan.domain.facts import BackendFacts, Fact
from tierplan.domain.lifecycle import StorageClass
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import OptionValue, Site, TierPins
from tierplan.domain.tiers import BillItem, CloudSize, Degraded, Delivered, Illegal, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, Duration, Size, count_for

NO_LAYOUT = Layout(kind="none")


def choices(store: Store, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
    """The one configuration that the pins leave: the class, and the prefixes that the requests are spread over."""
    options: dict[str, OptionValue] = dict(pins.options)
    if site.region is not None:
        options.setdefault("region", site.region)
    options.setdefault("storage_class", store.classes[0].name)
    options.setdefault("warm_class", store.warm)
    options.setdefault("cold_class", store.cold)
    options.setdefault("versioning", True)
    config = TierConfig(
        tier=need.tier,
        backend=store.id,
        nodes=1 if pins.nodes is None else pins.nodes,
        node=NO_NODE if pins.node is None else pinned_node(NO_NODE, pins.node),
        layout=pinned_layout(NO_LAYOUT, pins),
        racks=site.racks,
        quote=pins.quote,
        options=options,
    )
    if store.requests_per == "prefix":
        known = limits(store, config, facts, Relied(facts))
        options.setdefault("prefixes", _prefixes(need, known))
    yield config


def _prefixes(need: TierNeed, known: Limits) -> int:
    phases = [prefixes_needed(read=phase.read, write=phase.write, limits=known) for phase in need.phases]
    alone = (
        prefixes_needed(read=need.read, write=Bandwidth.zero(), limits=known),
        prefixes_needed(read=Bandwidth.zero(), write=need.write, limits=known),
        count_for(need.op_rate, min(known.read_requests, known.write_requests)),
    )
    return max(*phases, *alone, 1)


def deliver(store: Store, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
    """What the service gives this account and these GPU nodes."""
    used = Relied(facts)
    known, classes = limits(store, config, facts, used), storage_classes(store, facts)
    healthy = rates(store, config, need, known, used)
    fill = min(1.0, max(0.0, need.max_fill))
    stored = need.capacity / fill if fill else Size.zero()
    gigabytes = count_for(need.capacity, Size(1e9))
    asked = option(config.options, "storage_class", str) or store.classes[0].name
    return Delivered(
        counts={"capacity": gigabytes},
        raw=stored,
        usable=stored,
        planned_fill_fraction=fill,
        waterfall=(),
        healthy=healthy,
        degraded=tuple(
            Degraded(nodes=loss.nodes, racks=loss.racks, read=healthy.read, write=healthy.write, data_lost=False)
            for loss in losses(need.survive, racks=config.racks)
        ),
        illegal=(
            *_not_ours(config),
            *option_faults(config, {**OPTIONS, **store.options}),
            *_class_faults(store, config),
            *_quota_faults(store, config, need, known),
        ),
        cannot_change_later=store.never_change,
        assumptions=used.lines(config.node),
        notes=tuple(_notes(store, config, known, classes)),
        parts={"prefixes": spread(store, config)},
        cloud=CloudSize(
            service=store.service,
            unit="GB",
            size=float(gigabytes),
            class_name=asked,
            legal=True,
            changes_in_place=("storage class of an object", "lifecycle rules", "versioning"),
            replaces_on_change=("bucket", "region"),
            beyond_quota=tuple(_beyond(config, need, known)),
        ),
        classes=classes,
        bill=(
            BillItem(items=(f"{store.id}.{asked}",), quantity=float(gigabytes), per="GB-month"),
            BillItem(items=(f"{store.id}.put",), quantity=_puts(need, known), per="1000-requests-month"),
        ),
    )


def _puts(need: TierNeed, known: Limits) -> float:
    """Thousands of requests that a month's writes take, in parts of the usual size."""
    return need.written_per_day * 30 / known.request_size / 1000


def _not_ours(config: TierConfig) -> Iterator[Illegal]:
    """A service has no nodes, drives or layout of the stack's."""
    pinned = [
        word
        for word, given in (
            ("nodes", config.nodes != 1),
            ("node", config.node != NO_NODE),
            ("layout", config.layout != NO_LAYOUT),
            ("quote", config.quote is not None),
        )
        if given
    ]
    if pinned:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend} is a service: {' and '.join(pinned)} cannot be pinned, the service decides them",
            remedy=f"leave out {', '.join(f'tiers.{config.tier}.{word}' for word in pinned)}",
        )


def _class_faults(store: Store, config: TierConfig) -> Iterator[Illegal]:
    names = [row.name for row in store.classes]
    for word in ("storage_class", "warm_class", "cold_class"):
        asked = option(config.options, word, str)
        if asked is not None and asked not in names:
            yield Illegal(
                policy=f"{config.tier}-layout",
                message=f"{store.id}: {word} {asked} is no class of {store.service}",
                remedy=f"write one of {', '.join(names)}",
            )
    prefixes = option(config.options, "prefixes", int)
    if prefixes is not None and prefixes < 1:
        message = f"{store.id}: prefixes {prefixes}; keys lie under at least one"
        yield Illegal(policy=f"{config.tier}-layout", message=message, remedy="write prefixes: 1, or leave it out")


def _exceeded(need: TierNeed, known: Limits) -> Iterator[tuple[str, Bandwidth, Bandwidth, Fact]]:
    """Direction, need, default quota and the quota's row, where more is needed than any account has."""
    directions = (("read", need.read), ("write", need.write))
    for (word, wanted), fact in zip(directions, known.facts, strict=False):
        default = fact.quantity
        if isinstance(default, Bandwidth) and wanted.base > default.base * (1 + 1e-9):
            yield word, wanted, default, fact


def _quota_faults(store: Store, config: TierConfig, need: TierNeed, known: Limits) -> Iterator[Illegal]:
    """More than the account's default, and nobody says that it was raised; or raised to less than it was."""
    raised = option(config.options, "quota_raised", Bandwidth)
    for word, wanted, default, fact in _exceeded(need, known) if raised is None else ():
        yield Illegal(
            policy=f"{config.tier}-quota",
            message=f"{store.service} lets one account {word} {default.show()} in this region unless it is raised, "
            f"and {wanted.show()} are required ({fact.source})",
            remedy=f'have the quota raised, then write tiers.{config.tier}.options.quota_raised: "{wanted.text()}"',
            required=wanted.base,
            planned=default.base,
            unit="bytes_per_s",
        )
    largest = max((fact.value for fact in known.facts), default=0.0)
    if raised is not None and known.facts and raised.base < largest:
        yield Illegal(
            policy=f"{config.tier}-quota",
            message=f"{store.id}: quota_raised {raised.show()} is less than the {Bandwidth(largest).show()} that "
            "every account has here",
            remedy="leave out quota_raised",
            required=largest,
            planned=raised.base,
            unit="bytes_per_s",
        )


def _beyond(config: TierConfig, need: TierNeed, known: Limits) -> Iterator[str]:
    raised = option(config.options, "quota_raised", Bandwidth)
    for word, wanted, default, _fact in _exceeded(need, known):
        said = f"stated as raised to {raised.show()}" if raised is not None else "to be raised by a ticket"
        yield f"{word} bandwidth of the account: {default.show()} by default, {wanted.show()} needed; {said}"


def _notes(store: Store, config: TierConfig, known: Limits, classes: tuple[StorageClass, ...]) -> Iterator[str]:
    yield (
        f"{store.service} has no size to fill: usable is what is stored divided by max_fill, so that fill means here "
        "what it means elsewhere; nothing is bought for it"
    )
    if store.requests_per == "prefix":
        count = spread(store, config)
        yield (
            f"keys lie under {count} {'prefix' if count == 1 else 'prefixes'} of like load; each takes "
            f"{known.read_requests.show()} of reads and {known.write_requests.show()} of writes, and new ones warm up "
            "slowly (the service answers 503 meanwhile)"
        )
    if known.read is None:
        yield f"{store.service} publishes no bandwidth quota of an account: requests and GPU nodes limit it"
    asked = option(config.options, "storage_class", str)
    for one in classes:
        if one.name == asked and one.least_days:
            least = f", and each object as {one.least_size.show('kB')} or more" if one.least_size else ""
            yield f"class {one.name} bills each object for {one.least_days} days at least{least}"


def template_context(store: Store, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
    """
    What the commands of a bucket need.

    bucket, existing (the stack names it), region, storage_class, versioning, prefixes, service,
    encryption_key (empty: the service's own)
    read_parts, write_parts:  requests in flight that keep the planned need up
    part_mib:     size of a part or range
    host_needs:   nothing: there are no hosts
    templates:    the folder that all object stores of clouds share
    """
    options, need = plan.config.options, plan.need
    part = Size(8 * 2.0**20)
    latency = Duration(0.2)  # of a small object, S3 User Guide: 100 to 200 ms
    return {
        "bucket": option(options, "bucket", str) or "checkpoint-archive",
        "region": option(options, "region", str) or "",
        "storage_class": option(options, "storage_class", str) or store.classes[0].name,
        "versioning": option(options, "versioning", bool) is not False,
        "encryption_key": option(options, "encryption_key", str) or "",
        "prefixes": spread(store, plan.config),
        "service": store.service,
        "read_parts": uploads_at_once(need.read, latency=latency, part=part),
        "write_parts": uploads_at_once(need.write, latency=latency, part=part),
        "part_mib": 8,
        "host_needs": [],
        "templates": "object_store",
        "existing": option(options, "bucket", str) is not None,
        "hosts": hosts,
        **{word: option(options, word, str) or "" for word in store.options},
    }


class ObjectStore:
    """A backend made of a store's description."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The class that data lands in, and prefixes for the requests."""
        return choices(self.store, need, pins, site, facts)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What the account may move, and what its requests carry."""
        return deliver(self.store, config, need, facts)

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """Bucket, class, keys and requests in flight."""
        return template_context(self.store, plan, hosts)
