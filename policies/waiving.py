"""
The waivers of a run: read from the configuration of `stack-waivers`, asked by every policy that has a finding.

The engine hands each policy its own configuration only.  So `stack-waivers` is the first policy of the pack: the
engine asks the policies of a resource in their order, and the others find here what it was given.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pack import read_index
from tierplan.domain.plan import Finding
from tierplan.plan import waivers
from tierplan.plan.rule import Severity
from tierplan.plan.waivers import Waiver


class _Run:
    """What one process of the pack knows of waivers."""

    def __init__(self) -> None:
        self.rows, self.stack = "[]", ""
        self.told = False
        self.waived: dict[tuple[str, str], Waiver] = {}


_run = _Run()


def forget() -> None:
    """Begin anew: a process of the pack judges one run."""
    _run.__init__()  # type: ignore[misc]  # the same object, as good as new


def today() -> dt.date:
    """The day that waivers are held against."""
    return dt.datetime.now(tz=dt.UTC).date()


def configure(rows: object, urn: str) -> None:
    """Keep what the configuration of `stack-waivers` lists, and the stack: the engine tells it in each URN alone."""
    _run.stack = urn.split("::", maxsplit=1)[0].rpartition(":")[2]
    _run.rows = json.dumps(rows if isinstance(rows, Mapping | str) or not isinstance(rows, Sequence) else list(rows))


def first_time() -> bool:
    """Whether nobody has told yet which waivers are refused: once in a run is enough."""
    told, _run.told = _run.told, True
    return not told


@lru_cache(maxsize=8)
def _listed(rows: str) -> tuple[Waiver, ...]:
    return waivers.waivers_of(json.loads(rows))


@lru_cache(maxsize=1)
def _severities() -> Mapping[str, Severity]:
    found: dict[str, Severity] = {entry["name"]: entry["severity"] for entry in read_index()}
    return found


def refused() -> Iterator[Finding]:
    """What is wrong with the waivers of this stack."""
    return waivers.refused(_listed(_run.rows), stack=_run.stack, today=today(), severity=_severities())


def covering(rule: str, message: str) -> Waiver | None:
    """The waiver that covers a finding; it is kept, to be shown."""
    if _run.rows == "[]":
        return None
    waiver = _holding().get(rule)
    if waiver is not None:
        _run.waived[rule, message] = waiver
    return waiver


def _holding() -> Mapping[str, Waiver]:
    return waivers.in_force(_listed(_run.rows), stack=_run.stack, today=today(), severity=_severities())


def shown() -> Iterator[Finding]:
    """Each finding that was waived in this run, and each waiver that waived none."""
    for (_, message), waiver in _run.waived.items():
        yield _advice(f"{waiver.rule}, {waiver}\n{message}")
    used = {rule for rule, _ in _run.waived}
    for rule, waiver in _holding().items():
        if rule not in used:
            yield _advice(f"{rule} finds nothing to waive; {waiver}")


def _advice(message: str) -> Finding:
    return Finding(policy="advice-waived", level="advisory", message=message)
