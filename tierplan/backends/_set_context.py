"""What the templates of MinIO and RustFS need: addresses as the server reads them, and the plan's figures."""

from __future__ import annotations

from collections.abc import Mapping

from tierplan.backends import TemplateValue, _sets
from tierplan.backends._choosing import option
from tierplan.domain.tiers import TierPlan

S3_PORT, CONSOLE_PORT = 9000, 9001


def set_context(plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG001  # the protocol's
    """
    What the units, the compose file and the Kubernetes manifests need.

    hosts:    nodes, drives_per_server, host_needs
    sets:     pools (list of first, last: numbers of the servers in the order of their names), servers_per_pool,
              sets, drives_per_set, parity_drives, write_quorum_drives, servers_lost_readable,
              servers_lost_writable, set_drive_count (0 where the server decides)
    names:    host_prefix (servers are host_prefix1 … host_prefixN in a domain of their own), drive_prefix,
              s3_port, console_port, bucket, versioning
    """
    config, parts = plan.config, plan.delivered.parts
    count = max(1, int(parts["pools"]))
    each = config.nodes // count
    kept = ("sets", "drives_per_set", "parity_drives", "write_quorum_drives", "read_quorum_drives")
    lost = ("servers_lost_readable", "servers_lost_writable")
    return {
        **{name: int(parts[name]) for name in (*kept, *lost)},
        "nodes": config.nodes,
        "drives_per_server": config.node.drives,
        "medium": config.node.medium,
        "host_needs": ["drives"],
        "pools": [{"first": index * each + 1, "last": (index + 1) * each} for index in range(count)],
        "servers_per_pool": each,
        "set_drive_count": option(config.options, "set_drive_count", int) or 0,
        "host_prefix": f"{config.backend}-",
        "drive_prefix": "/mnt/drive",
        "s3_port": S3_PORT,
        "console_port": CONSOLE_PORT,
        "bucket": option(config.options, "bucket", str) or "tierplan-cold",
        "versioning": option(config.options, "versioning", bool) or False,
        "memory_gib": round(_sets.memory_advised(config.node.raw).bytes / 2**30),
        "drive_gib": int(config.node.drive.size.bytes * 0.99 // 2**30),
    }
