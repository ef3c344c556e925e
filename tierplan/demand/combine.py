"""Loads become phases: what runs at one time is added up, and headroom is put on once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from tierplan.domain.need import Load, Phase, Tier
from tierplan.units import Bandwidth, OpRate

EVENLY = ".general"  # loads that every GPU node has a share of


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """Everything that a tier carries at one time, before headroom; `node_...` is the busiest GPU node's part."""

    name: str
    read: Bandwidth
    write: Bandwidth
    op_rate: OpRate
    node_read: Bandwidth
    node_write: Bandwidth
    loads: tuple[Load, ...] = ()

    def after(self, headroom: float) -> Phase:
        """The phase that this moment asks for."""
        return Phase(
            name=self.name,
            read=self.read * headroom,
            write=self.write * headroom,
            op_rate=self.op_rate * headroom,
        )


def moments(loads: Iterable[Load], tier: Tier, *, gpu_nodes: int, base: str) -> tuple[Moment, ...]:
    """
    Every distinct time on one tier: the continuous loads alone, then with each burst in turn.

    Continuous loads add up.  A burst takes away what it pauses.  Of several bursts of a kind the largest counts
    (each is a moment of its own), but those that coincide are one.  The local tier counts as if every node were
    as busy as the busiest, since no node can borrow the drives of another.
    """
    mine = [load for load in loads if load.tier == tier]
    steady = [load for load in mine if load.when == "continuous"]
    bursts = [load for load in mine if load.when == "burst"]
    found = [_moment(base, steady, tier, gpu_nodes)]
    for name, together in _named(bursts):
        found.append(_moment(name, [*_left(steady, together), *together], tier, gpu_nodes))
    return tuple(found)


def _named(bursts: Sequence[Load]) -> Iterator[tuple[str, list[Load]]]:
    """Bursts that fall together, by the name of their moment; the workload is named only where it must be."""
    by_phase = sorted(bursts, key=lambda load: load.phase)
    for phase, group in groupby(by_phase, key=lambda load: load.phase):
        same = list(group)
        coinciding = [load for load in same if load.coincides]
        apart = [load for load in same if not load.coincides]
        if len({_workload(load) for load in same}) == 1 or not apart:
            yield phase, same
            continue
        if coinciding:
            yield f"{phase}:{'+'.join(_workload(load) for load in coinciding)}", coinciding
        for load in apart:
            yield f"{phase}:{_workload(load)}", [load]


def _left(steady: Sequence[Load], bursts: Sequence[Load]) -> Iterator[Load]:
    """The continuous loads without what the bursts pause."""
    for load in steady:
        paused = min(1.0, sum(burst.pauses_share for burst in bursts if load.id in burst.pauses))
        if paused < 1:
            yield load if not paused else _part(load, 1 - paused)


def _part(load: Load, share: float) -> Load:
    """What is left of a load of several jobs; on the nodes of those that go on, everything."""
    return Load(
        id=load.id,
        tier=load.tier,
        when=load.when,
        read=load.read * share,
        write=load.write * share,
        op_rate=load.op_rate * share,
        node_read=load.node_read,
        node_write=load.node_write,
        nodes=load.nodes,
        because=load.because,
    )


def _moment(name: str, loads: Sequence[Load], tier: Tier, gpu_nodes: int) -> Moment:
    node_read = _busiest([(load, load.node_read.base) for load in loads])
    node_write = _busiest([(load, load.node_write.base) for load in loads])
    local = tier == "local"
    return Moment(
        name=name,
        read=Bandwidth(node_read * gpu_nodes if local else sum(load.read.base for load in loads)),
        write=Bandwidth(node_write * gpu_nodes if local else sum(load.write.base for load in loads)),
        op_rate=OpRate(sum(load.op_rate.base for load in loads)),
        node_read=Bandwidth(node_read),
        node_write=Bandwidth(node_write),
        loads=tuple(loads),
    )


def _busiest(parts: Sequence[tuple[Load, float]]) -> float:
    """The busiest GPU node: one workload runs there, and its share of the stated loads."""
    evenly = 0.0
    by_workload: dict[str, float] = {}
    for load, rate in parts:
        if load.id.endswith(EVENLY):
            evenly += rate
        else:
            name = _workload(load)
            by_workload[name] = by_workload.get(name, 0.0) + rate
    return max(by_workload.values(), default=0.0) + evenly


def _workload(load: Load) -> str:
    return load.id.partition(".")[0]


def largest(years: Sequence[tuple[Moment, ...]]) -> tuple[Moment, ...]:
    """Of several years the largest of each moment, rate by rate."""
    if len(years) == 1:
        return years[0]
    by_name: dict[str, list[Moment]] = {}
    for year in years:
        for moment in year:
            by_name.setdefault(moment.name, []).append(moment)
    return tuple(_largest(same) for same in by_name.values())


def _largest(same: Sequence[Moment]) -> Moment:
    return Moment(
        name=same[0].name,
        read=max(moment.read for moment in same),
        write=max(moment.write for moment in same),
        op_rate=max(moment.op_rate for moment in same),
        node_read=max(moment.node_read for moment in same),
        node_write=max(moment.node_write for moment in same),
        loads=max(same, key=lambda moment: moment.read.base + moment.write.base).loads,
    )
