"""What Storage Scale forbids or advises about counts, codes, blocks, spares and servers."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.backends import _rules as rules
from tierplan.backends import _scale as scale
from tierplan.backends._choosing import Relied, option
from tierplan.backends._scale_space import GroupedSpace, needs_a_spare_for_each_node
from tierplan.backends._space import failure_domains
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import Bandwidth, Size


def layout_faults(config: TierConfig, space: GroupedSpace, used: Relied) -> Iterator[Illegal]:
    """Codes by node count, blocks, spares, the declustered array, vdisks."""
    code, layout = scale.code_of(config.layout), config.layout
    yield from rules.too_few_nodes(config, scale.FEWEST_SERVERS)
    if code is None or layout.failure_domain == "drive":
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: {layout} over {layout.failure_domain}s; allowed: {', '.join(scale.CODES)} over "
            "nodes or racks",
            remedy="write data_units: 8, parity_units: 3, or replicas: 3",
        )
        return
    yield from _tolerance_faults(config, code)
    yield from _block_faults(config, code, space)
    yield from _spare_faults(config, code, space)
    yield from _group_faults(config, code, used)


def _tolerance_faults(config: TierConfig, code: scale.Code) -> Iterator[Illegal]:
    """By the smallest recovery group: what IBM does not recommend, and a stripe that cannot be rebuilt elsewhere."""
    domains = fewest_in_a_group(config)
    fewest = scale.fewest_domains(data=code.data, parity=code.parity, survived=1)
    kind = config.layout.failure_domain
    if scale.not_recommended(domains, data=code.data, parity=code.parity):
        nodes, drives = scale.tolerance(domains, data=code.data, parity=code.parity)
        message = (
            f"storage-scale: {code.name} over {domains} {kind}s survives {nodes} {kind}s and {drives} drives; "
            f"not recommended below 1 {kind} and 1 drive"
        )
        fitting = next((word for word, one in _by_efficiency() if _fits(one, domains)), "")
        remedy = f"use {fewest} {kind}s or more" + (f", or code {fitting}" if fitting else "")
        # IBM's cells were seen up to 5 nodes; above, the rule is inferred
        policy = f"{config.tier}-layout" if domains <= 5 else "advice-narrow-layout"
        yield rules.advice(message, remedy=remedy, required=fewest, planned=domains, policy=policy)
    elif domains < code.data + code.parity + 1 and code.data > 1:
        wanted = code.data + code.parity + 1
        yield rules.advice(
            f"storage-scale: {code.name} over {domains} {kind}s does not come back to full tolerance after one is lost",
            remedy=f"use {wanted} {kind}s or more, or replace a lost one at once",
            required=wanted,
            planned=domains,
        )


def _by_efficiency() -> list[tuple[str, scale.Code]]:
    return sorted(scale.CODES.items(), key=lambda item: -item[1].data / (item[1].data + item[1].parity))


def _fits(code: scale.Code, domains: int) -> bool:
    return not scale.not_recommended(domains, data=code.data, parity=code.parity)


def _block_faults(config: TierConfig, code: scale.Code, space: GroupedSpace) -> Iterator[Illegal]:
    block = space.block / scale.MIB
    if block not in code.blocks_mib:
        words = ", ".join(Size(one * scale.MIB).text() for one in code.blocks_mib)
        nearest = min(code.blocks_mib, key=lambda one: abs(one - block))
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: blocks of {Size(space.block * 1.0).text()} with {code.name}; allowed: {words}",
            remedy=f'write block_size: "{Size(nearest * scale.MIB).text()}"',
            required=nearest * scale.MIB,
            planned=space.block,
            unit="bytes",
        )
    most = {4: 2, 8: 4}.get(code.data, 16)
    if space.flash and block > most:
        yield rules.advice(
            f"storage-scale: blocks of {block:g} MiB with {code.name} on flash; at most {most} MiB are advised",
            remedy=f'write block_size: "{most} MiB"',
            required=most,
            planned=block,
        )


def _spare_faults(config: TierConfig, code: scale.Code, space: GroupedSpace) -> Iterator[Illegal]:
    nodes, drives = smallest_group(config), config.node.drives
    if nodes < 1 or drives < 1:
        return
    spares, default = space.spares(nodes), scale.default_spares(nodes, drives=drives)
    if not int(default) <= spares <= max(2 * drives, default):
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: {spares:g} spare drives in a group of {nodes} servers; "
            f"allowed: {int(default)} (what mmvdisk sets aside) to {2 * drives}",
            remedy=f"write spare_drives: {int(min(max(spares, default), 2 * drives))}, or leave it out",
            required=int(default),
            planned=spares,
        )
    fewest = scale.fewest_drives(data=code.data, parity=code.parity, spares=spares)
    if nodes * drives < fewest:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: {nodes * drives} drives in a declustered array; {code.name} needs {fewest:g}",
            remedy="add servers or drives, or take a narrower code",
            required=fewest,
            planned=nodes * drives,
        )
    if needs_a_spare_for_each_node(nodes, config.layout) and spares < nodes:
        yield rules.advice(
            f"storage-scale: {spares:g} spare drives; {code.name} on {nodes} servers keeps its tolerance after a "
            f"drive's rebuild with {nodes} or more",
            remedy=f"write spare_drives: {nodes}",
            required=nodes,
            planned=spares,
        )


def _group_faults(config: TierConfig, code: scale.Code, used: Relied) -> Iterator[Illegal]:
    nodes, sets, most = smallest_group(config), vdisk_sets(config), int(used["most_vdisks"])
    largest = next(iter(scale.group_sizes(config.nodes)), (nodes, 1))[0]
    count = scale.vdisks(largest, sets=sets)
    if sets < 1 or count > most:
        allowed = max(1, (most - 1) // (2 * max(1, largest)) - 1)
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: {sets} vdisk sets make {count} vdisks on {largest} servers of one recovery group; "
            f"allowed: {most}",
            remedy=f"write vdisk_sets: {allowed} or fewer",
            required=most,
            planned=count,
        )
    if config.nodes > used["most_servers"]:
        yield rules.advice(
            f"storage-scale: {config.nodes} storage nodes; above {used['most_servers']:g} ask the vendor",
            remedy="plan several clusters that mount each other's file systems, or larger nodes",
            required=used["most_servers"],
            planned=config.nodes,
            policy="advice-node",
        )
    if config.layout.failure_domain == "rack" and failure_domains(config) < 3:
        fewest = scale.fewest_domains(data=code.data, parity=code.parity, survived=1)
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"storage-scale: {failure_domains(config)} racks as failure domains; {code.name} wants {fewest}",
            remedy=f"spread the servers over {fewest} racks or write failure_domain: node",
            required=fewest,
            planned=failure_domains(config),
        )


def smallest_group(config: TierConfig) -> int:
    """Servers of the smallest recovery group."""
    sizes = scale.group_sizes(config.nodes)
    return sizes[-1][0] if sizes else 0


def fewest_in_a_group(config: TierConfig) -> int:
    """Failure domains of the smallest recovery group."""
    nodes = smallest_group(config)
    return min(config.racks, nodes) if config.layout.failure_domain == "rack" else nodes


def vdisk_sets(config: TierConfig) -> int:
    """Vdisk sets of a recovery group: of data as the stack says, and one of metadata where it has its own."""
    sets = option(config.options, "vdisk_sets", int)
    own_metadata = option(config.options, "metadata", str) != "with-data"
    return (1 if sets is None else sets) + own_metadata


def node_faults(config: TierConfig, used: Relied) -> Iterator[Illegal]:
    """What IBM's readiness check asks of a server."""
    node, rule = config.node, f"{config.tier}-node"
    yield from rules.nothing_in_it(config)
    yield from rules.too_few_cores(config, int(used["least_cores"]), because="the servers of a recovery group")
    yield from rules.too_little_memory(config, used.quantity(Size, "least_memory"), because="its servers")
    most, advised = int(used["most_drives"]), int(used["advised_drives"])
    if node.drives > most:
        yield Illegal(
            policy=rule,
            message=f"storage-scale: {node.drives} drives a node; at most {most}",
            remedy=f"use nodes with {most} drives or fewer",
            required=most,
            planned=node.drives,
        )
    elif node.drives > advised:
        yield rules.advice(
            f"storage-scale: {node.drives} drives a node; documented to {advised}, later tools accept {most}",
            remedy=f"use nodes with {advised} drives, or ask the vendor",
            required=advised,
            planned=node.drives,
            policy="advice-node",
        )
    slowest = used.quantity(Bandwidth, "least_port_rate")
    if node.ports > 0 and node.port_rate < slowest:
        yield Illegal(
            policy=rule,
            message=f"storage-scale: ports of {node.port_rate.show()}; at least {slowest.show()} (25 Gbit/s)",
            remedy="use ports of 25 Gbit/s or more",
            required=slowest.base,
            planned=node.port_rate.base,
            unit="bytes_per_s",
        )
    least = used.quantity(Size, "least_drive")
    if node.drives > 0 and node.drive.size < least:
        yield Illegal(
            policy=rule,
            message=f"storage-scale: drives of {node.drive.size.show()}; those that hold log homes take {least.show()}",
            remedy="use larger drives",
            required=least.bytes,
            planned=node.drive.size.bytes,
            unit="bytes",
        )
