"""The GPU nodes' own NVMe drives: one striped array on each node, no protection, gone with the node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue
from tierplan.backends._choosing import NO_NODE, OptionKind, Relied, configured, option_faults, pinned_node
from tierplan.backends._sizing import Ceiling, Model, delivered, lowest
from tierplan.backends._space import EvenSpace
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Factor, Layout, TierConfig, TierPlan
from tierplan.units import Bandwidth, OpRate

OPTIONS: Mapping[str, OptionKind] = {}


def array_bandwidth(drive: Bandwidth, *, drives: int, array_fraction: float) -> Bandwidth:
    """
    What a striped array of one node gives.

    Formula:  drive * drives * array_fraction
    Assumes:  `drive` is a data-sheet rate, of which arrays reach a part only
    Source:   DeepSpeed DeepNVMe, blogs/deepnvme/06-2025 (2026-11-29)

    >>> array_bandwidth(Bandwidth(6.5e9), drives=4, array_fraction=0.385).show()
    '10 GB/s'
    """
    return drive * (drives * array_fraction)


def model(config: TierConfig, used: Relied) -> Model:
    """The figures of the nodes' arrays."""
    node = config.node

    def array(drive: Bandwidth, fraction: float) -> Bandwidth:
        return array_bandwidth(drive, drives=node.drives, array_fraction=fraction)

    media = Ceiling(
        limited_by="media",
        read=array(node.drive.read, used["array_read_fraction"]),
        write=array(node.drive.write, used["array_write_fraction"]),
        read_high=array(node.drive.read, used.high("array_read_fraction")),
        write_high=array(node.drive.write, used.high("array_write_fraction")),
    )
    formatting = Factor(name="file system", fraction=1 - used["formatting_fraction"], basis="assumed")
    op_rate = used.quantity(OpRate, "node_op_rate") if node.drives > 0 else OpRate.zero()
    return Model(
        node=lowest(media, op_rate=op_rate),
        space=EvenSpace(node_raw=node.raw, steps=(formatting,)),
        least={},
        loses_its_part=True,
    )


class LocalNvme:
    """The local tier: nothing is chosen, the cluster's nodes are what they are."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:  # noqa: ARG002  # the protocol's
        """The one configuration there is: the drives of the GPU nodes, as the pins give them."""
        node = NO_NODE if pins.node is None else pinned_node(NO_NODE, pins.node)
        nodes = need.clients.gpu_nodes if pins.nodes is None else pins.nodes
        yield configured("local-nvme", need, pins, site, node=node, layout=Layout(kind="none"), nodes=nodes)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What the local drives of all GPU nodes give together; a node takes its part with it."""
        used = Relied(facts)
        figures = model(config, used)
        illegal = tuple(option_faults(config, OPTIONS))
        if config.node.drives < 1:
            notes: tuple[str, ...] = ("the GPU nodes have no local data drives",)
        else:
            notes = ("what lies on a local drive is lost with its node; only what exists elsewhere may lie there",)
        return delivered(config, need, figures, illegal=illegal, assumptions=used.lines(config.node), notes=notes)

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """What the array's set-up needs: nodes, drives_per_node, usable_gib_per_node, hosts."""
        nodes = max(1, plan.config.nodes)
        return {
            "nodes": plan.config.nodes,
            "drives_per_node": plan.config.node.drives,
            "usable_gib_per_node": int(plan.delivered.usable.bytes / nodes / 2**30),
            "hosts": hosts,
        }


BACKEND: Backend = LocalNvme()
