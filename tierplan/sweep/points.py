"""One point of a sweep: the stack with some keys set, planned and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from tierplan.domain.prices import PriceList
from tierplan.domain.stack import Stack
from tierplan.errors import InputError
from tierplan.load import Form, Variants, catalogue, prices_of
from tierplan.plan import judge, make_plan, verdict
from tierplan.sweep.measures import measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What a combination gives: `verdict` is pass, refused, or invalid (no stack); `reasons` say why not."""

    index: int
    settings: Mapping[str, object]
    verdict: str
    reasons: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    measures: Mapping[str, float] = field(default_factory=dict)

    @property
    def passes(self) -> bool:
        """Whether it is a plan that misses nothing."""
        return self.verdict == "pass"


def plan_point(variants: Variants, index: int, settings: Mapping[str, object], names: tuple[str, ...]) -> Point:
    """Plan and judge one combination; what makes no stack is a point too, with its faults."""
    try:
        stack = variants.stack(settings)
    except InputError as fault:
        return Point(index=index, settings=settings, verdict="invalid", reasons=fault.faults)
    plan = make_plan(stack, catalogue(), _prices(variants.form, stack))
    findings = [finding for finding in judge(plan) if finding.level == "mandatory"]
    return Point(
        index=index,
        settings=settings,
        verdict=verdict(tuple(findings)),
        reasons=tuple(f"{finding.policy}: {finding.message}" for finding in findings),
        choices={
            tier: f"{one.config.nodes} × {one.config.backend} {one.config.layout}"
            for tier, one in plan.tiers.items()
            if tier != "local"
        },
        measures=measured(plan, names),
    )


def _prices(form: Form, stack: Stack) -> PriceList:
    site, currency = stack.site, stack.targets.budget.currency
    return _price_list(form.folder.as_posix(), stack.prices, f"{site.kind} {site.region} {currency}", _Held(stack))


@dataclass(frozen=True, slots=True)
class _Held:
    """A stack that takes no part in what a cache compares."""

    stack: Stack

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held)

    def __hash__(self) -> int:
        return 0


@lru_cache(maxsize=64)
def _price_list(folder: str, file: str | None, _place: str, held: _Held) -> PriceList:
    from pathlib import Path  # noqa: PLC0415  # once a sweep

    return prices_of(held.stack, None if file is None else Path(folder) / file)
