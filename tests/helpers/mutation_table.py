"""The mutations of every tier: what each change does to it, and which rules must notice."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from mutations import ALL, NEXT_TO_NOTHING, NONE, SERVED, Case, Change, Effect, Expect, Mutation, Rules, nothing

LOCAL, HOT = ("local",), ("hot",)
JUST = 1e-3


def both(*expects: Expect) -> Expect:
    """The rules of all of them."""
    return lambda case: NONE.union(*(expect(case) for expect in expects))


def rules(*names: str) -> Expect:
    """These rules."""
    return lambda _: frozenset(names)


def tiers_rule(quantity: str) -> Expect:
    """The tier's own rule over a quantity."""
    return lambda case: case.rule(quantity)


def of(*backends: str, expect: Expect) -> Expect:
    """The rules, for these products."""
    return lambda case: expect(case) if case.backend in backends else NONE


def reads(case: Case) -> Rules:
    """What needs reads."""
    return case.asks("read")


def writes(case: Case) -> Rules:
    """What needs writes."""
    return case.asks("write")


def times(case: Case) -> Rules:
    """What must be read within a time."""
    return case.times


def holds(case: Case) -> Rules:
    """What must be stored."""
    return case.holds()


def _mutation(  # noqa: PLR0917  # one row of a table
    effect: Effect,
    path: str,
    words: str,
    change: Change,
    must: Expect = nothing,
    *,
    may: Expect = nothing,
    tiers: tuple[str, ...] = ALL,
) -> Mutation:
    return Mutation(path=path, words=words, effect=effect, change=change, must=must, may=may, tiers=tiers)


worse, better, same = (partial(_mutation, effect) for effect in ("worsens", "improves", "neutral"))


def to(value: object) -> Change:
    """Another value, where the tier has nodes of its own."""
    return lambda case, old: None if case.managed or value == old else value


def times_(factor: float) -> Change:
    """So many times as much, where the tier has nodes of its own."""
    return lambda case, old: None if case.managed else old * factor


def service(value: object) -> Change:
    """Another value, where the tier is a service."""
    return lambda case, old: value if case.managed else None


def scaled_to_fit(factor: float) -> Change:
    """The drive size that holds this share of what is required: usable capacity is linear in it."""

    def change(case: Case, old: float) -> float | None:
        quoted = case.given("quote.usableBytes") is not None
        return None if case.managed or quoted or not case.room() else old * case.room() * factor

    return change


def one_of(case: Case, old: float) -> float | None:
    """One, where there are more, of nodes of its own."""
    return None if case.managed or old <= 1 else 1.0


def one_drive_is_short(case: Case) -> Rules:
    """Capacity is at best linear in the drives of a node."""
    quoted = case.given("quote.usableBytes") is not None
    return case.holds() if not quoted and case.room() * case.given("node.drives") > 1 else NONE


LAYOUT, NODE = tiers_rule("layout"), tiers_rule("node")
SLOW = both(reads, writes, times)
CLIENT = of("nfs", expect=rules("hot-client"))  # its client rate is that of the one server
FILL = both(rules("cache-fill-time"))
COUPLED = both(CLIENT, FILL, rules("fabric-bandwidth"))

MEDIA = (
    worse("node.drive.sizeBytes", "drives just too small", scaled_to_fit(1 - JUST), holds),
    same("node.drive.sizeBytes", "drives just large enough", scaled_to_fit(1 + JUST)),
    better("node.drive.sizeBytes", "larger drives", times_(1.1)),
    worse("node.drive.readBytesPerS", "drives read next to nothing", to(NEXT_TO_NOTHING), both(reads, times), may=COUPLED),
    better("node.drive.readBytesPerS", "drives read faster", times_(2)),
    worse("node.drive.writeBytesPerS", "drives write next to nothing", to(NEXT_TO_NOTHING), writes, may=both(times, COUPLED)),
    better("node.drive.writeBytesPerS", "drives write faster", times_(2)),
    worse("node.drives", "one drive a node", one_of, one_drive_is_short, may=both(SLOW, COUPLED, LAYOUT, NODE, tiers_rule("op-rate"))),
    better("node.drives", "one drive more", lambda case, old: None if case.managed else old + 1),
    worse("node.medium", "another medium", lambda case, old: None if case.managed else {"hdd": "nvme"}.get(old, "hdd"),
          of("weka", "3fs", "vast", "nfs", "ceph-rgw", expect=NODE), may=both(of("cephfs", "juicefs", "juicefs-cache", expect=SLOW), COUPLED)),
)
PORTS = (
    worse("node.portRateBytesPerS", "ports carry next to nothing", to(NEXT_TO_NOTHING), SLOW, may=both(COUPLED, NODE), tiers=SERVED),
    worse("node.ports", "no ports", to(0.0), both(NODE, reads, writes), may=both(times, COUPLED), tiers=SERVED),
    better("node.portRateBytesPerS", "faster ports", times_(2), tiers=SERVED),
    better("node.ports", "twice the ports", times_(2), tiers=SERVED),
    same("node.portRateBytesPerS", "ports that local drives do not use", to(NEXT_TO_NOTHING), tiers=LOCAL),
    same("node.ports", "ports that local drives do not use", to(0.0), tiers=LOCAL),
)
HOST = (
    worse("node.cores", "one core", to(1.0), NODE, may=both(SLOW, COUPLED, tiers_rule("op-rate")), tiers=SERVED),
    better("node.cores", "twice the cores", times_(2)),
    worse("node.memoryBytes", "next to no memory", to(1e6), NODE, may=COUPLED, tiers=SERVED),
    better("node.memoryBytes", "twice the memory", times_(2)),
)
TABLE: tuple[Mutation, ...] = (*MEDIA, *PORTS, *HOST)
