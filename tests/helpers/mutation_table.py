"""The mutations of every tier: what each change does to it, and which rules must notice."""

from __future__ import annotations

from functools import partial

from mutations import ALL, LITTLE, NONE, SERVED, Case, Change, Effect, Expect, Mutation, Rules, nothing
from tierplan.plan.rules import RULES
from tierplan.plan.stack_rules import STACK_RULES

LOCAL = ("local",)
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


def _mutation(  # one row of a table
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
    return lambda case, _: value if case.managed else None


FIXED_RESERVES = ("storage-scale",)  # some bytes of each drive, whatever its size


def scaled_to_fit(factor: float) -> Change:
    """The drive size that holds this share of what is required: usable capacity is linear in it."""

    def change(case: Case, old: float) -> float | None:
        odd = case.given("quote.usableBytes") is not None or case.backend in FIXED_RESERVES
        return None if case.managed or odd or not case.room() else old * case.room() * factor

    return change


def one_of(case: Case, old: float) -> float | None:
    """One, where there are more, of nodes of its own."""
    return None if case.managed or old <= 1 else 1.0


def one_drive_is_short(case: Case) -> Rules:
    """Capacity is at best linear in the drives of a node."""
    quoted = case.given("quote.usableBytes") is not None
    return case.holds() if not quoted and case.room() * case.given("node.drives") > 1 else NONE


def width(case: Case) -> float:
    """Failure domains that one stripe touches."""
    layout = case.given("layout")
    if layout["kind"] == "none":
        return 0
    return float(layout["replicas"] if layout["kind"] == "replicas" else layout["dataUnits"] + layout["parityUnits"])


def kind_is(kind: str, expect: Expect) -> Expect:
    """The rules, where data is protected in this way."""
    return lambda case: expect(case) if case.given("layout.kind") == kind else NONE


def one_node_is_short(case: Case) -> Rules:
    """What the GPU nodes hold and carry together is linear in their number."""
    return case.holds() if case.room() * case.given("nodes") > 1 else NONE


def unreadable(case: Case) -> Rules:
    """Every mandatory rule of the tier says that it cannot judge, and so does every rule over the whole."""
    own = {rule.name for rule in RULES if rule.level == "mandatory" and case.tier in rule.tiers}
    whole = {rule.name for rule in STACK_RULES if rule.level == "mandatory" and not rule.from_requirement}
    return frozenset(own | whole | {"stack-parts", "stack-other"})


LAYOUT, NODE, OP_RATE = tiers_rule("layout"), tiers_rule("node"), tiers_rule("op-rate")
SLOW = both(reads, writes, times)
REBUILT = rules(
    "survive-durability", "cold-durability", "survive-rebuild"
)  # rebuild takes longer, or ends in fewer places
LOST = both(rules("survive-nodes", "survive-racks", "survive-bandwidth"), REBUILT)
# What else is fed by the same thing: one NFS server is its own client rate, a cache is filled from the tier, the
# fabric ends in the tier's ports.
COUPLED = both(of("nfs", expect=rules("hot-client")), REBUILT, rules("cache-fill-time", "fabric-bandwidth"))
ANYTHING = both(SLOW, COUPLED, LAYOUT, NODE, OP_RATE, LOST, holds, rules("survive-quorum", "hot-client"))
NO_CORES = ("nfs", "vast")  # no source says what these need of a host
NO_MEMORY = (*NO_CORES, "beegfs")


def unless(*backends: str, expect: Expect) -> Expect:
    """The rules, for all other products."""
    return lambda case: NONE if case.backend in backends else expect(case)


MEDIA = (
    worse("node.drive.sizeBytes", "drives just too small", scaled_to_fit(1 - JUST), holds),
    same("node.drive.sizeBytes", "drives just large enough", scaled_to_fit(1.02)),
    better("node.drive.sizeBytes", "larger drives", times_(1.1)),
    worse("node.drive.readBytesPerS", "drives read next to nothing", to(LITTLE), both(reads, times), may=COUPLED),
    better("node.drive.readBytesPerS", "drives read faster", times_(2)),
    worse("node.drive.writeBytesPerS", "drives write next to nothing", to(LITTLE), writes, may=both(times, COUPLED)),
    better("node.drive.writeBytesPerS", "drives write faster", times_(2)),
    worse("node.drives", "one drive a node", one_of, one_drive_is_short, may=ANYTHING),
    better("node.drives", "one drive more", lambda case, old: None if case.managed else old + 1),
    worse(
        "node.medium",
        "another medium",
        lambda case, old: None if case.managed else {"hdd": "nvme"}.get(old, "hdd"),
        of("weka", "3fs", "vast", "nfs", "ceph-rgw", expect=NODE),  # all-flash products; Ceph wants cores for flash
        may=of("cephfs", "juicefs", expect=both(SLOW, COUPLED)),  # their journals lie on the same drives
    ),
)
PORTS = (
    worse(
        "node.portRateBytesPerS", "ports carry next to nothing", to(LITTLE), SLOW, may=both(COUPLED, NODE), tiers=SERVED
    ),
    worse("node.ports", "no ports", to(0.0), both(NODE, reads, writes), may=both(times, COUPLED), tiers=SERVED),
    better("node.portRateBytesPerS", "faster ports", times_(2), tiers=SERVED),
    better("node.ports", "twice the ports", times_(2), tiers=SERVED),
    same("node.portRateBytesPerS", "ports that local drives do not use", to(LITTLE), tiers=LOCAL),
    same("node.ports", "ports that local drives do not use", to(0.0), tiers=LOCAL),
)
HOST = (
    worse(
        "node.cores",
        "one core",
        to(1.0),
        unless(*NO_CORES, expect=NODE),
        may=both(SLOW, COUPLED, OP_RATE),
        tiers=SERVED,
    ),
    better("node.cores", "twice the cores", times_(2)),
    worse("node.memoryBytes", "next to no memory", to(1e6), unless(*NO_MEMORY, expect=NODE), may=COUPLED, tiers=SERVED),
    better("node.memoryBytes", "twice the memory", times_(2)),
)


def rack_is_narrow(case: Case) -> Rules:
    """One stripe needs as many failure domains as it is wide."""
    return case.rule("layout") if case.given("racks") < width(case) else NONE


def over(*domains: str) -> Change:
    """One rack, where the failure domain is one of these."""

    def change(case: Case, _old: float) -> float | None:
        return None if case.managed or case.given("layout.failureDomain") not in domains else 1.0

    return change


PROTECTION = (
    worse(
        "layout.dataUnits", "a stripe wider than the tier", to(1000.0), kind_is("erasure-code", LAYOUT), may=ANYTHING
    ),
    worse("layout.parityUnits", "no parity", to(0.0), kind_is("erasure-code", LAYOUT), may=LOST),
    same(
        "layout.parityUnits", "parity beside copies", lambda case, old: None if case.managed or old else 2.0, may=LAYOUT
    ),
    worse("layout.replicas", "one copy", to(1.0), kind_is("replicas", both(LAYOUT, rules("survive-nodes"))), may=LOST),
    worse(
        "layout.replicas",
        "more copies than it holds",
        to(1000.0),
        kind_is("replicas", both(LAYOUT, holds)),
        may=ANYTHING,
    ),
    worse(
        "layout.hotSpares",
        "more spares than drives",
        to(1000.0),
        nothing,
        may=both(LAYOUT, holds, SLOW, COUPLED, OP_RATE),
    ),
    better("layout.hotSpares", "no spare: all of it holds data", to(0.0)),
    worse("layout.kind", "no protection", to("none"), LAYOUT, may=both(LOST, COUPLED), tiers=SERVED),
    worse(
        "layout.failureDomain", "drives as failure domain", to("drive"), nothing, may=both(LOST, LAYOUT), tiers=SERVED
    ),
    worse(
        "layout.failureDomain",
        "racks as failure domain",
        to("rack"),
        rack_is_narrow,
        may=both(LAYOUT, LOST),
        tiers=SERVED,
    ),
    same("racks", "one rack", over("node", "drive"), may=REBUILT, tiers=SERVED),
    worse(
        "racks",
        "one rack for a stripe over racks",
        over("rack"),
        LAYOUT,
        may=both(LOST, holds, rules("survive-quorum")),
        tiers=SERVED,
    ),
    same("racks", "twice the racks", times_(2), tiers=SERVED),
)
# Each constraint that a tier is sized by, and the rule that must notice when there is one node less than it asks for.
CONSTRAINTS = {
    "capacity": "capacity",
    "read": "read-bandwidth",
    "metadata": "op-rate",
    "phases": "phases",
    "minimum": "layout",
    "failure_domain": "layout",
    "pair": "layout",  # servers that stand in for one another
    "metadata_memory": "node",
    "symmetry": "layout",  # servers that a store cuts into even sets
}


WIDTH_AND_ONE = ("ceph-rgw", "cephfs", "juicefs")
"""They ask for one failure domain beside the stripe, to rebuild into; without it there is only advice."""


def one_node_short(constraint: str) -> Change:
    """One node less than this constraint asks for, where that is less than there are."""

    def change(case: Case, old: float) -> float | None:
        asked = case.given_out(f"counts.{constraint}")
        if asked is None:
            return None
        quoted = case.given("quote") is not None  # an offer is of the whole system, whatever it counts
        return None if case.managed or quoted or not 1 < asked <= old else asked - 1

    return change


def short_of(case: Case, nodes: float) -> Rules:
    """The rules of all constraints that ask for more nodes than these."""
    found = set[str]()
    for constraint, asked in case.given_out("counts").items():
        spare = constraint in ("hot_spare", "symmetry") or (
            constraint == "failure_domain" and case.backend in WIDTH_AND_ONE
        )
        if asked > nodes and not spare and (constraint != "pair" or nodes % 2):
            write = "cold-ingest" if case.tier == "cold" else f"{case.tier}-write-bandwidth"
            own = {"write": write, "degraded": "survive-bandwidth"}.get(constraint)
            found.add(own or f"{case.tier}-{CONSTRAINTS[constraint]}")
    return frozenset(found)


NUMBER = (
    *(
        worse(
            "nodes",
            f"one node less than {constraint} asks for",
            one_node_short(constraint),
            lambda case, constraint=constraint: short_of(case, (case.given_out(f"counts.{constraint}") or 1) - 1),
            may=both(LOST, LAYOUT, times, COUPLED, rules("survive-quorum", "hot-client")),
            tiers=SERVED,
        )
        for constraint in (*CONSTRAINTS, "write", "degraded", "hot_spare", "symmetry")
    ),
    better("nodes", "twice the nodes", times_(2), tiers=SERVED),
    worse("nodes", "one GPU node", one_of, one_node_is_short, may=both(SLOW, holds, COUPLED), tiers=LOCAL),
    better("nodes", "twice the GPU nodes", times_(2), tiers=LOCAL),
)
QUOTE = (
    worse("quote.usableBytes", "offered to hold next to nothing", to(LITTLE), holds),
    worse("quote.readBytesPerS", "offered to read next to nothing", to(LITTLE), both(reads, times), may=COUPLED),
    worse("quote.writeBytesPerS", "offered to write next to nothing", to(LITTLE), writes, may=both(times, COUPLED)),
    better("quote.usableBytes", "offered twice the capacity", times_(2)),
    better("quote.readBytesPerS", "offered twice the reads", times_(2)),
    better("quote.writeBytesPerS", "offered twice the writes", times_(2)),
    same("quote.source", "another offer", to("offer 4712")),
)
SERVICE = tuple(
    worse(path, "a service has no nodes of its own", service(value), LAYOUT, may=COUPLED, tiers=SERVED)
    for path, value in (
        ("nodes", 2.0),
        ("node.drives", 1.0),
        ("node.drive.sizeBytes", 1e12),
        ("node.drive.readBytesPerS", 1e9),
        ("node.drive.writeBytesPerS", 1e9),
        ("node.medium", "hdd"),
        ("node.cores", 1.0),
        ("node.memoryBytes", 1e9),
        ("node.ports", 1.0),
        ("node.portRateBytesPerS", 1e9),
        ("layout.kind", "replicas"),
        ("layout.dataUnits", 4.0),
        ("layout.parityUnits", 2.0),
        ("layout.replicas", 2.0),
        ("layout.hotSpares", 1.0),
        ("layout.failureDomain", "rack"),
    )
)
RACKS = (same("racks", "racks of a service", lambda case, old: old + 1 if case.managed else None, tiers=SERVED),)
WORDS = (
    worse("backend", "a product that nobody knows", lambda *_: "wekka", unreadable),
    worse(
        "tier",
        "another tier's choices",
        lambda case, _: "hot" if case.tier == "cold" else "cold",
        both(unreadable, rules("stack-requirement")),
    ),
)
TABLE: tuple[Mutation, ...] = (*MEDIA, *PORTS, *HOST, *PROTECTION, *NUMBER, *QUOTE, *SERVICE, *RACKS, *WORDS)
