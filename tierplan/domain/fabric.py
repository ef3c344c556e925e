"""The fabric between drives and GPUs: what it carries, and where it is cut."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FabricPlan:
    """Ports, switches and the min cut of the path from the drives to the GPUs."""
