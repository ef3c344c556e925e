"""What every backend of the local tier shares: the arrays of the GPU nodes, and what software leaves of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tierplan.backends import TemplateValue
from tierplan.backends._beside import DRIVE
from tierplan.backends._choosing import NO_NODE, OptionKind, Relied, configured, option, option_faults, pinned_node
from tierplan.backends._sizing import Ceiling, Model, delivered, lowest
from tierplan.backends._space import EvenSpace
from tierplan.domain.facts import BackendFacts
from tierplan.domain.hosts import address_ok
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Factor, Illegal, Layout, LimitedBy, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate

REMOTE: Mapping[str, OptionKind] = {
    "targets": int,
    "ports": int,
    "port_rate": Bandwidth,
    "transport": str,
    "addresses": tuple,
}
COMMON: Mapping[str, OptionKind] = {"arrays": str, "drive_paths": tuple, "mount_point": str, "remote": REMOTE}
"""Words that every software takes: how the drives are put together, which they are, where; over NVMe-oF or not."""
ARRAYS = ("raid0", "per-drive")
MOUNT_POINT = "/local"
_PATH = re.compile(r"(/[A-Za-z0-9._-]+)+")


def array_bandwidth(drive: Bandwidth, *, drives: int, array_fraction: float) -> Bandwidth:
    """
    What the drives of one node give together.

    Formula:  drive * drives * array_fraction
    Assumes:  `drive` is a data-sheet rate, of which arrays reach a part only; file systems side by side do no better
    Source:   DeepSpeed DeepNVMe, blogs/deepnvme/06-2025 (2026-11-29)

    >>> array_bandwidth(Bandwidth(6.5e9), drives=4, array_fraction=0.385).show()
    '10 GB/s'
    """
    return drive * (drives * array_fraction)


def media(config: TierConfig, used: Relied) -> Ceiling:
    """The drives of one node."""
    node = config.node

    def array(drive: Bandwidth, fraction: float) -> Bandwidth:
        return array_bandwidth(drive, drives=node.drives, array_fraction=fraction)

    return Ceiling(
        limited_by="media",
        read=array(node.drive.read, used["array_read_fraction"]),
        write=array(node.drive.write, used["array_write_fraction"]),
        read_high=array(node.drive.read, used.high("array_read_fraction")),
        write_high=array(node.drive.write, used.high("array_write_fraction")),
    )


def reads_at_most(
    drives: Ceiling, limited_by: LimitedBy, read: Bandwidth, *, read_high: Bandwidth | None = None
) -> Ceiling:
    """A ceiling of the software on reads; what is written goes to the drives directly."""
    return Ceiling(
        limited_by=limited_by,
        read=read,
        write=drives.write,
        read_high=read if read_high is None else read_high,
        write_high=drives.write_high,
    )


def remote_bandwidth(*, network: Bandwidth, targets: int, ports: int, port_rate: Bandwidth, nodes: int) -> Bandwidth:
    """
    What one GPU node moves to and from drives over NVMe-oF, as far as ports carry it.

    Formula:  min(network, targets * ports * port_rate / nodes)
    Assumes:  every GPU node at once; what else the ports carry is not subtracted

    >>> remote_bandwidth(network=Bandwidth(50e9), targets=4, ports=2, port_rate=Bandwidth(25e9), nodes=16).show()
    '12.5 GB/s'
    """
    return min(network, port_rate * (max(0, targets) * max(0, ports) / nodes)) if nodes > 0 else Bandwidth.zero()


def remote(config: TierConfig) -> bool:
    """Whether the drives stand in targets behind a network."""
    return isinstance(config.options.get("remote"), Mapping)


def over_network(config: TierConfig, need: TierNeed, used: Relied) -> tuple[Ceiling, ...]:
    """The ports between a GPU node and its drives, where there are any between."""
    share = used["remote_network_share"]
    if not remote(config):
        return ()
    one = remote_bandwidth(
        network=need.clients.network,
        targets=option(config.options, "remote.targets", int) or 0,
        ports=option(config.options, "remote.ports", int) or 0,
        port_rate=option(config.options, "remote.port_rate", Bandwidth) or Bandwidth.zero(),
        nodes=config.nodes,
    )
    return (Ceiling(limited_by="node ports", read=one * share, write=one * share),)


def local_model(config: TierConfig, need: TierNeed, used: Relied, *ceilings: Ceiling, full_limit: float = 1.0) -> Model:
    """The figures of all GPU nodes: the arrays, below the software's own ceilings; a node takes its part with it."""
    node, drives = config.node, media(config, used)
    ceilings = (*over_network(config, need, used), *ceilings)
    formatting = Factor(name="file system", fraction=1 - used["formatting_fraction"], basis="assumed")
    op_rate = used.quantity(OpRate, "node_op_rate")
    return Model(
        node=lowest(drives, *ceilings, op_rate=op_rate if node.drives > 0 else OpRate.zero()),
        space=EvenSpace(node_raw=node.raw, steps=(formatting,)),
        least={},
        full_limit=full_limit,
        loses_its_part=True,
    )


def arrays(config: TierConfig, otherwise: str) -> str:
    """How the drives are put together: the stack's word, else the product's usual one."""
    word = option(config.options, "arrays", str)
    return word if word in ARRAYS else otherwise


def mount_point(config: TierConfig) -> str:
    """Where the local file system is mounted, or the folder of all of them."""
    word = option(config.options, "mount_point", str)
    return word if word is not None and path_ok(word) else MOUNT_POINT


def path_ok(path: str) -> bool:
    """
    Whether this is an absolute path of plain names.

    >>> path_ok("/nvme/cache"), path_ok("/"), path_ok("/a/../b"), path_ok("a; rm")
    (True, False, False, False)
    """
    return _PATH.fullmatch(path) is not None and not {".", ".."} & set(path.split("/"))


def directories(config: TierConfig, otherwise: str) -> list[str]:
    """The folders that software may fill: one, or one a drive."""
    top = mount_point(config)
    if arrays(config, otherwise) == "raid0":
        return [top]
    return [f"{top}/{index}" for index in range(config.node.drives)]


def word_fault(config: TierConfig, path: str, allowed: tuple[str, ...]) -> Iterator[Illegal]:
    """An option of several words that is none of them."""
    word = option(config.options, path, str)
    if word is not None and word not in allowed:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend}: {path} {word[:40]!r}; allowed: {', '.join(allowed)}",
            remedy=f"write {path}: {allowed[0]}",
        )


def range_fault(config: TierConfig, path: str, value: float | None, *, least: float, most: float) -> Iterator[Illegal]:
    """A number out of the range that the product takes."""
    if value is not None and not least <= value <= most:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend}: {path} {value:g}; allowed: {least:g} to {most:g}",
            remedy=f"write a value from {least:g} to {most:g}",
            required=least if value < least else most,
            planned=value,
        )


def path_fault(config: TierConfig, path: str) -> Iterator[Illegal]:
    """A folder that is no plain absolute path."""
    word = option(config.options, path, str)
    if word is not None and not path_ok(word):
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend}: {path} {word[:60]!r} is no absolute path of plain names",
            remedy=f"write {path}: {MOUNT_POINT}",
        )


def drive_faults(config: TierConfig) -> Iterator[Illegal]:
    """Words about the drives that cannot be meant."""
    yield from word_fault(config, "remote.transport", ("rdma", "tcp"))
    wrong = [
        one
        for one in option(config.options, "remote.addresses", tuple) or ()
        if not isinstance(one, str) or not address_ok(one)
    ]
    if wrong:
        message = f"{config.backend}: remote.addresses: {str(wrong[0])[:60]!r} is no IP address"
        yield Illegal(policy=f"{config.tier}-layout", message=message, remedy="write e.g. 10.10.0.11 for each target")
    yield from word_fault(config, "arrays", ARRAYS)
    yield from path_fault(config, "mount_point")
    paths = option(config.options, "drive_paths", tuple)
    if paths is None:
        return
    policy = f"{config.tier}-layout"
    wrong = [one for one in paths if not isinstance(one, str) or not DRIVE.fullmatch(one) or ".." in one]
    if wrong:
        message = f"{config.backend}: drive_paths: {str(wrong[0])[:60]!r} is no device path"
        yield Illegal(policy=policy, message=message, remedy="write e.g. /dev/nvme0n1, one for each drive")
    elif len(set(paths)) != config.node.drives:
        yield Illegal(
            policy=policy,
            message=f"{config.backend}: drive_paths names {len(set(paths))}; a GPU node has {config.node.drives}",
            remedy="name each data drive of a GPU node once",
            required=config.node.drives,
            planned=len(set(paths)),
        )


def drive_paths(config: TierConfig) -> tuple[list[str], bool]:
    """The data drives of a GPU node, and whether somebody named them."""
    words = [one for one in option(config.options, "drive_paths", tuple) or () if isinstance(one, str)]
    if len(words) == config.node.drives > 0:
        return words, True
    return [f"/dev/example{index}" for index in range(config.node.drives)], False


def _nothing(config: TierConfig, need: TierNeed, used: Relied) -> Iterator[Illegal]:
    del config, need, used
    yield from ()


def _no_notes(config: TierConfig, need: TierNeed, used: Relied) -> tuple[str, ...]:
    del config, need, used
    return ()


def _no_context(plan: TierPlan) -> Mapping[str, TemplateValue]:
    del plan
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalProduct:
    """One way to use the local drives: a backend out of what the software says of itself."""

    id: str
    options: Mapping[str, OptionKind]
    arrays: str
    """How the drives are put together where the stack says nothing."""
    model: Callable[[TierConfig, TierNeed, Relied], Model]
    faults: Callable[[TierConfig, TierNeed, Relied], Iterator[Illegal]] = _nothing
    notes: Callable[[TierConfig, TierNeed, Relied], tuple[str, ...]] = _no_notes
    context: Callable[[TierPlan], Mapping[str, TemplateValue]] = _no_context

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:  # noqa: ARG002  # the protocol's
        """The one configuration there is: the drives of the GPU nodes, as the pins give them."""
        node = NO_NODE if pins.node is None else pinned_node(NO_NODE, pins.node)
        nodes = need.clients.gpu_nodes if pins.nodes is None else pins.nodes
        yield configured(self.id, need, pins, site, node=node, layout=Layout(kind="none"), nodes=nodes)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What the local drives of all GPU nodes give together through this software."""
        used = Relied(facts)
        figures = self.model(config, need, used)
        illegal = (
            *option_faults(config, self.options),
            *drive_faults(config),
            *self.faults(config, need, used),
        )
        if remote(config):
            targets = option(config.options, "remote.targets", int) or 0
            behind = f"drives of {targets} NVMe-oF targets: a lost target takes the drives of its GPU nodes with it"
            notes: tuple[str, ...] = (behind, "what they carry passes the storage ports beside the hot tier's load")
            notes = (*notes, self._array_note(config), *self.notes(config, need, used))
        elif config.node.drives < 1:
            notes = ("the GPU nodes have no local data drives",)
        else:
            lost = "what lies on a local drive is lost with its node; only what exists elsewhere may lie there"
            notes = (lost, self._array_note(config), *self.notes(config, need, used))
        return delivered(config, need, figures, illegal=illegal, assumptions=used.lines(config.node), notes=notes)

    def _array_note(self, config: TierConfig) -> str:
        if arrays(config, self.arrays) == "raid0":
            return (
                f"one striped array of {config.node.drives} drives a node (RAID 0, XFS): a lost drive loses all of it"
            )
        return f"{config.node.drives} file systems a node, one a drive (XFS): a lost drive loses its own part"

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:  # noqa: ARG002  # the protocol's
        """
        What set-up of drives and software needs.

        drives:   nodes, drives_per_node, usable_gib_per_node, planned_bytes_per_node, arrays, drive_paths,
                  drives_named, mount_point, directories, chunk_kib, quota_percent, remote, transport, addresses
        software: what the product adds
        """
        nodes = max(1, plan.config.nodes)
        paths, named = drive_paths(plan.config)
        return {
            "nodes": plan.config.nodes,
            "drives_per_node": plan.config.node.drives,
            "usable_gib_per_node": int(plan.delivered.usable.bytes / nodes / 2**30),
            "planned_bytes_per_node": int(plan.delivered.planned.bytes / nodes),
            "arrays": arrays(plan.config, self.arrays),
            "drive_paths": paths,
            "drives_named": named,
            "mount_point": mount_point(plan.config),
            "directories": directories(plan.config, self.arrays),
            "chunk_kib": 512,
            "remote": remote(plan.config),
            "transport": option(plan.config.options, "remote.transport", str) or "rdma",
            "addresses": [
                one for one in option(plan.config.options, "remote.addresses", tuple) or () if isinstance(one, str)
            ],
            "quota_percent": 100,  # of what is cached, where the software leaves a part of its quota free
            **self.context(plan),
        }
