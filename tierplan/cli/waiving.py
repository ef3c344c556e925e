"""Waivers on the command line: the same policy configuration that the gate is given."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable
from pathlib import Path

from tierplan.cli.texts import wrapped
from tierplan.codec import encode
from tierplan.domain.plan import Finding
from tierplan.errors import InputError
from tierplan.plan.waivers import Settled, Waived, Waiver, read_waivers, settle


def today() -> dt.date:
    """The day that waivers are held against."""
    return dt.datetime.now(tz=dt.UTC).date()


def read(file: Path | None) -> tuple[Waiver, ...]:
    """
    The waivers of a policy configuration; none without a file.

    Raises:   InputError if the file cannot be read
    """
    if file is None:
        return ()
    try:
        return read_waivers(json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        message = f"{file}: cannot be read ({error.strerror})"
        raise InputError(message) from None
    except ValueError as error:
        message = f"{file}: {error}; the policies' configuration is JSON"
        raise InputError(message) from None
    except InputError as error:
        raise InputError([f"{file}: {fault}" for fault in error.faults]) from None


def settled(stack: str, findings: Iterable[Finding], waivers: Iterable[Waiver]) -> Settled:
    """What counts and what is waived today, in this stack."""
    return settle(findings, waivers, stack=stack, today=today())


def documents(waived: Iterable[Waived]) -> list[dict[str, object]]:
    """What is waived, for the plan's JSON: the finding, and who answers for it."""
    return [
        encode(one.finding, "plain")
        | {"waiver": {"owner": one.waiver.owner, "reason": one.waiver.reason, "until": one.waiver.until.isoformat()}}
        for one in waived
    ]


def lines(found: Settled) -> list[str]:
    """What is waived, by whom and why, and what need not be waived any more."""
    shown = []
    for one in found.waived:
        shown += wrapped(f"  waived    {one.finding.policy}: {one.finding.message}", indent=12)
        shown += wrapped(f"            {one.waiver}", indent=12)
    for waiver in found.unused:
        shown += wrapped(f"  waived    {waiver.rule} finds nothing to waive; {waiver}", indent=12)
    return ["Waived", *shown] if shown else []
