"""
BeeGFS: ``beegfs-ctl --listtargets`` (7), ``beegfs-df`` (7) and ``beegfs target list`` (8).

Source:   doc.beegfs.io 7.2 target states, 8.0 target management; outputs of both (checked 2026-11-29).
          7 writes sizes with GiB; 8 lists ID, TYPE, ALIAS, NODE, STORAGE_POOL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tierplan.errors import InputError
from tierplan.existing.documents import binary
from tierplan.existing.nouns import Found, Target, Value

PRODUCT = "BeeGFS"
TELLS = {"nodes": "beegfs-ctl --listtargets --nodetype=storage --state, or beegfs target list"}
SIZE = r"[\d.]+[KMGTPE]?i?B"
OLD = re.compile(
    r"^[ \t]*(?:(?P<group>\d+)\s+(?:primary|secondary)\s+)?(?P<id>\d+)\s+(?P<reach>\S+)\s+(?P<state>\S+)\s+"
    rf"(?:(?P<size>{SIZE})\s+(?P<free>{SIZE})\s+\d+%\s+\S+\s+\S+\s+\d+%\s+)?(?P<node>\S.*?)\s*$",
    re.MULTILINE,
)
DF = re.compile(
    rf"^[ \t]*(?P<id>\d+)\s+(?P<pool>low|normal|emergency)\s+(?P<size>{SIZE})\s+(?P<free>{SIZE})\s+\d+%", re.MULTILINE
)
NEW = re.compile(r"^[ \t]*(?P<id>[sm]:\d+)\s+(?P<kind>storage|meta)\s+\S+\s+(?P<node>[sm]:\d+)\b", re.MULTILINE)


def fits(text: str) -> bool:
    """Whether this is one of BeeGFS's lists of targets."""
    return bool(re.search(r"TargetID\s+(Reachability|Cap\. Pool)|^[ \t]*ID\s+TYPE\s+ALIAS\s+NODE", text, re.MULTILINE))


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found`.

    Raises:   InputError if no line is a target
    """
    if re.search(r"^[ \t]*ID\s+TYPE\s+ALIAS\s+NODE", text, re.MULTILINE):
        found = _new(text, file)
    elif "Cap. Pool" in text:
        found = _df(text, file)
    else:
        found = _old(text, file)
    if found is None:
        message = f"{file}: lists no storage target; keep the whole output (for 7: --nodetype=storage)"
        raise InputError(message)
    yield found


def _new(text: str, file: str) -> Found | None:
    rows = list(NEW.finditer(text))
    storage = [row for row in rows if row["kind"] == "storage"]
    metas = {row["node"] for row in rows if row["kind"] == "meta"}
    if not storage:
        return None
    pins: dict[str, Value] = {"options.version": 8}
    if metas:
        pins["options.meta.nodes"] = len(metas)
    return Found(
        product=PRODUCT,
        tool="beegfs target list",
        file=file,
        backends={"hot": "beegfs"},
        pins=pins,
        nodes=frozenset(row["node"] for row in storage),
        about=(f"{len(storage)} storage targets",),
        unknown=UNKNOWN,
    )


def _old(text: str, file: str) -> Found | None:
    rows = [row for row in OLD.finditer(text) if not row["node"].startswith("beegfs-meta")]
    if not rows:
        return None
    if all(row["id"] == row["node"] for row in rows):
        message = f"{file}: each target has its node's number, as metadata has; run it with --longnodes"
        raise InputError(message)
    mirrored = any(row["group"] for row in rows)
    targets = tuple(
        Target(name=f"target {row['id']}", size=binary(row["size"]), used=binary(row["size"]) - binary(row["free"]))
        for row in rows
        if row["size"]
    )
    return Found(
        product=PRODUCT,
        tool="beegfs-ctl --listtargets",
        file=file,
        backends={"hot": "beegfs"},
        pins={"options.version": 7, **({"options.mirror": True} if mirrored else {})},
        nodes=frozenset(row["node"] for row in rows),
        targets=targets,
        usable=_usable(targets, halved=mirrored),
        about=(f"{len(rows)} storage targets",),
        unknown=UNKNOWN,
    )


def _df(text: str, file: str) -> Found | None:
    storage = text[text.find("STORAGE TARGETS") :] if "STORAGE TARGETS" in text else text
    targets = tuple(
        Target(name=f"target {row['id']}", size=binary(row["size"]), used=binary(row["size"]) - binary(row["free"]))
        for row in DF.finditer(storage)
    )
    if not targets:
        return None
    metas = len(list(DF.finditer(text))) - len(targets)
    return Found(
        product=PRODUCT,
        tool="beegfs-df",
        file=file,
        backends={"hot": "beegfs"},
        pins={"options.version": 7, **({"options.meta.nodes": metas} if metas else {})},
        targets=targets,
        about=(f"{len(targets)} storage targets",),
        unknown=UNKNOWN,
    )


UNKNOWN = ("the RAID below the targets (drives of a node, their size, data and parity): no command of BeeGFS tells",)


def _usable(targets: tuple[Target, ...], *, halved: bool) -> float | None:
    return sum(one.size for one in targets) / (2 if halved else 1) if targets else None
