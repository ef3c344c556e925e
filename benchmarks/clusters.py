"""Clusters of any size to plan for: the demo stack, stretched."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml

import tierplan
from tierplan.load import stack_from_document
from tierplan.plan.search import forget_searches

if TYPE_CHECKING:
    from tierplan.domain.plan import Plan
    from tierplan.domain.stack import Stack

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "stacks" / "Pulumi.demo.yaml"

Block = dict[str, object]


def stretched(*, gpus: int, hot: Block) -> Stack:
    """The demo's workload on a cluster of `gpus`, in nodes of eight, with these choices for the hot tier."""
    read: dict[str, Block] = yaml.safe_load(DEMO.read_text(encoding="utf-8"))
    form = {key.removeprefix("tierplan:"): value for key, value in read["config"].items()}
    cast("Block", form["cluster"])["gpu_nodes"] = gpus // 8
    training = cast("list[Block]", form["workloads"])[0]
    training["gpus"] = gpus
    training["parallelism"] = {
        "tensor": min(8, gpus),
        "pipeline": 1,
        "data": gpus // min(8, gpus),
        "sharding": "zero-3",
    }
    cast("Block", form["tiers"])["hot"] = hot
    return stack_from_document(form, name=f"{gpus}-gpus", where=f"{gpus} GPUs")


def planned(stack: Stack) -> Plan:
    """The plan, with nothing kept from the one before."""
    forget_searches()
    return tierplan.make_plan(stack, tierplan.catalogue())
