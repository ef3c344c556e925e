"""A tier's bandwidth in one direction, shared fairly by whoever moves a checkpoint at the moment."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simpy import Environment, Event, Timeout

NEARLY = 1e-5  # seconds: less cannot be told from now on a clock that has run for years


@dataclass(slots=True, eq=False)
class Flow:
    """One volume on its way; `cap` is what its GPU nodes take at most."""

    left: float
    cap: float
    done: Event
    rate: float = 0.0


class Pipe:
    """
    A capacity that flows share, each up to its cap: whatever one cannot take goes to the others.

    `each`: the capacity is nobody's to share, every flow gets that share of its own cap (training that is fed).
    """

    def __init__(self, env: Environment, capacity: float, *, each: bool = False) -> None:
        self._env, self._capacity, self._each = env, capacity, each
        self._flows: list[Flow] = []
        self._since, self._turn = 0.0, 0
        self.collided = 0.0

    def move(self, volume: float, cap: float) -> Generator[Event, object, None]:
        """Move a volume; ends when it is through. Interrupted, it leaves nothing behind."""
        if volume <= 0:
            return
        flow = Flow(left=volume, cap=cap, done=self._env.event())
        self._advance()
        self._flows.append(flow)
        self._share_out()
        try:
            yield flow.done
        finally:
            if flow in self._flows:
                self._advance()
                self._flows.remove(flow)
                self._share_out()

    def limit(self, capacity: float) -> None:
        """From now on there is so much of it."""
        if capacity != self._capacity:
            self._advance()
            self._capacity = capacity
            self._share_out()

    def _advance(self) -> None:
        now = self._env.now
        passed, self._since = now - self._since, now
        if len(self._flows) > 1:
            self.collided += passed
        for flow in self._flows:
            flow.left -= flow.rate * passed

    def _share_out(self) -> None:
        """New rates, and a look at the moment when the first flow is through."""
        self._turn += 1
        left, waiting = self._capacity, sorted(self._flows, key=lambda flow: flow.cap)
        for index, flow in enumerate(waiting):
            flow.rate = flow.cap * self._capacity if self._each else min(flow.cap, left / (len(waiting) - index))
            left -= flow.rate
        soonest = min((flow.left / flow.rate for flow in waiting if flow.rate > 0), default=None)
        if soonest is not None:
            look: Timeout = self._env.timeout(max(0.0, soonest), value=self._turn)
            look.callbacks.append(self._look)

    def _look(self, event: Event) -> None:
        if event.value != self._turn:
            return  # rates have changed since
        self._advance()
        through = [flow for flow in self._flows if flow.left <= NEARLY * flow.rate]
        for flow in through:
            self._flows.remove(flow)
            flow.done.succeed()
        self._share_out()
