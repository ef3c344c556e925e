"""What one account may move and ask for: quotas by region, requests by prefix, and what a GPU node takes."""

from __future__ import annotations

from dataclasses import dataclass

from tierplan.backends._choosing import Relied, option
from tierplan.backends._object_stores import Store
from tierplan.backends._sizing import client_ceiling
from tierplan.domain.facts import BackendFacts, Fact
from tierplan.domain.need import TierNeed
from tierplan.domain.tiers import LimitedBy, Rates, TierConfig
from tierplan.units import Bandwidth, Duration, OpRate, Size, count_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the service lets one account do; None: it publishes no such limit."""

    read: Bandwidth | None
    write: Bandwidth | None
    read_requests: OpRate
    write_requests: OpRate
    request_size: Size
    facts: tuple[Fact, ...] = ()
    """The quotas that these are, for messages."""


def request_bandwidth(requests: OpRate, *, request_size: Size, prefixes: int) -> Bandwidth:
    """
    What so many requests carry, each of them one part or one range.

    Formula:  requests * request_size * prefixes
    Assumes:  large objects, moved in parts and ranges of `request_size`; keys spread evenly over the prefixes
    Source:   Amazon S3 User Guide, best practices design patterns: optimizing performance (checked 2026-11-29)

    >>> request_bandwidth(OpRate(5500.0), request_size=Size(8e6), prefixes=1).show()
    '44 GB/s'
    """
    return requests * request_size * prefixes


def prefixes_needed(*, read: Bandwidth, write: Bandwidth, limits: Limits) -> int:
    """
    Key prefixes that reads and writes at once are spread over; each is a partition with a request rate of its own.

    Formula:  ceil(read / (read_requests * request_size) + write / (write_requests * request_size)), at least 1
    Assumes:  reads and writes take a prefix in proportion
    Source:   Amazon S3 User Guide, best practices design patterns: optimizing performance (checked 2026-11-29)
    """
    one_read = request_bandwidth(limits.read_requests, request_size=limits.request_size, prefixes=1)
    one_write = request_bandwidth(limits.write_requests, request_size=limits.request_size, prefixes=1)
    as_read = write * (one_read / one_write) if write and one_write else Bandwidth.zero()
    return max(1, count_for(read + as_read, one_read)) if one_read else 1


def part_size(size: Size, *, least: Size, parts: int = 10_000) -> Size:
    """
    The smallest part that an object of this size can be uploaded in.

    Formula:  max(least, size / parts)
    Source:   Amazon S3 User Guide, multipart upload limits: 10,000 parts of 5 MiB or more (checked 2026-11-29)

    >>> part_size(Size(980e9), least=Size(5 * 2.0**20)).show()
    '98 MB'
    """
    return max(least, size / parts)


def uploads_at_once(bandwidth: Bandwidth, *, latency: Duration, part: Size) -> int:
    """
    Parts in flight that keep this bandwidth up.

    Formula:  ceil(bandwidth * latency / part)
    Assumes:  every part takes the latency
    Source:   Little's law

    >>> uploads_at_once(Bandwidth(10e9), latency=Duration(0.5), part=Size(64 * 2.0**20))
    75
    """
    return count_for(bandwidth * latency, part)


def group_of(store: Store, region: str | None) -> str:
    """The group of regions with a quota of its own that this region is in; none: the careful figures."""
    return next((f"_{group}" for group, regions in store.regions.items() if region in regions), "")


def limits(store: Store, config: TierConfig, facts: BackendFacts, used: Relied) -> Limits:
    """The account's limits in its region, as raised where the stack says so."""
    group = group_of(store, option(config.options, "region", str))
    raised = option(config.options, "quota_raised", Bandwidth)
    quotas = {name: _row(store, facts, name, group) for name in ("read_quota", "write_quota")}
    requests = {name: _row(store, facts, name, group) for name in ("read_requests", "write_requests")}

    def quota(name: str) -> Bandwidth | None:
        row = quotas[name]
        if row is None:
            return None
        return used.quantity(Bandwidth, row) if raised is None else raised

    return Limits(
        read=quota("read_quota"),
        write=quota("write_quota"),
        read_requests=used.quantity(OpRate, requests["read_requests"] or "read_requests"),
        write_requests=used.quantity(OpRate, requests["write_requests"] or "write_requests"),
        request_size=used.quantity(Size, "request_size"),
        facts=tuple(facts.fact(row) for row in quotas.values() if row is not None),
    )


def _row(store: Store, facts: BackendFacts, name: str, group: str) -> str | None:
    """The figure of this group of regions, else of all; None where the service publishes none."""
    rows = {end: facts.fact(f"{name}{end}") for end in _groups(store) if f"{name}{end}" in facts.figures}
    found = rows.get(group, rows.get(""))
    return None if found is None else found.name


def _groups(store: Store) -> tuple[str, ...]:
    return ("", *(f"_{group}" for group in store.regions))


def spread(store: Store, config: TierConfig) -> int:
    """Over how many request rates the keys are spread: prefixes, where each has its own."""
    prefixes = option(config.options, "prefixes", int)
    return max(0, prefixes) if store.requests_per == "prefix" and prefixes is not None else 1


def rates(store: Store, config: TierConfig, need: TierNeed, known: Limits, used: Relied) -> Rates:
    """The least of what the account may move, what its requests carry and what the GPU nodes take."""
    prefixes, clients = spread(store, config), need.clients
    most = used.quantity(Bandwidth, "client_bandwidth")
    share = used["client_port_share"]
    client = client_ceiling(clients, read_share=share, write_share=share, most_read=most, most_write=most)
    by_requests: LimitedBy = "protocol" if store.requests_per == "prefix" else "quota"

    def least(requests: OpRate, quota: Bandwidth | None, one_client: Bandwidth) -> tuple[Bandwidth, LimitedBy]:
        carried = request_bandwidth(requests, request_size=known.request_size, prefixes=prefixes)
        ceilings: list[tuple[Bandwidth, LimitedBy]] = [(carried, by_requests)]
        if quota is not None:
            ceilings.insert(0, (quota, "quota"))
        ceilings.append((one_client * clients.gpu_nodes, "clients"))
        return min(ceilings, key=lambda ceiling: ceiling[0])

    read, read_by = least(known.read_requests, known.read, client.read)
    write, write_by = least(known.write_requests, known.write, client.write)
    return Rates(
        read=read,
        write=write,
        op_rate=min(known.read_requests, known.write_requests) * prefixes,
        read_limited_by=read_by,
        write_limited_by=write_by,
        op_rate_limited_by=by_requests,
        client=min(client.read, client.write),
    )
