"""
Storage Scale: ``mmvdisk server list``, ``mmvdisk recoverygroup list --declustered-array``, ``mmlspool``.

Source:   IBM Documentation, Storage Scale ECE 5.2.3 declustered array capacity, 6.0.1 server management; recorded
          output of mmlspool (checked 2026-11-29).  Its total raw has the spares taken off already; MB are MiB.
          The code of a vdisk set is not read: no reference of the text of ``mmvdisk vdiskset list`` was at hand.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tierplan.errors import InputError
from tierplan.existing.documents import binary, drive_text
from tierplan.existing.nouns import Found, Target, Value

PRODUCT = "Storage Scale"
TELLS = {"nodes": "mmvdisk server list", "node.drives": "mmvdisk recoverygroup list --declustered-array"}
ARRAY = re.compile(
    r"^[ \t]*(?P<name>DA\d+)\s+(?:yes|no)\s+(?P<type>\w+)\s+\d+\s+\d+\s+(?P<total>\d+)\s+(?P<spare>\d+)\s+\d+\s+"
    r"(?P<raw>[\d.]+ [KMGTP]?i?B)\s+(?P<free>[\d.]+ [KMGTP]?i?B)",
    re.MULTILINE,
)
SERVER = re.compile(r"^[ \t]*\d+\s+(?P<server>[\w.-]*[A-Za-z][\w.-]*)\s+(?P<state>yes|no)\b", re.MULTILINE)
POOL = re.compile(
    r"^(?P<name>\S+)\s+\d+\s+(?P<block>[\d.]+ [KMG]B)\s+(?P<data>yes|no)\s+(?P<meta>yes|no)\s+"
    r"(?P<total>\d+)\s+(?P<free>\d+) \(\s*\d+%\)",
    re.MULTILINE,
)
LOOK = re.compile(r"^(Storage pools in file system|[ \t]*array\s+service\s+type|[ \t]*number\s+server\b)", re.MULTILINE)
MEDIA = {"nvme": "nvme", "ssd": "ssd", "hdd": "hdd"}
FASTEST = ("nvme", "ssd", "hdd")


def fits(text: str) -> bool:
    """Whether this is one of the three lists."""
    return LOOK.search(text) is not None


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found`.

    Raises:   InputError if no line can be read
    """
    made = _arrays(text, file) or _pools(text, file) or _servers(text, file)
    if made is None:
        message = f"{file}: no line of it is a server, a declustered array or a pool; keep the whole output"
        raise InputError(message)
    yield made


def _arrays(text: str, file: str) -> Found | None:
    rows = list(ARRAY.finditer(text))
    if not rows:
        return None
    media = {MEDIA.get(row["type"].lower(), row["type"].lower()) for row in rows}
    medium = next((one for one in FASTEST if one in media), None)
    mine = [row for row in rows if medium is None or MEDIA.get(row["type"].lower()) == medium]
    left = min(binary(row["raw"]) / max(1, int(row["total"]) - int(row["spare"])) for row in mine)
    pins: dict[str, Value] = {
        "node.drive.size": drive_text(left),
        "options.spare_drives": max(int(row["spare"]) for row in mine),
    }
    if medium:
        pins["node.medium"] = medium
    other = sorted(media - {medium})
    return Found(
        product=PRODUCT,
        tool="mmvdisk recoverygroup list",
        file=file,
        backends={"hot": "storage-scale"},
        pins=pins,
        drives=sum(int(row["total"]) for row in mine),
        about=(
            "node.drive.size is what the array leaves of each drive: the drive itself is one to three percent larger",
            *((f"arrays of {', '.join(other)} are left out: a plan has drives of one kind",) if other else ()),
        ),
        unknown=("the code of the vdisk sets: mmvdisk vdiskset list is not read; pin layout yourself",),
    )


def _pools(text: str, file: str) -> Found | None:
    rows = [row for row in POOL.finditer(text) if row["data"] == "yes"]
    if not rows:
        return None
    largest = max(rows, key=lambda row: int(row["total"]))
    size = binary(largest["block"])
    pools = tuple(
        Target(
            name=f"pool {row['name']}",
            size=int(row["total"]) * 1024.0,
            used=(int(row["total"]) - int(row["free"])) * 1024.0,
        )
        for row in rows
    )
    return Found(
        product=PRODUCT,
        tool="mmlspool",
        file=file,
        backends={"hot": "storage-scale"},
        pins={"options.block_size": f"{size / 2**20:g} MiB"},
        targets=pools,
        usable=sum(one.size for one in pools),
    )


def _servers(text: str, file: str) -> Found | None:
    names = frozenset(row["server"] for row in SERVER.finditer(text))
    if not names:
        return None
    return Found(product=PRODUCT, tool="mmvdisk server list", file=file, backends={"hot": "storage-scale"}, nodes=names)
