"""What is left of a tier after a loss, how it is rebuilt, and how likely data is lost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Survival:
    """A tier's degraded states, rebuild and durability."""
