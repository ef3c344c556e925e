"""Everything that the demand side notices: rules that fire without any tier being known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.demand.advice_cluster import cluster_advice, load_advice, session_advice
from tierplan.demand.advice_data import dataset_advice
from tierplan.demand.advice_training import training_advice
from tierplan.demand.noticed import Seen
from tierplan.demand.sheet import Asked
from tierplan.domain.figures import Figure
from tierplan.domain.need import Advice
from tierplan.domain.stack import KvCache, ModelLoad, Stack, Training


def advice(stack: Stack, figures: Mapping[str, Figure], asked: Asked) -> tuple[Advice, ...]:
    """All advice on a stack, workload by workload, then on the cluster."""
    return tuple(_advice(Seen(stack=stack, figures=figures, asked=asked)))


def _advice(seen: Seen) -> Iterator[Advice]:
    for work in seen.stack.workloads:
        match work:
            case Training():
                yield from training_advice(seen, work)
                yield from dataset_advice(seen, work)
            case ModelLoad():
                yield from load_advice(seen, work)
            case KvCache():
                yield from session_advice(seen, work)
            case _:
                pass
    yield from cluster_advice(seen)
