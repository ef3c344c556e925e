"""What Ceph's products share: OSD hosts, pools with codes or copies, room for one host's recovery."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from tierplan.backends import _rules as rules
from tierplan.backends._choosing import Relied, configured, most, nodes_to_try, pinned_layout
from tierplan.backends._sizing import Ceiling, Model, counts
from tierplan.backends._space import EvenSpace, code_step, failure_domains
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, Survive, TierPins
from tierplan.domain.tiers import Illegal, Layout, TierConfig
from tierplan.layout import erasure, placement
from tierplan.units import Bandwidth, Size


def tried(
    backend: str,
    layouts: tuple[Layout, ...],
    *,
    need: TierNeed,
    pins: TierPins,
    site: Site,
    facts: BackendFacts,
    model: Callable[[TierConfig], Model],
) -> Iterator[TierConfig]:
    """Each layout on each node, or the pinned ones, once; sized for the need by the product's own model."""
    seen: set[tuple[object, Layout]] = set()
    for node, code in product(nodes_to_try(pins.node, facts), layouts):
        layout = laid_out(code, need, pins, racks=site.racks)
        if (node, layout) in seen:
            continue
        seen.add((node, layout))
        config = configured(backend, need, pins, site, node=node, layout=layout, nodes=pins.nodes or 0)
        if pins.nodes is None:
            config = replace(config, nodes=most(counts(model(config), need, racks=site.racks)))
        yield config


def network_factors(layout: Layout, *, through_gateway: bool) -> erasure.Factors:
    """Crossings of the hosts' network for each client byte, for a code or for copies."""
    if layout.kind == "erasure-code" and layout.data_units > 0:
        return erasure.network_factors(
            data_units=layout.data_units, parity_units=layout.parity_units, through_gateway=through_gateway
        )
    return erasure.replica_network_factors(replicas=max(1, layout.replicas), through_gateway=through_gateway)


def core_bandwidth(*, cores: float, cores_per_gb_s: float) -> Bandwidth:
    """
    What the cores of one host carry through OSDs, and the gateway where there is one.

    Formula:  cores / cores_per_gb_s
    Assumes:  cores of the measured kind; a code costs no more than three copies did
    Source:   ceph.io blog, Reef Freeze RGW performance, 2023 (2026-11-29)

    >>> core_bandwidth(cores=27, cores_per_gb_s=2.7).show()
    '10 GB/s'
    """
    return Bandwidth(max(0.0, cores) / cores_per_gb_s * 1e9)


def media(config: TierConfig, used: Relied) -> Ceiling:
    """The drives of one host: no more than their own rate and no more than one OSD was seen to give."""
    node, data_share = config.node, code_step(config.layout).fraction
    kind = "hdd" if node.medium == "hdd" else "flash"

    def of(drive: Bandwidth, most: Bandwidth) -> Bandwidth:
        return min(drive, most) * node.drives

    read, write = used.quantity(Bandwidth, f"{kind}_osd_read"), used.quantity(Bandwidth, f"{kind}_osd_write")
    read_high = used.quantity_high(Bandwidth, f"{kind}_osd_read")
    write_high = used.quantity_high(Bandwidth, f"{kind}_osd_write")
    return Ceiling(
        limited_by="media",
        read=of(node.drive.read, read),
        write=of(node.drive.write, write) * data_share,
        read_high=of(node.drive.read, read_high),
        write_high=of(node.drive.write, write_high) * data_share,
    )


def space(config: TierConfig, *, kept_hosts: int) -> EvenSpace:
    """
    Usable bytes, with the worth of one host kept free so that a lost host can be re-created.

    Formula:  usable = raw * (hosts - kept_hosts) / hosts * k / (k + m)
    Assumes:  before the near-full ratio, which is the product's full limit at planned fill
    Source:   github.com/ceph/ceph, doc/rados/operations (2026-11-29)
    """
    return EvenSpace(
        node_raw=config.node.raw,
        steps=(code_step(config.layout),),
        kept_free=kept_hosts,
        kept_name="free for recovery",
        kept_basis="derived",
    )


def serving(layout: Layout) -> int:
    """
    Failure domains that may be lost while reads and writes go on: Ceph stops a group below `min_size`.

    Formula:  m - 1 for a code (min_size = k + 1), replicas // 2 for copies (min_size = replicas - replicas // 2)
    Source:   github.com/ceph/ceph, doc/rados/operations/erasure-code.rst (2026-11-29)
    """
    return layout.replicas // 2 if layout.kind == "replicas" else max(0, layout.parity_units - 1)


def host_memory(*, osds: int, osd_memory: Size, margin: float) -> Size:
    """
    Memory of one OSD host.

    Formula:  osds * osd_memory * margin
    Source:   github.com/ceph/ceph, doc/start/hardware-recommendations.rst (2026-11-29)

    >>> host_memory(osds=24, osd_memory=Size(8e9), margin=1.2).show("GB", 4)
    '230.4 GB'
    """
    return osd_memory * (osds * margin)


def monitors(hosts: int, *, lost: int = 0) -> int:
    """
    Monitors of a cluster: an odd number, of which a majority is left after the losses; one on a host.

    Formula:  max(1 below 3 hosts, 3 below 10, else 5; 2 * lost + 1 where there are so many hosts)
    Assumes:  monitors spread over hosts and racks, so that each loss takes one
    Source:   github.com/ceph/ceph, doc/start/hardware-recommendations.rst: 3 or 5 (2026-11-29)

    >>> monitors(12), monitors(8), monitors(8, lost=2)
    (5, 3, 5)
    """
    usual = 1 if hosts < 3 else 3 if hosts < 10 else 5
    return max(usual, min(2 * lost + 1, hosts - (hosts + 1) % 2))


def pool_groups(config: TierConfig, used: Relied) -> int:
    """Placement groups of the data pool, which holds nearly everything."""
    target = int(used["target_groups_hdd" if config.node.medium == "hdd" else "target_groups_flash"])
    osds = config.nodes * config.node.drives
    return placement.placement_groups(osds=osds, size=config.layout.width, target=target)


def parts(config: TierConfig, used: Relied, survive: Survive | None = None) -> Mapping[str, float]:
    """Daemons and placement groups of the cluster."""
    lost = survive.nodes + survive.racks if survive else 0
    return {
        "osds": config.nodes * config.node.drives,
        "monitors": monitors(config.nodes, lost=lost),
        "managers": min(max(2, lost + 1), max(1, config.nodes)),
        "placement_groups": pool_groups(config, used),
        "nearfull_fraction": used["nearfull_fraction"],
        "osd_memory_target_gib": used["osd_memory_target_gib"],
    }


def laid_out(layout: Layout, need: TierNeed, pins: TierPins, *, racks: int) -> Layout:
    """A layout to try, over racks where racks must be survived and there are enough, with the pins laid over."""
    by_rack = need.survive.racks > 0 and racks >= layout.width
    return pinned_layout(replace(layout, failure_domain="rack" if by_rack else "node"), pins)


def layout_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What Ceph forbids about a pool's layout, and what its documentation advises against."""
    layout, rule, name = config.layout, f"{config.tier}-layout", config.backend
    if layout.kind == "none" or (layout.kind == "replicas" and layout.replicas < 2):
        yield Illegal(
            policy=rule,
            message=f"{name}: {layout}; a pool needs a code or at least two copies",
            remedy="write data_units: 4, parity_units: 2, or replicas: 3",
        )
        return
    if layout.kind == "erasure-code" and (layout.data_units < 2 or layout.parity_units < 1):
        yield Illegal(
            policy=rule,
            message=f"{name}: {layout}; a code has at least 2 data units and 1 parity unit",
            remedy="write data_units: 4, parity_units: 2",
        )
        return
    yield from tuple(rules.stripe_too_wide(config, narrower=_narrower(config))) or _layout_advice(config, used)


def _narrower(config: TierConfig) -> str:
    domains = failure_domains(config)
    return next((f"{k}+{m}" for k, m in ((8, 3), (4, 2), (2, 2), (2, 1)) if k + m <= domains), "")


def _layout_advice(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    layout, domains, name = config.layout, failure_domains(config), config.backend
    if domains < layout.width + 1:
        yield rules.advice(
            f"{name}: {domains} failure domains hold {layout}, but a lost one cannot be re-created",
            remedy=f"add 1 {layout.failure_domain}",
            required=layout.width + 1,
            planned=domains,
        )
    if layout.failure_domain == "drive":
        yield rules.advice(
            f"{name}: failure domain drive; one lost node can take several units of a stripe",
            remedy="write failure_domain: node",
            required=None,
            planned=None,
        )
    most = int(used["most_data_units"])
    if layout.kind == "erasure-code" and layout.data_units > most:
        yield rules.advice(
            f"{name}: {layout.data_units} data units; more than {most} are discouraged",
            remedy=f"write data_units: {most}",
            required=most,
            planned=layout.data_units,
        )
    if layout.tolerated < 2:
        yield rules.advice(
            f"{name}: {layout} bears one loss only, and none while it recovers",
            remedy="write parity_units: 2, or replicas: 3",
            required=2,
            planned=layout.tolerated,
        )
    if layout.hot_spares > 0:
        yield rules.advice(
            f"{name}: {layout.hot_spares} hot spares; Ceph has none and recovers into free room, kept already",
            remedy="leave out hot_spares",
            required=0,
            planned=layout.hot_spares,
        )


def node_faults(config: TierConfig, used: Relied, *, extra_cores: int, because: str) -> Iterator[Illegal]:
    """What an OSD host must have: a core for each OSD, memory, drives and ports."""
    node = config.node
    cores = math.ceil(node.drives * used["cores_per_osd"] + extra_cores + used["system_cores"])
    memory = host_memory(osds=node.drives, osd_memory=used.quantity(Size, "osd_memory"), margin=used["memory_margin"])
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, cores, because=f"{node.drives} OSDs, {because} and the system")
    yield from rules.too_little_memory(config, memory, because=f"{node.drives} OSDs")
