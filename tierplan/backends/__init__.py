"""
Storage products, one module each: what to try (`choices`), what it gives (`deliver`), what its templates need.

A backend is one name in four places: ``tierplan/backends/<id>.py``, ``tierplan/catalogue/backends/<id>.yaml``,
``tierplan/templates/<id>/`` and ``tests/backends/test_<id>.py``.  Nothing is registered: `load` imports by id.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Protocol, cast

from tierplan.domain.facts import BackendFacts
from tierplan.domain.lifecycle import Downward
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, TierConfig, TierPlan

TemplateValue = object  # text, number, flag, list or map of them


class Backend(Protocol):
    """What every storage product can say of itself; pure, total, deterministic."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """
        Configurations worth trying, each complete, narrowed by the pins, sized for the need.

        A pin is never corrected: with everything pinned this yields exactly that, legal or not.
        """

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What this configuration gives. Total: an illegal one yields `illegal` with reasons, no exception."""

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """What the product's templates need, in the product's own units, each named in full (``capacity_gib``)."""


def module_name(backend_id: str) -> str:
    """``ceph-rgw`` -> ``ceph_rgw``; ``3fs`` -> ``threefs``."""
    return "threefs" if backend_id == "3fs" else backend_id.replace("-", "_")


@cache
def load(backend_id: str) -> Backend:
    """The backend of this catalogue id."""
    return cast("Backend", import_module(f"tierplan.backends.{module_name(backend_id)}").BACKEND)


def downward(config: TierConfig) -> Downward | None:
    """What the product has to move old data to an object store with; None if it has nothing of its own."""
    tell = getattr(import_module(f"tierplan.backends.{module_name(config.backend)}"), "downward", None)
    return cast("Downward", tell(config)) if tell is not None else None


def needed_ids(config: TierConfig) -> tuple[str, ...]:
    """Keys of `site.network` without which a managed service cannot be made; none for other products."""
    tell = getattr(import_module(f"tierplan.backends.{module_name(config.backend)}"), "needed_ids", None)
    return cast("tuple[str, ...]", tell(config)) if tell is not None else ()


def second_copy(config: TierConfig) -> tuple[bool, str] | None:
    """Whether a managed file system has its data elsewhere too, and how it gets there; None where nothing is said."""
    tell = getattr(import_module(f"tierplan.backends.{module_name(config.backend)}"), "second_copy", None)
    return cast("tuple[bool, str]", tell(config)) if tell is not None else None
