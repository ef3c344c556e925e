"""
Many plans of one stack: some key paths varied, every point planned and judged, the best ones kept.

    axis            text of --vary           ->  Axis
    grid            axes                     ->  every combination of settings
    plan_point      form + settings          ->  Point: verdict, reasons, figures
    check           form + axes              ->  nothing, or what is wrong with the grid, before anything is planned
    run             form + grid              ->  Points, in the order of the grid; processes or Dask, resumable
    pareto          Points + objectives      ->  the front; each other point with the one that beats it
"""

from tierplan.sweep.axes import Axis, axis, grid
from tierplan.sweep.measures import MEASURES, Objective, objective
from tierplan.sweep.pareto import pareto
from tierplan.sweep.points import Point, plan_point
from tierplan.sweep.run import run
from tierplan.sweep.sound import check

__all__ = [
    "MEASURES",
    "Axis",
    "Objective",
    "Point",
    "axis",
    "check",
    "grid",
    "objective",
    "pareto",
    "plan_point",
    "run",
]
