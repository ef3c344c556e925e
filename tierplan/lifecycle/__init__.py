"""Life cycle: which rules follow from the stack and its tiers, what each hand-over moves, what is illegal about it."""

from tierplan.lifecycle.legality import Fault, faults
from tierplan.lifecycle.made import lifecycle_plan

__all__ = ["Fault", "faults", "lifecycle_plan"]
