"""
The fabric of a chosen plan in a warm process: closed form, and max-flow by networkx over its classes.

For 16,384 GPUs; beside it a cluster of 1,024 and one of 100,000, since the classes do not grow with it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import tierplan
from clusters import stretched
from pairs import Bar, interleaved, ratio, report
from tierplan.fabric import fabric_plan, graph, topology_of

if TYPE_CHECKING:
    from tierplan.domain.fabric import Direction
    from tierplan.domain.plan import Plan

FEW, GPUS, MANY = 1024, 16_384, 100_000
DIRECTIONS: tuple[Direction, ...] = ("read", "write")


def main(rounds: int = 100) -> int:
    """Measure and print."""
    catalogue = tierplan.catalogue()
    stacks = {gpus: stretched(gpus=gpus, hot={"backend": "weka"}) for gpus in (FEW, GPUS, MANY)}
    plans = {gpus: tierplan.make_plan(stack, catalogue) for gpus, stack in stacks.items()}
    figures = catalogue.figures("fabric")

    def closed() -> None:
        plan = plans[GPUS]
        fabric_plan(plan.stack, plan.requirement, plan.tiers, figures)

    def flows(plan: Plan) -> None:
        """From the tiers to the max-flow of each tier, both ways."""
        topology = topology_of(plan.stack, plan.requirement, plan.tiers, figures)
        for tier in ("hot", "cold") if topology else ():
            for direction in DIRECTIONS:
                network = graph.by_class(topology, tier, direction) if topology else None
                if network is not None:
                    graph.maximum(network)

    seconds = interleaved(
        {
            "closed_form": closed,
            "max_flow": lambda: flows(plans[GPUS]),
            "max_flow_few": lambda: flows(plans[FEW]),
            "max_flow_many": lambda: flows(plans[MANY]),
        },
        rounds=rounds,
    )
    times = ratio(seconds, "max_flow_many", "max_flow_few")
    return report(
        "fabric",
        seconds,
        Bar(text="max-flow of the chosen plan: 20 ms", met=min(seconds["max_flow"]) <= 0.020),
        Bar(text="closed form on the path of a plan: 0.5 ms", met=min(seconds["closed_form"]) <= 0.0005),
        Bar(text="100,000 GPUs within 2 x 1,024", met=times <= 2),
        ratio=times,
    )


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
