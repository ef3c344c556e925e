"""How data moves down the tiers: rules, and the bytes that each hand-over moves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecyclePlan:
    """The rules between the tiers."""
