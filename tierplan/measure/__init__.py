"""
Before and after buying: the benchmarks that prove a plan, what they measured, and what that says of the plan.

    steps       plan                      ->  the runs that prove it, each with its expected figure and pass line
    kit         plan + steps              ->  the files of the benchmark kit: job files, scripts, expected.json
    read        result files              ->  Measurements, each in base units, with what speaks against it
    verify      plan + measurements       ->  Verdicts: proven, not proven, contradicts; the probable bottleneck
    calibrated  verdicts                  ->  what later plans must not promise more than
"""

from tierplan.measure.calibration import calibrated
from tierplan.measure.kit import kit
from tierplan.measure.reading import read
from tierplan.measure.steps import Step, steps
from tierplan.measure.verifying import Verdict, verify

__all__ = ["Step", "Verdict", "calibrated", "kit", "read", "steps", "verify"]
