"""RustFS: the sets and parity of MinIO, rewritten; a release candidate, planned for trials only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tierplan.backends import Backend, TemplateValue, _set_store
from tierplan.backends._choosing import OptionKind, Relied, option, option_faults
from tierplan.backends._set_context import set_context
from tierplan.backends._sizing import delivered
from tierplan.backends._stores import unmaintained
from tierplan.domain.facts import BackendFacts
from tierplan.domain.need import TierNeed
from tierplan.domain.stack import Site, TierPins
from tierplan.domain.tiers import Delivered, Illegal, TierConfig, TierPlan

OPTIONS: Mapping[str, OptionKind] = {**_set_store.OPTIONS, "evaluation": bool}
CANDIDATE = "rustfs: 1.0.0-rc.3, a release candidate; its README lists distributed mode and lifecycle as under testing"


def trial(config: TierConfig) -> Illegal:
    """Refused where data is to be kept, told where somebody evaluates it."""
    if option(config.options, "evaluation", bool):
        return unmaintained(CANDIDATE, remedy="keep another copy of all that is in it")
    return Illegal(
        policy=f"{config.tier}-layout",
        message=f"{CANDIDATE}: not planned for data that is to be kept",
        remedy="plan ceph-rgw, or write options: {evaluation: true} for a trial",
    )


class RustFs:
    """The RustFS backend."""

    def choices(self, need: TierNeed, pins: TierPins, site: Site, facts: BackendFacts) -> Iterator[TierConfig]:
        """The fewest servers on each node, with the sets that RustFS makes of them."""
        return _set_store.choices("rustfs", need=need, pins=pins, site=site, facts=facts)

    def deliver(self, config: TierConfig, need: TierNeed, facts: BackendFacts) -> Delivered:
        """What RustFS servers of this configuration give."""
        used = Relied(facts)
        figures = _set_store.model(config, need, used)
        illegal = (
            *_set_store.faults(config, used),
            *option_faults(config, OPTIONS),
            trial(config),
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


BACKEND: Backend = RustFs()
