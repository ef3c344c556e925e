"""What a tier is made of, as far as it is paid for."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.domain.tiers import BillItem, Delivered, TierConfig

WITH_FEE = {"storage-scale", "weka", "vast", "beegfs"}
"""Products whose planned features ask for a licence or support contract; the others are free to run."""
PER_TB = 1e12


def tier_bill(config: TierConfig, delivered: Delivered) -> tuple[BillItem, ...]:
    """
    Nodes, drives, licence and power of storage nodes; of a managed service what its backend says.

    The local tier is bought with the GPU nodes: nothing of it is counted here.
    """
    if config.tier == "local":
        return ()
    if delivered.cloud is not None:
        return delivered.bill
    return (*_hardware(config, delivered), *_running(config, delivered), *delivered.bill)


def _hardware(config: TierConfig, delivered: Delivered) -> Iterator[BillItem]:
    node, nodes = config.node, float(config.nodes)
    yield BillItem(items=(f"node.{config.backend}", "node.storage"), quantity=nodes, per="node")
    yield BillItem(items=(f"drive.{node.medium}",), quantity=node.raw.base * nodes / PER_TB, per="TB")
    if delivered.beside:
        yield BillItem(items=("node.beside",), quantity=float(delivered.beside), per="node")


def _running(config: TierConfig, delivered: Delivered) -> Iterator[BillItem]:
    if config.backend in WITH_FEE:
        usable = delivered.usable.base / PER_TB
        yield BillItem(items=(f"licence.{config.backend}",), quantity=usable, per="TB-year")
    machines = float(config.nodes + delivered.beside)
    yield BillItem(items=("power.node",), quantity=machines, per="node-year")
