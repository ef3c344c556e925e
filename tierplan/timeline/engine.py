"""The run itself: jobs compute, save, break and come back, while parts of their tier break and are repaired."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from tierplan.errors import EngineError
from tierplan.timeline.nouns import Doing, Job, JobRun, Part, Run, Scenario, Stretch
from tierplan.timeline.pipe import Pipe
from tierplan.timeline.statistics import ratio_interval

if TYPE_CHECKING:
    from simpy import Environment, Event, Process

DAY = 86400.0
STEPS = 100  # calls of `progress` in one run
Steps = Generator["Event", object, None]


def run(
    scenario: Scenario,
    *,
    days: float,
    seed: int,
    most_stretches: int = 0,
    progress: Callable[[float], object] = float,
) -> Run:
    """
    One run: the same scenario, days and seed always give the same.

    `most_stretches` are kept for a picture; `progress` is told the share that is done.

    Raises:   EngineError if simpy is not installed
    """
    try:
        import simpy  # noqa: PLC0415  # an optional extra, and slow to import
    except ImportError:
        message = "the timeline needs simpy: pip install 'tierplan[timeline]'"
        raise EngineError(message) from None
    env = simpy.Environment()
    world = World(env, scenario, random.Random(seed), most_stretches)  # noqa: S311  # a simulation, no secret
    for step in range(1, STEPS + 1):
        env.run(until=days * DAY * step / STEPS)
        progress(step / STEPS)
    return world.seen(days=days, seed=seed)


def expected_events(scenario: Scenario, *, days: float) -> float:
    """
    How many interruptions, saves, losses and repairs a run has, roughly: what it costs to run.

    Formula:  n = days * 86400 * (sum of 1/mean_time_to_interrupt + 1/compute of jobs + 2 * per_s * count of parts)
    Assumes:  saves are free where nothing but interruptions changes the pace, for the run leaps over them then
    """
    jobs = sum(
        1 / job.mean_time_to_interrupt + (0 if scenario.quiet or job.compute <= 0 else 1 / job.compute)
        for job in scenario.jobs
    )
    return days * DAY * (jobs + sum(2 * part.per_s * part.count for part in scenario.parts))


class World:
    """Everything that shares the clock."""

    def __init__(self, env: Environment, scenario: Scenario, dice: random.Random, most_stretches: int) -> None:
        self.env, self.scenario, self.dice = env, scenario, dice
        self.write, self.read = Pipe(env, scenario.write), Pipe(env, scenario.read)
        self.stretches: list[Stretch] = []
        self._most = most_stretches
        self._out: dict[Part, int] = dict.fromkeys(scenario.parts, 0)
        self._state: Doing = "healthy"
        self._since = 0.0
        self._in_state: dict[str, float] = defaultdict(float)
        self.feeds = {job.name: Pipe(env, 1.0, each=True) for job in scenario.jobs}
        self.jobs = [Life(self, job) for job in scenario.jobs]
        for part in scenario.parts:
            env.process(self._breaks(part))

    @property
    def recording(self) -> bool:
        """Whether stretches are still kept."""
        return len(self.stretches) < self._most

    def keep(self, row: str, doing: Doing, begin: float) -> None:
        """Keep a stretch that ends now."""
        if self.recording and self.env.now > begin:
            self.stretches.append(Stretch(row, doing, begin, self.env.now))

    def _breaks(self, part: Part) -> Steps:
        """Losses of one kind, whether others are out already or not."""
        while True:
            yield self.env.timeout(self.dice.expovariate(part.per_s * part.count))
            self.env.process(self._repair(part))

    def _repair(self, part: Part) -> Steps:
        self._changed(part, +1)
        yield self.env.timeout(part.lasts)
        self._changed(part, -1)

    def _changed(self, part: Part, by: int) -> None:
        self._close()
        self._out[part] += by
        read, write = self._left()
        self._state = "healthy" if read == write == 1 else "degraded" if read > 0 or write > 0 else "down"
        self.read.limit(self.scenario.read * read)
        self.write.limit(self.scenario.write * write)
        for job in self.scenario.jobs:
            given = self.scenario.read * read
            self.feeds[job.name].limit(1.0 if job.feed <= 0 else min(1.0, given / job.feed))

    def _left(self) -> tuple[float, float]:
        """What is left of reads and writes: the least that any kind of loss leaves."""
        read = write = 1.0
        for part, out in self._out.items():
            if out > part.bears:
                return 0.0, 0.0
            if out:
                read = min(read, max(0.0, 1 - out * (1 - part.read_share)))
                write = min(write, max(0.0, 1 - out * (1 - part.write_share)))
        return read, write

    def _close(self) -> None:
        self.keep("storage", self._state, self._since)
        self._in_state[self._state] += self.env.now - self._since
        self._since = self.env.now

    def seen(self, *, days: float, seed: int) -> Run:
        """What the run showed."""
        self._close()
        total = days * DAY
        return Run(
            seed=seed,
            days=days,
            jobs=tuple(life.seen(total) for life in self.jobs),
            degraded_fraction=self._in_state["degraded"] / total,
            down_fraction=self._in_state["down"] / total,
            collided_fraction=min(1.0, (self.write.collided + self.read.collided) / total),
            stretches=tuple(self.stretches),
        )


class Life:
    """One job from its start to the end of the run."""

    def __init__(self, world: World, job: Job) -> None:
        self._world, self._job, self._env = world, job, world.env
        self._time: dict[str, float] = defaultdict(float)
        self._cycles: list[tuple[float, float]] = []
        self._useful, self._durable = 0.0, 0.0
        self._drained: Process | None = None
        self._saves, self._longest = 0, 0.0
        self._process = self._env.process(self._live())
        if not world.scenario.quiet or world.recording:
            self._env.process(self._interrupt())
            self._leaping = False
        else:
            self._leaping = True

    def _interrupt(self) -> Steps:
        while not self._leaping:
            yield self._env.timeout(self._world.dice.expovariate(1 / self._job.mean_time_to_interrupt))
            if not self._leaping:
                self._process.interrupt()

    def _live(self) -> Steps:
        import simpy  # noqa: PLC0415  # as `run`

        again, others = False, len(self._world.scenario.jobs) - 1
        late = self._world.dice.uniform(0, self._job.compute) if others else 0.0  # else their saves would always meet
        while True:
            if self._world.scenario.quiet and not self._world.recording:
                yield from self._leap(again=again)
            begin, self._durable = self._env.now, 0.0
            try:
                if late:
                    yield self._env.timeout(late)
                    begin, late = self._env.now, 0.0
                if again:
                    yield from self._come_back()
                while True:
                    yield from self._do("compute", self._world.feeds[self._job.name].move(self._job.compute, 1.0))
                    yield from self._save()
            except simpy.Interrupt:
                if self._drained is not None and self._drained.is_alive:
                    self._drained.interrupt()
                self._cycle(self._durable, self._env.now - begin)
                again = True

    def _leap(self, *, again: bool) -> Steps:
        """
        From one interruption to the next at once, where nothing else can change the pace.

        What happens between them is known then: a restart that may be interrupted, and whole periods.
        """
        self._leaping = True
        job = self._job
        save, back = job.checkpoint / min(job.write, self._world.scenario.write), 0.0
        while True:
            if again:
                back = job.restart + job.restore / min(job.read, self._world.scenario.read)
            gap = self._world.dice.expovariate(1 / job.mean_time_to_interrupt)
            yield self._env.timeout(gap)
            periods = int(max(0.0, gap - back) // (job.compute + save))
            self._saves += periods
            self._time["restart"] += min(gap, back)
            self._time["stall"] += periods * save
            self._time["compute"] += max(0.0, gap - back) - periods * save
            self._longest = max(self._longest, save if periods else 0.0)
            self._cycle(periods * job.compute, gap)
            again = True

    def _cycle(self, useful: float, elapsed: float) -> None:
        self._useful += useful
        self._cycles.append((useful, elapsed))

    def _come_back(self) -> Steps:
        job = self._job
        yield from self._do("restart", self._wait(job.restart))
        yield from self._do("restore", self._world.read.move(job.restore, job.read))

    def _wait(self, seconds: float) -> Steps:
        yield self._env.timeout(seconds)

    def _do(self, doing: Doing, steps: Steps) -> Steps:
        """Do something, and write down how long it took, also where it was interrupted."""
        begin = self._env.now
        try:
            yield from steps
        finally:
            self._time[doing] += self._env.now - begin
            self._world.keep(self._job.name, doing, begin)

    def _save(self) -> Steps:
        job, begin = self._job, self._env.now
        if job.asynchronous:
            yield from self._do("stall", self._hand_over())
        else:
            yield from self._do("stall", self._world.write.move(job.checkpoint, job.write))
            self._durable += job.compute
        self._saves += 1
        self._longest = max(self._longest, self._env.now - begin)

    def _hand_over(self) -> Steps:
        """Wait for the drain before, copy to host memory, and let the drain run on its own."""
        if self._drained is not None and self._drained.is_alive:
            yield self._drained
        yield self._env.timeout(self._job.blocking)
        self._drained = self._env.process(self._drain())

    def _drain(self) -> Steps:
        import simpy  # noqa: PLC0415  # as `run`

        try:
            yield from self._world.write.move(self._job.checkpoint, self._job.write)
            self._durable += self._job.compute
        except simpy.Interrupt:
            pass  # the job is gone, and what it had not written with it

    def seen(self, total: float) -> JobRun:
        """What this job got done in all that time."""
        several = len(self._world.scenario.jobs) > 1 or bool(self._world.scenario.parts)
        return JobRun(
            name=self._job.name,
            goodput=ratio_interval(self._cycles, independent=not several),
            useful_fraction=(self._useful + self._durable) / total,
            shares={doing: time / total for doing, time in sorted(self._time.items())},
            interrupts=len(self._cycles),
            saves=self._saves,
            longest_stall=self._longest,
            mean_stall=self._time["stall"] / self._saves if self._saves else 0.0,
        )
