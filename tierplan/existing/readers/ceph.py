"""
Ceph: ``ceph osd tree``, ``osd dump``, ``osd df``, ``df`` and ``osd erasure-code-profile get``, each with ``-f json``.

Source:   github.com/ceph/ceph src/osd/OSDMap.cc (dump, tree, OSDUtilizationDumper), src/mon/PGMap.cc; osdmaptool writes
          the same JSON of a map (checked 2026-11-29).  crush_weight is in TiB by convention, kb in KiB.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from tierplan.domain.need import Tier
from tierplan.errors import InputError
from tierplan.existing.documents import drive_text, mapped, objects, whole
from tierplan.existing.nouns import Found, Pins, Target, Value
from tierplan.measure.readers.documents import block, number, text_of

PRODUCT = "Ceph"
TELLS = {
    "nodes": "ceph osd tree -f json",
    "node.drives": "ceph osd tree -f json",
    "node.drive.size": "ceph osd tree -f json",
    "layout": "ceph osd dump -f json",
}
BACKENDS: Mapping[Tier, str] = {"hot": "cephfs", "cold": "ceph-rgw"}
PREFERRED: Mapping[Tier, tuple[str, ...]] = {"hot": ("nvme", "ssd", "hdd"), "cold": ("hdd", "ssd", "nvme")}
DOMAINS = {"osd": "drive", "host": "node", "rack": "rack"}
PLUGINS = ("isa", "jerasure", "clay", "shec")
ERASURE = 3
TIB, KIB = 2.0**40, 2.0**10


def fits(text: str) -> bool:
    """Whether this is one of Ceph's JSON outputs."""
    return any(word in text for word in ('"crush_weight"', '"total_used_raw_bytes"', '"erasure_code_profiles"')) or (
        '"plugin"' in text and '"k"' in text
    )


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found`.

    Raises:   InputError if it is cut off or lacks what it is read for
    """
    found = mapped(text[text.find("{") :], file)
    if "erasure_code_profiles" in found:
        yield _dump(found, file)
    elif "stats" in found:
        yield _df(found, file)
    elif any("kb" in one for one in objects(found.get("nodes"))):
        yield _osd_df(found, file)
    elif "nodes" in found:
        yield _tree(found, file)
    else:
        yield _profile(found, file)


def _tree(found: Mapping[str, object], file: str) -> Found:
    nodes = {number(one, "id"): one for one in objects(found["nodes"])}
    osds = {key: one for key, one in nodes.items() if text_of(one, "type") == "osd"}
    hosts = {
        text_of(one, "name"): [osds[child] for child in _children(one) if child in osds]
        for one in nodes.values()
        if text_of(one, "type") == "host"
    }
    if not osds or not any(hosts.values()):
        message = f"{file}: holds no OSD below a host; run ceph osd tree -f json"
        raise InputError(message)
    down = sum(text_of(one, "status") == "down" for one in osds.values())
    racks = sum(text_of(one, "type") == "rack" for one in nodes.values())
    return Found(
        product=PRODUCT,
        tool="ceph osd tree",
        file=file,
        backends=BACKENDS,
        by_tier={tier: _hardware(hosts, order) for tier, order in PREFERRED.items()},
        members=frozenset(text_of(one, "name") for one in osds.values()),
        about=(
            *((f"{down} of {len(osds)} OSDs are down: counted all the same",) if down else ()),
            *((f"{racks} racks",) if racks else ()),
        ),
    )


def _children(one: Mapping[str, object]) -> list[float]:
    children = one.get("children")
    return [float(child) for child in children if isinstance(child, int | float)] if isinstance(children, list) else []


def _hardware(hosts: Mapping[str, list[Mapping[str, object]]], order: tuple[str, ...]) -> Pins:
    """The drives of the kind that the tier is made of: of uneven hosts the fewest, of uneven drives the smallest."""
    classes = Counter(text_of(one, "device_class") for found in hosts.values() for one in found)
    medium = next((one for one in order if classes[one]), "")
    mine = {
        host: [one for one in found if text_of(one, "device_class") == medium]
        for host, found in hosts.items()
        if any(text_of(one, "device_class") == medium for one in found)
    } or {host: found for host, found in hosts.items() if found}
    weights = [number(one, "crush_weight") for found in mine.values() for one in found if number(one, "crush_weight")]
    pins: dict[str, Value] = {"nodes": len(mine), "node.drives": min(map(len, mine.values()))}
    if weights:
        pins["node.drive.size"] = drive_text(min(weights) * TIB)
    if medium:
        pins["node.medium"] = medium
    return pins


def _dump(found: Mapping[str, object], file: str) -> Found:
    pools, profiles = objects(found.get("pools")), block(found, "erasure_code_profiles")
    if not pools:
        message = f"{file}: holds no pool; run ceph osd dump -f json"
        raise InputError(message)
    by_tier: dict[Tier, Pins] = {}
    unknown, backends = list[str](), dict[Tier, str]()
    data: Mapping[Tier, list[Mapping[str, object]]] = {"hot": _cephfs(pools), "cold": _rgw(pools)}
    for tier, chosen in data.items():
        layouts = {_key(pins): pins for pins in (_layout(pool, profiles) for pool in chosen)}
        if not chosen:
            continue
        backends[tier] = BACKENDS[tier]
        if len(layouts) == 1:
            by_tier[tier] = next(iter(layouts.values()))
        else:
            names = ", ".join(text_of(pool, "pool_name") for pool in chosen)
            unknown.append(f"layout: the data pools {names} are protected differently; pin the one that is planned")
    return Found(
        product=PRODUCT,
        tool="ceph osd dump",
        file=file,
        backends=backends or BACKENDS,
        by_tier=by_tier,
        unknown=tuple(unknown),
        about=() if backends else ("no pool is of CephFS or of RGW: its layout is not read",),
    )


def _cephfs(pools: list[Mapping[str, object]]) -> list[Mapping[str, object]]:
    return [one for one in pools if "data" in block(block(one, "application_metadata"), "cephfs")]


def _rgw(pools: list[Mapping[str, object]]) -> list[Mapping[str, object]]:
    return [
        one
        for one in pools
        if "rgw" in block(one, "application_metadata") and text_of(one, "pool_name").endswith(".data")
    ]


def _key(pins: Pins) -> str:
    return repr(sorted(pins.items()))


def _layout(pool: Mapping[str, object], profiles: Mapping[str, object]) -> Pins:
    if number(pool, "type") == ERASURE:
        return _coded(block(profiles, text_of(pool, "erasure_code_profile")))
    replicas = whole(pool, "size")
    return {"layout.replicas": replicas} if replicas else {}


def _coded(profile: Mapping[str, object]) -> Pins:
    pins: dict[str, Value] = {}
    for word, key in (("k", "layout.data_units"), ("m", "layout.parity_units")):
        count = whole(profile, word)
        if count:
            pins[key] = count
    domain = DOMAINS.get(text_of(profile, "crush-failure-domain"))
    if domain:
        pins["layout.failure_domain"] = domain
    if text_of(profile, "plugin") in PLUGINS:
        pins["options.plugin"] = text_of(profile, "plugin")
    unit = re.fullmatch(r"(\d+)(K?)i?B?", str(profile.get("stripe_unit", "")))
    if unit:
        pins["options.stripe_unit"] = f"{int(unit[1]) / (1 if unit[2] else 1024):g} KiB"
    return pins


def _profile(found: Mapping[str, object], file: str) -> Found:
    pins = _coded(found)
    if "layout.data_units" not in pins or "layout.parity_units" not in pins:
        message = f"{file}: k {found.get('k')!r} and m {found.get('m')!r} make no code; run the command again"
        raise InputError(message)
    return Found(
        product=PRODUCT,
        tool="ceph osd erasure-code-profile get",
        file=file,
        backends=BACKENDS,
        pins=pins,
        weak=frozenset(pins),
    )


def _df(found: Mapping[str, object], file: str) -> Found:
    stats = block(found, "stats")
    total, used = number(stats, "total_bytes"), number(stats, "total_used_raw_bytes")
    if not total:
        message = f"{file}: stats.total_bytes {stats.get('total_bytes')!r} is no size; run ceph df -f json"
        raise InputError(message)
    return Found(
        product=PRODUCT,
        tool="ceph df",
        file=file,
        backends=BACKENDS,
        about=(f"{used / total:.0%} of {total / 1e12:.4g} TB raw is used",),
    )


def _osd_df(found: Mapping[str, object], file: str) -> Found:
    targets = tuple(
        Target(name=text_of(one, "name"), size=number(one, "kb") * KIB, used=number(one, "kb_used") * KIB)
        for one in objects(found.get("nodes"))
        if text_of(one, "type") == "osd" and number(one, "kb")
    )
    if not targets:
        message = f"{file}: holds no OSD with its size; run ceph osd df -f json"
        raise InputError(message)
    members = frozenset(one.name for one in targets)
    return Found(product=PRODUCT, tool="ceph osd df", file=file, backends=BACKENDS, targets=targets, members=members)
