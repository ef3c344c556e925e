"""What Storage Scale's templates need: recovery groups, codes and blocks as mmvdisk spells them, tuning."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tierplan.backends import TemplateValue
from tierplan.backends import _scale as scale
from tierplan.backends._choosing import option
from tierplan.backends._scale_space import scale_name
from tierplan.backends._scale_words import APPLIANCES, SAN, SERVERS, Settings, settings
from tierplan.domain.tiers import TierConfig, TierPlan


def context(plan: TierPlan, hosts: Mapping[str, object]) -> dict[str, TemplateValue]:
    """By name; `StorageScale.template_context` says what each is."""
    config, chosen, parts_ = plan.config, settings(plan.config), plan.delivered.parts
    code = scale.code_of(config.layout)
    own, percent = chosen.own_metadata, int(parts_.get("metadata_percent", 0))
    raised = option(config.options, "spare_drives", int) is not None or config.layout.hot_spares > 0
    server_mb = config.node.network.bytes_per_s / 1e6
    return {
        **{name: int(count) for name, count in parts_.items()},
        "nodes": config.nodes,
        "groups": _groups(config, chosen),
        "code": code.name if code is not None else scale_name(config.layout),
        "failure_domain": config.layout.failure_domain,
        "block": _block_text(chosen.block),
        "meta_block": "1M",
        "data_percent": 100 - percent if own else 100,
        "metadata_percent": percent,
        "own_metadata": own,
        "spare_pdisks": int(parts_.get("spare_drives_in_a_group", 0)) if raised else 0,
        "flash": config.node.medium != "hdd",
        "san": chosen.appliance == SAN,
        "appliance": chosen.appliance or "",
        "filesystem_name": "hot",
        "data_pool": "data" if own else "system",
        "mount_point": "/gpfs/hot",
        "max_block": "16M",
        "planned_gib": math.floor(plan.delivered.planned.bytes / scale.GIB),
        "rdma": plan.need.clients.transport != "tcp",
        "roce": plan.need.clients.transport == "roce",
        # twice the node's network, IBM's lists and vendor runs agree on the order of magnitude
        "server_max_mb_per_s": min(50000, round(2 * server_mb)),
        "client_max_mb_per_s": min(30000, round(2 * plan.need.clients.network.bytes_per_s / 1e6)),
        "pagepool_gib": max(16, math.floor(config.node.memory.bytes / scale.GIB / 2)),
        "client_pagepool_gib": 32,
        "drives_per_node": config.node.drives,
        "ports_per_node": config.node.ports,
        "hosts": hosts,
        "host_needs": ["ports", "drives"],
    }


def _groups(config: TierConfig, chosen: Settings) -> list[dict[str, TemplateValue]]:
    """Servers of each recovery group: dealt out in turn, so that each spans the racks; appliances as they come."""
    number = sum(count for _, count in scale.group_sizes(config.nodes, largest=chosen.largest_group))
    places = range(config.nodes)
    dealt = chosen.appliance not in APPLIANCES
    return [
        {
            "name": f"rg{index + 1}",
            "node_class": f"nc{index + 1}",
            "members": [place for place in places if (place % number if dealt else place // SERVERS) == index],
        }
        for index in range(number)
    ]


def _block_text(block: int) -> str:
    return f"{block // scale.MIB}M" if block >= scale.MIB else f"{block // scale.KIB}K"
