"""What many products forbid or advise about counts, layout and node, said in one way."""

from __future__ import annotations

from collections.abc import Iterator

from tierplan.backends._space import failure_domains
from tierplan.domain.tiers import Illegal, TierConfig
from tierplan.units import Size


def too_few_nodes(config: TierConfig, least: int) -> Iterator[Illegal]:
    """The product's own minimum."""
    if config.nodes < least:
        yield Illegal(
            policy=f"{config.tier}-layout",
            message=f"{config.backend}: {config.nodes} nodes; it takes at least {least}",
            remedy=f"use {least} nodes or more",
            required=least,
            planned=config.nodes,
        )


def not_allowed(config: TierConfig, name: str, value: int, *, allowed: tuple[int, ...]) -> Iterator[Illegal]:
    """A number of the layout that the product does not know; the remedy names the nearest that it knows."""
    if value in allowed:
        return
    nearest = min(allowed, key=lambda one: (abs(one - value), one))
    solid = len(allowed) > 2 and allowed[-1] - allowed[0] == len(allowed) - 1
    words = f"{allowed[0]} to {allowed[-1]}" if solid else ", ".join(map(str, allowed))
    yield Illegal(
        policy=f"{config.tier}-layout",
        message=f"{config.backend}: {name} {value}; allowed: {words}",
        remedy=f"write {name}: {nearest}",
        required=nearest,
        planned=value,
    )


def stripe_too_wide(config: TierConfig, *, narrower: str = "") -> Iterator[Illegal]:
    """A stripe, or a set of copies, that needs more failure domains than there are."""
    layout, domains = config.layout, failure_domains(config)
    short = layout.width - domains
    if short <= 0:
        return
    domain = layout.failure_domain + ("s" if short > 1 else "")
    what = f"a {layout} stripe" if layout.kind == "erasure-code" else str(layout)
    yield Illegal(
        policy=f"{config.tier}-layout",
        message=f"{config.backend}: {domains} failure domains cannot hold {what} (needs {layout.width})",
        remedy=f"add {short} {domain}" + (f" or narrow the stripe to {narrower}" if narrower else ""),
        required=layout.width,
        planned=domains,
    )


def advice(
    message: str, *, remedy: str, required: float | None, planned: float | None, policy: str = "advice-narrow-layout"
) -> Illegal:
    """Something that works and that somebody would regret."""
    return Illegal(policy=policy, message=message, remedy=remedy, required=required, planned=planned)


def too_few_cores(config: TierConfig, required: int, *, because: str) -> Iterator[Illegal]:
    """A node without the cores that the product takes."""
    if config.node.cores < required:
        yield Illegal(
            policy=f"{config.tier}-node",
            message=f"{config.backend}: {config.node.cores} cores a node; {because} take {required}",
            remedy=f"use nodes with {required} cores or more",
            required=required,
            planned=config.node.cores,
        )


def too_little_memory(config: TierConfig, required: Size, *, because: str) -> Iterator[Illegal]:
    """A node without the memory that the product takes."""
    memory = config.node.memory
    if memory < required:
        yield Illegal(
            policy=f"{config.tier}-node",
            message=f"{config.backend}: {memory.show('GB')} of memory a node; {because} take {required.show('GB')}",
            remedy=f"use nodes with {required.show('GiB', 4)} of memory or more",
            required=required.bytes,
            planned=memory.bytes,
            unit="bytes",
        )


def nothing_in_it(config: TierConfig) -> Iterator[Illegal]:
    """A storage node without drives or ports."""
    for name, count in (("drives", config.node.drives), ("ports", config.node.ports)):
        if count < 1:
            yield Illegal(
                policy=f"{config.tier}-node",
                message=f"{config.backend}: {count} {name} a node",
                remedy=f"use nodes with {name}",
                required=1,
                planned=count,
            )
