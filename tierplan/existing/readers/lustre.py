"""
Lustre: ``lfs df`` (with or without -h) and ``lctl get_param osc.*.ost_conn_uuid``.

Source:   Lustre operations manual: lfs df; 14.11 determining which machine serves an OST (checked 2026-11-29).
          Without -h numbers are KiB; letters are powers of 1024.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from tierplan.errors import InputError
from tierplan.existing.documents import binary
from tierplan.existing.nouns import Found, Target

PRODUCT = "Lustre"
TELLS = {"nodes": "lctl get_param osc.*.ost_conn_uuid", "options": "lfs df"}
TARGET = re.compile(
    r"^[ \t]*(?P<fs>\S+)-(?P<kind>OST|MDT)(?P<index>[0-9a-f]{4})_UUID\s+"
    r"(?P<size>[\d.]+[KMGTPE]?)\s+(?P<used>[\d.]+[KMGTPE]?)\s+(?P<free>[\d.]+[KMGTPE]?)\s+\d+%",
    re.MULTILINE,
)
INACTIVE = re.compile(r"^[ \t]*(?P<fs>\S+)-(?P<kind>OST|MDT)(?P<index>[0-9a-f]{4})_UUID\s*:\s*inactive", re.MULTILINE)
SERVER = re.compile(r"^osc\.(?P<fs>\S+?)-OST(?P<index>[0-9a-f]{4})-osc-\S*?\.ost_conn_uuid=(?P<nid>\S+)", re.MULTILINE)
KIB = 1024.0


def fits(text: str) -> bool:
    """Whether this is `lfs df`, or which servers carry which OST."""
    return bool(re.search(r"-(OST|MDT)[0-9a-f]{4}_UUID", text)) or ".ost_conn_uuid=" in text


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found` for each file system.

    Raises:   InputError if the text counts inodes, or holds no whole line
    """
    if re.search(r"\bInodes\b", text):
        message = f"{file}: counts inodes (lfs df -i); run lfs df without -i"
        raise InputError(message)
    yield from _servers(text, file) if ".ost_conn_uuid=" in text else _space(text, file)


def _servers(text: str, file: str) -> Iterator[Found]:
    nids, osts = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for match in SERVER.finditer(text):
        nids[match["fs"]].add(match["nid"])
        osts[match["fs"]].add(f"OST{match['index']}")
    if not nids:
        message = f"{file}: holds no line osc.NAME-OST0000-osc-….ost_conn_uuid=ADDRESS@NET; keep the whole output"
        raise InputError(message)
    for name, servers in nids.items():
        yield Found(
            product=PRODUCT,
            tool="lctl get_param osc.*.ost_conn_uuid",
            file=file,
            name=name,
            backends={"hot": "lustre"},
            nodes=frozenset(servers),
            members=frozenset(osts[name]),
            pins={"options.fsname": name},
        )


def _space(text: str, file: str) -> Iterator[Found]:
    rows = list(TARGET.finditer(text))
    if "filesystem_summary:" not in text:
        message = f"{file}: is cut off (no filesystem_summary); keep the whole output of lfs df"
        raise InputError(message)
    if not any(row["kind"] == "OST" for row in rows):
        message = f"{file}: holds no OST with its size; keep the whole output of lfs df"
        raise InputError(message)
    for name in dict.fromkeys(row["fs"] for row in rows):
        mine = [row for row in rows if row["fs"] == name]
        osts = tuple(
            Target(
                name=f"{name}-OST{row['index']}",
                size=binary(row["used"], bare=KIB) + binary(row["free"], bare=KIB),  # as Use% has it: reserves left out
                used=binary(row["used"], bare=KIB),
            )
            for row in mine
            if row["kind"] == "OST"
        )
        asleep = [row for row in INACTIVE.finditer(text) if row["fs"] == name]
        members = {f"OST{row['index']}" for row in (*mine, *asleep) if row["kind"] == "OST"}
        mdts = sum(row["kind"] == "MDT" for row in (*mine, *asleep))
        yield Found(
            product=PRODUCT,
            tool="lfs df",
            file=file,
            name=name,
            backends={"hot": "lustre"},
            pins={"options.fsname": name, **({"options.mds.nodes": mdts} if mdts else {})},
            targets=osts,
            members=frozenset(members),
            usable=sum(one.size for one in osts),
            about=(f"{len(osts)} OSTs", *((f"{len(asleep)} targets are inactive: not counted",) if asleep else ())),
            unknown=(
                "the RAID below the OSTs (drives of a node, their size, data and parity): no command of Lustre tells",
            ),
        )
