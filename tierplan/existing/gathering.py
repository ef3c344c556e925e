"""Files -> what each says -> systems, each of them one tier of a stack."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from tierplan.domain.need import Tier
from tierplan.errors import InputError
from tierplan.existing.choices import same
from tierplan.existing.nouns import Found, System, Value
from tierplan.existing.readers import beegfs, ceph, juicefs, lustre, managed, pulumi, scale, terraform, weka

READERS = (pulumi, terraform, managed, weka, juicefs, ceph, lustre, beegfs, scale)
KNOWN = (
    "lfs df, lctl get_param osc.*.ost_conn_uuid, ceph osd tree|dump|df|erasure-code-profile get and ceph df (-f json), "
    "weka status|cluster drive|cluster container (-J), mmvdisk server list, mmvdisk recoverygroup list "
    "--declustered-array, mmlspool, beegfs-ctl --listtargets, beegfs-df, beegfs target list, juicefs status, aws fsx "
    "describe-file-systems, az amlfs show, gcloud lustre instances describe, oci lfs lustre-file-system get, pulumi "
    "stack export, Terraform state"
)
MOST_BYTES = 64 << 20
TIERS: tuple[Tier, ...] = ("local", "hot", "cold")


def read(paths: Sequence[Path]) -> list[Found]:
    """
    Everything that the files say.

    Raises:   InputError with one line for each file that is of no known command, or is spoilt
    """
    found, faults = list[Found](), list[str]()
    for path in paths:
        try:
            found.extend(_one(path))
        except InputError as fault:
            faults.extend(fault.faults)
    if faults:
        raise InputError(faults)
    return found


def _one(path: Path) -> list[Found]:
    try:
        if path.is_dir():
            message = f"{path}: is a folder; name the files in it"
            raise InputError(message)
        if path.stat().st_size > MOST_BYTES:
            message = f"{path}: is larger than 64 MiB; name the output of one command"
            raise InputError(message)
        text = path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        message = f"{path}: cannot be read ({error.strerror}); name the output of a command"
        raise InputError(message) from None
    for reader in READERS:
        if reader.fits(text):
            return list(reader.read(text, path.name))
    message = f"{path}: of no known command; known are {KNOWN}"
    raise InputError(message)


def systems(
    found: Sequence[Found], *, tier: Tier | None, names: Sequence[str], planned: Mapping[Tier, str]
) -> tuple[System, ...]:
    """
    One system for each product, in the order of the tiers; `planned` says which backends a stack has chosen.

    Raises:   InputError with one line for each system that cannot be told apart, or that files contradict
    """
    faults, made = list[str](), list[System]()
    unmet = set(names) - {one.name for one in found}
    faults += (f"--name {name}: none of the files is of it; {_names(found)}" for name in sorted(unmet))
    products = dict.fromkeys(one.product for one in found)
    for product in products:
        mine = [one for one in found if one.product == product]
        if _is_side_show(mine, names):
            continue
        try:
            made.append(_system(_named(mine, names), tier=tier, planned=planned))
        except InputError as fault:
            faults.extend(fault.faults)
    for one in made:
        rivals = [other.product for other in made if other.tier == one.tier]
        if len(rivals) > 1 and one.product == rivals[0]:
            faults.append(f"{' and '.join(rivals)}: both are the {one.tier} tier; import them one after the other")
    if faults:
        raise InputError(faults)
    return tuple(sorted(made, key=lambda one: TIERS.index(one.tier)))


def _is_side_show(mine: Sequence[Found], names: Sequence[str]) -> bool:
    """Several buckets, none of them named: most are not the cold tier of anything."""
    return mine[0].product == "Amazon S3" and len(mine) > 1 and not any(one.name in names for one in mine)


def _names(found: Iterable[Found]) -> str:
    names = sorted({one.name for one in found if one.name})
    return f"named are {', '.join(names)}" if names else "they name none"


def _named(mine: Sequence[Found], names: Sequence[str]) -> list[Found]:
    every = sorted({one.name for one in mine if one.name})
    wanted = [one for one in every if one in names] or every
    if len(wanted) > 1:
        files = ", ".join(dict.fromkeys(one.file for one in mine))
        message = f"{files}: {mine[0].product} has {', '.join(wanted)}; choose one with --name"
        raise InputError(message)
    return [one for one in mine if one.name in ("", *wanted)]


def _system(mine: Sequence[Found], *, tier: Tier | None, planned: Mapping[Tier, str]) -> System:
    chosen = _tier(mine, tier, planned)
    pins, about, faults = _pins(mine, chosen)
    if faults:
        raise InputError(faults)
    usable = [one.usable for one in mine if one.usable is not None]
    targets = next((one.targets for one in mine if one.targets), ())
    return System(
        product=mine[0].product,
        tier=chosen,
        backend=mine[0].backends[chosen],
        pins=pins,
        files=tuple(dict.fromkeys(f"{one.file} ({one.tool})" for one in mine)),
        unknown=tuple(dict.fromkeys(line for one in mine for line in one.unknown)),
        about=tuple(dict.fromkeys([*(line for one in mine for line in one.about), *about])),
        targets=targets,
        usable=min(usable) if usable else None,
        site={key: value for one in mine for key, value in one.site.items()},
        whole=any(one.whole for one in mine),
        complete=any(one.complete for one in mine),
    )


def _tier(mine: Sequence[Found], tier: Tier | None, planned: Mapping[Tier, str]) -> Tier:
    can = [one for one in TIERS if all(one in found.backends for found in mine)]
    where = f"{', '.join(dict.fromkeys(one.file for one in mine))}: {mine[0].product}"
    if tier is not None:
        if tier in can:
            return tier
        message = f"{where} is no {tier} tier; leave --tier out"
        raise InputError(message)
    meant = [one for one in can if planned.get(one) == mine[0].backends[one]]
    for choice in (can, meant):
        if len(choice) == 1:
            return choice[0]
    words = " or ".join(f"{one} ({mine[0].backends[one]})" for one in can)
    message = f"{where} may be {words or 'no one tier'}; say --tier"
    raise InputError(message)


def _pins(mine: Sequence[Found], tier: Tier) -> tuple[dict[str, Value], list[str], list[str]]:
    strong = dict[str, tuple[Value, str]]()
    faults = list[str]()
    for one in mine:
        for path, value in {**one.pins, **one.by_tier.get(tier, {})}.items():
            if path in one.weak:
                continue
            told = strong.setdefault(path, (value, one.file))
            if not same(path, told[0], value):
                faults.append(f"{one.file}: {path} {value}, and {told[1]} says {told[0]}; name files of one moment")
    faults += _halves(mine)
    pins = {path: value for path, (value, _) in strong.items()}
    servers = frozenset(server for one in mine for server in one.nodes)
    if servers:
        pins["nodes"] = len(servers)
    weak = {path: value for one in mine for path, value in one.pins.items() if path in one.weak}
    if not any(path.startswith("layout.") for path in pins):
        pins |= {path: value for path, value in weak.items() if path.startswith("layout.")}
    pins |= {path: value for path, value in weak.items() if path not in pins and not path.startswith("layout.")}
    return _ordered(pins | _shared(mine, pins)), list(_uneven(mine, pins)), faults


def _halves(mine: Sequence[Found]) -> Iterator[str]:
    """Files of which one names what the other does not: one of them is cut, or of another day."""
    for have in (
        [(one.file, one.members) for one in mine if one.members],
        [(one.file, one.drives) for one in mine if one.drives],
    ):
        for file, members in have[1:]:
            if members != have[0][1]:
                words = _missing(members, have[0][1])
                yield f"{have[0][0]} and {file} {words}; name the whole outputs of one moment"


def _missing(one: frozenset[str] | int, other: frozenset[str] | int) -> str:
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        odd = sorted(one ^ other)
        return f"do not both name {', '.join(odd[:4])}{' …' if len(odd) > 4 else ''}"
    return f"count {other} and {one} drives"


def _shared(mine: Sequence[Found], pins: Mapping[str, Value]) -> dict[str, Value]:
    """Drives of one node, where the drives of all and the nodes are known."""
    drives, nodes = next((one.drives for one in mine if one.drives), None), pins.get("nodes")
    if drives is None or not isinstance(nodes, int) or "node.drives" in pins or drives < nodes:
        return {}
    return {"node.drives": drives // nodes}


def _uneven(mine: Sequence[Found], pins: Mapping[str, Value]) -> Iterator[str]:
    drives, nodes = next((one.drives for one in mine if one.drives), None), pins.get("nodes")
    if drives and isinstance(nodes, int) and "node.drives" not in pins and drives % nodes:
        yield f"{drives} drives on {nodes} nodes are no whole number: rounded down"


def _ordered(pins: dict[str, Value]) -> dict[str, Value]:
    """In the order of the form."""
    order = ("nodes", "node", "layout", "quote", "options")
    return dict(sorted(pins.items(), key=lambda pair: order.index(pair[0].partition(".")[0])))
