"""
What the workloads ask: one load a file, each a few small pure formulas; the rest puts them together.

    model checkpoint writers interval goodput restore    a training job that saves and comes back
    dataset_read metadata cache loader                   a training job that reads
    model_load kv_cache general                          serving and users
    jobs growth capacity share                           how many, how long, how much, beside whom
    sheet job loads… combine needs                       from a stack to loads, phases and the requirement
    result outcome…                                      what a plan gives
    noticed advice…                                      what somebody should know
"""

from tierplan.demand.needs import requirement
from tierplan.demand.outcome import outcome, settled

__all__ = ["outcome", "requirement", "settled"]
