"""What Lustre's templates read: targets with their servers, partners and drives, file layout, network names."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tierplan.backends import TemplateValue
from tierplan.backends._beside import named_servers
from tierplan.backends._choosing import option
from tierplan.domain.tiers import TierPlan
from tierplan.units import Size

STRIPE_SIZE = Size(4.0 * 2**20)
OLD_NET = {"tcp": "tcp"}  # InfiniBand and RoCE both use the o2ib driver


def context(
    plan: TierPlan, hosts: Mapping[str, object], *, backfs: str, paired: bool, appliance: str | None
) -> Mapping[str, TemplateValue]:
    """
    What the set-up commands need.

    names:     fsname, backfs, net (``o2ib`` or ``tcp``), nid_suffix, mgs_nids (of mounts and --mgsnode), paired, hsm,
               appliance (its vendor sets the servers up; empty for own servers)
    servers:   mds (name, address, drives of each), mds_drives, mds_examples (what of them is an example)
    targets:   osts_per_oss, osts, mdts, group_width, data_units, parity_units, hot_spares,
               chunk_kib, stride, stripe_width_blocks (blocks of 4 KiB)
    layout:    stripe_size_kib, stripe_count, wide_count, dom_kib (0: no data on MDT)
    client:    rpc_pages (of 4 KiB), rpcs_in_flight
    """
    config, parts = plan.config, {name: int(count) for name, count in plan.delivered.parts.items()}
    servers, missing = named_servers(config, "mds", count=parts["mds_servers"], drives=parts["mds_drives"])
    dom = option(config.options, "dom", Size)
    small = parts["dom_kib"] if dom is None else round(dom.bytes / 2**10)
    stripe_size = option(config.options, "stripe_size", Size) or STRIPE_SIZE
    net = OLD_NET.get(plan.need.clients.transport, "o2ib")
    managers = servers[: 2 if paired else 1]
    return {
        **parts,
        "fsname": option(config.options, "fsname", str) or plan.need.tier,
        "backfs": backfs,
        "net": net,
        "nid_suffix": f"@{net}",
        "mgs_nids": ":".join(f"{one['address']}@{net}" for one in managers),
        "paired": paired,
        "appliance": appliance or "",
        "hsm": option(config.options, "hsm", bool) or False,
        "mds": servers,
        "mds_examples": missing,
        "group_width": config.layout.width,
        "data_units": config.layout.data_units,
        "parity_units": config.layout.parity_units,
        "hot_spares": config.layout.hot_spares,
        "stripe_size_kib": math.ceil(stripe_size.bytes / 2**10),
        "dom_kib": small,
        "rpc_pages": 4096,
        "rpcs_in_flight": 32,
        "hosts": hosts,
        "wide_count": min(4, max(1, parts["osts"])),
        "volume_gib": math.floor(plan.delivered.planned.bytes / 2**30),
        "host_needs": ["ports", "drives"],
    }
