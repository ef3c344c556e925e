"""What one load gets of a tier beside everything else that runs at that time."""

from __future__ import annotations

from dataclasses import dataclass

from tierplan.demand.combine import Moment, moments
from tierplan.demand.needs import base_phase
from tierplan.domain.figures import Known
from tierplan.domain.need import Requirement, Tier
from tierplan.domain.stack import Stack
from tierplan.domain.tiers import LimitedBy, TierPlan
from tierplan.units import Bandwidth


def left(*, healthy: Bandwidth, others: float, wanted: float) -> Bandwidth:
    """
    Bandwidth that one load gets of a tier.

    Formula:  healthy * max(1 - others, wanted / (wanted + others))
    Where:    others and wanted are read/Read + write/Write of the other loads and of this one
    Assumes:  a tier that is asked for more than it has is shared in proportion
    Source:   envelope of reads and writes on the same drives, cores and ports (checked 2026-11-29)

    >>> left(healthy=Bandwidth(100e9), others=0.25, wanted=0.5).show()
    '75 GB/s'
    >>> left(healthy=Bandwidth(100e9), others=3.0, wanted=1.0).show()
    '25 GB/s'
    """
    fair = wanted / (wanted + others) if wanted else 0.0
    return healthy * max(0.0, 1 - others, fair)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A tier as planned, seen from the loads: today's moments before headroom, and what the tier gives."""

    tier: Tier
    plan: TierPlan
    moments: tuple[Moment, ...]

    def moment(self, phase: str, load_id: str) -> Moment | None:
        """The moment of this phase that the load is part of; the first moment is the one without bursts."""
        for moment in self.moments:
            same = moment.name.partition(":")[0] == phase
            if same and any(load.id == load_id for load in moment.loads):
                return moment
        return None

    @property
    def steady(self) -> Moment:
        """The moment without any burst."""
        return self.moments[0]

    def read_left(self, moment: Moment, load_id: str) -> tuple[Known[Bandwidth], Known[float], Known[float]]:
        """The inputs of `left` for the reads of one load."""
        others, wanted = self._parts(moment, load_id)
        rates = self.plan.delivered.healthy
        healthy = Known(rates.read, self._origin("read_bytes_per_s", rates.read_limited_by))
        return healthy, others, wanted

    def write_left(self, moment: Moment, load_id: str) -> tuple[Known[Bandwidth], Known[float], Known[float]]:
        """The inputs of `left` for the writes of one load."""
        others, wanted = self._parts(moment, load_id)
        rates = self.plan.delivered.healthy
        healthy = Known(rates.write, self._origin("write_bytes_per_s", rates.write_limited_by))
        return healthy, others, wanted

    def client(self) -> Known[Bandwidth]:
        """What one GPU node can take: by the tier's client, else by its storage ports."""
        rates, network = self.plan.delivered.healthy, self.plan.need.clients.network
        if rates.client is not None and rates.client < network:
            return Known(rates.client, self._origin("client_bytes_per_s", rates.client_limited_by))
        return Known(network, "stack cluster.storage_network")

    def _origin(self, figure: str, limited_by: LimitedBy) -> str:
        """Where a rate comes from: the tier, or the fabric where that carries less."""
        return (
            f"plan fabric.{self.tier}.{figure}"
            if limited_by == "fabric"
            else f"plan tiers.{self.tier}.healthy.{figure}"
        )

    def _parts(self, moment: Moment, load_id: str) -> tuple[Known[float], Known[float]]:
        """The share of the tier that the other loads of a moment take, and that this one wants."""
        rates = self.plan.delivered.healthy
        local = self.tier == "local"
        nodes = max(1, self.plan.config.nodes)
        mine = others = 0.0
        for load in moment.loads:
            read = load.node_read.base * nodes if local else load.read.base
            write = load.node_write.base * nodes if local else load.write.base
            taken = _over(read, rates.read) + _over(write, rates.write)
            if load.id == load_id:
                mine += taken
            elif not local or _workload(load.id) == _workload(load_id):
                others += taken
        origin = f"plan requirement.{self.tier}.phases {moment.name}"
        return Known(others, origin), Known(mine, origin)


def given(stack: Stack, requirement: Requirement, plan: TierPlan) -> Given:
    """One planned tier with today's moments."""
    tier = plan.need.tier
    found = moments(requirement.loads, tier, gpu_nodes=stack.cluster.gpu_nodes, base=base_phase(stack, tier))
    return Given(tier=tier, plan=plan, moments=found)


def _over(asked: float, rate: Bandwidth) -> float:
    if not asked:
        return 0.0
    return asked / rate.base if rate else 1e9  # a tier that gives nothing is overloaded, not undefined


def _workload(load_id: str) -> str:
    return load_id.partition(".")[0]
