"""
What the workloads ask: one load a file, each a small pure formula; `loads` and `combine` assemble them.

    model checkpoint interval goodput restore      a training job that saves and comes back
    dataset_read metadata cache                    a training job that reads
    model_load kv_cache general                    serving and users
    jobs growth capacity                           how many, how long, how much
    job loads_... loads combine needs              from a stack to loads, phases and the requirement
    outcome advice                                 what a plan gives; what somebody should know
"""

from tierplan.demand.needs import requirement
from tierplan.demand.outcome import outcome, settled

__all__ = ["outcome", "requirement", "settled"]
