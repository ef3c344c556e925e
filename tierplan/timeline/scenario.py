"""The scenario of a plan: its training jobs on its hot tier, with the figures that the plan gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from tierplan.domain.figures import Figure
from tierplan.domain.plan import Plan
from tierplan.domain.stack import Training
from tierplan.domain.survival import Failures, Survival
from tierplan.domain.tiers import TierConfig, TierPlan
from tierplan.timeline.nouns import Job, Part, Scenario

YEAR = 365 * 86400.0


def scenario_of(plan: Plan, failures: Failures) -> Scenario | None:
    """
    The jobs that save checkpoints to the hot tier, and what of the tier breaks; None without a hot tier or such a job.

    Assumes:  what the closed form leaves a job of the tier beside steady loads is the whole tier of the run; jobs
              share it when they save or come back at the same time
    """
    hot = plan.tiers.get("hot")
    jobs = tuple(_jobs(plan)) if hot is not None else ()
    if hot is None or not jobs:
        return None
    survival = plan.survival.get("hot")
    return Scenario(
        jobs=jobs,
        read=max(_whole(plan, "restore.available_read_bytes_per_s"), *(job.read for job in jobs)),
        write=max(
            _whole(plan, "checkpoint.available_write_bytes_per_s"),
            _whole(plan, "checkpoint.available_drain_bytes_per_s"),
            *(job.write for job in jobs),
        ),
        parts=() if survival is None else tuple(_parts(hot, survival, failures)),
    )


def left_out(plan: Plan) -> tuple[str, ...]:
    """Training jobs of the plan that a timeline does not run, with the reason."""
    known = {job.name.partition("#")[0] for job in _jobs(plan)} if "hot" in plan.tiers else set[str]()
    return tuple(
        f"{work.name}: no checkpoint on the hot tier whose stall and restore are known"
        for work in plan.stack.workloads
        if isinstance(work, Training) and work.name not in known
    )


def _whole(plan: Plan, quantity: str) -> float:
    """The largest that any job gets of the tier: the others only share it."""
    found = [figure.number for name, figure in plan.outcome.items() if name.endswith(f".{quantity}")]
    return max(found, default=0.0)


def _jobs(plan: Plan) -> Iterator[Job]:
    """Each running job by itself: four jobs of one workload are four."""
    figures = {**plan.requirement.figures, **plan.outcome}
    for work in plan.stack.workloads:
        if not isinstance(work, Training) or work.checkpoint is None:
            continue
        job = _job(plan, figures, work)
        running = int(_number(figures, f"{work.name}.jobs.running") or 1)
        if job is not None:
            names = [work.name] if running == 1 else [f"{work.name}#{index + 1}" for index in range(running)]
            yield from (replace(job, name=name) for name in names)


def _job(plan: Plan, figures: Mapping[str, Figure], work: Training) -> Job | None:
    asked = work.checkpoint
    if asked is None:
        return None

    def of(quantity: str) -> float | None:
        return _number(figures, f"{work.name}.{quantity}")

    stall, period = of("checkpoint.stall_s"), of("checkpoint.interval_s")
    mean, restart, restore = (
        of("checkpoint.mean_time_to_interrupt_s"),
        of("checkpoint.restart_s"),
        of("restore.duration_s"),
    )
    if stall is None or period is None or mean is None or restart is None or restore is None or period <= stall:
        return None
    behind = asked.mode == "async" or asked.first_landing != "hot"
    size = (of("checkpoint.size_bytes") or 0.0) * asked.changed_fraction
    took = of("checkpoint.drain_s") if behind else stall
    read = of("restore.read_bytes") or of("checkpoint.size_bytes") or 0.0
    if not took or not size or not restore:
        return None
    running = of("jobs.running") or 1
    at_once = running if behind or asked.coincide else 1  # the closed form lets that many write at once
    return Job(
        name=work.name,
        gpus=work.gpus or plan.stack.cluster.gpus,
        compute=period - stall,
        checkpoint=size,
        write=size * at_once / took,
        asynchronous=behind,
        blocking=stall if behind else 0.0,
        restart=max(0.0, restart - restore),
        restore=read,
        read=read / restore,
        mean_time_to_interrupt=mean,
        feed=of("dataset.shared_read_bytes_per_s") or 0.0,
    )


def _number(figures: Mapping[str, Figure], name: str) -> float | None:
    figure = figures.get(name)
    return None if figure is None else figure.number


def _parts(hot: TierPlan, survival: Survival, failures: Failures) -> Iterator[Part]:
    """Drives that are rebuilt, nodes and racks that are out, each with what the tier gives meanwhile."""
    config = hot.config
    drive, node = survival.rebuild("drive"), survival.rebuild("node")
    medium = failures.media.get(config.node.medium, failures.media["nvme"])
    if drive is not None:
        yield _part(
            hot,
            survival,
            "drive",
            count=config.nodes * config.node.drives,
            per_s=medium.annual_failures / YEAR,
            lasts=drive.exposed.s,
            bears=hot.delivered.protection.drives_tolerated if hot.delivered.protection else 0,
        )
    again = node.loaded.s if node is not None else 0.0
    yield _part(
        hot,
        survival,
        "node",
        count=config.nodes,
        per_s=failures.node.per_year / YEAR,
        lasts=failures.node.duration.s + again,
        bears=hot.delivered.protection.serving if hot.delivered.protection else 0,
    )
    yield _part(
        hot,
        survival,
        "rack",
        count=max(1, min(config.racks, config.nodes)),
        per_s=failures.rack.per_year / YEAR,
        lasts=failures.rack.duration.s,
        bears=_racks_borne(config, survival),
    )


def _racks_borne(config: TierConfig, survival: Survival) -> int:
    state = next((one for one in survival.states if one.lost == "rack"), None)
    return int(config.racks > 1 and state is not None and state.serves)


def _part(hot: TierPlan, survival: Survival, name: str, *, count: int, per_s: float, lasts: float, bears: int) -> Part:
    state = next((one for one in survival.states if one.lost == name), None)
    healthy = hot.delivered.healthy
    return Part(
        name=name,
        count=count,
        per_s=per_s,
        lasts=lasts,
        read_share=min(1.0, state.read / healthy.read) if state is not None and healthy.read else 0.0,
        write_share=min(1.0, state.write / healthy.write) if state is not None and healthy.write else 0.0,
        bears=bears if state is not None and state.serves else 0,
    )
