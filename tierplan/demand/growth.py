"""The cluster grows: the same stack as it stands in a later year."""

from __future__ import annotations

import math
from dataclasses import replace

from tierplan.demand import dataset_read
from tierplan.domain.figures import Known, Ledger
from tierplan.domain.stack import General, KvCache, ModelLoad, Stack, Training, Workload
from tierplan.errors import InputError
from tierplan.units import Bandwidth, OpRate, Size


def factor(*, grown_nodes: int, gpu_nodes: int) -> float:
    """
    How many times the cluster of today a later year has.

    Formula:  grown_nodes / gpu_nodes
    Assumes:  nodes of the same kind
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if there are no nodes today

    >>> factor(grown_nodes=256, gpu_nodes=128)
    2.0
    """
    if gpu_nodes <= 0:
        message = f"cluster.gpu_nodes: {gpu_nodes}; there is at least one"
        raise InputError(message)
    return grown_nodes / gpu_nodes


def grown_gpus(*, gpus: int, data: int, factor: float) -> int:
    """
    GPUs of one job in a grown cluster: the data-parallel degree grows in whole steps.

    Formula:  gpus / data * max(1, floor(data * factor))
    Assumes:  tensor and pipeline parallelism stay
    Source:   definition (checked 2026-11-29)
    Raises:   InputError if the data-parallel degree is zero

    >>> grown_gpus(gpus=1024, data=128, factor=2.0)
    2048
    """
    return gpus // data * grown_data(data=data, factor=factor) if data > 0 else _no_degree(data)


def grown_data(*, data: int, factor: float) -> int:
    """
    Data-parallel degree in a grown cluster.

    Formula:  max(1, floor(data * factor))
    Assumes:  whole replicas only
    Source:   definition (checked 2026-11-29)

    >>> grown_data(data=128, factor=1.5)
    192
    """
    return max(1, math.floor(data * factor + 1e-9))


def grown_count(*, count: int, factor: float) -> int:
    """
    Replicas, sessions or serving nodes in a grown cluster.

    Formula:  ceil(count * factor)
    Assumes:  they grow with the GPU nodes
    Source:   definition (checked 2026-11-29)

    >>> grown_count(count=50, factor=1.5)
    75
    """
    return math.ceil(count * factor - 1e-9)


def grown_number(*, number: float, factor: float) -> float:
    """
    A rate in a grown cluster.

    Formula:  number * factor
    Assumes:  it grows with the GPU nodes
    Source:   definition (checked 2026-11-29)

    >>> grown_number(number=20_000, factor=2.0)
    40000.0
    """
    return number * factor


def grown_rate(*, rate: OpRate, factor: float) -> OpRate:
    """
    Operations per second in a grown cluster.

    Formula:  rate * factor
    Assumes:  they grow with the GPU nodes
    Source:   definition (checked 2026-11-29)

    >>> grown_rate(rate=OpRate(20), factor=2.0).show()
    '40 ops/s'
    """
    return rate * factor


def grown_bandwidth(*, bandwidth: Bandwidth, factor: float) -> Bandwidth:
    """
    A stated bandwidth in a grown cluster.

    Formula:  bandwidth * factor
    Assumes:  it grows with the GPU nodes
    Source:   definition (checked 2026-11-29)

    >>> grown_bandwidth(bandwidth=Bandwidth(2e9), factor=2.0).show()
    '4 GB/s'
    """
    return bandwidth * factor


def _no_degree(data: int) -> int:
    message = f"parallelism.data: {data}; there is at least one replica"
    raise InputError(message)


def horizon(stack: Stack) -> int:
    """The last year that is planned for: the later of `capacity.years` and the last growth of the cluster."""
    return max((stack.capacity.years, *(growth.year for growth in stack.cluster.growth)))


def years(stack: Stack) -> tuple[int, ...]:
    """
    The years whose loads differ: today, each growth of the cluster, and the last where datasets grow.

    A dataset that grows may no longer fit the caches, so the last year is a case of its own.
    """
    found = {0, *(growth.year for growth in stack.cluster.growth)}
    if stack.capacity.growth_per_year and any(_cached(work) for work in stack.workloads):
        found.add(horizon(stack))
    return tuple(sorted(found))


def _cached(work: Workload) -> bool:
    return isinstance(work, Training) and work.dataset is not None and work.dataset.cache != "none"


def nodes_in(stack: Stack, year: int) -> int:
    """GPU nodes that the cluster has in this year."""
    reached = [growth for growth in stack.cluster.growth if growth.year <= year]
    return max(reached, key=lambda growth: growth.year).gpu_nodes if reached else stack.cluster.gpu_nodes


def stack_in(stack: Stack, year: int, ledger: Ledger) -> Stack:
    """
    The stack as it stands in this year; today's is returned as it is.

    What grows is written down as figures, which the grown stack names as the origin of its values.
    """
    if year == 0:
        return stack
    scale = _Scale(stack, year, ledger)
    workloads = tuple(scale.workload(index, work) for index, work in enumerate(stack.workloads))
    cluster = replace(stack.cluster, gpu_nodes=nodes_in(stack, year))
    return replace(stack, cluster=cluster, workloads=workloads, origins={**stack.origins, **scale.origins})


class _Scale:
    """Grows one value after another and remembers where each now comes from."""

    def __init__(self, stack: Stack, year: int, ledger: Ledger) -> None:
        self.stack = stack
        self.year = year
        self.ledger = ledger
        self.origins: dict[str, str] = {}
        grown = nodes_in(stack, year)
        self.grows = grown != stack.cluster.gpu_nodes
        self.factor = Known(1.0, "constant")
        if self.grows:
            place = max(
                (index for index, growth in enumerate(stack.cluster.growth) if growth.year <= year),
                key=lambda index: stack.cluster.growth[index].year,
            )
            path = f"cluster.growth[{place}].gpu_nodes"
            self.origins["cluster.gpu_nodes"] = f"stack {path}"
            self.factor = ledger.figure(
                f"cluster.growth_factor.year_{year}",
                factor,
                grown_nodes=Known(grown, f"stack {path}"),
                gpu_nodes=Known(stack.cluster.gpu_nodes, stack.origin("cluster.gpu_nodes")),
            )

    def workload(self, index: int, work: Workload) -> Workload:
        """One workload in this year."""
        path = f"workloads[{index}]"
        match work:
            case Training():
                return self._training(path, work)
            case ModelLoad() if self.grows:
                return replace(
                    work,
                    replicas=self._count(path, work.name, "replicas", work.replicas),
                    gpu_nodes=self._nodes(path, work.name, work.gpu_nodes),
                )
            case KvCache() if self.grows:
                return self._kv_cache(path, work)
            case General() if self.grows:
                return self._general(path, work)
            case _:
                return work

    def _training(self, path: str, work: Training) -> Training:
        if work.dataset and self.stack.capacity.growth_per_year:
            size = self.ledger.figure(
                f"{work.name}.dataset.size_bytes.year_{self.year}",
                dataset_read.grown_size,
                size=Known(work.dataset.size, self.stack.origin(f"{path}.dataset.size")),
                growth_per_year=Known(
                    self.stack.capacity.growth_per_year, self.stack.origin("capacity.growth_per_year")
                ),
                year=Known(self.year, "constant"),
            )
            self.origins[f"{path}.dataset.size"] = size.origin
            grown: Size = size.value
            work = replace(work, dataset=replace(work.dataset, size=grown))
        return self._more_gpus(path, work) if self.grows else work

    def _more_gpus(self, path: str, work: Training) -> Training:
        shards = work.parallelism.tensor * work.parallelism.pipeline
        data = Known(
            work.parallelism.data or max(1, work.gpus // shards), self.stack.origin(f"{path}.parallelism.data")
        )
        degree = self.ledger.figure(
            f"{work.name}.growth.data_parallel.year_{self.year}", grown_data, data=data, factor=self.factor
        )
        gpus = self.ledger.figure(
            f"{work.name}.growth.gpus.year_{self.year}",
            grown_gpus,
            gpus=Known(work.gpus, self.stack.origin(f"{path}.gpus")),
            data=data,
            factor=self.factor,
        )
        self.origins |= {f"{path}.gpus": gpus.origin, f"{path}.parallelism.data": degree.origin}
        return replace(work, gpus=gpus.value, parallelism=replace(work.parallelism, data=degree.value))

    def _kv_cache(self, path: str, work: KvCache) -> KvCache:
        resumes = self.ledger.figure(
            f"{work.name}.growth.resumes_ops_per_s.year_{self.year}",
            grown_rate,
            rate=Known(work.resumes, self.stack.origin(f"{path}.resumes")),
            factor=self.factor,
        )
        tokens = self.ledger.figure(
            f"{work.name}.growth.new_tokens_per_s.year_{self.year}",
            grown_number,
            number=Known(work.new_tokens_per_s, self.stack.origin(f"{path}.new_tokens_per_s")),
            factor=self.factor,
        )
        self.origins |= {f"{path}.resumes": resumes.origin, f"{path}.new_tokens_per_s": tokens.origin}
        return replace(
            work,
            sessions=self._count(path, work.name, "sessions", work.sessions),
            resumes=resumes.value,
            new_tokens_per_s=tokens.value,
            gpu_nodes=self._nodes(path, work.name, work.gpu_nodes),
        )

    def _general(self, path: str, work: General) -> General:
        grown: dict[str, Bandwidth] = {}
        for key, bandwidth in (("read", work.read), ("write", work.write)):
            known = self.ledger.figure(
                f"{work.name}.growth.{key}_bytes_per_s.year_{self.year}",
                grown_bandwidth,
                bandwidth=Known(bandwidth, self.stack.origin(f"{path}.{key}")),
                factor=self.factor,
            )
            self.origins[f"{path}.{key}"] = known.origin
            grown[key] = known.value
        operations = self.ledger.figure(
            f"{work.name}.growth.operations_ops_per_s.year_{self.year}",
            grown_rate,
            rate=Known(work.operations, self.stack.origin(f"{path}.operations")),
            factor=self.factor,
        )
        self.origins[f"{path}.operations"] = operations.origin
        return replace(work, read=grown["read"], write=grown["write"], operations=operations.value)

    def _count(self, path: str, name: str, key: str, count: int) -> int:
        known = self.ledger.figure(
            f"{name}.growth.{key}.year_{self.year}",
            grown_count,
            count=Known(count, self.stack.origin(f"{path}.{key}")),
            factor=self.factor,
        )
        self.origins[f"{path}.{key}"] = known.origin
        return known.value

    def _nodes(self, path: str, name: str, gpu_nodes: int | None) -> int | None:
        return None if gpu_nodes is None else self._count(path, name, "gpu_nodes", gpu_nodes)
