"""MinIO community edition: erasure sets over equal servers. Its upstream is no longer maintained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue, _set_store
from tierplan.backends._choosing import Relied, option_faults
from tierplan.backends._set_context import set_context
from tierplan.backends._sizing import delivered
from tierplan.backends._stores import unmaintained
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, TierConfig, TierPlan

OPTIONS = _set_store.OPTIONS
UNMAINTAINED = (
    "minio: the community edition is no longer maintained (README of 2026-02-12; last release 2025-10-15): no fixes, "
    "no security updates"
)
HEIRS = (
    "plan ceph-rgw; or AIStor (commercial, the same maker), SeaweedFS or Garage (maintained), RustFS (the same sets, "
    "a release candidate); keep minio for systems that exist"
)


class Minio:
    """The MinIO backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The fewest servers on each node, with the sets that MinIO makes of them."""
        return _set_store.choices("minio", need=need, pins=pins, site=site, facts=facts)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What MinIO servers of this configuration give."""
        used = Relied(facts)
        figures = _set_store.model(config, need, used)
        illegal = (
            *_set_store.faults(config, used),
            *option_faults(config, OPTIONS),
            unmaintained(UNMAINTAINED, remedy=HEIRS),
        )
        return delivered(
            config,
            need,
            figures,
            illegal=illegal,
            cannot_change_later=_set_store.unchangeable(config),
            assumptions=used.lines(config.node),
            notes=_set_store.notes(config),
            parts=_set_store.parts(config),
        )

    def template_context(self, plan: TierPlan, hosts: Mapping[str, object]) -> Mapping[str, TemplateValue]:
        """What the units, the compose file and the manifests need; `set_context` names it all."""
        return set_context(plan, hosts)


BACKEND: Backend = Minio()
