"""The walk itself: resolve, evaluate, judge."""

from tierplan.plan.walk import evaluate, judge, make_plan, resolve, verdict

__all__ = ["evaluate", "judge", "make_plan", "resolve", "verdict"]
