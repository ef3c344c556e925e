"""
What exists: the outputs of running systems, as pins of a stack and beside a plan.

    read      files                      ->  Found, one for each system that a file tells of
    systems   Found                      ->  System: one product, one tier, everything that all files say of it
    merged    stack text + systems       ->  the text with pins and comments, and nothing else changed
    compared  plan + systems             ->  what is not as planned
"""

from tierplan.existing.drift import Comparison, Difference, compared
from tierplan.existing.gathering import read, systems
from tierplan.existing.merging import Change, Merged, backends_of, fullest_words, merged, pinned, reach_words, starter
from tierplan.existing.nouns import Found, System

__all__ = [
    "Change",
    "Comparison",
    "Difference",
    "Found",
    "Merged",
    "System",
    "backends_of",
    "compared",
    "fullest_words",
    "merged",
    "pinned",
    "reach_words",
    "read",
    "starter",
    "systems",
]
