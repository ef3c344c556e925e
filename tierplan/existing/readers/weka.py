"""
WEKA: ``weka status -J``, ``weka cluster drive -J``, ``weka cluster container -J``.

Source:   recorded output of weka status 4.1 and 4.4; field names of the lists as public tools read them (2026-11-29).
          Capacity is net; drive_capacity_gb is raw and decimal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tierplan.errors import InputError
from tierplan.existing.documents import drive_text, objects, parsed, whole
from tierplan.existing.nouns import Found, Value
from tierplan.measure.readers.documents import block, number, text_of

PRODUCT = "WEKA"
TELLS = {"nodes": "weka cluster drive -J", "node.drives": "weka cluster drive -J", "layout": "weka status -J"}
BACKENDS: Mapping[str, str] = {"hot": "weka"}


def fits(text: str) -> bool:
    """Whether this is one of WEKA's JSON outputs."""
    return '"stripe_data_drives"' in text or '"disk_id"' in text or ('"hostname"' in text and '"mode"' in text)


def read(text: str, file: str) -> Iterator[Found]:
    """
    One `Found`.

    Raises:   InputError if it is cut off, or lacks the stripe
    """
    value = parsed(text[min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=0) :], file)
    if isinstance(value, Mapping):
        status = block(value, "weka_status") or value  # the deployment's own report wraps it
        yield _status(status, file)
        return
    rows = objects(value)
    if any("disk_id" in row for row in rows):
        yield _drives(rows, file)
    else:
        yield _containers(rows, file)


def _status(status: Mapping[str, object], file: str) -> Found:
    data, parity = whole(status, "stripe_data_drives"), whole(status, "stripe_protection_drives")
    if data is None or parity is None:
        message = f"{file}: has no stripe_data_drives and stripe_protection_drives above 0; keep all of weka status -J"
        raise InputError(message)
    pins: dict[str, Value] = {
        "layout.data_units": data,
        "layout.parity_units": parity,
        "layout.hot_spares": int(number(status, "hot_spare")),
    }
    drives = whole(block(status, "drives"), "total")
    raw = number(block(block(status, "licensing"), "usage"), "drive_capacity_gb") * 1e9
    if drives and raw:
        pins["node.drive.size"] = drive_text(raw / drives)
    servers = block(block(status, "servers"), "backends")
    count = _count(servers, drives)
    if count:
        pins["nodes"] = count
    capacity = block(status, "capacity")
    total, left = number(capacity, "total_bytes"), number(capacity, "unprovisioned_bytes")
    return Found(
        product=PRODUCT,
        tool="weka status",
        file=file,
        backends={"hot": "weka"},
        pins=pins,
        weak=frozenset({"nodes", "node.drive.size"}),
        drives=drives,
        usable=total or None,
        about=((f"{(total - left) / total:.0%} of {total / 1e12:.4g} TB is given to file systems",) if total else ()),
    )


def _count(servers: Mapping[str, object], drives: int | None) -> int | None:
    """The servers, dead ones included unless the drives say otherwise; none where only containers are counted."""
    total, active = whole(servers, "total"), whole(servers, "active")
    if drives and total and active and drives % total and not drives % active:
        return active
    return total


def _drives(rows: list[Mapping[str, object]], file: str) -> Found:
    hosts = Counter(text_of(row, "hostname") for row in rows if text_of(row, "hostname"))
    if not hosts:
        message = f"{file}: no drive has a hostname; run weka cluster drive -J"
        raise InputError(message)
    fewest, most = min(hosts.values()), max(hosts.values())
    uneven = (f"servers have {fewest} to {most} drives: planned with the fewest",) if fewest != most else ()
    return Found(
        product=PRODUCT,
        tool="weka cluster drive",
        file=file,
        backends={"hot": "weka"},
        pins={"node.drives": fewest},
        nodes=frozenset(hosts),
        drives=sum(hosts.values()),
        about=uneven,
    )


def _containers(rows: list[Mapping[str, object]], file: str) -> Found:
    hosts = frozenset(text_of(row, "hostname") for row in rows if text_of(row, "mode") == "backend")
    if not hosts:
        message = f"{file}: no container of mode backend; run weka cluster container -J"
        raise InputError(message)
    return Found(product=PRODUCT, tool="weka cluster container", file=file, backends={"hot": "weka"}, nodes=hosts)
