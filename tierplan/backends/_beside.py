"""Servers that stand beside the storage nodes and in no count of theirs: metadata servers, as the stack names them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from tierplan.backends._choosing import option
from tierplan.domain.hosts import address_ok, host_name_ok
from tierplan.domain.tiers import Illegal, TierConfig

T = TypeVar("T")
DRIVE = re.compile(r"/dev/[A-Za-z0-9][A-Za-z0-9._:+/-]{0,199}")


def given(word: T | None, default: T) -> T:
    """What the stack says, else the default."""
    return default if word is None else word


def named_faults(config: TierConfig, block: str, *, servers: int, drives: int) -> Iterator[Illegal]:
    """Servers that the stack names by something that is no name, or too few or too many of them."""
    checks = {
        f"{block}.hosts": (host_name_ok, servers),
        f"{block}.addresses": (address_ok, servers),
        f"{block}.drive_paths": (_is_drive, servers * drives),
    }
    for path, (check, wanted) in checks.items():
        words = option(config.options, path, tuple)
        if words is None:
            continue
        wrong = [word for word in words if not (isinstance(word, str) and check(word))]
        if wrong:
            message = f"{config.backend}: {path}: {str(wrong[0])[:60]!r} is none"
            yield Illegal(policy=f"{config.tier}-layout", message=message, remedy=f"write {path} as a list of them")
        elif len(words) != wanted:
            yield Illegal(
                policy=f"{config.tier}-layout",
                message=f"{config.backend}: {path} names {len(words)}; the plan has {wanted}",
                remedy=f"name {wanted}, or pin {block}.nodes and {block}.drives",
                required=wanted,
                planned=len(words),
            )


def named_servers(
    config: TierConfig, block: str, *, count: int, drives: int
) -> tuple[list[dict[str, object]], list[str]]:
    """Name, address and drives of each server, and which of these are examples because the stack names none or few."""
    names, addresses = _words(config, f"{block}.hosts"), _words(config, f"{block}.addresses")
    paths = _words(config, f"{block}.drive_paths")
    named, held = len(names) == len(addresses) == count, len(paths) == drives * count > 0
    missing = [] if named else [f"{block}.hosts", f"{block}.addresses"]
    servers: list[dict[str, object]] = [
        {
            "name": names[index] if named else f"{block}-{index + 1}",
            "address": addresses[index] if named else f"198.18.255.{index % 250 + 1}",
            "drives": paths[index * drives : (index + 1) * drives]
            if held
            else [f"/dev/example-{block}{drive}" for drive in range(max(2, drives))],
        }
        for index in range(count)
    ]
    return servers, missing if held else [*missing, f"{block}.drive_paths"]


def _words(config: TierConfig, path: str) -> list[str]:
    """A list of texts among the options; anything else in it is left out."""
    return [word for word in option(config.options, path, tuple) or () if isinstance(word, str)]


def _is_drive(path: str) -> bool:
    return DRIVE.fullmatch(path) is not None
