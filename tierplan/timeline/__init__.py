"""A run of the jobs on the plan by events: what collisions, degraded phases and bad luck add to the closed form."""

from tierplan.timeline.engine import expected_events, run
from tierplan.timeline.nouns import Interval, Job, JobRun, Part, Run, Scenario
from tierplan.timeline.scenario import left_out, scenario_of

__all__ = [
    "Interval",
    "Job",
    "JobRun",
    "Part",
    "Run",
    "Scenario",
    "expected_events",
    "left_out",
    "run",
    "scenario_of",
]
